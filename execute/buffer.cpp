// SPDX-License-Identifier: Apache-2.0
#include "execute/buffer.hpp"

#include <cstdint>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace fusec::execute {

namespace {

constexpr std::size_t huge_page_bytes = 2 * 1024 * 1024;
constexpr std::align_val_t page{4096}, huge_page{huge_page_bytes};
constexpr std::size_t least_in_huge_pages = 4 * 1024 * 1024;

} // namespace

std::size_t Buffer::occupied(std::size_t bytes, HugePages pages) {
    return pages == HugePages::all ? (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes : bytes;
}

HugeMemory::HugeMemory(std::size_t bytes) : storage_(nullptr, Unmap{bytes + huge_page_bytes}) {
    void* const mapped =
        ::mmap(nullptr, bytes + huge_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    storage_.reset(static_cast<char*>(mapped));
#ifdef MADV_HUGEPAGE
    ::madvise(mapped, bytes + huge_page_bytes, MADV_HUGEPAGE); // refused where there are none
#endif
}

void HugeMemory::Unmap::operator()(char* pointer) const {
    ::munmap(pointer, bytes);
}

char* HugeMemory::take(std::size_t bytes) {
    const auto start = reinterpret_cast<std::uintptr_t>(storage_.get());
    const std::size_t first = (start + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes - start;
    bytes = Buffer::occupied(bytes, HugePages::all);
    if (first + taken_ + bytes > storage_.get_deleter().bytes) {
        return nullptr;
    }
    taken_ += bytes;
    return storage_.get() + first + taken_ - bytes;
}

Buffer::Storage Buffer::allocate(std::size_t bytes, HugePages pages, HugeMemory* memory) {
    const bool huge = pages == HugePages::all || bytes >= least_in_huge_pages;
    bytes = occupied(bytes, pages);
    if (char* const taken = huge && memory != nullptr ? memory->take(bytes) : nullptr; taken != nullptr) {
        return {taken, Free{huge_page, false}};
    }
    const std::align_val_t alignment = huge ? huge_page : page;
    Storage storage(static_cast<char*>(::operator new[](bytes, alignment)), Free{alignment});
#ifdef MADV_HUGEPAGE
    if (huge) {
        ::madvise(storage.get(), bytes, MADV_HUGEPAGE); // refused where there are none
    }
#endif
    std::memset(storage.get(), 0, bytes);
    return storage;
}

Buffer::Buffer(const std::string& text) : Buffer(text.size()) {
    std::memcpy(data(), text.data(), text.size());
}

double memory_bytes() {
    return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

} // namespace fusec::execute
