// SPDX-License-Identifier: Apache-2.0
#include "tests/random/generator.hpp"

#include "tests/random/chain_statement.hpp"
#include "tests/random/generator_parts.hpp"
#include "tests/random/packed_statement.hpp"
#include "tests/random/program_blocks.hpp"
#include "tests/random/update_statement.hpp"

#include <algorithm>

namespace fusec::random_programs {

std::string Generator::run() {
    declare();
    for (int i = 0; i < options_.calls; ++i) {
        starts_.push_back(body_.size());
        while (!statement("t" + std::to_string(i))) {
        }
        if (options_.updates && update_draw_.chance(30)) {
            body_ += update_statement(values_, used_, update_draw_);
        }
    }
    if (options_.updates && std::none_of(values_.begin(), values_.end(), [](const Value& v) { return v.updated; })) {
        body_ += update_statement(values_, used_, update_draw_);
    }
    body_ += options_.chains ? chain_statement("chain", values_, used_, update_draw_) : "";
    std::vector<std::string> outputs;
    for (const Value& v : values_) {
        if (!v.input && v.varies && !v.alias && (!used_.contains(v.name) || draw_.chance(15))) {
            outputs.push_back(v.name);
        }
    }
    if (outputs.empty()) {
        body_ += "last = 2 * " + values_.back().name + ";\n";
        outputs.emplace_back("last");
    }
    std::string text = "program " + name_ + ";\n" + declarations_;
    for (const bool updated : {false, true}) {
        std::string names;
        for (const Value& v : values_) {
            names += v.input && v.varies && v.updated == updated ? (names.empty() ? "" : ", ") + v.name : "";
        }
        text += names.empty() ? "" : (updated ? "inout " : "input ") + names + ";\n";
    }
    text += (options_.program_blocks ? in_program_blocks(body_, starts_, block_draw_) : body_) + "return ";
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        text += (i == 0 ? "" : ", ") + outputs[i];
    }
    return text + ";\n";
}

void Generator::declare() {
    std::vector<int> sizes;
    for (int i = 0; i < 2; ++i) {
        sizes.push_back(1 + draw_.below(options_.largest));
    }
    const std::string precision = options_.f64 ? "double " : "float ";
    const int lists = 3 + draw_.below(3);
    for (int i = 0; i < lists; ++i) {
        Value v{.name = "a" + std::to_string(i), .input = true};
        const int form = i == 0 ? 2 : draw_.below(4);
        v.rows = form == 0 ? 0 : draw_.one_of(sizes);
        v.columns = form >= 2 ? draw_.one_of(sizes) : 0;
        v.packed = options_.symmetric && v.square() && symmetric_draw_.chance(70);
        declarations_ += precision + v.declared_type() + " " + v.name + ";\n";
        values_.push_back(v);
    }
    if (options_.uniforms) {
        const Value v{.name = "u", .input = true, .varies = false};
        declarations_ += "uniform " + precision + v.type() + " u;\n";
        values_.push_back(v);
    }
    if (options_.uniforms && options_.derived) { // no sum that cancels
        body_ += "from_u = u * u + 0.5;\n";
        values_.push_back({.name = "from_u", .input = true, .varies = false});
    }
    if (options_.constants) {
        const int n = draw_.one_of(sizes);
        const Value v{.name = "k", .rows = n, .input = true, .varies = false};
        declarations_ += "const " + precision + v.type() + " k = [";
        for (int i = 0; i < n; ++i) {
            declarations_ += (i == 0 ? "" : ", ") + std::to_string(draw_.below(7) - 3) + (draw_.chance(50) ? ".5" : "");
        }
        declarations_ += "];\n";
        values_.push_back(v);
        if (options_.uniforms && options_.derived) {
            body_ += "from_k = u * k;\n";
            values_.push_back({.name = "from_k", .rows = n, .input = true, .varies = false});
        }
    }
}

std::optional<Value> Generator::pick(const Test& test) {
    std::vector<Value> fitting;
    std::copy_if(values_.begin(), values_.end(), std::back_inserter(fitting), test);
    if (fitting.empty()) {
        return std::nullopt;
    }
    // Recent values twice as often, so that chains grow.
    const bool recent = draw_.chance(50);
    return recent ? fitting.back() : draw_.one_of(fitting);
}

bool Generator::add(const std::string& target, int rows, int columns, const std::string& written, const std::vector<Value>& operands) {
    const bool varies = std::any_of(operands.begin(), operands.end(), [](const Value& v) { return v.varies; });
    if (!varies) {
        return false;
    }
    const std::string expression =
        options_.neutrals && neutral_draw_.chance(40) ? with_neutral(neutral_draw_.below(5), written, rows, columns) : written;
    if (options_.blocks && block_draw_.chance(25)) {
        body_ += called(target, expression, operands);
    } else if (options_.alternatives && ways_ < 2 && neutral_draw_.chance(40)) {
        ++ways_;
        const std::string other = "other_" + target;
        body_ += "alternatives { " + target + " = " + expression + "; } or { " + other + " = 0.5 * (" + expression + "); " + target +
            " = " + other + " * 2; }\n";
    } else {
        body_ += target + " = " + expression + ";\n";
    }
    if (options_.blocks && !summed_ && block_draw_.chance(30)) {
        summed_ = true; // once, as every iteration makes two calls; multiples of one value cannot cancel
        body_ += "for q in 1..3 {\n    " + target + " += (" + expression + ") * q;\n}\n";
    }
    for (const Value& v : operands) {
        used_.insert(v.name);
    }
    values_.push_back({.name = target, .rows = rows, .columns = columns});
    return true;
}

bool Generator::add_sum(
    const std::string& target, int rows, int columns, const std::string& expression, const std::vector<Value>& operands) {
    if (!add(target, rows, columns, expression, operands)) {
        return false;
    }
    for (const Value& v : operands) {
        values_.back().parts.insert(v.parts.begin(), v.parts.end());
    }
    return true;
}

void Generator::note_statement(const std::string& target, const Value& a, const std::vector<Value>& operands) {
    Value made{.name = target, .rows = a.rows, .columns = a.columns, .moved = true};
    for (const Value& v : operands) {
        used_.insert(v.name);
        made.parts.insert(v.parts.begin(), v.parts.end());
    }
    values_.push_back(std::move(made));
}

bool Generator::statement(const std::string& target) {
    if (options_.symmetric && symmetric_draw_.chance(35)) {
        return symmetric_statement(target);
    }
    if (options_.components && component_draw_.chance(40)) {
        return component_statement(target);
    }
    if (options_.selections && selection_draw_.chance(35)) {
        return selection_statement(target);
    }
    if (options_.slices && draw_.chance(45)) {
        return moving_statement(target);
    }
    const auto a = pick([](const Value&) { return true; });
    const auto same = [&](const Value& v) { return v.rows == a->rows && v.columns == a->columns; };
    const auto is_scalar = [](const Value& v) { return v.scalar(); };
    if (a->matrix()) {
        return matrix_statement(target, *a, same, is_scalar);
    }
    if (a->vector()) {
        return vector_statement(target, *a, same, is_scalar);
    }
    const auto b = pick(is_scalar);
    switch (draw_.below(6)) {
    case 0:
        return sum_or_difference(target, *a, *b);
    case 1:
        return add(target, 0, 0, a->name + " * " + b->name, {*a, *b});
    case 2:
        return add_sum(target, 0, 0, "sabs(" + a->name + ")", {*a});
    case 3:
        return draw_.chance(50) ? add_sum(target, 0, 0, "smax(" + a->name + ", " + b->name + ")", {*a, *b}) : clipped(target, *a, *b);
    case 4:
        return add_sum(target, 0, 0, a->name + " - 0.5", {*a});
    default:
        return add_sum(target, 0, 0, "-" + a->name, {*a});
    }
}

bool Generator::symmetric_statement(const std::string& target) {
    const auto a = pick([](const Value& v) { return v.varies && !v.scalar(); });
    if (!a) {
        return false;
    }
    const PackedStatement made = packed_statement(symmetric_draw_, target, *a, options_.f64);
    if (!made.converts.empty()) {
        return add_sum(target, made.size, made.size, made.converts, {*a});
    }
    body_ += made.text;
    note_statement(target, {.name = target, .rows = made.size, .columns = made.size}, {*a});
    values_.back().moved = false;
    return true;
}

std::string random_program(std::uint64_t seed, const ProgramOptions& options) {
    return Generator(seed, options).run();
}

} // namespace fusec::random_programs
