// SPDX-License-Identifier: Apache-2.0
// Compiled for one processor: where its kernels ask for what lies far ahead.
#include <cstddef>
#include <cstdint>

#include <fusec/transposition.hpp>

static_assert(fusec::level_ahead == FUSEC_EXPECTED_LEVEL);
