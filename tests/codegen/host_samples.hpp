// SPDX-License-Identifier: Apache-2.0
// Hand-built host candidates, and the emitted host text compiled and loaded as a user would.
#pragma once

#include "tests/codegen/samples.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace fusec::codegen::test {

/// A host kernel that executes the calls that make `results`, in this order, and stores `stores`.
fusion::Candidate host_kernel(const Sample& sample, const std::vector<std::string>& results, const std::vector<std::string>& stores,
    fusion::Staging store = fusion::Staging::lanes_streaming);

/// The emitted pair as a shared library; `repeated` > 0: of emit_repeated. Compiles with the compiler of this build, all warnings as errors.
class HostLibrary {
public:
    HostLibrary(
        const Unit& unit, const Sample& sample, bool embed_runtime = true, const std::string& flags = "-march=native", int repeated = 0);
    ~HostLibrary();
    HostLibrary(const HostLibrary&) = delete;
    HostLibrary& operator=(const HostLibrary&) = delete;

    const Emitted& text() const { return text_; }
    std::size_t workspace_bytes(std::size_t n) const;
    /// NAME_launch_range; `lists` are the pointers of the arguments in order. first = 0 calls NAME_launch.
    int launch(
        const std::vector<void*>& lists, std::size_t first, std::size_t count, void* workspace = nullptr, std::size_t bytes = 0) const;
    /// The text's variable NAME`suffix`.
    int& variable(const std::string& suffix) const { return *static_cast<int*>(symbol(suffix)); }

private:
    void* symbol(const std::string& suffix) const;

    std::string name_;
    Emitted text_;
    std::filesystem::path folder_;
    void* handle_ = nullptr;
};

} // namespace fusec::codegen::test
