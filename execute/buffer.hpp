// SPDX-License-Identifier: Apache-2.0
// Memory of lists and workspaces.
#pragma once

#include "support/diagnostics.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <string>

namespace fusec::execute {

/// Where the system has huge pages: which memory is in them. Times in pages of 4 KiB depend on where those happen to lie.
enum class HugePages {
    large, ///< from 4 MiB on, as NumPy's arrays are and, where the system gives them without being asked, all large memory
    all    ///< of any size, to its end: what is timed for a part stands for lists of any length
};

/// Starts at a page; with `room`, anywhere in so many bytes behind the start of one. Zero-filled: every page is touched. Throws std::bad_alloc.
class Buffer {
public:
    explicit Buffer(std::size_t bytes, std::size_t room = 0, HugePages huge = HugePages::large)
        : bytes_(bytes), room_(room), storage_(allocate(room + (bytes == 0 ? 1 : bytes), huge)) {}
    /// What a buffer of so many bytes takes of memory.
    static std::size_t occupied(std::size_t bytes, HugePages huge);
    /// With the bytes of `text`.
    explicit Buffer(const std::string& text);

    /// So many bytes behind the start of a page; what the buffer holds afterwards is not said. Pre: there is room for it.
    void start_behind(std::size_t bytes) {
        internal_check(bytes <= room_, "a buffer that starts behind its room");
        behind_ = bytes;
    }

    char* data() { return storage_.get() + behind_; }
    const char* data() const { return storage_.get() + behind_; }
    std::size_t size() const { return bytes_; }
    std::string text() const { return {data(), bytes_}; }

private:
    struct Free {
        std::align_val_t alignment;
        void operator()(char* pointer) const { ::operator delete[](pointer, alignment); }
    };
    using Storage = std::unique_ptr<char[], Free>;
    static Storage allocate(std::size_t bytes, HugePages huge);

    std::size_t bytes_, room_, behind_ = 0;
    Storage storage_;
};

/// This machine's memory.
double memory_bytes();

} // namespace fusec::execute
