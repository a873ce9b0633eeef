// SPDX-License-Identifier: Apache-2.0
// Names of one scope of the output: a wanted name gets `_` (behind `_` a `1`) appended until it is new; none has two `_` in a row.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace fusec::codegen {

class Names {
public:
    Names() = default;
    explicit Names(const std::vector<std::string>& taken) : taken_(taken.begin(), taken.end()) {}

    /// The wanted name with each run of `_` as one, made new and taken from now on.
    std::string make(std::string wanted);
    bool has(const std::string& name) const { return taken_.count(name) != 0; }

private:
    std::set<std::string> taken_;
};

} // namespace fusec::codegen
