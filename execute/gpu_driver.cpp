// SPDX-License-Identifier: Apache-2.0
#include "execute/gpu_driver.hpp"

#include "execute/process.hpp"

#include <array>
#include <cstdlib>
#include <vector>

namespace fusec::execute {

namespace {

/// Bytes around a list's pages: an index that is wrong by a few elements or by a block's tile lands here.
constexpr std::size_t zone_bytes = std::size_t{1} << 16;

constexpr const char* driver_source = R"(// The CUDA calls of a verification run.
#include <cuda_runtime.h>
#include <stdio.h>

extern "C" int fusec_gpu_describe(char* name, size_t bytes, int* capability) {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    cudaDeviceProp properties;
    if (error == cudaSuccess && count > 0)
        error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess)
        return -static_cast<int>(error);
    if (count > 0) {
        snprintf(name, bytes, "%s", properties.name);
        *capability = 10 * properties.major + properties.minor;
    }
    return count;
}
extern "C" const char* fusec_gpu_error_text(int error) {
    return cudaGetErrorString(static_cast<cudaError_t>(error));
}
extern "C" int fusec_gpu_allocate(void** memory, size_t bytes) {
    return cudaMalloc(memory, bytes);
}
extern "C" int fusec_gpu_release(void* memory) {
    return cudaFree(memory);
}
extern "C" int fusec_gpu_fill(void* memory, int value, size_t bytes) {
    return cudaMemset(memory, value, bytes);
}
extern "C" int fusec_gpu_to_device(void* device, const void* host, size_t bytes) {
    return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
}
extern "C" int fusec_gpu_to_host(void* host, const void* device, size_t bytes) {
    return cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
}
extern "C" int fusec_gpu_synchronize() {
    return cudaDeviceSynchronize();
}
)";

template <class Function>
bool find_function(const LoadedLibrary& library, const char* name, Function& function, Diagnostics& diagnostics) {
    function = reinterpret_cast<Function>(library.symbol(name));
    if (function == nullptr) {
        diagnostics.report(kind::unloadable_library, {}, std::string("a library for the GPU defines no function `") + name + "`");
    }
    return function != nullptr;
}

/// First line: a device's name, or nothing. Second line: its capability, or the runtime's text.
std::string ask_for_device(const HostCompiler& nvcc, const std::filesystem::path& cache, int arch) {
    Diagnostics diagnostics;
    BuildRequest request;
    request.kind = BuildKind::gpu;
    request.arch = arch;
    request.files = {gpu_driver_file()};
    const auto path = build_library(request, nvcc, cache, diagnostics);
    const auto library = path ? LoadedLibrary::open(*path, diagnostics) : std::nullopt;
    const auto driver = library ? GpuDriver::find(*library, diagnostics) : std::nullopt;
    if (!driver) {
        return "\n" + diagnostics.all().front().message;
    }
    std::array<char, 256> name{};
    int capability = 0;
    const int count = driver->describe(name.data(), name.size(), &capability);
    if (count <= 0) {
        return "\ncudaGetDeviceCount " +
            (count == 0 ? std::string("gives 0 devices") : "fails: " + std::string(driver->error_text(-count)));
    }
    return std::string(name.data()) + "\n" + std::to_string(capability);
}

} // namespace

BuildRequest::File gpu_driver_file() {
    return {"fusec_gpu_driver.cu", driver_source};
}

std::optional<GpuDriver> GpuDriver::find(const LoadedLibrary& library, Diagnostics& diagnostics) {
    GpuDriver driver;
    const bool complete = find_function(library, "fusec_gpu_describe", driver.describe, diagnostics) &&
        find_function(library, "fusec_gpu_error_text", driver.error_text, diagnostics) &&
        find_function(library, "fusec_gpu_allocate", driver.allocate, diagnostics) &&
        find_function(library, "fusec_gpu_release", driver.release, diagnostics) &&
        find_function(library, "fusec_gpu_fill", driver.fill, diagnostics) &&
        find_function(library, "fusec_gpu_to_device", driver.to_device, diagnostics) &&
        find_function(library, "fusec_gpu_to_host", driver.to_host, diagnostics) &&
        find_function(library, "fusec_gpu_synchronize", driver.synchronize, diagnostics);
    return complete ? std::optional(driver) : std::nullopt;
}

std::optional<HostCompiler> find_cuda_compiler(Diagnostics& diagnostics) {
    std::vector<std::string> names{"nvcc"};
    if (const char* const chosen = std::getenv("NVCC"); chosen != nullptr && *chosen != '\0') {
        names = {chosen};
    } else {
        if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') {
            names.push_back(std::string(home) + "/bin/nvcc");
        }
        names.emplace_back("/usr/local/cuda/bin/nvcc");
    }
    std::string looked_for;
    for (const std::string& name : names) {
        looked_for += (looked_for.empty() ? "`" : ", `") + name + "`";
        if (const auto compiler = compiler_named(name)) {
            return compiler;
        }
    }
    diagnostics.report(kind::no_cuda_compiler, {}, "no CUDA compiler found: looked for " + looked_for).hint =
        "install the CUDA toolkit, set NVCC, or verify with `--executor emulated`, which needs neither toolkit nor GPU";
    return std::nullopt;
}

bool find_gpu(const HostCompiler& nvcc, const std::filesystem::path& cache, int arch, Diagnostics& diagnostics) {
    const ChildResult result = run_children({[&] { return ask_for_device(nvcc, cache, arch); }}, 1, 300, 1).at(0);
    const std::string found = "`" + nvcc.program.string() + "` and a CUDA device that runs code for sm_" + std::to_string(arch) + ": ";
    const std::size_t end = result.text.find('\n');
    std::string why;
    if (!result.completed) {
        why = "the question ended with " + result.fault;
    } else if (end == 0) {
        why = "there is no device: " + result.text.substr(1);
    } else if (const int capability = std::stoi(result.text.substr(end + 1)); capability < arch) {
        why = "`" + result.text.substr(0, end) + "` is sm_" + std::to_string(capability);
    } else {
        return true;
    }
    diagnostics.report(kind::no_gpu, {}, "no GPU found: looked for " + found + why).hint =
        "`--executor emulated` runs the same text without a GPU";
    return false;
}

void check_gpu(const GpuDriver& driver, int error, const char* call) {
    if (error != 0) {
        throw GpuFailure{std::string(call) + ": " + driver.error_text(error)};
    }
}

DeviceList::DeviceList(const GpuDriver& driver, GuardedList& host) : driver_(driver), host_(host) {
    void* memory = nullptr;
    check_gpu(driver_, driver_.allocate(&memory, host_.page_bytes() + 2 * zone_bytes), "cudaMalloc");
    memory_ = static_cast<unsigned char*>(memory);
    try {
        check_gpu(driver_, driver_.fill(memory_, GuardedList::canary, host_.page_bytes() + 2 * zone_bytes), "cudaMemset");
        check_gpu(driver_, driver_.to_device(memory_ + zone_bytes, host_.pages(), host_.page_bytes()), "cudaMemcpy");
    } catch (...) {
        static_cast<void>(driver_.release(memory_));
        throw;
    }
}

DeviceList::~DeviceList() {
    static_cast<void>(driver_.release(memory_)); // an error of the launch shows here again
}

void* DeviceList::data() const {
    return memory_ + zone_bytes + (host_.data() - host_.pages());
}

std::optional<std::ptrdiff_t> DeviceList::copy_back() {
    check_gpu(driver_, driver_.to_host(host_.pages(), memory_ + zone_bytes, host_.page_bytes()), "cudaMemcpy");
    std::vector<unsigned char> zone(zone_bytes);
    for (const std::size_t start : {std::size_t{0}, zone_bytes + host_.page_bytes()}) {
        check_gpu(driver_, driver_.to_host(zone.data(), memory_ + start, zone_bytes), "cudaMemcpy");
        for (std::size_t i = 0; i < zone_bytes; ++i) {
            if (zone[i] != GuardedList::canary) {
                return memory_ + start + i - static_cast<unsigned char*>(data());
            }
        }
    }
    return std::nullopt;
}

} // namespace fusec::execute
