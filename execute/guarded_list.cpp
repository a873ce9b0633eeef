// SPDX-License-Identifier: Apache-2.0
#include "execute/guarded_list.hpp"

#include "support/counted.hpp"

#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace fusec::execute {

namespace {

/// Inaccessible bytes on each side: an index that is wrong by an element or by a block's tile lands here.
constexpr std::size_t guard_bytes = std::size_t{1} << 20;
constexpr std::size_t vector_alignment = 16;

} // namespace

GuardedList::GuardedList(std::string name, std::size_t bytes, Placement placement, std::size_t misalignment)
    : name_(std::move(name)), bytes_(bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    open_bytes_ = (bytes + 2 * vector_alignment + page - 1) / page * page;
    mapped_bytes_ = open_bytes_ + 2 * guard_bytes;
    void* const mapped = ::mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mapped_ = static_cast<unsigned char*>(mapped);
    open_ = mapped_ + guard_bytes;
    if (::mprotect(open_, open_bytes_, PROT_READ | PROT_WRITE) != 0) {
        ::munmap(mapped_, mapped_bytes_);
        throw std::bad_alloc();
    }
    std::memset(open_, canary, open_bytes_);
    switch (placement) {
    case Placement::at_start:
        data_ = open_ + misalignment;
        break;
    case Placement::at_end: {
        // The last address that is `misalignment` modulo 16 and leaves room for the data; pages are multiples of 16.
        const std::size_t last = open_bytes_ - bytes;
        data_ = open_ + (last - (last + vector_alignment - misalignment) % vector_alignment);
        break;
    }
    }
}

GuardedList::~GuardedList() {
    ::munmap(mapped_, mapped_bytes_);
}

std::optional<std::ptrdiff_t> GuardedList::altered_canary() const {
    for (const unsigned char* at = data_; at > open_; --at) { // the nearest first
        if (at[-1] != canary) {
            return at - 1 - data_;
        }
    }
    for (const unsigned char* at = data_ + bytes_; at < open_ + open_bytes_; ++at) {
        if (*at != canary) {
            return at - data_;
        }
    }
    return std::nullopt;
}

std::optional<std::string> GuardedList::describe(const void* address) const {
    const auto* const byte = static_cast<const unsigned char*>(address);
    if (byte < mapped_ || byte >= mapped_ + mapped_bytes_) {
        return std::nullopt;
    }
    return byte < data_ ? "`" + name_ + "`, " + counted(static_cast<std::uint64_t>(data_ - byte), "byte") + " before its start"
                        : "`" + name_ + "`, " + counted(static_cast<std::uint64_t>(byte - data_) - bytes_, "byte") + " past its end";
}

} // namespace fusec::execute
