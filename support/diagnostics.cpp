// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostics.hpp"

#include <algorithm>
#include <map>
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

/// A code point of a source line as it is shown: what a terminal would obey or cannot show (control characters, bytes that are not
/// UTF-8) becomes U+FFFD. Tabs stay.
struct Cell {
    std::size_t offset; ///< in the line, bytes
    std::string_view shown;
};

/// Bytes of the UTF-8 sequence at the start of `text`; 0 if it is none. Overlong forms are not told apart: this is for showing only.
std::size_t sequence_length(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80 ? 1
        : lead >= 0xC2 && lead < 0xE0      ? 2
        : lead >= 0xE0 && lead < 0xF0      ? 3
        : lead >= 0xF0 && lead < 0xF5      ? 4
                                           : 0;
    if (length == 0 || length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

/// The bytes of a line that can be shown around a place: more code points on either side than the window holds.
struct Near {
    std::size_t begin, end;
};

Near near_of(std::string_view line, std::size_t place, std::size_t window) {
    const std::size_t reach = 4 * window; // bytes of so many of the longest code points
    Near near{place > reach ? place - reach : 0, std::min(line.size(), place + reach)};
    while (near.begin > 0 && near.begin < place && (static_cast<unsigned char>(line[near.begin]) & 0xC0U) == 0x80U) {
        ++near.begin;
    }
    return near;
}

std::vector<Cell> cells_of(std::string_view line, const Near& near) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::vector<Cell> cells;
    for (std::size_t offset = near.begin; offset < near.end;) {
        const std::size_t length = sequence_length(line.substr(offset));
        const auto byte = static_cast<unsigned char>(line[offset]);
        const bool control = (byte < 0x20 && byte != '\t') || byte == 0x7F;
        cells.push_back({offset, length == 0 || control ? replacement : line.substr(offset, length)});
        offset += std::max<std::size_t>(1, length);
    }
    return cells;
}

/// The line of `span.begin` with a caret range under it, in code points. Tabs are kept in the ruler so that it lines up; a line longer
/// than the window is shown around the caret with `...` at the cut ends. A span over several lines is marked to the end of its first.
void render_excerpt(const Span& span, std::ostream& out, const Palette& palette) {
    constexpr std::size_t window = 160;
    const std::size_t line = span.source->line(span.begin);
    const std::size_t start = span.source->line_start(line);
    const std::string_view whole = span.source->line_text(line);
    const Near near = near_of(whole, std::min(whole.size(), span.begin > start ? span.begin - start : 0), window);
    const std::vector<Cell> cells = cells_of(whole, near);
    // The cell that holds a byte: a span may begin inside a code point when its bytes are at fault.
    const auto cell_at = [&](std::size_t offset) {
        const auto next =
            std::upper_bound(cells.begin(), cells.end(), offset, [](std::size_t o, const Cell& cell) { return o < cell.offset; });
        return static_cast<std::size_t>(next - cells.begin()) - (next == cells.begin() ? 0 : 1);
    };
    const auto place = [&](std::size_t offset) {
        return offset >= start + near.end ? cells.size() : cell_at(offset - std::min(offset, start));
    };
    const std::size_t caret = place(span.begin);
    const std::size_t end =
        span.end > span.begin ? std::max(caret + 1, place(span.end - 1) + (span.end - 1 < start + near.end ? 1 : 0)) : caret + 1;

    const std::size_t first = cells.size() > window && caret > window / 2 ? caret - window / 2 : 0;
    const std::size_t last = std::min(cells.size(), first + window);
    const bool cut_front = first != 0 || near.begin != 0;
    out << "  " << (cut_front ? "..." : "");
    for (std::size_t i = first; i < last; ++i) {
        out << cells[i].shown;
    }
    out << (last != cells.size() || near.end != whole.size() ? "..." : "") << "\n  " << (cut_front ? "   " : "");
    for (std::size_t i = first; i < caret; ++i) {
        out << (cells[i].shown == "\t" ? '\t' : ' ');
    }
    out << palette.green << '^';
    for (std::size_t i = caret + 1; i < std::min(end, last); ++i) {
        out << '~';
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

void Diagnostic::note(Span place, std::string text) {
    notes.push_back({std::move(place), std::move(text)});
}

Diagnostic& Diagnostics::report(const DiagnosticKind& kind, Span span, std::string message) {
    errors_ += kind.severity == Severity::error ? 1 : 0;
    return entries_.emplace_back(Diagnostic{kind, std::move(span), std::move(message), {}, {}});
}

void Diagnostics::add(const Diagnostic& diagnostic) {
    report(diagnostic.kind, diagnostic.span, diagnostic.message) = diagnostic;
}

int Diagnostics::exit_code() const {
    const auto first =
        std::find_if(entries_.begin(), entries_.end(), [](const Diagnostic& d) { return d.kind.severity == Severity::error; });
    return first == entries_.end() ? 0 : exit_code_of(first->kind.fault);
}

void render(const Diagnostics& diagnostics, std::ostream& out, bool color, std::size_t most) {
    const Palette& palette = color ? colored : plain;
    std::vector<const Diagnostic*> sorted;
    for (const Diagnostic& d : diagnostics.all()) {
        sorted.push_back(&d);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) { return order_of(*a) < order_of(*b); });
    const auto repeated = [](const Diagnostic* a, const Diagnostic* b) {
        return order_of(*a) == order_of(*b) && a->kind.name == b->kind.name;
    };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), repeated), sorted.end());

    std::map<Severity, std::size_t> seen;
    for (const Diagnostic* d : sorted) {
        if (++seen[d->kind.severity] > most) {
            continue;
        }
        const char* tone = d->kind.severity == Severity::error ? palette.red
            : d->kind.severity == Severity::warning            ? palette.magenta
                                                               : palette.blue;
        out << palette.bold;
        render_place(d->span, out);
        out << tone << word_of(d->kind.severity) << ": " << palette.reset << palette.bold << d->message << palette.reset << " ["
            << d->kind.name << "]\n";
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
    for (const auto& [severity, count] : seen) {
        if (count > most) {
            out << "fusec: " << count - most << " more " << word_of(severity) << (count - most == 1 ? " is" : "s are") << " not shown\n";
        }
    }
    if (!diagnostics.conclusion().empty() && !diagnostics.has_errors()) {
        out << diagnostics.conclusion() << '\n';
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
