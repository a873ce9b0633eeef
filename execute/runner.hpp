// SPDX-License-Identifier: Apache-2.0
// Runs one loaded unit on many launches and compares everything it may and may not do: results, untouched elements, inputs, memory
// around the lists, return codes.
#pragma once

#include "execute/gpu_driver.hpp"
#include "execute/guarded_list.hpp"
#include "execute/loaded_library.hpp"
#include "execute/process.hpp"
#include "execute/reference.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fusec::execute {

/// A list of a unit's interface, with the values for as many elements as the largest launch needs.
struct RunList {
    std::string name;
    Type type;
    bool uniform = false;
    std::vector<double> values;                        ///< inputs: exact at the type's precision; outputs: the reference
    std::vector<double> bounds;                        ///< outputs: first-order error bounds
    std::optional<std::size_t> updates = std::nullopt; ///< outputs: the input that holds the old values, in the same memory
};

/// A check of a unit with checks.
struct RunCheck {
    std::string text;
    std::vector<double> flags; ///< the reference: per element, not 0 where it fails
};

/// The interface of a unit, in order.
struct RunInterface {
    std::string unit;
    std::vector<RunList> inputs;
    std::vector<RunList> outputs;

    bool is_updated(std::size_t input) const {
        return std::any_of(outputs.begin(), outputs.end(), [&](const RunList& output) { return output.updates == input; });
    }
    /// What a launch gets a pointer for: the name, and whether it is written. Inputs, then outputs that are no updated inputs.
    std::vector<std::pair<std::string, bool>> arguments() const {
        std::vector<std::pair<std::string, bool>> all;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            all.emplace_back(inputs[i].name, is_updated(i));
        }
        for (const RunList& output : outputs) {
            if (!output.updates) {
                all.emplace_back(output.name, true);
            }
        }
        return all;
    }

    std::optional<std::vector<int>> slots =
        std::nullopt;                      ///< bytes per element of each slot of the workspace; nothing: its layout is not known
    std::vector<RunCheck> checks = {};     ///< by number
    double operations = 0;                 ///< arithmetic of the unit for an element, as the library counts it
    std::vector<std::string> entries = {}; ///< program blocks that the text has functions for
};

/// One launch. Lists have `n` elements; `ranged` computes elements first .. first + count - 1 of them with launch_range.
struct RunCase {
    std::size_t n = 0;
    bool ranged = false;
    std::size_t first = 0;
    std::size_t count = 0;
    Placement placement = Placement::at_end;
    int shifted = 0; ///< components by which every list's base is off a multiple of 16 bytes
    emulation::Schedule schedule = emulation::Schedule::forward;
    std::uint64_t seed = 1;
    std::vector<std::size_t> entries = {}; ///< the functions of these program blocks, in this order; empty: NAME_launch
};
/// `n = 65, elements 3..35, bases off by 1 component`
std::string to_string(const RunCase& launch);

/// The launches that a unit whose tiles hold `tile` elements is checked with: n = 0, 1, tile - 1, tile, tile + 1 and more, both
/// placements, shifted bases, ranges, all schedules. `most_elements` says how many elements of values they need.
std::vector<RunCase> standard_cases(int tile, std::uint64_t seed);
/// Each case, and then again with all functions of `blocks` program blocks in order; as they are where there are none.
std::vector<RunCase> with_entries(std::vector<RunCase> cases, std::size_t blocks);
std::size_t most_elements(const std::vector<RunCase>& cases);

/// What went wrong in a unit; at most a few texts per unit are kept.
struct RunReport {
    std::size_t launches = 0;
    std::size_t components = 0; ///< compared with the reference
    double worst_ratio = 0;     ///< largest error over allowed error
    std::size_t faults = 0;
    std::vector<std::string> texts;

    void add(const std::string& text);
    void merge(const RunReport& other);
};

struct RunOptions {
    bool first_fault_only = false;              ///< end with the first launch that has a fault
    double step_seconds = longest_step_seconds; ///< processor time after which a launch of few operations does not end; not on a GPU
};

/// Runs every case and the launches that have to be refused (null and overlapping lists, a workspace that is missing or too small).
/// `device` is the one the library is attached to, or null for host code and for a GPU, whose `driver` is given. Installs a handler
/// for memory faults that ends the process with a text (process.hpp, end_child): call in a child.
RunReport run_unit(const UnitFunctions& functions, const RunInterface& interface, const std::vector<RunCase>& cases,
    const RunOptions& options, emulation::Device* device, const GpuDriver* driver = nullptr);

} // namespace fusec::execute
