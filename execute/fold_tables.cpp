// SPDX-License-Identifier: Apache-2.0
#include "execute/fold_tables.hpp"

#include "elementary-lib/folded_function.hpp"
#include "execute/compacted.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace fusec::execute {

using frontend::Call;
using frontend::CheckedProgram;
using frontend::DatumKind;
using library::Function;
using library::KnownComponents;
using library::PartialResult;

namespace {

class Folding {
public:
    Folding(const CheckedProgram& program, const library::Catalog& catalog)
        : program_(program), catalog_(catalog), evaluator_(catalog), result_(program), known_(program.data.size()) {
        for (std::size_t i = 0; i < program.data.size(); ++i) {
            if (program.data[i].kind == DatumKind::constant) {
                known_[i].assign(program.data[i].values.begin(), program.data[i].values.end());
            }
        }
    }

    CheckedProgram run() {
        for (Call& call : result_.calls) {
            look_at(call);
        }
        if (!changed_) {
            return program_;
        }
        if (result_.written == nullptr) {
            result_.written = std::make_shared<const CheckedProgram>(program_);
        }
        CheckedProgram made = compacted(result_, std::vector<bool>(result_.calls.size(), false));
        std::map<std::string, DataId> moved; // by name
        for (std::size_t i = 0; i < made.data.size(); ++i) {
            moved.emplace(made.data[i].name, DataId(i));
        }
        for (const auto& [name, result] : program_.steps) {
            if (const auto there = moved.find(program_.datum(result).name); there != moved.end()) {
                made.steps.emplace(name, there->second);
            }
        }
        return made;
    }

private:
    /// Calls that are alike but for their operands' names.
    using Kind = std::tuple<FunctionId, library::ShapeValues, std::vector<bool>, std::vector<KnownComponents>, bool>;
    struct Folded {
        KnownComponents known;               ///< of the result
        std::optional<std::size_t> function; ///< of the program, in place of the call's
        std::vector<std::size_t> operands;   ///< that it takes
    };

    void look_at(Call& call) {
        std::vector<bool> constants;
        std::vector<KnownComponents> known;
        bool all_constant = true, folds = false;
        for (const DataId operand : call.operands) {
            constants.push_back(program_.datum(operand).kind == DatumKind::constant);
            known.push_back(known_[operand.index()]);
            all_constant = all_constant && constants.back();
            folds = folds || library::PartialEvaluator::folds(known.back());
        }
        const library::Reference& reference = catalog_.function(call.instance.function).reference;
        const bool has_zeros = std::holds_alternative<library::ComponentMap>(reference) || // of its own
            std::holds_alternative<library::ComponentProgram>(reference);
        if (all_constant || (!folds && !has_zeros)) {
            return;
        }
        Kind kind{call.instance.function, call.instance.shape, std::move(constants), std::move(known), call.instance.result.shape.packed};
        auto entry = folded_.find(kind);
        if (entry == folded_.end()) {
            Folded made = fold(call, std::get<2>(kind), std::get<3>(kind));
            entry = folded_.emplace(std::move(kind), std::move(made)).first;
        }
        const Folded& folded = entry->second;
        known_[call.result.index()] = folded.known;
        if (!folded.function) {
            return;
        }
        changed_ = true;
        std::vector<DataId> operands;
        std::transform(folded.operands.begin(), folded.operands.end(), std::back_inserter(operands),
            [&](std::size_t operand) { return call.operands[operand]; });
        call.operands = std::move(operands);
        call.instance.function = FunctionId(catalog_.library_size() + *folded.function);
    }

    Folded fold(const Call& call, const std::vector<bool>& constants, const std::vector<KnownComponents>& known) {
        const Function& function = catalog_.function(call.instance.function);
        std::vector<Shape> shapes;
        std::transform(call.operands.begin(), call.operands.end(), std::back_inserter(shapes),
            [&](DataId operand) { return program_.datum(operand).type.shape.full(); });
        const std::optional<PartialResult> partial =
            evaluator_.evaluate(function, call.instance.shape, shapes, call.instance.result.shape.full(), known);
        if (!partial) {
            return {};
        }
        Folded made{partial->known, std::nullopt, {}};
        const Shape& result = call.instance.result.shape;
        for (int component = 0; component < static_cast<int>(made.known.size()); ++component) { // above the diagonal stands what is below
            made.known[static_cast<std::size_t>(component)] = partial->known[static_cast<std::size_t>(result.stored(component))];
        }
        if (!library::PartialEvaluator::folds(made.known)) {
            made.known.clear();
        }
        if (std::holds_alternative<library::ComponentMap>(function.reference) || // moving costs nothing
            std::none_of(known.begin(), known.end(), library::PartialEvaluator::folds)) {
            return made;
        }
        std::optional<Function> left = library::folded_function(function, call.instance, shapes, constants, known, *partial, catalog_);
        if (!left) {
            return made;
        }
        if (left->base.empty()) {
            made.operands = partial->read;
        } else {
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                made.operands.push_back(i);
            }
        }
        const auto same = std::find_if(
            result_.functions.begin(), result_.functions.end(), [&](const Function& other) { return other.name == left->name; });
        if (same != result_.functions.end() && same->source != left->source) {
            return made; // names of hashes collide: unfolded, it is right as well
        }
        made.function = static_cast<std::size_t>(same - result_.functions.begin());
        if (same == result_.functions.end()) {
            result_.functions.push_back(std::move(*left));
        }
        return made;
    }

    const CheckedProgram& program_;
    const library::Catalog& catalog_;
    library::PartialEvaluator evaluator_;
    CheckedProgram result_;
    std::vector<KnownComponents> known_; ///< by datum
    std::map<Kind, Folded> folded_;
    bool changed_ = false;
};

} // namespace

CheckedProgram fold_tables(const CheckedProgram& program, const library::Catalog& catalog) {
    return Folding(program, catalog).run();
}

} // namespace fusec::execute
