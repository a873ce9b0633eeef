// SPDX-License-Identifier: Apache-2.0
// The folder of compiled libraries, named by content: who may own it, how large it may become, and what a library's name stands for.
#pragma once

#include "support/diagnostics.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace fusec::execute {

/// `--cache DIR`, else $XDG_CACHE_HOME/fusec, else $HOME/.cache/fusec, else a folder of the system's temporary directory.
std::filesystem::path default_cache_folder();

/// Makes the folder where it is missing, for its owner alone. What it holds is loaded as code, so a folder that stands in one that
/// everybody may write to (the system's temporary directory) has to be a directory of this user that nobody else may write to. Reports
/// `unwritable-file` and gives false otherwise.
bool prepare_cache_folder(const std::filesystem::path& folder, Diagnostics& diagnostics);

/// The processor that `-march=native` stands for: vendor, family, model, stepping and features of the first one in /proc/cpuinfo, else
/// the machine's name. Code built for it may not run on another.
const std::string& native_processor();

/// How much the cache may hold, and what stays in any case: another job may be about to load what was used a moment ago.
struct CacheBound {
    std::uintmax_t bytes = std::uintmax_t{1} << 30U;
    std::chrono::seconds kept{600};
};

/// Ends a library with the hash of its bytes, which loaders do not read. False if it cannot be written.
bool seal(const std::filesystem::path& library);

/// Whether the file ends with the hash of what stands before: one that was cut off or changed would end the process that loads it. Linear in
/// its bytes.
bool is_sealed(const std::filesystem::path& library);

/// Where the static analysis keeps what it compiles, and what assemblers say of it, in a cache.
std::filesystem::path device_code_folder(const std::filesystem::path& cache);

/// Removes libraries, kept logs, and device code with what assemblers say of it (device_code_folder), those not used for longest first
/// (mark_used), until the rest takes at most four fifths of the bound; does nothing while all take no more than the bound together. Also
/// removes folders of builds that ended a day ago or earlier without cleaning up. Linear in the files of the cache, but for their order.
void evict(const std::filesystem::path& folder, const CacheBound& bound = {});

} // namespace fusec::execute
