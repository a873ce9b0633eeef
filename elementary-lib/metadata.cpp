// SPDX-License-Identifier: Apache-2.0
// Keys, types and expressions of a metadata file. The only file that sees toml++.
#include "elementary-lib/metadata.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace fusec::library {

namespace {

std::size_t offset_of(const SourceText& text, toml::source_position position) {
    const std::size_t line = std::clamp<std::size_t>(position.line, 1, text.line_count());
    std::size_t offset = text.line_start(line);
    const std::size_t end = offset + text.line_text(line).size();
    // toml++ counts columns in code points; a span counts bytes.
    for (toml::source_index column = 1; column < position.column && offset < end; ++column) {
        do {
            ++offset;
        } while (offset < end && (static_cast<unsigned char>(text.text()[offset]) & 0xC0U) == 0x80U);
    }
    return offset;
}

Span span_of(const SourcePtr& text, const toml::source_region& region) {
    const std::size_t begin = offset_of(*text, region.begin);
    const std::size_t end = std::max(offset_of(*text, region.end), begin);
    return {text, begin, std::min(std::max(end, begin + 1), std::max(text->text().size(), begin))};
}

std::string article(std::string_view kind) {
    return (std::string_view("aeiou").find(kind.front()) == std::string_view::npos ? "a " : "an ") + std::string(kind);
}

/// Where `name` stands as a word of its own. Pre: it does.
std::size_t word_position(std::string_view text, std::string_view name) {
    const auto is_word = [&](std::size_t at) { return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_'); };
    std::size_t at = text.find(name);
    while (at != std::string_view::npos && ((at > 0 && is_word(at - 1)) || is_word(at + name.size()))) {
        at = text.find(name, at + 1);
    }
    return at;
}

std::string kind_of(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::none:
        return "nothing";
    case toml::node_type::table:
        return "a table";
    case toml::node_type::array:
        return "an array";
    case toml::node_type::string:
        return "a string";
    case toml::node_type::integer:
        return "an integer";
    case toml::node_type::floating_point:
        return "a floating-point number";
    case toml::node_type::boolean:
        return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
        return "a date or time";
    }
    return {};
}

class Reader {
public:
    Reader(Metadata& metadata, Diagnostics& diagnostics)
        : metadata_(metadata), function_(metadata.function), diagnostics_(diagnostics) {}

    void read(const toml::table& root) {
        known_keys(root, "", {"summary", "shape", "operator", "commutative", "where", "reference", "flops", "divisions", "square_roots", "transcendentals", "input", "output", "implementation"});
        read_shape(root);
        function_.summary = text(root, "", "summary").value_or("");
        if (root.contains("operator")) {
            function_.operator_symbol = choice(root, "", "operator", {"*", "+", "-", "/", "'", "neg"});
        }
        function_.commutative = flag(root, "", "commutative");
        if (root.contains("where")) {
            function_.where = expression(root, "", "where", true);
        }
        read_reference(root);
        function_.flops = expression(root, "", "flops", true).value_or(SizeExpression());
        function_.divisions = expression(root, "", "divisions", false).value_or(SizeExpression());
        function_.square_roots = expression(root, "", "square_roots", false).value_or(SizeExpression());
        function_.transcendentals = expression(root, "", "transcendentals", false).value_or(SizeExpression());
        for (const auto& [path, table] : tables(root, "input", false)) {
            known_keys(*table, path, {"name", "type", "domain"});
            function_.inputs.push_back(parameter(*table, path));
        }
        read_output(root);
        for (const auto& [path, table] : tables(root, "implementation", true)) {
            read_implementation(*table, path);
        }
    }

private:
    Diagnostic& report(const DiagnosticKind& kind, const Span& span, std::string message) {
        return diagnostics_.report(kind, span, std::move(message));
    }
    static std::string join(const std::string& path, std::string_view key) {
        return path.empty() ? std::string(key) : path + "." + std::string(key);
    }
    /// Where a missing key would have to stand: the table's head, or the file's start.
    Span head(const std::string& path) const { return metadata_.place(path); }

    void known_keys(const toml::table& table, const std::string& path, std::initializer_list<std::string_view> keys) {
        const std::vector<std::string> known(keys.begin(), keys.end());
        for (const auto& [key, node] : table) {
            if (std::find(known.begin(), known.end(), key.str()) != known.end()) {
                metadata_.places[join(path, key.str())] = span_of(metadata_.text, node.source());
                continue;
            }
            Diagnostic& unknown = report(kind::library_unknown_key, span_of(metadata_.text, key.source()), "`" + std::string(key.str()) + "` is no key of " + (path.empty() ? "a function" : "`" + path.substr(0, path.find('[')) + "`"));
            if (const std::string near = nearest(key.str(), known); !near.empty()) {
                unknown.hint = "did you mean `" + near + "`?";
            }
        }
    }

    const toml::node* find(const toml::table& table, const std::string& path, std::string_view key, bool required) {
        const toml::node* node = table.get(key);
        if (node == nullptr && required) {
            report(kind::library_missing_key, head(path), "`" + std::string(key) + "` is missing" + (path.empty() ? "" : " in this `" + path.substr(0, path.find('[')) + "`"));
        }
        return node;
    }
    void wrong_type(const toml::node& node, const std::string& what, std::string_view needed) {
        report(kind::library_wrong_type, span_of(metadata_.text, node.source()), "`" + what + "` is " + kind_of(node) + ", but " + article(needed) + " is needed");
    }

    std::optional<std::string> text(const toml::table& table, const std::string& path, std::string_view key, bool required = true) {
        const toml::node* node = find(table, path, key, required);
        if (node == nullptr) {
            return std::nullopt;
        }
        if (!node->is_string()) {
            wrong_type(*node, std::string(key), "string");
            return std::nullopt;
        }
        return node->as_string()->get();
    }
    bool flag(const toml::table& table, const std::string& path, std::string_view key) {
        const toml::node* node = find(table, path, key, false);
        if (node != nullptr && !node->is_boolean()) {
            wrong_type(*node, std::string(key), "boolean");
        }
        return node != nullptr && node->is_boolean() && node->as_boolean()->get();
    }
    std::optional<std::string> choice(const toml::table& table, const std::string& path, std::string_view key, const std::vector<std::string>& values) {
        const std::optional<std::string> value = text(table, path, key);
        if (!value || std::find(values.begin(), values.end(), *value) != values.end()) {
            return value;
        }
        std::string list;
        for (const std::string& one : values) {
            list += (list.empty() ? "`" : ", `") + one + "`";
        }
        Diagnostic& bad = report(kind::library_wrong_value, metadata_.place(join(path, key)), "`" + *value + "` is no value of `" + std::string(key) + "` (" + list + ")");
        if (const std::string near = nearest(*value, values); !near.empty()) {
            bad.hint = "did you mean `" + near + "`?";
        }
        return std::nullopt;
    }

    std::optional<SizeExpression> parse_expression(std::string_view source, const Span& value, std::size_t offset) {
        std::string error;
        std::size_t where = 0;
        std::optional<SizeExpression> parsed = SizeExpression::parse(source, error, where);
        if (!parsed) {
            report(kind::library_expression, inside(value, offset + where), "not a size expression: " + error);
            return std::nullopt;
        }
        for (const std::string& name : parsed->names()) {
            if (std::find(function_.shape.begin(), function_.shape.end(), name) == function_.shape.end()) {
                Diagnostic& unknown = report(kind::library_expression, inside(value, offset + word_position(source, name), name.size()), "`" + name + "` is not a shape parameter");
                if (const std::string near = nearest(name, function_.shape); !near.empty()) {
                    unknown.hint = "did you mean `" + near + "`?";
                }
                return std::nullopt;
            }
        }
        return parsed;
    }
    std::optional<SizeExpression> expression(const toml::table& table, const std::string& path, std::string_view key, bool required) {
        const toml::node* node = find(table, path, key, required);
        if (node == nullptr) {
            return std::nullopt;
        }
        const Span place = metadata_.place(join(path, key));
        if (node->is_integer()) {
            return parse_expression(std::to_string(node->as_integer()->get()), place, 0);
        }
        if (!node->is_string()) {
            wrong_type(*node, std::string(key), "expression (a string)");
            return std::nullopt;
        }
        return parse_expression(node->as_string()->get(), place, 0);
    }

    /// The entries of an array of tables, each with its path; reports a wrong form.
    std::vector<std::pair<std::string, const toml::table*>> tables(const toml::table& root, const std::string& key, bool required) {
        std::vector<std::pair<std::string, const toml::table*>> found;
        const toml::node* node = find(root, "", key, required);
        if (node == nullptr) {
            return found;
        }
        const toml::array* array = node->as_array();
        if (array == nullptr) {
            wrong_type(*node, key, "array of tables");
            report(kind::library_wrong_type, metadata_.place(key), "`" + key + "` is not written as `[[" + key + "]]`");
            return found;
        }
        if (required && array->empty()) {
            report(kind::library_missing_key, metadata_.place(key), "`" + key + "` has no entry");
        }
        for (const toml::node& entry : *array) {
            const std::string path = key + "[" + std::to_string(found.size()) + "]";
            metadata_.places[path] = span_of(metadata_.text, entry.source());
            if (const toml::table* table = entry.as_table()) {
                found.emplace_back(path, table);
            } else {
                wrong_type(entry, key, "table");
            }
        }
        return found;
    }

    void read_shape(const toml::table& root) {
        const toml::node* node = find(root, "", "shape", true);
        if (node == nullptr) {
            return;
        }
        if (!node->is_array()) {
            return wrong_type(*node, "shape", "array of strings");
        }
        for (const toml::node& entry : *node->as_array()) {
            if (!entry.is_string()) {
                wrong_type(entry, "shape", "array of strings");
                continue;
            }
            metadata_.places["shape[" + std::to_string(function_.shape.size()) + "]"] = span_of(metadata_.text, entry.source());
            function_.shape.push_back(entry.as_string()->get());
        }
    }

    void read_reference(const toml::table& root) {
        const std::optional<std::string> source = text(root, "", "reference");
        if (!source) {
            return;
        }
        std::string error;
        std::size_t where = 0;
        if (std::optional<Reference> parsed = parse_reference(*source, error, where)) {
            function_.reference = *std::move(parsed);
            function_.reference_text = *source;
        } else {
            report(kind::library_reference, inside(metadata_.place("reference"), where), error);
        }
    }

    /// `SCALAR`, `VECTOR[N]` or `MATRIX[M,K]`.
    void read_type(Parameter& parameter, const std::string& pattern, const std::string& path) {
        const Span place = metadata_.place(join(path, "type"));
        const std::size_t open = pattern.find('[');
        const std::string form = pattern.substr(0, open);
        const std::size_t dimensions = form == "SCALAR" ? 0 : form == "VECTOR" ? 1
                                                          : form == "MATRIX"   ? 2
                                                                               : 3;
        const bool bracketed = open != std::string::npos && pattern.back() == ']';
        if (dimensions == 3 || (dimensions == 0 ? open != std::string::npos : !bracketed)) {
            report(kind::library_type, place, "`" + pattern + "` is not a type").hint = "types are `SCALAR`, `VECTOR[N]` and `MATRIX[M,N]`";
            return;
        }
        parameter.form = static_cast<Form>(dimensions);
        const SizeExpression one = *constant("1");
        parameter.rows = parameter.columns = one;
        if (dimensions == 0) {
            return;
        }
        std::vector<std::pair<std::size_t, std::string>> parts;
        int depth = 0;
        std::size_t start = open + 1;
        for (std::size_t i = start; i < pattern.size(); ++i) {
            depth += pattern[i] == '(' ? 1 : pattern[i] == ')' ? -1
                                                               : 0;
            if ((pattern[i] == ',' && depth == 0) || i + 1 == pattern.size()) {
                parts.emplace_back(start, pattern.substr(start, i - start));
                start = i + 1;
            }
        }
        if (parts.size() != dimensions) {
            report(kind::library_type, place, "`" + form + "` has " + std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions") + ", but " + std::to_string(parts.size()) + (parts.size() == 1 ? " is" : " are") + " given");
            return;
        }
        parameter.rows = parse_expression(parts[0].second, place, parts[0].first).value_or(one);
        if (dimensions == 2) {
            parameter.columns = parse_expression(parts[1].second, place, parts[1].first).value_or(one);
        }
    }
    static std::optional<SizeExpression> constant(std::string_view source) {
        std::string error;
        std::size_t where = 0;
        return SizeExpression::parse(source, error, where);
    }

    Parameter parameter(const toml::table& table, const std::string& path) {
        Parameter made;
        made.name = text(table, path, "name").value_or("");
        if (const std::optional<std::string> pattern = text(table, path, "type")) {
            read_type(made, *pattern, path);
        }
        if (table.contains("domain")) {
            static const std::vector<std::string> domains{"any", "positive", "nonzero", "invertible", "spd"};
            if (const std::optional<std::string> domain = choice(table, path, "domain", domains)) {
                made.domain = static_cast<Domain>(std::find(domains.begin(), domains.end(), *domain) - domains.begin());
            }
        }
        return made;
    }

    void read_output(const toml::table& root) {
        const toml::node* node = find(root, "", "output", true);
        if (node == nullptr) {
            return;
        }
        if (!node->is_table()) {
            return wrong_type(*node, "output", "table");
        }
        known_keys(*node->as_table(), "output", {"name", "type"});
        function_.output = parameter(*node->as_table(), "output");
    }

    void read_implementation(const toml::table& table, const std::string& path) {
        known_keys(table, path, {"name", "routine", "threads", "map", "limit", "flops", "divisions", "square_roots", "transcendentals", "temporaries", "barrier"});
        Implementation made;
        made.name = text(table, path, "name").value_or("");
        made.routine = text(table, path, "routine", false).value_or(made.name);
        made.threads = expression(table, path, "threads", true).value_or(*constant("1"));
        if (table.contains("limit")) {
            made.limit = expression(table, path, "limit", true);
        }
        made.flops = expression(table, path, "flops", false);
        made.divisions = expression(table, path, "divisions", false);
        made.square_roots = expression(table, path, "square_roots", false);
        made.transcendentals = expression(table, path, "transcendentals", false);
        made.temporaries = expression(table, path, "temporaries", false).value_or(SizeExpression());
        made.barrier = flag(table, path, "barrier");
        made.inputs.assign(function_.inputs.size(), Touch::all);
        if (const toml::node* node = table.get("map")) {
            if (const toml::table* map = node->as_table()) {
                read_map(*map, path + ".map", made);
            } else {
                wrong_type(*node, "map", "table");
            }
        }
        function_.implementations.push_back(std::move(made));
    }

    void read_map(const toml::table& map, const std::string& path, Implementation& into) {
        static const std::vector<std::string> touches{"all", "row", "column", "entry", "rows"};
        std::vector<std::string> operands{function_.output.name};
        for (const Parameter& input : function_.inputs) {
            operands.push_back(input.name);
        }
        for (const auto& [key, node] : map) {
            const std::string name(key.str());
            metadata_.places[path + "." + name] = span_of(metadata_.text, node.source());
            const auto found = std::find(operands.begin(), operands.end(), name);
            if (found == operands.end()) {
                Diagnostic& unknown = report(kind::library_implementation, span_of(metadata_.text, key.source()), "`map` names `" + name + "`, which is neither an operand nor the result");
                if (const std::string near = nearest(name, operands); !near.empty()) {
                    unknown.hint = "did you mean `" + near + "`?";
                }
                continue;
            }
            if (const std::optional<std::string> value = choice(map, path, name, touches)) {
                const Touch touch = static_cast<Touch>(std::find(touches.begin(), touches.end(), *value) - touches.begin());
                const auto operand = static_cast<std::size_t>(found - operands.begin());
                (operand == 0 ? into.output : into.inputs[operand - 1]) = touch;
            }
        }
    }

    Metadata& metadata_;
    Function& function_;
    Diagnostics& diagnostics_;
};

} // namespace

Span Metadata::place(const std::string& path) const {
    const auto found = places.find(path);
    return found != places.end() ? found->second : Span{text, 0, std::min<std::size_t>(1, text->text().size())};
}

Span inside(const Span& value, std::size_t where, std::size_t length) {
    const std::string_view raw = value.text();
    const bool plain = raw.size() >= 2 && (raw.front() == '"' || raw.front() == '\'') && raw.back() == raw.front() && raw.find('\\') == std::string_view::npos && !raw.starts_with("\"\"\"") && !raw.starts_with("'''");
    if (!plain) {
        return value;
    }
    const std::size_t last = value.end - 1; // the closing quote: where something is missing at the end
    const std::size_t begin = std::min(value.begin + 1 + where, last);
    return {value.source, begin, std::max(begin + 1, std::min(begin + length, last))};
}

std::optional<Metadata> read_metadata(const std::string& name, const SourcePtr& text, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    Metadata metadata;
    metadata.text = text;
    metadata.function.name = name;
    const toml::parse_result parsed = toml::parse(text->text());
    if (!parsed) {
        diagnostics.report(kind::library_syntax, span_of(text, parsed.error().source()), "not TOML: " + std::string(parsed.error().description()));
        return std::nullopt;
    }
    Reader(metadata, diagnostics).read(parsed.table());
    if (diagnostics.error_count() != errors) {
        return std::nullopt;
    }
    return metadata;
}

} // namespace fusec::library
