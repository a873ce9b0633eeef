// SPDX-License-Identifier: Apache-2.0
// How the plan scales: layered DAGs of 10 to 1000 calls with synthetic kernel times, seconds and gap of `solve_cover` for each.
// Usage: plan_scale [CALLS...]
#include "fusion/enumerate.hpp"
#include "fusion/plan.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

namespace fusec::fusion {
namespace {

/// Layers of about sqrt(calls) calls; operands come from the two layers before, or from inputs.
dag::CallGraph layered(std::size_t calls, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    frontend::CheckedProgram program;
    program.name = "layered";
    const auto datum = [&](const std::string& name, frontend::DatumKind kind) {
        frontend::Datum d;
        d.name = d.identifier = name;
        const int n = static_cast<int>(2 + below(4));
        d.type = {{Form::matrix, n, n}, Precision::f32};
        d.kind = kind;
        program.data.push_back(std::move(d));
        return DataId(program.data.size() - 1);
    };
    std::vector<DataId> inputs;
    for (std::size_t i = 0; i < 2 + calls / 4; ++i) {
        inputs.push_back(datum("in" + std::to_string(i), frontend::DatumKind::input));
        program.inputs.push_back(inputs.back());
    }
    const std::size_t width = std::max<std::size_t>(2, static_cast<std::size_t>(std::sqrt(static_cast<double>(calls))));
    std::vector<DataId> results;
    std::vector<bool> used(calls, false);
    for (std::size_t i = 0; i < calls; ++i) {
        frontend::Call call;
        const std::size_t layer_begin = i / width * width;
        for (int k = 0; k < 2; ++k) {
            if (layer_begin > 0 && below(5) != 0) {
                const std::size_t back = std::min(layer_begin, 2 * width);
                const std::size_t from = layer_begin - 1 - below(back);
                call.operands.push_back(results[from]);
                used[from] = true;
            } else {
                call.operands.push_back(inputs[below(inputs.size())]);
            }
        }
        call.result = datum("t" + std::to_string(i), frontend::DatumKind::computed);
        program.data.back().producer = CallId(i);
        call.instance.result = program.data.back().type;
        results.push_back(call.result);
        program.calls.push_back(std::move(call));
    }
    for (std::size_t i = 0; i < calls; ++i) {
        if (!used[i]) {
            program.data[results[i].index()].output = true;
            program.outputs.push_back(results[i]);
        }
    }
    return dag::CallGraph(std::move(program));
}

/// Columns of the enumerated fusions: every choice of stored data that leaves no call idle. A kernel's time is its launch, its bytes
/// over the bandwidth, and up to 10 % of disturbance, more for large fusions; the lower bound knows the bytes only.
class SyntheticSource : public ColumnSource {
public:
    SyntheticSource(const dag::CallGraph& graph, const Enumeration& fusions) {
        for (const dag::CallSet& calls : fusions.sets) {
            add_columns(graph, calls);
        }
    }
    const std::vector<Column>& columns() const override { return columns_; }
    double lower_bound(ColumnId c) const override { return bytes_[c.index()] / 4.3e12 * 1048576; }
    double seconds(ColumnId c) override {
        asked_.insert(c.value);
        const double size = static_cast<double>(columns_[c.index()].executes.size());
        const double disturbance = static_cast<double>(c.value * 2654435761U % 1000U) / 1000;
        return 2e-6 + lower_bound(c) * (1 + 0.02 * disturbance * size + (size > 6 ? 0.05 * (size - 6) : 0));
    }
    std::size_t asked() const { return asked_.size(); }

private:
    void add_columns(const dag::CallGraph& graph, const dag::CallSet& calls) {
        const std::vector<DataId> boundary = graph.boundary(calls);
        std::vector<DataId> loads;
        for (const DataId d : graph.uses(calls)) {
            if (graph.datum(d).kind == frontend::DatumKind::input || graph.datum(d).kind == frontend::DatumKind::computed) {
                loads.push_back(d);
            }
        }
        const std::uint32_t all = (1U << boundary.size()) - 1;
        for (std::uint32_t choice = all; choice >= 1; --choice) {
            Column column{calls, loads, {}};
            double bytes = 0;
            for (std::size_t i = 0; i < boundary.size(); ++i) {
                if ((choice >> i & 1U) != 0) {
                    column.stores.push_back(boundary[i]);
                    bytes += graph.datum(boundary[i]).list_bytes();
                }
            }
            if (boundary.size() > 3 && choice != all) {
                break;
            }
            std::set<CallId> busy;
            for (std::size_t i = calls.size(); i-- > 0;) {
                const DataId made = graph.call(calls[i]).result;
                const bool stored = std::binary_search(column.stores.begin(), column.stores.end(), made);
                const bool used =
                    std::any_of(graph.consumers(made).begin(), graph.consumers(made).end(), [&](CallId c) { return busy.contains(c); });
                if (stored || used) {
                    busy.insert(calls[i]);
                }
            }
            if (busy.size() < calls.size()) {
                continue;
            }
            for (const DataId d : loads) {
                bytes += graph.datum(d).list_bytes();
            }
            columns_.push_back(std::move(column));
            bytes_.push_back(bytes);
        }
    }

    std::vector<Column> columns_;
    std::vector<double> bytes_;
    std::set<std::uint32_t> asked_;
};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void measure(std::size_t calls) {
    const dag::CallGraph graph = layered(calls, calls);
    const double t0 = now();
    const Enumeration fusions = enumerate_fusions(graph, 8, 200000);
    SyntheticSource source(graph, fusions);
    const double t1 = now();
    const CoverResult result = solve_cover(graph, source, {});
    const double t2 = now();
    PlanOptions none;
    none.mode = PlanMode::none;
    SyntheticSource again(graph, fusions);
    double unfused = 0;
    for (std::size_t c = 0; c < again.columns().size(); ++c) {
        const Column& column = again.columns()[c];
        unfused += column.executes.size() == 1 ? again.seconds(ColumnId(c)) : 0;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%5zu calls %7zu fusions %7zu columns  enumerate %6.2f s  plan %7.2f s  evaluated %6zu  kernels %4zu  gap %8.5f %%  "
                "speed-up %.2f  %ld MiB\n",
        calls, fusions.sets.size(), source.columns().size(), t1 - t0, t2 - t1, source.asked(), result.covers.front().columns.size(),
        100 * result.gap(), unfused / result.covers.front().seconds, usage.ru_maxrss / 1024);
    std::fflush(stdout);
}

} // namespace
} // namespace fusec::fusion

int main(int argc, char** argv) {
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i) {
        sizes.push_back(std::strtoul(argv[i], nullptr, 10));
    }
    if (sizes.empty()) {
        sizes = {10, 30, 100, 300, 1000};
    }
    for (const std::size_t calls : sizes) {
        fusec::fusion::measure(calls);
    }
    return 0;
}
