// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/device_figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <sstream>

namespace fusec::perfmodel {

namespace {

using For = Field::For;

template <int fusion::DeviceLimits::* Member>
double limit_of(const Device& device) {
    return device.limits.*Member;
}
template <int fusion::DeviceLimits::* Member>
void limit(Device& device, double value) {
    device.limits.*Member = static_cast<int>(value);
}

template <double Device::* Member>
double speed_of(const Device& device) {
    return device.*Member;
}
template <double Device::* Member>
void speed(Device& device, double value) {
    device.*Member = value;
}

template <StreamLaw Device::* Law, double StreamLaw::* Member>
double stream_of(const Device& device) {
    return device.*Law.*Member;
}
template <StreamLaw Device::* Law, double StreamLaw::* Member>
void stream(Device& device, double value) {
    device.*Law.*Member = value;
}

template <OperationSlots FunctionSlots::* Precision, double OperationSlots::* Member>
double slots_of(const Device& device) {
    return device.function_slots.*Precision.*Member;
}
template <OperationSlots FunctionSlots::* Precision, double OperationSlots::* Member>
void slots(Device& device, double value) {
    device.function_slots.*Precision.*Member = value;
}

using fusion::DeviceLimits;
constexpr Field fields[] = {
    // {key, unit, target, least, most, whole, required, get, set, power of 2}
    {"limits.arch", "compute capability * 10", For::cuda, 0, 999, true, true, limit_of<&DeviceLimits::arch>, limit<&DeviceLimits::arch>},
    {"limits.warp_size", "threads", For::cuda, 32, 64, true, true, limit_of<&DeviceLimits::warp_size>, limit<&DeviceLimits::warp_size>},
    {"limits.threads_per_block", "threads", For::cuda, 32, 1024, true, true, limit_of<&DeviceLimits::threads_per_block>,
        limit<&DeviceLimits::threads_per_block>},
    {"limits.threads_per_sm", "threads", For::cuda, 32, 65536, true, true, limit_of<&DeviceLimits::threads_per_sm>,
        limit<&DeviceLimits::threads_per_sm>},
    {"limits.blocks_per_sm", "blocks", For::cuda, 1, 256, true, true, limit_of<&DeviceLimits::blocks_per_sm>,
        limit<&DeviceLimits::blocks_per_sm>},
    {"limits.registers_per_sm", "registers", For::cuda, 1024, 1 << 24, true, true, limit_of<&DeviceLimits::registers_per_sm>,
        limit<&DeviceLimits::registers_per_sm>},
    {"limits.registers_per_thread", "registers", For::cuda, 16, 1024, true, true, limit_of<&DeviceLimits::registers_per_thread>,
        limit<&DeviceLimits::registers_per_thread>},
    {"limits.shared_bytes_per_block", "bytes", For::cuda, 1, 1 << 26, true, true, limit_of<&DeviceLimits::shared_bytes_per_block>,
        limit<&DeviceLimits::shared_bytes_per_block>},
    {"limits.shared_bytes_per_sm", "bytes", For::cuda, 1, 1 << 26, true, true, limit_of<&DeviceLimits::shared_bytes_per_sm>,
        limit<&DeviceLimits::shared_bytes_per_sm>},
    {"limits.shared_bytes_reserved", "bytes per block", For::cuda, 0, 1 << 26, true, true, limit_of<&DeviceLimits::shared_bytes_reserved>,
        limit<&DeviceLimits::shared_bytes_reserved>},
    {"limits.register_granule", "registers per warp", For::cuda, 1, 65536, true, false, limit_of<&DeviceLimits::register_granule>,
        limit<&DeviceLimits::register_granule>},
    {"limits.register_partitions", "partitions", For::cuda, 1, 64, true, false, limit_of<&DeviceLimits::register_partitions>,
        limit<&DeviceLimits::register_partitions>},
    {"limits.shared_granule", "bytes", For::cuda, 1, 65536, true, false, limit_of<&DeviceLimits::shared_granule>,
        limit<&DeviceLimits::shared_granule>},
    {"limits.sm_count", "multiprocessors", For::cuda, 1, 4096, true, true, limit_of<&DeviceLimits::sm_count>,
        limit<&DeviceLimits::sm_count>},
    {"limits.vector_bytes", "bytes", For::host, 16, 256, true, true, limit_of<&DeviceLimits::vector_bytes>,
        limit<&DeviceLimits::vector_bytes>, true},
    {"speed.cores", "cores", For::host, 1, 65536, true, true, [](const Device& device) { return static_cast<double>(device.cores); },
        [](Device& device, double value) { device.cores = static_cast<int>(value); }},
    {"speed.clock", "GHz", For::both, 1e-3, 1e3, false, true, speed_of<&Device::clock_ghz>, speed<&Device::clock_ghz>},
    {"speed.l2_bytes", "bytes", For::both, 1, 1e15, false, true, speed_of<&Device::l2_bytes>, speed<&Device::l2_bytes>},
    {"speed.l2", "GB/s", For::both, 1e-3, 1e9, false, true, speed_of<&Device::l2_gb_per_s>, speed<&Device::l2_gb_per_s>},
    {"speed.dram", "GB/s", For::both, 1e-3, 1e9, false, true, speed_of<&Device::dram_gb_per_s>, speed<&Device::dram_gb_per_s>},
    {"speed.fma_f32", "fma per clock", For::both, 1e-3, 1e9, false, true, speed_of<&Device::fma_f32>, speed<&Device::fma_f32>},
    {"speed.fma_f64", "fma per clock", For::both, 1e-3, 1e9, false, true, speed_of<&Device::fma_f64>, speed<&Device::fma_f64>},
    {"speed.special", "operations per clock", For::both, 1e-3, 1e9, false, true, speed_of<&Device::special>, speed<&Device::special>},
    {"speed.issue_slots", "instructions per clock", For::both, 1e-3, 1024, false, true, speed_of<&Device::issue_slots>,
        speed<&Device::issue_slots>},
    {"speed.shared_wavefronts", "128-byte passes per clock", For::cuda, 1e-3, 1e9, false, true, speed_of<&Device::shared_wavefronts>,
        speed<&Device::shared_wavefronts>},
    {"speed.launch", "us", For::both, 0, 1e6, false, true, speed_of<&Device::launch_us>, speed<&Device::launch_us>},
    {"speed.block_turnaround", "ns", For::cuda, 1e-3, 1e9, false, true, speed_of<&Device::block_turnaround_ns>,
        speed<&Device::block_turnaround_ns>},
    {"speed.dram_latency", "ns", For::cuda, 1e-3, 1e9, false, true, speed_of<&Device::dram_latency_ns>, speed<&Device::dram_latency_ns>},
    {"speed.shared_latency", "cycles", For::cuda, 1e-3, 1e9, false, true, speed_of<&Device::shared_latency_cycles>,
        speed<&Device::shared_latency_cycles>},
    {"speed.overlap_exponent", "exponent", For::both, 1, 64, false, true, speed_of<&Device::overlap_exponent>,
        speed<&Device::overlap_exponent>},
    {"stream.read.tau", "ns", For::cuda, 1e-3, 1e9, false, true, stream_of<&Device::read, &StreamLaw::tau_ns>,
        stream<&Device::read, &StreamLaw::tau_ns>},
    {"stream.read.c", "ns", For::cuda, 0, 1e9, false, true, stream_of<&Device::read, &StreamLaw::c_ns>,
        stream<&Device::read, &StreamLaw::c_ns>},
    {"stream.read.peak", "GB/s", For::both, 1e-3, 1e9, false, true, stream_of<&Device::read, &StreamLaw::peak_gb_per_s>,
        stream<&Device::read, &StreamLaw::peak_gb_per_s>},
    {"stream.write.tau", "ns", For::cuda, 1e-3, 1e9, false, true, stream_of<&Device::write, &StreamLaw::tau_ns>,
        stream<&Device::write, &StreamLaw::tau_ns>},
    {"stream.write.c", "ns", For::cuda, 0, 1e9, false, true, stream_of<&Device::write, &StreamLaw::c_ns>,
        stream<&Device::write, &StreamLaw::c_ns>},
    {"stream.write.peak", "GB/s", For::both, 1e-3, 1e9, false, true, stream_of<&Device::write, &StreamLaw::peak_gb_per_s>,
        stream<&Device::write, &StreamLaw::peak_gb_per_s>},
    {"stream.copy.tau", "ns", For::cuda, 1e-3, 1e9, false, true, stream_of<&Device::copy, &StreamLaw::tau_ns>,
        stream<&Device::copy, &StreamLaw::tau_ns>},
    {"stream.copy.c", "ns", For::cuda, 0, 1e9, false, true, stream_of<&Device::copy, &StreamLaw::c_ns>,
        stream<&Device::copy, &StreamLaw::c_ns>},
    {"stream.copy.peak", "GB/s", For::both, 1e-3, 1e9, false, true, stream_of<&Device::copy, &StreamLaw::peak_gb_per_s>,
        stream<&Device::copy, &StreamLaw::peak_gb_per_s>},
    {"stream.mixed.tau", "ns", For::cuda, 1e-3, 1e9, false, true, stream_of<&Device::mixed, &StreamLaw::tau_ns>,
        stream<&Device::mixed, &StreamLaw::tau_ns>},
    {"stream.mixed.c", "ns", For::cuda, 0, 1e9, false, true, stream_of<&Device::mixed, &StreamLaw::c_ns>,
        stream<&Device::mixed, &StreamLaw::c_ns>},
    {"stream.mixed.peak", "GB/s", For::both, 1e-3, 1e9, false, true, stream_of<&Device::mixed, &StreamLaw::peak_gb_per_s>,
        stream<&Device::mixed, &StreamLaw::peak_gb_per_s>},
    // Measured on single devices; else of counted opcodes (Device::function_slots), or the constants of Device.
    {"operation.division_f32", "FMA slots", For::cuda, 1, 1e4, false, false, slots_of<&FunctionSlots::f32, &OperationSlots::division>,
        slots<&FunctionSlots::f32, &OperationSlots::division>},
    {"operation.square_root_f32", "FMA slots", For::cuda, 1, 1e4, false, false, slots_of<&FunctionSlots::f32, &OperationSlots::square_root>,
        slots<&FunctionSlots::f32, &OperationSlots::square_root>},
    {"operation.transcendental_f32", "FMA slots", For::cuda, 1, 1e4, false, false,
        slots_of<&FunctionSlots::f32, &OperationSlots::transcendental>, slots<&FunctionSlots::f32, &OperationSlots::transcendental>},
    {"operation.division_f64", "FMA slots", For::cuda, 1, 1e4, false, false, slots_of<&FunctionSlots::f64, &OperationSlots::division>,
        slots<&FunctionSlots::f64, &OperationSlots::division>},
    {"operation.square_root_f64", "FMA slots", For::cuda, 1, 1e4, false, false, slots_of<&FunctionSlots::f64, &OperationSlots::square_root>,
        slots<&FunctionSlots::f64, &OperationSlots::square_root>},
    {"operation.transcendental_f64", "FMA slots", For::cuda, 1, 1e4, false, false,
        slots_of<&FunctionSlots::f64, &OperationSlots::transcendental>, slots<&FunctionSlots::f64, &OperationSlots::transcendental>},
    {"speed.launch_overhead", "us", For::cuda, 1e-3, 1e3, false, false, speed_of<&Device::launch_overhead_us>,
        speed<&Device::launch_overhead_us>},
    {"speed.block_dispatch", "ns", For::cuda, 1e-3, 1e3, false, false, speed_of<&Device::block_dispatch_ns>,
        speed<&Device::block_dispatch_ns>},
    {"speed.barrier", "cycles", For::cuda, 0, 1e4, false, false, speed_of<&Device::barrier_cycles>, speed<&Device::barrier_cycles>},
    {"speed.barrier_per_warp", "cycles", For::cuda, 0, 1e4, false, false, speed_of<&Device::barrier_cycles_per_warp>,
        speed<&Device::barrier_cycles_per_warp>},
    // Needed by single predictors, each of which names them (predictor.hpp).
    {"latency.arithmetic_f32", "cycles", For::cuda, 1, 1e4, false, false, nullptr, nullptr},
    {"latency.arithmetic_f64", "cycles", For::cuda, 1, 1e4, false, false, nullptr, nullptr},
    {"latency.integer", "cycles", For::cuda, 1, 1e4, false, false, nullptr, nullptr},
    {"latency.special", "cycles", For::cuda, 1, 1e4, false, false, nullptr, nullptr},
    {"latency.l1", "cycles", For::cuda, 1, 1e5, false, false, nullptr, nullptr},
    {"latency.l2", "cycles", For::cuda, 1, 1e5, false, false, nullptr, nullptr},
    {"hong-kim.mem_ld", "cycles", For::cuda, 1, 1e6, false, false, nullptr, nullptr},
    {"hong-kim.departure_coalesced", "cycles", For::cuda, 1e-3, 1e6, false, false, nullptr, nullptr},
    {"hong-kim.departure_uncoalesced", "cycles", For::cuda, 1e-3, 1e6, false, false, nullptr, nullptr},
    {"hong-kim.issue_cycles", "cycles", For::cuda, 1e-3, 1e4, false, false, nullptr, nullptr},
    {"hong-kim.amd_cost", "cycles", For::cuda, 1e-3, 1e4, false, false, nullptr, nullptr},
    {"staircase.ta", "ps", For::cuda, -1e9, 1e9, false, false, nullptr, nullptr},
    {"staircase.tb", "ps", For::cuda, -1e9, 1e9, false, false, nullptr, nullptr},
    {"wave.uncoalesced_latency", "cycles", For::cuda, 1, 1e6, false, false, nullptr, nullptr},
    {"wave.uncoalesced_band", "GB/s", For::cuda, 1e-3, 1e9, false, false, nullptr, nullptr},
    {"wave.l1_share", "share", For::cuda, 0, 1, false, false, nullptr, nullptr},
    {"wave.l2_share", "share", For::cuda, 0, 1, false, false, nullptr, nullptr},
    {"wave.launch_per_block", "ns", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_per_warp", "ns", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x1_1", "ns", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x1_4", "ns", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x1_8", "ns", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x1_32", "ns", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x2_1", "us", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x2_4", "us", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x2_8", "us", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.launch_x2_32", "us", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"wave.integer_rate", "operations per clock", For::cuda, 1e-3, 1e9, false, false, nullptr, nullptr},
    {"pipeline.launch", "us", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"pipeline.launch_per_thread", "ps", For::cuda, 0, 1e6, false, false, nullptr, nullptr},
    {"pipeline.memory_capacity", "128-byte accesses", For::cuda, 1, 1e6, false, false, nullptr, nullptr},
    {"pipeline.correction_intercept", "ln of a ratio", For::cuda, -100, 100, false, false, nullptr, nullptr},
    {"pipeline.correction_launch", "exponent", For::cuda, -100, 100, false, false, nullptr, nullptr},
    {"pipeline.correction_cycles", "exponent", For::cuda, -100, 100, false, false, nullptr, nullptr},
    {"pipeline.correction_uncoalesced", "exponent", For::cuda, -100, 100, false, false, nullptr, nullptr},
    {"pipeline.correction_blocks", "exponent", For::cuda, -100, 100, false, false, nullptr, nullptr},
    {"speed.l3_bytes", "bytes", For::host, 1, 1e15, false, false, nullptr, nullptr},
    {"speed.l3", "GB/s", For::host, 1e-3, 1e9, false, false, nullptr, nullptr},
    {"stream.lists", "share", For::host, 0.71, 1, false, false, nullptr, nullptr},
    {"compute.window", "instructions", For::host, 1, 1e6, false, false, nullptr, nullptr},
    {"compute.pacing", "share", For::host, 0.5, 1, false, false, nullptr, nullptr},
    {"compute.overlap", "exponent", For::host, 1, 1e3, false, false, nullptr, nullptr},
    {"compute.first_level", "bytes", For::host, 1, 1e9, false, false, nullptr, nullptr},
    {"benchmark.remap", "ns per element", For::both, 0, 1e6, false, false, nullptr, nullptr},
};

std::string number(double value) {
    std::ostringstream text;
    text << std::setprecision(12) << value;
    return std::move(text).str();
}

} // namespace

bool Field::serves(fusion::Target of) const {
    return target == For::both || (target == For::cuda) == (of == fusion::Target::cuda);
}

bool Field::possible(double value) const {
    return value >= least && value <= most && (!whole || value == std::floor(value)) &&
        (!power_of_two || std::has_single_bit(static_cast<std::uint64_t>(value)));
}

std::span<const Field> device_fields() {
    return fields;
}

const Field* find_field(std::string_view key, fusion::Target target) {
    const auto field = std::find_if(std::begin(fields), std::end(fields), [&](const Field& f) { return key == f.key && f.serves(target); });
    return field == std::end(fields) ? nullptr : field;
}

void store(const Field& field, Device& device, double value) {
    if (field.set != nullptr) {
        field.set(device, value);
    } else {
        device.optional_figures[field.key] = value;
    }
}

bool store(const Figure& figure, const Span& place, Device& device, Diagnostics& diagnostics) {
    const Field* field = find_field(figure.key, device.limits.target);
    if (field == nullptr) {
        std::vector<std::string> known;
        for (const Field& f : device_fields()) {
            if (f.serves(device.limits.target)) {
                known.emplace_back(f.key);
            }
        }
        const std::string guess = nearest(figure.key, known);
        Diagnostic& report = diagnostics.report(kind::unknown_figure, place,
            "no figure of a " + std::string(device.limits.target == fusion::Target::cuda ? "cuda" : "host") + " device is named `" +
                figure.key + "`");
        report.hint = guess.empty() ? "" : "did you mean `" + guess + "`?";
        return false;
    }
    if (figure.unit != field->unit) {
        diagnostics.report(
            kind::invalid_figure, place, "`" + figure.key + "` is in `" + figure.unit + "`, needed in `" + field->unit + "`");
        return false;
    }
    if (!field->possible(figure.value)) {
        const std::string what = field->power_of_two ? "a power of 2" : field->whole ? "a whole number" : "a number";
        diagnostics.report(kind::invalid_figure, place,
            "`" + figure.key + "` is " + number(figure.value) + ", needed " + what + " from " + number(field->least) + " to " +
                number(field->most));
        return false;
    }
    store(*field, device, figure.value);
    return true;
}

void check_complete(const std::vector<std::pair<std::string, Span>>& given, Diagnostics& diagnostics) {
    for (const auto& [together, hint] :
        {std::pair{"pipeline.correction_", "the correction of `pipeline` has five figures, all of them or none"},
            {"wave.launch_x", "the lines of a launch of `wave` are those of four sizes of block, two figures each: all of them or none"},
            {"speed.l3", "of the last level a host has two figures, what it holds and how fast it is read: both or neither"}}) {
        const auto first = std::ranges::find_if(given, [&](const auto& each) { return each.first.starts_with(together); });
        if (first == given.end()) {
            continue;
        }
        for (const Field& field : fields) {
            const std::string_view key = field.key;
            if (key.starts_with(together) && std::ranges::none_of(given, [&](const auto& each) { return each.first == key; })) {
                diagnostics.report(kind::missing_figure, first->second, "`" + first->first + "` without `" + std::string(key) + "`").hint =
                    hint;
                break;
            }
        }
    }
}

std::optional<double> figure(const Device& device, std::string_view key) {
    const Field* field = find_field(key, device.limits.target);
    if (field == nullptr) {
        return std::nullopt;
    }
    if (field->get != nullptr) {
        return field->get(device);
    }
    const auto found = device.optional_figures.find(key);
    return found == device.optional_figures.end() ? std::nullopt : std::optional(found->second);
}

bool set_figure(Device& device, std::string_view key, double value) {
    const Field* field = find_field(key, device.limits.target);
    if (field == nullptr || !field->possible(value)) {
        return false;
    }
    store(*field, device, value);
    return true;
}

} // namespace fusec::perfmodel
