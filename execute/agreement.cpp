// SPDX-License-Identifier: Apache-2.0
#include "execute/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <span>
#include <utility>

namespace fusec::execute {

using frontend::CheckedProgram;

namespace {

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g", value);
    return text.data();
}

} // namespace

ProgramAgreement compare_programs(const CheckedProgram& program, const library::Catalog& catalog, const CheckedProgram& other,
    const library::Catalog& catalog_of_other, std::size_t elements, std::uint64_t seed) {
    return compare_programs(program, catalog, draw_cases(program, catalog, elements, seed), other, catalog_of_other);
}

ProgramAgreement compare_programs(const CheckedProgram& program, const library::Catalog& catalog, const RandomCases& cases,
    const CheckedProgram& other, const library::Catalog& catalog_of_other) {
    const std::size_t elements = cases.elements;
    DataValues given(other.data.size());
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        given[other.inputs.at(i).index()] = cases.given[program.inputs[i].index()];
    }
    const ReferenceResult result = evaluate(other, catalog_of_other, elements, given);
    std::vector<bool> ill(elements, false);
    for (const IllElement& one : ill_conditioned_elements(program, catalog, cases.reference, elements)) {
        ill[one.element] = true;
    }
    for (const IllElement& one : ill_conditioned_elements(other, catalog_of_other, result, elements)) {
        ill[one.element] = true;
    }
    ProgramAgreement found{{}, static_cast<std::size_t>(std::ranges::count(ill, false))};
    for (std::size_t i = 0; i < program.listed_outputs(); ++i) { // what is asserted may differ
        const std::size_t one = program.outputs[i].index(), two = other.outputs.at(i).index();
        const Type& type = program.data[one].type;
        internal_check(type == other.data[two].type, "alternatives give an output of different types");
        const auto size = static_cast<std::size_t>(type.shape.size());
        for (std::size_t element = 0; element < elements; ++element) {
            const auto part = [&](const std::vector<double>& list) { return std::span(list).subspan(element * size, size); };
            std::vector<double> bounds(size);
            std::ranges::transform(part(cases.reference.bounds[one]), part(result.bounds[two]), bounds.begin(), std::plus<>());
            const auto values = part(cases.reference.values[one]), others = part(result.values[two]);
            const Agreement agreement = compare(others, values, bounds, type.precision);
            if (!ill[element] && agreement.mismatches != 0) {
                found.differing.push_back("`" + program.data[one].name + "` differs: component " + std::to_string(agreement.worst) +
                    " of element " + std::to_string(element) + " is " + number(others[agreement.worst]) + " in place of " +
                    number(values[agreement.worst]));
                break;
            }
        }
    }
    return found;
}

} // namespace fusec::execute
