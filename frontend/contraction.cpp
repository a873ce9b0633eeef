// SPDX-License-Identifier: Apache-2.0
// Finds chains of products in a checked program and writes those anew that take fewer operations in another order.
#include "frontend/contraction.hpp"

#include "elementary-lib/product.hpp"
#include "frontend/identifiers.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace fusec::frontend {

namespace {

/// A value as a chain sees it.
struct Factor {
    DataId datum;
    bool transposed = false;
};

struct Chain {
    CallId root;
    std::vector<Factor> factors; ///< from left to right
    std::vector<DataId> scalars;
    std::vector<CallId> calls; ///< that make it, the root first
};

/// A call of the library that multiplies two types, each transposed or not.
struct Multiplication {
    library::ProductCall call;
    bool reversed = false; ///< the operands are the right factor and the left one: the result is the product's transpose
};

/// What the library has for the products of chains. Answers are remembered: chains ask the same many times.
class Products {
public:
    explicit Products(const library::Catalog& catalog) : catalog_(catalog) {}

    std::optional<Multiplication> of(const Type& left, bool left_transposed, const Type& right, bool right_transposed) {
        const auto [entry, inserted] =
            known_.try_emplace({left.shape, left_transposed, right.shape, right_transposed, left.precision}, std::nullopt);
        if (inserted) {
            entry->second = find(left, left_transposed, right, right_transposed);
        }
        return entry->second;
    }

    double operations(const library::Instance& instance) const { return catalog_.operations(instance).flops; }

    ChainCosts costs(Precision precision) {
        const auto type = [precision](const ChainFactor& factor) {
            const bool matrix = factor.has_rows && factor.has_columns;
            const Form form = matrix ? Form::matrix : factor.has_rows || factor.has_columns ? Form::vector : Form::scalar;
            const int rows = form == Form::vector && factor.has_columns ? factor.columns : factor.rows;
            return Type{{form, form == Form::scalar ? 1 : rows, matrix ? factor.columns : 1}, precision};
        };
        const auto is_row = [](const ChainFactor& factor) { return !factor.has_rows && factor.has_columns; };
        ChainCosts costs;
        costs.product = [this, type, is_row](const ChainFactor& left, const ChainFactor& right) {
            if (left.constant && right.constant) {
                return 0.0;
            }
            const auto made = of(type(left), is_row(left), type(right), is_row(right));
            return made ? operations(made->call.instance) : std::numeric_limits<double>::infinity();
        };
        costs.scaling = [this, type, precision](const ChainFactor& value) {
            const auto made = of(type(value), false, {{Form::scalar, 1, 1}, precision}, false);
            return made ? operations(made->call.instance) : std::numeric_limits<double>::infinity();
        };
        return costs;
    }

private:
    using Key = std::tuple<Shape, bool, Shape, bool, Precision>;

    std::optional<Multiplication> find(const Type& left, bool left_transposed, const Type& right, bool right_transposed) const {
        if (left.shape.form == Form::scalar || right.shape.form == Form::scalar) {
            const bool left_scales = left.shape.form == Form::scalar;
            auto call = library::find_scaling(catalog_, left_scales ? right : left, left_scales ? left : right);
            if (call) {
                call->swapped = call->swapped != left_scales;
            }
            return call ? std::optional(Multiplication{std::move(*call), false}) : std::nullopt;
        }
        if (auto call = library::find_product(catalog_, left, left_transposed, right, right_transposed)) {
            return Multiplication{std::move(*call), false};
        }
        auto call = library::find_product(catalog_, right, !right_transposed, left, !left_transposed);
        return call ? std::optional(Multiplication{std::move(*call), true}) : std::nullopt;
    }

    const library::Catalog& catalog_;
    std::map<Key, std::optional<Multiplication>> known_;
};

/// The chains of a program that are worth a look.
class ChainFinder {
public:
    ChainFinder(const CheckedProgram& program, const library::Catalog& catalog) : program_(program), catalog_(catalog) {
        uses_.assign(program.data.size(), 0);
        for (const Call& call : program.calls) {
            for (const DataId operand : call.operands) {
                ++uses_[operand.index()];
            }
        }
    }

    std::vector<Chain> run() {
        std::vector<Chain> chains;
        std::vector<bool> taken(program_.calls.size(), false);
        for (std::size_t i = program_.calls.size(); i-- > 0;) {
            const library::Function& function = catalog_.function(program_.calls[i].instance.function);
            if (taken[i] || (!library::product_of(function) && !library::scaling_of(function))) {
                continue;
            }
            Chain chain{CallId(i), {}, {}, {CallId(i)}};
            waiting_ = 0;
            expand(chain, CallId(i), false);
            for (const CallId call : chain.calls) {
                taken[call.index()] = true;
            }
            if (chain.factors.size() + chain.scalars.size() >= 3 && !chain.factors.empty()) {
                chains.push_back(std::move(chain));
            }
        }
        return chains;
    }

private:
    static constexpr std::size_t most_factors = 32; ///< the work for a chain is cubic; a longer one is several

    /// The call that makes a value, if it may be part of a chain with what uses it: the value has no other use and is stored nowhere, all of it,
    /// and is made in the same block.
    const Call* part_of(const Chain& chain, DataId datum) const {
        const Datum& value = program_.datum(datum);
        const bool alone = value.producer && uses_[datum.index()] == 1 && !value.output && !value.type.shape.packed;
        const bool fits = chain.factors.size() + chain.scalars.size() + waiting_ + 2 <= most_factors;
        const bool here = alone && program_.call(*value.producer).block == program_.call(chain.root).block;
        return here && fits && value.type.shape.form != Form::scalar ? &program_.call(*value.producer) : nullptr;
    }

    /// Appends the factors of a value, or of its transpose.
    void append(Chain& chain, DataId datum, bool transposed) {
        for (const Call* call = part_of(chain, datum); call != nullptr; call = part_of(chain, datum)) {
            const library::Function& function = catalog_.function(call->instance.function);
            const CallId id = *program_.datum(datum).producer;
            if (library::product_of(function) || library::scaling_of(function)) {
                chain.calls.push_back(id);
                return expand(chain, id, transposed);
            }
            if (!library::is_transposition(function) || program_.datum(call->operands[0]).type.shape.packed) {
                break;
            }
            chain.calls.push_back(id);
            datum = call->operands[0];
            transposed = !transposed;
        }
        chain.factors.push_back({datum, transposed});
    }

    void expand(Chain& chain, CallId id, bool transposed) {
        const Call& call = program_.call(id);
        const library::Function& function = catalog_.function(call.instance.function);
        if (const auto scalar = library::scaling_of(function)) {
            chain.scalars.push_back(call.operands[*scalar]);
            const DataId value = call.operands[1 - *scalar];
            if (program_.datum(value).type.shape.form == Form::scalar) {
                chain.scalars.push_back(value); // a product of scalars alone is no chain
            } else {
                append(chain, value, transposed);
            }
            return;
        }
        const library::Product product = library::product_of(function).value();
        Factor left{call.operands[product.left], product.left_transposed}, right{call.operands[product.right], product.right_transposed};
        if (transposed) { // (A B)' = B' A'
            std::swap(left, right);
            left.transposed = !left.transposed;
            right.transposed = !right.transposed;
        }
        ++waiting_;
        append(chain, left.datum, left.transposed);
        --waiting_;
        append(chain, right.datum, right.transposed);
    }

    const CheckedProgram& program_;
    const library::Catalog& catalog_;
    std::vector<std::size_t> uses_;
    std::size_t waiting_ = 0; ///< factors that are still to come
};

/// Writes a program anew, data and calls in order of definition.
class Rewriting {
public:
    Rewriting(const CheckedProgram& program, const library::Catalog& catalog)
        : old_(program), catalog_(catalog), products_(catalog), moved_(program.data.size()) {
        for (const Datum& datum : program.data) {
            names_.insert(datum.name);
            identifiers_.reserve(datum.identifier);
        }
        identifiers_.reserve(program.name);
    }

    std::optional<ReorderedProgram> run() {
        std::vector<bool> removed(old_.calls.size(), false);
        for (Chain& chain : ChainFinder(old_, catalog_).run()) {
            if (auto order = shorter(chain)) {
                for (const CallId call : chain.calls) {
                    removed[call.index()] = true;
                }
                const std::size_t root = chain.root.index();
                chains_.emplace(root, std::pair(std::move(chain), std::move(*order)));
            }
        }
        if (chains_.empty()) {
            return std::nullopt;
        }
        CheckedProgram& made = result_.program;
        made.name = old_.name;
        made.source = old_.source;
        made.functions = old_.functions;
        for (std::size_t i = 0; i < old_.data.size(); ++i) {
            const std::optional<CallId> producer = old_.data[i].producer;
            if (const auto chain = producer ? chains_.find(producer->index()) : chains_.end(); chain != chains_.end()) {
                write(chain->second.first, chain->second.second);
            } else if (!producer || !removed[producer->index()]) {
                moved_[i] = DataId(made.data.size());
                made.data.push_back(old_.data[i]);
                if (producer) {
                    Call call = old_.call(*producer);
                    for (DataId& operand : call.operands) {
                        operand = moved_[operand.index()];
                    }
                    add(std::move(call), moved_[i]);
                }
            }
        }
        const auto move = [&](const std::vector<DataId>& ids, std::vector<DataId>& to) {
            std::transform(ids.begin(), ids.end(), std::back_inserter(to), [&](DataId id) { return moved_[id.index()]; });
        };
        move(old_.inputs, made.inputs);
        move(old_.outputs, made.outputs);
        made.updates = old_.updates;
        made.checks = old_.checks;
        made.blocks = old_.blocks;
        return std::move(result_);
    }

private:
    bool is_constant(DataId datum) const { return old_.datum(datum).kind == DatumKind::constant; }

    double operations_as_written(const Chain& chain) {
        double sum = 0;
        std::map<DataId, bool> constant;                     // of values of the chain
        for (std::size_t i = chain.calls.size(); i-- > 0;) { // operands come behind their users
            const Call& call = old_.call(chain.calls[i]);
            const bool all = std::all_of(call.operands.begin(), call.operands.end(), [&](DataId operand) {
                const auto within = constant.find(operand);
                return within == constant.end() ? is_constant(operand) : within->second;
            });
            constant[call.result] = all;
            sum += all ? 0 : products_.operations(call.instance);
        }
        return sum;
    }

    /// The order of a chain that takes fewer operations than what is written.
    std::optional<ChainOrder> shorter(Chain& chain) {
        std::vector<ChainFactor> factors;
        for (const Factor& factor : chain.factors) {
            const Shape& shape = old_.datum(factor.datum).type.shape;
            const bool matrix = shape.form == Form::matrix;
            ChainFactor made{
                matrix || !factor.transposed, matrix || factor.transposed, shape.rows, shape.columns, is_constant(factor.datum)};
            if (factor.transposed) {
                std::swap(made.rows, made.columns);
            }
            factors.push_back(made);
        }
        // Constants are multiplied first, while compiling.
        std::stable_partition(chain.scalars.begin(), chain.scalars.end(), [&](DataId scalar) { return is_constant(scalar); });
        const Precision precision = old_.datum(old_.call(chain.root).result).type.precision;
        ChainCosts costs = products_.costs(precision);
        double before = 0; // of the product of the scalars
        for (std::size_t i = 1; i < chain.scalars.size(); ++i) {
            before += is_constant(chain.scalars[i]) ? 0 : costs.scaling({false, false, 1, 1, false});
        }
        if (!chain.scalars.empty() && is_constant(chain.scalars.back())) {
            costs.scaling = [full = costs.scaling](const ChainFactor& value) { return value.constant ? 0 : full(value); };
        }
        ChainOrder order = fewest_operations(factors, !chain.scalars.empty(), costs);
        order.operations += before;
        const double written = operations_as_written(chain);
        if (order.operations >= written) {
            return std::nullopt;
        }
        const Datum& value = old_.datum(old_.call(chain.root).result);
        ReorderedChain told{
            old_.call(chain.root).span, value.name, text_of(chain, order, order.nodes.size() - 1), order.operations, written};
        result_.chains.insert(result_.chains.begin(), std::move(told)); // chains come from the last to the first
        return order;
    }

    std::string text_of(const Chain& chain, const ChainOrder& order, std::size_t number) const {
        const ChainOrder::Node& node = order.nodes[number];
        std::string text;
        const auto is_leaf = [&](int child) { return order.nodes[static_cast<std::size_t>(child)].factor >= 0; };
        if (node.factor >= 0) {
            const Factor& factor = chain.factors[static_cast<std::size_t>(node.factor)];
            text = old_.datum(factor.datum).name + (factor.transposed ? "'" : "");
        } else {
            const auto child = [&](int of, bool bare) {
                const std::string inner = text_of(chain, order, static_cast<std::size_t>(of));
                return bare && !order.nodes[static_cast<std::size_t>(of)].scaled ? inner : "(" + inner + ")";
            };
            text = child(node.left, true) + " * " + child(node.right, is_leaf(node.right));
        }
        if (!node.scaled) {
            return text;
        }
        std::string scalars;
        for (const DataId scalar : chain.scalars) {
            scalars += (scalars.empty() ? "" : " * ") + old_.datum(scalar).name;
        }
        return (chain.scalars.size() == 1 ? scalars : "(" + scalars + ")") + " * " + (node.factor >= 0 ? text : "(" + text + ")");
    }

    void add(Call call, DataId result) {
        call.result = result;
        result_.program.data[result.index()].producer = CallId(result_.program.calls.size());
        result_.program.calls.push_back(std::move(call));
    }

    /// A call for a value within a chain; the last one of a chain gets the name of the chain's value afterwards.
    Factor make(const Chain& chain, library::Instance instance, std::vector<DataId> operands, bool transposed) {
        const DataId root = old_.call(chain.root).result;
        Datum datum = old_.datum(root);
        datum.output = false;
        datum.storage = std::nullopt;
        datum.type = instance.result;
        const DataId made(result_.program.data.size());
        result_.program.data.push_back(std::move(datum));
        add({std::move(instance), std::move(operands), made, old_.call(chain.root).span, {}, old_.call(chain.root).block}, made);
        return {made, transposed};
    }

    Factor multiply(const Chain& chain, const Factor& left, const Factor& right) {
        const auto type = [&](const Factor& factor) { return result_.program.datum(factor.datum).type; };
        const auto made = products_.of(type(left), left.transposed, type(right), right.transposed);
        if (!made) { // a library without the like of A'B, as its own transpose too
            internal_check(left.transposed || right.transposed, "a chain of products without a function for one");
            return left.transposed && type(left).shape.form == Form::matrix ? multiply(chain, transposed(chain, left), right)
                                                                            : multiply(chain, left, transposed(chain, right));
        }
        const bool other_first = made->reversed != made->call.swapped;
        const bool scales = type(left).shape.form == Form::scalar || type(right).shape.form == Form::scalar;
        const bool turned = scales ? (type(left).shape.form == Form::scalar ? right : left).transposed : made->reversed;
        return make(
            chain, made->call.instance, other_first ? std::vector{right.datum, left.datum} : std::vector{left.datum, right.datum}, turned);
    }

    /// The same value by the transposed matrix.
    Factor transposed(const Chain& chain, const Factor& factor) {
        for (std::size_t id = 0; id < catalog_.library_size(); ++id) {
            auto match = catalog_.match(FunctionId(id), {result_.program.datum(factor.datum).type});
            auto* instance = std::get_if<library::Instance>(&match);
            if (instance != nullptr && library::is_transposition(catalog_.function(FunctionId(id)))) {
                return make(chain, std::move(*instance), {factor.datum}, !factor.transposed);
            }
        }
        throw InternalError("a chain of products without a transposition");
    }

    void write(const Chain& chain, const ChainOrder& order) {
        const std::size_t first = result_.program.data.size();
        std::optional<Factor> scalar;
        for (const DataId one : chain.scalars) {
            const Factor next{moved_[one.index()], false};
            scalar = scalar ? multiply(chain, *scalar, next) : next;
        }
        std::vector<Factor> values;
        for (const ChainOrder::Node& node : order.nodes) {
            Factor value;
            if (node.factor >= 0) {
                const Factor& factor = chain.factors[static_cast<std::size_t>(node.factor)];
                value = {moved_[factor.datum.index()], factor.transposed};
            } else {
                value = multiply(chain, values[static_cast<std::size_t>(node.left)], values[static_cast<std::size_t>(node.right)]);
            }
            values.push_back(node.scaled ? multiply(chain, value, scalar.value()) : value);
        }
        const DataId root = old_.call(chain.root).result;
        const Datum& value = old_.datum(root);
        if (values.back().transposed && value.type.shape.form == Form::matrix) {
            values.push_back(transposed(chain, values.back()));
        }
        // The last call makes the chain's value, stored as before; the others get names behind it.
        const std::size_t last = values.back().datum.index();
        internal_check(last + 1 == result_.program.data.size() && result_.program.data[last].type.shape == value.type.shape.full(),
            "a chain of products makes another value");
        for (std::size_t i = first; i < last; ++i) {
            name(result_.program.data[i], value);
        }
        Datum& made = result_.program.data[last];
        made.output = value.output;
        made.storage = value.storage;
        made.type = value.type;
        result_.program.calls.back().instance.result = value.type;
        moved_[root.index()] = values.back().datum;
    }

    /// `y.1`, `y.2`, ... of those that are free.
    void name(Datum& datum, const Datum& root) {
        int number = 1;
        while (!names_.insert(root.name + "." + std::to_string(number)).second) {
            ++number;
        }
        datum.name = root.name + "." + std::to_string(number);
        datum.identifier = identifiers_.take(without_implementation_form(root.identifier + "_" + std::to_string(number)));
    }

    const CheckedProgram& old_;
    const library::Catalog& catalog_;
    Products products_;
    std::vector<DataId> moved_;                                  ///< of every old datum
    std::map<std::size_t, std::pair<Chain, ChainOrder>> chains_; ///< by call of the root
    std::set<std::string> names_;
    IdentifierPool identifiers_;
    ReorderedProgram result_;
};

} // namespace

std::optional<ReorderedProgram> with_fewest_operations(const CheckedProgram& program, const library::Catalog& catalog) {
    const library::Catalog all = catalog.with(program.functions);
    return Rewriting(program, all).run();
}

} // namespace fusec::frontend
