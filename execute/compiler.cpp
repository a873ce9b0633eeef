// SPDX-License-Identifier: Apache-2.0
#include "execute/compiler.hpp"

#include "execute/build_folder.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/last_use.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <unistd.h>

namespace fusec::execute {

namespace fs = std::filesystem;

namespace {

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

/// The beginning of a compiler's log, a note for each line unless the message says all of it: the folder of a build that fails goes
/// with the build.
void note_log(const std::string& log, Diagnostic& diagnostic) {
    if (log.find('\n') + 1 >= log.size()) {
        return;
    }
    constexpr std::ptrdiff_t most_lines = 20;
    std::istringstream lines(log);
    std::ptrdiff_t count = 0;
    for (std::string line; count < most_lines && std::getline(lines, line); ++count) {
        diagnostic.note({}, line);
    }
    if (const std::ptrdiff_t left = std::count(log.begin(), log.end(), '\n') - count; left > 0) {
        diagnostic.note({}, "... and " + counted(static_cast<std::uint64_t>(left), "more line"));
    }
}

std::string text_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void add_folder(ContentKey& key, const fs::path& folder) {
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

/// The words of a command: what stands between blanks. A text that names a program as it is (a path may hold blanks) is one word.
std::vector<std::string> words_of(const std::string& text) {
    if (find_program(text)) {
        return {text};
    }
    std::istringstream blanks(text);
    return {std::istream_iterator<std::string>(blanks), {}};
}

/// A compiler, or what is wrong with what its name stands for.
struct Asked {
    std::optional<HostCompiler> compiler;
    std::string fault; ///< empty when there is no such program
};

Asked ask(const std::string& name) {
    const std::vector<std::string> words = words_of(name);
    const std::optional<fs::path> program = words.empty() ? std::nullopt : find_program(words.front());
    if (!program) {
        return {};
    }
    std::vector<std::string> command{program->string()};
    command.insert(command.end(), words.begin() + 1, words.end());
    HostCompiler compiler{*program, {}, {words.begin() + 1, words.end()}};
    command.emplace_back("--version");
    const ProcessResult version = run_process(command);
    if (!version.started) {
        return {std::nullopt, "`" + compiler.command_text() + "` cannot be started"};
    }
    if (version.exit_code != 0) {
        const std::string said = version.output.substr(0, version.output.find('\n'));
        return {std::nullopt,
            "`" + compiler.command_text() + " --version` ends with exit code " + std::to_string(version.exit_code) +
                (said.empty() ? "" : ": " + said)};
    }
    compiler.version = version.output;
    return {std::move(compiler), {}};
}

} // namespace

std::string HostCompiler::command_text() const {
    std::string text = program.string();
    for (const std::string& argument : arguments) {
        text += " " + argument;
    }
    return text;
}

std::optional<HostCompiler> compiler_named(const std::string& name) {
    return ask(name).compiler;
}

std::optional<HostCompiler> find_host_compiler(Diagnostics& diagnostics) {
    std::vector<std::string> names{"c++", "g++", "clang++"};
    const char* const chosen = std::getenv("CXX");
    const bool is_chosen = chosen != nullptr && std::string_view(chosen).find_first_not_of(" \t\n") != std::string_view::npos;
    if (is_chosen) {
        names = {chosen};
    }
    std::string looked_for;
    std::vector<std::string> faults;
    for (const std::string& name : names) {
        looked_for += (looked_for.empty() ? "`" : ", `") + name + "`";
        Asked asked = ask(name);
        if (asked.compiler) {
            return asked.compiler;
        }
        if (!asked.fault.empty()) {
            faults.push_back(std::move(asked.fault));
        }
    }
    const std::string where = is_chosen ? " (from $CXX)" : " in $PATH";
    if (faults.empty()) {
        diagnostics.report(kind::no_host_compiler, {}, "no C++ compiler found: looked for " + looked_for + where).hint =
            "install g++ or clang, or set CXX";
        return std::nullopt;
    }
    Diagnostic& diagnostic =
        diagnostics.report(kind::no_host_compiler, {}, "no C++ compiler works of " + looked_for + where + ": " + faults.front());
    for (std::size_t i = 1; i < faults.size(); ++i) {
        diagnostic.note({}, faults[i]);
    }
    diagnostic.hint = is_chosen ? "set CXX to a compiler with its options, or to nothing" : "repair the compiler, or set CXX";
    return std::nullopt;
}

fs::path emulation_folder(const fs::path& library_folder) {
    return library_folder / "emulation";
}

std::optional<fs::path> build_library(
    const BuildRequest& request, const HostCompiler& compiler, const fs::path& cache, Diagnostics& diagnostics) {
    internal_check(!request.files.empty(), "a build request without a file");
    const std::vector<std::string> flags = flags_of(request, compiler);
    ContentKey key;
    key.add("sealed"); // of libraries that were written before there were seals, none is found
    key.add(compiler.program.string());
    for (const std::string& argument : compiler.arguments) {
        key.add(argument);
    }
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
    const fs::path library = cache / (key.digits() + ".so");
    std::error_code error;
    if (!prepare_cache_folder(cache, diagnostics)) {
        return std::nullopt;
    }
    if (is_sealed(library)) {
        mark_used(library);
        return library;
    }
    if (fs::exists(fs::symlink_status(library, error))) {
        diagnostics.report(
            kind::damaged_cache_entry, {}, "`" + library.string() + "` does not hold what was written to it: it is made anew");
        fs::remove_all(library, error); // else a folder of that name would stay
    }
    const PrivateFolder work(cache, "building");
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
    command.insert(command.end(), compiler.arguments.begin(), compiler.arguments.end());
    command.insert(command.end(), flags.begin(), flags.end());
    for (const fs::path& folder : request.include_folders) {
        command.insert(command.end(), {"-isystem", folder.string()});
    }
    const fs::path output = work.path() / "library.so";
    if (request.kind == BuildKind::gpu) {
        command.insert(command.end(), {request.files.front().name, "-o", output.string(), "-Xlinker", "-Bsymbolic"});
    } else {
        command.insert(
            command.end(), {"-iquote", ".", request.files.front().name, "-x", "none", "-o", output.string(), "-lm", "-Wl,-Bsymbolic"});
    }
    const ProcessResult result = run_process(command, work.path());
    if (!result.started || result.exit_code != 0) {
        const std::string what = "`" + compiler.command_text() + "` cannot " + (result.started ? "compile" : "be started for") + " `" +
            request.files.front().name + "`: ";
        Diagnostic& diagnostic = diagnostics.report(kind::host_compile_failed, {},
            what + (result.output.empty() ? "exit code " + std::to_string(result.exit_code) : first_errors(result.output)));
        note_log(result.output, diagnostic);
        return std::nullopt;
    }
    if (const std::uintmax_t bytes = fs::file_size(output, error); error || bytes == 0) {
        const std::string what = "`" + compiler.command_text() + "` ends without an error, but writes " +
            (error ? "no library" : "an empty library") + " for `" + request.files.front().name + "`";
        Diagnostic& diagnostic = diagnostics.report(kind::host_compile_failed, {}, what);
        diagnostic.hint = request.kind == BuildKind::gpu ? "is it nvcc?" : "is it a C++ compiler? set CXX to one, or to nothing";
        note_log(result.output, diagnostic);
        return std::nullopt;
    }
    if (!seal(output)) {
        diagnostics.report(kind::unwritable_file, {}, "cannot write `" + output.string() + "`");
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
