// SPDX-License-Identifier: Apache-2.0
// Templates in a device source: C++ text, of which code generation embeds the function templates that a program uses, one by one.
// Brackets are matched as C++ reads them: comments, literals (raw strings too), preprocessor lines and groups of `#if 0` hold none.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "elementary-lib/device_text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::library {

/// The first fault, or nothing. Linear in the source.
std::optional<SourceFault> fault_of(std::string_view source);

/// `NAME_ROUTINE`: what the template of an implementation is called.
std::string template_name(const Function& function, const Implementation& implementation);

/// The text of the template's definition from `template` to the `}` of its body; empty when the source has none. Linear in the source.
std::string_view implementation_source(const Function& function, const Implementation& implementation);

/// Names of the function templates that the source defines, in its order.
std::vector<std::string> template_names(std::string_view source);

/// The definition of a template: the bytes [begin, end), of which [head, body) stand between its `<...>` and its body.
struct TemplateDefinition {
    std::size_t begin = 0, head = 0, body = 0, end = 0;
    std::string name; ///< of a function template; a class template has none here
};
/// The function templates and class templates of `code` (device_text) that have a body, in order; templates in the body of one are part
/// of it.
std::vector<TemplateDefinition> template_definitions(std::string_view code);

/// Behind the brackets that open at `open`, `(`, `[` or `{`; the end of the code where they do not close.
std::size_t behind_brackets(std::string_view code, std::size_t open);
/// Behind the `<...>` that follows `at`, in which brackets may hold anything; `at` when none follows.
std::size_t behind_parameters(std::string_view code, std::size_t at);

} // namespace fusec::library
