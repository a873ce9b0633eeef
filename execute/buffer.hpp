// SPDX-License-Identifier: Apache-2.0
// Memory of lists and workspaces.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>

namespace fusec::execute {

/// Starts at a page, or so many bytes behind the start of one. Zero-filled: every page is touched. Throws std::bad_alloc.
class Buffer {
public:
    explicit Buffer(std::size_t bytes, std::size_t behind = 0)
        : bytes_(bytes), behind_(behind), storage_(new(page) char[behind + (bytes == 0 ? 1 : bytes)]()) {}
    /// With the bytes of `text`.
    explicit Buffer(const std::string& text);

    char* data() { return storage_.get() + behind_; }
    const char* data() const { return storage_.get() + behind_; }
    std::size_t size() const { return bytes_; }
    std::string text() const { return {data(), bytes_}; }

private:
    static constexpr std::align_val_t page{4096};
    struct Free {
        void operator()(char* pointer) const { ::operator delete[](pointer, page); }
    };
    std::size_t bytes_, behind_;
    std::unique_ptr<char[], Free> storage_;
};

/// This machine's memory.
double memory_bytes();

} // namespace fusec::execute
