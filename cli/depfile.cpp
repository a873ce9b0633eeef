// SPDX-License-Identifier: Apache-2.0
#include "cli/depfile.hpp"

#include "cli/choose_plan.hpp"
#include "perfmodel/calibration.hpp"

#include <set>

namespace fusec::cli {

namespace fs = std::filesystem;

namespace {

/// A name as make and ninja read it. Backslashes in front of a blank are doubled, others stand for themselves.
std::string escaped(const std::string& name) {
    std::string result;
    std::size_t backslashes = 0;
    for (const char c : name) {
        if (c == ' ' || c == '#') {
            result.append(c == ' ' ? backslashes : 0, '\\');
            result += '\\';
        } else if (c == '$') {
            result += '$';
        }
        backslashes = c == '\\' ? backslashes + 1 : 0;
        result += c;
    }
    return result;
}

} // namespace

std::vector<Path> files_read(const Compilation& compilation) {
    std::vector<Path> files{compilation.options.program};
    files.insert(files.end(), compilation.included.begin(), compilation.included.end());
    if (!mode_of(compilation.options.plan)) {
        files.emplace_back(compilation.options.plan);
    }
    for (const Path& file : perfmodel::files_of_device(compilation.options.device)) {
        files.push_back(file);
    }
    for (std::size_t i = 0; compilation.catalog && i < compilation.catalog->library_size(); ++i) {
        const library::Function& function = compilation.catalog->function(FunctionId(i));
        files.insert(files.end(), {function.metadata_path, function.source_path});
    }
    return files;
}

std::optional<std::string> make_rule(const fs::path& output, const std::vector<fs::path>& files, Diagnostics& diagnostics) {
    std::string rule = escaped(output.string()) + ":";
    std::set<fs::path> written;
    for (const fs::path& file : files) {
        if (written.insert(file).second) {
            rule += " \\\n  " + escaped(file.string());
        }
    }
    std::vector<fs::path> names = files;
    names.push_back(output);
    for (const fs::path& name : names) {
        if (name.string().find_first_of("\n\r") != std::string::npos) {
            diagnostics.report(kind::output_collision, {}, "`" + name.string() + "` has a name that a rule of make cannot hold").hint =
                "--depfile needs names without line breaks";
            return std::nullopt;
        }
    }
    return rule + "\n";
}

} // namespace fusec::cli
