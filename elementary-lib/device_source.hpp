// SPDX-License-Identifier: Apache-2.0
// Templates in a device source: C++ text, of which code generation embeds the function templates that a program uses, one by one.
// Brackets are matched as C++ reads them: comments, literals (raw strings too) and preprocessor lines hold none.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::library {

/// What keeps brackets, comments or literals of a source from being matched.
struct SourceFault {
    std::size_t begin = 0; ///< bytes [begin, end) of the source
    std::size_t end = 0;
    std::string message;
    std::optional<std::size_t> opened; ///< where the bracket stands that something else closes
};
/// The first fault, or nothing. Linear in the source.
std::optional<SourceFault> fault_of(std::string_view source);

/// `NAME_ROUTINE`: what the template of an implementation is called.
std::string template_name(const Function& function, const Implementation& implementation);

/// The text of the template's definition from `template` to the `}` of its body; empty when the source has none. Linear in the source.
std::string_view implementation_source(const Function& function, const Implementation& implementation);

/// Names of the function templates that the source defines, in its order.
std::vector<std::string> template_names(std::string_view source);

} // namespace fusec::library
