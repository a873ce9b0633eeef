// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/wave_thread.hpp"

#include <algorithm>
#include <numeric>

namespace fusec::perfmodel::wave {

double delay_inst(double warp_size, double unit_count) {
    return std::max(warp_size / unit_count, 1.0);
}

std::vector<double> starts(std::span<const Instruction> code, int iterations) {
    std::vector<double> result;
    double next = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        const std::size_t base = code.size() * static_cast<std::size_t>(iteration);
        for (const Instruction& each : code) {
            double start = next;
            const auto wait_for = [&](int place, std::size_t from) {
                const auto index = static_cast<std::size_t>(place);
                start = std::max(start, result[from + index] + code[index].lat);
            };
            for (const int place : each.operands) {
                wait_for(place, base);
            }
            for (const int place : each.carried) {
                if (iteration > 0) {
                    wait_for(place, base - code.size());
                }
            }
            result.push_back(start);
            next = start + each.del;
        }
    }
    return result;
}

double time(std::span<const Instruction> code) {
    const std::vector<double> started = starts(code);
    double end = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        end = std::max(end, started[i] + std::max(code[i].lat, code[i].del));
    }
    return end;
}

double delay(std::span<const Instruction> code) {
    return std::accumulate(code.begin(), code.end(), 0.0, [](double sum, const Instruction& each) { return sum + each.del; });
}

double loop_time(std::span<const Instruction> body, double trip) {
    return starts(body, 2).back() / 2 * trip;
}

} // namespace fusec::perfmodel::wave
