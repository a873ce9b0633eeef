// SPDX-License-Identifier: Apache-2.0
// Drawing the inputs of a program: what is demanded of each, as far as that can be told from the domains, and as far as trying shows.
#include "execute/domains.hpp"
#include "execute/taken_values.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fusec::execute {

using frontend::CheckedProgram;
using frontend::Datum;

namespace {

/// Elements that a set of demands is tried with, and how many of them may be ill conditioned: one per cent, so that more than five per
/// cent of a few dozen are unlikely. The seed is fixed: what is demanded belongs to the program, not to a run.
constexpr std::size_t tried_elements = 400;
constexpr std::size_t tolerated = tried_elements / 100;
constexpr std::uint64_t trial_seed = 1;

/// Values that are exact in the list and where it is read.
Type drawn_type(const Datum& datum) {
    return {datum.type.shape, kept_precision(datum.type, datum.storage)};
}

DataValues first_draw(const CheckedProgram& program, const std::vector<Demands>& wanted, std::size_t elements, std::uint64_t seed) {
    DataValues given(program.data.size());
    for (const DataId id : program.inputs) {
        const Datum& datum = program.datum(id);
        const std::size_t count = per_element(datum) ? elements : 1;
        for (std::size_t element = 0; element < count; ++element) {
            const std::vector<double> value = random_value(drawn_type(datum), wanted[id.index()], seed, id.index(), element, 0);
            given[id.index()].insert(given[id.index()].end(), value.begin(), value.end());
        }
    }
    return given;
}

std::size_t ill_conditioned(const CheckedProgram& program, const library::Catalog& catalog, const std::vector<Demands>& wanted) {
    return ill_conditioned_elements(program, catalog,
        evaluate(program, catalog, tried_elements, first_draw(program, wanted, tried_elements, trial_seed)), tried_elements)
        .size();
}

/// One entry of a call's result.
bool is_ill(const frontend::Call& call, std::size_t entry, const ReferenceResult& result) {
    const auto size = static_cast<std::size_t>(call.instance.result.shape.size());
    const auto part = [&](const std::vector<double>& all) { return std::span(all).subspan(entry * size, size); };
    const std::size_t datum = call.result.index();
    return is_ill_conditioned(part(result.values[datum]), part(result.bounds[datum]), call.instance.result.precision);
}

/// Gives entries that no output takes and that are ill conditioned the bound `not_compared`.
void set_apart_what_is_not_taken(
    const CheckedProgram& program, const library::Catalog& catalog, ReferenceResult& reference, std::size_t elements) {
    const TakenValues values(program, catalog, reference, elements);
    for (const std::vector<frontend::Call>* calls : {&program.uniform_calls, &program.calls}) {
        for (const frontend::Call& call : *calls) {
            std::vector<double>& bounds = reference.bounds[call.result.index()];
            const auto size = static_cast<std::size_t>(call.instance.result.shape.size());
            for (std::size_t entry = 0; entry < bounds.size() / size; ++entry) {
                if (!values.taken(call.result, entry) && is_ill(call, entry, reference)) {
                    std::fill_n(bounds.begin() + static_cast<std::ptrdiff_t>(entry * size), size, not_compared);
                }
            }
        }
    }
}

} // namespace

std::vector<Demands> settled_demands(const CheckedProgram& program, const library::Catalog& catalog) {
    std::vector<Demands> wanted = demands(program, catalog);
    std::size_t ill = ill_conditioned(program, catalog, wanted);
    while (ill > tolerated) {
        std::vector<Demands> best = wanted;
        std::size_t least = ill;
        for (const DataId id : program.inputs) {
            const Shape& shape = program.datum(id).type.shape;
            if (shape.form != Form::matrix || shape.rows != shape.columns || wanted[id.index()].spd) {
                continue;
            }
            std::vector<Demands> tried = wanted;
            tried[id.index()].spd = true;
            if (const std::size_t count = ill_conditioned(program, catalog, tried); count < least) {
                best = std::move(tried);
                least = count;
            }
        }
        if (least == ill) {
            break;
        }
        wanted = std::move(best);
        ill = least;
    }
    return wanted;
}

std::vector<IllElement> ill_conditioned_elements(
    const CheckedProgram& program, const library::Catalog& catalog, const ReferenceResult& result, std::size_t elements) {
    const TakenValues values(program, catalog, result, elements);
    std::vector<IllElement> found;
    for (std::size_t element = 0; element < elements; ++element) {
        const auto ill = [&](const frontend::Call& call) {
            const std::size_t entry = per_element(program.datum(call.result)) ? element : 0;
            return !result.bounds[call.result.index()].empty() && values.taken(call.result, entry) && is_ill(call, entry, result);
        };
        for (const std::vector<frontend::Call>* calls : {&program.uniform_calls, &program.calls}) {
            if (const auto found_call = std::ranges::find_if(*calls, ill); found_call != calls->end()) {
                found.push_back({element, found_call->result});
                break;
            }
        }
    }
    return found;
}

RandomCases draw_cases(const CheckedProgram& program, const library::Catalog& catalog, std::size_t elements, std::uint64_t seed) {
    return draw_cases(program, catalog, elements, seed, settled_demands(program, catalog));
}

RandomCases draw_cases(const CheckedProgram& program, const library::Catalog& catalog, std::size_t elements, std::uint64_t seed,
    const std::vector<Demands>& wanted) {
    RandomCases cases;
    cases.elements = elements;
    cases.given = first_draw(program, wanted, elements, seed);
    cases.reference = evaluate(program, catalog, elements, cases.given);

    std::vector<std::size_t> ill;
    std::map<DataId, std::size_t> causes;
    for (const IllElement& found : ill_conditioned_elements(program, catalog, cases.reference, elements)) {
        ill.push_back(found.element);
        if (++causes[found.cause] > causes[cases.cause]) {
            cases.cause = found.cause;
        }
    }
    // Those drawn to be equal often come out so that rounding decides a comparison; they count where their next draw, which is like any
    // other, is ill conditioned too.
    const bool compares = std::any_of(wanted.begin(), wanted.end(), [](const Demands& demands) { return demands.compared; });
    const auto drawn_to_be_equal = [&](std::size_t element) { return compares && in_quarters(element); };
    cases.redrawn = ill.size() - static_cast<std::size_t>(std::count_if(ill.begin(), ill.end(), drawn_to_be_equal));
    for (int draw = 1; !ill.empty() && draw < most_draws; ++draw) {
        DataValues again(program.data.size()); // of the ill elements alone, one after another
        for (const DataId id : program.inputs) {
            const Datum& datum = program.datum(id);
            if (!per_element(datum)) {
                again[id.index()] = cases.given[id.index()];
                continue;
            }
            for (const std::size_t element : ill) {
                const std::vector<double> value =
                    random_value(drawn_type(datum), wanted[id.index()], seed, id.index(), element, static_cast<std::uint64_t>(draw));
                again[id.index()].insert(again[id.index()].end(), value.begin(), value.end());
                std::copy(
                    value.begin(), value.end(), cases.given[id.index()].begin() + static_cast<std::ptrdiff_t>(element * value.size()));
            }
        }
        const ReferenceResult result = evaluate(program, catalog, ill.size(), again);
        const auto replace = [&](const DataValues& from, DataValues& into) {
            for (std::size_t datum = 0; datum < from.size(); ++datum) {
                const auto size = static_cast<std::ptrdiff_t>(program.data[datum].type.shape.size());
                for (std::size_t i = 0; per_element(program.data[datum]) && !from[datum].empty() && i < ill.size(); ++i) {
                    std::copy_n(from[datum].begin() + static_cast<std::ptrdiff_t>(i) * size, size,
                        into[datum].begin() + static_cast<std::ptrdiff_t>(ill[i]) * size);
                }
            }
        };
        replace(result.values, cases.reference.values);
        replace(result.bounds, cases.reference.bounds);
        std::vector<std::size_t> still;
        for (const IllElement& found : ill_conditioned_elements(program, catalog, result, ill.size())) {
            still.push_back(ill[found.element]);
        }
        ill = std::move(still);
        cases.redrawn += draw == 1 ? static_cast<std::size_t>(std::count_if(ill.begin(), ill.end(), drawn_to_be_equal)) : 0;
    }
    cases.ill = ill.size();
    set_apart_what_is_not_taken(program, catalog, cases.reference, elements);
    return cases;
}

} // namespace fusec::execute
