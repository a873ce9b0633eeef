// SPDX-License-Identifier: Apache-2.0
// Which pieces of the runtime headers and which routine templates a text needs, and those pieces without their comments.
#pragma once

#include "codegen/kernel_ir.hpp"
#include "fusion/target.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::codegen {

/// A header of elementary-lib/runtime/fusec, compiled in.
struct RuntimeHeader {
    std::string_view name; ///< "views.cuh"
    std::string_view text;
};
/// In an order in which each uses only what stands before it.
const std::vector<RuntimeHeader>& runtime_headers();

/// Names what kernels of a host load, store and loop with: of the headers that are the host's alone (*.hpp), without their comments. What takes
/// the place of what was measured with another name may be faster or slower.
std::string name_of_host_runtime(const std::vector<RuntimeHeader>& headers = runtime_headers());

/// A chunk of a header: `// [chunk NAME needs A B]` up to the next. NAME is an identifier that the chunk defines; a text that says
/// `fusec::NAME` uses the chunk. `device`, the macros of routine templates, is used by every routine.
struct Chunk {
    std::string name;
    std::vector<std::string> needs;
    std::string header;
    std::string text; ///< without comments
};
std::vector<Chunk> chunks_of(const RuntimeHeader& header);

/// Text without `//` and `/* */` comments, without lines that held only a comment, and without blank lines at either end.
std::string without_comments(std::string_view text);
/// Texts one after another; neighbours of the form `#ifdef __CUDACC__`, `#else`, `#endif` become one.
std::string join_chunks(const std::vector<Chunk>& chunks);
/// Every NAME that the text says as `fusec::NAME`.
std::set<std::string> runtime_names(std::string_view text);

/// The routine templates that a unit calls.
struct Routine {
    std::string text;       ///< without comments
    bool takes_lane = true; ///< false: its text named no lane, and has lost the parameter
    bool write_out = false; ///< kernels say its body where they can (written_out.hpp), instead of calling it
};
using Routines = std::map<std::string, Routine>; ///< by name
Routines routines_of(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog);

/// What generated text takes from the runtime and the library.
struct Embedded {
    std::vector<Chunk> chunks;          ///< in header order, with all that they need
    std::vector<std::string> templates; ///< of the routines, ascending by name
    std::set<std::string> headers;      ///< names of the headers the chunks come from
};
/// `text`: everything the file says outside the runtime; a routine that it does not call is left out. The macros of the runtime are
/// replaced by what they stand for on the target, where that is a word or two. O(size of the runtime and the text).
Embedded embed(std::string_view text, const Routines& routines, fusion::Target target);

} // namespace fusec::codegen
