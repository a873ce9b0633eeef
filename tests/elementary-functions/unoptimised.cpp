// SPDX-License-Identifier: Apache-2.0
// Compiled without optimisation, as kernels that are verified are: operands of instructions that are written out are no constants there, and
// what compilers can place only after inlining they refuse.
#include <cstddef>
#include <cstdint>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <fusec/half_lanes.hpp>

namespace fusec {

/// A tile of each kind of list, loaded and stored in a loop: of few words, in strips and stored in halves, in halves, in rows that are lines, of floats
/// beside doubles, of scalars in bursts.
int tiles(size_t n, const double* short_list, const double* long_list, const double* halves, const double* lines, const double* scalars,
    const float* half_list, const float* half_scalars, double* result, float* half_result) {
    return for_tiles<double, 8 * (9 + 36 + 40 + 64 + 1) + 4 * (3 + 1)>(n, can_stream(result), [=](auto tile) {
        const auto few = load_tile<3, 3>(tile, short_list);
        const auto many = load_tile<6, 6>(tile, long_list);
        const auto in_halves = load_tile<8, 5>(followed(tile), halves);
        const auto in_lines = load_tile<8, 8>(tile, lines);
        auto half = load_half_tile<3, 1>(tile, half_list);
        auto few_and_more = few;
        few_and_more(0, 0) += load_tile<1, 1>(in_bursts(tile, scalars), scalars)();
        half(0) += load_half_tile<1, 1>(in_bursts(tile, half_scalars), half_scalars)();
        store_tile(tile, result, few_and_more);
        stream_tile(tile, result, many);
        stream_tile(tile, result, in_halves);
        stream_tile(tile, result, in_lines);
        store_half_tile(tile, half_result, half);
    });
}

} // namespace fusec
