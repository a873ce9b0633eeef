// SPDX-License-Identifier: Apache-2.0
// What is measured to calibrate a host: programs whose kernels isolate a routine, a transfer or a mix of both.
#pragma once

#include "cli/pipeline.hpp"
#include "execute/timing.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

/// A kernel that is measured, with what is known of it.
struct HostProbe {
    std::string name;            ///< "probe streams: sum"
    std::string group;           ///< the program, or what a generated one is about
    fusion::Candidate candidate; ///< with steps, as the unit has it
    execute::TimedUnit unit;
    bool fitted = true; ///< figures are fitted to its time
};

/// The probes of one calibration. Owns the compilations that the units refer to.
class HostProbes {
public:
    /// Pre: `device` is the host to compile for; `scratch` is a folder to write programs to.
    HostProbes(perfmodel::Device device, Path scratch) : device_(std::move(device)), scratch_(std::move(scratch)) {}

    /// Compiles a program; null after a report. `plan` as `--plan` takes it. `plain`: as if no list were stored in another precision.
    Compilation* compile(const Path& program, const std::string& plan, Precision real, Diagnostics& diagnostics, bool plain = false);
    /// The same for a text.
    Compilation* compile_text(
        const std::string& name, const std::string& text, const std::string& plan, Precision real, Diagnostics& diagnostics);

    /// A kernel, launched for about so many bytes of lists. `cached`: its stores are kept in the caches, whatever the candidate says.
    static HostProbe probe(
        Compilation& compilation, const fusion::Candidate& candidate, const std::string& group, double bytes, bool cached);

private:
    perfmodel::Device device_;
    Path scratch_;
    std::deque<Compilation> compilations_; ///< addresses stay
};

/// A list of which each element is moved.
struct MovedList {
    Type type;
    Storage storage = std::nullopt; ///< in memory
};

/// `R = -L;` for lists of the types: a load, a store, and next to no arithmetic.
std::string transfer_text(const std::vector<MovedList>& lists);
/// Products of 3x3 matrices in a chain: two lists in, one out, and `products` times the arithmetic between.
std::string chain_text(int products);
/// Squares of the components of so many lists, of 12 words in all, added up to a scalar: bytes and mix stay, whatever the number. Pre: `lists` divides 12.
std::string squares_text(int lists);
/// A sum of two square matrices of doubles: of many rows, lists that go through memory of the kernel's own.
std::string sum_text(int rows);

} // namespace fusec::cli
