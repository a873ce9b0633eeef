// SPDX-License-Identifier: Apache-2.0
// Memory of lists and workspaces.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>

namespace fusec::execute {

/// Aligned so that kernels may take their streaming path. Zero-filled: every page is touched. Throws std::bad_alloc.
class Buffer {
public:
    explicit Buffer(std::size_t bytes) : bytes_(bytes), storage_(new(alignment) char[bytes == 0 ? 1 : bytes]()) {}
    /// With the bytes of `text`.
    explicit Buffer(const std::string& text);

    char* data() { return storage_.get(); }
    const char* data() const { return storage_.get(); }
    std::size_t size() const { return bytes_; }
    std::string text() const { return {storage_.get(), bytes_}; }

private:
    static constexpr std::align_val_t alignment{256};
    struct Free {
        void operator()(char* pointer) const { ::operator delete[](pointer, alignment); }
    };
    std::size_t bytes_;
    std::unique_ptr<char[], Free> storage_;
};

/// This machine's memory.
double memory_bytes();

} // namespace fusec::execute
