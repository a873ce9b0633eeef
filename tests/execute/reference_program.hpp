// SPDX-License-Identifier: Apache-2.0
// Checked programs written by hand over the standard library: tests of this phase do not need the front end.
#pragma once

#include "execute/reference.hpp"
#include "frontend/checked_program.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace fusec::execute {

inline Type scalar_type(Precision precision = Precision::f32) {
    return {{Form::scalar, 1, 1}, precision};
}
inline Type vector_type(int rows, Precision precision = Precision::f32) {
    return {{Form::vector, rows, 1}, precision};
}
inline Type matrix_type(int rows, int columns, Precision precision = Precision::f32) {
    return {{Form::matrix, rows, columns}, precision};
}

/// The library of the checkout, loaded once.
inline const library::Catalog& standard_catalog() {
    static const library::Catalog catalog = [] {
        Diagnostics diagnostics;
        auto loaded = library::Catalog::load({library::standard_library_folder()}, diagnostics);
        std::ostringstream text;
        render(diagnostics, text, false);
        EXPECT_TRUE(loaded) << text.str();
        return loaded.value();
    }();
    return catalog;
}

class ProgramBuilder {
public:
    explicit ProgramBuilder(const library::Catalog& catalog = standard_catalog()) : catalog_(catalog) { program_.name = "test"; }
    DataId input(const std::string& name, Type type) { return interface(name, type, frontend::DatumKind::input); }
    DataId uniform(const std::string& name, Type type) { return interface(name, type, frontend::DatumKind::uniform); }
    DataId constant(Type type, std::vector<double> values) {
        const DataId id = datum("constant", type, frontend::DatumKind::constant);
        program_.data.back().values = std::move(values);
        return id;
    }
    DataId call(const std::string& function, std::vector<DataId> operands) {
        std::vector<Type> types;
        for (const DataId operand : operands) {
            types.push_back(program_.datum(operand).type);
        }
        auto matched = catalog_.match(catalog_.find(function).value(), types);
        if (const auto* mismatch = std::get_if<library::Mismatch>(&matched)) {
            throw std::invalid_argument(mismatch->message);
        }
        const library::Instance instance = std::get<library::Instance>(matched);
        if (instance.swapped) {
            std::swap(operands[0], operands[1]);
        }
        const DataId result = datum(function + std::to_string(program_.calls.size()), instance.result, frontend::DatumKind::computed);
        program_.data.back().producer = CallId(program_.calls.size());
        program_.calls.push_back({instance, operands, result, {}});
        return result;
    }
    const frontend::CheckedProgram& build(std::vector<DataId> outputs) {
        program_.outputs = std::move(outputs);
        for (const DataId output : program_.outputs) {
            program_.data[output.index()].output = true;
        }
        return program_;
    }

private:
    DataId datum(const std::string& name, Type type, frontend::DatumKind kind) {
        const DataId id(program_.data.size());
        frontend::Datum made;
        made.name = made.identifier = name;
        made.type = type;
        made.kind = kind;
        program_.data.push_back(made);
        return id;
    }
    DataId interface(const std::string& name, Type type, frontend::DatumKind kind) {
        const DataId id = datum(name, type, kind);
        program_.inputs.push_back(id);
        return id;
    }
    const library::Catalog& catalog_;
    frontend::CheckedProgram program_;
};

/// The double value of one call on exact operands.
inline std::vector<Bounded> call_function(const std::string& function, const std::vector<std::pair<Type, std::vector<float>>>& operands,
    const library::Catalog& catalog = standard_catalog()) {
    std::vector<Type> types;
    std::vector<Shape> shapes;
    std::vector<std::vector<Bounded>> data;
    for (const auto& [type, values] : operands) {
        types.push_back(type);
        shapes.push_back(type.shape);
        data.emplace_back();
        for (const float value : values) {
            data.back().push_back({static_cast<double>(value), 0});
        }
    }
    const auto matched = catalog.match(catalog.find(function).value(), types);
    const auto& instance = std::get<library::Instance>(matched);
    std::vector<const Bounded*> pointers;
    for (const auto& one : data) {
        pointers.push_back(one.data());
    }
    std::vector<Bounded> result(static_cast<std::size_t>(instance.result.shape.size()));
    InstanceReference(catalog, instance, shapes).evaluate(pointers, result.data());
    return result;
}

} // namespace fusec::execute
