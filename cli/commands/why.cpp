// SPDX-License-Identifier: Apache-2.0
// `fusec why PROGRAM A B`: the best plan with both calls in one kernel against the best without, or why they cannot share one.
#include "cli/choose_alternatives.hpp"
#include "cli/choose_plan.hpp"
#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "cli/report_text.hpp"
#include "fusion/enumerate.hpp"
#include "fusion/restricted_source.hpp"
#include "support/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>

namespace fusec::cli {

namespace {

std::optional<CallId> find_call(const std::string& name, const Compilation& c, Diagnostics& diagnostics) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < c.graph->calls(); ++i) {
        names.push_back(c.graph->program().name_of(CallId(i)));
        if (names.back() == name) {
            return CallId(i);
        }
    }
    Diagnostic& error = diagnostics.report(kind::unknown_call, {}, fmt::format("program `{}` has no call `{}`", c.program->name, name));
    const std::string near = nearest(name, names);
    const std::string within = c.graph->program().within(name);
    for (std::size_t i = 1; i < c.planned.size(); ++i) { // of alternatives that are left out
        const auto& other = c.planned[i].compiled;
        if (other && std::ranges::any_of(other->program->calls, [&](const frontend::Call& call) {
                return other->program->datum(call.result).name == name;
            })) {
            error.hint = fmt::format("`{}` is a call of {}, which is left out", name, c.planned[i].text);
            return std::nullopt;
        }
    }
    error.hint = !within.empty() ? within
        : near.empty()           ? fmt::format("its calls are {}", some_names(names))
                                 : fmt::format("did you mean `{}`?", near);
    return std::nullopt;
}

bool contains(const fusion::Column& column, CallId call) {
    return std::ranges::binary_search(column.executes, call);
}

/// The best plan over the columns that satisfy `keep`, or nothing.
std::optional<fusion::Plan> best_plan(Compilation& c, const std::function<bool(const fusion::Column&)>& keep) {
    fusion::RestrictedSource source(*c.space, keep);
    const fusion::CoverResult result = fusion::solve_cover(*c.graph, source, {.time_limit = c.options.time_limit});
    if (result.covers.empty()) {
        return std::nullopt;
    }
    return make_plan(source.original(result.covers.front()), result.bound, *c.space, *c.graph);
}

/// Which sets were tried and do not hold both calls.
std::string sets_without_both(const Compilation& c, int largest) {
    dag::CallSet every;
    for (std::size_t i = 0; i < c.graph->calls(); ++i) {
        every.emplace_back(i);
    }
    if (c.space->places().of(every) <= static_cast<std::size_t>(largest)) {
        return "no set of calls that holds both is connected and convex";
    }
    const std::string all = fmt::format("no set of at most {} calls that holds both is connected and convex", largest);
    return c.options.max_fusion ? all
                                : fmt::format("{}, and none of the {} of up to {} calls holds both that were tried beside them", all,
                                      counted(c.space->statistics().grown, "set"), fusion::largest_kernel);
}

/// Why no kernel holds both: nothing connects them within the size limit, or every implementation was rejected.
void explain_impossible(Compilation& c, CallId a, CallId b) {
    const auto& program = c.graph->program();
    if (c.graph->block(a) != c.graph->block(b)) {
        const auto reason = fusion::why_no_fusion(*c.graph, {std::min(a, b), std::max(a, b)}, fusion::largest_enumerated);
        std::cout << fmt::format("no kernel can execute both `{}` and `{}`\n  {} [{}]\n", program.name_of(a), program.name_of(b),
            reason->detail, fusion::to_string(reason->reason));
        return;
    }
    // Every call on a path between the two has to be in the kernel as well: a fusion is convex.
    const CallId first = std::min(a, b);
    const CallId last = std::max(a, b);
    dag::CallSet between;
    for (std::size_t i = first.index() + 1; i < last.index(); ++i) {
        if (c.graph->descendants(first).test(i) && c.graph->ancestors(last).test(i)) {
            between.emplace_back(i);
        }
    }
    const auto places_of = [&](dag::CallSet set) { // slices and assemblies take none
        set.insert(set.end(), {first, last});
        return c.space->places().of(set);
    };
    const int largest = c.options.max_fusion.value_or(fusion::SpaceOptions{}.max_fusion);
    std::set<std::string> rejections;
    bool enumerated = false;
    for (std::size_t i = 0; i < c.space->columns().size(); ++i) {
        if (contains(c.space->columns()[i], a) && contains(c.space->columns()[i], b)) {
            enumerated = true;
            for (const fusion::Rejection& rejection : c.space->front(ColumnId(i)).rejected) {
                rejections.insert(fmt::format("{} [{}]", rejection.detail, fusion::to_string(rejection.reason)));
            }
        }
    }
    std::cout << fmt::format("no kernel can execute both `{}` and `{}`\n", program.name_of(a), program.name_of(b));
    if (enumerated) {
        for (const std::string& rejection : rejections) {
            std::cout << "  " << rejection << '\n';
        }
    } else if (const std::size_t places = places_of(between); places > static_cast<std::size_t>(largest)) {
        const std::string limit = places > static_cast<std::size_t>(fusion::largest_kernel)
            ? fmt::format("a kernel has at most {}", fusion::largest_kernel)
            : c.options.max_fusion ? fmt::format("--max-fusion is {}", largest)
                                   : fmt::format("of the sets above {} only some are tried unless --max-fusion asks for them", largest);
        std::cout << fmt::format("  the calls between them ({}) must be in it too: {} calls, {} [too-large]\n",
            some_call_names(between, *c.graph), places, limit);
    } else {
        between.insert(between.end(), {first, last});
        std::ranges::sort(between);
        if (const auto reason = fusion::why_no_fusion(*c.graph, between, largest, c.space->places())) {
            std::cout << fmt::format(
                "  {}: {} [{}]\n", some_call_names(between, *c.graph), reason->detail, fusion::to_string(reason->reason));
        }
        std::cout << fmt::format("  {}\n", sets_without_both(c, largest));
    }
    if (c.space->statistics().stopped) {
        std::cout << fmt::format("  (the enumeration stopped at {})\n", counted(c.space->statistics().max_fusions, "fusion"));
    }
}

/// The kernels of a plan, those that execute a call asked about marked by `*`.
void print_plan(const char* title, const fusion::Plan& plan, std::initializer_list<CallId> asked, const dag::CallGraph& graph) {
    std::cout << fmt::format("{}: {}, {:g} B/element\n", title, time_text(plan.seconds), bytes_per_element(plan));
    for (const fusion::Candidate& kernel : plan.kernels) {
        const bool marked =
            std::ranges::any_of(asked, [&](CallId call) { return std::ranges::find(kernel.calls, call) != kernel.calls.end(); });
        std::cout << (marked ? "* " : "  ") << kernel_line(kernel, graph) << '\n';
    }
}

} // namespace

void run_command(const Why& command, Diagnostics& diagnostics) {
    Compilation c;
    c.options = command.options;
    if (!run_pipeline(c, diagnostics, "space")) {
        return;
    }
    for (const std::string& text : left_out(c)) {
        std::cout << text << '\n';
    }
    const auto a = find_call(command.first, c, diagnostics);
    const auto b = find_call(command.second, c, diagnostics);
    if (!a || !b) {
        return;
    }
    if (*a == *b) {
        diagnostics.report(kind::unknown_call, {}, fmt::format("`{}` is named twice; two different calls are expected", command.first));
        return;
    }
    const auto together = best_plan(c, [&](const fusion::Column& column) { return contains(column, *a) == contains(column, *b); });
    const auto apart = best_plan(c, [&](const fusion::Column& column) { return !contains(column, *a) || !contains(column, *b); });
    if (!together) {
        explain_impossible(c, *a, *b);
        return;
    }
    print_plan("together", *together, {*a, *b}, *c.graph);
    if (!apart) {
        std::cout << "apart: no plan\n";
        return;
    }
    print_plan("apart", *apart, {*a, *b}, *c.graph);
    const double change = (apart->seconds - together->seconds) / apart->seconds * 100;
    const double bytes = bytes_per_element(*apart) - bytes_per_element(*together);
    std::cout << fmt::format("fusing `{}` and `{}` {} {:.2f} % and {} {:g} B/element\n", command.first, command.second,
        change >= 0 ? "gains" : "costs", std::abs(change), bytes >= 0 ? "saves" : "adds", std::abs(bytes));
}

} // namespace fusec::cli
