// SPDX-License-Identifier: Apache-2.0
#include "tests/execute/mutation/mutation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <tuple>

namespace fusec::execute {

namespace {

std::string trimmed(const std::string& line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string::npos ? "" : line.substr(first);
}

class Mutator {
public:
    explicit Mutator(const std::string& source) {
        std::istringstream stream(source);
        for (std::string line; std::getline(stream, line);) {
            lines_.push_back(line);
            if (line == "} // namespace fusec") {
                first_ = lines_.size();
            }
        }
    }

    std::vector<Mutant> mutants() {
        for (at_ = first_; at_ < lines_.size(); ++at_) {
            const std::string& line = lines_[at_];
            if (line.find("__global__") != std::string::npos) {
                site_ = {site_.kernel + 1, -1, false, {}, 0, {}, {}};
                barriers_ = 0;
                last_ = {};
                parameters_.clear();
            }
            pointers(line);
            barriers(line);
            offsets(line);
            strides(line);
            tail(line);
            store(line);
            swap(line);
            block(line);
        }
        return std::move(mutants_);
    }

private:
    void add(const std::string& kind, const std::string& changed, const Site& site) { add(kind, {{at_, changed}}, site); }
    void add(const std::string& kind, const std::string& changed) { add(kind, changed, site_); }

    /// Several lines may change; the last one is this one and names the mutant.
    void add(const std::string& kind, const std::map<std::size_t, std::string>& changes, const Site& site) {
        std::string text;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto change = changes.find(i);
            text += (change == changes.end() ? lines_[i] : change->second) + "\n";
        }
        const std::string& changed = changes.at(at_);
        mutants_.push_back({kind,
            "line " + std::to_string(at_ + 1) + ": " + trimmed(lines_[at_]) + " -> " +
                (trimmed(changed).empty() ? "(nothing)" : trimmed(changed)),
            text, site});
    }

    /// The types of the pointers that a launch may pass, by name: a swap of two types is left to the compiler. They are told by
    /// declarations, and by the parameters of kernels; what one kernel writes is no pointer to constants where another reads it. In
    /// a kernel, its own parameters have the types that it declares.
    void pointers(const std::string& line) {
        static const std::regex declaration(R"(^ *((?:const )?(?:float|double|unsigned long long)\*) ?(?:const )?(\w+) = )"),
            parameter(R"(((?:const )?(?:float|double)\*) __restrict__ (\w+))");
        for (const std::regex* pattern : {&declaration, &parameter}) {
            for (std::sregex_iterator match(line.begin(), line.end(), *pattern), end; match != end; ++match) {
                std::string& type = types_[match->str(2)];
                if (type.empty() || match->str(1).rfind("const ", 0) != 0) {
                    type = match->str(1);
                }
                if (pattern == &parameter) {
                    parameters_[match->str(2)] = match->str(1);
                }
            }
        }
    }

    void barriers(const std::string& line) {
        const std::string statement = trimmed(line);
        static const std::regex waits(
            R"((?:__syncwarp\(\)|\w+::async_wait\(\)|\w*__pipeline_wait_prior\(\d*\)|(?:\w+::)?cp_async_wait\w*\(\));)");
        const bool block = statement == "__syncthreads();";
        if (!block && !std::regex_match(statement, waits)) {
            return;
        }
        Site site = site_;
        site.barrier = barriers_++;
        add("delete a barrier", "", site);
        if (block) {
            site.weakened = true;
            add("weaken a barrier", "    __syncwarp();", site);
        }
    }

    void offsets(const std::string& line) {
        // Where a tile stands in the block's memory: a number, or its start. It may be named by the copy that fills it.
        static const std::regex declared(R"(^ *const auto (\w+_tile(?:_1*)?) = (?:.*\W)?(shared(?: \+ (\d+))?)\b)");
        if (std::smatch tile; std::regex_search(line, tile, declared)) {
            const long offset = tile[3].matched ? std::stol(tile[3]) : 0;
            for (const int step : {1, -1}) {
                if (offset + step >= 0) {
                    Site site = site_;
                    site.tile = tile[1];
                    site.shift = step;
                    add("offset",
                        line.substr(0, static_cast<std::size_t>(tile.position(2))) + "shared + " + std::to_string(offset + step) +
                            line.substr(static_cast<std::size_t>(tile.position(2) + tile.length(2))),
                        site);
                }
            }
        } else {
            shift(line, std::regex(R"(\b(?:\w+_)?(?:tile(?:_1*)?|shared) \+ (\d+)\b)"), "offset");
            insert(line, std::regex(R"(\b(?:\w+_)?(?:tile(?:_1*)?|shared)\b(?= \+ element|[,;)]))"));
        }
        // A component of a tile in a routine that is written out.
        insert(line, std::regex(R"(_tile(?:_1*)?\[element\w*(?: \* \d+)?)"));
        // The first element of a list that a block, a thread or a launch reads or writes.
        insert(line, std::regex(R"([\w>](?= \+ first\b))"));
        // The slots of the workspace: bytes of one, of each of several, and how many lie before one.
        shift(line, std::regex(R"(slot_bytes\((?:count|n), (\d+)\))"), "offset");
        shift(line, std::regex(R"(slots_bytes\((?:count|n), \w+, (\d+)\))"), "offset");
        if (line.find("_slots[] = {") != std::string::npos) {
            shift(line, std::regex(R"((?:\{|, )(\d+)(?=[,}]))"), "offset");
        }
    }

    /// Words per element or per padding, elements per block or between paddings, components that a copy moves.
    void strides(const std::string& line) {
        shift(line, std::regex(R"(\b(?:element\w*|first|element\w* \/ \d+|blockIdx\.x\}?)\)? \* (\d+)\b)"), "stride");
        shift(line, std::regex(R"(\belement\w* \/ (\d+) \*)"), "stride");
        shift(line, std::regex(R"(\b[ijkl] \* (\d+)\b)"), "stride"); // rows, in routines that are written out
        shift(line, std::regex(R"(\bpadded<(\d+), \d+>)"), "stride");
        shift(line, std::regex(R"(\bpadded<\d+, (\d+)>)"), "stride");
        shift(line, std::regex(R"(\b(?:copy_\w+|load_\w+)<\w+, \d+, (\d+)[,>])"), "stride");
    }

    /// The number that the first group matches, one more and one less.
    void shift(const std::string& line, const std::regex& pattern, const std::string& kind) {
        for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
            const auto begin = static_cast<std::size_t>(match->position(1)), length = static_cast<std::size_t>(match->length(1));
            const long number = std::stol(line.substr(begin, length));
            for (const long step : {1L, -1L}) {
                if (number + step >= 0) {
                    add(kind, line.substr(0, begin) + std::to_string(number + step) + line.substr(begin + length));
                }
            }
        }
    }

    /// One component further, and one nearer, after each place that matches.
    void insert(const std::string& line, const std::regex& pattern) {
        for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
            const auto after = static_cast<std::size_t>(match->position() + match->length());
            for (const char* const step : {" + 1", " - 1"}) {
                add("offset", line.substr(0, after) + step + line.substr(after));
            }
        }
    }

    /// How many elements the last block has, which threads have one, how many a copy and a launch take.
    void tail(const std::string& line) {
        static const std::regex count(R"(n - first(\)? : \d))"), guard(R"(\belement < count\b)"), copied(R"(, count\);)"),
            launched(R"(, count, (\d+), )");
        for (const auto& [pattern, before, after] : {std::tuple{&count, "n - first", "$1"}, {&guard, "element < count", ""},
                 {&copied, ", count", ");"}, {&launched, ", count", ", $1, "}}) {
            for (const char* const step : {" + 1", " - 1"}) {
                const std::string changed =
                    std::regex_replace(line, *pattern, before + std::string(step) + after, std::regex_constants::format_first_only);
                if (changed != line) {
                    Site site = site_;
                    site.guarded = pattern == &guard && step == std::string(" + 1") ? guarded() : "";
                    add("tail", changed, site);
                }
            }
        }
    }

    /// The statements of the block that this line opens.
    std::string guarded() const {
        const std::string end = lines_[at_].substr(0, lines_[at_].find_first_not_of(' ')) + "}";
        std::string text;
        for (std::size_t i = at_ + 1; i < lines_.size() && lines_[i] != end; ++i) {
            text += lines_[i].substr(0, lines_[i].find("//")) + "\n";
        }
        return text;
    }

    void store(const std::string& line) {
        // A copy to a list, an owner's store, or an assignment to a component of a list.
        static const std::regex pattern(
            R"(^ *(?:fusec::copy_tile<[^(]*>\((?!\w*tile|shared|fusec::padded)|fusec::store_\w+(?:<[^(]*>)?\(|\w+\[first))");
        if (std::regex_search(line, pattern)) {
            add("drop a store", "");
        }
    }

    /// The pointer that an expression begins with.
    static std::string word(const std::string& expression) { return expression.substr(0, expression.find(' ')); }

    /// A copy of a block between a list and a tile.
    struct Copy {
        std::size_t at = 0; ///< its line
        std::string tile;   ///< empty: there is no copy
        std::string list;
        bool named = false; ///< it declares the tile's name
    };

    static std::optional<Copy> copy_in(const std::string& line, std::size_t at) {
        static const std::regex naming(R"(^ *const auto (\w+_tile(?:_1*)?) = fusec::)"),
            copy(R"(^ *fusec::(?:copy|load)_\w+<.*\b(\w+_tile(?:_1*)?)\b)"), list(R"(\b(\w+) \+ first\b)");
        std::smatch tile, from;
        const bool named = std::regex_search(line, tile, naming);
        if ((!named && !std::regex_search(line, tile, copy)) || !std::regex_search(line, from, list)) {
            return std::nullopt;
        }
        return Copy{at, tile[1], from[1], named};
    }

    static std::string replaced(const std::string& line, const std::string& from, const std::string& to) {
        return std::regex_replace(line, std::regex("\\b" + from + "\\b"), to);
    }

    bool used_between(const std::string& name, std::size_t first, std::size_t last) const {
        const std::regex word("\\b" + name + "\\b");
        return std::any_of(lines_.begin() + static_cast<std::ptrdiff_t>(first) + 1, lines_.begin() + static_cast<std::ptrdiff_t>(last),
            [&](const std::string& line) { return std::regex_search(line, word); });
    }

    /// Two copies that follow each other take each other's tile, as they name it: only where what is between knows neither. Two lists of
    /// one type take each other's place in any case.
    void exchange(const Copy& one, const Copy& other, const std::string& line) {
        const auto with = [&](const std::string& a, const std::string& b) {
            return std::map<std::size_t, std::string>{{one.at, replaced(lines_[one.at], a, b)}, {other.at, replaced(line, b, a)}};
        };
        if (one.tile != other.tile && one.named == other.named && !(one.named && used_between(one.tile, one.at, other.at))) {
            Site site = site_;
            if (!one.named) {
                site.tile = one.tile;
                site.exchanged = other.tile;
            }
            add("swap two buffers", with(one.tile, other.tile), site);
        }
        const auto a = parameters_.find(one.list), b = parameters_.find(other.list);
        if (one.list != other.list && a != parameters_.end() && b != parameters_.end() && a->second == b->second) {
            add("swap two buffers", with(one.list, other.list), site_);
        }
    }

    /// Neighbouring pointers of a launch: what stands after the stream. In a kernel, the buffers of two copies that follow each other.
    void swap(const std::string& line) {
        if (const std::optional<Copy> copy = copy_in(line, at_)) {
            if (!last_.tile.empty()) {
                exchange(last_, *copy, line);
            }
            last_ = *copy;
        }
        static const std::regex pattern(R"(stream((?:, [\w>-]+(?: \+ first(?: \* \d+)?)?)+)\))");
        for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
            std::vector<std::string> names;
            std::istringstream list(match->str(1).substr(2));
            for (std::string name; std::getline(list, name, ',');) {
                names.push_back(trimmed(name));
            }
            for (std::size_t i = 0; i + 1 < names.size(); ++i) {
                if (const auto a = types_.find(word(names[i])), b = types_.find(word(names[i + 1]));
                    a != types_.end() && b != types_.end() && a->second != b->second) {
                    continue;
                }
                std::vector<std::string> swapped = names;
                std::swap(swapped[i], swapped[i + 1]);
                std::string text;
                for (const std::string& name : swapped) {
                    text += ", " + name;
                }
                const auto begin = static_cast<std::size_t>(match->position(1));
                add("swap two buffers", line.substr(0, begin) + text + line.substr(begin + static_cast<std::size_t>(match->length(1))));
            }
        }
    }

    /// NAME_launch_range calls the functions of the program's blocks: without one, or with a block in the place of the next.
    void block(const std::string& line) {
        static const std::regex pattern(R"((\w+_launch_\w+_range)\(arguments, first, count, workspace, workspace_bytes, stream\))");
        std::smatch call;
        if (!std::regex_search(line, call, pattern)) {
            return;
        }
        const std::string before = line.substr(0, static_cast<std::size_t>(call.position()));
        add("drop a block", before + "0" + call.suffix().str());
        if (block_at_ != 0) {
            const std::string& other = lines_[block_at_];
            std::smatch earlier;
            std::regex_search(other, earlier, pattern);
            add("swap two blocks", {{block_at_, replaced(other, earlier[1], call[1])}, {at_, replaced(line, call[1], earlier[1])}}, site_);
        }
        block_at_ = at_;
    }

    std::vector<std::string> lines_;
    std::size_t block_at_ = 0; ///< line of the call for the block before; 0: none
    std::size_t first_ = 0;    ///< line after the embedded runtime
    std::size_t at_ = 0;
    Site site_;                                     ///< of the kernel that the line stands in
    int barriers_ = 0;                              ///< of that kernel so far
    Copy last_;                                     ///< of the kernel so far
    std::map<std::string, std::string> types_;      ///< of the pointers of the launch function
    std::map<std::string, std::string> parameters_; ///< types of the kernel's pointers
    std::vector<Mutant> mutants_;
};

} // namespace

std::vector<Mutant> mutants(const std::string& source) {
    return Mutator(source).mutants();
}

} // namespace fusec::execute
