// SPDX-License-Identifier: Apache-2.0
// The text of plan files: the only file of fusion/ that sees nlohmann-json, to write it.
#include "fusion/plan_file.hpp"
#include "fusion/structure_hash.hpp"
#include "support/located_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

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

using Value = JsonValue;

/// What a plan file says, from its values.
class Reader {
public:
    explicit Reader(Diagnostics& diagnostics) : json_(kind::plan_file, diagnostics) {}

    PlanFile read(const Value& root) {
        json_.expect(root, Value::Kind::object);
        json_.only(root, {"alternatives", "kernels", "schema"});
        if (const std::uint64_t schema = json_.whole(root, "schema"); schema != plan_file_schema) {
            json_.fail(*JsonReader::find(root, "schema"),
                "plan file of schema " + std::to_string(schema) + ", this compiler reads schema " + std::to_string(plan_file_schema));
        }
        PlanFile file;
        file.span = root.span;
        if (JsonReader::find(root, "alternatives") != nullptr) {
            for (const Value& taken : json_.array(root, "alternatives")) {
                file.alternatives.push_back(json_.whole(taken));
            }
        }
        for (const Value& each : json_.array(root, "kernels")) {
            file.kernels.push_back(kernel(each));
        }
        return file;
    }

private:
    std::vector<PlanFileText> texts(const Value& object, const std::string& key) {
        std::vector<PlanFileText> result;
        const Value& array = json_.member(object, key, Value::Kind::array);
        for (const Value& each : array.items) {
            result.push_back({json_.expect(each, Value::Kind::text).text, each.span});
        }
        if (result.empty()) {
            json_.fail(array, "a kernel with empty `" + key + "`");
        }
        return result;
    }
    std::map<std::string, std::string> table(const Value& object, const std::string& key, std::map<std::string, Span>& entries) {
        std::map<std::string, std::string> result;
        for (const auto& [name, value] : json_.member(object, key, Value::Kind::object).members) {
            result[name] = json_.expect(value, Value::Kind::text).text;
            entries[key + "/" + name] = value.span;
        }
        return result;
    }
    PlanFile::Kernel kernel(const Value& object) {
        json_.expect(object, Value::Kind::object);
        json_.only(object, {"calls", "hash", "implementation", "instances_per_block", "placement", "staging", "stores"});
        PlanFile::Kernel kernel;
        kernel.span = object.span;
        kernel.hash = json_.text(object, "hash");
        kernel.calls = texts(object, "calls");
        kernel.stores = texts(object, "stores");
        kernel.implementation = table(object, "implementation", kernel.entries);
        const std::uint64_t instances = json_.whole(object, "instances_per_block");
        if (instances == 0 || instances > 1024) {
            json_.fail(*JsonReader::find(object, "instances_per_block"),
                "instances per block of " + std::to_string(instances) + ", possible are 1 to 1024");
        }
        kernel.instances_per_block = static_cast<int>(instances);
        for (const auto& [name, value] : json_.member(object, "staging", Value::Kind::object).members) {
            json_.expect(value, Value::Kind::object);
            json_.only(value, {"load", "store"});
            kernel.entries["staging/" + name] = value.span;
            kernel.staging[name] = {json_.text(value, "load"), json_.text(value, "store")};
        }
        kernel.placement = table(object, "placement", kernel.entries);
        return kernel;
    }

    JsonReader json_;
};

} // namespace

std::optional<PlanFile> parse_plan_file(const SourcePtr& source, Diagnostics& diagnostics) {
    const std::optional<Value> root = parse_json(source, kind::plan_file, diagnostics);
    if (!root) {
        return std::nullopt;
    }
    try {
        return Reader(diagnostics).read(*root);
    } catch (const JsonReader::Failed&) {
        return std::nullopt;
    }
}

} // namespace fusec::fusion
