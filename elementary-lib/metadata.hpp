// SPDX-License-Identifier: Apache-2.0
// From the text of one `NAME.toml` to a Function, in two steps: keys, types and expressions (metadata.cpp), then what the
// parts say about each other (metadata_check.cpp). Every error is located in the file.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <map>

namespace fusec::library {

/// A function under construction, with the place of every value that a later message may point at.
struct Metadata {
    Function function;
    SourcePtr text;
    /// By path of keys: `reference`, `shape`, `input[0].type`, `implementation[1].map.A`, `implementation[1]`; `` is the file's start.
    std::map<std::string, Span> places;

    /// The place of `path`, else of the file's start.
    Span place(const std::string& path) const;
};

/// `length` bytes of `value` (a quoted string of the file) from byte `where` of its content; all of it when its quoting hides offsets.
Span inside(const Span& value, std::size_t where, std::size_t length = 1);

/// Reads all keys; `name` is the function's. Reports and returns nothing when the file is not of the documented form.
std::optional<Metadata> read_metadata(const std::string& name, const SourcePtr& text, Diagnostics& diagnostics);

/// Checks names, reference, implementations and maps against each other.
/// Reports every fault; returns whether there was none.
bool check_metadata(const Metadata& metadata, Diagnostics& diagnostics);

/// The part of check_metadata that concerns `neutral`, `involution`, `idempotent` and `symmetric`.
void check_facts(const Metadata& metadata, Diagnostics& diagnostics);

/// The part of check_metadata that concerns counts: at all shapes tried they have to be numbers that can be (`wrong_count`). Pre: names and
/// expressions are without fault. O(6^parameters) evaluations, 1.3 thousand at most for the three parameters of a product.
void check_counts(const Metadata& metadata, Diagnostics& diagnostics);

} // namespace fusec::library
