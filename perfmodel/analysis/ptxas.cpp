// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/ptxas.hpp"

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <memory>
#include <regex>
#include <sstream>

#include <cxxabi.h>

namespace fusec::perfmodel::analysis {

namespace fs = std::filesystem;

namespace {

constexpr const char *nvcc_variable = "FUSEC_NVCC", *ptxas_variable = "FUSEC_PTXAS";

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// The number that stands before ` what` in a line; 0 if there is none.
int number_before(const std::string& line, const std::string& what) {
    std::smatch match;
    return std::regex_search(line, match, std::regex("([0-9]+) " + what)) ? std::stoi(match[1].str()) : 0;
}

std::optional<std::string> named_by(const char* variable) {
    const char* const name = std::getenv(variable);
    return name == nullptr || *name == '\0' ? std::nullopt : std::optional<std::string>(name);
}

std::optional<fs::path> find_in_toolkit(const std::string& program, const char* variable, std::string* looked_for) {
    std::vector<std::string> names;
    if (const auto chosen = named_by(variable)) {
        names = {*chosen};
    } else {
        names = {program};
        if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') {
            names.push_back((fs::path(home) / "bin" / program).string());
        }
        names.push_back("/usr/local/cuda/bin/" + program);
    }
    for (const std::string& name : names) {
        if (std::optional<fs::path> found = find_program(name)) {
            return found;
        }
        if (looked_for != nullptr) {
            *looked_for += (looked_for->empty() ? "`" : ", `") + name + "`";
        }
    }
    return std::nullopt;
}

/// Of the log of a compiler that failed.
std::string beginning(const std::string& log) {
    return log.substr(0, 400);
}

} // namespace

std::optional<fs::path> find_ptxas(std::string* looked_for) {
    return find_in_toolkit("ptxas", ptxas_variable, looked_for);
}

std::optional<fs::path> find_nvcc(std::string* looked_for) {
    return find_in_toolkit("nvcc", nvcc_variable, looked_for);
}

bool named_assemblers_exist(Diagnostics& diagnostics) {
    bool all = true;
    for (const char* const variable : {nvcc_variable, ptxas_variable}) {
        if (const auto named = named_by(variable); named && !find_program(*named)) {
            diagnostics.report(kind::no_device_assembler, {}, "`" + *named + "`, which $" + variable + " names, is no program").hint =
                "without $" + std::string(variable) + " what is installed is asked, and where nothing is, registers are estimated";
            all = false;
        }
    }
    return all;
}

std::string kernel_name(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> demangled(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (!demangled) {
        return symbol; // extern "C"
    }
    std::string name = demangled.get();
    for (const std::string type : {"float", "double", "unsigned int"}) {
        for (const std::string count : {"2", "4"}) {
            replace_all(name, type + " __vector(" + count + ")", (type == "unsigned int" ? "uint" : type) + count);
        }
    }
    // `void scope::name<arguments>(parameters)`: the parameters start at the last top-level parenthesis, the result ends at a top-level blank.
    int depth = 0;
    std::size_t begin = 0;
    std::size_t end = name.size();
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '<' || name[i] == '(') {
            end = name[i] == '(' && depth == 0 ? i : end;
            ++depth;
        } else if (name[i] == '>' || name[i] == ')') {
            --depth;
        } else if (name[i] == ' ' && depth == 0 && end == name.size()) {
            begin = i + 1;
        }
    }
    return name.substr(begin, end - begin);
}

std::vector<AssembledKernel> parse_report(const std::string& report) {
    // ptxas info    : Compiling entry function 'SYMBOL' for 'sm_90'
    // ptxas info    : Function properties for SYMBOL
    //     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    // ptxas info    : Used 40 registers, used 0 barriers, 1024 bytes smem
    std::vector<AssembledKernel> kernels;
    std::istringstream lines(report);
    bool entry = false; // the lines speak of the kernel, not of a function that it calls
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_search(line, match, std::regex("Compiling entry function '([^']*)'"))) {
            kernels.push_back({match[1].str(), kernel_name(match[1].str())});
        } else if (std::regex_search(line, match, std::regex("Function properties for '?([^' ]*)'?"))) {
            entry = !kernels.empty() && match[1].str() == kernels.back().symbol;
        } else if (line.find("bytes stack frame") != std::string::npos && entry) {
            kernels.back().stack_bytes = number_before(line, "bytes stack frame");
            kernels.back().spill_store_bytes = number_before(line, "bytes spill stores");
            kernels.back().spill_load_bytes = number_before(line, "bytes spill loads");
        } else if (line.find("Used ") != std::string::npos && !kernels.empty()) {
            kernels.back().registers = number_before(line, "registers");
            kernels.back().shared_bytes = number_before(line, "bytes smem");
        }
    }
    return kernels;
}

std::optional<std::vector<AssembledKernel>> compile_by_nvcc(
    const DeviceText& text, const fs::path& nvcc, const fs::path& cache, Diagnostics& diagnostics) {
    const std::vector<std::string> flags{"-std=c++17", "-arch=" + text.architecture, "-Xptxas", "-v", "-cubin", "-o", "code.cubin"};
    ContentKey key;
    key.add("report of nvcc 1");
    key.add(run_process({nvcc.string(), "--version"}).output);
    for (const std::string& flag : flags) {
        key.add(flag);
    }
    add_content(key, text);
    const ContentCache kept(cache, "report");
    if (const auto report = kept.look_up(key.digits(), diagnostics)) {
        return parse_report(*report);
    }
    const TemporaryFolder folder("nvcc", diagnostics);
    if (folder.path().empty() || !write_text(text, folder.path(), diagnostics)) {
        return std::nullopt;
    }
    std::vector<std::string> command{nvcc.string()};
    command.insert(command.end(), flags.begin(), flags.end());
    for (const fs::path& include : text.include_folders) {
        command.insert(command.end(), {"-I", fs::absolute(include).string()});
    }
    command.push_back(text.files.front().name);
    const ProcessResult result = run_process(command, folder.path());
    if (result.exit_code != 0) {
        diagnostics.report(kind::device_compile_failed, {},
            "`" + nvcc.string() + "` refuses `" + text.files.front().name + "` (exit code " + std::to_string(result.exit_code) +
                "): " + beginning(result.output));
        return std::nullopt;
    }
    std::vector<AssembledKernel> reported = parse_report(result.output);
    if (!reported.empty()) { // what says nothing is asked again
        kept.keep(key.digits(), result.output, diagnostics);
    }
    return reported;
}

std::optional<std::vector<AssembledKernel>> assemble(
    const std::string& ptx, const std::string& architecture, const fs::path& ptxas, Diagnostics& diagnostics) {
    const TemporaryFolder temporary("ptxas", diagnostics);
    const fs::path& folder = temporary.path();
    if (folder.empty() || !write_files({{folder / "code.ptx", ptx}}, diagnostics)) {
        return std::nullopt;
    }
    const ProcessResult result = run_process({ptxas.string(), "-v", "-c", "-arch=" + architecture, "-o", "code.o", "code.ptx"}, folder);
    if (result.exit_code != 0) {
        diagnostics.report(kind::static_analysis, {},
            "`" + ptxas.string() + "` refuses the PTX (exit code " + std::to_string(result.exit_code) + "): " + beginning(result.output));
        return std::nullopt;
    }
    return parse_report(result.output);
}

} // namespace fusec::perfmodel::analysis
