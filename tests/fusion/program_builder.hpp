// SPDX-License-Identifier: Apache-2.0
// Checked programs for tests, made call by call without the front end.
#pragma once

#include "dag/call_graph.hpp"

#include <random>
#include <string>
#include <vector>

namespace fusec::test {

/// The standard library, loaded once.
const library::Catalog& catalog();

inline constexpr Shape scalar_shape{Form::scalar, 1, 1};
inline constexpr Shape vector_shape(int rows) {
    return {Form::vector, rows, 1};
}
inline constexpr Shape matrix_shape(int rows, int columns) {
    return {Form::matrix, rows, columns};
}

class ProgramBuilder {
public:
    explicit ProgramBuilder(Precision precision = Precision::f32) : precision_(precision) {}

    DataId input(const std::string& name, Shape shape) { return add(name, shape, frontend::DatumKind::input); }
    DataId uniform(const std::string& name, Shape shape) { return add(name, shape, frontend::DatumKind::uniform); }
    DataId constant(const std::string& name, Shape shape) { return add(name, shape, frontend::DatumKind::constant); }
    /// A call of a library function; throws if the operands do not fit.
    DataId call(const std::string& function, const std::vector<DataId>& operands, const std::string& name);
    /// A call of no function in particular, for tests that look at the graph alone.
    DataId node(const std::vector<DataId>& operands, Shape shape = scalar_shape);
    void output(DataId datum) { program_.data.at(datum.index()).output = true; }

    frontend::CheckedProgram program() const { return program_; }
    dag::CallGraph graph() const { return dag::CallGraph(program_); }

private:
    DataId add(const std::string& name, Shape shape, frontend::DatumKind kind);
    DataId finish(frontend::Call call, const std::string& name);

    Precision precision_;
    frontend::CheckedProgram program_;
};

/// The program of the talk: F = ||A B c|| (D E + D); calls M1, v1, s1, M2, M3, F in this order.
dag::CallGraph demo();

/// A random graph of nodes; every node without a consumer is an output, some others too. Some share inputs, uniforms or hubs.
dag::CallGraph random_graph(std::mt19937& random, int calls);

} // namespace fusec::test
