// SPDX-License-Identifier: Apache-2.0
// NumPy files (.npy, format versions 1 and 2) as lists of a program: SCALAR (n,), VECTOR (n,r), MATRIX (n,r,c),
// SYMMETRIC (n,r(r+1)/2), a uniform without the n; C order, little-endian floats of the datum's precision. Anything else is a located error.
#pragma once

#include "elementary-lib/type.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fusec::execute {

/// The content of a file for one datum. `bytes` holds the components, element after element, row-major.
struct NumpyList {
    std::uint64_t elements = 1; ///< 1 for a uniform
    std::string bytes;
};

/// What a file has to hold.
struct NumpyExpectation {
    std::string datum; ///< for messages
    Type type;
    bool uniform = false;
};

/// Reads the header, compares what it says with what is expected and with the size of the file, and reads that much. Reports `numpy-file`
/// with the byte offset, what was found and what was expected, `unreadable-file` also of what is no regular file, whose size is unknown
/// (a pipe, a device), or `memory-limit`.
std::optional<NumpyList> read_numpy(const std::filesystem::path& path, const NumpyExpectation& expected, Diagnostics& diagnostics);
/// The same from bytes already read; `path` is for messages.
std::optional<NumpyList> parse_numpy(
    std::string_view bytes, const std::filesystem::path& path, const NumpyExpectation& expected, Diagnostics& diagnostics);

/// The bytes of a version 1 file; what read_numpy gives back. Pre: list.bytes has elements * type.bytes() bytes.
std::string numpy_file(const NumpyList& list, const Type& type, bool uniform);

} // namespace fusec::execute
