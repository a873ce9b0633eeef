// SPDX-License-Identifier: Apache-2.0
// What tests of the candidate space share: a space with made-up costs, and a program with every kind of call.
#pragma once

#include "fake_cost.hpp"
#include "fusion/space.hpp"
#include "program_builder.hpp"

namespace fusec::test {

inline fusion::Space space(const dag::CallGraph& graph, const fusion::DeviceLimits& limits = {}, const fusion::SpaceOptions& options = {}) {
    static const FakeCost fake;
    return fusion::Space(graph, catalog(), limits, fake, options);
}

/// A program with every kind of call: mixed shapes, a shared value, two outputs, a uniform, a constant.
inline dag::CallGraph mixed(Precision precision) {
    ProgramBuilder builder(precision);
    const auto a = builder.input("A", matrix_shape(4, 4));
    const auto b = builder.input("B", matrix_shape(4, 4));
    const auto x = builder.input("x", vector_shape(4));
    const auto mu = builder.uniform("mu", scalar_shape);
    const auto table = builder.constant("G", matrix_shape(4, 4));
    const auto product = builder.call("mmul", {a, b}, "P");
    const auto sum = builder.call("madd", {product, table}, "S");
    const auto moved = builder.call("mvmul", {sum, x}, "y");
    const auto scaled = builder.call("smmul", {product, mu}, "Q");
    const auto turned = builder.call("mtrans", {scaled}, "T");
    builder.output(moved);
    builder.output(turned);
    builder.output(scaled);
    return builder.graph();
}

/// The innovation y = z - H x of a Kalman filter, H P beside it, and P H' y of both.
inline dag::CallGraph measurement_update() {
    ProgramBuilder builder;
    const auto transition = builder.input("H", matrix_shape(3, 6));
    const auto predicted = builder.call("mvmul", {transition, builder.input("x", vector_shape(6))}, "Hx");
    const auto innovation = builder.call("vsub", {builder.input("z", vector_shape(3)), predicted}, "y");
    const auto projected = builder.call("mmul", {transition, builder.input("P", matrix_shape(6, 6))}, "HP");
    builder.output(builder.call("mtvmul", {projected, innovation}, "Ky"));
    return builder.graph();
}

} // namespace fusec::test
