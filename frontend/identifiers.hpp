// SPDX-License-Identifier: Apache-2.0
// Names of a program as identifiers of C, C++ and CUDA.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fusec::frontend {

/// Whether the word is a keyword or macro of C, C++ or CUDA, or a name that generated text uses for itself.
bool is_reserved(std::string_view word);

/// Whether the headers that generated text includes define a macro without parameters of this name.
bool is_header_macro(std::string_view word);

/// Whether these headers have a function, variable, type or namespace of this name in the global namespace, where nothing else can be a
/// namespace. They hide nothing when they name a datum.
bool is_global_name(std::string_view word);

/// Name of a program as the first part of names of C, `const` of `const_launch`: an identifier without the form that belongs to the
/// implementation and without `_` at either end, which may be a keyword.
std::string program_name(std::string_view text);

/// Namespace of a program of this name in C++: `demo`; `const_`, as no namespace can be called `const`.
std::string namespace_name(const std::string& program);

/// The text with every run of characters that an identifier cannot hold as one `_`, and `prefix` in front of a leading digit;
/// `prefix` alone when no letter or digit is left.
std::string as_identifier(std::string_view text, std::string_view prefix);

/// Names with two underscores, or with `_` and a capital in front, belong to the implementation (`__global__`, `_OPENMP`): runs of `_`
/// become one, and `_` before a leading capital goes. Pre: an identifier.
std::string without_implementation_form(std::string word);

/// Hands out identifiers, each once.
class IdentifierPool {
public:
    /// Keeps a word from being handed out.
    void reserve(std::string word) { taken_.insert(std::move(word)); }
    /// `word`, with `_` (behind `_` a `1`) appended until it is neither reserved nor taken.
    std::string take(std::string word);

private:
    std::set<std::string> taken_;
};

} // namespace fusec::frontend
