// SPDX-License-Identifier: Apache-2.0
// The least calibration of a host that is read: every figure that it has to have, and the time of one routine, which no example has.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <tuple>

namespace fusec::test {

inline nlohmann::ordered_json host_calibration(const std::string& name) {
    nlohmann::ordered_json made{{"schema", 1}, {"kind", "calibration"}, {"name", name}, {"base", "host-generic"},
        {"date", "2026-11-20T10:00:00Z"}, {"machine", "a host"}, {"commit", "fusec 0.1.0"}, {"figures", nlohmann::ordered_json::array()}};
    for (const auto& [key, value, unit] :
        {std::tuple("speed.cores", 3.0, "cores"), {"limits.vector_bytes", 32, "bytes"}, {"speed.clock", 3, "GHz"},
            {"speed.l2_bytes", 1048576, "bytes"}, {"speed.l2", 800, "GB/s"}, {"speed.dram", 80, "GB/s"}, {"speed.launch", 5, "us"},
            {"stream.read.peak", 80, "GB/s"}, {"stream.mixed.peak", 78, "GB/s"}, {"stream.copy.peak", 76, "GB/s"},
            {"stream.write.peak", 74, "GB/s"}, {"compute.window", 500, "instructions"}, {"benchmark.remap", 0, "ns per element"}}) {
        made["figures"].push_back(
            {{"key", key}, {"value", value}, {"unit", unit}, {"points", 1}, {"residual", 0}, {"how", "what the system says"}});
    }
    made["routines"]["f(float SCALAR) -> float SCALAR"] = {
        {"block_size", {1}}, {"extra_shared", {0}}, {"shared_bytes", 0}, {"times", nlohmann::ordered_json::array({{1}})}};
    return made;
}

} // namespace fusec::test
