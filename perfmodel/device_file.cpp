// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/device_file.hpp"

#include "support/toml_nesting.hpp"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>

namespace fusec::perfmodel {

namespace {

/// Byte offset of a position of toml++, whose lines and columns count from 1 and whose columns count code points.
std::size_t offset_of(const SourceText& source, const toml::source_position& position) {
    if (position.line == 0 || position.line > source.line_count()) {
        return source.text().size();
    }
    const std::string_view line = source.line_text(position.line);
    std::size_t bytes = 0;
    for (std::size_t column = 1; column < position.column && bytes < line.size(); ++column) {
        do {
            ++bytes;
        } while (bytes < line.size() && (static_cast<unsigned char>(line[bytes]) & 0xC0U) == 0x80U);
    }
    return source.line_start(position.line) + bytes;
}

class Reader {
public:
    Reader(const SourcePtr& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

    void read(const toml::table& table, const std::string& prefix, DeviceFile& file) {
        for (const auto& [key, node] : table) {
            const std::string name = prefix + std::string(key.str());
            if (prefix.empty() && (name == "name" || name == "summary" || name == "target")) {
                read_text(name, node, file);
            } else if (const toml::table* inner = node.as_table()) {
                if (inner->is_inline()) {
                    read_figure(name, *inner, span_of(key.source(), node.source()), file);
                } else {
                    read(*inner, name + ".", file);
                }
            } else {
                diagnostics_.report(kind::invalid_figure, span_of(node.source()), "`" + name + "` is a bare value").hint =
                    "write `" + name.substr(name.rfind('.') + 1) + " = { value = ..., unit = \"...\", source = \"...\" }`";
            }
        }
    }

    Span span_of(const toml::source_region& region) const { return span_of(region, region); }
    Span span_of(const toml::source_region& first, const toml::source_region& last) const {
        const std::size_t begin = offset_of(*source_, first.begin);
        return {source_, begin, std::max(begin, offset_of(*source_, last.end))};
    }

private:
    void read_text(const std::string& name, const toml::node& node, DeviceFile& file) {
        const auto* text = node.as_string();
        if (text == nullptr || text->get().empty()) {
            diagnostics_.report(kind::invalid_figure, span_of(node.source()), "`" + name + "` is not a text");
            return;
        }
        if (has_control_character(text->get())) { // it stands in a line of what is emitted and reported
            diagnostics_.report(kind::invalid_figure, span_of(node.source()), "a control character in `" + name + "`");
            return;
        }
        if (name == "name") {
            file.name = text->get();
        } else if (name == "summary") {
            file.summary = text->get();
        } else {
            file.target = text->get();
            file.target_span = span_of(node.source());
        }
    }

    void read_figure(const std::string& name, const toml::table& entry, const Span& span, DeviceFile& file) {
        Figure figure{name, 0, {}, {}};
        bool has_value = false;
        for (const auto& [key, node] : entry) {
            if (key.str() == "value" && node.is_number()) {
                // toml++ converts no whole number that a double does not hold exactly.
                figure.value = node.is_integer() ? static_cast<double>(node.as_integer()->get()) : node.as_floating_point()->get();
                has_value = true;
            } else if (key.str() == "unit" && node.is_string()) {
                figure.unit = node.as_string()->get();
            } else if (key.str() == "source" && node.is_string()) {
                figure.source = node.as_string()->get();
            } else {
                diagnostics_.report(kind::invalid_figure, span_of(key.source(), node.source()),
                    "`" + std::string(key.str()) + "` of `" + name + "` is not one of a number `value`, a text `unit`, a text `source`");
                return;
            }
        }
        if (!has_value || figure.unit.empty()) {
            diagnostics_.report(kind::invalid_figure, span, "`" + name + "` has no " + (has_value ? "unit" : "value"));
        } else if (figure.source.find_first_not_of(" \t\n") == std::string::npos) {
            diagnostics_.report(kind::invalid_figure, span, "`" + name + "` has no source").hint =
                "say where the figure comes from, or that it is an assumption";
        } else {
            file.figures.push_back({std::move(figure), span});
        }
    }

    const SourcePtr& source_;
    Diagnostics& diagnostics_;
};

} // namespace

std::optional<DeviceFile> read_device_file(const SourcePtr& source, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    if (const auto deep = too_deep_toml(source->text())) {
        diagnostics.report(kind::device_syntax, {source, deep->at, deep->at + 1}, deep->message);
        return std::nullopt;
    }
    Reader reader(source, diagnostics);
    const toml::parse_result parsed = toml::parse(source->text(), source->path());
    if (!parsed) {
        diagnostics.report(kind::device_syntax, reader.span_of(parsed.error().source()), std::string(parsed.error().description()));
        return std::nullopt;
    }
    DeviceFile file;
    file.whole = {source, 0, 0};
    reader.read(parsed.table(), "", file);
    // toml++ keeps tables sorted by key.
    std::sort(file.figures.begin(), file.figures.end(),
        [](const LocatedFigure& a, const LocatedFigure& b) { return a.span.begin < b.span.begin; });
    return diagnostics.error_count() == before ? std::optional(std::move(file)) : std::nullopt;
}

} // namespace fusec::perfmodel
