// SPDX-License-Identifier: Apache-2.0
// What routines read again, against played loop nests; registers and spills of kernels, against what nvcc says of their text.
#include "elementary-lib/component_map.hpp"
#include "fusion/kernel_builder.hpp"
#include "fusion/register_demand.hpp"
#include "tests/fusion/library_routine.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace fusec::fusion {
namespace {

using test::catalog;
using test::matrix_shape;
using test::ProgramBuilder;
using test::scalar_shape;
using test::vector_shape;

/// Accesses to one operand, in the order of the loops.
class Trace {
public:
    void read(int component) {
        const auto [entry, added] = spans_.try_emplace(component, time_, time_);
        entry->second.second = time_++;
        loads_ += since_write_.insert(component).second ? 1 : 0;
    }
    /// Behind this, nothing that was read before is known.
    void write() { since_write_.clear(); }
    int distinct() const { return static_cast<int>(spans_.size()); }
    /// Of a compiler that keeps nothing over a write.
    int loads() const { return loads_; }
    /// Most components that have been read and will be read again, at any time.
    int waiting() const {
        int most = 0;
        for (int now = 0; now < time_; ++now) {
            most = std::max(most, static_cast<int>(std::count_if(spans_.begin(), spans_.end(), [&](const auto& span) {
                return span.second.first <= now && now < span.second.second;
            })));
        }
        return most;
    }

private:
    int time_ = 0, loads_ = 0;
    std::set<int> since_write_;
    std::map<int, std::pair<int, int>> spans_; ///< component -> first and last access
};

OperandReuse reuse(const std::string& function, const std::vector<Shape>& shapes, const std::string& implementation, std::size_t operand) {
    return test::routine(function, shapes, implementation).reuse.at(operand);
}

void expect_played(const Trace& played, const OperandReuse& found, const std::string& what) {
    EXPECT_EQ(found.read, played.distinct()) << what;
    EXPECT_EQ(found.kept, played.waiting()) << what;
    EXPECT_EQ(found.times * found.read, played.loads()) << what;
}

TEST(OperandReuse, ProductsAsTheirLoopsAreRead) {
    constexpr int rows = 6, inner = 4, columns = 5;
    struct Part {
        const char* implementation;
        int rows, columns; ///< of the first thread
    };
    for (const Part& part : {Part{"element", rows, columns}, {"row", 1, columns}, {"rows2", 2, columns}, {"rows3", 3, columns},
             {"column", rows, 1}, {"entry", 1, 1}}) {
        Trace a, b;
        for (int i = 0; i < part.rows; ++i) {
            for (int j = 0; j < part.columns; ++j) {
                for (int k = 0; k < inner; ++k) {
                    a.read(i * inner + k);
                    b.read(k * columns + j);
                }
                a.write();
                b.write();
            }
        }
        const std::vector<Shape> shapes{matrix_shape(rows, inner), matrix_shape(inner, columns)};
        expect_played(a, reuse("mmul", shapes, part.implementation, 0), std::string("A of ") + part.implementation);
        expect_played(b, reuse("mmul", shapes, part.implementation, 1), std::string("B of ") + part.implementation);
    }
}

TEST(OperandReuse, OthersAsTheirLoopsAreRead) {
    constexpr int rows = 3, columns = 4;
    Trace matrix, vector, left, right, entry, scalar;
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < columns; ++k) {
            matrix.read(i * columns + k); // y[i] = sum(k) A[i,k] x[k]
            vector.read(k);
            left.read(i); // C[i,k] = a[i] b[k]
            right.read(k);
            entry.read(i * columns + k); // C[i,k] = s A[i,k]
            scalar.read(0);              // before the loops
            left.write();
            right.write();
            entry.write();
        }
        matrix.write();
        vector.write();
    }
    const Shape shape = matrix_shape(rows, columns);
    expect_played(matrix, reuse("mvmul", {shape, vector_shape(columns)}, "element", 0), "A of mvmul");
    expect_played(vector, reuse("mvmul", {shape, vector_shape(columns)}, "element", 1), "x of mvmul");
    expect_played(left, reuse("vouter", {vector_shape(rows), vector_shape(columns)}, "element", 0), "a of vouter");
    expect_played(right, reuse("vouter", {vector_shape(rows), vector_shape(columns)}, "element", 1), "b of vouter");
    expect_played(scalar, reuse("smmul", {shape, scalar_shape}, "element", 1), "s of smmul");
    expect_played(entry, reuse("smmul", {shape, scalar_shape}, "element", 0), "A of smmul");
}

TEST(OperandReuse, FactorizationsReadTheMatrixOnceAndFormulasKeepIt) {
    EXPECT_EQ(reuse("mcholsolve", {matrix_shape(8, 8), vector_shape(8)}, "element", 0).kept, 0);
    EXPECT_EQ(reuse("minv", {matrix_shape(3, 3)}, "element", 0).kept, 9);
}

/// The work of one call by itself, `implementation` of it.
KernelWork work(Precision precision, const std::string& function, const std::vector<Shape>& shapes, const std::string& implementation,
    LoadPolicy loads, StorePolicy stores) {
    ProgramBuilder builder(precision);
    Column column;
    column.executes = {CallId(0)};
    std::vector<DataId> operands;
    for (const Shape& shape : shapes) {
        operands.push_back(builder.input("x" + std::to_string(operands.size()), shape));
    }
    builder.output(builder.call(function, operands, "result"));
    const dag::CallGraph graph = builder.graph();
    column.loads = operands;
    column.stores = graph.boundary(column.executes);
    DeviceLimits limits;
    const std::vector<CallRoutines> routines = find_routines(graph, catalog(), limits);
    CallCosts costs(graph, routines);
    const KernelOutline kernel = outline(graph, column, routines, costs);
    const library::Function& declared = catalog().function(graph.call(CallId(0)).instance.function);
    Combination combination(1, 0);
    while (declared.implementations[routines[0].routines.at(combination[0]).implementation].name != implementation) {
        ++combination[0];
    }
    KernelChoice choice;
    choice.elements = 8;
    choice.loads = loads;
    choice.stores = stores;
    KernelBuilder builder_of_kernels(limits);
    Candidate candidate;
    EXPECT_FALSE(builder_of_kernels.build(kernel, combination, choice, candidate).has_value());
    return candidate.work;
}

KernelWork product(Precision precision, int size, const std::string& implementation, LoadPolicy loads, StorePolicy stores) {
    return work(precision, "mmul", {matrix_shape(size, size), matrix_shape(size, size)}, implementation, loads, stores);
}

TEST(RegisterDemand, ProductsTakeWhatNvccGivesThem) {
    // nvcc 13.0, sm_90, of the text that fusec emits: registers, and no spill.
    constexpr auto tile = LoadPolicy::async;
    const auto registers = [&](Precision precision, int size, const char* implementation, StorePolicy stores = StorePolicy::vectors) {
        const KernelWork found = product(precision, size, implementation, tile, stores);
        EXPECT_EQ(found.spill_bytes, 0);
        return found.registers;
    };
    EXPECT_NEAR(registers(Precision::f32, 10, "element"), 128, 20);
    EXPECT_NEAR(registers(Precision::f32, 12, "element"), 222, 40);
    EXPECT_NEAR(registers(Precision::f64, 8, "element"), 166, 20);
    EXPECT_NEAR(registers(Precision::f64, 10, "element"), 254, 20);
    EXPECT_NEAR(registers(Precision::f64, 8, "row", StorePolicy::direct), 44, 8);
    EXPECT_NEAR(registers(Precision::f64, 12, "row", StorePolicy::direct), 64, 16);
}

TEST(RegisterDemand, RowsOfLargeProductsSpillWhereTheCompilerKeepsAnOperand) {
    // nvcc 13.0, sm_80, bytes of spill stores and loads of a thread: 24x24 in double by two rows a thread, entries in registers, 15528 and
    // 18588; 64x64 in float by two rows a thread, operands in place, 44316 and 60988; in double 168496 and 190800.
    const KernelWork two_rows = product(Precision::f64, 24, "rows2", LoadPolicy::async, StorePolicy::direct);
    EXPECT_GT(two_rows.registers_needed, 2 * 576);
    EXPECT_NEAR(two_rows.spill_bytes / 12, 15528 + 18588, 0.3 * (15528 + 18588));
    const KernelWork side_by_side = product(Precision::f64, 12, "rows3", LoadPolicy::async, StorePolicy::direct);
    EXPECT_NEAR(side_by_side.registers, 128, 16); // the entries in registers, made side by side: no spill
    EXPECT_EQ(side_by_side.spill_bytes, 0);
    const KernelWork in_place = product(Precision::f32, 64, "rows2", LoadPolicy::in_place, StorePolicy::vectors);
    EXPECT_GT(in_place.registers_needed, 4096);
    EXPECT_NEAR(in_place.spill_bytes / 32, 44316 + 60988, 0.5 * (44316 + 60988));
    EXPECT_GT(product(Precision::f64, 64, "rows2", LoadPolicy::in_place, StorePolicy::direct).registers_needed, 2 * 4096);
    // The same by one row, and with stores to a tile between the rows (32 registers): nothing is kept that is large.
    EXPECT_EQ(product(Precision::f64, 24, "row", LoadPolicy::async, StorePolicy::direct).spill_bytes, 0);
    EXPECT_EQ(product(Precision::f32, 24, "rows3", LoadPolicy::async, StorePolicy::vectors).spill_bytes, 0);
}

TEST(RegisterDemand, TheTriangleOfASolveIsATemporary) {
    // nvcc 13.0, sm_80: 24x24 in float stores 596 and loads 1088 bytes a thread, in double 2784 and 10352; 8x8 in double takes 104 registers.
    const auto solve = [](Precision precision, int size) {
        return work(
            precision, "mcholsolve", {matrix_shape(size, size), vector_shape(size)}, "element", LoadPolicy::in_place, StorePolicy::direct);
    };
    EXPECT_GT(solve(Precision::f32, 24).spill_bytes, 0);
    EXPECT_GT(solve(Precision::f64, 24).spill_bytes, 4 * solve(Precision::f32, 24).spill_bytes);
    EXPECT_EQ(solve(Precision::f64, 8).spill_bytes, 0);
    EXPECT_NEAR(solve(Precision::f64, 8).registers, 104, 16);
}

/// The kernel d = det(A B) by one thread per element, `moved` with the product moved in between: each component to the place of another.
KernelWork determinant(bool moved, LoadPolicy loads) {
    const Shape shape = matrix_shape(3, 3);
    ProgramBuilder builder(Precision::f64);
    const DataId a = builder.input("A", shape), b = builder.input("B", shape);
    DataId product = builder.call("mmul", {a, b}, "P");
    product = moved ? builder.node({product}, shape) : product;
    builder.output(builder.call("mdet", {product}, "d"));
    frontend::CheckedProgram program = builder.program();
    library::ComponentMap map{{shape}, shape, {}};
    for (int component = 0; component < shape.size(); ++component) {
        map.sources.push_back({0, shape.size() - 1 - component});
    }
    program.functions = {library::moving_function(map)};
    const library::Catalog both = catalog().with(program.functions);
    if (moved) {
        program.calls[1].instance.function = FunctionId(catalog().library_size());
    }
    const dag::CallGraph graph(program);
    Column column;
    for (std::size_t i = 0; i < graph.calls(); ++i) {
        column.executes.emplace_back(i);
    }
    column.loads = {a, b};
    column.stores = graph.boundary(column.executes);
    const DeviceLimits limits;
    const std::vector<CallRoutines> routines = find_routines(graph, both, limits);
    CallCosts costs(graph, routines);
    const KernelOutline kernel = outline(graph, column, routines, costs);
    KernelChoice choice; // the first routines have one thread
    choice.elements = 64;
    choice.loads = loads;
    choice.stores = StorePolicy::direct;
    KernelBuilder builder_of_kernels(limits);
    Candidate candidate;
    EXPECT_FALSE(builder_of_kernels.build(kernel, Combination(graph.calls(), 0), choice, candidate).has_value());
    EXPECT_EQ(granularity_text(candidate), moved ? "{1 1 1}" : "{1 1}");
    EXPECT_EQ(candidate.plan_of(product).placement, Placement::registers);
    return candidate.work;
}

TEST(RegisterDemand, AMoveInRegistersCostsNothing) {
    for (const LoadPolicy loads : {LoadPolicy::in_place, LoadPolicy::async}) {
        const KernelWork with = determinant(true, loads), without = determinant(false, loads);
        EXPECT_EQ(with.registers_needed, without.registers_needed);
        EXPECT_EQ(with.registers, without.registers);
        EXPECT_EQ(with.instructions, without.instructions);
        EXPECT_EQ(with.path_instructions, without.path_instructions);
        EXPECT_EQ(with.shared_wavefronts, without.shared_wavefronts);
        EXPECT_EQ(with.remaps, without.remaps);
    }
}

} // namespace
} // namespace fusec::fusion
