// SPDX-License-Identifier: Apache-2.0
// Makes test programs.
#include "program_builder.hpp"

#include <sstream>
#include <stdexcept>

namespace fusec::test {

const library::Catalog& catalog() {
    static const library::Catalog loaded = [] {
        Diagnostics diagnostics;
        auto found = library::Catalog::load({library::standard_library_folder()}, diagnostics);
        if (!found) {
            std::ostringstream text;
            render(diagnostics, text, false);
            throw std::runtime_error(text.str());
        }
        return *found;
    }();
    return loaded;
}

DataId ProgramBuilder::add(const std::string& name, Shape shape, frontend::DatumKind kind) {
    frontend::Datum datum;
    datum.name = datum.identifier = name;
    datum.type = {shape, precision_};
    datum.kind = kind;
    if (kind == frontend::DatumKind::constant) {
        datum.values.assign(static_cast<std::size_t>(shape.size()), 1.0);
    }
    program_.data.push_back(datum);
    return DataId(program_.data.size() - 1);
}

DataId ProgramBuilder::finish(frontend::Call call, const std::string& name) {
    const DataId result = add(name, call.instance.result.shape, frontend::DatumKind::computed);
    program_.data.back().producer = CallId(program_.calls.size());
    call.result = result;
    program_.calls.push_back(std::move(call));
    return result;
}

DataId ProgramBuilder::call(const std::string& function, const std::vector<DataId>& operands, const std::string& name) {
    const auto id = catalog().find(function);
    if (!id) {
        throw std::runtime_error("no function " + function);
    }
    std::vector<Type> types;
    for (DataId operand : operands) {
        types.push_back(program_.data.at(operand.index()).type);
    }
    const auto matched = catalog().match(*id, types);
    if (const auto* mismatch = std::get_if<library::Mismatch>(&matched)) {
        throw std::runtime_error(function + ": " + mismatch->message);
    }
    frontend::Call made;
    made.instance = std::get<library::Instance>(matched);
    made.operands = operands;
    return finish(std::move(made), name);
}

DataId ProgramBuilder::node(const std::vector<DataId>& operands, Shape shape) {
    frontend::Call made;
    made.instance.result = {shape, precision_};
    made.operands = operands;
    return finish(std::move(made), "n" + std::to_string(program_.calls.size()));
}

dag::CallGraph demo() {
    ProgramBuilder builder;
    const auto a = builder.input("A", matrix_shape(3, 3));
    const auto b = builder.input("B", matrix_shape(3, 3));
    const auto c = builder.input("c", vector_shape(3));
    const auto d = builder.input("D", matrix_shape(5, 5));
    const auto e = builder.input("E", matrix_shape(5, 5));
    const auto m1 = builder.call("mmul", {a, b}, "M1");
    const auto v1 = builder.call("mvmul", {m1, c}, "v1");
    const auto s1 = builder.call("venorm", {v1}, "s1");
    const auto m2 = builder.call("mmul", {d, e}, "M2");
    const auto m3 = builder.call("madd", {m2, d}, "M3");
    builder.output(builder.call("smmul", {m3, s1}, "F"));
    return builder.graph();
}

dag::CallGraph random_graph(std::mt19937& random, int calls) {
    const auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random); };
    ProgramBuilder builder;
    std::vector<DataId> usable = {builder.input("a", vector_shape(static_cast<int>(1 + below(6)))), builder.input("b", matrix_shape(3, 3))};
    const DataId uniform = builder.uniform("u", scalar_shape);
    std::vector<bool> used;
    for (int i = 0; i < calls; ++i) {
        std::vector<DataId> operands;
        const std::size_t count = 1 + below(3);
        for (std::size_t operand = 0; operand < count; ++operand) {
            // Mostly recent data, so that graphs are deep as well as wide.
            const std::size_t window = below(3) == 0 ? usable.size() : std::min<std::size_t>(usable.size(), 4);
            operands.push_back(below(8) == 0 ? uniform : usable[usable.size() - 1 - below(window)]);
        }
        usable.push_back(builder.node(operands, vector_shape(static_cast<int>(1 + below(9)))));
    }
    frontend::CheckedProgram program = builder.program();
    for (auto& datum : program.data) {
        if (!datum.producer) {
            continue;
        }
        bool consumed = false;
        for (const auto& call : program.calls) {
            for (DataId operand : call.operands) {
                consumed = consumed || program.datum(operand).producer == datum.producer;
            }
        }
        datum.output = !consumed || below(6) == 0;
    }
    return dag::CallGraph(program);
}

} // namespace fusec::test
