// SPDX-License-Identifier: Apache-2.0
// The text of plan files: the only file of fusion/ that sees nlohmann-json.
#include "fusion/plan_file.hpp"
#include "fusion/structure_hash.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <set>

namespace fusec::fusion {

namespace {

using Json = nlohmann::json; // keeps keys sorted

std::string_view name_of(Placement placement) {
    switch (placement) {
    case Placement::registers:
        return "registers";
    case Placement::shared:
        return "shared";
    case Placement::memory:
        return "memory";
    case Placement::constant:
        return "constant";
    case Placement::derived:
        return "derived";
    }
    throw InternalError("unknown placement");
}

std::string_view name_of(Staging staging) {
    switch (staging) {
    case Staging::none:
        return "none";
    case Staging::words:
        return "words";
    case Staging::vectors:
        return "vectors";
    case Staging::async:
        return "async";
    case Staging::lanes:
        return "lanes";
    case Staging::lanes_streaming:
        return "lanes_streaming";
    }
    throw InternalError("unknown staging");
}

} // namespace

PlanFile::Kernel describe(const Candidate& kernel, const dag::CallGraph& graph, const library::Catalog& catalog) {
    PlanFile::Kernel result;
    result.hash = structure_hash(graph, catalog, kernel.calls, kernel.stores);
    for (const CallPlan& call : kernel.order) {
        const std::string& name = graph.program().name_of(call.call);
        result.calls.push_back({name, {}});
        result.implementation[name] =
            catalog.function(graph.call(call.call).instance.function).implementations.at(call.implementation).name;
    }
    for (const DataId stored : kernel.stores) {
        result.stores.push_back({graph.datum(stored).name, {}});
    }
    result.instances_per_block = kernel.instances_per_block;
    for (const DatumPlan& datum : kernel.data) {
        const std::string& name = graph.datum(datum.datum).name;
        result.placement[name] = name_of(datum.placement);
        if (datum.loaded || datum.stored) {
            result.staging[name] = {std::string(name_of(datum.load)), std::string(name_of(datum.store))};
        }
    }
    return result;
}

std::string to_plan_file(
    const Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog, const std::vector<std::size_t>& alternatives) {
    std::vector<const Candidate*> sorted;
    for (const Candidate& kernel : plan.kernels) {
        sorted.push_back(&kernel);
    }
    std::sort(sorted.begin(), sorted.end(),
        [](const Candidate* a, const Candidate* b) { return std::tie(a->calls, a->stores) < std::tie(b->calls, b->stores); });
    Json kernels = Json::array();
    for (const Candidate* candidate : sorted) {
        const PlanFile::Kernel kernel = describe(*candidate, graph, catalog);
        Json json{{"hash", kernel.hash}, {"calls", Json::array()}, {"stores", Json::array()}, {"implementation", kernel.implementation},
            {"instances_per_block", kernel.instances_per_block}, {"staging", Json::object()}, {"placement", kernel.placement}};
        for (const PlanFileText& call : kernel.calls) {
            json["calls"].push_back(call.text);
        }
        for (const PlanFileText& stored : kernel.stores) {
            json["stores"].push_back(stored.text);
        }
        for (const auto& [datum, staging] : kernel.staging) {
            json["staging"][datum] = {{"load", staging.load}, {"store", staging.store}};
        }
        kernels.push_back(std::move(json));
    }
    Json file{{"schema", plan_file_schema}, {"kernels", std::move(kernels)}};
    if (!alternatives.empty()) {
        file["alternatives"] = alternatives;
    }
    return file.dump(2) + "\n";
}

namespace {

/// Byte ranges of the values of a text that is known to be JSON, by JSON pointer ("/kernels/0/calls/2"). The parser keeps none.
class Positions {
public:
    explicit Positions(std::string_view text) : text_(text) { value(""); }
    std::pair<std::size_t, std::size_t> at(const std::string& pointer) const { return ranges_.at(pointer); }
    /// Whether several values of the text have this pointer: the parser keeps the last.
    bool repeated(const std::string& pointer) const { return repeated_.contains(pointer); }

private:
    void blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }
    std::string string() {
        const std::size_t begin = at_++;
        while (text_[at_] != '"') {
            at_ += text_[at_] == '\\' ? 2U : 1U;
        }
        ++at_;
        return Json::parse(text_.substr(begin, at_ - begin)).get<std::string>(); // undoes escapes
    }
    void value(const std::string& pointer) {
        blanks();
        const std::size_t begin = at_;
        if (text_[at_] == '{' || text_[at_] == '[') {
            const bool object = text_[at_] == '{';
            ++at_;
            blanks();
            for (std::size_t i = 0; text_[at_] != '}' && text_[at_] != ']'; ++i) {
                std::string key = std::to_string(i);
                if (object) {
                    key = string();
                    blanks();
                    ++at_; // the colon
                }
                value(pointer + "/" + key);
                blanks();
                at_ += text_[at_] == ',' ? 1U : 0U;
                blanks();
            }
            ++at_;
        } else if (text_[at_] == '"') {
            string();
        } else {
            while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) {
                ++at_;
            }
        }
        if (!ranges_.insert_or_assign(pointer, std::pair(begin, at_)).second) {
            repeated_.insert(pointer);
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::map<std::string, std::pair<std::size_t, std::size_t>> ranges_;
    std::set<std::string> repeated_;
};

/// Reads typed values; the first wrong one is reported at its place and ends the reading.
class Reader {
public:
    Reader(const SourcePtr& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics), positions_(source->text()) {}

    PlanFile read(const Json& root) {
        expect(root, "", Json::value_t::object);
        only(root, "", {"alternatives", "kernels", "schema"});
        if (const Json& schema = member(root, "", "schema", Json::value_t::number_unsigned);
            schema.get<std::uint64_t>() != plan_file_schema) {
            fail("/schema", "plan file of schema " + schema.dump() + ", this compiler reads schema " + std::to_string(plan_file_schema));
        }
        PlanFile file;
        file.span = span("");
        if (root.contains("alternatives")) {
            const Json& taken = member(root, "", "alternatives", Json::value_t::array);
            for (std::size_t i = 0; i < taken.size(); ++i) {
                expect(taken[i], "/alternatives/" + std::to_string(i), Json::value_t::number_unsigned);
                file.alternatives.push_back(taken[i].get<std::size_t>());
            }
        }
        const Json& kernels = member(root, "", "kernels", Json::value_t::array);
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            file.kernels.push_back(kernel(kernels[k], "/kernels/" + std::to_string(k)));
        }
        return file;
    }

    struct Failed {};

private:
    Span span(const std::string& pointer) const {
        const auto [begin, end] = positions_.at(pointer);
        return {source_, begin, end};
    }
    [[noreturn]] void fail(const std::string& pointer, std::string message) {
        diagnostics_.report(kind::plan_file, span(pointer), std::move(message));
        throw Failed{};
    }
    void expect(const Json& json, const std::string& pointer, Json::value_t type) {
        if (json.type() != type) {
            const bool whole = type == Json::value_t::number_unsigned;
            fail(pointer,
                (whole && json.is_number() ? json.dump() : std::string("a value of kind ") + json.type_name()) + " where " +
                    (whole ? "a whole number from 0 on" : Json(type).type_name()) + " is expected");
        }
    }
    /// A key that nobody reads is a misspelt one, and a key given twice contradicts itself.
    void only(const Json& object, const std::string& pointer, const std::vector<std::string>& keys) {
        for (const auto& [key, value] : object.items()) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                const std::string near = nearest(key, keys);
                diagnostics_.report(kind::plan_file, span(pointer + "/" + key), "unknown key `" + key + "`").hint =
                    near.empty() ? "" : "did you mean `" + near + "`?";
                throw Failed{};
            }
            if (positions_.repeated(pointer + "/" + key)) {
                fail(pointer + "/" + key, "key `" + key + "` is given twice");
            }
        }
    }
    const Json& member(const Json& json, const std::string& pointer, const std::string& key, Json::value_t type) {
        const auto found = json.find(key);
        if (found == json.end()) {
            fail(pointer, "no key `" + key + "` in this object");
        }
        expect(*found, pointer + "/" + key, type);
        return *found;
    }
    std::vector<PlanFileText> texts(const Json& json, const std::string& pointer, const std::string& key) {
        std::vector<PlanFileText> result;
        const Json& array = member(json, pointer, key, Json::value_t::array);
        for (std::size_t i = 0; i < array.size(); ++i) {
            const std::string here = pointer + "/" + key + "/" + std::to_string(i);
            expect(array[i], here, Json::value_t::string);
            result.push_back({array[i].get<std::string>(), span(here)});
        }
        if (result.empty()) {
            fail(pointer + "/" + key, "a kernel with empty `" + key + "`");
        }
        return result;
    }
    std::map<std::string, std::string> table(
        const Json& json, const std::string& pointer, const std::string& key, std::map<std::string, Span>& entries) {
        std::map<std::string, std::string> result;
        for (const auto& [name, value] : member(json, pointer, key, Json::value_t::object).items()) {
            expect(value, pointer + "/" + key + "/" + name, Json::value_t::string);
            result[name] = value.get<std::string>();
            entries[key + "/" + name] = span(pointer + "/" + key + "/" + name);
        }
        return result;
    }
    PlanFile::Kernel kernel(const Json& json, const std::string& pointer) {
        expect(json, pointer, Json::value_t::object);
        only(json, pointer, {"calls", "hash", "implementation", "instances_per_block", "placement", "staging", "stores"});
        PlanFile::Kernel kernel;
        kernel.span = span(pointer);
        kernel.hash = member(json, pointer, "hash", Json::value_t::string).get<std::string>();
        kernel.calls = texts(json, pointer, "calls");
        kernel.stores = texts(json, pointer, "stores");
        kernel.implementation = table(json, pointer, "implementation", kernel.entries);
        const Json& instances = member(json, pointer, "instances_per_block", Json::value_t::number_unsigned);
        if (instances.get<std::uint64_t>() == 0 || instances.get<std::uint64_t>() > 1024) {
            fail(pointer + "/instances_per_block", "instances per block of " + instances.dump() + ", possible are 1 to 1024");
        }
        kernel.instances_per_block = instances.get<int>();
        for (const auto& [name, value] : member(json, pointer, "staging", Json::value_t::object).items()) {
            const std::string here = pointer + "/staging/" + name;
            expect(value, here, Json::value_t::object);
            only(value, here, {"load", "store"});
            kernel.entries["staging/" + name] = span(here);
            kernel.staging[name] = {member(value, here, "load", Json::value_t::string).get<std::string>(),
                member(value, here, "store", Json::value_t::string).get<std::string>()};
        }
        kernel.placement = table(json, pointer, "placement", kernel.entries);
        return kernel;
    }

    const SourcePtr& source_;
    Diagnostics& diagnostics_;
    Positions positions_;
};

} // namespace

std::optional<PlanFile> parse_plan_file(const SourcePtr& source, Diagnostics& diagnostics) {
    const std::string_view text = source->text();
    Json root;
    try {
        // Nesting is limited before the parser's own recursion (in Positions) could be hurt; a plan file nests five deep.
        int deepest = 0;
        root = Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
            deepest = std::max(deepest, depth);
            return true;
        });
        if (deepest > 16) {
            diagnostics.report(
                kind::plan_file, {source, 0, 0}, "json nested " + std::to_string(deepest) + " deep in a plan file, possible are 16");
            return std::nullopt;
        }
    } catch (const Json::out_of_range& error) { // a number that no double holds; the parser does not say where
        const std::string what = error.what();
        diagnostics.report(kind::plan_file, {source, 0, 0}, "not json: " + what.substr(std::min(what.size(), what.find("] ") + 2)));
        return std::nullopt;
    } catch (const Json::parse_error& error) {
        // `byte` counts from 1 and names the last byte read; the message's own position repeats it.
        const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
        std::string what = error.what();
        if (const std::size_t colon = what.rfind("column "); colon != std::string::npos) {
            const std::size_t end = what.find(": ", colon);
            what = end == std::string::npos ? what : what.substr(end + 2);
        }
        std::replace(what.begin(), what.end(), '\n', ' ');
        diagnostics.report(kind::plan_file, {source, at, std::min(at + 1, text.size())}, "not json: " + what);
        return std::nullopt;
    }
    try {
        return Reader(source, diagnostics).read(root);
    } catch (const Reader::Failed&) {
        return std::nullopt;
    }
}

} // namespace fusec::fusion
