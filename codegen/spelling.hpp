// SPDX-License-Identifier: Apache-2.0
// Which calls of a kernel are written out and which are calls, and what that makes of the values in registers.
#pragma once

#include "codegen/embedding.hpp"
#include "codegen/kernel_ir.hpp"
#include "codegen/written_out.hpp"

#include <functional>
#include <set>
#include <string>

namespace fusec::codegen {

struct Spelling {
    std::set<CallId> written_out;
    std::set<DataId> written_out_derivations;
    std::set<std::size_t>
        viewed; ///< values that are views, since a routine, a load or a store takes them; the others are arrays and scalars
};

/// Written out are the calls of one-thread routines that are to be (Routine::write_out), where they can be. `taken`: names of the kernel.
Spelling choose_spelling(const Kernel& kernel, const Routines& routines, const std::function<bool(const std::string&)>& taken);

} // namespace fusec::codegen
