// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostics.hpp"

#include <algorithm>
#include <ostream>
#include <tuple>

namespace fusec {

namespace {

int exit_code_of(Fault fault) {
    switch (fault) {
    case Fault::user:
        return 1;
    case Fault::usage:
        return 2;
    case Fault::limit:
        return 3;
    case Fault::mismatch:
        return 4;
    }
    return 70;
}

const char* word_of(Severity severity) {
    switch (severity) {
    case Severity::error:
        return "error";
    case Severity::warning:
        return "warning";
    case Severity::remark:
        return "remark";
    }
    return "";
}

struct Palette {
    const char* bold;
    const char* red;
    const char* magenta;
    const char* blue;
    const char* green;
    const char* reset;
};

constexpr Palette plain{"", "", "", "", "", ""};
constexpr Palette colored{"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;34m", "\033[1;32m", "\033[0m"};

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The line of `span.begin` with a caret range under it. Tabs are kept in the ruler so that it lines up;
/// a line longer than the window is shown around the caret with `...` at the cut ends.
void render_excerpt(const Span& span, std::ostream& out, const Palette& palette) {
    constexpr std::size_t window = 160;
    const std::size_t line = span.source->line(span.begin);
    std::string_view text = span.source->line_text(line);
    std::size_t caret = std::min(span.begin - span.source->line_start(line), text.size());
    std::size_t length = std::max<std::size_t>(1, std::min(span.end - span.begin, text.size() - caret));
    bool cut_front = false;
    if (text.size() > window && caret > window / 2) {
        std::size_t front = caret - window / 2;
        while (front < caret && is_continuation(text[front])) {
            ++front;
        }
        text.remove_prefix(front);
        caret -= front;
        cut_front = true;
    }
    bool cut_back = false;
    if (text.size() > window) {
        std::size_t back = window;
        while (back > 0 && is_continuation(text[back])) {
            --back;
        }
        text = text.substr(0, back);
        cut_back = true;
        length = std::min(length, std::max<std::size_t>(1, text.size() - std::min(caret, text.size())));
    }
    out << "  " << (cut_front ? "..." : "") << text << (cut_back ? "..." : "") << "\n  " << (cut_front ? "   " : "");
    for (std::size_t i = 0; i < caret; ++i) {
        if (i < text.size() && is_continuation(text[i])) {
            continue;
        }
        out << (i < text.size() && text[i] == '\t' ? '\t' : ' ');
    }
    out << palette.green << '^';
    for (std::size_t i = caret + 1; i < caret + length; ++i) {
        if (i < text.size() && !is_continuation(text[i])) {
            out << '~';
        }
    }
    out << palette.reset << '\n';
}

void render_place(const Span& span, std::ostream& out) {
    if (span.source) {
        out << span.source->path() << ':' << span.source->line(span.begin) << ':' << span.source->column(span.begin) << ": ";
    } else {
        out << "fusec: ";
    }
}

auto order_of(const Diagnostic& d) {
    return std::tuple(d.span.source ? d.span.source->path() : std::string(), d.span.begin, d.span.end, d.message);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

} // namespace

const std::vector<DiagnosticKind>& all_diagnostic_kinds() {
    static const std::vector<DiagnosticKind> kinds = {
#define FUSEC_DIAGNOSTIC(identifier, name, severity, fault) kind::identifier,
#include "support/diagnostic_kinds.def"
#undef FUSEC_DIAGNOSTIC
    };
    return kinds;
}

Diagnostic& Diagnostics::report(const DiagnosticKind& kind, Span span, std::string message) {
    errors_ += kind.severity == Severity::error ? 1 : 0;
    return entries_.emplace_back(Diagnostic{kind, std::move(span), std::move(message), {}, {}});
}

int Diagnostics::exit_code() const {
    const auto first = std::find_if(entries_.begin(), entries_.end(), [](const Diagnostic& d) { return d.kind.severity == Severity::error; });
    return first == entries_.end() ? 0 : exit_code_of(first->kind.fault);
}

void render(const Diagnostics& diagnostics, std::ostream& out, bool color, std::size_t most) {
    const Palette& palette = color ? colored : plain;
    std::vector<const Diagnostic*> sorted;
    for (const Diagnostic& d : diagnostics.all()) {
        sorted.push_back(&d);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) { return order_of(*a) < order_of(*b); });
    const auto repeated = [](const Diagnostic* a, const Diagnostic* b) { return order_of(*a) == order_of(*b) && a->kind.name == b->kind.name; };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), repeated), sorted.end());

    std::size_t errors = 0;
    std::size_t left_out = 0;
    for (const Diagnostic* d : sorted) {
        if (d->kind.severity == Severity::error && ++errors > most) {
            ++left_out;
            continue;
        }
        const char* tone = d->kind.severity == Severity::error ? palette.red : d->kind.severity == Severity::warning ? palette.magenta
                                                                                                                     : palette.blue;
        out << palette.bold;
        render_place(d->span, out);
        out << tone << word_of(d->kind.severity) << ": " << palette.reset << palette.bold << d->message << palette.reset << " [" << d->kind.name << "]\n";
        if (d->span.source) {
            render_excerpt(d->span, out, palette);
        }
        for (const DiagnosticNote& note : d->notes) {
            render_place(note.span, out);
            out << palette.blue << "note: " << palette.reset << note.message << '\n';
            if (note.span.source) {
                render_excerpt(note.span, out, palette);
            }
        }
        if (!d->hint.empty()) {
            out << "  " << palette.blue << "hint: " << palette.reset << d->hint << '\n';
        }
    }
    if (left_out != 0) {
        out << "fusec: " << left_out << " more errors are not shown\n";
    }
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t best_distance = word.size() / 3 + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance || (distance == best_distance && !best.empty() && candidate < best)) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace fusec
