// SPDX-License-Identifier: Apache-2.0
// The probes of `fusec calibrate --target cuda`: measures the GPU it runs on and writes one JSON document to standard output.
// Built and run as README.probes says; `fusec calibrate --import` takes in what it writes.
#include "probe.cuh"

#include "calibration.h" // FUSEC_CALIBRATION_NAME, _BASE, _BY, _ARCH, _MULTIPROCESSORS, _DESCRIPTION

#include <chrono>
#include <ctime>

namespace fusec::probe {

namespace {

bool first_row = true;
std::size_t rows = 0, idle_clocks = 0, wrong_kernels = 0;

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < ' ') {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            result += escape;
            continue;
        }
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c;
    }
    return result + "\"";
}

std::string utc_date() {
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text;
}

__global__ void nothing() {}

__global__ void read_all(const double* list, std::size_t count, double* out) {
    double sum = 0;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x)
        sum += list[i];
    if (sum == 0.5)
        out[0] = sum;
}

__global__ void random_floats(float* list, std::size_t count) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x) {
        unsigned x = static_cast<unsigned>(i) * 2654435761U;
        x ^= x >> 16;
        x *= 2246822519U;
        x ^= x >> 13;
        list[i] = 0.5F + static_cast<float>(x >> 8) * 0x1p-25F;
    }
}

__global__ void fill(double* list, std::size_t count, double value) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x) {
        list[i] = value;
    }
}

void fill_with(double* list, std::size_t count, double value) {
    fill<<<4 * gpu().multiprocessors, 256>>>(list, count, value);
    check(cudaDeviceSynchronize(), "filling a list");
}

int attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
}

Gpu find_gpu() {
    Gpu found;
    int device = 0;
    check(cudaGetDevice(&device), "finding a GPU");
    check(cudaGetDeviceProperties(&found.properties, device), "cudaGetDeviceProperties");
    found.multiprocessors = found.properties.multiProcessorCount;
    found.shared_per_multiprocessor = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    found.shared_per_block = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    found.shared_reserved = static_cast<std::size_t>(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
    return found;
}

/// A fifth of a second of work, after which clocks are those of a busy GPU.
void warm_up() {
    const Buffer list(beyond_cache());
    const auto start = std::chrono::steady_clock::now();
    for (int pass = 0; std::chrono::steady_clock::now() - start < std::chrono::milliseconds(200); ++pass)
        fill_with(list.as<double>(), list.bytes() / sizeof(double), pass);
}

} // namespace

void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "probe: %s: %s\n", what, cudaGetErrorString(status));
        std::exit(1);
    }
}

const Gpu& gpu() {
    static const Gpu found = find_gpu();
    return found;
}

Buffer::Buffer(std::size_t bytes)
    : bytes_(bytes) {
    check(cudaMalloc(&data_, bytes), "memory for a list");
    check(cudaMemset(data_, 0, bytes), "cudaMemset");
}

Buffer::Buffer(std::size_t doubles, double value)
    : bytes_(doubles * sizeof(double)) {
    check(cudaMalloc(&data_, bytes_), "memory for a list");
    fill_with(as<double>(), doubles, value);
}

std::size_t beyond_cache() {
    return std::max<std::size_t>(std::size_t{64} << 20, 4 * static_cast<std::size_t>(gpu().properties.l2CacheSize)) / 4096 * 4096;
}

void flush_cache() {
    static const Buffer other(beyond_cache() / sizeof(double), 1.0), out(sizeof(double));
    read_all<<<4 * gpu().multiprocessors, 256>>>(other.as<double>(), other.bytes() / sizeof(double), out.as<double>());
}

Row::Row(const char* probe, const Clock& clock)
    : line_(std::string("{\"probe\": ") + quoted(probe)), clock_(clock) {}

Row& Row::text(const char* key, const std::string& value) {
    line_ += std::string(", \"") + key + "\": " + quoted(value);
    return *this;
}

Row& Row::number(const char* key, double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    line_ += std::string(", \"") + key + "\": " + text;
    return *this;
}

Row& Row::json(const char* key, const char* value) {
    line_ += std::string(", \"") + key + "\": " + value;
    return *this;
}

Row::~Row() {
    number("clock_ghz", clock_.ghz).text("clock", clock_.under_load ? "load" : "idle");
    std::printf("%s\n    %s}", first_row ? "" : ",", line_.c_str());
    std::fflush(stdout);
    first_row = false;
    ++rows;
    idle_clocks += clock_.under_load ? 0 : 1;
}

double window(const Buffer& cycles, int warps) {
    std::vector<long long> seen(2 * static_cast<std::size_t>(warps));
    check(cudaGetLastError(), "launch of a probe");
    check(cudaMemcpy(seen.data(), cycles.as<long long>(), seen.size() * sizeof(long long), cudaMemcpyDeviceToHost), "running a probe");
    long long first = seen[0], last = seen[1];
    for (std::size_t i = 0; i < seen.size(); i += 2) {
        first = std::min(first, seen[i]);
        last = std::max(last, seen[i + 1]);
    }
    return static_cast<double>(last - first);
}

void fill_floats(const Buffer& list) {
    random_floats<<<4 * gpu().multiprocessors, 256>>>(list.as<float>(), list.bytes() / sizeof(float));
    check(cudaDeviceSynchronize(), "filling a list");
}

namespace {

cudaFuncAttributes attributes_of(const void* kernel) {
    cudaFuncAttributes found{};
    check(cudaFuncGetAttributes(&found, kernel), "cudaFuncGetAttributes");
    return found;
}

} // namespace

int registers_of(const void* kernel) {
    return attributes_of(kernel).numRegs;
}

void allow_shared(const void* kernel) {
    const std::size_t most = gpu().shared_per_block - attributes_of(kernel).sharedSizeBytes;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)), "shared memory of a probe");
}

int spoiler(const void* kernel, int threads, int resident) {
    const Gpu& g = gpu();
    const auto carveout = [&](int percent) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent), "shared memory of a probe");
    };
    allow_shared(kernel);
    carveout(cudaSharedmemCarveoutMaxShared);
    const auto fits = [&](std::size_t bytes) {
        int blocks = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes), "occupancy of a probe");
        return blocks;
    };
    if (fits(0) == resident) {
        carveout(cudaSharedmemCarveoutDefault);
        return 0;
    }
    const std::size_t granule = 128, own = attributes_of(kernel).sharedSizeBytes;
    const std::size_t most = std::min(g.shared_per_block, g.shared_per_multiprocessor / static_cast<std::size_t>(resident) - g.shared_reserved);
    const std::size_t all = most / granule * granule; // what the description counts: the kernel's own is part of it
    return all >= own && fits(all - own) == resident ? static_cast<int>(all - own) : -1;
}

std::vector<int> residents(const void* kernel, int threads) {
    int most = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, threads, 0), "occupancy of a probe");
    if (most == 0) {
        std::fprintf(stderr, "probe: a kernel does not run with %d threads\n", threads);
        std::exit(1);
    }
    std::vector<int> all;
    for (int blocks = 1; blocks < most; blocks *= 2) {
        all.push_back(blocks);
    }
    all.push_back(most);
    return all;
}

void count_wrong_kernel() {
    ++wrong_kernels;
}

namespace detail {

void launch_nothing() {
    nothing<<<1, 32>>>();
}

Events::Events() {
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");
}

Events::~Events() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

double Events::stop() {
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "running a probe");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

} // namespace detail

} // namespace fusec::probe

int main() {
    using namespace fusec::probe;
    const Gpu& g = gpu();
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    const double kilo = 1e-6; // GHz
    const double clock = kilo * attribute(cudaDevAttrClockRate), memory_clock = kilo * attribute(cudaDevAttrMemoryClockRate);
    const int arch = 10 * g.properties.major + g.properties.minor;
    if (arch != FUSEC_CALIBRATION_ARCH || g.multiprocessors != FUSEC_CALIBRATION_MULTIPROCESSORS) {
        std::fprintf(stderr, "probe: this is a %s, sm_%d with %d multiprocessors; %s has sm_%d and %d\n", g.properties.name, arch,
                     g.multiprocessors, FUSEC_CALIBRATION_BASE, FUSEC_CALIBRATION_ARCH, FUSEC_CALIBRATION_MULTIPROCESSORS);
        return 1;
    }
    warm_up();
    const std::string described = quoted(FUSEC_CALIBRATION_DESCRIPTION);
    const std::string description = described.size() > 2 ? "  \"description\": " + described + ",\n" : "";
    std::printf("{\n  \"schema\": 5,\n  \"kind\": \"gpu-measurements\",\n  \"name\": %s,\n  \"base\": %s,\n%s  \"date\": %s,\n"
                "  \"machine\": %s,\n  \"commit\": %s,\n  \"arch\": %d,\n  \"multiprocessors\": %d,\n  \"l2_bytes\": %d,\n"
                "  \"driver\": %d,\n  \"runtime\": %d,\n  \"peak_clock_ghz\": %.9g,\n  \"memory_clock_ghz\": %.9g,\n  \"rows\": [",
                quoted(FUSEC_CALIBRATION_NAME).c_str(), quoted(FUSEC_CALIBRATION_BASE).c_str(), description.c_str(), quoted(utc_date()).c_str(),
                quoted(g.properties.name).c_str(), quoted(FUSEC_CALIBRATION_BY).c_str(), 10 * g.properties.major + g.properties.minor,
                g.multiprocessors, g.properties.l2CacheSize, driver, runtime, clock, memory_clock);
    const struct {
        const char* name;
        void (*run)();
    } groups[] = {{"launches", launches}, {"chases", chases}, {"streams", streams}, {"strides", strides}, {"pipes", pipes}, {"shared memory", shared}, {"overlap", overlap}, {"asynchronous copies", async_copy}, {"emitted kernels", kernels}};
    for (const auto& group : groups) {
        std::fprintf(stderr, "probe: %s\n", group.name);
        group.run();
    }
    std::printf("\n  ]\n}\n");
    std::fprintf(stderr, "probe: %zu measurements\n", rows);
    if (idle_clocks > 0)
        std::fprintf(stderr, "probe: kernels did not run beside each other: the clocks of %zu are those of an idle GPU behind the launches\n", idle_clocks);
    if (wrong_kernels > 0)
        std::fprintf(stderr, "probe: %zu kernels computed something else than the reference, and have no rows\n", wrong_kernels);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && wrong_kernels == 0 ? 0 : 1;
}
