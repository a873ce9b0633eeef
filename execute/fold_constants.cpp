// SPDX-License-Identifier: Apache-2.0
#include "execute/fold_constants.hpp"

#include "execute/reference.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::execute {

using frontend::Call;
using frontend::CheckedProgram;
using frontend::Datum;
using frontend::DatumKind;

namespace {

double rounded(double value, Precision precision) {
    return precision == Precision::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

class Folding {
public:
    Folding(const CheckedProgram& program, const library::Catalog& catalog, Diagnostics& diagnostics)
        : program_(program), catalog_(catalog), diagnostics_(diagnostics), folded_(program.data.size()), needed_(program.data.size()) {}

    CheckedProgram run() {
        fold();
        find_needed();
        return rebuilt();
    }

private:
    bool is_constant(DataId id) const { return program_.datum(id).kind == DatumKind::constant || !folded_[id.index()].empty(); }

    void fold() {
        std::vector<CallId> calls;
        for (std::size_t i = 0; i < program_.calls.size(); ++i) {
            const Call& call = program_.calls[i];
            const Datum& result = program_.datum(call.result);
            if (result.output || !std::all_of(call.operands.begin(), call.operands.end(), [&](DataId id) { return is_constant(id); })) {
                continue;
            }
            calls.emplace_back(i);
            // From the program's constants each time, so that nothing is rounded before the last step of a chain.
            const std::vector<double> exact =
                evaluate(program_, catalog_, calls, 1, DataValues(program_.data.size())).values[call.result.index()];
            std::vector<double> values;
            for (const double component : exact) {
                values.push_back(rounded(component, result.type.precision));
            }
            if (std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) {
                folded_[call.result.index()] = std::move(values);
                diagnostics_.report(
                    kind::folded_call, call.span, "`" + result.name + "` has constant operands only: computed by the compiler");
            } else {
                calls.pop_back();
            }
        }
    }

    /// Given data, outputs, and what the calls that stay use.
    void find_needed() {
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            needed_[i] =
                program_.data[i].kind == DatumKind::input || program_.data[i].kind == DatumKind::uniform || program_.data[i].output;
        }
        for (std::size_t i = program_.calls.size(); i-- > 0;) {
            const Call& call = program_.calls[i];
            if (needed_[call.result.index()] && !is_folded(call)) {
                for (const DataId operand : call.operands) {
                    needed_[operand.index()] = true;
                }
            }
        }
    }
    bool is_folded(const Call& call) const { return !folded_[call.result.index()].empty(); }

    CheckedProgram rebuilt() const {
        CheckedProgram result;
        result.name = program_.name;
        result.source = program_.source;
        result.functions = program_.functions;
        std::vector<DataId> moved(program_.data.size());
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            if (needed_[i]) {
                moved[i] = DataId(result.data.size());
                Datum& datum = result.data.emplace_back(program_.data[i]);
                datum.producer.reset();
                if (!folded_[i].empty()) {
                    datum.kind = DatumKind::constant;
                    datum.values = folded_[i];
                }
            }
        }
        const auto move = [&](std::vector<DataId> ids) {
            std::transform(ids.begin(), ids.end(), ids.begin(), [&](DataId id) { return moved[id.index()]; });
            return ids;
        };
        for (const Call& call : program_.calls) {
            if (needed_[call.result.index()] && !is_folded(call)) {
                result.data[moved[call.result.index()].index()].producer = CallId(result.calls.size());
                result.calls.push_back({call.instance, move(call.operands), moved[call.result.index()], call.span});
            }
        }
        result.inputs = move(program_.inputs);
        result.outputs = move(program_.outputs);
        return result;
    }

    const CheckedProgram& program_;
    const library::Catalog& catalog_;
    Diagnostics& diagnostics_;
    std::vector<std::vector<double>> folded_; ///< by datum: values, where the result of a call becomes a constant
    std::vector<bool> needed_;                ///< by datum
};

} // namespace

CheckedProgram fold_constants(const CheckedProgram& program, const library::Catalog& catalog, Diagnostics& diagnostics) {
    return Folding(program, catalog, diagnostics).run();
}

} // namespace fusec::execute
