// SPDX-License-Identifier: Apache-2.0
// The verifier's model of one block: who wrote and read each shared word and when, what each thread holds in registers, what has
// been stored. Each access reports at most one conflict.
#pragma once

#include "codegen/kernel_ir.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fusec::codegen {

/// Orders accesses by barriers. Steps are uniform over the block, so a barrier is known by its step.
class BlockMachine {
public:
    explicit BlockMachine(const Kernel& kernel);

    void start_step(int step) { step_ = step; }
    void block_barrier() { block_barrier_ = step_; }
    void warp_barrier() { warp_barrier_ = step_; }
    /// Every thread's asynchronous copies arrive.
    void wait();

    /// Each returns what is wrong, or an empty string. `component` counts over the whole tile: element * components + component.
    /// Pre: the word range is inside the block's shared memory. `together`: threads of one instance that order themselves within
    /// this step; a conflict with one of them in this step is none.
    std::string read(std::size_t tile, int component, int byte, int thread, int together);
    std::string write(std::size_t tile, int component, int byte, int thread, bool async, int together);

    /// The same for a component of a list that the kernel loads and stores, by the list of its old value: the new one is written after
    /// every read of the old one, by the same thread or on the other side of a barrier. `async`: the copy reads it until the next wait.
    std::string read_old(std::size_t list, int component, int thread, bool async);
    std::string write_new(std::size_t list, int component, int thread);

    void define(std::size_t value, int thread, int element, int component);
    std::string use(std::size_t value, int thread, int element, int component) const;

    /// True if a copy was started that no wait follows.
    bool copies_under_way() const;

    static constexpr int any_element = -1; ///< a uniform value: the same for whichever element the thread works on
    static constexpr int warp = 32;

private:
    struct Access {
        int thread = -1;
        int step = -1;
        int together = -1;
    };
    /// Four bytes of shared memory.
    struct Word {
        int tile = -1;      ///< whose datum it holds
        int component = -1; ///< and which of its components
        bool async = false; ///< a copy is under way
        Access writer;
        std::vector<Access> readers; ///< since the last write, later than the last block barrier
    };
    /// A component of a list in global memory.
    struct ListWord {
        bool written = false; ///< it has its new value
        bool async = false;   ///< a copy from it is under way
        std::vector<Access> readers;
    };
    /// Component of a value in one thread's registers.
    struct Register {
        bool defined = false;
        int element = 0;
    };

    bool ordered(const Access& before, int thread, int together) const;
    Register& register_of(std::size_t value, int thread, int component);
    int words_of(std::size_t tile) const { return bytes_of(kernel_.tiles[tile].type.precision) / 4; }

    const Kernel& kernel_;
    int step_ = 0;
    int block_barrier_ = -1;
    int warp_barrier_ = -1;
    std::vector<Word> words_;
    std::map<std::size_t, std::map<int, ListWord>> old_values_; ///< by list and component
    std::vector<std::vector<Register>> registers_;              ///< per value: thread * components + component
};

} // namespace fusec::codegen
