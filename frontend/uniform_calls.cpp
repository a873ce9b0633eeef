// SPDX-License-Identifier: Apache-2.0
#include "frontend/uniform_calls.hpp"

#include <algorithm>
#include <iterator>

namespace fusec::frontend {

namespace {

class Separation {
public:
    Separation(const CheckedProgram& program, const library::Catalog& catalog)
        : program_(program), catalog_(catalog), made_of_(program.data.size()) {}

    CheckedProgram run() {
        CheckedProgram result = program_;
        result.calls.clear();
        for (const Call& call : program_.calls) {
            Datum& made = result.data[call.result.index()];
            made.producer.reset();
            if (!made.output && may_be_derived(call, result)) {
                made.kind = DatumKind::derived;
                made.uniform_call = result.uniform_calls.size();
                result.uniform_calls.push_back(call);
            } else {
                made.producer = CallId(result.calls.size());
                result.calls.push_back(call);
            }
        }
        if (!result.uniform_calls.empty() && result.written == nullptr) {
            result.written = std::make_shared<const CheckedProgram>(program_);
        }
        return result;
    }

private:
    /// Remembers what the result is made of, as operations per uniform call.
    bool may_be_derived(const Call& call, const CheckedProgram& result) {
        std::vector<std::size_t> calls{result.uniform_calls.size()};
        for (const DataId operand : call.operands) {
            if (result.datum(operand).per_element()) {
                return false;
            }
            std::vector<std::size_t> all;
            const std::vector<std::size_t>& theirs = made_of_[operand.index()];
            std::set_union(calls.begin(), calls.end(), theirs.begin(), theirs.end(), std::back_inserter(all));
            calls = std::move(all);
        }
        const library::OperationCounts counts = catalog_.operations(call.instance);
        operations_.resize(result.uniform_calls.size());
        operations_.push_back(counts.flops + counts.divisions + counts.square_roots + counts.transcendentals);
        double operations = 0;
        for (const std::size_t number : calls) {
            operations += operations_[number];
        }
        if (call.instance.result.shape.size() > most_derived_components || operations > most_derived_operations) {
            return false;
        }
        made_of_[call.result.index()] = std::move(calls);
        return true;
    }

    const CheckedProgram& program_;
    const library::Catalog& catalog_;
    std::vector<std::vector<std::size_t>> made_of_; ///< per derived datum: the uniform calls that it is made of, ascending
    std::vector<double> operations_;                ///< per uniform call
};

} // namespace

CheckedProgram set_uniform_calls_apart(const CheckedProgram& program, const library::Catalog& catalog) {
    return Separation(program, catalog).run();
}

} // namespace fusec::frontend
