// SPDX-License-Identifier: Apache-2.0
// Device descriptions: perfmodel/devices/NAME.toml, each figure with its source, plus a calibration when one is given.
#pragma once

#include "fusion/target.hpp"
#include "support/diagnostics.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct RoutineTimes;

/// Parameters of the law under load of a stream mix (docs/model.md, "Composite on a GPU"): inflight = BW*(tau + c*rho/(1-rho)), rho = BW/peak.
struct StreamLaw {
    double tau_ns = 0;
    double c_ns = 0;
    double peak_gb_per_s = 0;
};

/// Slots of the FMA pipe that one operation takes on the path of ordinary arguments, each at least 1. Those that no figure gives are of the
/// opcodes that fusion/instruction_rates.hpp counts; of doubles they agree with 7.5 and 9.6 cycles per warp and multiprocessor measured for
/// division and root on V100, which issues one such instruction per cycle.
struct OperationSlots {
    double division = 1, square_root = 1, transcendental = 1;
};
struct FunctionSlots {
    OperationSlots f32{5, 4, 11}, f64{8, 8, 21};
};

struct Figure {
    std::string key;
    double value = 0;
    std::string unit;
    std::string source;
};

/// Speeds and limits of one device. Rates are per SM and clock unless named otherwise.
struct Device {
    std::string name;
    std::string summary;
    fusion::DeviceLimits limits;
    double clock_ghz = 1; ///< under load
    double l2_bytes = 0;
    double l2_gb_per_s = 0;
    double dram_gb_per_s = 0;                                          ///< data sheet
    StreamLaw read, write, copy, mixed;                                ///< 1:0, 0:1, 1:1, 3:1 read to write
    double fma_f32 = 128, fma_f64 = 64, special = 16, issue_slots = 4; ///< host: per core and clock
    FunctionSlots function_slots;                                      ///< cuda
    double shared_wavefronts = 1;                                      ///< 128-byte passes of the shared-memory and L1 pipe
    double launch_us = 2.4, block_turnaround_ns = 220, dram_latency_ns = 350, shared_latency_cycles = 29;
    double launch_overhead_us =
        0; ///< cuda: from the end of a kernel to the first block of the next, which is queued already; 0: as `launch_us`
    double block_dispatch_ns = 0; ///< cuda: from one block handed out to the next; 0: a clock
    double barrier_cycles = 22,
           barrier_cycles_per_warp = 2; ///< cuda: a block barrier takes these, measured on sm_103 where no figure says so
    double overlap_exponent = 2;        ///< p of the soft maximum
    int cores = 1;                      ///< host
    /// Figures that some predictors need and not every description has, by key: "hong-kim.mem_ld". Units are those of device_figures.cpp.
    std::map<std::string, double, std::less<>> optional_figures;
    std::shared_ptr<const RoutineTimes> routine_times; ///< null: none were measured
    std::vector<Figure> figures; ///< every figure given, with unit and source, in file order (others: assumed_figures)
    std::string calibration;     ///< hash of the calibration that changed figures; empty: none did
};

/// The value of the figure of that key ("speed.launch", "hong-kim.mem_ld"), in the unit that descriptions give it in; nothing if the
/// device has none of that name.
std::optional<double> figure(const Device& device, std::string_view key);
/// Sets it: what a calibration or a fit found in place of what the description says. False, and nothing changed, where no figure of the
/// device's target has that name or the value is not a possible one.
bool set_figure(Device& device, std::string_view key, double value);

/// Loads one description, from a file or from its text; located errors for unknown keys, missing figures, wrong types or a figure without a source.
std::optional<Device> load_device(const std::filesystem::path& file, Diagnostics& diagnostics);
std::optional<Device> load_device(const SourcePtr& source, Diagnostics& diagnostics);
/// Finds NAME among the standard descriptions, or takes a path to a .toml file. Unknown: an error with the known names.
std::optional<Device> find_device(const std::string& name, Diagnostics& diagnostics);
/// The same, where calibrations lend their names too: an unknown name is told beside `known` and what else is possible.
std::optional<Device> find_device(
    const std::string& name, const std::vector<std::string>& known, std::string_view or_else, Diagnostics& diagnostics);
/// Whether a device, and the file of its calibration, may have this name: letters, digits, `-` and `_`, at least one.
bool is_device_name(const std::string& name);
/// Whether a text would end the line, or move the cursor of the terminal, that it is written to.
bool has_control_character(std::string_view text);
/// What to say of a name that is not among `known`: the nearest of them, where one is near, and all.
std::string known_instead(const std::string& name, const std::vector<std::string>& known);
/// The file that find_device reads for a name that it knows or a path.
std::filesystem::path device_file(const std::string& name);
std::vector<std::string> device_names();
std::filesystem::path devices_folder();

} // namespace fusec::perfmodel
