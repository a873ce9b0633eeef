// SPDX-License-Identifier: Apache-2.0
// The host target: emitted text is compiled by the compiler of this build and run; results against Eigen, written independently of the
// library, and the promises of the interface (DESIGN.md section 5).
#include "tests/codegen/host_samples.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace fusec::codegen::test {

namespace {

/// `words` random components for each of n elements, from a start that is `misaligned` bytes off a multiple of 64. What lies around the
/// list is known, so that writes outside it show.
template <class T>
class List {
public:
    List(std::size_t n, int words, std::size_t misaligned = 0)
        : words_(static_cast<std::size_t>(words)), size_(n * words_), memory_((size_ + 64) * sizeof(T) + 192, std::byte{0x5a}) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        data_ = reinterpret_cast<T*>(memory_.data() + (64 - address % 64) + 64 + misaligned);
        std::mt19937 random(static_cast<unsigned>(size_));
        std::uniform_real_distribution<T> uniform(-1, 1);
        for (std::size_t i = 0; i < size_; ++i) {
            data_[i] = uniform(random);
        }
    }

    List(const List&) = delete;
    List& operator=(const List&) = delete;

    T* data() { return data_; }
    Eigen::MatrixXd element(std::size_t e, int rows, int columns) const {
        return Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(data_ + e * words_, rows, columns)
            .template cast<double>();
    }
    double component(std::size_t i) const { return static_cast<double>(data_[i]); }
    /// True when every byte before and after the list is as it was made.
    bool surroundings_intact() const {
        const auto* begin = reinterpret_cast<const std::byte*>(data_);
        const auto* end = reinterpret_cast<const std::byte*>(data_ + size_);
        for (const std::byte& byte : memory_) {
            if ((&byte < begin || &byte >= end) && byte != std::byte{0x5a}) {
                return false;
            }
        }
        return true;
    }

private:
    std::size_t words_, size_;
    std::vector<std::byte> memory_;
    T* data_;
};

template <class T>
double demo_error(
    const List<T>& a, const List<T>& b, const List<T>& c, const List<T>& d, const List<T>& e, const List<T>& f, std::size_t element) {
    const double s = (a.element(element, 3, 3) * b.element(element, 3, 3) * c.element(element, 3, 1)).norm();
    const Eigen::MatrixXd de = d.element(element, 5, 5) * e.element(element, 5, 5) + d.element(element, 5, 5);
    return (f.element(element, 5, 5) - s * de).cwiseAbs().maxCoeff();
}

const std::vector<std::string> demo_results = {"M1", "v1", "s1", "M2", "M3", "F"};

std::unique_ptr<Sample> demo(const std::string& precision = "") {
    std::string text = demo_text;
    for (std::size_t at = 0; !precision.empty() && (at = text.find(";\n", at)) != std::string::npos; ++at) {
        // Declarations come first; each takes the precision.
        const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
        if (text.compare(line, 6, "MATRIX") == 0 || text.compare(line, 6, "VECTOR") == 0 || text.compare(line, 6, "SCALAR") == 0) {
            text.insert(line, precision + " ");
            at += precision.size() + 1;
        }
    }
    return sample("demo", text);
}

class HostDemo : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        program = demo();
        library = std::make_unique<HostLibrary>(
            lower(plan_of({host_kernel(*program, demo_results, {"F"})}, *program), program->graph, program->catalog), *program);
    }
    static void TearDownTestSuite() {
        library.reset();
        program.reset();
    }

    static std::unique_ptr<Sample> program;
    static std::unique_ptr<HostLibrary> library;
};
std::unique_ptr<Sample> HostDemo::program;
std::unique_ptr<HostLibrary> HostDemo::library;

// Whole tiles, tails, both, and more than the 64 tiles from which threads share the work; aligned and not.
TEST_F(HostDemo, EveryLengthAndAlignment) {
    for (const std::size_t n : std::vector<std::size_t>{1, 2, 15, 16, 17, 31, 33, 1000, 4099}) {
        for (const std::size_t misaligned : std::vector<std::size_t>{0, 4, 16, 36}) {
            List<float> a(n, 9, misaligned), b(n, 9), c(n, 3, misaligned), d(n, 25), e(n, 25, misaligned), f(n, 25, misaligned);
            ASSERT_EQ(library->launch({a.data(), b.data(), c.data(), d.data(), e.data(), f.data()}, 0, n), 0);
            for (std::size_t element = 0; element < n; ++element) {
                ASSERT_LT(demo_error(a, b, c, d, e, f, element), 2e-5)
                    << "element " << element << " of " << n << ", misaligned by " << misaligned;
            }
            EXPECT_TRUE(f.surroundings_intact()) << n << ", misaligned by " << misaligned;
        }
    }
}

// Every call stands in a loop of its own; what it computes is the same, each time from operands that may have changed.
TEST_F(HostDemo, RepeatsCalls) {
    const HostLibrary repeated(lower(plan_of({host_kernel(*program, demo_results, {"F"})}, *program), program->graph, program->catalog),
        *program, true, "-march=native", 3);
    const std::string& text = repeated.text().source;
    EXPECT_NE(text.find(R"(
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            fusec::opaque_lanes<18>(A_value);
            fusec::opaque_lanes<27>(B_value);
            fusec::opaque_lists();
            fusec::mmul_element(A_value, B_value, M1);
            fusec::opaque_lanes<9>(M1);
        }
)"),
        std::string::npos)
        << text;
    // Two matrices of nine components do not wait for each other; a matrix and a vector do, through the vector.
    EXPECT_NE(text.find(R"(
        if (waits != 0) {
            for (int repetition = 0; repetition < repetitions; ++repetition) {
                fusec::wait_lanes(c_value, v1, waits >> 1);
)"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find(R"(
        if (waits == 0) {
            for (int repetition = 0; repetition < repetitions; ++repetition) {
                fusec::opaque_lanes<15>(M1);
                fusec::opaque_lanes<6>(c_value);
)"),
        std::string::npos)
        << text;
    EXPECT_EQ(text.find("wait_lanes(A_value"), std::string::npos);
    // Of 25 + 1 -> 25 components the scalar and the result lie in 26 registers, the matrix in memory.
    for (const char* each : {"<1>(s1)", "<51>(M3)", "<26>(F_value)"}) {
        EXPECT_NE(text.find(std::string("            fusec::opaque_lanes") + each + ";\n"), std::string::npos) << text;
    }
    EXPECT_EQ(library->text().source.find("opaque"), std::string::npos);
    constexpr std::size_t n = 100;
    List<float> a(n, 9), b(n, 9), c(n, 3), d(n, 25), e(n, 25), f(n, 25);
    const auto greatest_error = [&] {
        EXPECT_EQ(repeated.launch({a.data(), b.data(), c.data(), d.data(), e.data(), f.data()}, 0, n), 0);
        double greatest = 0;
        for (std::size_t element = 0; element < n; ++element) {
            const double error = demo_error(a, b, c, d, e, f, element);
            greatest = std::isnan(error) ? HUGE_VAL : std::max(greatest, error);
        }
        return greatest;
    };
    EXPECT_LT(greatest_error(), 2e-5);
    // A call that waits for the one before has the operands that it had, made of that result with none of its bits; with all of them, which is what
    // half of -2 is, they are others.
    repeated.variable("_chained") = 1;
    EXPECT_LT(greatest_error(), 2e-5);
    repeated.variable("_chained") = -2; // all bits
    EXPECT_GT(greatest_error(), 1e-2);
    repeated.variable("_chained") = 0;
    EXPECT_LT(greatest_error(), 2e-5);
}

TEST_F(HostDemo, RangeComputesItsElementsOnly) {
    constexpr std::size_t n = 300;
    List<float> a(n, 9), b(n, 9), c(n, 3), d(n, 25), e(n, 25), f(n, 25);
    const std::vector<float> before(f.data(), f.data() + n * 25);
    ASSERT_EQ(library->launch({a.data(), b.data(), c.data(), d.data(), e.data(), f.data()}, 37, 101), 0);
    for (std::size_t element = 0; element < n; ++element) {
        if (element >= 37 && element < 138) {
            EXPECT_LT(demo_error(a, b, c, d, e, f, element), 2e-5) << element;
        } else {
            EXPECT_TRUE(std::equal(before.begin() + static_cast<std::ptrdiff_t>(element) * 25,
                before.begin() + static_cast<std::ptrdiff_t>(element + 1) * 25, f.data() + element * 25))
                << element;
        }
    }
}

TEST_F(HostDemo, NothingToDo) {
    EXPECT_EQ(library->launch({nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}, 0, 0), 0);
    EXPECT_EQ(library->launch({}, 0, 0), 0) << "null arguments";
    EXPECT_EQ(library->launch({}, 7, 0), 0) << "null arguments of an empty range";
    EXPECT_NE(library->launch({}, 0, 1), 0) << "null arguments";
    for (const std::size_t n : {std::size_t{1000}, (std::size_t{1} << 40U) + 1, ~std::size_t{0}}) {
        EXPECT_EQ(library->workspace_bytes(n), 0U) << "this program needs none, whatever n";
    }
}

TEST_F(HostDemo, BadPointersAreErrors) {
    constexpr std::size_t n = 20;
    List<float> a(n, 9), b(n, 9), c(n, 3), d(n, 25), e(n, 25), f(n, 25);
    std::vector<void*> lists = {a.data(), b.data(), c.data(), d.data(), e.data(), f.data()};
    for (std::size_t i = 0; i < lists.size(); ++i) {
        std::vector<void*> without = lists;
        without[i] = nullptr;
        EXPECT_NE(library->launch(without, 0, n), 0) << i;
    }
    lists[5] = lists[3];
    EXPECT_NE(library->launch(lists, 0, n), 0) << "the output is an input";
    lists[5] = static_cast<float*>(lists[3]) + 25;
    EXPECT_NE(library->launch(lists, 0, n), 0) << "the output overlaps an input";
    EXPECT_NE(library->launch(lists, std::size_t{1} << 41, n), 0) << "more elements than the address space has";
}

TEST(HostTarget, DoublePrecisionWithoutFusionThroughTheWorkspace) {
    const auto program = demo("double");
    std::vector<fusion::Candidate> kernels;
    for (const std::string& result : demo_results) {
        kernels.push_back(
            host_kernel(*program, {result}, {result}, result == "F" ? fusion::Staging::lanes_streaming : fusion::Staging::lanes));
    }
    const HostLibrary library(lower(plan_of(std::move(kernels), *program), program->graph, program->catalog), *program);
    EXPECT_EQ(library.launch({}, 0, 0), 0) << "null arguments, no workspace, nothing to do";
    EXPECT_EQ(library.launch({}, 3, 0, &kernels, 1), 0) << "a workspace too small and misaligned for an empty range";
    EXPECT_NE(library.launch({}, 0, 1), 0) << "null arguments";
    // Slots of M1, v1, s1, M2, M3 in doubles, for 2^40 elements each a multiple of 256; beyond, a size that nothing has.
    constexpr std::size_t most = std::size_t{1} << 40U;
    EXPECT_EQ(library.workspace_bytes(most), (9 + 3 + 1 + 25 + 25) * 8 * most);
    for (const std::size_t n : {most + 1, std::size_t{1} << 63U, ~std::size_t{0}, static_cast<std::size_t>(-1000)}) {
        EXPECT_EQ(library.workspace_bytes(n), SIZE_MAX) << n;
    }
    for (const std::size_t n : std::vector<std::size_t>{1, 8, 1003}) {
        List<double> a(n, 9), b(n, 9), c(n, 3), d(n, 25), e(n, 25), f(n, 25);
        const std::vector<void*> lists = {a.data(), b.data(), c.data(), d.data(), e.data(), f.data()};
        const std::size_t bytes = library.workspace_bytes(n);
        ASSERT_GT(bytes, 0U);
        void* workspace = std::aligned_alloc(256, bytes);
        EXPECT_NE(library.launch(lists, 0, n), 0) << "no workspace";
        EXPECT_NE(library.launch(lists, 0, n, workspace, bytes - 1), 0) << "a byte too few";
        EXPECT_EQ(library.launch(lists, 0, n, workspace, bytes), 0);
        std::free(workspace);
        for (std::size_t element = 0; element < n; ++element) {
            ASSERT_LT(demo_error(a, b, c, d, e, f, element), 1e-13) << element;
        }
    }
}

// A table, a uniform, a literal, two outputs, and each function that has lanes of its own.
TEST(HostTarget, ConstantsUniformsAndFunctions) {
    const auto program = sample("mixed", R"(MATRIX4x3 X;
uniform SCALAR mu;
uniform VECTOR3 w;
const MATRIX3x4 G = [[-1, 1, 0, 0], [-1, 0, 1, 0], [-1, 0, 0, 1.5]];
input X;
J = mmul(G, X);
d = mdet(J);
a = sabs(d);
b = smax(a, 0.25);
l = slog(b);
t = mu * l;
p = spow(b, 1.5);
q = ssin(t);
r = q + p;
u = w * r;
y = mvmul(J, u);
return r, y;
)");
    std::vector<std::string> all;
    for (const frontend::Datum& datum : program->graph.program().data) {
        if (datum.producer) {
            all.push_back(datum.name);
        }
    }
    for (const char* flags : {"-march=native", "-march=x86-64-v3", "-march=x86-64", "-march=native -O0"}) {
        for (const bool embed_runtime : {true, false}) {
            const HostLibrary library(lower(plan_of({host_kernel(*program, all, {"r", "y"})}, *program), program->graph, program->catalog),
                *program, embed_runtime, flags);
            constexpr std::size_t n = 101;
            List<float> x(n, 12), mu(1, 1), w(1, 3), r(n, 1), y(n, 3);
            ASSERT_EQ(library.launch({mu.data(), w.data(), x.data(), r.data(), y.data()}, 0, n), 0);
            Eigen::Matrix<double, 3, 4> g;
            g << -1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1.5;
            for (std::size_t element = 0; element < n; ++element) {
                const Eigen::Matrix3d jacobian = g * x.element(element, 4, 3);
                const double clamped = std::max(std::abs(jacobian.determinant()), 0.25);
                const double expected = std::sin(mu.component(0) * std::log(clamped)) + std::pow(clamped, 1.5);
                ASSERT_NEAR(r.component(element), expected, 2e-5 * std::max(1.0, expected)) << flags << ", element " << element;
                const Eigen::Vector3d vector = jacobian * (w.element(0, 3, 1) * expected);
                ASSERT_LT((y.element(element, 3, 1) - vector).cwiseAbs().maxCoeff(), 1e-4 * std::max(1.0, expected))
                    << flags << ", element " << element;
            }
        }
    }
}

TEST(HostTarget, SameUnitSameBytes) {
    const auto program = demo();
    const Unit unit = lower(plan_of({host_kernel(*program, demo_results, {"F"})}, *program), program->graph, program->catalog);
    EmitOptions options;
    options.target = fusion::Target::host;
    const Emitted once = emit(unit, program->graph, program->catalog, options),
                  twice = emit(unit, program->graph, program->catalog, options);
    EXPECT_EQ(once.source, twice.source);
    EXPECT_EQ(once.header, twice.header);
}

} // namespace

} // namespace fusec::codegen::test
