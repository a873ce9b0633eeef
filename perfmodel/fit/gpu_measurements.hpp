// SPDX-License-Identifier: Apache-2.0
// What the probes of `fusec calibrate --target cuda` have measured on a GPU (perfmodel/probes/cuda), as they write it:
//
//     {"schema": 5, "kind": "gpu-measurements", "name": "node7", "base": "h200", "description": "...", "date": "...", "machine": "NVIDIA H200",
//      "commit": "...", "arch": 90, "multiprocessors": 132, "l2_bytes": 52428800, "driver": 13000, "runtime": 13000,
//      "peak_clock_ghz": 1.98, "memory_clock_ghz": 3.201,
//      "rows": [{"probe": "stream", "kernel": "read", "block": 256, "resident": 8, "elements": 26214400, "seconds": 5.1e-5,
//                "clock_ghz": 1.97, "clock": "load"}]}
//
// `description` is there where `base` does not come with the compiler (calibration.hpp). Clocks of the file are what the driver says (0: it
// does not), that of a row is the multiprocessors' while further launches of what was measured were under way ("load"), or behind the
// measurement ("idle"). Its other keys are those of its probe; a `kernel`, one that the compiler emitted, has its work too
// (kernel_work_json.hpp), and `counted` where that is as the compiler of a commit counted that is not the one of the other works
// (bench/gpu_recount.py). docs/measured-gpus.md, "Probes of a GPU", says what each probe measures.
#pragma once

#include "fusion/cost_model.hpp"
#include "support/diagnostics.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct ProbeRow {
    std::string probe;
    std::map<std::string, std::string, std::less<>> texts;
    std::map<std::string, double, std::less<>> numbers;
    Span span = {};                                           ///< in the file it was read from
    std::shared_ptr<const fusion::KernelWork> work = nullptr; ///< of a `kernel`: what was measured, as the compiler knew it; of others null

    /// Pre: a key of the probe, else InternalError.
    const std::string& text(std::string_view key) const { return member(texts, key); }
    double number(std::string_view key) const { return member(numbers, key); }
    /// Whether its clock is that of multiprocessors that did what was measured.
    bool has_clock_under_load() const {
        const auto found = texts.find("clock");
        return found != texts.end() && found->second == "load";
    }

private:
    template <class Map>
    static const typename Map::mapped_type& member(const Map& map, std::string_view key) {
        const auto found = map.find(key);
        internal_check(found != map.end(), "a row of a probe without the key that is read");
        return found->second;
    }
};

struct GpuMeasurements {
    std::string name, base, date, machine, commit;
    int arch = 0; ///< compute capability * 10
    int multiprocessors = 0;
    double l2_bytes = 0;
    std::vector<ProbeRow> rows;
    SourcePtr description = nullptr; ///< text of the base; null: it comes with the compiler

    std::vector<const ProbeRow*> of(std::string_view probe) const;
};

/// Raised with every change of what the probes write, the keys of a kernel's work (kernel_work_json.cpp) included; probe.cu writes it.
/// 2: files of before may have a key `words` in steps of work. 3: work has `allocated_bytes` in place of `streaming_stores`, accesses have `registers`
/// and `converted`. 4: `description` of a base that does not come with the compiler, clocks of the driver, `clock_ghz` in every row. 5: `clock` in every
/// row, the probe `arguments`, more operations of `pipe`.
inline constexpr int gpu_measurements_schema = 5;
/// What was measured with it is read too: its clocks are "idle".
inline constexpr int oldest_gpu_measurements_schema = 4;
inline constexpr const char* gpu_measurements_kind = "gpu-measurements";

/// Reports `invalid-measurement` at the place of the first value that is wrong: no JSON (as of a run that was stopped), another schema, an unknown
/// probe, a text that its probe does not write (the space of a chase, the mode of a launch), a key that it does not have or lacks, no versions, a time or a clock that is not positive (or beyond 1e-15 to 1e15, where sums of squares overflow), a count that is none, a name that no device can have; a `kernel` in no
/// role, with work that is none or is of another block.
std::optional<GpuMeasurements> read_gpu_measurements(const std::filesystem::path& file, Diagnostics& diagnostics);

/// Probes that are rows of measurements, and the operations of `pipe` and `pair`.
std::vector<std::string> gpu_probe_names();
const std::vector<std::string>& gpu_probe_operations();

/// Whether the file calls itself such measurements, be they complete or not.
bool has_gpu_measurements(const std::filesystem::path& file);

} // namespace fusec::perfmodel
