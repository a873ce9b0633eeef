// SPDX-License-Identifier: Apache-2.0
// The texts of what is timed, compiled for this machine.
#pragma once

#include "execute/timing.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace fusec::execute {

/// Texts that are compiled, each once: units launched for other elements or repeated more often have the same. Several share a library, and each
/// is under a name of its own in it.
class TimedTexts {
public:
    struct Text {
        std::filesystem::path library;
        std::string name; ///< of the unit
    };

    /// Compiles the texts of `units` that are not there, `setup.jobs` translation units at a time, and tells `setup.progress` the share that is
    /// done. The library's runtime is included, not embedded, so that a translation unit has it once. False after a report, such as
    /// `host-compile-failed`; what was there stays.
    bool compile(std::span<const TimedUnit> units, const TimingSetup& setup, Diagnostics& diagnostics);

    /// Pre: compiled.
    const Text& of(const TimedUnit& unit) const;

private:
    std::map<std::string, Text> known_; ///< by the text under one name
};

/// How many of so many texts are compiled as one translation unit, `jobs` at a time: 8 to 32, so that each job has four where there are that
/// many; with one job half of them, 8 to 64. The headers of a unit take longer to compile than most kernels do, and of several jobs few long units
/// leave some idle at the end. Pre: jobs > 0.
std::size_t texts_per_translation_unit(std::size_t texts, unsigned jobs);

} // namespace fusec::execute
