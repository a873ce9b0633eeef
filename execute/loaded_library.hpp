// SPDX-License-Identifier: Apache-2.0
// A shared library opened at run time, and the interface of a generated unit in it.
#pragma once

#include "elementary-lib/emulation/device.hpp"
#include "support/diagnostics.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::execute {

/// Owns the handle; closed with it. Move-only.
class LoadedLibrary {
public:
    /// Reports `unloadable-library`.
    static std::optional<LoadedLibrary> open(const std::filesystem::path& path, Diagnostics& diagnostics);
    LoadedLibrary(LoadedLibrary&& other) noexcept;
    LoadedLibrary& operator=(LoadedLibrary&& other) noexcept;
    ~LoadedLibrary();

    /// Null when there is none of that name.
    void* symbol(const std::string& name) const;
    /// Makes the device the one on which this library's kernels run; for text built as BuildKind::emulated.
    void attach(emulation::Device& device) const;

private:
    explicit LoadedLibrary(void* handle) : handle_(handle) {}
    void* handle_ = nullptr;
};

/// The C functions of a generated unit (DESIGN.md section 5). The argument structure of every unit is an array of pointers in
/// interface order: inputs, then outputs.
struct UnitFunctions {
    std::size_t (*workspace_bytes)(std::size_t n) = nullptr;
    int (*launch)(const void* arguments, std::size_t n, void* workspace, std::size_t workspace_bytes, void* stream) = nullptr;
    int (*launch_range)(
        const void* arguments, std::size_t first, std::size_t count, void* workspace, std::size_t workspace_bytes, void* stream) = nullptr;

    int (*first_failure)(const void* workspace, void* stream, std::size_t* element, const char** message) = nullptr; ///< with checks

    /// NAME_launch_BLOCK and NAME_launch_BLOCK_range of a program block.
    struct Entry {
        decltype(UnitFunctions::launch) launch = nullptr;
        decltype(UnitFunctions::launch_range) launch_range = nullptr;
    };
    std::vector<Entry> entries = {};

    /// Reports `unloadable-library` when one of the functions, or one of `blocks`, is missing.
    static std::optional<UnitFunctions> find(const LoadedLibrary& library, const std::string& unit, Diagnostics& diagnostics,
        const std::vector<std::string>& blocks = {}, bool checked = false);
};

} // namespace fusec::execute
