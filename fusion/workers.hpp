// SPDX-License-Identifier: Apache-2.0
// Threads for work that splits into independent items. What is found never depends on how many there are: items write to places of
// their own, and the caller takes the results in the order of the items.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace fusec::fusion {

class Workers {
public:
    /// Work on items [begin, end); `worker` < count() tells whose scratch memory may be used.
    using Work = std::function<void(std::size_t worker, std::size_t begin, std::size_t end)>;

    /// The calling thread is one of them. Pre: at least one.
    explicit Workers(std::size_t count);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Those of the process: as many as the environment's FUSEC_THREADS says, else threads_at_once(); 64 at most.
    static Workers& shared();
    /// From now on the process has so many. Not while they work.
    static void use(std::size_t count);

    std::size_t count() const;
    /// How many were asked for: more than count() where the system refuses threads (a limit on processes or on memory).
    std::size_t asked() const;
    /// All items, in parts of `grain` given out first come first served. Returns when all are done; rethrows what work threw, of
    /// several the one of the first part. Not to be called from work, nor by two threads at once.
    void run(std::size_t items, std::size_t grain, const Work& work);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fusec::fusion
