// SPDX-License-Identifier: Apache-2.0
#include "codegen/embedding.hpp"

#include "elementary-lib/device_source.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace fusec::codegen {

namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// `// [chunk NAME needs A B]`, or nothing.
bool chunk_line(std::string_view line, Chunk& chunk) {
    constexpr std::string_view opening = "// [chunk ";
    if (line.substr(0, opening.size()) != opening || line.back() != ']') {
        return false;
    }
    std::istringstream words{std::string(line.substr(opening.size(), line.size() - opening.size() - 1))};
    std::string word;
    words >> chunk.name >> word; // the second word is "needs"
    while (words >> word) {
        chunk.needs.push_back(word);
    }
    return true;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    return line;
}

} // namespace

std::string without_comments(std::string_view text) {
    std::string result, line;
    bool in_block = false, had_comment = false;
    char quote = 0;
    const auto end_line = [&] {
        while (!line.empty() && line.back() == ' ') {
            line.pop_back();
        }
        const bool blank_repeat = line.empty() && (result.empty() || (result.size() > 1 && result.substr(result.size() - 2) == "\n\n"));
        if (!(line.empty() && had_comment) && !blank_repeat) {
            result += line + '\n';
        }
        line.clear();
        had_comment = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const std::string_view pair = text.substr(i, 2);
        if (c == '\n') {
            end_line();
        } else if (in_block) {
            if (pair == "*/") {
                in_block = false;
                ++i;
            }
            had_comment = true;
        } else if (quote != 0) {
            line += c;
            if (c == '\\' && i + 1 < text.size()) {
                line += text[++i];
            } else if (c == quote) {
                quote = 0;
            }
        } else if (pair == "//") {
            had_comment = true;
            i = std::min(text.find('\n', i), text.size()) - 1;
        } else if (pair == "/*") {
            in_block = had_comment = true;
            ++i;
        } else {
            // An apostrophe between digits separates them and opens nothing.
            if (c == '"' || (c == '\'' && (i == 0 || !is_word(text[i - 1])))) {
                quote = c;
            }
            line += c;
        }
    }
    end_line();
    while (!result.empty() && result.back() == '\n') {
        result.pop_back();
    }
    return result.empty() ? result : result + '\n';
}

std::string name_of_host_runtime(const std::vector<RuntimeHeader>& headers) {
    Fnv1a hash;
    for (const RuntimeHeader& header : headers) {
        if (header.name.ends_with(".hpp")) {
            hash.add(header.name).add(without_comments(header.text));
        }
    }
    return hexadecimal(hash.value());
}

std::string join_chunks(const std::vector<Chunk>& chunks) {
    constexpr std::string_view opening = "#ifdef __CUDACC__\n", middle = "#else\n", closing = "#endif\n";
    std::string text, device, host; // of the run of two-sided chunks that is open
    const auto close = [&] {
        if (!device.empty()) {
            text += std::string(opening) + device + std::string(middle) + replaced(host, ";\nusing ", ", ") + std::string(closing);
            device.clear();
            host.clear();
        }
    };
    for (const Chunk& chunk : chunks) {
        const std::string_view whole = chunk.text;
        const std::size_t other = whole.find(middle);
        if (whole.starts_with(opening) && whole.ends_with(closing) && other != std::string_view::npos &&
            whole.find(closing) == whole.size() - closing.size()) {
            device += whole.substr(opening.size(), other - opening.size());
            host += whole.substr(other + middle.size(), whole.size() - closing.size() - other - middle.size());
        } else {
            close();
            text += whole;
        }
    }
    close();
    return text;
}

std::set<std::string> runtime_names(std::string_view text) {
    constexpr std::string_view scope = "fusec::";
    std::set<std::string> names;
    for (std::size_t at = text.find(scope); at != std::string_view::npos; at = text.find(scope, at + 1)) {
        std::size_t end = at + scope.size();
        while (end < text.size() && is_word(text[end])) {
            ++end;
        }
        if (at == 0 || !is_word(text[at - 1])) {
            names.emplace(text.substr(at + scope.size(), end - at - scope.size()));
        }
    }
    return names;
}

std::vector<Chunk> chunks_of(const RuntimeHeader& header) {
    std::vector<Chunk> chunks;
    std::string_view rest = header.text;
    while (!rest.empty()) {
        const std::string_view line = next_line(rest);
        Chunk chunk;
        if (chunk_line(line, chunk)) {
            chunk.header = header.name;
            chunks.push_back(std::move(chunk));
        } else if (!chunks.empty()) {
            chunks.back().text += std::string(line) + '\n';
        }
    }
    internal_check(chunks.empty() || chunks.back().name == "end", "a runtime header does not close its last chunk");
    if (!chunks.empty()) {
        chunks.pop_back();
    }
    for (Chunk& chunk : chunks) {
        chunk.text = without_comments(chunk.text);
    }
    return chunks;
}

namespace {

/// A part of `whole` without the indentation of its first line: a source may stand in a namespace of its own.
std::string moved_left(std::string_view part, std::string_view whole) {
    const auto begin = static_cast<std::size_t>(part.data() - whole.data());
    const std::size_t line = begin == 0 ? 0 : whole.rfind('\n', begin - 1) + 1;
    const std::string_view indentation = whole.substr(line, begin - line);
    std::string text;
    for (bool first = true; !part.empty(); first = false) {
        const std::string_view next = next_line(part);
        const bool indented = !first && indentation.find_first_not_of(" \t") == std::string_view::npos && next.starts_with(indentation);
        text += std::string(indented ? next.substr(indentation.size()) : next) + '\n';
    }
    return text;
}

/// Drops the first template parameter and the unnamed function parameter of its type; false when the text uses them.
bool drop_lane(std::string& text) {
    constexpr std::string_view declared = "<class Lane, ", parameter = "(Lane, ";
    const std::size_t first = text.find(declared), second = text.find(parameter);
    if (first == std::string::npos || second == std::string::npos || text.find("Lane", second + parameter.size()) != std::string::npos) {
        return false;
    }
    text.replace(second, parameter.size(), "(");
    text.replace(first, declared.size(), "<");
    return true;
}

/// Template heads on the line of what they declare, where that has room.
std::string with_template_heads_joined(std::string_view text) {
    constexpr std::size_t most_columns = 180;
    std::string result;
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        result += line;
        const bool head = line.substr(0, 10) == "template <" && line.back() == '>';
        result += head && line.size() + 1 + text.substr(0, text.find('\n')).size() <= most_columns ? ' ' : '\n';
    }
    return result;
}

/// The macros of views.cuh as a target needs them. On the host nothing has to be unrolled, and the attribute keeps its short name.
std::string for_target(std::string text, fusion::Target target) {
    if (target == fusion::Target::host) {
        return with_template_heads_joined(replaced(replaced(std::move(text), "FUSEC_UNROLL_SHORT ", ""), "FUSEC_UNROLL ", ""));
    }
    text = replaced(std::move(text), "FUSEC_DEVICE", "__device__ __forceinline__");
    text = replaced(replaced(std::move(text), "FUSEC_UNROLL_SHORT", "_Pragma(\"unroll 256\")"), "FUSEC_UNROLL", "_Pragma(\"unroll\")");
    return with_template_heads_joined(text);
}

} // namespace

Routines routines_of(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog) {
    Routines routines;
    for (const Kernel& kernel : unit.kernels) {
        for (const Step& step : kernel.steps) {
            const auto* compute = std::get_if<Compute>(&step);
            const auto* derive = std::get_if<Derive>(&step);
            if (compute == nullptr && derive == nullptr) {
                continue;
            }
            const std::string& name = compute != nullptr ? compute->routine : derive->routine;
            if (routines.count(name) != 0) {
                continue;
            }
            const frontend::Call& call = compute != nullptr ? graph.call(compute->call) : graph.program().derivation(derive->datum);
            const library::Function& function = catalog.function(call.instance.function);
            const auto implementation = std::find_if(function.implementations.begin(), function.implementations.end(),
                [&](const library::Implementation& i) { return library::template_name(function, i) == name; });
            internal_check(implementation != function.implementations.end(), "a kernel calls a routine that the library does not have");
            Routine& routine = routines[name];
            routine.text = without_comments(moved_left(library::implementation_source(function, *implementation), function.source));
            routine.takes_lane = !drop_lane(routine.text);
        }
    }
    return routines;
}

Embedded embed(std::string_view text, const Routines& routines, fusion::Target target) {
    Embedded embedded;
    std::set<std::string> names = runtime_names(text);
    for (const auto& [name, routine] : routines) {
        if (names.count(name) == 0) {
            continue;
        }
        names.insert("device");
        names.merge(runtime_names(routine.text));
        embedded.templates.push_back(for_target(routine.text, target));
    }

    std::vector<Chunk> all;
    for (const RuntimeHeader& header : runtime_headers()) {
        for (Chunk& chunk : chunks_of(header)) {
            all.push_back(std::move(chunk));
        }
    }
    // A chunk needs only earlier ones, so one sweep from the last to the first closes the set.
    std::vector<bool> used(all.size());
    for (std::size_t i = all.size(); i-- > 0;) {
        used[i] = names.count(all[i].name) != 0;
        if (used[i]) {
            names.insert(all[i].needs.begin(), all[i].needs.end());
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!used[i]) {
            continue;
        }
        embedded.headers.insert(all[i].header);
        if (all[i].name != "device") {
            all[i].text = for_target(std::move(all[i].text), target);
        } else if (target == fusion::Target::host) {
            all[i].text = "#define FUSEC_DEVICE __attribute__((always_inline)) inline\n";
        } else {
            continue; // nothing is left to define
        }
        embedded.chunks.push_back(std::move(all[i]));
    }
    return embedded;
}

} // namespace fusec::codegen
