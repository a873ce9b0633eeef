// SPDX-License-Identifier: Apache-2.0
#include "tests/random/generator.hpp"

#include "tests/random/chain_statement.hpp"
#include "tests/random/draw.hpp"
#include "tests/random/packed_statement.hpp"
#include "tests/random/program_blocks.hpp"
#include "tests/random/update_statement.hpp"
#include "tests/random/value.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace fusec::random_programs {

namespace {

using Test = std::function<bool(const Value&)>;

class Generator {
public:
    Generator(std::uint64_t seed, const ProgramOptions& options)
        : draw_(seed),
          block_draw_(~seed),
          neutral_draw_(seed ^ 0x5a5aU),
          component_draw_(seed ^ 0x5bd1e995U),
          selection_draw_(seed ^ 0x7f4a7c15U),
          symmetric_draw_(seed ^ 0x2545f491U),
          update_draw_(seed ^ 0x68bc21ebU),
          options_(options),
          name_("p" + std::to_string(seed)) {}

    std::string run() {
        declare();
        for (int i = 0; i < options_.calls; ++i) {
            starts_.push_back(body_.size());
            while (!statement("t" + std::to_string(i))) {
            }
            if (options_.updates && update_draw_.chance(30)) {
                body_ += update_statement(values_, used_, options_.symmetric, update_draw_);
            }
        }
        if (options_.updates && std::none_of(values_.begin(), values_.end(), [](const Value& v) { return v.updated; })) {
            body_ += update_statement(values_, used_, options_.symmetric, update_draw_);
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

private:
    void declare() {
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

    std::optional<Value> pick(const Test& test) {
        std::vector<Value> fitting;
        std::copy_if(values_.begin(), values_.end(), std::back_inserter(fitting), test);
        if (fitting.empty()) {
            return std::nullopt;
        }
        // Recent values twice as often, so that chains grow.
        const bool recent = draw_.chance(50);
        return recent ? fitting.back() : draw_.one_of(fitting);
    }

    bool add(const std::string& target, int rows, int columns, const std::string& written, const std::vector<Value>& operands) {
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

    bool statement(const std::string& target) {
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

    /// `target` = a value that is `operands` added up to signs.
    bool add_sum(const std::string& target, int rows, int columns, const std::string& expression, const std::vector<Value>& operands) {
        if (!add(target, rows, columns, expression, operands)) {
            return false;
        }
        for (const Value& v : operands) {
            values_.back().parts.insert(v.parts.begin(), v.parts.end());
        }
        return true;
    }

    bool sum_or_difference(const std::string& target, const Value& a, const Value& b) {
        const bool shared = std::any_of(a.parts.begin(), a.parts.end(), [&](const std::string& part) { return b.parts.contains(part); });
        if (shared && a.name != b.name) {
            return false;
        }
        return add_sum(target, a.rows, a.columns, a.name + (shared || draw_.chance(50) ? " + " : " - ") + b.name, {a, b});
    }

    /// A plastic multiplier, a gap: exactly 0 for about half of the elements.
    bool clipped(const std::string& target, const Value& a, const Value& b) {
        if (std::any_of(a.parts.begin(), a.parts.end(), [&](const std::string& part) { return b.parts.contains(part); })) {
            return false;
        }
        return add_sum(target, 0, 0, (draw_.chance(50) ? "smax(" : "smin(") + a.name + " - " + b.name + ", 0)", {a, b});
    }

    bool matrix_statement(const std::string& target, const Value& a, const Test& same, const Test& is_scalar) {
        switch (draw_.below(12)) {
        case 0:
        case 1: {
            const auto b = pick([&](const Value& v) { return v.matrix() && v.rows == a.columns; });
            return b && add(target, a.rows, b->columns, a.name + " * " + b->name, {a, *b});
        }
        case 2: {
            const auto b = pick([&](const Value& v) { return v.matrix() && v.rows == a.rows; });
            return b && add(target, a.columns, b->columns, "mtmul(" + a.name + ", " + b->name + ")", {a, *b});
        }
        case 3: {
            const auto b = pick([&](const Value& v) { return v.matrix() && v.columns == a.columns; });
            return b && add(target, a.rows, b->rows, "mmult(" + a.name + ", " + b->name + ")", {a, *b});
        }
        case 4: {
            const auto b = pick(same);
            return sum_or_difference(target, a, *b);
        }
        case 5: {
            const auto s = pick(is_scalar);
            return s && add(target, a.rows, a.columns, s->name + " * " + a.name, {a, *s});
        }
        case 6: {
            const auto v = pick([&](const Value& x) { return x.vector() && x.rows == a.columns; });
            return v && add(target, a.rows, 0, a.name + " * " + v->name, {a, *v});
        }
        case 7: {
            const auto v = pick([&](const Value& x) { return x.vector() && x.rows == a.rows; });
            return v && add(target, a.columns, 0, "mtvmul(" + a.name + ", " + v->name + ")", {a, *v});
        }
        case 8:
            return add_sum(target, a.columns, a.rows, a.name + "'", {a});
        case 9:
            return a.rows == a.columns && add(target, 0, 0, "mtrace(" + a.name + ")", {a});
        case 10:
            return a.rows == a.columns && a.rows <= 4 && a.input && !a.updated && add(target, a.rows, a.rows, "minv(" + a.name + ")", {a});
        default:
            return a.rows == a.columns && add_sum(target, a.rows, a.rows, "msym(" + a.name + ")", {a});
        }
    }

    bool vector_statement(const std::string& target, const Value& a, const Test& same, const Test& is_scalar) {
        switch (draw_.below(6)) {
        case 0: {
            const auto b = pick(same);
            return sum_or_difference(target, a, *b);
        }
        case 1: {
            const auto b = pick(same);
            return add(target, 0, 0, "vdot(" + a.name + ", " + b->name + ")", {a, *b});
        }
        case 2:
            return add(target, 0, 0, "venorm(" + a.name + ")", {a});
        case 3: {
            const auto b = pick([](const Value& v) { return v.vector(); });
            return add(target, a.rows, b->rows, "vouter(" + a.name + ", " + b->name + ")", {a, *b});
        }
        case 4: {
            const auto s = pick(is_scalar);
            const auto b = pick(same);
            return s && add_sum(target, a.rows, 0, "axpy(" + s->name + ", " + a.name + ", " + b->name + ")", {a, *s, *b});
        }
        default: {
            const auto s = pick(is_scalar);
            return s && add(target, a.rows, 0, s->name + " * " + a.name, {a, *s});
        }
        }
    }

    /// `target` = components of `operands`. Not all of them are moved themselves, so the result is none of the values there are.
    bool add_moved(const std::string& target, int rows, int columns, const std::string& expression, const std::vector<Value>& operands,
        bool zeros = false) {
        const bool all_moved = std::all_of(operands.begin(), operands.end(), [](const Value& v) { return v.moved; });
        if ((operands.size() > 1 && all_moved) || !add_sum(target, rows, columns, expression, operands)) {
            return false;
        }
        values_.back().moved = true;
        values_.back().several = operands.size() > 1;
        values_.back().alias = operands.size() == 1 && (operands.front().several || operands.front().alias);
        values_.back().fixed = zeros || std::any_of(operands.begin(), operands.end(), [](const Value& v) { return v.fixed || !v.varies; });
        return true;
    }

    /// `a:b`, `:b`, `a:` of a dimension, not all of it, and how many it chooses. Pre: size > 1.
    std::pair<std::string, int> proper_range(int size) {
        const int count = 1 + draw_.below(size - 1);
        const int first = draw_.below(size - count + 1);
        const bool open_begin = first == 0 && draw_.chance(50);
        const bool open_end = first + count == size && draw_.chance(50);
        return {(open_begin ? "" : std::to_string(first)) + ":" + (open_end ? "" : std::to_string(first + count)), count};
    }

    bool moving_statement(const std::string& target) {
        const auto a = pick([](const Value&) { return true; });
        if (a->matrix()) {
            return matrix_move(target, *a);
        }
        return a->vector() ? vector_move(target, *a) : scalar_move(target, *a);
    }

    bool matrix_move(const std::string& target, const Value& a) {
        const std::string i = std::to_string(draw_.below(a.rows));
        const std::string j = std::to_string(draw_.below(a.columns));
        const int what = draw_.below(9);
        if (what <= 4 && a.fixed) {
            return false;
        }
        switch (what) {
        case 0:
            return add_moved(target, 0, 0, a.name + "[" + i + ", " + j + "]", {a});
        case 1:
            return add_moved(target, a.columns, 0, a.name + "[" + i + (draw_.chance(50) ? "]" : ", :]"), {a});
        case 2:
            return add_moved(target, a.rows, 0, a.name + "[:, " + j + "]", {a});
        case 3: {
            if (a.rows == 1 || a.columns == 1) {
                return false;
            }
            const auto [rows, row_count] = proper_range(a.rows);
            const auto [columns, column_count] = proper_range(a.columns);
            return add_moved(target, row_count, column_count, a.name + "[" + rows + ", " + columns + "]", {a});
        }
        case 4: {
            if (a.rows == 1) {
                return false;
            }
            const auto [rows, count] = proper_range(a.rows);
            return add_moved(target, count, a.columns, a.name + "[" + rows + "]", {a});
        }
        case 5: {
            const auto b = pick([&](const Value& v) { return v.rows == a.columns || v.columns == a.columns; });
            const bool fits = b && (b->vector() ? b->rows == a.columns : b->columns == a.columns);
            const int rows = fits ? a.rows + (b->vector() ? 1 : b->rows) : 0;
            return fits && rows <= largest_made && add_moved(target, rows, a.columns, "rows(" + a.name + ", " + b->name + ")", {a, *b});
        }
        case 6: {
            const auto b = pick([&](const Value& v) { return v.rows == a.rows; });
            const int columns = b ? a.columns + (b->vector() ? 1 : b->columns) : 0;
            return b && columns <= largest_made && add_moved(target, a.rows, columns, "columns(" + b->name + ", " + a.name + ")", {*b, a});
        }
        case 7:
            return reversed_rows(target, a);
        default:
            return part_summed_to(target, a);
        }
    }

    /// What is compared is no sum of the same values: their difference could be nothing but rounding errors, which decide then.
    bool selection_statement(const std::string& target) {
        const auto x = pick([](const Value&) { return true; });
        const auto y = pick([&](const Value& v) { return v.rows == x->rows && v.columns == x->columns; });
        const auto compared = compared_scalar();
        if (!y || !compared || (!x->varies && !y->varies)) {
            return false;
        }
        const std::string comparison = compared->first + " " +
            selection_draw_.one_of(std::vector<std::string>{"<", "<=", ">", ">=", "==", "!="}) + " " + compared->second;
        const bool turned = selection_draw_.chance(30);
        const std::string expression = "select(" + comparison + ", " + x->name + ", " + (turned ? "-" : "") + y->name + ")";
        std::vector<Value> operands{*x, *y};
        operands.insert(operands.end(), compared_.begin(), compared_.end());
        if (!options_.components || x->scalar() || x->fixed || y->fixed || x->moved || y->moved || selection_draw_.chance(50)) {
            return add_sum(target, x->rows, x->columns, expression, operands);
        }
        // Component by component: one call when it is condensed.
        const std::string at = x->matrix() ? "[i, j]" : "[i]";
        const std::string body =
            target + at + " = select(" + comparison + ", " + x->name + at + ", " + (turned ? "-" : "") + y->name + at + ");";
        return made_by_loops(target, *x, loop("i", 0, x->rows, x->matrix() ? loop("j", 0, x->columns, body) : body), operands);
    }

    /// Two scalars as written: values or their components, the second one possibly a number. `compared_` are the values.
    std::optional<std::pair<std::string, std::string>> compared_scalar() {
        const auto component = [&](const Value& v) {
            const auto index = [&](int size) { return std::to_string(selection_draw_.below(size)); };
            return v.scalar() ? v.name : v.name + "[" + index(v.rows) + (v.matrix() ? ", " + index(v.columns) : "") + "]";
        };
        const auto a = pick([](const Value& v) { return v.varies && !v.fixed; });
        const auto b = pick([&](const Value& v) {
            return !v.fixed &&
                std::none_of(v.parts.begin(), v.parts.end(), [&](const std::string& part) { return a->parts.contains(part); });
        });
        compared_ = {*a};
        if (!b || selection_draw_.chance(40)) {
            return std::pair{component(*a), selection_draw_.one_of(std::vector<std::string>{"0", "0.25", "-0.5"})};
        }
        compared_.push_back(*b);
        return std::pair{component(*a), component(*b)};
    }

    bool symmetric_statement(const std::string& target) {
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

    /// Scalar arithmetic in loops over components: of one value or two that cannot cancel.
    bool component_statement(const std::string& target) {
        const auto computed = [](const Value& v) { return v.varies && !v.fixed && !v.moved; };
        const auto a = pick([&](const Value& v) { return computed(v) && !v.scalar(); });
        if (!a) {
            return false;
        }
        return a->matrix() ? matrix_components(target, *a) : vector_components(target, *a);
    }

    static std::string loop(const std::string& index, int first, int last, const std::string& body) {
        return "for " + index + " in " + std::to_string(first) + ".." + std::to_string(last) + " { " + body + " }\n";
    }

    bool made_by_loops(const std::string& target, const Value& like, const std::string& loops, const std::vector<Value>& operands) {
        if (!like.scalar()) {
            body_ += (options_.f64 ? "double " : "float ") + like.type() + " " + target + ";\n";
        }
        body_ += loops;
        note_statement(target, like, operands);
        values_.back().moved = false;
        return true;
    }

    bool matrix_components(const std::string& target, const Value& a) {
        const std::string entry = target + "[i, j] = ";
        const auto over_all = [&](const Value& v, const std::string& body) { return loop("i", 0, v.rows, loop("j", 0, v.columns, body)); };
        switch (component_draw_.below(5)) {
        case 0: // a rule for every entry
            return made_by_loops(target, a, over_all(a, entry + "2 * smax(" + a.name + "[i, j], 0.25) - 0.125;"), {a});
        case 1: { // entries and those of the transposed
            Value transposed = a;
            std::swap(transposed.rows, transposed.columns);
            return made_by_loops(target, transposed,
                over_all(transposed, entry + a.name + "[j, i] * " + a.name + "[" + std::to_string(a.rows - 1) + " - j, i];"), {a});
        }
        case 2: { // a product, term by term
            const auto b = pick([&](const Value& v) { return v.matrix() && v.rows == a.columns && v.varies && !v.fixed && !v.moved; });
            if (!b) {
                return false;
            }
            const Value product{.name = target, .rows = a.rows, .columns = b->columns};
            const std::string term = a.name + "[i, m] * " + b->name + "[m, j]";
            const std::string sum = "s_" + target;
            return made_by_loops(target, product,
                over_all(product,
                    sum + " = " + a.name + "[i, 0] * " + b->name + "[0, j]; " + loop("m", 1, a.columns, sum + " += " + term + ";") + entry +
                        sum + ";"),
                {a, *b});
        }
        case 3: // a lower triangle that uses what is above
            return made_by_loops(target, a,
                loop("i", 0, a.rows,
                    loop("j", 0, a.columns, entry + "0.5 * " + a.name + "[i, j];") + "d_" + target + " = smax(" + target + "[i, 0], 1); " +
                        loop("j", 0, a.columns, target + "[i, j] += d_" + target + ";")),
                {a});
        default: { // a sum of squares
            const std::string sum = "for i in 0.." + std::to_string(a.rows) + " { for j in 0.." + std::to_string(a.columns) + " { " +
                target + " += " + a.name + "[i, j] * " + a.name + "[i, j]; } }\n";
            return made_by_loops(target, {.name = target}, (options_.f64 ? "double " : "float ") + ("SCALAR " + target) + ";\n" + sum, {a});
        }
        }
    }

    bool vector_components(const std::string& target, const Value& a) {
        const std::string n = std::to_string(a.rows);
        switch (component_draw_.below(3)) {
        case 0: // a recurrence
            return made_by_loops(target, a,
                target + "[0] = " + a.name + "[0] * " + a.name + "[0];\n" +
                    loop("i", 1, a.rows, target + "[i] = " + a.name + "[i] * " + a.name + "[i] + 0.25 * " + target + "[i - 1];"),
                {a});
        case 1: { // a scalar that several parts use, and that is a value of its own
            const std::string scale = "g_" + target;
            return made_by_loops(target, a,
                scale + " = " + a.name + "[0] * " + a.name + "[0] + 1;\n" +
                    loop("i", 0, a.rows, target + "[i] = " + a.name + "[i] / " + scale + ";"),
                {a});
        }
        default: { // a matrix of products
            const Value square{.name = target, .rows = a.rows, .columns = a.rows};
            return made_by_loops(target, square,
                loop("i", 0, a.rows, loop("j", 0, a.rows, target + "[i, j] = " + a.name + "[i] * " + a.name + "[j];")), {a});
        }
        }
    }

    /// Declared, and assigned by parts in a loop.
    bool reversed_rows(const std::string& target, const Value& a) {
        if (a.rows == 1 || a.fixed || a.moved || !a.varies) {
            return false;
        }
        const std::string last = std::to_string(a.rows - 1);
        body_ += (options_.f64 ? "double " : "float ") + a.type() + " " + target + ";\nfor i in 0.." + std::to_string(a.rows) + " { " +
            target + "[i, :] = " + a.name + "[" + last + " - i]; }\n";
        note_statement(target, a, {a});
        return true;
    }

    /// The value with a row that is summed to: the next value of a second name.
    bool part_summed_to(const std::string& target, const Value& a) {
        const auto b = pick([&](const Value& v) { return v.vector() && v.rows == a.columns; });
        const bool shared =
            b && std::any_of(a.parts.begin(), a.parts.end(), [&](const std::string& part) { return b->parts.contains(part); });
        if (!b || shared || a.fixed || !a.varies || !b->varies) {
            return false;
        }
        body_ += target + " = " + a.name + ";\n" + target + "[" + std::to_string(draw_.below(a.rows)) + "] " +
            (draw_.chance(50) ? "+= " : "-= ") + b->name + ";\n";
        note_statement(target, a, {a, *b});
        return true;
    }

    /// A value like `a`, made of `operands` by statements that are written already.
    void note_statement(const std::string& target, const Value& a, const std::vector<Value>& operands) {
        Value made{.name = target, .rows = a.rows, .columns = a.columns, .moved = true};
        for (const Value& v : operands) {
            used_.insert(v.name);
            made.parts.insert(v.parts.begin(), v.parts.end());
        }
        values_.push_back(std::move(made));
    }

    bool vector_move(const std::string& target, const Value& a) {
        switch (draw_.below(4)) {
        case 0:
            return !a.fixed && add_moved(target, 0, 0, a.name + "[" + std::to_string(draw_.below(a.rows)) + "]", {a});
        case 1: {
            if (a.rows == 1 || a.fixed) {
                return false;
            }
            const auto [range, count] = proper_range(a.rows);
            return add_moved(target, count, 0, a.name + "[" + range + "]", {a});
        }
        case 2:
            return a.rows > 1 && add_moved(target, a.rows, a.rows, "diag(" + a.name + ")", {a}, true);
        default: {
            const auto b = pick([&](const Value& v) { return v.vector() && v.rows == a.rows; });
            const bool down = draw_.chance(50);
            return add_moved(
                target, down ? 2 : a.rows, down ? a.rows : 2, (down ? "rows(" : "columns(") + a.name + ", " + b->name + ")", {a, *b});
        }
        }
    }

    bool scalar_move(const std::string& target, const Value& a) {
        const auto b = pick([](const Value& v) { return v.scalar(); });
        const auto c = pick([](const Value& v) { return v.scalar(); });
        return add_moved(target, 3, 0, "rows(" + a.name + ", " + b->name + ", " + c->name + ")", {a, *b, *c});
    }

    static constexpr int largest_made = 12; ///< dimension that values are put together to

    Draw draw_;
    /// Of their own, so that programs with and without blocks, neutral values, ... compute the same otherwise.
    Draw block_draw_, neutral_draw_, component_draw_, selection_draw_, symmetric_draw_, update_draw_;
    std::vector<Value> compared_;
    bool summed_ = false;
    int ways_ = 0; ///< alternatives so far
    ProgramOptions options_;
    std::string name_, declarations_, body_;
    std::vector<std::size_t> starts_; ///< of statements in it
    std::vector<Value> values_;
    std::set<std::string> used_;
};

} // namespace

std::string random_program(std::uint64_t seed, const ProgramOptions& options) {
    return Generator(seed, options).run();
}

} // namespace fusec::random_programs
