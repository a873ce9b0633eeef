// SPDX-License-Identifier: Apache-2.0
// Components of lists and tiles that a thread keeps in registers after it has read them, because a later step of the kernel reads them again.
#pragma once

#include "fusion/kernel_draft.hpp"

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// Several threads of an instance write their parts of a tile: the compiler cannot tell the words of such a store from those that
/// a thread has read, and reads them again. (Of one thread it can: both are the thread's element plus a constant.)
inline bool writes_unknown_words(Placement result, const Routine& routine) {
    return routine.threads > 1 && result == Placement::shared;
}

/// The compiler of the kernel knows one element of a list, or of a tile that nothing writes in between, for the same value at two steps, and
/// loads it once. Where all routines that read a list have one thread and say which components they read, each component counts by itself
/// (a loop over points reads other rows of a table of points each time); otherwise all that a routine reads waits for the last step that reads
/// the list in the same way.
///
/// Steps are gone through in order: read() for each operand of a call, then during().
class WaitingComponents {
public:
    /// All must outlive this; the draft has its barriers. Linear in the components that the routines read.
    WaitingComponents(const KernelOutline& kernel, const Combination& routines, const KernelDraft& draft);

    /// The call reads its operand at this step: how many components of it neither waited for this step nor wait for a later one.
    int read(std::size_t call, std::size_t operand, std::size_t step);

    struct Waiting {
        int all = 0;   ///< 32-bit words of components of all lists and tiles
        int often = 0; ///< of them, those of components that more than one later step reads
    };
    /// Those read by this step and before. What no later step reads is gone after it.
    Waiting during(std::size_t step);

    /// The next step that reads the components takes them from the step that was gone through last, entry by entry: those that more than
    /// one later step reads keep waiting, others do not.
    void interleave();

    /// Step of a call.
    std::size_t step_of(std::size_t call) const { return step_of_[call]; }
    bool writes_unknown_words(std::size_t call) const;

private:
    struct Held {
        int components = 0; ///< waiting
        std::size_t until = 0;
        bool often = false;
    };
    /// A component of a list that counts by itself.
    struct Component {
        std::size_t first = 0, end = 0; ///< its readers in readers_
        Held held;
    };
    struct List {
        Held held;                      ///< of all components together
        std::size_t begin = 0, end = 0; ///< in components_; none: not by component
        bool by_component() const { return begin != end; }
    };

    const Routine& routine(std::size_t call) const;
    bool still_known(int datum, std::size_t first, std::size_t second) const;
    void wait(Held& held, std::size_t until, int times, int components, std::size_t step) const;
    void find_readers(std::size_t datum);
    int read_by_component(const List& list, int datum, const std::vector<int>& components, std::size_t step);

    const KernelOutline& kernel_;
    const Combination& routines_;
    const KernelDraft& draft_;
    std::vector<std::size_t> step_of_;            ///< per call
    std::vector<std::size_t> overwritten_;        ///< per step, how often before it words that a thread has read may have been written
    std::vector<List> lists_;                     ///< per datum
    std::vector<Component> components_;           ///< of the lists that count by component, one list after another
    std::vector<std::size_t> readers_;            ///< steps, ascending per component
    std::vector<const KernelOutline::Use*> uses_; ///< of the list whose readers are found, by step
};

} // namespace fusec::fusion
