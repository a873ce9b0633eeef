// SPDX-License-Identifier: Apache-2.0
#include "support/files.hpp"

#include "support/distinct_files.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fusec {

namespace fs = std::filesystem;

namespace {

/// Writes all of `text` to an open descriptor and closes it; 0 or the errno of the first failure.
int write_and_close(int descriptor, std::string_view text) {
    int failure = 0;
    while (!text.empty() && failure == 0) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            failure = errno;
        }
    }
    if (::close(descriptor) != 0 && failure == 0) {
        failure = errno;
    }
    return failure;
}

bool report_unwritable(const fs::path& path, int error, Diagnostics& diagnostics) {
    diagnostics.report(kind::unwritable_file, {}, "cannot write `" + path.string() + "`: " + std::strerror(error));
    return false;
}

/// Where a write to `path` lands: every symbolic link is followed, also one whose target does not exist yet, because a rename would
/// replace the link itself.
fs::path resolved(fs::path path) {
    constexpr int most_links = 40; // as the kernel's limit
    std::error_code code;
    for (int links = 0; links < most_links && fs::is_symlink(path, code); ++links) {
        const fs::path target = fs::read_symlink(path, code);
        if (code) {
            break;
        }
        path = target.is_absolute() ? target : path.parent_path() / target;
    }
    return path;
}

std::vector<fs::path> paths_of(const std::vector<OutputFile>& files) {
    std::vector<fs::path> paths;
    for (const OutputFile& file : files) {
        paths.push_back(file.path);
    }
    return paths;
}

std::optional<std::string> read(const fs::path& path, std::size_t most, Diagnostics& diagnostics, const Span& from) {
    std::error_code code;
    if (fs::is_directory(path, code)) {
        diagnostics.report(kind::unreadable_file, from, "cannot read `" + path.string() + "`: it is a directory");
        return std::nullopt;
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string bytes;
    std::vector<char> block(std::size_t{1} << 16U);
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
        bytes.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (bytes.size() > most) {
            diagnostics.report(kind::file_size_limit, from,
                "`" + path.string() + "` has more than " + std::to_string(most) + " bytes, the limit of a text");
            return std::nullopt;
        }
    }
    if (in.bad() || !in.is_open()) {
        diagnostics.report(kind::unreadable_file, from, "cannot read `" + path.string() + "`: " + std::strerror(errno != 0 ? errno : EIO));
        return std::nullopt;
    }
    return bytes;
}

struct Staged {
    fs::path temporary;
    fs::path target;
};

/// A new file beside what a write to `path` lands in; below 0, and errno says why, if it cannot be made.
int open_temporary(const fs::path& path, Staged& staged) {
    staged.target = resolved(path);
    std::error_code code;
    if (fs::is_symlink(staged.target, code)) {
        errno = ELOOP;
        return -1;
    }
    std::string pattern = (staged.target.parent_path() / ".fusec.XXXXXX").string(); // its own name: one of the target's could be too long
    const int descriptor = ::mkstemp(pattern.data());
    staged.temporary = pattern;
    return descriptor;
}

} // namespace

std::optional<std::string> read_file(const fs::path& path, Diagnostics& diagnostics, const Span& from) {
    return read(path, SIZE_MAX, diagnostics, from);
}

std::optional<std::string> read_text(const fs::path& path, Diagnostics& diagnostics, const Span& from) {
    return read(path, most_text_bytes, diagnostics, from);
}

bool distinct_files(const std::vector<fs::path>& outputs, const std::vector<fs::path>& inputs, Diagnostics& diagnostics) {
    std::error_code code;
    std::set<fs::path> taken;
    std::set<fs::path> inputs_read;
    for (const fs::path& input : inputs) {
        inputs_read.insert(fs::weakly_canonical(fs::absolute(input, code), code));
    }
    for (const fs::path& file : outputs) {
        const fs::path target = fs::weakly_canonical(fs::absolute(resolved(file), code),
            code); // absolute: `a` and `./a` are one file also before it exists
        if (inputs_read.contains(target)) {
            diagnostics.report(kind::output_collision, {}, "output `" + file.string() + "` is also an input");
            return false;
        }
        if (fs::exists(target, code) && !fs::is_regular_file(target, code)) {
            continue;
        }
        if (!taken.insert(target).second) {
            diagnostics.report(kind::output_collision, {}, "two outputs are written to `" + file.string() + "`");
            return false;
        }
    }
    return true;
}

bool is_stream(const fs::path& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool can_write_files(const std::vector<fs::path>& files, Diagnostics& diagnostics, const std::vector<fs::path>& inputs) {
    if (!distinct_files(files, inputs, diagnostics)) {
        return false;
    }
    for (const fs::path& file : files) {
        if (file.empty()) { // beside which a temporary file could be made
            return report_unwritable(file, ENOENT, diagnostics);
        }
        struct stat status{};
        const bool exists = ::stat(file.c_str(), &status) == 0;
        if (exists && S_ISDIR(status.st_mode)) {
            return report_unwritable(file, EISDIR, diagnostics);
        }
        if (exists && !S_ISREG(status.st_mode)) {
            if (::access(file.c_str(), W_OK) != 0) {
                return report_unwritable(file, errno, diagnostics);
            }
            continue;
        }
        Staged staged;
        const int descriptor = open_temporary(file, staged);
        if (descriptor < 0) {
            return report_unwritable(file, errno, diagnostics);
        }
        ::close(descriptor);
        ::unlink(staged.temporary.c_str());
    }
    return true;
}

bool write_files(const std::vector<OutputFile>& files, Diagnostics& diagnostics, const std::vector<fs::path>& inputs) {
    if (!distinct_files(paths_of(files), inputs, diagnostics)) {
        return false;
    }
    std::vector<Staged> staged;
    std::vector<const OutputFile*> direct;
    const auto discard = [&] {
        for (const Staged& file : staged) {
            ::unlink(file.temporary.c_str());
        }
    };
    for (const OutputFile& file : files) {
        struct stat status{};
        const bool exists = ::stat(file.path.c_str(), &status) == 0;
        if (exists && S_ISDIR(status.st_mode)) {
            discard();
            return report_unwritable(file.path, EISDIR, diagnostics);
        }
        if (exists && !S_ISREG(status.st_mode)) {
            direct.push_back(&file);
            continue;
        }
        Staged next;
        const int descriptor = open_temporary(file.path, next);
        if (descriptor < 0) {
            const int error = errno;
            discard();
            return report_unwritable(file.path, error, diagnostics);
        }
        staged.push_back(std::move(next));
        const mode_t mask = ::umask(0);
        ::umask(mask);
        ::fchmod(descriptor, exists ? status.st_mode & 07777U : 0666U & ~mask);
        if (const int error = write_and_close(descriptor, file.text)) {
            discard();
            return report_unwritable(file.path, error, diagnostics);
        }
    }
    for (const OutputFile* file : direct) {
        const int descriptor = ::open(file->path.c_str(), O_WRONLY | O_CLOEXEC);
        const int error = descriptor < 0 ? errno : write_and_close(descriptor, file->text);
        if (error != 0) {
            discard();
            return report_unwritable(file->path, error, diagnostics);
        }
    }
    for (const Staged& file : staged) {
        if (::rename(file.temporary.c_str(), file.target.c_str()) != 0) {
            const int error = errno;
            discard();
            return report_unwritable(file.target, error, diagnostics);
        }
    }
    return true;
}

} // namespace fusec
