// SPDX-License-Identifier: Apache-2.0
// The candidate space: fusions and columns are made at once, implementations when a column's time is asked for.
#include "fusion/space.hpp"

#include "fusion/carried_moves.hpp"
#include "fusion/choice_search.hpp"
#include "fusion/columns.hpp"
#include "fusion/enumerate.hpp"
#include "fusion/front.hpp"
#include "fusion/grown.hpp"
#include "fusion/instruction_rates.hpp"
#include "fusion/kernel_builder.hpp"
#include "fusion/least_work.hpp"
#include "fusion/remaining_arithmetic.hpp"
#include "fusion/search_effort.hpp"
#include "fusion/workers.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

namespace fusec::fusion {

namespace {

/// The larger fusions of large programs are grown from the smaller ones, of which fewer do.
std::size_t automatic_fusions(std::size_t calls, bool grown) {
    return calls > large_program && grown ? 50000 : 200000;
}

/// Between small and large spaces, kernels share an allowance for all of them.
std::size_t automatic_implementations(std::size_t fusions, int words) {
    constexpr int registers_of_a_thread = 255;
    constexpr std::size_t of_all_kernels = 8000;
    if (fusions <= 64) {
        return 384;
    }
    const bool small_kernel = words <= registers_of_a_thread;
    if (fusions <= 512) {
        return small_kernel ? std::clamp<std::size_t>(of_all_kernels / fusions, 40, 160) : 384;
    }
    return fusions <= 5000 ? (small_kernel ? 40 : 160) : small_kernel ? 16 : 64;
}

int words_of(const KernelOutline& kernel) {
    return std::accumulate(
        kernel.data.begin(), kernel.data.end(), 0, [](int sum, const KernelOutline::Datum& datum) { return sum + datum.shape.size(); });
}

/// What pricing a column found, without its candidates.
struct Priced {
    std::vector<Merit> front;
    std::deque<Combination> combinations; ///< of the choices
    std::vector<KernelChoice> tried;      ///< Merit::choice is an index
    double unexplored = 0;                ///< choices that were not tried
    std::size_t considered = 0;
    std::size_t built = 0;
    std::size_t excluded = 0; ///< not built, because its routines cannot beat the best one
    std::vector<Refusal> refused;
    std::vector<std::string> unusable; ///< implementations of the calls that the target cannot use
};

} // namespace

struct Space::State {
    const dag::CallGraph& graph;
    const library::Catalog& catalog;
    const CostModel& model;
    DeviceLimits limits;
    SpaceOptions options;
    std::vector<CallRoutines> routines;
    Places places;
    Enumeration fusions;
    Columns columns;
    std::vector<double> bounds;  ///< per column
    std::vector<double> closer;  ///< per column; NaN: not found yet
    std::vector<double> seconds; ///< per column; NaN: not priced yet
    std::map<ColumnId, Front> fronts;
    SpaceStatistics statistics; ///< of the enumeration; the columns' counts are added when asked for
    struct Counts {
        std::size_t considered = 0, dominated = 0;
        double unexplored = 0;
        std::map<Rejection::Reason, std::size_t> rejected;
    };
    std::map<ColumnId, Counts> counted; ///< of the columns priced so far
    /// What one thread prices columns with. Equal for all of them: which one prices a column does not show.
    struct Pricer {
        explicit Pricer(const State& state)
            : costs(state.graph, state.routines),
              least_work(state.graph, state.routines, state.limits, costs),
              builder(state.limits, state.with_steps()) {
            if (state.with_steps() && state.limits.target == Target::host) {
                remaining.emplace(state.graph, state.catalog);
            }
        }
        KernelOutline finished(KernelOutline kernel) {
            if (remaining) {
                remaining->find(kernel);
            }
            return kernel;
        }
        CallCosts costs;
        LeastWork least_work;
        KernelBuilder builder;
        std::optional<RemainingArithmetic> remaining; ///< of a host's kernels with their steps
    };
    std::vector<std::unique_ptr<Pricer>> pricers; ///< per worker; the first is always there

    State(const dag::CallGraph& the_graph, const library::Catalog& the_catalog, const DeviceLimits& the_limits, const CostModel& the_model,
        const SpaceOptions& the_options)
        : graph(the_graph),
          catalog(the_catalog),
          model(the_model),
          limits(the_limits),
          options(the_options),
          routines(find_routines(the_graph, catalog, the_limits)),
          places(find_places(the_graph, catalog)) {
        if (options.max_fusions == 0) {
            options.max_fusions = automatic_fusions(graph.calls(), options.grown);
        }
        fusions = enumerate_fusions(graph, places, options.max_fusion, options.max_fusions);
        std::vector<double> flops;
        flops.reserve(routines.size());
        for (const CallRoutines& call : routines) {
            flops.push_back(call.operations.flops);
        }
        if (options.grown) {
            add_grown(flops);
        }
        pricers.resize(1);
        columns = make_columns(graph, fusions.sets, flops, options.recompute, static_cast<std::size_t>(options.max_fusion), places);
        bounds.reserve(columns.columns.size());
        for (const Column& column : columns.columns) {
            bounds.push_back(bound_of(column));
        }
        seconds.assign(columns.columns.size(), std::numeric_limits<double>::quiet_NaN());
        closer = seconds;
        statistics.calls = graph.calls();
        statistics.fusions = fusions.sets.size();
        statistics.hubs_left_out = options.max_fusion > 1 && hubs_are_left_out(graph);
        statistics.complete = fusions.complete && !statistics.hubs_left_out;
        statistics.stopped = !fusions.complete;
        statistics.max_fusions = options.max_fusions;
        statistics.columns_complete = columns.complete;
    }

    bool with_steps() const { return options.with_steps || model.needs_steps(); }

    /// From outputs and from values put together from parts (their calls take the most operands) and by merges.
    void add_grown(const std::vector<double>& flops) {
        std::vector<CallId> roots;
        for (std::size_t i = 0; i < graph.calls(); ++i) {
            const frontend::Call& call = graph.call(CallId(i));
            const bool put_together = call.operands.size() > 1 &&
                std::holds_alternative<library::ComponentMap>(catalog.function(call.instance.function).reference);
            if (put_together || graph.datum(call.result).output) {
                roots.emplace_back(i);
            }
        }
        const auto by_size = [](const CallSet& a, const CallSet& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; };
        const std::vector<CallSet> grown = grown_fusions(graph, roots, flops, static_cast<std::size_t>(options.max_fusion));
        std::vector<CallSet> all;
        std::set_union(fusions.sets.begin(), fusions.sets.end(), grown.begin(), grown.end(), std::back_inserter(all), by_size);
        fusions.sets = std::move(all);
        const auto larger = [&](const CallSet& set) { return places.of(set) > static_cast<std::size_t>(options.max_fusion); };
        statistics.grown = static_cast<std::size_t>(std::count_if(fusions.sets.begin(), fusions.sets.end(), larger));
    }

    double bound_of(const Column& column) {
        KernelWork least;
        for (CallId call : column.executes) {
            least.precision = std::max(least.precision, graph.datum(graph.call(call).result).type.precision);
        }
        for (CallId call : column.executes) {
            count_arithmetic(least, routines[call.index()].operations, graph.datum(graph.call(call).result).type.precision, 1);
        }
        for (const DataId list : column.loads) {
            least.read_bytes += pricer().costs.touched_bytes(list, column.executes);
        }
        for (const DataId list : column.stores) {
            least.write_bytes += graph.datum(list).list_bytes();
        }
        return rounded_prediction(model.bound_of(least, options.elements));
    }

    const Column& column(ColumnId id) const { return columns.columns.at(id.index()); }

    Pricer& pricer(std::size_t worker = 0) {
        std::unique_ptr<Pricer>& result = pricers[worker];
        if (!result) {
            result = std::make_unique<Pricer>(*this);
        }
        return *result;
    }

    /// Writes what the builder decided last as a candidate with its cost.
    void write(const KernelBuilder& builder, Candidate& out) const {
        builder.write(out);
        out.cost = model.cost(out.work, options.elements);
        out.cost.seconds = rounded_prediction(out.cost.seconds);
    }

    /// Implementations tried of a kernel. Small spaces are searched widely. In large ones thousands of columns have to be priced, most of
    /// them with values that would fit the registers of a thread, of which few implementations tell what they can do. Trying one takes the
    /// square of the number of lists; of a kernel with very many, fewer are tried.
    std::size_t implementations_of(const KernelOutline& kernel) const {
        constexpr std::size_t ordinary = 48; // lists
        constexpr std::size_t least = 12;
        const std::size_t most =
            options.implementations == 0 ? automatic_implementations(fusions.sets.size(), words_of(kernel)) : options.implementations;
        return std::min(most, std::max(least, most * ordinary / kernel.data.size()));
    }

    /// Calls `visit(number)`, with the choice as the builder's draft, for every choice that is tried and that the device can run; fills in
    /// the rest of the result. `hopeless(kernel, choices, combination)` may exclude all choices of a combination of routines.
    template <class Visit, class Hopeless>
    Priced elaborate(Pricer& with, const Column& of, Visit visit, Hopeless hopeless) const {
        Priced result;
        for (CallId call : of.executes) {
            for (const std::string& reason : routines[call.index()].unusable) {
                result.unusable.push_back("`" + graph.program().name_of(call) + "`: " + reason);
            }
        }
        KernelOutline kernel = with.finished(outline_without_orders(graph, of, routines, with.costs));
        ChoiceSpace space(kernel, limits);
        with.builder.begin(kernel);
        search_choices(space, implementations_of(kernel), [&](const KernelChoice& choice) -> Trial {
            const std::size_t number = result.tried.size();
            result.tried.push_back(choice);
            if (hopeless(kernel, space, choice.combination)) {
                ++result.excluded;
                return {};
            }
            find_order(kernel, graph, of, choice.order);
            if (const auto refusal = with.builder.decide(space.combination(choice.combination), choice)) {
                result.refused.push_back(*refusal);
                return {};
            }
            ++result.built;
            return visit(number);
        });
        if (result.tried.empty() && result.unusable.empty()) {
            result.unusable.push_back("no block of its routines has whole warps of " + std::to_string(limits.warp_size) + " threads");
        }
        result.considered = result.tried.size() + result.unusable.size();
        result.unexplored = space.size() - static_cast<double>(result.tried.size());
        result.combinations = std::move(space).take_combinations();
        return result;
    }

    enum class Wanted {
        seconds, ///< the cheapest candidate only: routines that cannot give it are left out
        front
    };

    Priced price(Pricer& with, ColumnId id, Wanted wanted) const {
        std::vector<Merit> merits;
        double best = impossible;
        const KernelWork least = with.least_work.of(column(id));
        std::vector<double> bounds_of; // per combination; NaN: not found yet
        const auto visit = [&](std::size_t number) -> Trial {
            const KernelWork& work = with.builder.draft().work;
            const double predicted = rounded_prediction(model.seconds(work, options.elements));
            const bool spills = work.spill_bytes > 0;
            merits.push_back({predicted, work.shared_bytes, work.registers, number, spills});
            // One that spills is kept only if all do, so it makes no other hopeless.
            best = spills ? best : std::min(best, predicted);
            return {spills, predicted};
        };
        const auto hopeless = [&](const KernelOutline& kernel, const ChoiceSpace& space, std::uint32_t combination) {
            if (wanted == Wanted::front || limits.target == Target::host || std::isinf(best)) {
                return false;
            }
            bounds_of.resize(space.combinations(), std::numeric_limits<double>::quiet_NaN());
            double& bound = bounds_of[combination];
            if (std::isnan(bound)) {
                bound = rounded_prediction(
                    model.least_seconds(with.least_work.with_routines(kernel, space.combination(combination), least), options.elements));
            }
            return bound > best;
        };
        Priced result = elaborate(with, column(id), visit, hopeless);
        result.front = pareto_front(std::move(merits), options.front);
        return result;
    }

    void record(ColumnId id, const Priced& result, Wanted wanted) {
        double& known = seconds[id.index()];
        if (std::isnan(known)) {
            known = result.front.empty() ? impossible : result.front.front().seconds;
        }
        Counts& counts = counted[id];
        if (counts.considered == 0 || wanted == Wanted::front) { // a front knows more than a price: nothing was left out
            counts = {result.considered, result.excluded + result.built - result.front.size(), result.unexplored, {}};
            for (const Refusal& refusal : result.refused) {
                ++counts.rejected[refusal.reason];
            }
            if (!result.unusable.empty()) {
                counts.rejected[Rejection::Reason::no_implementation] += result.unusable.size();
            }
        }
    }
};

Space::Space(const dag::CallGraph& graph, const library::Catalog& catalog, const DeviceLimits& limits, const CostModel& model,
    const SpaceOptions& options)
    : state_(std::make_unique<State>(graph, catalog, limits, model, options)) {}

Space::~Space() = default;

const std::vector<Column>& Space::columns() const {
    return state_->columns.columns;
}

double Space::lower_bound(ColumnId column) const {
    return state_->bounds.at(column.index());
}

double Space::closer_bound(ColumnId column) {
    double& bound = state_->closer.at(column.index());
    if (std::isnan(bound)) {
        bound = std::max(state_->bounds[column.index()],
            rounded_prediction(
                state_->model.least_seconds(state_->pricer().least_work.of(state_->column(column)), state_->options.elements)));
    }
    return bound;
}

double Space::seconds(ColumnId column) {
    if (std::isnan(state_->seconds.at(column.index()))) {
        state_->record(column, state_->price(state_->pricer(), column, State::Wanted::seconds), State::Wanted::seconds);
    }
    return state_->seconds[column.index()];
}

void Space::find_seconds(const std::vector<ColumnId>& columns) {
    std::vector<ColumnId> open;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(open),
        [&](ColumnId column) { return std::isnan(state_->seconds.at(column.index())); });
    std::vector<Priced> priced(open.size());
    state_->pricers.resize(std::max(state_->pricers.size(), Workers::shared().count()));
    Workers::shared().run(open.size(), 4, [&](std::size_t worker, std::size_t begin, std::size_t end) {
        State::Pricer& pricer = state_->pricer(worker);
        for (std::size_t i = begin; i < end; ++i) {
            priced[i] = state_->price(pricer, open[i], State::Wanted::seconds);
            priced[i].combinations = {}; // only a front asks for them
            priced[i].tried = {};
        }
    });
    for (std::size_t i = 0; i < open.size(); ++i) {
        state_->record(open[i], priced[i], State::Wanted::seconds);
    }
}

const std::vector<CallSet>& Space::fusions() const {
    return state_->fusions.sets;
}

const Places& Space::places() const {
    return state_->places;
}

const Front& Space::front(ColumnId column) {
    const auto [entry, added] = state_->fronts.try_emplace(column);
    Front& front = entry->second;
    if (!added) {
        return front;
    }
    State::Pricer& pricer = state_->pricer();
    const Priced priced = state_->price(pricer, column, State::Wanted::front);
    state_->record(column, priced, State::Wanted::front);
    front.considered = priced.considered;
    front.dominated = priced.built - priced.front.size();
    front.unexplored = priced.unexplored;
    for (const Refusal& refusal : priced.refused) {
        front.rejected.push_back(refusal.explained());
    }
    for (const std::string& reason : priced.unusable) {
        front.rejected.push_back({Rejection::Reason::no_implementation, reason});
    }
    const KernelOutline kernel = pricer.finished(outline(state_->graph, state_->column(column), state_->routines, pricer.costs));
    KernelBuilder& builder = pricer.builder;
    builder.begin(kernel);
    for (const Merit& merit : priced.front) {
        const KernelChoice& choice = priced.tried[merit.choice];
        Candidate& kept = front.kept.emplace_back();
        const auto refusal = builder.decide(priced.combinations[choice.combination], choice);
        internal_check(!refusal, "space: a kept candidate cannot be built again");
        state_->write(builder, kept);
    }
    return front;
}

std::vector<Candidate> Space::implementations(ColumnId column) const {
    std::vector<Candidate> result;
    State::Pricer& pricer = state_->pricer();
    const auto visit = [&](std::size_t) -> Trial {
        Candidate& written = result.emplace_back();
        state_->write(pricer.builder, written);
        return {written.work.spill_bytes > 0, written.cost.seconds};
    };
    state_->elaborate(pricer, state_->column(column), visit, [](const KernelOutline&, const ChoiceSpace&, std::uint32_t) { return false; });
    return result;
}

std::optional<ColumnId> Space::find(const CallSet& executes, const std::vector<DataId>& stores) const {
    // Columns stand by fusion, and those by size, then lexicographically.
    const auto& columns = state_->columns.columns;
    auto found = std::lower_bound(columns.begin(), columns.end(), executes, [](const Column& column, const CallSet& wanted) {
        return column.executes.size() != wanted.size() ? column.executes.size() < wanted.size() : column.executes < wanted;
    });
    for (; found != columns.end() && found->executes == executes; ++found) {
        if (found->stores == stores) {
            return ColumnId(static_cast<std::size_t>(found - columns.begin()));
        }
    }
    return std::nullopt;
}

SpaceStatistics Space::statistics() const {
    SpaceStatistics result = state_->statistics;
    double unexplored = 0;
    for (const auto& [column, counts] : state_->counted) {
        result.candidates += counts.considered;
        result.dominated += counts.dominated;
        unexplored += counts.unexplored;
        for (const auto& [reason, count] : counts.rejected) {
            result.rejected[std::string(to_string(reason))] += count;
        }
    }
    result.unexplored = unexplored < static_cast<double>(countless) ? static_cast<std::uint64_t>(std::llround(unexplored)) : countless;
    return result;
}

} // namespace fusec::fusion
