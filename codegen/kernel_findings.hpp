// SPDX-License-Identifier: Apache-2.0
// What the checks of one kernel have found.
#pragma once

#include "codegen/kernel_ir.hpp"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fusec::codegen {

/// Findings of one kernel, without repeats of a defect at a step and datum.
class KernelFindings {
public:
    explicit KernelFindings(const Kernel& kernel) : kernel_(kernel) {}

    void add(const std::string& datum, const std::string& defect);
    void add_step(std::size_t step, const std::string& datum, const std::string& defect, const std::string& where = {});
    std::vector<std::string> take() { return std::move(texts_); }

private:
    void add_text(const std::string& step, const std::string& datum, const std::string& defect, const std::string& text);

    const Kernel& kernel_;
    std::vector<std::string> texts_;
    std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

} // namespace fusec::codegen
