// SPDX-License-Identifier: Apache-2.0
// Names that the templates of a device source use. A program's file gets the templates of its implementations and the runtime, nothing
// else of the source: what an implementation uses of the rest is found here, not by the compiler of the program's file.
#pragma once

#include "elementary-lib/device_source.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::library {

/// A name in the template of an implementation that nothing in a program's file defines.
struct ForeignName {
    std::string routine; ///< the template that uses it
    std::string name;    ///< as it is written: `helper`, `own::helper`
    TextRange place;     ///< of the source
    bool called = false;
    std::optional<TextRange> defined; ///< where the source defines it outside of the template
};

/// Of each template of `routines`, in the order of the source, each name once: names that the source defines outside of the template, and
/// calls of functions that are neither its own (parameters, variables, lambdas), nor members, nor of the runtime, nor of <cmath>.
/// What the text leaves open (an argument-dependent call of a type's own function, a macro of the compiler) counts as known: the compiler
/// of `library check` sees it. Pre: the source has no fault. Linear in the source, up to logarithms.
std::vector<ForeignName> foreign_names(std::string_view source, const std::vector<std::string>& routines);

/// Functions of the runtime that a device source may call, sorted: `fusec::NAME(...)`.
const std::vector<std::string_view>& runtime_functions();

} // namespace fusec::library
