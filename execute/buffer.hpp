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

/// Memory in huge pages that buffers take one after the other, and again from its start once none of them is left: the system clears each page once.
class HugeMemory {
public:
    /// Throws std::bad_alloc.
    explicit HugeMemory(std::size_t bytes);
    /// Rounded up to huge pages, in no page of another; its contents are not said. Null where there is no room.
    char* take(std::size_t bytes);
    /// Pre: no buffer is in it.
    void give_back() { taken_ = 0; }

private:
    struct Unmap {
        std::size_t bytes;
        void operator()(char* pointer) const;
    };
    std::unique_ptr<char[], Unmap> storage_;
    std::size_t taken_ = 0;
};

/// Starts at a page; with `room`, anywhere in so many bytes behind the start of one. Zero-filled: every page is touched. Throws std::bad_alloc.
/// With `memory`, where it is in huge pages and these have room: there, and not zero-filled.
class Buffer {
public:
    explicit Buffer(std::size_t bytes, std::size_t room = 0, HugePages huge = HugePages::large, HugeMemory* memory = nullptr)
        : bytes_(bytes), room_(room), storage_(allocate(room + (bytes == 0 ? 1 : bytes), huge, memory)) {}
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
        bool own = true;
        void operator()(char* pointer) const {
            if (own) {
                ::operator delete[](pointer, alignment);
            }
        }
    };
    using Storage = std::unique_ptr<char[], Free>;
    static Storage allocate(std::size_t bytes, HugePages huge, HugeMemory* memory);

    std::size_t bytes_, room_, behind_ = 0;
    Storage storage_;
};

/// This machine's memory.
double memory_bytes();

} // namespace fusec::execute
