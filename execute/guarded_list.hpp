// SPDX-License-Identifier: Apache-2.0
// Memory of a list under test: exactly as many bytes as the list has, inaccessible pages around, and canaries where a page leaves room.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fusec::execute {

/// Which end of the list touches an inaccessible page; at the other end canaries fill the page.
enum class Placement {
    at_end,   ///< reading one byte past the last element faults, unless alignment left a few bytes between
    at_start, ///< reading one byte before the first element faults
};

/// One list in memory of its own. Not movable: its address is given out.
class GuardedList {
public:
    /// The data's address is `misalignment` modulo 16; `at_end` then leaves up to 15 canary bytes behind it. The bytes hold canaries
    /// until they are written. Throws std::bad_alloc.
    GuardedList(std::string name, std::size_t bytes, Placement placement, std::size_t misalignment);
    ~GuardedList();
    GuardedList(const GuardedList&) = delete;
    GuardedList& operator=(const GuardedList&) = delete;

    const std::string& name() const { return name_; }
    unsigned char* data() { return data_; }
    const unsigned char* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    /// The accessible pages: the data and the canaries around it.
    unsigned char* pages() { return open_; }
    std::size_t page_bytes() const { return open_bytes_; }

    /// Distance of the first altered canary outside of the data, negative before its start; nothing when all are whole.
    std::optional<std::ptrdiff_t> altered_canary() const;
    /// True if the byte at `offset` of the data still holds its canary.
    bool untouched(std::size_t offset) const { return data_[offset] == canary; }

    /// `A, 8 bytes past its end` for an address in this list's inaccessible pages; nothing for any other.
    std::optional<std::string> describe(const void* address) const;

    /// As a component of either precision: a NaN, and as an index out of any range.
    static constexpr unsigned char canary = 0xff;

private:
    std::string name_;
    unsigned char* mapped_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    unsigned char* open_ = nullptr; ///< accessible pages
    std::size_t open_bytes_ = 0;
    unsigned char* data_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace fusec::execute
