// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/ptxas.hpp"

#include "support/files.hpp"
#include "support/process.hpp"

#include <cstdlib>
#include <memory>
#include <regex>
#include <sstream>

#include <cxxabi.h>
#include <unistd.h>

namespace fusec::perfmodel::analysis {

namespace fs = std::filesystem;

namespace {

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

} // namespace

std::optional<fs::path> find_ptxas(std::string* looked_for) {
    std::vector<std::string> names;
    if (const char* const chosen = std::getenv("FUSEC_PTXAS"); chosen != nullptr && *chosen != '\0') {
        names = {chosen};
    } else {
        names = {"ptxas"};
        if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') {
            names.push_back((fs::path(home) / "bin" / "ptxas").string());
        }
        names.emplace_back("/usr/local/cuda/bin/ptxas");
    }
    for (const std::string& name : names) {
        if (std::optional<fs::path> program = find_program(name)) {
            return program;
        }
        if (looked_for != nullptr) {
            *looked_for += (looked_for->empty() ? "`" : ", `") + name + "`";
        }
    }
    return std::nullopt;
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

std::optional<std::vector<AssembledKernel>> assemble(
    const std::string& ptx, const std::string& architecture, const fs::path& ptxas, Diagnostics& diagnostics) {
    std::string pattern = (fs::temp_directory_path() / "fusec-ptxas-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        diagnostics.report(kind::unwritable_file, {}, "cannot make a folder in `" + fs::temp_directory_path().string() + "`");
        return std::nullopt;
    }
    const fs::path folder = pattern;
    ProcessResult result;
    const bool written = write_files({{folder / "code.ptx", ptx}}, diagnostics);
    if (written) {
        result = run_process({ptxas.string(), "-v", "-c", "-arch=" + architecture, "-o", "code.o", "code.ptx"}, folder);
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    if (!written) {
        return std::nullopt;
    }
    if (result.exit_code != 0) {
        diagnostics.report(kind::static_analysis, {},
            "`" + ptxas.string() + "` refuses the PTX (exit code " + std::to_string(result.exit_code) +
                "): " + result.output.substr(0, 400));
        return std::nullopt;
    }
    return parse_report(result.output);
}

} // namespace fusec::perfmodel::analysis
