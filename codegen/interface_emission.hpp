// SPDX-License-Identifier: Apache-2.0
// The generated interface (DESIGN.md section 5), the same for every target: the header, and the C functions that check the pointers,
// divide the workspace and start the kernels one after another.
#pragma once

#include "codegen/codegen.hpp"
#include "support/writer.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::codegen {

/// What the two differ in between targets.
struct InterfaceText {
    std::string_view success;       ///< value returned for 0: "cudaSuccess", "0"
    std::string_view invalid_value; ///< for pointers, workspace or counts that do not fit
    std::string_view memory;        ///< where the lists are: "device memory", "host memory"
    std::string_view stream;        ///< what `stream` is, for the header: "a cudaStream_t or null"
    std::string compiler;           ///< what compiles the source, for the header
    std::string_view own_errors;    ///< what else the functions return, for the header; may be empty
    int fast_alignment = 16;        ///< bytes, of the first element in every list, for kernels with wide accesses or streaming stores
    std::string_view reset_failure; ///< expression, 0 or an error: the word in front of `workspace` says that nothing failed
    std::string_view read_failure;  ///< expression, 0 or an error: reads that word into `failure`
    std::string_view waits;         ///< what the latter does besides, for the header; may be empty
};

/// `demo_kernels`: the namespace of everything but the interface.
std::string kernel_namespace(const Unit& unit);
/// Name of each kernel within that namespace, in launch order.
std::vector<std::string> kernel_names(const Unit& unit);

/// The comment at the top of both files: version, options, plan id, prediction.
void write_title(Writer& writer, const Unit& unit, const EmitOptions& options);

/// The header, for C and C++.
std::string interface_header(const Unit& unit, const EmitOptions& options, const InterfaceText& text);

/// The call that starts kernel `index` for `count` elements, an expression of type int: 0 or an error. `lists` are pointers to the
/// kernel's lists, moved to the first element, and to the word of the first failure, if it reports. The text stands in `kernel_namespace` and may use the parameters of the C functions and
/// `lists`, an array of fusec::list with every list of the interface.
using StartKernel = std::function<std::string(std::size_t index, const std::vector<std::string>& lists)>;

/// The C functions NAME_workspace_bytes, NAME_launch_range and NAME_launch, with checks NAME_first_failure. They stand in `kernel_namespace`, which functions of C do
/// not belong to, so that they need no prefixes. Uses the runtime's list, lists_valid and slot_bytes.
/// `entries`: a function per program block too, which NAME_launch_range calls.
void write_interface(Writer& writer, const Unit& unit, const InterfaceText& text, bool entries, bool uses_stream, const StartKernel& start);

} // namespace fusec::codegen
