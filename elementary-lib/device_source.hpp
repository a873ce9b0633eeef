// SPDX-License-Identifier: Apache-2.0
// Templates in a device source. A template starts with `template <` in column 0 and ends with `}` in column 0; between them stands
// nothing else of the file. Code generation embeds the templates a program uses, one by one.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <string>
#include <string_view>

namespace fusec::library {

/// `NAME_ROUTINE`: what the template of an implementation is called.
std::string template_name(const Function& function, const Implementation& implementation);

/// The text of the template from `template <` to its `}`, without a final line break; empty when the source has no such template.
/// Linear in the source.
std::string_view implementation_source(const Function& function, const Implementation& implementation);

} // namespace fusec::library
