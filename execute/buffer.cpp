// SPDX-License-Identifier: Apache-2.0
#include "execute/buffer.hpp"

#include <cstring>

#include <unistd.h>

namespace fusec::execute {

Buffer::Buffer(const std::string& text) : Buffer(text.size()) {
    std::memcpy(data(), text.data(), text.size());
}

double memory_bytes() {
    return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

} // namespace fusec::execute
