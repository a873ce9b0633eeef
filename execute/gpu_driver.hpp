// SPDX-License-Identifier: Apache-2.0
// The GPU as an executor: finding nvcc and a device, and the few CUDA calls that a run needs, reached through functions that are compiled
// by nvcc into the same library as the text under test. fusec itself is neither built with nor linked to CUDA.
#pragma once

#include "execute/compiler.hpp"
#include "execute/guarded_list.hpp"
#include "execute/loaded_library.hpp"

#include <optional>
#include <string>

namespace fusec::execute {

/// The driver's source, a file beside the text under test.
BuildRequest::File gpu_driver_file();

/// The driver's functions in a library that was built with gpu_driver_file(). Codes are cudaError_t; 0 is success.
struct GpuDriver {
    /// Number of devices, and of device 0 its name and compute capability (90 for 9.0); negative code of the error when there is none.
    int (*describe)(char* name, std::size_t bytes, int* capability) = nullptr;
    const char* (*error_text)(int error) = nullptr;
    int (*allocate)(void** memory, std::size_t bytes) = nullptr;
    int (*release)(void* memory) = nullptr;
    int (*fill)(void* memory, int value, std::size_t bytes) = nullptr;
    int (*to_device)(void* device, const void* host, std::size_t bytes) = nullptr;
    int (*to_host)(void* host, const void* device, std::size_t bytes) = nullptr;
    int (*synchronize)() = nullptr;

    /// Reports `unloadable-library` when one is missing.
    static std::optional<GpuDriver> find(const LoadedLibrary& library, Diagnostics& diagnostics);
};

/// $NVCC if it is set, else nvcc in $PATH, else that of $CUDA_HOME and of /usr/local/cuda. Reports `no-cuda-compiler` with what it
/// looked for.
std::optional<HostCompiler> find_cuda_compiler(Diagnostics& diagnostics);

/// Builds the driver and asks it, in a child, for a device that runs code for `arch`. Reports `no-gpu` with what the runtime said.
bool find_gpu(const HostCompiler& nvcc, const std::filesystem::path& cache, int arch, Diagnostics& diagnostics);

/// A guarded list's pages on the device, between zones of canaries. A failing CUDA call throws GpuFailure.
class DeviceList {
public:
    DeviceList(const GpuDriver& driver, GuardedList& host);
    ~DeviceList();
    DeviceList(const DeviceList&) = delete;
    DeviceList& operator=(const DeviceList&) = delete;

    /// The device address of the list's first byte; as far off a multiple of 256 bytes as the host's.
    void* data() const;
    /// The device's bytes into the host list, whose own checks then see them; distance from the list's start of the first altered byte of
    /// the zones around its pages, negative before, nothing when all are whole.
    std::optional<std::ptrdiff_t> copy_back();

private:
    const GpuDriver& driver_;
    GuardedList& host_;
    unsigned char* memory_ = nullptr;
};

/// What a CUDA call of the driver gave. After most of them no later call of the process succeeds.
struct GpuFailure {
    std::string text;
};
/// Throws GpuFailure with the call's name and the runtime's text unless the code is 0.
void check_gpu(const GpuDriver& driver, int error, const char* call);

} // namespace fusec::execute
