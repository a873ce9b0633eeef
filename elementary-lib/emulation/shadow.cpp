// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/emulation/shadow.hpp"

namespace fusec::emulation {

void Shadow::resize(std::size_t words) {
    if (words > words_.size()) {
        words_.resize(words);
    }
}

bool Shadow::ordered(const Moment& earlier, const Moment& later) {
    return earlier.thread == later.thread || earlier.epoch < later.epoch ||
        (earlier.thread / warp == later.thread / warp && earlier.clock < later.clock);
}

AccessResult Shadow::check_copy(const Word& word) const {
    return word.copied.epoch >= block_start_ ? AccessResult{Conflict::copy_under_way, word.copied.thread} : AccessResult{};
}

void Shadow::record_reader(Word& word, const Moment& now) {
    if (word.read.epoch != now.epoch) {
        word.readers = Readers::one_thread;
        word.read = now;
    } else if (word.readers == Readers::several_warps) {
        if (now.thread / warp != word.other_reader / warp) {
            word.read = now;
        }
    } else if (word.read.thread / warp != now.thread / warp) {
        // Whoever writes before the next block barrier is of another warp than one of the two.
        word.readers = Readers::several_warps;
        word.other_reader = word.read.thread;
        word.read = now;
    } else {
        // Readers before the warp's last barrier need not be kept: every later access of the warp is ordered after them, and another
        // warp is as unordered with them as with this reader.
        if (word.read.clock != now.clock) {
            word.readers = Readers::one_thread;
        } else if (word.read.thread != now.thread) {
            word.readers = Readers::one_warp;
            word.other_reader = word.read.thread;
        }
        word.read = now;
    }
}

AccessResult Shadow::read(std::size_t index, const Moment& now) {
    Word& word = words_[index];
    if (const AccessResult copy = check_copy(word); copy.conflict != Conflict::none) {
        return copy;
    }
    if (word.written.epoch < block_start_) {
        // Recorded all the same: a write that follows without a barrier is a race as well.
        word.read = now;
        word.readers = Readers::one_thread;
        return {Conflict::uninitialised, 0};
    }
    record_reader(word, now);
    return ordered(word.written, now) ? AccessResult{} : AccessResult{Conflict::written_by_other, word.written.thread};
}

AccessResult Shadow::check_write(const Word& word, const Moment& now) const {
    if (const AccessResult copy = check_copy(word); copy.conflict != Conflict::none) {
        return copy;
    }
    if (word.written.epoch >= block_start_ && !ordered(word.written, now)) {
        return {Conflict::written_by_other, word.written.thread};
    }
    if (word.read.epoch == now.epoch) {
        if (!ordered(word.read, now)) {
            return {Conflict::read_by_other, word.read.thread};
        }
        // The latest reader is of this warp; the other one is of another warp, or of this warp since its last barrier.
        if (word.readers == Readers::several_warps || (word.readers == Readers::one_warp && word.read.clock == now.clock)) {
            return {Conflict::read_by_other, word.other_reader};
        }
    }
    return {};
}

AccessResult Shadow::write(std::size_t index, const Moment& now) {
    Word& word = words_[index];
    const AccessResult result = check_write(word, now);
    word.written = now;
    word.read = {};
    word.readers = Readers::one_thread;
    return result;
}

AccessResult Shadow::start_copy(std::size_t index, const Moment& now) {
    Word& word = words_[index];
    const AccessResult result = check_write(word, now);
    word.copied = now;
    return result;
}

void Shadow::finish_copy(std::size_t index, const Moment& now) {
    Word& word = words_[index];
    word.written = now;
    word.read = {};
    word.readers = Readers::one_thread;
    word.copied = {};
}

} // namespace fusec::emulation
