// SPDX-License-Identifier: Apache-2.0
// What the keys of a metadata file mean: shape, reference, types, implementations and maps.
#include "elementary-lib/metadata.hpp"

#include "elementary-lib/metadata_keys.hpp"

#include <algorithm>

namespace fusec::library {

namespace {

/// The names of an enumeration's values, from its first to `last`.
template <class Value>
std::vector<std::string> names(Value last) {
    std::vector<std::string> all;
    for (int value = 0; value <= static_cast<int>(last); ++value) {
        all.emplace_back(name_of(static_cast<Value>(value)));
    }
    return all;
}
/// The value of a name that `names` gave.
template <class Value>
std::optional<Value> named(const std::optional<std::string>& name) {
    if (!name) {
        return std::nullopt;
    }
    int value = 0;
    while (name_of(static_cast<Value>(value)) != *name) {
        ++value;
    }
    return static_cast<Value>(value);
}

class Reader : private KeyReader {
public:
    Reader(Metadata& metadata, Diagnostics& diagnostics) : KeyReader(metadata, diagnostics), function_(metadata.function) {}

    void read(const TomlValue& root) {
        known_keys(root, "",
            {"summary", "shape", "operator", "commutative", "involution", "idempotent", "symmetric", "where", "reference", "flops",
                "divisions", "square_roots", "transcendentals", "input", "output", "implementation"});
        read_shape(root);
        function_.summary = text(root, "", "summary").value_or("");
        if (root.find("operator") != nullptr) {
            function_.operator_symbol = choice(root, "", "operator", {"*", "+", "-", "/", "'", "neg", "<", "<=", "=="});
        }
        function_.commutative = flag(root, "", "commutative");
        function_.involution = flag(root, "", "involution");
        function_.idempotent = flag(root, "", "idempotent");
        if (root.find("symmetric") != nullptr) {
            const std::string when = choice(root, "", "symmetric", {"always", "kept", "equal"}).value_or("");
            function_.symmetric = when == "always" ? Symmetry::always
                : when == "kept"                   ? Symmetry::kept
                : when == "equal"                  ? Symmetry::equal
                                                   : Symmetry::none;
        }
        function_.where = expression(root, "", "where", false);
        read_reference(root);
        function_.flops = expression(root, "", "flops", true).value_or(SizeExpression());
        function_.divisions = expression(root, "", "divisions", false).value_or(SizeExpression());
        function_.square_roots = expression(root, "", "square_roots", false).value_or(SizeExpression());
        function_.transcendentals = expression(root, "", "transcendentals", false).value_or(SizeExpression());
        for (const auto& [path, table] : tables(root, "input", false)) {
            known_keys(*table, path, {"name", "type", "domain", "neutral"});
            function_.inputs.push_back(parameter(*table, path));
        }
        read_output(root);
        for (const auto& [path, table] : tables(root, "implementation", true)) {
            read_implementation(*table, path);
        }
    }

private:
    void read_shape(const TomlValue& root) {
        const TomlValue* node = find(root, "", "shape", true);
        if (node == nullptr) {
            return;
        }
        if (node->kind != TomlValue::Kind::array) {
            return wrong_type(*node, "shape", "array of strings");
        }
        for (const TomlValue& entry : node->entries) {
            if (entry.kind != TomlValue::Kind::string) {
                wrong_type(entry, "shape", "array of strings");
                continue;
            }
            metadata_.places[entry_path("shape", function_.shape.size())] = entry.place;
            function_.shape.push_back(entry.string);
        }
    }

    void read_reference(const TomlValue& root) {
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
        const Span place = metadata_.place(member_path(path, "type"));
        const std::size_t open = pattern.find('[');
        const std::string form = pattern.substr(0, open);
        const std::size_t dimensions = form == "SCALAR" ? 0 : form == "VECTOR" ? 1 : form == "MATRIX" ? 2 : 3;
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
            depth += pattern[i] == '(' ? 1 : pattern[i] == ')' ? -1 : 0;
            if ((pattern[i] == ',' && depth == 0) || i + 1 == pattern.size()) {
                parts.emplace_back(start, pattern.substr(start, i - start));
                start = i + 1;
            }
        }
        if (parts.size() != dimensions) {
            report(kind::library_type, place,
                "`" + form + "` has " + std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions") + ", but " +
                    std::to_string(parts.size()) + (parts.size() == 1 ? " is" : " are") + " given");
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

    Parameter parameter(const TomlValue& table, const std::string& path) {
        Parameter made;
        made.name = text(table, path, "name").value_or("");
        if (const std::optional<std::string> pattern = text(table, path, "type")) {
            read_type(made, *pattern, path);
        }
        if (table.find("domain") != nullptr) {
            made.domain = named<Domain>(choice(table, path, "domain", names<Domain>(Domain::spd))).value_or(Domain::any);
        }
        if (table.find("neutral") != nullptr) {
            made.neutral = named<Neutral>(choice(table, path, "neutral", names<Neutral>(Neutral::identity)));
        }
        return made;
    }

    void read_output(const TomlValue& root) {
        const TomlValue* node = find(root, "", "output", true);
        if (node == nullptr) {
            return;
        }
        if (node->kind != TomlValue::Kind::table) {
            return wrong_type(*node, "output", "table");
        }
        known_keys(*node, "output", {"name", "type"});
        function_.output = parameter(*node, "output");
    }

    void read_implementation(const TomlValue& table, const std::string& path) {
        known_keys(table, path,
            {"name", "routine", "threads", "map", "limit", "flops", "divisions", "square_roots", "transcendentals", "temporaries",
                "barrier", "exchanges"});
        Implementation made;
        made.name = text(table, path, "name").value_or("");
        made.routine = text(table, path, "routine", false).value_or(made.name);
        made.threads = expression(table, path, "threads", true).value_or(*constant("1"));
        made.limit = expression(table, path, "limit", false);
        made.flops = expression(table, path, "flops", false);
        made.divisions = expression(table, path, "divisions", false);
        made.square_roots = expression(table, path, "square_roots", false);
        made.transcendentals = expression(table, path, "transcendentals", false);
        made.temporaries = expression(table, path, "temporaries", false).value_or(SizeExpression());
        made.barrier = flag(table, path, "barrier");
        made.exchanges = expression(table, path, "exchanges", false);
        made.inputs.assign(function_.inputs.size(), Touch::all);
        if (const TomlValue* map = table.find("map"); map != nullptr && map->kind != TomlValue::Kind::table) {
            wrong_type(*map, "map", "table");
        } else if (map != nullptr) {
            read_map(*map, member_path(path, "map"), made);
        }
        function_.implementations.push_back(std::move(made));
    }

    void read_map(const TomlValue& map, const std::string& path, Implementation& into) {
        std::vector<std::string> operands{function_.output.name};
        for (const Parameter& input : function_.inputs) {
            operands.push_back(input.name);
        }
        for (const auto& [key, value] : map.members) {
            metadata_.places[member_path(path, key.name)] = value.place;
            const auto found = std::find(operands.begin(), operands.end(), key.name);
            if (found == operands.end()) {
                suggest(report(kind::library_implementation, key.place,
                            "`map` names `" + key.name + "`, which is neither an operand nor the result"),
                    key.name, operands);
                continue;
            }
            if (const std::optional<Touch> touch = named<Touch>(choice(map, path, key.name, names<Touch>(Touch::rows)))) {
                const auto operand = static_cast<std::size_t>(found - operands.begin());
                (operand == 0 ? into.output : into.inputs[operand - 1]) = *touch;
            }
        }
    }

    Function& function_;
};

} // namespace

Span Metadata::place(const std::string& path) const {
    const auto found = places.find(path);
    return found != places.end() ? found->second : Span{text, 0, std::min<std::size_t>(1, text->text().size())};
}

Span inside(const Span& value, std::size_t where, std::size_t length) {
    const std::string_view raw = value.text();
    const bool quoted = raw.size() >= 2 && (raw.front() == '"' || raw.front() == '\'') && raw.back() == raw.front();
    const bool plain = quoted && raw.find('\\') == std::string_view::npos && !raw.starts_with("\"\"\"") && !raw.starts_with("'''");
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
    const std::optional<TomlValue> root = parse_toml(text, diagnostics);
    if (!root) {
        return std::nullopt;
    }
    Reader(metadata, diagnostics).read(*root);
    if (diagnostics.error_count() != errors) {
        return std::nullopt;
    }
    return metadata;
}

} // namespace fusec::library
