// SPDX-License-Identifier: Apache-2.0
#include "tests/frontend/program_case.hpp"
#include "frontend/ast.hpp"
#include "frontend/file_reader.hpp"
#include "frontend/frontend.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace fusec::frontend::testing {

namespace {

constexpr std::string_view marker = "// CHECK:";

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Reads beside the case, but shows paths as if the tests ran in its folder.
class CaseReader final : public FileReader {
public:
    explicit CaseReader(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::string identity(const std::filesystem::path& path) const override { return disk_.identity(folder_ / path); }
    std::optional<std::string> read(const std::filesystem::path& path, const Span& from, Diagnostics& diagnostics) override {
        if (!std::filesystem::exists(folder_ / path)) {
            diagnostics.report(kind::unreadable_file, from, "cannot read `" + path.string() + "`");
            return std::nullopt;
        }
        return disk_.read(folder_ / path, from, diagnostics);
    }

private:
    std::filesystem::path folder_;
    DiskReader disk_;
};

library::Catalog load(const std::vector<std::filesystem::path>& folders) {
    Diagnostics diagnostics;
    auto catalog = library::Catalog::load(folders, diagnostics);
    if (!catalog) {
        std::ostringstream text;
        render(diagnostics, text, false);
        throw std::runtime_error("the library does not load:\n" + text.str());
    }
    return std::move(*catalog);
}

} // namespace

std::vector<std::filesystem::path> program_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".fus") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

ProgramCase read_case(const std::filesystem::path& path) {
    ProgramCase result;
    result.path = path;
    const std::string text = bytes_of(path);
    std::size_t cut = text.starts_with(marker) ? 0 : text.find("\n" + std::string(marker));
    cut = cut == std::string::npos ? text.size() : cut == 0 ? 0 : cut + 1;
    result.program = text.substr(0, cut);
    for (const std::string& line : lines_of(text.substr(cut))) {
        result.expected.push_back(line.size() > marker.size() ? line.substr(marker.size() + 1) : "");
    }
    const std::string first = result.program.substr(0, result.program.find('\n'));
    if (first.starts_with("// OPTIONS:")) {
        result.is_double = first.find("double") != std::string::npos;
        result.shows_tree = first.find("ast") != std::string::npos;
        result.is_ambiguous = first.find("ambiguous") != std::string::npos;
        result.is_reassociated = first.find("reassociate") != std::string::npos;
        result.is_tail = first.find("tail") != std::string::npos;
    }
    return result;
}

std::vector<std::string> outcome(const ProgramCase& program_case) {
    const auto source = std::make_shared<const SourceText>(program_case.path.filename().string(), program_case.program);
    Diagnostics diagnostics;
    CaseReader reader(program_case.path.parent_path());
    const auto tree = parse(source, diagnostics, &reader);
    std::optional<CheckedProgram> program;
    const library::Catalog& functions = catalog(program_case.is_ambiguous);
    if (tree && !program_case.shows_tree) {
        program =
            check(*tree, functions, {program_case.is_double ? Precision::f64 : Precision::f32, program_case.is_reassociated}, diagnostics);
    }
    std::ostringstream text;
    render(diagnostics, text, false, 1000);
    if (diagnostics.has_errors()) {
        text << "exit " << diagnostics.exit_code() << '\n';
    } else if (program_case.shows_tree) {
        text << to_text(*tree);
    } else {
        verify(*program, functions);
        text << to_text(*program, functions);
    }
    std::vector<std::string> lines = lines_of(text.str());
    constexpr std::ptrdiff_t tail = 8;
    if (program_case.is_tail && std::ssize(lines) > tail) {
        lines.erase(lines.begin(), lines.end() - tail);
    }
    return lines;
}

void write_case(const ProgramCase& program_case, const std::vector<std::string>& expected) {
    std::ofstream out(program_case.path, std::ios::binary);
    out << program_case.program;
    if (!program_case.program.empty() && program_case.program.back() != '\n') {
        out << '\n';
    }
    for (const std::string& line : expected) {
        out << marker << (line.empty() ? "" : " ") << line << '\n';
    }
}

const library::Catalog& catalog(bool ambiguous) {
    const std::filesystem::path standard = FUSEC_SOURCE_DIR "/elementary-lib";
    static const library::Catalog plain = load({standard});
    static const library::Catalog extended = load({standard, FUSEC_SOURCE_DIR "/tests/frontend/library"});
    return ambiguous ? extended : plain;
}

} // namespace fusec::frontend::testing
