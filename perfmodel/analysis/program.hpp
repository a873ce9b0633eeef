// SPDX-License-Identifier: Apache-2.0
// Internal to perfmodel/analysis: a kernel in a dense form that can be followed fast, thread by thread.
#pragma once

#include "perfmodel/analysis/kernel_profile.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
} // namespace llvm

namespace fusec::perfmodel::analysis {

/// What is known of a value.
struct Value {
    enum Kind : std::uint8_t {
        unknown,  ///< data
        integer,  ///< of at most 64 bits, zero above its width
        pointer,  ///< `bits` bytes behind a base
        somewhere ///< behind a base, nobody knows where
    };
    Kind kind = unknown;
    std::uint32_t base = 0;
    std::int64_t bits = 0;
};

/// What a step does to the values; everything else about it is its class.
enum class Action : std::uint8_t {
    opaque, ///< the result is data
    binary,
    compare,
    choose,
    truncate,
    zero_extend,
    sign_extend,
    displace, ///< address: operand 0 + constant + sum of operand * scale
    same,     ///< the result is operand 0
    number,   ///< the result is `constant`
    thread_index,
    load,
    store,
    copy, ///< asynchronous: operand 0 is the target, operand 1 the source
    commit,
    wait, ///< all but the last `constant` batches
    barrier
};

struct Step {
    Action action = Action::opaque;
    std::uint8_t width = 0;                        ///< bits of the result
    std::uint8_t operand_width = 0;                ///< bits of operand 0
    std::int16_t code = 0;                         ///< binary: opcode of LLVM or of the intrinsic; compare: predicate
    std::int16_t instruction_class = -1;           ///< -1: takes no instruction
    std::int32_t result = -1;                      ///< slot
    std::uint32_t operands = 0, operand_count = 0; ///< slots, in Program::slots
    std::uint32_t scales = 0;                      ///< displace: of operands 1.., in Program::scales
    std::int64_t constant = 0;
    std::int32_t access = -1; ///< in Program::accesses; of a copy the source is the next one
};

struct Move {
    std::int32_t to = 0, from = 0;
};

struct Branch {
    enum Kind : std::uint8_t {
        leave,
        always,
        conditional,
        several ///< switch
    };
    Kind kind = leave;
    std::int32_t condition = -1;       ///< slot
    std::vector<std::int32_t> targets; ///< conditional: if true, if false; several: the default, then one per case
    std::vector<std::int64_t> cases;
    /// Where to go if the condition is data: into the guarded side, out of a loop (loop_exit: after one round).
    std::int32_t guess = 0; ///< index of targets
    bool loop_exit = false;
    std::int32_t stay = 0; ///< index of targets, of a loop exit that is not at the end of the loop's body
    bool last_in_loop = false;
    bool sole_exit = false;
    std::string told; ///< what is reported then
};

struct Block {
    std::uint32_t first = 0, last = 0; ///< steps
    Branch branch;
    std::int32_t loop = -1;                                           ///< the innermost
    std::vector<std::pair<std::int32_t, std::vector<Move>>> incoming; ///< by preceding block
    ByClass mix;
};

struct Loop {
    std::int32_t header = 0, parent = -1;
    LoopProfile profile; ///< what ScalarEvolution says
};

struct Access {
    AccessProfile profile; ///< without counts
};

struct Program {
    std::vector<Step> steps;
    std::vector<std::int32_t> slots;
    std::vector<std::int64_t> scales;
    std::vector<Block> blocks; ///< the first is the entry
    std::vector<Loop> loops;
    std::vector<Access> accesses;
    std::vector<Value> start;            ///< of all slots
    std::vector<std::string> base_names; ///< of Value::base
    std::vector<std::string> unknowns;   ///< calls and instructions that are not followed
};

/// Translates a kernel. Parameters and launch figures become values.
Program translate(llvm::Function& kernel, const Launch& launch);

} // namespace fusec::perfmodel::analysis
