// SPDX-License-Identifier: Apache-2.0
// Diagnostics: declared kinds, a builder, a sink that collects, and a renderer. Every phase reports through these.
#pragma once

#include "support/source.hpp"

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fusec {

enum class Severity {
    error,
    warning,
    remark
};

/// Whose fault a diagnostic is; decides the exit code: user 1, usage 2, limit 3, mismatch 4.
enum class Fault {
    user,
    usage,
    limit,
    mismatch
};

/// The stable identity of a message. All kinds are declared in support/diagnostic_kinds.def; a test demands a golden case of each.
struct DiagnosticKind {
    std::string_view name; ///< kebab-case, shown in brackets
    Severity severity = Severity::error;
    Fault fault = Fault::user;
};

namespace kind {
#define FUSEC_DIAGNOSTIC(identifier, name, severity, fault)                                                                                \
    inline constexpr DiagnosticKind identifier{name, Severity::severity, Fault::fault};
#include "support/diagnostic_kinds.def"
#undef FUSEC_DIAGNOSTIC
} // namespace kind

/// All declared kinds, in the order of the .def file.
const std::vector<DiagnosticKind>& all_diagnostic_kinds();

/// A further place that explains the message ("first defined here").
struct DiagnosticNote {
    Span span;
    std::string message;
};

struct Diagnostic {
    DiagnosticKind kind;
    Span span;           ///< null source: no place, only `message` is printed
    std::string message; ///< lower case, no full stop, code in backticks, says the situation and both numbers
    std::vector<DiagnosticNote> notes;
    std::string hint; ///< empty when there is none

    void note(Span place, std::string text);
};

/// Collects diagnostics of a compile. Not thread-safe; one per compile.
class Diagnostics {
public:
    /// Adds a diagnostic and gives it back for `note`/`hint` to be attached. The reference is valid until the next report.
    Diagnostic& report(const DiagnosticKind& kind, Span span, std::string message);
    /// Adds one that was collected elsewhere.
    void add(const Diagnostic& diagnostic);

    bool has_errors() const { return errors_ != 0; }
    std::size_t error_count() const { return errors_; }
    const std::vector<Diagnostic>& all() const { return entries_; }

    /// A line for the end of all messages, such as the summary of a compile; not a diagnostic. Left out after an error.
    void conclude(std::string line) { conclusion_ = std::move(line); }
    const std::string& conclusion() const { return conclusion_; }

    /// 0 without errors; else the code of the first error's fault (DESIGN.md section 2): 1 user, 2 usage, 3 limit, 4 mismatch.
    int exit_code() const;

private:
    std::vector<Diagnostic> entries_;
    std::string conclusion_;
    std::size_t errors_ = 0;
};

/// Writes diagnostics as `path:line:column: error: message [kind]`, the source line, a caret range, notes and the hint.
/// Sorted by file and offset, exact repeats dropped. At most `most` errors, warnings and remarks each are
/// shown; the numbers left out are said.
void render(const Diagnostics& diagnostics, std::ostream& out, bool color, std::size_t most = 50);

/// The candidate nearest to `word` by edit distance, or empty when none is near enough (at most a third of the letters differ).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// A broken invariant of the compiler itself: exit 70.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Throws InternalError with `what` unless `condition` holds. Never triggered by user input.
inline void internal_check(bool condition, const char* what) {
    if (!condition) [[unlikely]] {
        throw InternalError(what);
    }
}

} // namespace fusec
