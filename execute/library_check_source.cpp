// SPDX-License-Identifier: Apache-2.0
#include "execute/library_check_source.hpp"

#include "elementary-lib/device_source.hpp"
#include "support/writer.hpp"

#include <algorithm>
#include <set>

namespace fusec::execute {

using library::Function;
using library::Touch;

namespace {

/// Views that look at every index: the first that is outside of its operand is recorded, and component 0 stands for it. Then how each part of
/// an operand is taken from an array of doubles, and a result put back; `blank` is a result nobody has written.
constexpr std::string_view parts = R"(// Operand (-1: none), row and column of the first component that is outside.
extern "C" int check_fault[3];
int check_fault[3] = {-1, 0, 0};

namespace {

template <int Operand, class View>
struct checked_view {
    using value_type = typename View::value_type;
    static constexpr int rows = View::rows, columns = View::columns;
    View& view;
    checked_view& self() { return *this; }
    static bool inside(int i, int j) {
        const bool good = i >= 0 && i < rows && j >= 0 && j < columns;
        if (!good && check_fault[0] < 0) {
            check_fault[0] = Operand;
            check_fault[1] = i;
            check_fault[2] = j;
        }
        return good;
    }
    decltype(auto) operator()(int i = 0, int j = 0) const { return inside(i, j) ? view(i, j) : view(0, 0); }
    decltype(auto) operator()(int i = 0, int j = 0) { return inside(i, j) ? view(i, j) : view(0, 0); }
};
template <int Operand, class View>
checked_view<Operand, View> checked(View& view) {
    return {view};
}

template <class T>
void clear(T* data, int count) {
    for (int k = 0; k < count; ++k)
        data[k] = T(NAN);
}

template <class T, int R, int C, int>
struct all_part {
    using view = fusec::registers<T, R, C>;
    static view blank(int) { view v; clear(v.data, R * C); return v; }
    static view in(const double* x, int) { view v; for (int k = 0; k < R * C; ++k) v.data[k] = T(x[k]); return v; }
    static void out(const view& v, double* x, int) { for (int k = 0; k < R * C; ++k) x[k] = v.data[k]; }
};
template <class T, int R, int C, int>
struct row_part {
    using view = fusec::row_registers<T, R, C>;
    static view blank(int) { view v; clear(v.data, C); return v; }
    static view in(const double* x, int t) { view v; for (int k = 0; k < C; ++k) v.data[k] = T(x[t * C + k]); return v; }
    static void out(const view& v, double* x, int t) { for (int k = 0; k < C; ++k) x[t * C + k] = v.data[k]; }
};
template <class T, int R, int C, int>
struct column_part {
    using view = fusec::column_registers<T, R, C>;
    static view blank(int) { view v; clear(v.data, R); return v; }
    static view in(const double* x, int t) { view v; for (int k = 0; k < R; ++k) v.data[k] = T(x[k * C + t]); return v; }
    static void out(const view& v, double* x, int t) { for (int k = 0; k < R; ++k) x[k * C + t] = v.data[k]; }
};
template <class T, int R, int C, int>
struct entry_part {
    using view = fusec::entry_registers<T, R, C>;
    static view blank(int) { return view{T(NAN)}; }
    static view in(const double* x, int t) { return view{T(x[t])}; }
    static void out(const view& v, double* x, int t) { x[t] = v.data; }
};
template <class T, int R, int C, int Threads>
struct rows_part {
    static constexpr int held = R / Threads * C;
    struct view : fusec::rows_view<T, R, C> {
        fusec::rows_registers<T, R, C, Threads> words;
        explicit view(int t) : fusec::rows_view<T, R, C>{fusec::rows_of(words, t)} { clear(words.data, held); }
        view(const view& other) : fusec::rows_view<T, R, C>{other.first, words.data}, words(other.words) {}
    };
    static view blank(int t) { return view(t); }
    static view in(const double* x, int t) { view v = blank(t); for (int k = 0; k < held; ++k) v.data[k] = T(x[t * held + k]); return v; }
    static void out(const view& v, double* x, int t) { for (int k = 0; k < held; ++k) x[t * held + k] = v.data[k]; }
};

template <class T, int R, int C, int>
struct whole_part : all_part<T, R, C, 1> {
    static void out(const fusec::registers<T, R, C>& v, double* x, int) {
        for (int k = 0; k < R * C; ++k)
            x[k] = x[k] != x[k] || x[k] == v.data[k] ? double(v.data[k]) : INFINITY;
    }
};

template <class T, int Size>
struct array {
    T data[Size];
    array() { clear(data, Size); }
    explicit array(const double* x) { for (int k = 0; k < Size; ++k) data[k] = T(x[k]); }
    void out(double* x) const { for (int k = 0; k < Size; ++k) x[k] = data[k]; }
};

} // namespace)";

/// The same for SIMD lanes.
constexpr std::string_view lane_parts = R"(namespace {

// Case i + l in lane l; lanes past the last case repeat it.
template <class T, int W, int R, int C>
fusec::registers<fusec::simd<T, W>, R, C> lanes_in(const double* x, int i, int cases) {
    fusec::registers<fusec::simd<T, W>, R, C> v;
    for (int k = 0; k < R * C; ++k)
        for (int l = 0; l < W; ++l)
            v.data[k].lanes[l] = T(x[(i + l < cases ? i + l : cases - 1) * R * C + k]);
    return v;
}
template <class T, int W, int R, int C>
void lanes_out(const fusec::registers<fusec::simd<T, W>, R, C>& v, double* x, int i, int cases) {
    for (int k = 0; k < R * C; ++k)
        for (int l = 0; l < W && i + l < cases; ++l)
            x[(i + l) * R * C + k] = v.data[k].lanes[l];
}

} // namespace)";

/// For a string literal.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    return out;
}

std::string dimensions(const Shape& shape) {
    return std::to_string(shape.rows) + ", " + std::to_string(shape.columns);
}

/// Parts that a thread cannot hold by itself (row t of more threads than rows) are read from memory.
bool holdable(const Shape& shape, Touch touch, int threads) {
    return library::components_touched(shape, touch, threads) != 0;
}

std::string part_of(const Shape& shape, Touch touch, const CheckInstance& instance) {
    static constexpr const char* names[]{"all_part", "row_part", "column_part", "entry_part", "rows_part"};
    return std::string(names[static_cast<std::size_t>(touch)]) + "<" + c_name(instance.precision) + ", " + dimensions(shape) + ", " +
        std::to_string(instance.threads) + ">";
}

/// The operands and the result, each by a view that looks at its indices.
std::string arguments(std::size_t operands) {
    std::string text;
    for (std::size_t i = 0; i < operands; ++i) {
        const std::string number = std::to_string(i);
        text += ", checked<" + number + ">(a" + number + ")";
    }
    return text + ", checked<" + std::to_string(operands) + ">(c).self()";
}

std::string element_of(const std::string& list, const Shape& shape) {
    return list + " + i * " + std::to_string(shape.size());
}

/// What makes a view of components in memory.
std::string view_of(const Shape& shape, const CheckInstance& instance) {
    const std::string type = c_name(instance.precision);
    return shape.packed ? "fusec::symmetric<" + type + ", " + std::to_string(shape.rows) + ">"
                        : "fusec::view<" + type + ", " + dimensions(shape) + ">";
}

void memory_operand(Writer& text, const CheckInstance& instance, std::size_t operand) {
    const Shape& shape = instance.operands[operand];
    const std::string number = std::to_string(operand);
    text.line("const array<" + std::string(c_name(instance.precision)) + ", " + std::to_string(shape.size()) + "> m" + number + "(" +
        element_of("operands[" + number + "]", shape) + ");");
    text.line("const auto a" + number + " = " + view_of(shape, instance) + "(m" + number + ".data);");
}

/// The instances of a block of 96 threads are several, and those of the last block mostly fewer.
void by_emulated_threads(Writer& text, const CheckInstance& instance, const std::string& call, const std::string& kernel) {
    constexpr int block = 96;
    const int instances = block / instance.threads;
    const std::string threads = std::to_string(instance.threads);
    {
        const auto body = text.block("__global__ void " + kernel + "(const double* const* operands, double* result, int cases)");
        text.line("const int i = int(blockIdx.x) * " + std::to_string(instances) + " + int(threadIdx.x) / " + threads +
            ", t = int(threadIdx.x) % " + threads + ";");
        const auto guard = text.block("if (i < cases)");
        for (std::size_t operand = 0; operand < instance.operands.size(); ++operand) {
            const Shape& shape = instance.operands[operand];
            const Touch touch = instance.implementation->inputs[operand];
            const std::string number = std::to_string(operand);
            if (instance.holding == Holding::registers && holdable(shape, touch, instance.threads)) {
                text.line("const auto a" + number + " = " + part_of(shape, touch, instance) + "::in(" +
                    element_of("operands[" + number + "]", shape) + ", t);");
            } else {
                memory_operand(text, instance, operand);
            }
        }
        const Touch touch = instance.implementation->output;
        const std::string part = touch == Touch::all
            ? "whole_part<" + std::string(c_name(instance.precision)) + ", " + dimensions(instance.result) + ", 1>"
            : part_of(instance.result, touch, instance);
        text.line("auto c = " + part + "::blank(t);");
        text.line(call + "(fusec::lane<" + threads + ">{t}" + arguments(instance.operands.size()) + ");");
        text.line(part + "::out(c, " + element_of("result", instance.result) + ", t);");
    }
    text.line();
}

void launch(Writer& text, const CheckInstance& instance, const std::string& kernel) {
    const int instances = 96 / instance.threads;
    text.line("const cudaLaunchConfig_t blocks = {dim3(unsigned(cases + " + std::to_string(instances - 1) + ") / " +
        std::to_string(instances) + "), dim3(" + std::to_string(instances * instance.threads) + "), 0, nullptr, nullptr, 0};");
    text.line("cudaLaunchKernelEx(&blocks, " + kernel + ", operands, result, cases);");
}

void in_lanes(Writer& text, const CheckInstance& instance, const std::string& call) {
    const std::string type = c_name(instance.precision);
    text.line("constexpr int width = fusec::vector_bytes / sizeof(" + type + ");");
    const auto cases = text.block("for (int i = 0; i < cases; i += width)");
    for (std::size_t operand = 0; operand < instance.operands.size(); ++operand) {
        const std::string number = std::to_string(operand);
        text.line("const auto a" + number + " = lanes_in<" + type + ", width, " + dimensions(instance.operands[operand]) + ">(operands[" +
            number + "], i, cases);");
    }
    text.line("fusec::registers<fusec::simd<" + type + ", width>, " + dimensions(instance.result) + "> c;");
    text.line("for (auto& component : c.data)");
    text.line("    component = " + type + "(NAN);");
    text.line(call + "(fusec::lane<1>{0}" + arguments(instance.operands.size()) + ");");
    text.line("lanes_out(c, result, i, cases);");
}

void by_threads(Writer& text, const CheckInstance& instance, const std::string& call) {
    const bool in_registers = instance.holding == Holding::registers;
    const Shape& result = instance.result;
    const auto cases = text.block("for (int i = 0; i < cases; ++i)");
    for (std::size_t operand = 0; operand < instance.operands.size(); ++operand) {
        if (!in_registers || !holdable(instance.operands[operand], instance.implementation->inputs[operand], instance.threads)) {
            memory_operand(text, instance, operand);
        }
    }
    const bool result_held = in_registers && holdable(result, instance.implementation->output, instance.threads);
    if (!result_held) {
        text.line("array<" + std::string(c_name(instance.precision)) + ", " + std::to_string(result.size()) + "> mc;");
        text.line("auto c = " + view_of(result, instance) + "(mc.data);");
    }
    {
        const auto threads = text.block("for (int t = 0; t < " + std::to_string(instance.threads) + "; ++t)");
        for (std::size_t operand = 0; operand < instance.operands.size(); ++operand) {
            const Shape& shape = instance.operands[operand];
            const Touch touch = instance.implementation->inputs[operand];
            if (in_registers && holdable(shape, touch, instance.threads)) {
                const std::string number = std::to_string(operand);
                text.line("const auto a" + number + " = " + part_of(shape, touch, instance) + "::in(" +
                    element_of("operands[" + number + "]", shape) + ", t);");
            }
        }
        const std::string part = part_of(result, instance.implementation->output, instance);
        if (result_held) {
            text.line("auto c = " + part + "::blank(t);");
        }
        text.line(call + "(fusec::lane<" + std::to_string(instance.threads) + ">{t}" + arguments(instance.operands.size()) + ");");
        if (result_held) {
            text.line(part + "::out(c, " + element_of("result", result) + ", t);");
        }
    }
    if (!result_held) {
        text.line("mc.out(" + element_of("result", result) + ");");
    }
}

} // namespace

std::string_view name_of(Holding holding) {
    switch (holding) {
    case Holding::memory:
        return "memory";
    case Holding::registers:
        return "registers";
    case Holding::lanes:
        return "lanes";
    }
    return {};
}

std::string check_function(const Function& function, const CheckInstance& instance, const std::string& name) {
    Writer text;
    const std::string call = "fusec::" + library::template_name(function, *instance.implementation), kernel = name + "_kernel";
    if (is_emulated(instance)) {
        by_emulated_threads(text, instance, call, kernel);
    }
    {
        const auto body = text.block("extern \"C\" void " + name + "(const double* const* operands, double* result, int cases)");
        if (is_emulated(instance)) {
            launch(text, instance, kernel);
        } else if (instance.holding == Holding::lanes) {
            in_lanes(text, instance, call);
        } else {
            by_threads(text, instance, call);
        }
    }
    return text.take();
}

bool is_emulated(const CheckInstance& instance) {
    return instance.threads > 1 && instance.implementation->exchanges.has_value();
}

std::string check_unit(const Function& function, const std::vector<CheckInstance>& instances, bool emulated) {
    Writer text;
    text.line(emulated ? "#include <fusec/exchange.cuh>" : "#include <fusec/host.hpp>");
    if (emulated) {
        text.line("#include <fusec/math.cuh>");
    }
    text.line();
    text.line("namespace fusec {");
    std::set<std::string> written; // implementations may share a template
    for (const library::Implementation& implementation : function.implementations) {
        const bool used = std::any_of(instances.begin(), instances.end(), [&](const CheckInstance& instance) {
            return is_emulated(instance) == emulated && instance.implementation->routine == implementation.routine;
        });
        if (!used || !written.insert(library::template_name(function, implementation)).second) {
            continue;
        }
        const std::string_view source = library::implementation_source(function, implementation);
        const auto first = static_cast<std::size_t>(source.data() - function.source.data());
        const auto line = 1 + std::count(function.source.begin(), function.source.begin() + static_cast<std::ptrdiff_t>(first), '\n');
        text.line("#line " + std::to_string(line) + " \"" + escaped(function.source_path.string()) + "\"");
        text.lines(source);
    }
    text.line("} // namespace fusec");
    text.line("#line 1 \"check of " + function.name + "\"");
    text.lines(parts);
    if (!emulated) {
        text.lines(lane_parts);
    }
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (is_emulated(instances[i]) != emulated) {
            continue;
        }
        text.line();
        text.lines(check_function(function, instances[i], "check_" + std::to_string(i)));
    }
    return text.take();
}

} // namespace fusec::execute
