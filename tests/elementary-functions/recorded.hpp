// SPDX-License-Identifier: Apache-2.0
// Instruments for device sources: a number that counts the arithmetic done with it, and a view that records which components each
// thread reads and writes. Include before any device source: their calls of fusec::sqrt are looked up where they are written.
#pragma once

#include "elementary-lib/runtime/fusec/host.hpp"
#include "tests/elementary-functions/exchanging_threads.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace fusec::test {

/// Arithmetic done with `counted` numbers, in the categories of library::OperationCounts.
struct Counts {
    int flops = 0, divisions = 0, square_roots = 0, transcendentals = 0;
};
inline Counts counts;

/// A double that counts. Converts from a number like the types it stands for.
struct counted {
    double value = 0;

    counted() = default;
    counted(double number) : value(number) {}

    counted operator-() const { return operation(-value); }
    counted& operator+=(counted b) { return *this = *this + b; }
    counted& operator-=(counted b) { return *this = *this - b; }
    counted& operator*=(counted b) { return *this = *this * b; }

    friend counted operator+(counted a, counted b) { return operation(a.value + b.value); }
    friend counted operator-(counted a, counted b) { return operation(a.value - b.value); }
    friend counted operator*(counted a, counted b) { return operation(a.value * b.value); }
    friend counted operator/(counted a, counted b) { return ++counts.divisions, operation(a.value / b.value); }

    /// Counts as one operation, as does choosing by it.
    struct comparison {
        bool holds;
    };
    friend comparison operator<(counted a, counted b) { return ++counts.flops, comparison{a.value < b.value}; }
    friend comparison operator<=(counted a, counted b) { return ++counts.flops, comparison{a.value <= b.value}; }
    friend comparison operator==(counted a, counted b) { return ++counts.flops, comparison{a.value == b.value}; }

    static counted operation(double result) { return ++counts.flops, counted(result); }
};

/// An operand of an instance and what a thread did to it.
struct Recorder {
    int rows = 1, columns = 1;
    bool is_result = false;
    std::vector<counted> components;
    std::set<int> written_before; ///< by any thread
    mutable std::set<int> read;   ///< by this thread
    std::set<int> written;        ///< by this thread
    mutable std::string misuse;   ///< the first index outside the operand, or read of a component of the result before it is written

    int index(int i, int j) const {
        if (i < 0 || i >= rows || j < 0 || j >= columns) {
            misuse = "component (" + std::to_string(i) + ", " + std::to_string(j) + ") of a " + std::to_string(rows) + "x" +
                std::to_string(columns) + " operand";
            return 0;
        }
        return i * columns + j;
    }
    counted reading(int component) const {
        if (is_result && !written_before.contains(component))
            misuse = "component " + std::to_string(component) + " of the result is read before it is written";
        read.insert(component);
        return components[static_cast<std::size_t>(component)];
    }
    void writing(int component, counted value) {
        written.insert(component);
        written_before.insert(component);
        components[static_cast<std::size_t>(component)] = value;
    }
};

/// A view of a recorder, as device sources see it.
template <int Rows, int Columns>
struct recorded_view {
    using value_type = counted;
    static constexpr int rows = Rows, columns = Columns;
    Recorder& recorder;

    struct component {
        Recorder& recorder;
        int index;
        void operator=(counted value) { recorder.writing(index, value); }
    };

    counted operator()(int i, int j) const { return recorder.reading(recorder.index(i, j)); }
    component operator()(int i, int j) { return {recorder, recorder.index(i, j)}; }
    counted operator()(int i) const { return recorder.reading(recorder.index(i, 0)); }
    component operator()(int i) { return {recorder, recorder.index(i, 0)}; }
    counted operator()() const { return recorder.reading(0); }
    component operator()() { return {recorder, 0}; }
};

} // namespace fusec::test

namespace fusec {

inline test::counted sqrt(test::counted x) {
    ++test::counts.square_roots;
    return test::counted::operation(std::sqrt(x.value));
}
inline test::counted rsqrt(test::counted x) {
    return 1 / sqrt(x);
}
inline test::counted abs(test::counted x) {
    return test::counted::operation(std::abs(x.value));
}
inline test::counted min(test::counted a, test::counted b) {
    return test::counted::operation(std::min(a.value, b.value));
}
inline test::counted max(test::counted a, test::counted b) {
    return test::counted::operation(std::max(a.value, b.value));
}
inline test::counted select(bool condition, test::counted a, test::counted b) {
    return condition ? a : b;
}
inline test::counted select(test::counted::comparison comparison, test::counted a, test::counted b) {
    return test::counted::operation(comparison.holds ? a.value : b.value);
}
template <int Threads>
test::counted value_from(lane<Threads> lane, int thread, test::counted x) {
    return test::exchanged(lane.index, thread, x);
}
template <int Threads>
test::counted sum_over(lane<Threads> lane, test::counted x) {
    for (int distance = Threads / 2; distance > 0; distance /= 2)
        x += test::exchanged(lane.index, lane.index ^ distance, x);
    return x;
}
inline test::counted transcendental(double result) {
    ++test::counts.transcendentals;
    return test::counted::operation(result);
}
inline test::counted exp(test::counted x) {
    return transcendental(std::exp(x.value));
}
inline test::counted log(test::counted x) {
    return transcendental(std::log(x.value));
}
inline test::counted sin(test::counted x) {
    return transcendental(std::sin(x.value));
}
inline test::counted cos(test::counted x) {
    return transcendental(std::cos(x.value));
}
/// Counts as four: docs/library.md.
inline test::counted pow(test::counted x, test::counted y) {
    for (int i = 0; i < 3; ++i)
        transcendental(0);
    return transcendental(std::pow(x.value, y.value));
}

} // namespace fusec
