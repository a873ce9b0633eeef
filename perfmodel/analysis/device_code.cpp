// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/device_code.hpp"

#include "perfmodel/analysis/content_cache.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace fusec::perfmodel::analysis {

namespace fs = std::filesystem;

namespace {

bool is_header(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".h" || extension == ".hpp" || extension == ".cuh";
}

void add_headers(ContentKey& key, const fs::path& folder) {
    std::vector<fs::path> headers;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
        if (is_header(entry.path()) && entry.is_regular_file(ignored)) {
            headers.push_back(entry.path());
        }
    }
    std::sort(headers.begin(), headers.end());
    for (const fs::path& header : headers) {
        key.add(header.lexically_relative(folder).string());
        key.add(bytes_of(header).value_or(""));
    }
}

/// All but the folders, whose texts are hashed instead of their names.
std::vector<std::string> flags_of(const DeviceText& text) {
    return {"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
        "--cuda-gpu-arch=" + text.architecture,
        // Without a toolkit clang takes a version of PTX that lacks what the architectures have; 8.3 is that of CUDA 12.3.
        "-Xclang", "-target-feature", "-Xclang", "+ptx83",
        // nvcc's macro and its implicit include.
        "-D__CUDACC__", "-include", "cuda_runtime.h", "-std=c++17", "-O2", "-w", text.contract ? "-ffp-contract=fast" : "-ffp-contract=off",
        // nvcc unrolls longer loops than clang does by itself. With this threshold both make the same FMAs of examples/demo16.fus, and read
        // shared memory as often within 2 % (PTX of nvcc 13.0 for sm_90).
        "-mllvm", "-unroll-threshold=2000",
        // Functions such as expf stay calls; parameters keep their names, instructions their lines; no path of this machine goes in.
        "-fno-builtin", "-fno-discard-value-names", "-gline-tables-only", "-fdebug-compilation-dir=.", "-emit-llvm", "-c"};
}

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

std::optional<std::string> run_clang(const DeviceText& text, const DeviceCompiler& compiler, Diagnostics& diagnostics) {
    const TemporaryFolder folder("analysis", diagnostics);
    if (folder.path().empty()) {
        return std::nullopt;
    }
    if (!write_text(text, folder.path(), diagnostics)) {
        return std::nullopt;
    }
    std::vector<std::string> command{compiler.program.string()};
    const std::vector<std::string> flags = flags_of(text);
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-isystem", fs::absolute(toolkit_folder()).string()});
    for (const fs::path& include : text.include_folders) {
        command.insert(command.end(), {"-isystem", fs::absolute(include).string()});
    }
    command.insert(command.end(), {"-o", "code.bc", text.files.front().name});
    const ProcessResult result = run_process(command, folder.path());
    std::error_code ignored;
    if (!result.started || (result.exit_code == 127 && !fs::exists(compiler.program, ignored))) {
        diagnostics.report(kind::no_device_compiler, {}, "`" + compiler.program.string() + "` cannot be started");
        return std::nullopt;
    }
    std::optional<std::string> bitcode = bytes_of(folder.path() / "code.bc");
    if (result.exit_code != 0 || !bitcode) {
        diagnostics.report(kind::device_compile_failed, {},
            "clang cannot compile the device code of `" + text.files.front().name + "`: " + first_errors(result.output));
        return std::nullopt;
    }
    return bitcode;
}

std::string key_of(const DeviceText& text, const DeviceCompiler& compiler) {
    ContentKey key;
    key.add("device code 1");
    key.add(compiler.version);
    for (const std::string& flag : flags_of(text)) {
        key.add(flag);
    }
    add_content(key, text);
    add_headers(key, toolkit_folder());
    return key.digits();
}

/// "19.1.7" of "Debian clang version 19.1.7 (3~deb12u1)"; empty if there is none.
std::string version_in(const std::string& text) {
    constexpr std::string_view before = "clang version ";
    const std::size_t found = text.find(before);
    const std::size_t begin = found == std::string::npos ? text.size() : found + before.size();
    return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

} // namespace

void add_content(ContentKey& key, const DeviceText& text) {
    for (const DeviceText::File& file : text.files) {
        key.add(file.name);
        key.add(file.text);
    }
    key.add("headers");
    for (const fs::path& folder : text.include_folders) {
        add_headers(key, folder);
    }
}

bool write_text(const DeviceText& text, const fs::path& folder, Diagnostics& diagnostics) {
    std::vector<OutputFile> files;
    for (const DeviceText::File& file : text.files) {
        files.push_back({folder / file.name, file.text});
    }
    return write_files(files, diagnostics);
}

std::optional<DeviceCompiler> find_device_compiler(Diagnostics& diagnostics) {
    std::vector<std::string> names{"clang++-19", "clang-19", "clang++"};
    if (const char* const chosen = std::getenv("FUSEC_CLANG"); chosen != nullptr && *chosen != '\0') {
        names = {chosen};
    }
    std::string looked_for;
    std::string other;
    for (const std::string& name : names) {
        looked_for += (looked_for.empty() ? "`" : ", `") + name + "`";
        if (const std::optional<fs::path> program = find_program(name)) {
            const ProcessResult result = run_process({program->string(), "--version"});
            const std::string version = result.exit_code == 0 ? version_in(result.output) : std::string();
            if (version.starts_with("19.")) {
                return DeviceCompiler{*program, version};
            }
            other += "; `" + program->string() + "` is " + (version.empty() ? "no clang" : "clang " + version);
        }
    }
    diagnostics.report(kind::no_device_compiler, {}, "no clang 19 to analyse device code with: looked for " + looked_for + other).hint =
        "install the package clang-19, or name the program in $FUSEC_CLANG";
    return std::nullopt;
}

std::optional<DeviceCode> compile_device_text(
    const DeviceText& text, const DeviceCompiler& compiler, const fs::path& cache, Diagnostics& diagnostics) {
    internal_check(!text.files.empty(), "a device text has a file");
    DeviceCode code{{}, "llvm (clang " + compiler.version + ", " + text.architecture + ")", text.architecture, false};
    const ContentCache kept(cache, "bc");
    const std::string key = key_of(text, compiler);
    if (std::optional<std::string> found = kept.look_up(key, diagnostics)) {
        code.bitcode = std::move(*found);
        code.from_cache = true;
        return code;
    }
    std::optional<std::string> bitcode = run_clang(text, compiler, diagnostics);
    if (!bitcode) {
        return std::nullopt;
    }
    kept.keep(key, *bitcode, diagnostics);
    code.bitcode = std::move(*bitcode);
    return code;
}

fs::path toolkit_folder() {
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code); // libexec/fusec/fusec_analyse
    const fs::path installed = self.parent_path().parent_path().parent_path() / "share" / "fusec" / "toolkit";
    return !code && fs::is_directory(installed, code) ? installed : fs::path(FUSEC_TOOLKIT);
}

} // namespace fusec::perfmodel::analysis
