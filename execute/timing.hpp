// SPDX-License-Identifier: Apache-2.0
// How long generated host code takes on this machine: units are built as a user builds them, then launched in turns, so that what disturbs
// the machine disturbs all of them. Before a sample of one launch no cache holds any of its lists (eviction.hpp), but those of units that are meant to
// find them there; a sample of several launches has one of its own before it. A child process does it: generated code that faults ends the child only.
#pragma once

#include "codegen/kernel_ir.hpp"
#include "dag/call_graph.hpp"
#include "elementary-lib/catalog.hpp"
#include "execute/compiler.hpp"

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

namespace fusec::execute {

class TimedTexts;

/// A unit of a program (codegen::lower) and how many elements it is launched for. Units of several programs may be timed together.
struct TimedUnit {
    codegen::Unit unit; ///< for the host; its name does not matter
    const dag::CallGraph* graph = nullptr;
    const library::Catalog* catalog = nullptr;
    std::uint64_t elements = 0; ///< > 0
    int repeated = 0;           ///< > 0: launches compute each call so often (codegen::emit_repeated)
    bool chained = false;       ///< repeated: each call waits for the one before, where it can (codegen::can_chain)
    bool cached = false; ///< its lists are meant to lie in the caches: each sample has a launch before it, and nothing is dropped from them
    /// A sample is one launch, and its elements are launched a piece of about TimingSetup::piece_seconds after the other, each timed. For units of one
    /// kernel: of several, what one leaves in the caches for the next would be another share.
    bool in_pieces = false;
    std::size_t launches = 0; ///< in a row, of a sample; 0: as many as TimingSetup::sample_seconds says
    std::size_t pieces = 0;   ///< of a launch that is in pieces; 0: as many as that
};

struct TimingSetup {
    HostCompiler compiler;
    std::filesystem::path cache;
    std::filesystem::path library_folder; ///< holds runtime/
    unsigned jobs = 2;                    ///< translation units compiled at a time
    std::size_t batch = 0;                ///< most texts per translation unit; 0: as texts_per_translation_unit says
    std::size_t rounds = 7;               ///< samples of each unit
    std::size_t warm_up = 1;              ///< rounds before that do not count
    std::size_t first_round = 0;          ///< the number of the first of them: in rounds of other numbers lists lie at other places
    double sample_seconds = 1e-3;         ///< a sample is as many launches in a row as take so long, at least one
    double piece_seconds = 5e-4;          ///< of the pieces of a launch
    std::uint64_t seed = 1;               ///< of the inputs
    /// Called with the share that is done, from 0 to 1; partly from the child.
    std::function<void(double)> progress = {};
};

/// The setup of a part of the work, whose progress is from `from` to `to` of the whole.
TimingSetup telling_share(const TimingSetup& setup, double from, double to);

/// Bytes of all lists and uniforms that the units use; each datum of a program has one list, as long as the unit with the most elements
/// needs, whichever units use it.
double timing_bytes(const std::vector<TimedUnit>& units);
/// What these take of memory: lists that are not `cached` lie in huge pages, where the system has them, from their beginning to their end.
double timing_memory(const std::vector<TimedUnit>& units);

struct UnitTimes {
    std::vector<double> seconds; ///< of one launch, in each round
    std::size_t launches = 1;    ///< in a row, of a sample; more than one finds in the caches what the one before has left there
    std::vector<double> pieces;  ///< of each piece of a launch, or of the launch that is not in pieces, the least seconds of all rounds

    /// What a launch takes that nothing disturbs: the least that each piece took, all together. What else a machine does only adds to a time, and so
    /// does a placement of the lists that makes loads wait for stores: each round has another one, and the least is that of the placements that were
    /// had, too. Where another virtual machine works on the same core every few milliseconds, no launch of twenty is undisturbed, and pieces are.
    double undisturbed() const { return std::accumulate(pieces.begin(), pieces.end(), 0.0); }
    /// Takes in what earlier rounds of the same unit have found. Pre: as many launches and pieces.
    void add(const UnitTimes& earlier);
};

/// For each unit the seconds of one launch, in each round: the time of a sample divided by its launches, or of its pieces together. In each round lists lie at other
/// places of their pages. Lists hold random values within the domains of the program, intermediates what the reference computes of them,
/// sixty-four elements again and again.
/// Reports `memory-limit` where the lists do not fit this machine, `host-compile-failed` and the like, and `timing-failed` where a launch
/// faults, refuses its arguments or does not compute what the reference does. Uses OpenMP in the child alone.
/// Pre: can_evict(), but where all units are `cached`.
std::optional<std::vector<UnitTimes>> time_units(const std::vector<TimedUnit>& units, const TimingSetup& setup, Diagnostics& diagnostics);
/// The same of units whose texts are compiled (timed_texts.hpp).
std::optional<std::vector<UnitTimes>> time_units(
    const std::vector<TimedUnit>& units, const TimedTexts& compiled, const TimingSetup& setup, Diagnostics& diagnostics);

/// The same of groups of units, whose lists are in memory one group at a time: `passes` times over all groups, each time for a share of the rounds, the
/// first time with the rounds to warm up. Memory that is slower for a minute is slower for a share of every unit's samples then, not for all of one
/// group's. Pre: passes > 0; no more passes than rounds.
std::optional<std::vector<std::vector<UnitTimes>>> time_in_passes(const std::vector<std::vector<TimedUnit>>& groups,
    const TimedTexts& compiled, std::size_t passes, const TimingSetup& setup, Diagnostics& diagnostics);

} // namespace fusec::execute
