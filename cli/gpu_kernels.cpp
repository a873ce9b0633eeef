// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_kernels.hpp"

#include "cli/host_probes.hpp"
#include "cli/report_text.hpp"
#include "execute/candidate_sample.hpp"
#include "perfmodel/occupancy.hpp"
#include "perfmodel/routine_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace fusec::cli {

using fusion::Candidate;
using fusion::WorkStep;

namespace {

constexpr int generated_programs = 3;
constexpr std::size_t of_generated = 7;   ///< kernels of one; of the last, one less
constexpr std::size_t of_named = 8;       ///< beside those of the plan
constexpr std::size_t most_fronts = 2000; ///< columns whose kernels are asked which routines they use

/// What a kernel computes and moves, as a table of times names it.
std::set<std::string> computed_by(const Candidate& kernel) {
    std::set<std::string> names;
    for (const WorkStep& step : kernel.work.steps) {
        if (const auto name = perfmodel::compute_routine(step)) {
            names.insert(*name);
        }
    }
    return names;
}
std::set<std::string> moved_by(const Candidate& kernel) {
    std::set<std::string> names;
    for (const WorkStep& step : kernel.work.steps) {
        for (const std::string& name : perfmodel::transfer_routines(step)) {
            names.insert(name);
        }
    }
    return names;
}

/// Whether all lists are moved the same way, so that none is slow beside the others. A uniform is no list.
bool moves_lists_alike(const Candidate& kernel) {
    std::set<std::pair<bool, fusion::Addressing>> ways;
    for (const WorkStep& step : kernel.work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            if (access.addressing != fusion::Addressing::broadcast) {
                ways.emplace(access.staged, access.addressing);
            }
        }
    }
    return ways.size() == 1;
}

/// Whether it can be launched again and again, to the same effect.
bool can_be_repeated(const Candidate& kernel, const frontend::CheckedProgram& program) {
    const auto plain = [&](DataId id) {
        return !program.datum(id).flag && !program.datum(id).storage && !program.new_value(id) && !program.old_value(id);
    };
    return std::ranges::all_of(kernel.loads, plain) && std::ranges::all_of(kernel.stores, plain);
}

bool reads_in_place(const Candidate& kernel) {
    return std::ranges::any_of(
        kernel.data, [](const fusion::DatumPlan& plan) { return plan.loaded && plan.placement == fusion::Placement::memory; });
}

/// Implementations of one call as a kernel.
std::vector<Candidate> alone(const Compilation& c, CallId call) {
    const auto column = c.space->find({call}, {c.graph->call(call).result});
    std::vector<Candidate> all = column ? c.space->implementations(*column) : std::vector<Candidate>{};
    std::erase_if(all, [&](const Candidate& kernel) {
        return !can_be_repeated(kernel, *c.program) || perfmodel::resident_blocks(c.device->limits, kernel.work) == 0;
    });
    return all;
}

/// Of kernels, the first at the smallest, at the middle and at the greatest number of elements of a block.
std::vector<Candidate> three_blocks(const std::vector<Candidate>& kernels) {
    std::map<int, const Candidate*> by_size;
    for (const Candidate& kernel : kernels) {
        by_size.try_emplace(kernel.instances_per_block, &kernel);
    }
    std::vector<const Candidate*> sizes;
    for (const auto& [size, kernel] : by_size) {
        sizes.push_back(kernel);
    }
    std::vector<Candidate> chosen;
    for (const std::size_t at : std::set<std::size_t>{0, sizes.size() / 2, sizes.size() - 1}) {
        if (at < sizes.size()) {
            chosen.push_back(*sizes[at]);
        }
    }
    return chosen;
}

class Chooser {
public:
    Chooser(Path device, const fusion::DeviceLimits& limits, Diagnostics& diagnostics)
        : device_(std::move(device)), limits_(limits), diagnostics_(diagnostics) {}

    std::optional<GpuKernels> run(const std::vector<Path>& programs) {
        if (!add_staged() || !add_generated()) {
            return std::nullopt;
        }
        std::vector<const Compilation*> named;
        for (const Path& program : programs) {
            Compilation* c = compile(program, "auto");
            if (c == nullptr) {
                return std::nullopt;
            }
            add_held_out_of_named(*c, program.string());
            find_wanted(*c);
            named.push_back(c);
        }
        if (!named.empty()) {
            add_routines(named);
            if (!add_transfers(named) || !add_remap()) {
                return std::nullopt;
            }
        }
        return std::move(result_);
    }

private:
    Compilation& begin(const std::string& plan) {
        Compilation& c = result_.programs.emplace_back();
        c.options.device = device_.string();
        c.options.plan = plan;
        c.options.with_steps = true;
        return c;
    }
    Compilation* compile(const Path& program, const std::string& plan) {
        Compilation& c = begin(plan);
        c.options.program = program;
        return run_pipeline(c, diagnostics_, "plan") ? &c : nullptr;
    }
    /// A program of the compiler's own. What is said of it is nobody's concern.
    Compilation* compile_text(const std::string& name, const std::string& text) {
        Compilation& c = begin("none");
        c.options.program = name + ".fus";
        Diagnostics own;
        c.source = std::make_shared<SourceText>(c.options.program.string(), text);
        c.ast = frontend::parse(c.source, own);
        const bool good = c.ast != nullptr && run_stages(c, own, "library", "device") && run_stages(c, own, "check", "plan");
        if (!good) {
            diagnostics_.report(kind::target_mismatch, {},
                fmt::format("`{}`, which GPUs are measured with, has no kernels for `{}`: {}", name, device_.string(),
                    own.all().empty() ? "" : own.all().front().message));
        }
        return good ? &c : nullptr;
    }

    GpuKernel kernel(const std::string& role, const std::string& name, const Compilation& c, Candidate candidate) {
        GpuKernel made;
        made.role = role;
        made.name = name;
        made.program = &c;
        made.candidate = std::move(candidate);
        return made;
    }

    /// A product of matrices whose lists are staged, with registers for more and more resident blocks.
    bool add_staged() {
        const Compilation* c = compile_text("staged", "program staged;\nMATRIX4x4 A, B, C;\ninput A, B;\nC = A * B;\nreturn C;\n");
        if (c == nullptr) {
            return false;
        }
        std::vector<Candidate> kernels = alone(*c, CallId(0));
        std::erase_if(kernels, [](const Candidate& kernel) {
            return reads_in_place(kernel) || kernel.shared_bytes == 0 || kernel.order.front().threads != 1 ||
                kernel.threads_per_block != 128;
        });
        if (kernels.empty()) {
            result_.notes.push_back(
                "no product of two matrices stages its lists in blocks of 128 threads: nothing shows how its time goes with the "
                "resident blocks (probe `kernel`, role `occupancy`)");
            return true;
        }
        for (const int registers : {255, 64, 48, 40, 32}) {
            GpuKernel made = kernel("occupancy", fmt::format("product staged, {} registers", registers), *c, kernels.front());
            made.resident_blocks = registers == 255 ? 0 : limits_.registers_per_sm / (registers * made.candidate.threads_per_block);
            made.sweep = true;
            if (made.resident_blocks * made.candidate.threads_per_block <= limits_.threads_per_sm) {
                result_.kernels.push_back(std::move(made));
            }
        }
        return true;
    }

    bool add_generated() {
        for (int seed = 1; seed <= generated_programs; ++seed) {
            const Compilation* c = compile_text(fmt::format("generated_{}", seed), generated_program(seed));
            if (c == nullptr) {
                return false;
            }
            const std::size_t count = of_generated - (seed == generated_programs ? 1U : 0U);
            add_held_out(*c, execute::choose_candidates(*c->space, false, count, static_cast<std::uint64_t>(seed)).chosen, seed);
        }
        return true;
    }

    void add_held_out(const Compilation& c, const std::vector<Candidate>& candidates, int seed) {
        for (const Candidate& candidate : candidates) {
            if (can_be_repeated(candidate, *c.program) && perfmodel::resident_blocks(limits_, candidate.work) > 0) {
                GpuKernel made = kernel("held-out", data_names(candidate.stores, *c.graph), c, candidate);
                made.seed = seed;
                result_.kernels.push_back(std::move(made));
            }
        }
    }

    /// The plan's kernels and a sample of candidates, and a note of those that are left out.
    void add_held_out_of_named(const Compilation& c, const std::string& program) {
        std::vector<Candidate> all = c.plans.front().kernels;
        std::ranges::move(execute::choose_candidates(*c.space, false, of_named, 1).chosen, std::back_inserter(all));
        const std::size_t before = result_.kernels.size();
        add_held_out(c, all, 0);
        if (const std::size_t added = result_.kernels.size() - before; added < all.size()) {
            result_.notes.push_back(
                fmt::format("`{}`: of {} kernels that predictors would be judged by {} are left out: they update a list, raise a "
                            "flag, move lists of another precision, or do not fit the device",
                    program, all.size(), all.size() - added));
        }
    }

    /// Names of all that kernels of the program use.
    void find_wanted(const Compilation& c) {
        const auto want = [&](const Candidate& kernel) {
            wanted_routines_.merge(computed_by(kernel));
            wanted_moves_.merge(moved_by(kernel));
        };
        for (std::size_t call = 0; call < c.graph->calls(); ++call) {
            std::ranges::for_each(alone(c, CallId(call)), want);
        }
        std::ranges::for_each(c.plans.front().kernels, want);
        for (std::size_t column = 0; column < std::min(c.space->columns().size(), most_fronts); ++column) {
            std::ranges::for_each(c.space->front(ColumnId(column)).kept, want);
        }
        if (c.space->columns().size() > most_fronts) {
            result_.notes.push_back(
                fmt::format("`{}`: of {} sets of calls that may be kernels the first {} are looked at: routines and lists that only "
                            "the others use are not timed",
                    c.options.program.string(), c.space->columns().size(), most_fronts));
        }
    }

    /// With shared memory that nobody uses, up to what all of these kernels leave of a block's.
    void add_in_blocks(const std::vector<Candidate>& candidates, const GpuKernel& like) {
        int own = 0;
        for (const Candidate& candidate : candidates) {
            own = std::max(own, candidate.shared_bytes);
        }
        constexpr int granule = 1024;
        const int left = (limits_.shared_bytes_per_block - own) / granule * granule;
        std::set<int> extra{0};
        for (const int part : {8, 3, 1}) {
            extra.insert(left / part / granule * granule);
        }
        for (const Candidate& candidate : candidates) {
            GpuKernel made = like;
            made.candidate = candidate;
            made.extra_shared.assign(extra.begin(), extra.end());
            result_.kernels.push_back(std::move(made));
        }
    }

    void add_routines(const std::vector<const Compilation*>& programs) {
        std::set<std::string> left = wanted_routines_;
        for (const Compilation* c : programs) {
            for (std::size_t call = 0; call < c->graph->calls(); ++call) {
                const std::vector<Candidate> all = alone(*c, CallId(call));
                std::map<std::string, std::vector<Candidate>> by_routine;
                for (const Candidate& candidate : all) {
                    const std::set<std::string> names = computed_by(candidate);
                    if (names.size() == 1 && candidate.derived.empty() && !synchronises(candidate, *c)) {
                        by_routine[*names.begin()].push_back(candidate);
                    }
                }
                for (auto& [name, candidates] : by_routine) {
                    if (left.erase(name) == 0) {
                        continue;
                    }
                    if (!std::ranges::all_of(candidates, reads_in_place)) {
                        std::erase_if(candidates, reads_in_place);
                    }
                    GpuKernel like = kernel("routine", name, *c, candidates.front());
                    like.repeated = copies_of(candidates.front());
                    like.cached = true;
                    add_in_blocks(three_blocks(candidates), like);
                }
            }
        }
        note_left("routine", left);
    }

    /// Of the routine in a pass of the loop: of a short one some, beside which the loop is little; of a long one more would neither fit registers (ptxas
    /// spilled where one alone needs all of them) nor the cache of instructions.
    static int copies_of(const Candidate& kernel) {
        constexpr double short_flops = 256; // of a thread
        double flops = 0;
        for (const WorkStep& step : kernel.work.steps) {
            flops = std::max(flops, step.kind == WorkStep::Kind::compute ? step.arithmetic.flops / step.threads : 0);
        }
        return flops <= short_flops ? 4 : 1;
    }

    static bool synchronises(const Candidate& candidate, const Compilation& c) {
        return std::ranges::any_of(candidate.order, [&](const fusion::CallPlan& plan) {
            const auto& function = c.catalog->function(c.graph->call(plan.call).instance.function);
            return plan.threads > 1 && function.implementations.at(plan.implementation).barrier;
        });
    }

    /// Lists of every type that is moved, each by a kernel that does little else; where there is no such kernel that moves it that way, the
    /// call alone that does the least beside. Of such kernels first those that move all their lists the same way.
    bool add_transfers(const std::vector<const Compilation*>& programs) {
        std::map<std::pair<int, int>, Type> types; // by bytes of the list and of a word
        for (const Compilation* c : programs) {
            for (const frontend::Datum& datum : c->program->data) {
                if (datum.per_element() && !datum.type.shape.packed && !datum.flag) {
                    types.try_emplace({datum.type.bytes(), bytes_of(datum.type.precision)}, datum.type);
                }
            }
        }
        std::vector<MovedList> listed;
        for (const auto& [key, type] : types) {
            listed.push_back({type});
        }
        const Compilation* moving = listed.empty() ? nullptr : compile_text("transfers", transfer_text(listed));
        if (moving == nullptr) {
            return false;
        }
        std::set<std::string> left = wanted_moves_;
        std::vector<const Compilation*> sources{moving};
        sources.insert(sources.end(), programs.begin(), programs.end());
        for (const Compilation* c : sources) {
            std::map<std::string, std::vector<Candidate>> by_move;
            for (std::size_t call = 0; call < c->graph->calls(); ++call) {
                for (const Candidate& candidate : alone(*c, CallId(call))) {
                    for (const std::string& name : moved_by(candidate)) {
                        if (left.contains(name)) {
                            by_move[name].push_back(candidate);
                        }
                    }
                }
            }
            for (auto& [name, candidates] : by_move) {
                const auto work = [](const Candidate& candidate) {
                    return std::pair(!moves_lists_alike(candidate), candidate.work.instructions);
                };
                std::ranges::stable_sort(candidates, {}, work);
                add_in_blocks(three_blocks(candidates), kernel("transfer", name, *c, candidates.front()));
                left.erase(name);
            }
        }
        note_left("transfer", left);
        return true;
    }

    /// Two products in a row with one and with three threads for each: pairs with and without a change between them, so that what the products
    /// themselves take is the same on both sides.
    bool add_remap() {
        const Compilation* c =
            compile_text("remap", "program remap;\nMATRIX3x3 A, B, C, D;\ninput A, B;\nC = A * B;\nD = C * B;\nreturn D;\n");
        const auto column = c == nullptr ? std::nullopt : c->space->find({CallId(0), CallId(1)}, {c->graph->call(CallId(1)).result});
        if (!column) {
            return c != nullptr;
        }
        const std::vector<Candidate> all = c->space->implementations(*column);
        for (const Candidate& first : all) {
            std::map<std::string, Candidate> found; // by threads of the two calls
            for (const Candidate& candidate : all) {
                if (candidate.instances_per_block == first.instances_per_block && moved_by(candidate) == moved_by(first) &&
                    !reads_in_place(candidate)) {
                    const int a = candidate.order[0].threads, b = candidate.order[1].threads;
                    if ((a == 1 || a == 3) && (b == 1 || b == 3)) {
                        found.try_emplace(fmt::format("{} {}", a, b), candidate);
                    }
                }
            }
            if (found.size() == 4) {
                for (const auto& [threads, candidate] : found) {
                    GpuKernel made = kernel("remap", "products by " + threads + " threads", *c, candidate);
                    made.cached = true;
                    result_.kernels.push_back(std::move(made));
                }
                return true;
            }
        }
        return true;
    }

    void note_left(const std::string& what, const std::set<std::string>& left) {
        for (const std::string& name : left) {
            result_.notes.push_back(fmt::format("no kernel isolates the {} `{}`: `benchmark` will not know its time", what, name));
        }
    }

    Path device_;
    fusion::DeviceLimits limits_;
    Diagnostics& diagnostics_;
    GpuKernels result_;
    std::set<std::string> wanted_routines_, wanted_moves_;
};

} // namespace

std::optional<GpuKernels> choose_gpu_kernels(
    const Path& device, const fusion::DeviceLimits& limits, const std::vector<Path>& programs, Diagnostics& diagnostics) {
    return Chooser(device, limits, diagnostics).run(programs);
}

} // namespace fusec::cli
