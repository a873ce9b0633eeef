// SPDX-License-Identifier: Apache-2.0
#include "execute/domains.hpp"

#include "elementary-lib/selection.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fusec::execute {

using frontend::CheckedProgram;

namespace {

bool is_square(const Shape& shape) {
    return shape.form == Form::matrix && shape.rows == shape.columns;
}

/// A counter-based generator: number `n` of a stream is a hash of the stream's key and n.
class Stream {
public:
    Stream(std::uint64_t seed, std::uint64_t datum, std::uint64_t element, std::uint64_t draw) {
        for (const std::uint64_t part : {seed, datum, element, draw}) {
            key_ = mixed(key_ + splitmix_step + part);
        }
    }
    std::uint64_t next() { return mixed(key_ + splitmix_step * ++count_); }
    /// Uniform in [low, high), 53 bits.
    double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53); }

private:
    std::uint64_t key_ = 0;
    std::uint64_t count_ = 0;
};

std::size_t at(int row, int column, int columns) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

/// Diagonal in [1, 2), off-diagonal entries so small that each row is strictly dominated: determinant > 0, condition about 10.
/// With `turned` the rows are permuted evenly at random, so that an elimination without pivoting meets small pivots.
std::vector<double> invertible(int n, bool positive, bool turned, Stream& random) {
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < n; ++i) {
        std::vector<double>& row = rows.emplace_back();
        for (int j = 0; j < n; ++j) {
            row.push_back(i == j ? random.uniform(1, 2) : random.uniform(positive ? 0.1 : -0.8, 0.8) / n);
        }
    }
    bool even = true;
    for (int i = n - 1; turned && i > 0; --i) {
        const auto other = static_cast<int>(random.next() % static_cast<std::uint64_t>(i + 1));
        even = even == (other == i);
        std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(other)]);
    }
    if (!even && n >= 2) {
        std::swap(rows[0], rows[1]);
    }
    std::vector<double> out;
    for (const std::vector<double>& row : rows) {
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

/// B B'/n + D with B uniform and D diagonal in [0.5, 1): eigenvalues within about [0.5, 3].
std::vector<double> positive_definite(int n, bool positive, Stream& random) {
    std::vector<double> b;
    for (int i = 0; i < n * n; ++i) {
        b.push_back(random.uniform(positive ? 0.05 : -1, 1));
    }
    std::vector<double> a(b.size());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = i == j ? n * random.uniform(0.5, 1) : 0;
            for (int k = 0; k < n; ++k) {
                sum += b[at(i, k, n)] * b[at(j, k, n)];
            }
            a[at(i, j, n)] = a[at(j, i, n)] = sum / n;
        }
    }
    return a;
}

void join(Conditions& into, const Conditions& other) {
    into.positive = into.positive || other.positive;
    into.nonzero = into.nonzero || other.nonzero;
    into.invertible = into.invertible || other.invertible;
    into.spd = into.spd || other.spd;
}

void join(Demands& into, const Demands& other) {
    join(static_cast<Conditions&>(into), other);
    join(into.if_taken, other.if_taken);
    into.compared = into.compared || other.compared;
    into.varied = into.varied || other.varied;
}

Conditions declared(library::Domain domain) {
    Conditions made;
    switch (domain) {
    case library::Domain::any:
        break;
    case library::Domain::positive:
        made.positive = true;
        break;
    case library::Domain::nonzero:
        made.nonzero = true;
        break;
    case library::Domain::invertible:
        made.invertible = true;
        break;
    case library::Domain::spd:
        made.spd = true;
        break;
    }
    return made;
}

bool chooses_from(const library::Selection& selection, std::size_t operand) {
    return operand != selection.left && operand != selection.right && (operand == selection.chosen || operand == selection.otherwise);
}

bool is_chosen(const library::Selection& selection, std::size_t operand) {
    return operand == selection.chosen || operand == selection.otherwise;
}

/// What makes it likely that the result of a call satisfies `wanted`. Sufficient for sums, products with positive factors, A'A,
/// norms, inner products and determinants; where it is not (a difference), ill-conditioned elements are drawn again.
Conditions needed_of(const Shape& shape, std::size_t operand, const Conditions& wanted, const library::Function& function, bool repeated) {
    if (const std::optional<library::Selection> selection = library::selection_of(function)) {
        return is_chosen(*selection, operand) ? wanted : Conditions{}; // what is only compared decides nothing about the result
    }
    if (library::conversion_of(function) != nullptr) {
        return wanted;
    }
    Conditions needed;
    const auto* algorithm = std::get_if<library::Algorithm>(&function.reference);
    const bool is_determinant = algorithm != nullptr && *algorithm == library::Algorithm::determinant;
    const bool moves = std::holds_alternative<library::ComponentMap>(function.reference); // any component may be the one
    if (wanted.spd) {
        // A'A is positive definite for any invertible A; else all matrices of the call have to be.
        (is_square(shape) && repeated ? needed.invertible : needed.spd) = shape.form == Form::matrix;
        needed.positive = shape.form == Form::scalar;
    }
    if (wanted.invertible) {
        needed.invertible = shape.form == Form::matrix;
        needed.nonzero = shape.form == Form::scalar;
    }
    if (wanted.positive || (wanted.nonzero && function.output.form == Form::scalar)) {
        if (is_determinant) {
            needed.invertible = true;
        } else if (!moves && is_square(shape)) {
            needed.spd = true;
        } else {
            needed.positive = true;
        }
    }
    return needed;
}

/// How an operand is drawn, by how the result of its call is.
void pass_on_drawing(std::size_t operand, const Demands& wanted, const library::Function& function, Demands& needed) {
    const std::optional<library::Selection> selection = library::selection_of(function);
    const bool compared = selection && !is_chosen(*selection, operand);
    const bool keeps_components =
        selection || library::conversion_of(function) != nullptr || std::holds_alternative<library::ComponentMap>(function.reference);
    needed.compared = compared || (wanted.compared && keeps_components);
    needed.varied = compared || wanted.varied;
}

/// Of an operand, by what its function declares and by what is wanted of the result, always and if taken; `guarded`: only selections use the
/// result, to choose from.
Demands needed_of_operand(
    const Shape& shape, std::size_t operand, const Demands& wanted, const library::Function& function, bool repeated, bool guarded) {
    Demands needed;
    join(needed, needed_of(shape, operand, static_cast<const Conditions&>(wanted), function, repeated));
    join(needed.if_taken, needed_of(shape, operand, wanted.if_taken, function, repeated));
    join(guarded ? needed.if_taken : needed, declared(function.inputs[operand].domain));
    pass_on_drawing(operand, wanted, function, needed);
    return needed;
}

/// The same for arithmetic with components, backwards through its steps: what one component needs all of its operand get. A demand on a
/// value as a whole, as to be positive definite, says nothing about its components.
std::vector<Demands> demands(
    const library::ComponentProgram& made, const Demands& of_result, const library::Catalog& catalog, bool guarded_result) {
    std::vector<Demands> of_operand(made.operands.size()), of_step(made.steps.size());
    std::vector<bool> guarded(made.steps.size(), true); // as far as the uses seen
    const auto demand = [&](const library::ComponentValue& value, const Demands& wanted, bool chosen_from) {
        if (value.kind == library::ComponentValue::Kind::step) {
            join(of_step[static_cast<std::size_t>(value.step)], wanted);
            guarded[static_cast<std::size_t>(value.step)] = guarded[static_cast<std::size_t>(value.step)] && chosen_from;
        } else if (value.kind == library::ComponentValue::Kind::component) {
            join(of_operand[static_cast<std::size_t>(value.source.operand)], wanted);
        }
    };
    Demands component;
    component.positive = of_result.positive;
    component.nonzero = of_result.nonzero;
    component.if_taken.positive = of_result.if_taken.positive;
    component.if_taken.nonzero = of_result.if_taken.nonzero;
    component.compared = of_result.compared;
    component.varied = of_result.varied;
    for (const library::ComponentValue& value : made.values) {
        demand(value, component, guarded_result);
    }
    for (std::size_t i = made.steps.size(); i-- > 0;) {
        const library::Function& function = catalog.function(made.steps[i].function);
        const std::optional<library::Selection> selection = library::selection_of(function);
        for (std::size_t operand = 0; operand < made.steps[i].operands.size(); ++operand) {
            demand(made.steps[i].operands[operand], needed_of_operand({}, operand, of_step[i], function, false, guarded[i]),
                guarded[i] || (selection && chooses_from(*selection, operand)));
        }
    }
    return of_operand;
}

} // namespace

std::vector<Demands> demands(const CheckedProgram& program, const library::Catalog& catalog) {
    std::vector<Demands> found(program.data.size());
    std::vector<bool> guarded(program.data.size(), true); // as far as the uses seen: selections choose from it, and nothing else uses it
    for (const DataId output : program.outputs) {
        guarded[output.index()] = false;
    }
    const auto pass_on = [&](const frontend::Call& call) {
        const library::Function& function = catalog.function(call.instance.function);
        const bool guarded_result = guarded[call.result.index()];
        if (const auto* components = std::get_if<library::ComponentProgram>(&function.reference)) {
            const std::vector<Demands> needed = demands(*components, found[call.result.index()], catalog, guarded_result);
            for (std::size_t i = 0; i < call.operands.size(); ++i) {
                join(found[call.operands[i].index()], needed[i]);
                guarded[call.operands[i].index()] = guarded[call.operands[i].index()] && guarded_result;
            }
            return;
        }
        const std::optional<library::Selection> selection = library::selection_of(function);
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            const DataId operand = call.operands[i];
            const bool repeated = call.operands.size() == 2 && call.operands[0] == call.operands[1];
            join(found[operand.index()],
                needed_of_operand(program.datum(operand).type.shape, i, found[call.result.index()], function, repeated, guarded_result));
            const bool chosen_from = selection && chooses_from(*selection, i);
            guarded[operand.index()] = guarded[operand.index()] && (guarded_result || chosen_from);
        }
    };
    // Calls are in topological order, so backwards all demands on a result are known before they are passed on. Uniform calls come before all.
    std::for_each(program.calls.rbegin(), program.calls.rend(), pass_on);
    std::for_each(program.uniform_calls.rbegin(), program.uniform_calls.rend(), pass_on);
    return found;
}

std::vector<double> random_value(
    const Type& type, const Demands& of_datum, std::uint64_t seed, std::uint64_t datum, std::uint64_t element, std::uint64_t draw) {
    Stream random(seed, datum, element, draw);
    const bool quarters = of_datum.compared && draw == 0 && in_quarters(element);
    const double size = of_datum.varied && element % 4 == 2 ? 0x1p-4 : 1;
    const Shape& shape = type.shape;
    Conditions demands = static_cast<const Conditions&>(of_datum);
    if (takes_what_is_guarded(element)) {
        join(demands, of_datum.if_taken);
    }
    std::vector<double> value;
    if (is_square(shape) && (demands.spd || (demands.invertible && shape.packed))) {
        value = positive_definite(shape.rows, demands.positive, random);
    } else if (is_square(shape) && demands.invertible) {
        value = invertible(shape.rows, demands.positive, element % 2 == 1, random);
    } else {
        for (int i = 0; i < shape.size(); ++i) {
            if (demands.positive || demands.nonzero) {
                const double away = random.uniform(0.5, 2);
                value.push_back(demands.positive || random.next() % 2 == 0 ? away : -away);
            } else {
                value.push_back(size * random.uniform(-1, 1));
            }
            if (quarters) { // 0 is none of those away from 0
                value.back() = std::round(4 * value.back()) / 4;
            }
        }
    }
    if (shape.packed && value.size() != static_cast<std::size_t>(shape.size())) {
        std::vector<double> words;
        for (int component = 0; component < shape.components(); ++component) {
            if (shape.stored(component) == component) {
                words.push_back(value[static_cast<std::size_t>(component)]);
            }
        }
        value = std::move(words);
    }
    if (type.precision == Precision::f32) {
        std::transform(value.begin(), value.end(), value.begin(), [](double x) { return static_cast<double>(static_cast<float>(x)); });
    }
    return value;
}

} // namespace fusec::execute
