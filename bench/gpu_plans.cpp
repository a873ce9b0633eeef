// SPDX-License-Identifier: Apache-2.0
// Measured time of several plans of one program on a GPU, side by side and beside the device's own best copy of as many bytes: every
// plan is built by nvcc as a user builds it, launches alternate and are timed by events, and outputs of all plans are compared.
// Usage: gpu_plans RESULT.json DEVICE PROGRAM.fus N RUNS CHOICE...
// DEVICE is a name of `fusec devices`; a choice is auto, none, max, greedy, a plan file, or one with `+no-recompute`, `+max-fusion=K`.
#include "bench/plan_choice.hpp"
#include "bench/run_record.hpp"
#include "execute/gpu_driver.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace fusec::bench {
namespace {

using execute::GpuDriver;

constexpr const char* timer_source = R"(// Times by events, and the copies that bandwidth is compared with.
#include <cuda_runtime.h>

namespace {
cudaEvent_t fusec_bench_events[2];
__global__ void fusec_bench_copy_kernel(float4* __restrict__ to, const float4* __restrict__ from, size_t count) {
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x)
        to[i] = from[i];
}
} // namespace

extern "C" int fusec_bench_start() {
    for (cudaEvent_t& event : fusec_bench_events)
        if (event == nullptr)
            if (const cudaError_t error = cudaEventCreate(&event))
                return error;
    return cudaEventRecord(fusec_bench_events[0]);
}
extern "C" int fusec_bench_stop(float* milliseconds) {
    cudaError_t error = cudaEventRecord(fusec_bench_events[1]);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(fusec_bench_events[1]);
    return error != cudaSuccess ? error : cudaEventElapsedTime(milliseconds, fusec_bench_events[0], fusec_bench_events[1]);
}
extern "C" int fusec_bench_copy(void* to, const void* from, size_t bytes, int own_kernel) {
    if (own_kernel == 0)
        return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
    const size_t count = bytes / sizeof(float4);
    fusec_bench_copy_kernel<<<unsigned((count - 1) / 512 + 1), 512>>>(static_cast<float4*>(to), static_cast<const float4*>(from), count);
    return cudaGetLastError();
}
extern "C" int fusec_bench_l2_bytes(int* bytes) {
    return cudaDeviceGetAttribute(bytes, cudaDevAttrL2CacheSize, 0);
}
)";

/// The functions of timer_source in one plan's library, as codes of cudaError_t.
struct Timer {
    int (*start)() = nullptr;
    int (*stop)(float* milliseconds) = nullptr;
    int (*copy)(void* to, const void* from, std::size_t bytes, int own_kernel) = nullptr;
    int (*l2_bytes)(int* bytes) = nullptr;

    explicit Timer(const execute::LoadedLibrary& library) {
        start = reinterpret_cast<decltype(start)>(library.symbol("fusec_bench_start"));
        stop = reinterpret_cast<decltype(stop)>(library.symbol("fusec_bench_stop"));
        copy = reinterpret_cast<decltype(copy)>(library.symbol("fusec_bench_copy"));
        l2_bytes = reinterpret_cast<decltype(l2_bytes)>(library.symbol("fusec_bench_l2_bytes"));
        if (start == nullptr || stop == nullptr || copy == nullptr || l2_bytes == nullptr) {
            throw std::runtime_error("a built plan lacks the timer's functions");
        }
    }
};

/// One plan with its library's own CUDA runtime; all share the process's context, so that lists serve every plan.
struct Subject {
    GpuDriver driver;
    Timer timer;
};

Subject subject_of(const Choice& choice) {
    Diagnostics diagnostics;
    const auto driver = GpuDriver::find(*choice.library, diagnostics);
    if (!driver) {
        throw std::runtime_error(diagnostics.all().front().message);
    }
    return {*driver, Timer(*choice.library)};
}

/// Device memory, freed with its owner.
class DeviceMemory {
public:
    DeviceMemory(const GpuDriver& driver, std::size_t bytes) : driver_(&driver), bytes_(bytes) {
        check_gpu(driver, driver.allocate(&data_, std::max<std::size_t>(bytes, 256)), "cudaMalloc");
        check_gpu(driver, driver.fill(data_, 0xff, bytes), "cudaMemset"); // not a number, until a kernel writes it
    }
    DeviceMemory(DeviceMemory&& other) noexcept
        : driver_(other.driver_), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
    DeviceMemory& operator=(DeviceMemory&&) = delete;
    ~DeviceMemory() { static_cast<void>(driver_->release(data_)); }
    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

private:
    const GpuDriver* driver_;
    void* data_ = nullptr;
    std::size_t bytes_;
};

template <class Work>
double timed(const Subject& subject, const char* what, Work work) {
    float milliseconds = 0;
    check_gpu(subject.driver, subject.timer.start(), "cudaEventRecord");
    check_gpu(subject.driver, work(), what);
    check_gpu(subject.driver, subject.timer.stop(&milliseconds), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
}

Lists<DeviceMemory> make_lists(const std::vector<Choice>& choices, const GpuDriver& driver, std::size_t n) {
    return make_lists<DeviceMemory>(
        choices, n, [&](std::size_t bytes) { return DeviceMemory(driver, bytes); },
        [&](const DeviceMemory& list, const frontend::Datum& datum, std::uint64_t seed) {
            std::vector<std::byte> values(list.bytes());
            fill_random(values.data(), datum, values.size(), seed);
            check_gpu(driver, driver.to_device(list.data(), values.data(), values.size()), "cudaMemcpy");
        });
}

double launch(const Choice& choice, const Subject& subject, const Lists<DeviceMemory>& lists, std::size_t which, std::size_t n) {
    const std::vector<const void*> arguments = lists.arguments(which);
    const DeviceMemory& workspace = lists.workspaces[which];
    return timed(
        subject, "launch", [&] { return choice.functions.launch(arguments.data(), n, workspace.data(), workspace.bytes(), nullptr); });
}

double largest_difference(const std::vector<Choice>& choices, const GpuDriver& driver, const Lists<DeviceMemory>& lists, std::size_t n) {
    const frontend::CheckedProgram& program = *choices.front().compilation.program;
    double worst = 0;
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
        std::array<std::vector<std::byte>, 2> values;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const DeviceMemory& list = lists.outputs[i][k];
            auto& to = values[i == 0 ? 0 : 1];
            to.resize(list.bytes());
            check_gpu(driver, driver.to_host(to.data(), list.data(), list.bytes()), "cudaMemcpy");
            const double distance = difference(values[0].data(), to.data(), program.datum(program.outputs[k]), n);
            worst = distance <= worst ? worst : distance; // not a number stays
        }
    }
    return worst;
}

int run(int argc, char** argv) {
    if (argc < 7) {
        std::cerr << "usage: gpu_plans RESULT.json DEVICE PROGRAM.fus N RUNS CHOICE...\n";
        return 2;
    }
    const std::size_t n = std::stoull(argv[4]), runs = std::stoull(argv[5]);
    Diagnostics diagnostics;
    const auto nvcc = execute::find_cuda_compiler(diagnostics);
    if (!nvcc) {
        throw std::runtime_error(diagnostics.all().front().message);
    }
    Machine gpu{fusion::Target::cuda, argv[2], execute::BuildKind::gpu, *nvcc, {execute::gpu_driver_file(), {"timer.cu", timer_source}}};
    std::vector<Choice> choices = build_choices(argv[3], {argv + 6, argv + argc}, n, gpu);
    std::vector<Subject> subjects;
    for (const Choice& choice : choices) {
        subjects.push_back(subject_of(choice));
    }
    const Subject& first = subjects.front();
    std::array<char, 256> name{};
    int capability = 0, l2_bytes = 0;
    if (const int count = first.driver.describe(name.data(), name.size(), &capability); count <= 0) {
        throw std::runtime_error(std::string("no GPU: ") + (count == 0 ? "0 devices" : first.driver.error_text(-count)));
    }
    check_gpu(first.driver, first.timer.l2_bytes(&l2_bytes), "cudaDeviceGetAttribute");
    const Lists<DeviceMemory> lists = make_lists(choices, first.driver, n);
    if (lists.footprint < 4 * static_cast<std::size_t>(l2_bytes)) {
        throw std::runtime_error("the lists take " + std::to_string(lists.footprint >> 20U) + " MiB, less than four times the L2 of " +
            std::to_string(l2_bytes >> 20) + " MiB: give more elements");
    }
    const std::size_t copied = lists.footprint / 2 / 256 * 256;
    const DeviceMemory from(first.driver, copied), to(first.driver, copied);
    const std::size_t plans = choices.size(); // and two copies: the runtime's, and a kernel of our own
    const auto seconds = in_turns(plans + 2, runs, 3, [&](std::size_t i) {
        const auto copy = [&] { return first.timer.copy(to.data(), from.data(), copied, static_cast<int>(i - plans)); };
        return i < plans ? launch(choices[i], subjects[i], lists, i, n) : timed(first, "copy", copy);
    });
    for (std::size_t i = 0; i < plans; ++i) {
        choices[i].seconds = seconds[i];
    }
    const std::vector<double>&by_runtime = seconds[plans], &by_kernel = seconds[plans + 1];
    const double copy_rate = static_cast<double>(2 * copied) / std::min(median(by_runtime), median(by_kernel)) * 1e-9;
    nlohmann::ordered_json result = run_record(FUSEC_SOURCE_FOLDER);
    result["gpu"] = {{"name", name.data()}, {"capability", capability}, {"l2_bytes", l2_bytes},
        {"driver", first_line("nvidia-smi --query-gpu=driver_version --format=csv,noheader")}};
    result["compiler"] = nvcc->version.substr(nvcc->version.rfind("release"), 24);
    result["device"] = gpu.device; // that the plans were priced by
    result["program"] = choices.front().compilation.program->name;
    result["n"] = n;
    result["runs"] = runs;
    result["list_megabytes"] = static_cast<double>(lists.footprint) * 1e-6;
    result["copy"] = {{"gb_per_s", copy_rate}, {"runtime_seconds", by_runtime}, {"kernel_seconds", by_kernel}};
    result["largest_relative_difference_of_outputs"] = largest_difference(choices, first.driver, lists, n);
    for (const Choice& choice : choices) {
        auto entry = report(choice);
        entry["of_copy"] = entry["gb_per_s"].get<double>() / copy_rate;
        entry["measured_over_predicted"] = median(choice.seconds) / choice.compilation.plans.front().seconds;
        entry["measured_over_first"] = median(choice.seconds) / median(choices.front().seconds);
        std::cerr << result["program"].get<std::string>() << ' ' << choice.text << ": " << median(choice.seconds) * 1e3 << " ms, "
                  << entry["of_copy"] << " of copy, " << entry["measured_over_predicted"] << " of the prediction, "
                  << entry["measured_over_first"] << " of the first\n";
        result["plans"].push_back(std::move(entry));
    }
    return write_result(argv[1], result);
}

} // namespace
} // namespace fusec::bench

int main(int argc, char** argv) {
    try {
        return fusec::bench::run(argc, argv);
    } catch (const fusec::execute::GpuFailure& failure) {
        std::cerr << "gpu_plans: " << failure.text << '\n';
    } catch (const std::exception& error) {
        std::cerr << "gpu_plans: " << error.what() << '\n';
    }
    return 1;
}
