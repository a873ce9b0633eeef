// SPDX-License-Identifier: Apache-2.0
// `--reassociate`: sums of `+=` and `-=` as balanced trees.
#include "frontend/draft.hpp"

#include <optional>
#include <utility>

namespace fusec::frontend {

namespace {

/// Writes a draft anew, chain by chain. The terms of a chain wait on a stack like the digits of a binary counter: two subtrees of one size
/// become one, so the depth of the tree is the logarithm of the number of terms, rounded up, and terms keep their order.
class Reassociation {
public:
    Reassociation(Draft draft, const library::Catalog& catalog)
        : old_(std::move(draft)),
          catalog_(catalog),
          moved_(old_.data.size()),
          step_of_(old_.calls.size(), none),
          chain_of_(old_.sums.size(), none) {}

    Draft run() {
        find_chains();
        made_.own = old_.own;
        made_.blocks = old_.blocks;
        for (std::size_t i = 0; i < old_.data.size(); ++i) {
            const std::optional<CallId> producer = old_.data[i].producer;
            const std::size_t step = producer ? step_of_[producer->index()] : none;
            if (step != none && chain_of_[step] != none) {
                take_step(step);
            } else {
                moved_[i] = copy(DataId{i});
            }
        }
        for (const DataId id : old_.interface) {
            made_.interface.push_back(moved_[id.index()]);
        }
        for (const Returned& returned : old_.returned) {
            made_.returned.push_back({moved_[returned.datum.index()], returned.name});
        }
        for (const auto& [old, output] : old_.updates) {
            made_.updates.emplace_back(moved_[old.index()], output);
        }
        for (const DraftCheck& check : old_.checks) {
            made_.checks.push_back({moved_[check.flag.index()], check.text, check.span});
        }
        return std::move(made_);
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// A part of a sum that is computed.
    struct Subtree {
        DataId datum;
        bool subtracted = false;
        std::size_t terms = 1;
    };
    struct Chain {
        std::vector<Subtree> stack;
        std::vector<std::size_t> steps; ///< whose names and places the calls take, in order
        std::size_t made = 0;
        std::size_t last = 0; ///< step
    };

    DataId result_of(std::size_t step) const { return old_.calls[old_.sums[step].call.index()].result; }
    const Type& type_of(DataId id) const { return old_.datum(id).type; }

    /// Steps follow one another when the second is the only use of the first one's value and types stay.
    void find_chains() {
        std::vector<std::size_t> uses(old_.data.size(), 0);
        for (const Call& call : old_.calls) {
            for (const DataId operand : call.operands) {
                ++uses[operand.index()];
            }
        }
        for (const Returned& returned : old_.returned) {
            ++uses[returned.datum.index()];
        }
        std::vector<std::size_t> step_making(old_.data.size(), none);
        for (std::size_t step = 0; step < old_.sums.size(); ++step) {
            const SumStep& sum = old_.sums[step];
            step_of_[sum.call.index()] = step;
            step_making[result_of(step).index()] = step;
            const bool same_types = type_of(sum.before) == type_of(sum.term) && type_of(sum.before) == type_of(result_of(step));
            const std::size_t before = step_making[sum.before.index()];
            const bool follows = before != none && uses[sum.before.index()] == 1 && chain_of_[before] != none &&
                old_.calls[old_.sums[before].call.index()].block == old_.calls[sum.call.index()].block;
            if (!same_types) {
                continue;
            }
            if (!follows) {
                chains_.emplace_back();
            }
            chain_of_[step] = follows ? chain_of_[before] : chains_.size() - 1;
            chains_[chain_of_[step]].steps.push_back(step);
            chains_[chain_of_[step]].last = step;
        }
    }

    DataId copy(DataId id) {
        Datum datum = old_.datum(id);
        if (datum.producer) {
            Call call = old_.calls[datum.producer->index()];
            for (DataId& operand : call.operands) {
                operand = moved_[operand.index()];
            }
            datum.producer = CallId{made_.calls.size()};
            call.result = DataId{made_.data.size()};
            made_.calls.push_back(std::move(call));
        }
        const DataId made = made_.add(std::move(datum), old_.name_kinds[id.index()]);
        made_.read[made.index()] = old_.read[id.index()];
        return made;
    }

    void take_step(std::size_t step) {
        Chain& chain = chains_[chain_of_[step]];
        const SumStep& sum = old_.sums[step];
        if (chain.stack.empty()) {
            chain.stack.push_back({moved_[sum.before.index()]});
        }
        chain.stack.push_back({moved_[sum.term.index()], sum.subtracts});
        const auto equal = [&] { return chain.stack.size() > 1 && chain.stack[chain.stack.size() - 2].terms == chain.stack.back().terms; };
        while (step == chain.last ? chain.stack.size() > 1 : equal()) {
            const Subtree right = chain.stack.back();
            chain.stack.pop_back();
            chain.stack.back() = joined(chain, chain.stack.back(), right);
        }
        if (step == chain.last) {
            moved_[result_of(step).index()] = chain.stack.back().datum;
        }
    }

    /// a + b, a - b, b - a, or -(a + b) with the sign kept for later. The first term of a chain is added, so the whole is.
    Subtree joined(Chain& chain, const Subtree& left, const Subtree& right) {
        const bool differ = left.subtracted != right.subtracted;
        std::vector<DataId> operands{left.datum, right.datum};
        if (differ && left.subtracted) {
            std::swap(operands[0], operands[1]);
        }
        const std::size_t step = chain.steps[chain.made++];
        const Call& named = old_.calls[old_.sums[step].call.index()];
        const DataId named_result = result_of(step);
        Datum datum = old_.datum(named_result);
        datum.producer = CallId{made_.calls.size()};
        const DataId result = made_.add(std::move(datum), old_.name_kinds[named_result.index()]);
        made_.calls.push_back(
            {operation(differ ? "-" : "+", made_.datum(result).type), std::move(operands), result, named.span, {}, named.block});
        return {result, left.subtracted && right.subtracted, left.terms + right.terms};
    }

    library::Instance operation(std::string_view symbol, const Type& type) const {
        for (const FunctionId function : catalog_.with_operator(symbol)) {
            auto match = catalog_.match(function, {type, type});
            const Type full{type.shape.full(), type.precision};
            if (auto* instance = std::get_if<library::Instance>(&match); instance && instance->result == full && !instance->swapped) {
                instance->result = type; // all terms are stored so
                return std::move(*instance);
            }
        }
        throw InternalError("a sum without a function for its steps");
    }

    Draft old_;
    const library::Catalog& catalog_;
    Draft made_;
    std::vector<DataId> moved_;         ///< of every old datum
    std::vector<std::size_t> step_of_;  ///< of every old call
    std::vector<std::size_t> chain_of_; ///< of every step
    std::vector<Chain> chains_;
};

} // namespace

Draft reassociated(Draft draft, const library::Catalog& catalog) {
    return Reassociation(std::move(draft), catalog).run();
}

} // namespace fusec::frontend
