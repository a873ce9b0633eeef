// SPDX-License-Identifier: Apache-2.0
// What the checks of the elementary functions share, and the test that they leave no implementation out.
#include "tests/elementary-functions/implementation_check.hpp"

#include "elementary-lib/catalog.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace fusec::test {

namespace {

/// The library of this checkout.
const library::Catalog& catalog() {
    static const library::Catalog loaded = [] {
        Diagnostics diagnostics;
        auto read = library::Catalog::load({std::string(FUSEC_SOURCE_DIR) + "/elementary-lib"}, diagnostics);
        if (!read)
            throw std::runtime_error("the library does not load");
        return std::move(*read);
    }();
    return loaded;
}

/// Random operands within the domains that the metadata declares, rounded to float if `single`.
Values random_operands(const library::Function& function, const std::vector<Shape>& shapes, bool single, std::mt19937& random) {
    std::uniform_real_distribution<double> any(-1, 1), away(0.5, 2);
    Values values;
    for (std::size_t operand = 0; operand < shapes.size(); ++operand) {
        const int rows = shapes[operand].rows, columns = shapes[operand].columns;
        const auto fill = [&](auto&& draw) { return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(rows, columns, draw)); };
        Eigen::MatrixXd value;
        switch (function.inputs[operand].domain) {
        case library::Domain::any:
            value = fill([&] { return any(random); });
            break;
        case library::Domain::positive:
            value = fill([&] { return away(random); });
            break;
        case library::Domain::nonzero:
            value = fill([&] { return any(random) < 0 ? -away(random) : away(random); });
            break;
        case library::Domain::invertible:
            value = fill([&] { return any(random); }) + rows * Eigen::MatrixXd::Identity(rows, rows);
            break;
        case library::Domain::spd:
            value = fill([&] { return any(random); });
            value = Eigen::MatrixXd(value * value.transpose() + rows * Eigen::MatrixXd::Identity(rows, rows));
            break;
        }
        if (single)
            value = value.cast<float>().cast<double>();
        values.push_back(value);
    }
    return values;
}

/// Components of an operand that thread `lane` of `threads` may touch. Written again here, not taken from the compiler.
std::set<int> components(const Shape& shape, library::Touch touch, int threads, int lane) {
    std::set<int> found;
    for (int i = 0; i < shape.rows; ++i) {
        for (int j = 0; j < shape.columns; ++j) {
            const int component = i * shape.columns + j;
            const bool touched = touch == library::Touch::all || (touch == library::Touch::row && i == lane) ||
                (touch == library::Touch::column && j == lane) || (touch == library::Touch::entry && component == lane) ||
                (touch == library::Touch::rows && i / (shape.rows / threads) == lane);
            if (touched)
                found.insert(component);
        }
    }
    return found;
}

/// Implementations checked so far, `mmul_row`.
std::set<std::string> checked;

/// Rounding errors allowed: of some hundred operations on the largest component.
double tolerance(const Eigen::MatrixXd& expected, double epsilon) {
    return 300 * epsilon * std::max(1.0, expected.cwiseAbs().maxCoeff());
}

void expect_component(const std::string& name, double value, const Eigen::MatrixXd& expected, std::size_t component, double epsilon) {
    const Eigen::Index i = static_cast<Eigen::Index>(component) / expected.cols(),
                       j = static_cast<Eigen::Index>(component) % expected.cols();
    EXPECT_NEAR(value, expected(i, j), tolerance(expected, epsilon)) << name << " component (" << i << ", " << j << ")";
}

/// Components in row-major order.
std::vector<double> row_major(const Eigen::MatrixXd& value) {
    std::vector<double> components;
    for (Eigen::Index i = 0; i < value.rows(); ++i)
        for (Eigen::Index j = 0; j < value.cols(); ++j)
            components.push_back(value(i, j));
    return components;
}

// Scalars and SIMD lanes alike.
template <class T>
constexpr int width_of = 1;
template <class T, int Width>
constexpr int width_of<simd<T, Width>> = Width;

/// The values that a one-thread implementation computes; each lane has operands of its own.
template <class T>
void check_values(const Case& one, const library::Function& function, void (*run)(T* const*), const std::string& name,
    const Meaning& meaning, double epsilon, std::mt19937& random) {
    std::vector<Shape> shapes = one.operands;
    shapes.push_back(one.result);
    std::vector<std::vector<T>> memory;
    std::vector<T*> pointers;
    for (const Shape& shape : shapes)
        memory.emplace_back(static_cast<std::size_t>(shape.size()));
    for (std::vector<T>& operand : memory)
        pointers.push_back(operand.data());
    std::vector<Values> given;
    for (int lane = 0; lane < width_of<T>; ++lane) {
        given.push_back(random_operands(function, one.operands, epsilon > 1e-10, random));
        for (std::size_t operand = 0; operand < one.operands.size(); ++operand) {
            const std::vector<double> values = row_major(given.back()[operand]);
            for (std::size_t component = 0; component < values.size(); ++component) {
                if constexpr (width_of<T> == 1)
                    memory[operand][component] = static_cast<T>(values[component]);
                else
                    memory[operand][component].lanes[lane] = static_cast<typename T::value_type>(values[component]);
            }
        }
    }
    run(pointers.data());
    for (int lane = 0; lane < width_of<T>; ++lane) {
        const Eigen::MatrixXd expected = meaning(given[static_cast<std::size_t>(lane)]);
        for (std::size_t component = 0; component < memory.back().size(); ++component) {
            if constexpr (width_of<T> == 1)
                expect_component(name + " in float", memory.back()[component], expected, component, epsilon);
            else
                expect_component(name + " in lanes", memory.back()[component].lanes[lane], expected, component, epsilon);
        }
    }
}

void check_recorded(const Case& one, const library::Function& function, const library::Instance& instance,
    const library::Implementation& implementation, const std::string& name, const Meaning& meaning, std::mt19937& random) {
    const Values given = random_operands(function, one.operands, false, random);
    std::vector<Recorder> operands;
    for (const Eigen::MatrixXd& value : given) {
        operands.push_back({static_cast<int>(value.rows()), static_cast<int>(value.cols()), false, {}, {}, {}, {}, {}});
        for (const double component : row_major(value))
            operands.back().components.emplace_back(component);
    }
    operands.push_back(
        {one.result.rows, one.result.columns, true, std::vector<counted>(static_cast<std::size_t>(one.result.size())), {}, {}, {}, {}});

    counts = {};
    std::vector<std::vector<Recorder>> of_thread(static_cast<std::size_t>(one.threads), operands);
    const auto run = [&](int thread) { one.recorded(thread, of_thread[static_cast<std::size_t>(thread)].data()); };
    int exchanges = 0;
    if (implementation.exchanges) {
        exchanges = run_together(one.threads, run);
    } else {
        for (int thread = 0; thread < one.threads; ++thread)
            run(thread);
    }
    EXPECT_EQ(exchanges, catalog().exchanges(instance, implementation)) << name << ": exchanges of each thread";
    for (int thread = 0; thread < one.threads; ++thread) {
        std::vector<counted> result = std::move(operands.back().components);
        operands = of_thread[static_cast<std::size_t>(thread)];
        for (const int component : operands.back().written) {
            const counted made = operands.back().components[static_cast<std::size_t>(component)];
            if (thread > 0 && implementation.output == library::Touch::all) {
                EXPECT_EQ(made.value, result[static_cast<std::size_t>(component)].value) << name << ": threads differ";
            }
            result[static_cast<std::size_t>(component)] = made;
        }
        operands.back().components = std::move(result);
        EXPECT_EQ(operands.back().written, components(one.result, implementation.output, one.threads, thread))
            << name << ": written by thread " << thread;
        for (std::size_t operand = 0; operand < one.operands.size(); ++operand) {
            // What a part of an operand is declared for is also needed: else a smaller part should have been declared.
            if (implementation.inputs[operand] != library::Touch::all) {
                EXPECT_EQ(operands[operand].read, components(one.operands[operand], implementation.inputs[operand], one.threads, thread))
                    << name << ": operand " << operand << " read by thread " << thread;
            }
        }
        if (one.threads > 1) {
            EXPECT_TRUE(std::includes(
                operands.back().written.begin(), operands.back().written.end(), operands.back().read.begin(), operands.back().read.end()))
                << name << ": threads read what others made of the result";
        }
    }
    for (const std::vector<Recorder>& thread : of_thread)
        for (const Recorder& operand : thread)
            EXPECT_EQ(operand.misuse, "") << name;
    const library::OperationCounts declared = catalog().operations(instance, implementation);
    // Threads that share an instance each form the reciprocal that they multiply with, unless the implementation counts for itself.
    const double repeated = implementation.divisions ? 0 : (one.threads - 1) * declared.divisions;
    EXPECT_EQ(counts.flops, declared.flops + repeated) << name;
    EXPECT_EQ(counts.divisions, declared.divisions + repeated) << name;
    EXPECT_EQ(counts.square_roots, declared.square_roots) << name;
    EXPECT_EQ(counts.transcendentals, declared.transcendentals) << name;

    const Eigen::MatrixXd expected = meaning(given);
    ASSERT_EQ(expected.rows(), one.result.rows) << name;
    ASSERT_EQ(expected.cols(), one.result.columns) << name;
    for (std::size_t component = 0; component < operands.back().components.size(); ++component)
        expect_component(name, operands.back().components[component].value, expected, component, std::numeric_limits<double>::epsilon());
}

TEST(ElementaryFunctions, EveryImplementationIsChecked) {
    for (void (*check_function)() : all_checks())
        check_function();
    std::set<std::string> declared;
    for (const std::string& name : catalog().names())
        for (const library::Implementation& implementation : catalog().function(*catalog().find(name)).implementations)
            declared.insert(name + "_" + implementation.name);
    EXPECT_EQ(checked, declared);
}

} // namespace

void check(const Case& one, const Meaning& meaning) {
    std::string name = one.function + "_" + one.implementation;
    checked.insert(name);
    for (const Shape& shape : one.operands)
        name += " " + to_string(shape);
    const std::optional<FunctionId> id = catalog().find(one.function);
    ASSERT_TRUE(id) << one.function;
    const library::Function& function = catalog().function(*id);
    std::vector<Type> types;
    for (const Shape& shape : one.operands)
        types.push_back({shape, Precision::f64});
    const auto matched = catalog().match(*id, types);
    ASSERT_TRUE(std::holds_alternative<library::Instance>(matched)) << name << ": " << std::get<library::Mismatch>(matched).message;
    const auto& instance = std::get<library::Instance>(matched);
    EXPECT_EQ(instance.result.shape, one.result) << name;
    const auto implementation = std::find_if(function.implementations.begin(), function.implementations.end(),
        [&](const auto& candidate) { return candidate.name == one.implementation; });
    ASSERT_NE(implementation, function.implementations.end()) << name;
    EXPECT_EQ(catalog().threads(instance, *implementation), one.threads) << name;

    std::mt19937 random(20240229);
    check_recorded(one, function, instance, *implementation, name, meaning, random);
    if (one.threads == 1) {
        check_values(one, function, one.in_float, name, meaning, std::numeric_limits<float>::epsilon(), random);
        check_values(one, function, one.in_float_lanes, name, meaning, std::numeric_limits<float>::epsilon(), random);
        check_values(one, function, one.in_double_lanes, name, meaning, std::numeric_limits<double>::epsilon(), random);
    }
}

} // namespace fusec::test
