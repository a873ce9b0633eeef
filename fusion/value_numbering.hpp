// SPDX-License-Identifier: Apache-2.0
// Which operations of several calls an optimizing compiler executes that sees all of them at once: global value numbering (Alpern, Wegman, Zadeck:
// Detecting equality of variables in programs, POPL 1988), elimination of dead code, and multiply-adds.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace fusec::fusion {

/// An operation on scalars.
struct ScalarOperation {
    static constexpr int unlike = -1; ///< of `function`: an operation like no other
    int function = unlike;
    bool commutative = false;
    enum class Part {
        none,
        product, ///< may be part of the instruction of a sum of the same call
        sum      ///< or difference
    } part = Part::none;
    double instructions = 1; ///< by itself
};

/// Values have numbers, in the order in which they are asked for; equal ones have one number. Operations belong to the call that is the first to make
/// their value; calls are numbered in the order of the operations.
class ValueNumbering {
public:
    /// Forgets all values but constants, which keep their numbers.
    void clear();

    /// One that is like no other.
    int given();
    /// A number below 0. Nothing is needed for it. O(log c) of c constants.
    int constant(double value);
    static bool is_constant(int value) { return value < 0; }
    /// Of five operands and more, one like no other. Pre: the operands have numbers; `call` is that of the operation before, or a greater one. O(1).
    int operation(int call, const ScalarOperation& operation, std::vector<int> operands);

    /// It leaves the calls: whatever operations read it too, it is computed by itself.
    void need(int value) {
        if (!is_constant(value)) {
            values_[static_cast<std::size_t>(value)].needed = values_[static_cast<std::size_t>(value)].leaves = true;
        }
    }
    bool is_needed(int value) const { return !is_constant(value) && values_[static_cast<std::size_t>(value)].needed; }
    /// What the needed operations of a call need is needed. Pre: all calls behind it have been looked at. Linear in the call's operands.
    void need_operands_of(int call);

    /// Instructions of the operations that are needed, by call. A product that does not leave, and of which only sums of its call are made, none of which has another product in
    /// its instruction, has none of its own (as GCC's convert_mult_to_fma decides). O(m log m) of m values.
    std::vector<double> instructions(int calls) const;

private:
    static constexpr int no_call = -1;
    struct Value {
        int call = no_call;
        ScalarOperation::Part part = ScalarOperation::Part::none;
        double instructions = 0;
        std::size_t operands = 0; ///< where they begin in operands_; they end where those of the next one begin
        bool needed = false;
        bool leaves = false; ///< needed by who asked for it, and not by operations alone
    };
    /// The function and the numbers of its operands, of which a selection has most.
    using Key = std::array<int, 5>;
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    int add(const Value& value, const std::vector<int>& operands);
    std::span<const int> operands_of(std::size_t value) const;

    std::vector<Value> values_;
    std::vector<int> operands_;
    std::unordered_map<Key, int, Hash> known_;
    std::map<double, int> constants_;
    std::vector<std::size_t> first_of_call_;
};

} // namespace fusec::fusion
