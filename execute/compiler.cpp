// SPDX-License-Identifier: Apache-2.0
#include "execute/compiler.hpp"

#include "execute/process.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace fusec::execute {

namespace fs = std::filesystem;

namespace {

/// Content key: two hashes of 64 bits from different starts.
class Key {
public:
    void add(std::string_view text) {
        first_.add(text);
        second_.add(text);
    }
    std::string text() const { return hexadecimal(first_.value()) + hexadecimal(second_.value()); }

private:
    Fnv1a first_;
    Fnv1a second_{splitmix_step};
};

std::vector<std::string> flags_of(const BuildRequest& request, const HostCompiler& compiler) {
    if (request.kind == BuildKind::gpu) {
        return {"-x", "cu", "-std=c++17", "-O3", "-shared", "-Xcompiler", "-fPIC", "-w", "-arch=sm_" + std::to_string(request.arch)};
    }
    std::vector<std::string> flags{"-x", "c++", "-std=c++17", "-shared", "-fPIC", "-w"};
    switch (request.kind) {
    case BuildKind::emulated:
        flags.insert(flags.end(), {"-O0"});
        break;
    case BuildKind::host_checked:
        // Without optimisation, inlining only makes the compiler copy code: two thirds of its time. The text stays as it is.
        flags.insert(flags.end(), {"-O0", "-march=native", "-fopenmp", "-Dalways_inline=noinline"});
        break;
    case BuildKind::host_product:
        flags.insert(flags.end(), {"-O3", "-march=native", "-fopenmp", "-fno-math-errno"});
        break;
    case BuildKind::gpu:
        break;
    }
    if (compiler.version.find("clang") == std::string::npos) {
        flags.push_back("-fno-gnu-unique"); // a library with unique symbols is never unloaded
    }
#if defined(__SANITIZE_ADDRESS__)
    flags.push_back("-fsanitize=address");
#endif
    return flags;
}

std::optional<fs::path> in_path(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return ::access(name.c_str(), X_OK) == 0 ? std::optional<fs::path>(name) : std::nullopt;
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path program = fs::path(folder.empty() ? "." : folder) / name;
        std::error_code ignored;
        if (fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    return std::nullopt;
}

/// The first lines of a compiler's log that say what is wrong.
std::string first_errors(const std::string& log) {
    std::istringstream lines(log);
    std::string found;
    int count = 0;
    for (std::string line; count < 5 && std::getline(lines, line);) {
        if (line.find("error:") != std::string::npos) {
            found += (found.empty() ? "" : "; ") + line;
            ++count;
        }
    }
    return found.empty() ? log.substr(0, 400) : found;
}

std::string text_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void add_folder(Key& key, const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
        const std::string extension = entry.path().extension().string();
        if (entry.is_regular_file() && (extension == ".h" || extension == ".hpp" || extension == ".cuh")) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        key.add(file.lexically_relative(folder).string());
        key.add(text_of(file));
    }
}

/// A folder that is removed with all it holds.
class TemporaryFolder {
public:
    explicit TemporaryFolder(const fs::path& parent) {
        std::string pattern = (parent / "building-XXXXXX").string();
        if (::mkdtemp(pattern.data()) != nullptr) {
            path_ = pattern;
        }
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) {
            fs::remove_all(path_, ignored);
        }
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

} // namespace

std::optional<HostCompiler> compiler_named(const std::string& name) {
    const std::optional<fs::path> program = in_path(name);
    const ProcessResult version = program ? run_process({program->string(), "--version"}) : ProcessResult{};
    return version.started && version.exit_code == 0 ? std::optional(HostCompiler{*program, version.output}) : std::nullopt;
}

std::optional<HostCompiler> find_host_compiler(Diagnostics& diagnostics) {
    std::vector<std::string> names{"c++", "g++", "clang++"};
    const char* const chosen = std::getenv("CXX");
    if (chosen != nullptr && *chosen != '\0') {
        names = {chosen};
    }
    std::string looked_for;
    for (const std::string& name : names) {
        looked_for += (looked_for.empty() ? "`" : ", `") + name + "`";
        if (const auto compiler = compiler_named(name)) {
            return compiler;
        }
    }
    Diagnostic& diagnostic = diagnostics.report(kind::no_host_compiler, {}, "no C++ compiler found: looked for " + looked_for + (chosen != nullptr && *chosen != '\0' ? " (from $CXX)" : " in $PATH"));
    diagnostic.hint = "install g++ or clang, or set CXX";
    return std::nullopt;
}

fs::path emulation_folder(const fs::path& library_folder) {
    return library_folder / "emulation";
}

std::optional<fs::path> build_library(const BuildRequest& request, const HostCompiler& compiler, const fs::path& cache, Diagnostics& diagnostics) {
    internal_check(!request.files.empty(), "a build request without a file");
    const std::vector<std::string> flags = flags_of(request, compiler);
    Key key;
    key.add(compiler.program.string());
    key.add(compiler.version);
    for (const std::string& flag : flags) {
        key.add(flag);
        if (flag == "-march=native") {
            key.add(native_processor());
        }
    }
    for (const BuildRequest::File& file : request.files) {
        key.add(file.name);
        key.add(file.text);
    }
    for (const fs::path& folder : request.include_folders) {
        add_folder(key, folder);
    }
    const fs::path library = cache / (key.text() + ".so");
    std::error_code error;
    if (!prepare_cache_folder(cache, diagnostics)) {
        return std::nullopt;
    }
    if (fs::exists(library, error)) {
        mark_used(library);
        return library;
    }
    const TemporaryFolder work(cache);
    if (work.path().empty()) {
        diagnostics.report(kind::unwritable_file, {}, "cannot write to the cache `" + cache.string() + "`");
        return std::nullopt;
    }
    for (const BuildRequest::File& file : request.files) {
        std::ofstream stream(work.path() / file.name, std::ios::binary);
        stream << file.text;
        stream.close();
        if (!stream) {
            diagnostics.report(kind::unwritable_file, {}, "cannot write `" + (work.path() / file.name).string() + "`");
            return std::nullopt;
        }
    }
    std::vector<std::string> command{compiler.program.string()};
    command.insert(command.end(), flags.begin(), flags.end());
    for (const fs::path& folder : request.include_folders) {
        command.insert(command.end(), {"-isystem", folder.string()});
    }
    const fs::path output = work.path() / "library.so";
    if (request.kind == BuildKind::gpu) {
        command.insert(command.end(), {request.files.front().name, "-o", output.string(), "-Xlinker", "-Bsymbolic"});
    } else {
        command.insert(command.end(), {"-iquote", ".", request.files.front().name, "-x", "none", "-o", output.string(), "-lm", "-Wl,-Bsymbolic"});
    }
    const ProcessResult result = run_process(command, work.path());
    if (!result.started || result.exit_code != 0) {
        const fs::path kept = cache / (key.text() + ".failed");
        std::ofstream(work.path() / "log.txt") << result.output;
        fs::remove_all(kept, error);
        fs::rename(work.path(), kept, error); // a parallel job may have kept the same
        Diagnostic& diagnostic = diagnostics.report(kind::host_compile_failed, {}, "`" + compiler.program.string() + "` cannot compile `" + request.files.front().name + "`: " + first_errors(result.output));
        diagnostic.hint = "the sources and the whole log are in `" + kept.string() + "`";
        return std::nullopt;
    }
    fs::rename(output, library, error);
    if (error) {
        diagnostics.report(kind::unwritable_file, {}, "cannot write `" + library.string() + "`: " + error.message());
        return std::nullopt;
    }
    evict(cache);
    return library;
}

} // namespace fusec::execute
