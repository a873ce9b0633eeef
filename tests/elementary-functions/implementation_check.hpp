// SPDX-License-Identifier: Apache-2.0
// Checks one implementation of an elementary function at one shape: against Eigen, in both precisions and in SIMD lanes, with the
// instruments of recorded.hpp; and what its metadata says (threads, map, counts of operations) against what it does.
#pragma once

#include "elementary-lib/type.hpp"
#include "tests/elementary-functions/recorded.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace fusec::test {

/// Operand types of a case.
struct Scalar {
    static constexpr Form form = Form::scalar;
    static constexpr int rows = 1, columns = 1;
};
template <int N>
struct Vector {
    static constexpr Form form = Form::vector;
    static constexpr int rows = N, columns = 1;
};
template <int Rows, int Columns>
struct Matrix {
    static constexpr Form form = Form::matrix;
    static constexpr int rows = Rows, columns = Columns;
};
template <class Operand>
Shape shape_of() {
    return {Operand::form, Operand::rows, Operand::columns};
}

/// What the function means, written with Eigen.
using Values = std::vector<Eigen::MatrixXd>;
using Meaning = std::function<Eigen::MatrixXd(const Values&)>;

/// Lanes of one SIMD register of this compile.
using float_simd = simd<float, vector_bytes / 4>;
using double_simd = simd<double, vector_bytes / 8>;

/// One implementation at one shape, compiled: the operands in order, then the result.
struct Case {
    std::string function, implementation;
    std::vector<Shape> operands;
    Shape result;
    int threads = 1;
    void (*recorded)(int thread, Recorder* operands) = nullptr;
    // One-thread implementations also run in float and in SIMD lanes of both precisions.
    void (*in_float)(float* const* operands) = nullptr;
    void (*in_float_lanes)(float_simd* const* operands) = nullptr;
    void (*in_double_lanes)(double_simd* const* operands) = nullptr;
};

/// Compares every component with the meaning, records what each thread touches and counts the arithmetic; compares these, and the
/// threads, with the metadata.
void check(const Case& one, const Meaning& meaning);

template <class Routine, class T, class... Operands, std::size_t... I>
void call(T* const* operands, std::index_sequence<I...>) {
    constexpr std::size_t last = sizeof...(I) - 1;
    using Out = std::tuple_element_t<last, std::tuple<Operands...>>;
    memory_view<T, Out::rows, Out::columns, T*> result{operands[last]};
    const auto with_result = [&](const auto&... inputs) { Routine()(lane<1>{0}, inputs..., result); };
    const std::tuple<memory_view<T, Operands::rows, Operands::columns, T*>...> views{{operands[I]}...};
    [&]<std::size_t... Input>(std::index_sequence<Input...>) { with_result(std::get<Input>(views)...); }(std::make_index_sequence<last>());
}

template <int Threads, class Out, class... In, class Routine>
void check(const char* function, const char* implementation, Routine, const Meaning& meaning) {
    Case one{function, implementation, {shape_of<In>()...}, shape_of<Out>(), Threads};
    one.recorded = [](int thread, Recorder* operands) {
        recorded_view<Out::rows, Out::columns> result{operands[sizeof...(In)]};
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            Routine()(lane<Threads>{thread},
                static_cast<const recorded_view<In::rows, In::columns>&>(recorded_view<In::rows, In::columns>{operands[I]})..., result);
        }(std::index_sequence_for<In...>());
    };
    if constexpr (Threads == 1) {
        one.in_float = [](float* const* operands) { call<Routine, float, In..., Out>(operands, std::index_sequence_for<In..., Out>()); };
        one.in_float_lanes = [](float_simd* const* operands) {
            call<Routine, float_simd, In..., Out>(operands, std::index_sequence_for<In..., Out>());
        };
        one.in_double_lanes = [](double_simd* const* operands) {
            call<Routine, double_simd, In..., Out>(operands, std::index_sequence_for<In..., Out>());
        };
    }
    check(one, meaning);
}

/// The threads of `element`, `row`, `column`, `entry`, `rows2`, ... for a result; 0 where the implementation's limit excludes the shape.
template <class Out>
constexpr int threads_of_block(int rows) {
    return Out::rows % rows == 0 && Out::rows > rows ? Out::rows / rows : 0;
}

/// Checks an implementation where its limit admits the shape.
template <int Threads, class Out, class... In, class Routine>
void check_where_legal(const Meaning& meaning, const char* function, const char* implementation, Routine routine) {
    if constexpr (Threads > 0)
        check<Threads, Out, In...>(function, implementation, routine, meaning);
}

/// Blocks of 2, 3 and 4 rows: one template.
template <class Out, class... In, class Rows>
void check_blocks(const Meaning& meaning, const char* function, Rows rows) {
    check_where_legal<threads_of_block<Out>(2), Out, In...>(meaning, function, "rows2", rows);
    check_where_legal<threads_of_block<Out>(3), Out, In...>(meaning, function, "rows3", rows);
    check_where_legal<threads_of_block<Out>(4), Out, In...>(meaning, function, "rows4", rows);
}

/// Implementations whose threads share the rows of `In` and exchange values: as many threads as divide a warp.
template <class Out, class Shared, class... Others, class Rows>
void check_exchanging(const Meaning& meaning, const char* function, const char* single, Rows rows) {
    constexpr auto threads = [](int share) {
        const int made = threads_of_block<Shared>(share);
        return made > 1 && 32 % made == 0 ? made : 0;
    };
    check_where_legal<threads(1), Out, Shared, Others...>(meaning, function, single, rows);
    check_where_legal<threads(2), Out, Shared, Others...>(meaning, function, "rows2", rows);
    check_where_legal<threads(3), Out, Shared, Others...>(meaning, function, "rows3", rows);
    check_where_legal<threads(4), Out, Shared, Others...>(meaning, function, "rows4", rows);
}

/// All implementations of a function whose result is a matrix.
template <class Out, class... In, class Element, class Rows, class Column, class Entry>
void check_matrix_result(const Meaning& meaning, const char* function, Element element, Rows rows, Column column, Entry entry) {
    check<1, Out, In...>(function, "element", element, meaning);
    check_where_legal<threads_of_block<Out>(1), Out, In...>(meaning, function, "row", rows);
    check_where_legal<(Out::columns > 1 ? Out::columns : 0), Out, In...>(meaning, function, "column", column);
    check_where_legal<(Out::rows > 1 && Out::columns > 1 ? Out::rows * Out::columns : 0), Out, In...>(meaning, function, "entry", entry);
    check_blocks<Out, In...>(meaning, function, rows);
}

/// The same for a vector; `single` is the implementation in which a thread makes one component.
template <class Out, class... In, class Element, class Rows>
void check_vector_result(const Meaning& meaning, const char* function, Element element, const char* single, Rows rows) {
    check<1, Out, In...>(function, "element", element, meaning);
    check_where_legal<threads_of_block<Out>(1), Out, In...>(meaning, function, single, rows);
    check_blocks<Out, In...>(meaning, function, rows);
}

// A template as a function object.
#define FUSEC_ROUTINE(function, routine) [](auto thread, auto&... operands) { function##_##routine(thread, operands...); }
#define FUSEC_MATRIX_ROUTINES(function)                                                                                                    \
    #function, FUSEC_ROUTINE(function, element), FUSEC_ROUTINE(function, rows), FUSEC_ROUTINE(function, column),                           \
        FUSEC_ROUTINE(function, entry)
#define FUSEC_VECTOR_ROUTINES(function, single) #function, FUSEC_ROUTINE(function, element), #single, FUSEC_ROUTINE(function, rows)

/// A function's check, by the function's name: run by a test of its own, and all together by the test for completeness.
inline std::vector<void (*)()>& all_checks() {
    static std::vector<void (*)()> checks;
    return checks;
}
#define FUSEC_CHECKED(function)                                                                                                            \
    static void check_##function();                                                                                                        \
    static const bool registered_##function = [] {                                                                                         \
        fusec::test::all_checks().push_back(check_##function);                                                                             \
        return true;                                                                                                                       \
    }();                                                                                                                                   \
    TEST(ElementaryFunctions, function) {                                                                                                  \
        EXPECT_TRUE(registered_##function);                                                                                                \
        check_##function();                                                                                                                \
    }                                                                                                                                      \
    static void check_##function()

} // namespace fusec::test
