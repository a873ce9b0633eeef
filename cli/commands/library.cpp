// SPDX-License-Identifier: Apache-2.0
// `fusec library list | show NAME | check [DIR]`.
#include "cli/commands.hpp"
#include "elementary-lib/catalog.hpp"
#include "elementary-lib/describe.hpp"
#include "execute/build_folder.hpp"
#include "execute/library_check.hpp"
#include "frontend/callee.hpp"
#include "support/counted.hpp"

#include <fmt/format.h>

#include <iostream>

namespace fusec::cli {

namespace {

void check(const library::Catalog& catalog, const std::optional<Path>& only, Diagnostics& diagnostics) {
    const auto compiler = execute::find_host_compiler(diagnostics);
    const auto folder = compiler ? execute::BuildFolder::open(execute::default_cache_folder(), diagnostics) : std::nullopt;
    if (!folder) {
        return;
    }
    execute::LibraryCheckOptions options;
    options.cache = folder->path();
    options.runtime_folder = library::standard_library_folder() / "runtime";
    options.emulation_folder = execute::emulation_folder(library::standard_library_folder());
    options.only = only;
    const execute::LibraryCheckResult result = execute::check_library(catalog, *compiler, options, diagnostics);
    std::cout << fmt::format("{}: {}, {} in {}, {} compared, {} tried, {} {}, {} not run\n", only ? only->string() : "standard library",
        counted(result.functions, "function"), counted(result.implementations, "implementation"), counted(result.instances, "instance"),
        counted(result.components, "component"), counted(result.facts, "fact"), counted(result.mismatches, "instance"),
        result.mismatches == 1 ? "differs" : "differ", counted(result.unchecked, "implementation"));
}

} // namespace

void run_command(const Library& command, Diagnostics& diagnostics) {
    std::vector<Path> folders{library::standard_library_folder()};
    folders.insert(folders.end(), command.folders.begin(), command.folders.end());
    const auto catalog = library::Catalog::load(folders, diagnostics);
    if (!catalog) {
        return;
    }
    switch (command.action) {
    case Library::Action::list:
        std::cout << library::list(*catalog);
        break;
    case Library::Action::show:
        if (const auto callee = frontend::find_callee(command.name, *catalog)) { // with a shape suffix or without, as in a program
            std::cout << library::describe(catalog->function(callee->function), std::filesystem::current_path());
        } else {
            Diagnostic& error = diagnostics.report(kind::unknown_name, {}, fmt::format("the library has no function `{}`", command.name));
            const std::string near = nearest(command.name, catalog->names());
            error.hint = near.empty() ? "`fusec library list` lists them" : fmt::format("did you mean `{}`?", near);
        }
        break;
    case Library::Action::check:
        if (command.folders.empty()) {
            check(*catalog, std::nullopt, diagnostics);
        }
        for (const Path& folder : command.folders) {
            check(*catalog, folder, diagnostics);
        }
        break;
    }
}

} // namespace fusec::cli
