// SPDX-License-Identifier: Apache-2.0
// Programs and hand-built candidates for the tests of codegen.
#pragma once

#include "codegen/codegen.hpp"
#include "frontend/frontend.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fusec::codegen::test {

extern const char* const demo_text;

/// A checked program with the standard library.
struct Sample {
    library::Catalog catalog;
    dag::CallGraph graph;

    DataId datum(const std::string& name) const;
};
/// Checks `text` as the file `name`.fus; fails the test on any error.
std::unique_ptr<Sample> sample(const std::string& name, const std::string& text);

/// How a test wants a kernel. Everything it does not say gets the plainest answer: tiles without address reuse, a block barrier before
/// every step that another thread's access could meet, results of one-thread calls in registers.
struct Draft {
    int elements = 64;
    std::vector<std::pair<std::string, std::string>> calls; ///< result and implementation, in execution order
    std::vector<std::string> stores;
    fusion::Staging load = fusion::Staging::vectors;    ///< none: read in place
    fusion::Staging store = fusion::Staging::vectors;   ///< none: each owner stores from registers
    std::vector<std::string> registers;                 ///< loaded lists and results of many threads kept in registers
    std::vector<std::string> tiles;                     ///< one-thread results kept in shared memory
    std::map<std::string, std::pair<int, int>> padding; ///< by datum: elements between paddings, words of one
};
fusion::Candidate build(const Draft& draft, const Sample& sample);

/// A plan of these kernels, with workspace slots without reuse.
fusion::Plan plan_of(std::vector<fusion::Candidate> kernels, const Sample& sample);

} // namespace fusec::codegen::test
