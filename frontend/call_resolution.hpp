// SPDX-License-Identifier: Apache-2.0
// Which function of the library a call or an operator means for its operands, and what to say if none.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::frontend {

/// An operand with its place in the text.
struct Operand {
    DataId datum;
    Type type;
    Span span;
    std::optional<Span> defined; ///< of a plain name: where it is defined
};

/// A call or an operator in the text.
struct CallSite {
    std::string text; ///< the callee or operator as written
    Span head;        ///< that alone
    Span span;        ///< with its operands
    bool prefix = false;
};

class CallResolution {
public:
    CallResolution(const library::Catalog& catalog, Diagnostics& diagnostics) : catalog_(catalog), diagnostics_(diagnostics) {}

    /// The function, called by its name with a suffix that may be empty; nothing after reporting.
    std::optional<library::Instance> named(
        const CallSite& site, FunctionId function, const std::string& suffix, const std::vector<Operand>& operands);
    /// The function that the operator means; `symbol` is the metadata's: "neg" for a sign.
    std::optional<library::Instance> operation(const CallSite& site, std::string_view symbol, const std::vector<Operand>& operands);
    /// Reports `wrong-arity` unless the function takes so many operands; said even when an operand is in error.
    bool arity_fits(const CallSite& site, FunctionId function, std::size_t operands);

private:
    bool suffix_fits(const CallSite& site, const std::string& function, const std::string& suffix, const std::vector<Operand>& operands);
    void report_mismatch(const CallSite& site, const library::Mismatch& mismatch, const std::vector<Operand>& operands);
    void report_no_operator(const CallSite& site, const std::vector<Operand>& operands);

    const library::Catalog& catalog_;
    Diagnostics& diagnostics_;
};

/// Hints at a conversion: where the operands of a call differ, and where a value should have another precision.
inline constexpr const char* one_precision_hint = "all operands of a call have one precision: `double(...)` or `float(...)` converts one";
inline const char* conversion_hint(Precision to) {
    return to == Precision::f64 ? "`double(...)` converts it" : "`float(...)` converts it";
}

/// "`A` is `float MATRIX3x3`"
std::string described(const Operand& operand);
/// Adds where the operand is defined, unless a note of that place is there.
void note_operand(Diagnostic& diagnostic, const Operand& operand);

} // namespace fusec::frontend
