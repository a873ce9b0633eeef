// SPDX-License-Identifier: Apache-2.0
// Device code read by LLVM: which kernels it has, what they execute, and their PTX.
#pragma once

#include "perfmodel/analysis/device_code.hpp"
#include "perfmodel/analysis/kernel_profile.hpp"

#include <memory>

namespace fusec::perfmodel::analysis {

/// Owns the LLVM module, after the passes with which the NVPTX backend prepares its selection of instructions (address spaces, addresses
/// apart from constant offsets, wide accesses). Not thread-safe; different modules may be used side by side.
class DeviceModule {
public:
    /// Reports `static-analysis` if the bitcode cannot be read.
    static std::unique_ptr<DeviceModule> read(const DeviceCode& code, Diagnostics& diagnostics);
    ~DeviceModule();

    /// Names of the kernels as in the source, in the order of the text: `demo_kernels::demo_F<float4>`.
    std::vector<std::string> kernels() const;

    /// What one block executes. The threads are followed one after the other: integers, addresses and branches by value, data as unknown;
    /// so counts are exact wherever control and addresses depend on indices, parameters with a value and constants only, and what depends on
    /// data is named in `unknowns`. Reports `static-analysis` if there is no such kernel (with the names that there are) or the launch is
    /// impossible. O(instructions executed by the block).
    std::optional<KernelProfile> profile(
        const std::string& kernel, const Launch& launch, const LatencyTable& latencies, Diagnostics& diagnostics) const;

    /// PTX of all kernels by the NVPTX backend of this process, for the architecture of the code. Reports `static-analysis` if the backend
    /// cannot write it.
    std::optional<std::string> ptx(Diagnostics& diagnostics) const;

private:
    struct State;
    explicit DeviceModule(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace fusec::perfmodel::analysis
