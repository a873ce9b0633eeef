// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/kernel_work_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

namespace fusec::perfmodel {

using fusion::Addressing;
using fusion::Arithmetic;
using fusion::GlobalAccess;
using fusion::KernelWork;
using fusion::RegisterDemand;
using fusion::WorkStep;

namespace {

using Json = nlohmann::ordered_json;

constexpr double most = 1e15; ///< of any amount
constexpr double none = -1;   ///< a step without a place
constexpr double most_steps = 1e6;

/// What a number may be.
struct Range {
    double least = 0;
    double greatest = most;
    std::optional<double> ordinary = std::nullopt; ///< left out where it is that
};

// Each structure's fields with their keys and ranges, in the order of its declaration: a field that is added there has to be added here, and
// `gpu_measurements_schema` raised.

template <class Work, class Visit>
    requires std::is_same_v<std::remove_const_t<Work>, Arithmetic>
void fields(Work& work, const Visit& visit) {
    auto& [flops, divisions, square_roots, transcendentals] = work;
    visit("flops", flops, Range{});
    visit("divisions", divisions, Range{});
    visit("square_roots", square_roots, Range{});
    visit("transcendentals", transcendentals, Range{});
}

template <class Work, class Visit>
    requires std::is_same_v<std::remove_const_t<Work>, RegisterDemand>
void fields(Work& work, const Visit& visit) {
    auto& [live, kept, temporaries, passing, copies, several_threads, call] = work;
    visit("live", live, Range{});
    visit("kept", kept, Range{});
    visit("temporaries", temporaries, Range{});
    visit("passing", passing, Range{});
    visit("copies", copies, Range{});
    visit("several_threads", several_threads, Range{});
    visit("call", call, Range{});
}

template <class Work, class Visit>
    requires std::is_same_v<std::remove_const_t<Work>, GlobalAccess>
void fields(Work& work, const Visit& visit) {
    auto& [store, addressing, bytes, count, sectors, asynchronous, staged, streaming, registers, converted] = work;
    visit("store", store, Range{});
    visit("addressing", addressing, Range{});
    visit("bytes", bytes, Range{1, 16});
    visit("count", count, Range{});
    visit("sectors", sectors, Range{});
    visit("asynchronous", asynchronous, Range{});
    visit("staged", staged, Range{});
    visit("streaming", streaming, Range{});
    visit("registers", registers, Range{0.5, 2});
    visit("converted", converted, Range{});
}

template <class Work, class Visit>
    requires std::is_same_v<std::remove_const_t<Work>, WorkStep>
void fields(Work& work, const Visit& visit) {
    auto& [kind, index, threads, routine, remap, round_trip, instructions, arithmetic, in_float, read_bytes, write_bytes, shared_wavefronts,
        l1_wavefronts, store_requests, exchanges, remaining, alone, accesses, after] = work;
    visit("kind", kind, Range{});
    visit("index", index, Range{none, most_steps});
    visit("threads", threads, Range{1, 1024});
    visit("routine", routine, Range{});
    visit("remap", remap, Range{});
    visit("round_trip", round_trip, Range{});
    visit("instructions", instructions, Range{});
    visit("arithmetic", arithmetic, Range{});
    visit("in_float", in_float, Range{});
    visit("read_bytes", read_bytes, Range{});
    visit("write_bytes", write_bytes, Range{});
    visit("shared_wavefronts", shared_wavefronts, Range{});
    visit("l1_wavefronts", l1_wavefronts, Range{});
    visit("store_requests", store_requests, Range{});
    visit("exchanges", exchanges, Range{});
    visit("remaining", remaining, Range{0, 1, 1}); // of works for a host
    visit("alone", alone, Range{0, 1, 1});
    visit("accesses", accesses, Range{});
    visit("after", after, Range{}); // of works for a host, left out where it is empty
}

template <class Work, class Visit>
    requires std::is_same_v<std::remove_const_t<Work>, KernelWork>
void fields(Work& work, const Visit& visit) {
    auto& [precision, read_bytes, write_bytes, read_lists, write_lists, flops, divisions, square_roots, transcendentals, fused,
        shared_wavefronts, l1_wavefronts, store_requests, instructions, spill_bytes, path_instructions, critical_path_cycles, lane_slots,
        arithmetic_lane_slots, elements_per_block, threads_per_block, shared_bytes, registers, demand, registers_needed, block_barriers,
        warp_barriers, exchanges, remaps, dependent_phases, allocated_bytes, async_copies, repeated, in_float, steps] = work;
    visit("precision", precision, Range{});
    visit("read_bytes", read_bytes, Range{});
    visit("write_bytes", write_bytes, Range{});
    visit("read_lists", read_lists, Range{});
    visit("write_lists", write_lists, Range{});
    visit("flops", flops, Range{});
    visit("divisions", divisions, Range{});
    visit("square_roots", square_roots, Range{});
    visit("transcendentals", transcendentals, Range{});
    visit("fused", fused, Range{});
    visit("shared_wavefronts", shared_wavefronts, Range{});
    visit("l1_wavefronts", l1_wavefronts, Range{});
    visit("store_requests", store_requests, Range{});
    visit("instructions", instructions, Range{});
    visit("spill_bytes", spill_bytes, Range{});
    visit("path_instructions", path_instructions, Range{});
    visit("critical_path_cycles", critical_path_cycles, Range{});
    constexpr double rounded = 1 - 1e-12; // a quotient of two sums: probes that were emitted before it was cut off at 1 are read
    visit("lane_slots", lane_slots, Range{rounded, most});
    visit("arithmetic_lane_slots", arithmetic_lane_slots, Range{rounded, most});
    visit("elements_per_block", elements_per_block, Range{1, 1e6});
    visit("threads_per_block", threads_per_block, Range{1, 1024});
    visit("shared_bytes", shared_bytes, Range{});
    visit("registers", registers, Range{1, 1e6});
    visit("demand", demand, Range{});
    visit("registers_needed", registers_needed, Range{1, 1e6});
    visit("block_barriers", block_barriers, Range{});
    visit("warp_barriers", warp_barriers, Range{});
    visit("exchanges", exchanges, Range{});
    visit("remaps", remaps, Range{});
    visit("dependent_phases", dependent_phases, Range{});
    visit("allocated_bytes", allocated_bytes, Range{});
    visit("async_copies", async_copies, Range{});
    visit("repeated", repeated, Range{});
    visit("in_float", in_float, Range{});
    visit("steps", steps, Range{});
}

// What enumerations are called, in the order of their values.
constexpr std::array precision_names{"float", "double"};
constexpr std::array addressing_names{"broadcast", "unit", "strided"};
constexpr std::array step_names{"derive", "load", "wait", "compute", "store", "warp_barrier", "block_barrier"};
static_assert(static_cast<int>(Precision::f32) == 0 && static_cast<int>(Addressing::strided) == 2 &&
    static_cast<int>(WorkStep::Kind::block_barrier) == 6);

const auto& names_of(Precision) {
    return precision_names;
}
const auto& names_of(Addressing) {
    return addressing_names;
}
const auto& names_of(WorkStep::Kind) {
    return step_names;
}

template <class Work>
Json write(const Work& work);

template <class Value>
Json json_of(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
        return names_of(value).at(static_cast<std::size_t>(value));
    } else if constexpr (std::is_arithmetic_v<Value>) {
        return value;
    } else if constexpr (std::is_same_v<Value, std::shared_ptr<const std::string>>) {
        return value == nullptr ? Json() : Json(*value);
    } else if constexpr (std::is_class_v<Value> && !requires { value.size(); }) {
        return write(value);
    } else {
        Json list = Json::array();
        for (const auto& each : value) {
            list.push_back(json_of(each));
        }
        return list;
    }
}

template <class Work>
Json write(const Work& work) {
    Json object = Json::object();
    fields(work, [&](const char* key, const auto& value, const Range& range) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::vector<int>>) {
            if (value.empty()) {
                return;
            }
        } else if constexpr (std::is_same_v<Value, double>) {
            if (value == range.ordinary) {
                return;
            }
        }
        object[key] = json_of(value);
    });
    return object;
}

class Reader {
public:
    explicit Reader(JsonReader& json) : json_(json) {}

    template <class Work>
    Work read(const JsonValue& object) {
        json_.expect(object, JsonValue::Kind::object);
        Work work;
        std::vector<std::string> keys;
        fields(work, [&](const char* key, const auto&, const Range&) { keys.emplace_back(key); });
        json_.only(object, keys);
        fields(work, [&](const char* key, auto& value, const Range& range) { take(object, key, value, range); });
        return work;
    }

private:
    template <class Value>
    void take(const JsonValue& object, const char* key, Value& value, const Range& range) {
        if constexpr (std::is_enum_v<Value>) {
            const std::string& word = json_.text(object, key);
            const auto& names = names_of(value);
            const auto found = std::find(names.begin(), names.end(), word);
            if (found == names.end()) {
                json_.fail(*JsonReader::find(object, key), "`" + std::string(key) + "` is `" + word + "`, which no kernel has");
            }
            value = static_cast<Value>(found - names.begin());
        } else if constexpr (std::is_same_v<Value, bool>) {
            value = json_.member(object, key, JsonValue::Kind::boolean).truth;
        } else if constexpr (std::is_arithmetic_v<Value>) {
            value = range.ordinary && JsonReader::find(object, key) == nullptr ? static_cast<Value>(*range.ordinary)
                                                                               : number<Value>(object, key, range);
        } else if constexpr (std::is_same_v<Value, std::shared_ptr<const std::string>>) {
            const JsonValue* const found = JsonReader::find(object, key);
            if (found == nullptr || found->kind != JsonValue::Kind::null) {
                value = std::make_shared<const std::string>(json_.text(object, key));
            }
        } else if constexpr (std::is_class_v<Value> && !requires { value.size(); }) {
            value = read<Value>(json_.member(object, key, JsonValue::Kind::object));
        } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
            if (JsonReader::find(object, key) != nullptr) {
                for (const JsonValue& each : json_.array(object, key)) {
                    const std::uint64_t number = json_.whole(each);
                    if (static_cast<double>(number) > most_steps) {
                        json_.fail(each, fmt::format("`{}` has whole numbers from 0 to {:g}", key, most_steps));
                    }
                    value.push_back(static_cast<int>(number));
                }
            }
        } else {
            for (const JsonValue& each : json_.array(object, key)) {
                value.push_back(read<typename Value::value_type>(each));
            }
        }
    }

    template <class Value>
    Value number(const JsonValue& object, const char* key, const Range& range) {
        const double given = json_.number(object, key);
        const double greatest = std::is_integral_v<Value> ? std::min(range.greatest, 2e9) : range.greatest;
        const bool whole = !std::is_integral_v<Value> || given == std::floor(given);
        if (!(given >= range.least && given <= greatest) || !whole) {
            json_.fail(*JsonReader::find(object, key),
                fmt::format("`{}` has to be {} from {:g} to {:g}", key, std::is_integral_v<Value> ? "a whole number" : "a number",
                    range.least, greatest));
        }
        return static_cast<Value>(given);
    }

    JsonReader& json_;
};

} // namespace

std::string to_json(const KernelWork& work) {
    return write(work).dump();
}

KernelWork read_kernel_work(JsonReader& json, const JsonValue& object) {
    return Reader(json).read<KernelWork>(object);
}

} // namespace fusec::perfmodel
