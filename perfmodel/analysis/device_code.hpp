// SPDX-License-Identifier: Apache-2.0
// Device code of a CUDA text as LLVM bitcode: compiled by clang 19 without a CUDA toolkit, against stand-ins for its headers.
#pragma once

#include "perfmodel/analysis/content_cache.hpp"
#include "support/diagnostics.hpp"
#include "support/hash.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel::analysis {

struct DeviceCompiler {
    std::filesystem::path program;
    std::string version; ///< "19.1.7"
};

/// $FUSEC_CLANG if it is set, else clang++-19, clang-19 or a clang++ of version 19 in $PATH. Reports `no-device-compiler` with what it
/// looked for.
std::optional<DeviceCompiler> find_device_compiler(Diagnostics& diagnostics);

/// One translation unit: `files` stand beside each other, the first is compiled.
struct DeviceText {
    struct File {
        std::string name;
        std::string text;
    };
    std::vector<File> files;
    std::vector<std::filesystem::path> include_folders; ///< for `--runtime include`; the texts of their headers count as content
    std::string architecture = "sm_90";                 ///< sm_75 or later
    bool contract = true; ///< as nvcc does by default: a product that is added becomes an FMA. false: additions and products stay apart
};

/// Adds what a compiler sees of the text.
void add_content(ContentKey& key, const DeviceText& text);
/// Writes its files to a folder, or reports.
bool write_text(const DeviceText& text, const std::filesystem::path& folder, Diagnostics& diagnostics);

struct DeviceCode {
    std::string bitcode;
    std::string source; ///< "llvm (clang 19.1.7, sm_90)"
    std::string architecture;
    bool from_cache = false;
};

/// The bitcode of the text: from `cache` if it holds it (clang is not started then), else compiled and kept there, written by rename, so
/// that jobs may run side by side. The entry's name is a hash of texts, flags and version. An entry that does not hold what it says is
/// told as a warning (`damaged-cache-entry`) and made anew; a cache that cannot be written to is told and left aside. An empty path: no
/// cache. Reports `device-compile-failed` with clang's first errors, `no-device-compiler` if clang cannot be started.
/// Pre: files is not empty.
std::optional<DeviceCode> compile_device_text(
    const DeviceText& text, const DeviceCompiler& compiler, const std::filesystem::path& cache, Diagnostics& diagnostics);

/// The folder of the stand-ins for the toolkit's headers.
std::filesystem::path toolkit_folder();

} // namespace fusec::perfmodel::analysis
