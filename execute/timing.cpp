// SPDX-License-Identifier: Apache-2.0
#include "execute/timing.hpp"

#include "codegen/repeated.hpp"
#include "execute/build_folder.hpp"
#include "execute/domains.hpp"
#include "execute/eviction.hpp"
#include "execute/loaded_library.hpp"
#include "execute/process.hpp"
#include "execute/timed_texts.hpp"
#include "execute/timing_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>

namespace fusec::execute {

namespace {

/// Elements of a launch, with their arguments.
struct Piece {
    std::uint64_t first = 0, elements = 0;
    std::vector<void*> arguments;
};

/// A unit that is loaded, with its arguments.
struct Subject {
    UnitFunctions functions;
    std::vector<Piece> pieces;
    std::size_t launches = 1;   ///< of a sample
    int* repetitions = nullptr; ///< of calls in a launch: another unit may have the same text; null: calls are not repeated
    int* chained = nullptr;     ///< beside it: whether they wait for each other
    int repeated = 0;
    bool waits = false;
};

using Texts = std::vector<const TimedTexts::Text*>; ///< of each unit

/// Seconds of a launch of the piece, from so many in a row.
double sample(const Subject& subject, const Piece& piece, Buffer& workspace, std::size_t launches) {
    void* const memory = workspace.size() == 0 ? nullptr : workspace.data();
    if (subject.repetitions != nullptr) {
        *subject.repetitions = subject.repeated;
        *subject.chained = subject.waits ? 1 : 0;
    }
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < launches; ++i) {
        if (subject.functions.launch(piece.arguments.data(), piece.elements, memory, workspace.size(), nullptr) != 0) {
            end_child("a launch refused its arguments");
        }
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(launches);
}

/// How many pieces a launch has that takes so long.
std::size_t pieces_of(std::uint64_t elements, double seconds, double piece_seconds) {
    constexpr std::uint64_t least = 2048; // of a piece: more tiles than a loop on one processor has
    const auto wanted = static_cast<std::uint64_t>(std::clamp(seconds / piece_seconds, 1.0, 1e6));
    return std::max<std::uint64_t>(1, std::min(wanted, elements / least));
}

/// The elements of so many pieces: lists of each begin as those of the whole, in their cache lines and in the values that repeat.
std::vector<Piece> divided(std::uint64_t elements, std::size_t pieces) {
    constexpr std::uint64_t aligned = 64;
    const auto begin = [&](std::size_t piece) { return piece == pieces ? elements : elements * piece / pieces / aligned * aligned; };
    std::vector<Piece> all;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        all.push_back({begin(piece), begin(piece + 1) - begin(piece), {}});
    }
    return all;
}

/// The libraries, from copies of their files, which the system keeps in other pages of memory than the files. Where the pages of a long kernel
/// lie decides what they push out of the caches: the same text has taken twice as long from one file as from a copy of it.
class LibraryCopies {
public:
    /// `number`: of copies that were made in the folder before; no name is used twice, as a library that is loaded by one stays loaded.
    LibraryCopies(const Texts& texts, std::filesystem::path folder, std::size_t& number) : folder_(std::move(folder)), number_(number) {
        std::ranges::transform(texts, std::inserter(libraries_, libraries_.end()), &TimedTexts::Text::library);
    }

    /// By their libraries. All copies stay open, so that none takes the place of one before.
    std::map<std::filesystem::path, const LoadedLibrary*> make() {
        Diagnostics diagnostics;
        std::map<std::filesystem::path, const LoadedLibrary*> made;
        for (const std::filesystem::path& path : libraries_) {
            const std::filesystem::path copy = folder_ / (std::to_string(number_++) + ".so");
            std::error_code error;
            std::filesystem::copy_file(path, copy, error);
            auto library = error ? std::nullopt : LoadedLibrary::open(copy, diagnostics);
            std::filesystem::remove(copy, error);
            if (!library) {
                end_child(diagnostics.all().empty() ? ("a library cannot be copied: " + error.message()).c_str()
                                                    : diagnostics.all().front().message.c_str());
            }
            made[path] = &copies_.emplace_back(std::move(*library));
        }
        return made;
    }

private:
    std::set<std::filesystem::path> libraries_;
    std::filesystem::path folder_;
    std::size_t& number_;
    std::deque<LoadedLibrary> copies_;
};

/// What all groups use, one after the other.
struct Place {
    std::filesystem::path folder; ///< for copies of the libraries
    std::size_t& copies;          ///< how many of them there were
    HugeMemory& memory;
};

/// In a child.
std::vector<UnitTimes> measure(const std::vector<TimedUnit>& units, const Texts& texts, const Place& place, const TimingSetup& setup) {
    Diagnostics diagnostics;
    LibraryCopies copies(texts, place.folder, place.copies);
    auto loaded = copies.make();
    place.memory.give_back();
    TimingLists lists(units, setup.seed, setup.first_round, &place.memory);
    std::vector<Subject> subjects(units.size());
    // Of the copies of the libraries that were loaded last, and of the lists where they lie now.
    const auto prepare = [&](std::size_t i) {
        const auto& [path, name] = *texts[i];
        const LoadedLibrary& library = *loaded.at(path);
        const auto functions = UnitFunctions::find(library, name, diagnostics);
        if (!functions) {
            end_child(diagnostics.all().front().message.c_str());
        }
        subjects[i].functions = *functions;
        if (units[i].repeated > 0) {
            subjects[i].repetitions = static_cast<int*>(library.symbol(codegen::repetitions_name(name)));
            subjects[i].chained = static_cast<int*>(library.symbol(codegen::chained_name(name)));
            subjects[i].repeated = units[i].repeated;
            subjects[i].waits = units[i].chained;
            internal_check(
                subjects[i].repetitions != nullptr && subjects[i].chained != nullptr, "a text of repeated calls does not say how often");
        }
        for (Piece& piece : subjects[i].pieces) {
            piece.arguments = lists.arguments(i, piece.first);
        }
    };
    std::size_t workspace_bytes = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        subjects[i].pieces = divided(units[i].elements, std::max<std::size_t>(1, units[i].pieces));
        prepare(i);
        workspace_bytes = std::max(workspace_bytes, subjects[i].functions.workspace_bytes(units[i].elements));
    }
    Buffer workspace(workspace_bytes);
    // One launch, in pieces or not; the seconds of each.
    const auto launched = [&](std::size_t i, std::size_t launches) {
        std::vector<double> seconds;
        for (const Piece& piece : subjects[i].pieces) {
            seconds.push_back(sample(subjects[i], piece, workspace, launches));
        }
        return seconds;
    };
    const auto check = [&](std::size_t i) {
        lists.restore_updated(i);
        lists.spoil_outputs(i);
        launched(i, 1);
        if (const std::string wrong = lists.wrong_output(i); !wrong.empty()) {
            end_child(wrong.c_str());
        }
        lists.restore_updated(i);
    };
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        check(i);
    }
    const auto evict = [&](std::size_t i) {
        lists.evict(i);
        evict_lines(workspace.data(), workspace.size());
    };
    // One launch before those of a sample brings into the caches what fits there. What a sample wrote is written back behind it, not while the next is timed.
    // Lists that are updated get their old values back before each sample: repeated updates run off to numbers that take their own time.
    const auto timed = [&](std::size_t i) {
        lists.restore_updated(i);
        if (subjects[i].launches > 1 || units[i].cached) {
            launched(i, 1);
        } else {
            evict(i);
        }
        std::vector<double> seconds = launched(i, subjects[i].launches);
        if (!units[i].cached) {
            evict(i);
        }
        return seconds;
    };
    // How many launches a sample takes is found by doubling.
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        if (units[i].in_pieces) {
            if (units[i].pieces == 0) {
                subjects[i].pieces = divided(units[i].elements, pieces_of(units[i].elements, timed(i).front(), setup.piece_seconds));
            }
            continue;
        }
        subjects[i].launches = std::max<std::size_t>(1, units[i].launches);
        // The least of three: a launch that another process held up for a millisecond is not one that takes so long.
        const auto takes = [&] { return timed(i).front() * static_cast<double>(subjects[i].launches); };
        while (units[i].launches == 0 && setup.sample_seconds > 0 && std::min({takes(), takes(), takes()}) < setup.sample_seconds) {
            subjects[i].launches *= 2;
        }
    }
    // What a launch has updated is what others read: in pieces they are compared once all lists have their old values again.
    if (std::ranges::any_of(units, [](const TimedUnit& unit) { return unit.in_pieces && unit.pieces == 0; })) {
        if (lists.any_updated()) {
            lists.place(setup.first_round);
        }
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            prepare(i);
            check(i);
        }
    }
    std::vector<UnitTimes> times;
    for (const Subject& subject : subjects) {
        times.push_back({{}, subject.launches, std::vector<double>(subject.pieces.size(), std::numeric_limits<double>::infinity())});
    }
    for (std::size_t done = 0; done < setup.warm_up + setup.rounds; ++done) {
        const std::size_t round = setup.first_round + done;
        if (done > 0 || lists.any_updated()) { // else the first has them as they lie
            lists.place(round);
        }
        loaded = copies.make();
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            prepare(i);
            Piece few = subjects[i].pieces.front(); // the system maps the text when it is first executed
            few.elements = std::min<std::uint64_t>(few.elements, 256);
            sample(subjects[i], few, workspace, 1);
            if (!units[i].cached) { // all lists are filled anew
                evict(i);
            }
        }
        for (std::size_t k = 0; k < subjects.size(); ++k) {
            // Nobody is always after the same other: from another one on in each round, forwards and backwards in turns.
            const std::size_t at = (k + round) % subjects.size(), i = round % 2 == 0 ? at : subjects.size() - 1 - at;
            const std::vector<double> found = timed(i);
            if (done >= setup.warm_up) {
                times[i].seconds.push_back(std::accumulate(found.begin(), found.end(), 0.0));
                std::ranges::transform(times[i].pieces, found, times[i].pieces.begin(), [](double a, double b) { return std::min(a, b); });
            }
        }
        if (setup.progress) {
            setup.progress(static_cast<double>(done + 1) / static_cast<double>(setup.warm_up + setup.rounds));
        }
    }
    return times;
}

/// What time_in_passes has of so many passes, in a child.
std::vector<std::vector<UnitTimes>> measure_in_passes(const std::vector<std::vector<TimedUnit>>& groups, const std::vector<Texts>& texts,
    std::size_t passes, const std::filesystem::path& folder, const TimingSetup& setup) {
    double most = 0;
    for (const std::vector<TimedUnit>& units : groups) {
        most = std::max(most, timing_memory(units));
    }
    HugeMemory memory(static_cast<std::size_t>(most));
    std::size_t copies = 0;
    std::vector<std::vector<UnitTimes>> all(groups.size());
    const auto share = [&](std::size_t pass, std::size_t group) {
        return static_cast<double>(pass * groups.size() + group) / static_cast<double>(passes * groups.size());
    };
    for (std::size_t pass = 0; pass < passes; ++pass) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            std::vector<TimedUnit> units = groups[g];
            for (std::size_t i = 0; i < all[g].size(); ++i) { // samples of one unit are alike
                units[i].launches = all[g][i].launches;
                units[i].pieces = all[g][i].pieces.size();
            }
            const std::size_t before = setup.rounds * pass / passes;
            TimingSetup part = telling_share(setup, share(pass, g), share(pass, g + 1));
            part.first_round = setup.first_round + before + (pass == 0 ? 0 : setup.warm_up);
            part.warm_up = pass == 0 ? setup.warm_up : 0;
            part.rounds = setup.rounds * (pass + 1) / passes - before;
            std::vector<UnitTimes> times = measure(units, texts[g], {folder, copies, memory}, part);
            for (std::size_t i = 0; i < all[g].size(); ++i) {
                times[i].add(all[g][i]);
            }
            all[g] = std::move(times);
        }
    }
    return all;
}

/// Times as a child sends them: of each unit how many launches a sample has, and pieces; its samples; the least seconds of its pieces.
std::string written(const std::vector<std::vector<UnitTimes>>& groups) {
    std::ostringstream text;
    text.precision(17);
    for (const std::vector<UnitTimes>& group : groups) {
        for (const UnitTimes& times : group) {
            text << times.launches << ' ' << times.pieces.size();
            for (const double each : times.seconds) {
                text << ' ' << each;
            }
            for (const double each : times.pieces) {
                text << ' ' << each;
            }
            text << '\n';
        }
    }
    return std::move(text).str();
}

std::vector<std::vector<UnitTimes>> read(const std::string& sent, const std::vector<std::vector<TimedUnit>>& groups, std::size_t rounds) {
    std::istringstream text(sent);
    std::vector<std::vector<UnitTimes>> all;
    for (const std::vector<TimedUnit>& group : groups) {
        all.emplace_back(group.size(), UnitTimes{std::vector<double>(rounds), 1, {}});
        for (UnitTimes& times : all.back()) {
            std::size_t pieces = 0;
            text >> times.launches >> pieces;
            times.pieces.resize(text ? pieces : 0);
            for (double& each : times.seconds) {
                text >> each;
            }
            for (double& each : times.pieces) {
                text >> each;
            }
        }
    }
    internal_check(bool(text), "a child's times are cut off");
    return all;
}

/// Whether the lists fit this machine.
bool fit(const std::vector<TimedUnit>& units, Diagnostics& diagnostics) {
    if (const double needed = timing_memory(units), available = memory_bytes(); needed > 0.9 * available) {
        constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
        diagnostics.report(kind::memory_limit, {},
            fmt::format("the lists to measure with need {:.1f} GiB, this machine has {:.1f} GiB", needed / gibibyte, available / gibibyte));
        return false;
    }
    return true;
}

} // namespace

void UnitTimes::add(const UnitTimes& earlier) {
    internal_check(pieces.size() == earlier.pieces.size() && launches == earlier.launches, "times of other samples");
    seconds.insert(seconds.begin(), earlier.seconds.begin(), earlier.seconds.end());
    std::ranges::transform(pieces, earlier.pieces, pieces.begin(), [](double a, double b) { return std::min(a, b); });
}

TimingSetup telling_share(const TimingSetup& setup, double from, double to) {
    TimingSetup part = setup;
    if (setup.progress) {
        part.progress = [told = setup.progress, from, to](double share) { told(from + share * (to - from)); };
    }
    return part;
}

std::optional<std::vector<UnitTimes>> time_units(const std::vector<TimedUnit>& units, const TimingSetup& setup, Diagnostics& diagnostics) {
    TimedTexts texts;
    if (!fit(units, diagnostics) || !texts.compile(units, telling_share(setup, 0, 0.5), diagnostics)) {
        return std::nullopt;
    }
    return time_units(units, texts, telling_share(setup, 0.5, 1), diagnostics);
}

std::optional<std::vector<UnitTimes>> time_units(
    const std::vector<TimedUnit>& units, const TimedTexts& compiled, const TimingSetup& setup, Diagnostics& diagnostics) {
    auto times = time_in_passes({units}, compiled, 1, setup, diagnostics);
    return times ? std::optional(std::move(times->front())) : std::nullopt;
}

std::optional<std::vector<std::vector<UnitTimes>>> time_in_passes(const std::vector<std::vector<TimedUnit>>& groups,
    const TimedTexts& compiled, std::size_t passes, const TimingSetup& setup, Diagnostics& diagnostics) {
    internal_check(passes > 0 && passes <= setup.rounds, "passes without a round");
    std::vector<Texts> texts;
    for (const std::vector<TimedUnit>& units : groups) {
        if (!fit(units, diagnostics)) {
            return std::nullopt;
        }
        texts.emplace_back();
        std::ranges::transform(units, std::back_inserter(texts.back()), [&](const TimedUnit& unit) { return &compiled.of(unit); });
    }
    const double longest_seconds = 24.0 * 3600 * static_cast<double>(passes * groups.size()); // of all processors
    const PrivateFolder folder(setup.cache, "timing");
    if (folder.path().empty()) {
        diagnostics.report(kind::timing_failed, {}, "the kernels cannot be timed: no folder can be made in `" + setup.cache.string() + "`");
        return std::nullopt;
    }
    const auto measured = [&] { return written(measure_in_passes(groups, texts, passes, folder.path(), setup)); };
    const ChildResult child = run_children({measured}, 1, longest_seconds).front();
    if (!child.completed) {
        diagnostics.report(
            kind::timing_failed, {}, "the kernels cannot be timed: " + child.text + (child.fault == "ended" ? "" : child.fault));
        return std::nullopt;
    }
    return read(child.text, groups, setup.rounds);
}

} // namespace fusec::execute
