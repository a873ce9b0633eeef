// SPDX-License-Identifier: Apache-2.0
#include "cli/host_kernels.hpp"

#include "cli/host_timer.hpp"
#include "execute/candidate_sample.hpp"
#include "fusion/instruction_rates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace fusec::cli {

namespace {

/// Lists to move, one of each kind that names of transfers tell apart.
class MovedLists {
public:
    void add(const Type& type, const Storage& storage) {
        kinds_.try_emplace({in_memory(type, storage).bytes(), fusec::bytes_of(storage.value_or(type.precision)), storage.has_value()},
            MovedList{type, storage});
    }
    /// Of one to so many words; a scalar gives the start-up.
    void add_up_to(int words) {
        for (int n = 1; n <= words; ++n) {
            const Shape shape = shape_of(n);
            add({shape, Precision::f32}, std::nullopt);
            add({shape, Precision::f64}, std::nullopt);
            add({shape, Precision::f64}, Precision::f32);
        }
    }
    void add_all_of(const fusion::Candidate& kernel, const Compilation& c) {
        for (const auto* data : {&kernel.loads, &kernel.stores}) {
            for (const DataId datum : *data) {
                const frontend::Datum& list = c.graph->datum(datum);
                if (!list.type.shape.packed) {
                    add(list.type, list.storage);
                }
            }
        }
    }
    std::vector<MovedList> listed() const {
        std::vector<MovedList> lists;
        for (const auto& [kind, list] : kinds_) {
            lists.push_back(list);
        }
        return lists;
    }

private:
    /// Compilers unroll short loops alone, and a value that a longer one goes through lies in memory: of a matrix a loop over rows and one over
    /// columns, as near to each other as they can be, so that nothing but the transfer takes time.
    static Shape shape_of(int words) {
        int columns = static_cast<int>(std::sqrt(words));
        while (words % columns != 0) {
            --columns;
        }
        const bool unrolled = words <= fusion::longest_unrolled_loop || columns == 1;
        return words == 1 ? Shape{} : unrolled ? Shape{Form::vector, words, 1} : Shape{Form::matrix, words / columns, columns};
    }

    std::map<std::tuple<int, int, bool>, MovedList> kinds_;
};

class Finder {
public:
    Finder(const HostCalibrationOptions& options, HostProbes& probes, Diagnostics& diagnostics)
        : options_(options), probes_(probes), diagnostics_(diagnostics) {}

    std::optional<HostKernels> find(const HostMachine& machine, std::uint64_t seed) {
        if (!compile_sources()) {
            return std::nullopt;
        }
        find_routines(machine);
        if (!compile_transfers() || !find_chains() || !find_squares()) {
            return std::nullopt;
        }
        for (Compilation* c : sums_) {
            found_.fused.push_back({c, c->plans.front().kernels.front(), "probe sums"});
        }
        if (!find_kernels_of_programs(seed)) {
            return std::nullopt;
        }
        return std::move(found_);
    }

private:
    /// Programs of which every call is a kernel.
    bool compile_sources() {
        const Path folder = options_.probes.empty() ? perfmodel::devices_folder().parent_path() / "probes" : options_.probes;
        for (const Precision real : {Precision::f32, Precision::f64}) {
            sources_.push_back(probes_.compile(folder / "routines.fus", "none", real, diagnostics_));
        }
        sources_.push_back(found_.streams = probes_.compile(folder / "streams.fus", "none", Precision::f32, diagnostics_));
        for (const int rows : {6, 7, 8, 10, 12, 16}) {
            sums_.push_back(probes_.compile_text("sum" + std::to_string(rows), sum_text(rows), "none", Precision::f32, diagnostics_));
        }
        sources_.insert(sources_.end(), sums_.begin(), sums_.end());
        of_routines_ = sources_;
        for (const auto* programs : {&options_.programs, &options_.routines}) {
            for (const Path& program : *programs) {
                sources_.push_back(probes_.compile(program, "none", Precision::f32, diagnostics_));
                // Values that a list was converted into lie in memory where a routine is repeated, which in its program they do not.
                of_routines_.push_back(probes_.compile(program, "none", Precision::f32, diagnostics_, true));
            }
        }
        return std::ranges::count(sources_, nullptr) == 0 && std::ranges::count(of_routines_, nullptr) == 0;
    }

    void find_routines(const HostMachine& machine) {
        std::set<std::string> known;
        for (Compilation* c : of_routines_) {
            for (const fusion::Candidate& kernel : c->plans.front().kernels) {
                const auto steps = computing_steps(kernel);
                if (steps.size() == 1 && steps.front()->routine != nullptr && known.insert(*steps.front()->routine).second) {
                    found_.routines.push_back(cached_probe(*c, kernel, c->program->name, cached_bytes(kernel, machine)));
                }
            }
        }
    }

    bool compile_transfers() {
        MovedLists moved;
        moved.add_up_to(options_.widest_list);
        for (const Compilation* c : sources_) {
            for (const fusion::Candidate& kernel : c->plans.front().kernels) {
                moved.add_all_of(kernel, *c);
            }
        }
        found_.transfers = probes_.compile_text("transfers", transfer_text(moved.listed()), "none", Precision::f32, diagnostics_);
        return found_.transfers != nullptr;
    }

    bool find_chains() {
        for (const int products : {1, 2, 3, 4, 6, 8}) {
            Compilation* c =
                probes_.compile_text("chain" + std::to_string(products), chain_text(products), "max", Precision::f32, diagnostics_);
            if (c == nullptr) {
                return false;
            }
            found_.fused.push_back({c, c->plans.front().kernels.front(), chain_group});
        }
        return true;
    }

    bool find_squares() {
        for (const int lists : {1, 2, 4}) {
            Compilation* c =
                probes_.compile_text("squares" + std::to_string(lists), squares_text(lists), "max", Precision::f32, diagnostics_);
            if (c == nullptr) {
                return false;
            }
            found_.fused.push_back({c, c->plans.front().kernels.front(), "probe squares"});
        }
        return true;
    }

    /// Those of their plans, and some of the rest.
    bool find_kernels_of_programs(std::uint64_t seed) {
        for (const Path& program : options_.programs) {
            Compilation* c = probes_.compile(program, "auto", Precision::f32, diagnostics_);
            if (c == nullptr) {
                return false;
            }
            std::vector<fusion::Candidate> kernels = c->plans.front().kernels;
            const auto sample = execute::choose_candidates(*c->space, false, options_.kernels, seed).chosen;
            kernels.insert(kernels.end(), sample.begin(), sample.end());
            for (const fusion::Candidate& kernel : kernels) {
                found_.fused.push_back({c, kernel, c->program->name});
            }
        }
        return true;
    }

    const HostCalibrationOptions& options_;
    HostProbes& probes_;
    Diagnostics& diagnostics_;
    std::vector<Compilation*> sources_, of_routines_, sums_;
    HostKernels found_;
};

} // namespace

std::optional<HostKernels> find_kernels(
    const HostCalibrationOptions& options, const HostMachine& machine, std::uint64_t seed, HostProbes& probes, Diagnostics& diagnostics) {
    return Finder(options, probes, diagnostics).find(machine, seed);
}

double cached_bytes(const fusion::Candidate& kernel, const HostMachine& machine) {
    const double all = 0.5 * machine.l2_bytes * machine.cores;
    const double tile = bytes_of(kernel) * kernel.instances_per_block;
    return all / tile > 2.0 * most_serial_tiles ? all : std::min(0.5 * machine.l2_bytes, tile * most_serial_tiles);
}

HostProbe cached_probe(Compilation& c, const fusion::Candidate& kernel, const std::string& group, double bytes) {
    HostProbe probe = HostProbes::probe(c, kernel, group, bytes, true);
    probe.unit.cached = true;
    return probe;
}

double bytes_of(const fusion::Candidate& candidate) {
    return candidate.work.read_bytes + candidate.work.write_bytes;
}

std::vector<const fusion::WorkStep*> computing_steps(const fusion::Candidate& candidate) {
    std::vector<const fusion::WorkStep*> steps;
    for (const fusion::WorkStep& step : candidate.work.steps) {
        if (step.kind == fusion::WorkStep::Kind::compute && step.instructions > 0) {
            steps.push_back(&step);
        }
    }
    return steps;
}

std::vector<fusion::GlobalAccess> transfers_of(const fusion::Candidate& candidate) {
    std::vector<fusion::GlobalAccess> accesses;
    for (const fusion::WorkStep& step : candidate.work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            if (access.addressing != fusion::Addressing::broadcast) {
                accesses.push_back(access);
            }
        }
    }
    return accesses;
}

} // namespace fusec::cli
