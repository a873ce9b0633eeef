// SPDX-License-Identifier: Apache-2.0
#include "execute/library_cache.hpp"

#include "execute/build_folder.hpp"
#include "support/hash.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace fusec::execute {

namespace fs = std::filesystem;

namespace {

bool refuse(const fs::path& folder, const std::string& why, Diagnostics& diagnostics) {
    diagnostics.report(kind::unwritable_file, {}, "cannot write to the cache `" + folder.string() + "`: " + why);
    return false;
}

std::string read_processor() {
    std::ifstream stream("/proc/cpuinfo");
    std::string text;
    for (std::string line; std::getline(stream, line) && !line.empty();) { // the first processor ends with an empty line
        for (const std::string_view key :
            {"vendor_id", "cpu family", "model", "stepping", "flags", "CPU implementer", "CPU part", "CPU variant", "Features"}) {
            const std::size_t after = line.find_first_of("\t:");
            if (after != std::string::npos && std::string_view(line).substr(0, after) == key) {
                text += line + "\n";
            }
        }
    }
    if (text.empty()) {
        std::array<char, 256> name{};
        ::gethostname(name.data(), name.size() - 1);
        text = name.data();
    }
    return text;
}

struct Entry {
    fs::path path;
    std::time_t used = 0;
    std::uintmax_t bytes = 0;
};

/// What ends a library of these bytes.
std::string seal_of(std::string_view bytes) {
    ContentKey hash;
    hash.add(bytes);
    return "\nfusec " + hash.digits() + "\n";
}

std::optional<std::string> bytes_of_file(const fs::path& path) {
    std::error_code error;
    std::ifstream stream(path, std::ios::binary);
    if (!fs::is_regular_file(path, error) || !stream) {
        return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::uintmax_t bytes_of_folder(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
        const std::uintmax_t size = entry.is_regular_file(ignored) ? entry.file_size(ignored) : 0;
        bytes += ignored ? 0 : size;
    }
    return bytes;
}

} // namespace

fs::path default_cache_folder() {
    for (const auto& [variable, below] : {std::pair<const char*, const char*>{"XDG_CACHE_HOME", "fusec"}, {"HOME", ".cache/fusec"}}) {
        const char* const value = std::getenv(variable);
        if (value != nullptr && *value == '/') { // relative ones are to be ignored
            return fs::path(value) / below;
        }
    }
    return temporary_directory() / ("fusec-" + std::to_string(::getuid()));
}

bool prepare_cache_folder(const fs::path& folder, Diagnostics& diagnostics) {
    const fs::path path = folder.has_filename() ? folder : folder.parent_path();
    std::error_code error;
    if (path.has_parent_path()) {
        fs::create_directories(path.parent_path(), error);
    }
    if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
        return refuse(path, std::strerror(errno), diagnostics);
    }
    struct stat parent{}, own{};
    if (::stat(path.has_parent_path() ? path.parent_path().c_str() : ".", &parent) != 0 || ::lstat(path.c_str(), &own) != 0) {
        return refuse(path, std::strerror(errno), diagnostics);
    }
    if ((parent.st_mode & S_IWOTH) == 0) {
        return true;
    }
    if (!S_ISDIR(own.st_mode)) {
        return refuse(path, "it is no directory, and others may write to `" + path.parent_path().string() + "`", diagnostics);
    }
    if (own.st_uid != ::geteuid()) {
        return refuse(path, "it belongs to another user, who could give code to run", diagnostics);
    }
    if ((own.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return refuse(path, "others may write to it and could give code to run", diagnostics);
    }
    return true;
}

const std::string& native_processor() {
    static const std::string processor = read_processor();
    return processor;
}

bool seal(const fs::path& library) {
    const std::optional<std::string> bytes = bytes_of_file(library);
    if (!bytes) {
        return false;
    }
    std::ofstream stream(library, std::ios::binary | std::ios::app);
    stream << seal_of(*bytes);
    stream.close();
    return static_cast<bool>(stream);
}

bool is_sealed(const fs::path& library) {
    const std::optional<std::string> bytes = bytes_of_file(library);
    const std::size_t length = seal_of({}).size();
    if (!bytes || bytes->size() <= length) {
        return false;
    }
    const std::string_view all = *bytes;
    return all.substr(all.size() - length) == seal_of(all.substr(0, all.size() - length));
}

fs::path device_code_folder(const fs::path& cache) {
    return cache / "device-code";
}

void evict(const fs::path& folder, const CacheBound& bound) {
    constexpr std::time_t day = 24 * 60 * 60;
    const std::time_t now = std::time(nullptr);
    std::vector<Entry> entries;
    std::uintmax_t total = 0;
    std::error_code error;
    for (const fs::path& place : {folder, device_code_folder(folder)}) {
        for (const auto& found : fs::directory_iterator(place, error)) {
            struct stat state{};
            if (::lstat(found.path().c_str(), &state) != 0) {
                continue; // another job has removed it
            }
            const std::string extension = found.path().extension().string();
            if (S_ISDIR(state.st_mode) && PrivateFolder::is_named_like_one(found.path()) && now - state.st_mtime > day) {
                fs::remove_all(found.path(), error);
            } else if (S_ISREG(state.st_mode) && (extension == ".so" || extension == ".bc" || extension == ".report")) {
                entries.push_back({found.path(), state.st_atime, static_cast<std::uintmax_t>(state.st_size)});
            } else if (S_ISDIR(state.st_mode) && extension == ".failed") {
                entries.push_back({found.path(), state.st_mtime, bytes_of_folder(found.path())});
            }
        }
    }
    for (const Entry& entry : entries) {
        total += entry.bytes;
    }
    if (total <= bound.bytes) {
        return;
    }
    std::sort(entries.begin(), entries.end(),
        [](const Entry& a, const Entry& b) { return std::pair(a.used, a.path) < std::pair(b.used, b.path); });
    for (const Entry& entry : entries) {
        if (total <= bound.bytes / 5 * 4 || now - entry.used <= bound.kept.count()) {
            return;
        }
        fs::remove_all(entry.path, error);
        total -= entry.bytes;
    }
}

} // namespace fusec::execute
