// SPDX-License-Identifier: Apache-2.0
// The threads of an instance that exchange values, as fibers that run in turns from one exchange to the next. Stands in for the runtime's
// exchange.cuh, with numbers that count the arithmetic.
#pragma once

#include <functional>

namespace fusec::test {

struct counted;

/// Runs `thread(i)` for each of the threads to its end; gives the exchanges that each of them made, or -1 where they differ.
int run_together(int threads, const std::function<void(int)>& thread);

/// The `x` that thread `source` gave when it came to this exchange. Pre: called by a thread of run_together.
counted exchanged(int thread, int source, counted x);

} // namespace fusec::test
