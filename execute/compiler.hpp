// SPDX-License-Identifier: Apache-2.0
// Building generated text with the machine's own C++ compiler, into shared libraries kept in a cache named by content
// (and, for code built for this machine's processor, by processor).
#pragma once

#include "execute/library_cache.hpp"
#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::execute {

struct HostCompiler {
    std::filesystem::path program;
    std::string version;                  ///< all that `--version` prints: part of the cache's key
    std::vector<std::string> arguments{}; ///< what stands before all others: `g++` of `ccache g++`, `-m64` of `g++ -m64`

    std::string command_text() const; ///< program and arguments, for messages
};

/// $CXX if it is set, words between blanks (no shell reads them), else the first of c++, g++, clang++ in $PATH that works. Reports
/// `no-host-compiler` with the names it looked for, or what those that are there do when asked for their version.
std::optional<HostCompiler> find_host_compiler(Diagnostics& diagnostics);

/// The compiler of that name (a path, or looked for in $PATH, arguments after it), if it is there and answers `--version`.
std::optional<HostCompiler> compiler_named(const std::string& name);

/// How generated text is compiled.
enum class BuildKind {
    emulated,     ///< a .cu against the emulated cuda_runtime.h, unoptimised: many are compiled, each runs briefly
    host_checked, ///< `--target host`, unoptimised
    host_product, ///< `--target host` as a user builds it: -O3 -march=native, OpenMP
    gpu,          ///< a .cu by nvcc, as a user builds it
};

/// One translation unit: `files` stand beside each other, the first is compiled.
struct BuildRequest {
    struct File {
        std::string name;
        std::string text;
    };
    std::vector<File> files;
    BuildKind kind = BuildKind::emulated;
    std::vector<std::filesystem::path> include_folders; ///< searched for <...>; the names and texts of their files count as content
    int arch = 90;                                      ///< gpu
};

/// The folder of the emulated cuda_runtime.h within a library folder.
std::filesystem::path emulation_folder(const std::filesystem::path& library_folder);

/// The shared library for the request: from the cache, or compiled, then renamed into place, so that jobs may run side by side. On
/// failure reports `host-compile-failed` with the compiler's first errors and the beginning of its log, and leaves nothing in the cache.
std::optional<std::filesystem::path> build_library(
    const BuildRequest& request, const HostCompiler& compiler, const std::filesystem::path& cache, Diagnostics& diagnostics);

} // namespace fusec::execute
