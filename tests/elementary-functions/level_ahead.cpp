// SPDX-License-Identifier: Apache-2.0
// Compiled for one processor: where its kernels ask for what lies far ahead, and whether lists are left to it.
#include <cstddef>
#include <cstdint>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <fusec/host.hpp>

static_assert(fusec::level_ahead == FUSEC_EXPECTED_LEVEL);
static_assert(fusec::leaves_lists == FUSEC_EXPECTED_LEFT);
