// SPDX-License-Identifier: Apache-2.0
#include "mutation/mutation.hpp"

#include <map>
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
            std::smatch bounds;
            if (std::regex_search(line, bounds, std::regex(R"(__launch_bounds__\((\d+))"))) {
                threads_ = std::stoi(bounds[1]);
            }
            pointers(line);
            barriers(line);
            // An address within the block's memory: with an offset, or its start.
            shift(line, std::regex(R"(\b(?:tile|shared) \+ (\d+)\b)"), "offset");
            start_of_memory(line);
            // Words per element or per padding, elements per block.
            shift(line, std::regex(R"(\b(?:element|first|element \/ \d+|blockIdx\.x\}?)\)? \* (\d+)\b)"), "stride");
            tail(line);
            store(line);
            swap(line);
        }
        return std::move(mutants_);
    }

private:
    void add(const std::string& kind, const std::string& changed, const std::string& equivalent = {}) {
        std::string text;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            text += (i == at_ ? changed : lines_[i]) + "\n";
        }
        mutants_.push_back({kind, "line " + std::to_string(at_ + 1) + ": " + trimmed(lines_[at_]) + " -> " + (trimmed(changed).empty() ? "(nothing)" : trimmed(changed)), text, equivalent});
    }

    /// The types of the pointers that a launch may pass, by name: a swap of two types is left to the compiler. They are told by declarations,
    /// and by the parameters of kernels; what one kernel writes is no pointer to constants where another reads it.
    void pointers(const std::string& line) {
        static const std::regex declaration(R"(^ *((?:const )?(?:float|double)\*) ?(?:const )?(\w+) = )"), parameter(R"(((?:const )?(?:float|double)\*) __restrict__ (\w+))");
        for (const std::regex* pattern : {&declaration, &parameter}) {
            for (std::sregex_iterator match(line.begin(), line.end(), *pattern), end; match != end; ++match) {
                std::string& type = types_[match->str(2)];
                if (type.empty() || match->str(1).rfind("const ", 0) != 0) {
                    type = match->str(1);
                }
            }
        }
    }

    void barriers(const std::string& line) {
        const std::string statement = trimmed(line);
        static const std::regex waits(R"((?:__syncwarp\(\)|\w+::async_wait\(\)|\w*__pipeline_wait_prior\(\d*\)|(?:\w+::)?cp_async_wait\w*\(\));)");
        if (statement == "__syncthreads();" || std::regex_match(statement, waits)) {
            add("delete a barrier", "");
        }
        if (statement == "__syncthreads();") {
            add("weaken a barrier", "    __syncwarp();", threads_ <= 32 ? "the block is one warp" : "");
        }
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

    void start_of_memory(const std::string& line) {
        static const std::regex pattern(R"(\b(?:tile|shared)\b(?= \+ element|[,;)]))");
        for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
            const auto after = static_cast<std::size_t>(match->position() + match->length());
            add("offset", line.substr(0, after) + " + 1" + line.substr(after));
        }
    }

    /// How many elements the last block has, and which threads have one.
    void tail(const std::string& line) {
        static const std::regex count(R"(n - first(\)? : \d))"), guard(R"(\belement < count\b)");
        for (const auto& [pattern, before, after] : {std::tuple{&count, "n - first", "$1"}, {&guard, "element < count", ""}}) {
            for (const char* const step : {" + 1", " - 1"}) {
                const std::string changed = std::regex_replace(line, *pattern, before + std::string(step) + after, std::regex_constants::format_first_only);
                if (changed != line) {
                    const bool harmless = pattern == &guard && step == std::string(" + 1") && guarded_reads_registers_only();
                    add("tail", changed, harmless ? "the first element past the end has a slot of its own in every tile; its thread reads no tile and no list there, and the slot is not copied out" : "");
                }
            }
        }
    }

    /// Of the block after the guard in this line: no input that depends on the element, and no store to a list. What it writes to a tile is
    /// the slot of the thread's element, which no other thread touches; copies to lists stop at `count`.
    bool guarded_reads_registers_only() const {
        static const std::regex dependent(R"(^ *(?=\S)(?!auto )[^=]*=.*\belement\b|first \+ element|first\]|\bstore)");
        const std::string end = lines_[at_].substr(0, lines_[at_].find_first_not_of(' ')) + "}";
        for (std::size_t i = at_ + 1; i < lines_.size() && lines_[i] != end; ++i) {
            if (std::regex_search(lines_[i], dependent)) {
                return false;
            }
        }
        return true;
    }

    void store(const std::string& line) {
        // A copy to a list, an owner's store, or an assignment to a component of a list.
        static const std::regex pattern(R"(^ *(?:fusec::copy_tile<[^(]*>\((?!\w*tile|shared|fusec::padded)|fusec::store_\w+(?:<[^(]*>)?\(|\w+\[first))");
        if (std::regex_search(line, pattern)) {
            add("drop a store", "");
        }
    }

    /// The pointer that an expression begins with.
    static std::string word(const std::string& expression) { return expression.substr(0, expression.find(' ')); }

    /// Neighbouring pointers of a launch: what stands after the stream.
    void swap(const std::string& line) {
        static const std::regex pattern(R"(stream((?:, [\w>-]+(?: \+ first(?: \* \d+)?)?)+)\))");
        for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
            std::vector<std::string> names;
            std::istringstream list(match->str(1).substr(2));
            for (std::string name; std::getline(list, name, ',');) {
                names.push_back(trimmed(name));
            }
            for (std::size_t i = 0; i + 1 < names.size(); ++i) {
                if (const auto a = types_.find(word(names[i])), b = types_.find(word(names[i + 1])); a != types_.end() && b != types_.end() && a->second != b->second) {
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

    std::vector<std::string> lines_;
    std::size_t first_ = 0; ///< line after the embedded runtime
    std::size_t at_ = 0;
    int threads_ = 0;                          ///< of the kernel that the line stands in
    std::map<std::string, std::string> types_; ///< of pointers, by name
    std::vector<Mutant> mutants_;
};

} // namespace

std::vector<Mutant> mutants(const std::string& source) {
    return Mutator(source).mutants();
}

} // namespace fusec::execute
