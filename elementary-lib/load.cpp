// SPDX-License-Identifier: Apache-2.0
// Finds and loads every function below the library folders.
#include "elementary-lib/catalog.hpp"
#include "elementary-lib/device_names.hpp"
#include "elementary-lib/device_source.hpp"
#include "elementary-lib/metadata.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <map>
#include <system_error>

namespace fusec::library {

namespace {

/// Metadata files: `FOLDER/<family>/NAME.toml`, and `FOLDER/NAME.toml` for a user's own few. Sorted by path.
std::optional<std::vector<std::filesystem::path>> metadata_files(const std::filesystem::path& folder, Diagnostics& diagnostics) {
    std::error_code error;
    std::vector<std::filesystem::path> found;
    std::vector<std::filesystem::path> families{folder};
    const auto list = [&](const std::filesystem::path& from, const auto& each) {
        std::filesystem::directory_iterator entry(from, error);
        for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
            each(*entry);
        }
        if (error) {
            diagnostics.report(kind::library_folder, {}, "cannot read the library folder `" + from.string() + "`: " + error.message());
        }
        return !error;
    };
    const bool readable = list(folder, [&](const std::filesystem::directory_entry& entry) {
        std::error_code ignored; // an entry that cannot be asked is no folder
        if (entry.is_directory(ignored)) {
            families.push_back(entry.path());
        }
    });
    if (!readable) {
        return std::nullopt;
    }
    for (const std::filesystem::path& family : families) {
        if (!list(family, [&](const std::filesystem::directory_entry& entry) {
                if (entry.path().extension() == ".toml") {
                    found.push_back(entry.path());
                }
            })) {
            return std::nullopt;
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// Whether templates can be told apart in the device source; reports where not.
bool check_source(const Function& function, Diagnostics& diagnostics) {
    const std::optional<SourceFault> fault = fault_of(function.source);
    if (!fault) {
        return true;
    }
    const auto text = std::make_shared<const SourceText>(function.source_path.string(), function.source);
    Diagnostic& diagnostic = diagnostics.report(kind::library_template, {text, fault->begin, fault->end}, fault->message);
    if (fault->opened) {
        diagnostic.note({text, *fault->opened, *fault->opened + 1}, "which is opened here");
    }
    return false;
}

/// Whether its templates are all that a program's file needs; reports what they use besides.
bool check_names(const Function& function, Diagnostics& diagnostics) {
    std::vector<std::string> routines;
    for (const Implementation& implementation : function.implementations) {
        routines.push_back(template_name(function, implementation));
    }
    const auto text = std::make_shared<const SourceText>(function.source_path.string(), function.source);
    const std::vector<ForeignName> names = foreign_names(function.source, routines);
    for (const ForeignName& name : names) {
        const std::string what = "`" + name.routine + "` " + (name.called ? "calls" : "uses") + " `" + name.name + "`, ";
        Diagnostic& diagnostic = diagnostics.report(kind::library_template, {text, name.place.begin, name.place.end},
            what +
                (name.defined ? "which is not part of it: a program gets nothing else of this file"
                              : "which is no function of the runtime or of <cmath>"));
        diagnostic.hint = name.called ? "make it a lambda in the template, or write out what it does" : "define it in the template";
        if (name.defined) {
            diagnostic.note({text, name.defined->begin, name.defined->end}, "defined here");
        }
    }
    return names.empty();
}

/// `its templates are `a`, `b``
std::string templates_of(const std::string& source) {
    std::string names;
    for (const std::string& name : template_names(source)) {
        names += (names.empty() ? "its templates are `" : ", `") + name + "`";
    }
    return names.empty() ? "it has no function template with a body" : names;
}

/// One function with its device source, or nothing after reporting every fault of its two files.
std::optional<Metadata> load_function(const std::filesystem::path& path, Diagnostics& diagnostics) {
    std::optional<std::string> bytes = read_text(path, diagnostics);
    if (!bytes) {
        return std::nullopt;
    }
    const auto text = std::make_shared<const SourceText>(path.string(), *std::move(bytes));
    std::optional<Metadata> metadata = read_metadata(path.stem().string(), text, diagnostics);
    if (!metadata || !check_metadata(*metadata, diagnostics)) {
        return std::nullopt;
    }
    Function& function = metadata->function;
    function.metadata_path = path;
    function.source_path = std::filesystem::path(path).replace_extension(".cuh");
    std::error_code ignored; // an unreadable file is reported when it is read
    if (!std::filesystem::exists(function.source_path, ignored)) {
        diagnostics.report(
            kind::missing_device_source, metadata->place(""), "the device source `" + function.source_path.string() + "` is missing");
        return std::nullopt;
    }
    std::optional<std::string> source = read_text(function.source_path, diagnostics, metadata->place(""));
    if (!source) {
        return std::nullopt;
    }
    function.source = *std::move(source);
    if (!check_source(function, diagnostics)) {
        return std::nullopt;
    }
    bool complete = true;
    for (std::size_t i = 0; i < function.implementations.size(); ++i) {
        if (implementation_source(function, function.implementations[i]).empty()) {
            const std::string entry = "implementation[" + std::to_string(i) + "]";
            const bool named = metadata->places.count(entry + ".routine") != 0;
            diagnostics
                .report(kind::library_template, metadata->place(entry + (named ? ".routine" : ".name")),
                    "`" + function.source_path.filename().string() + "` has no template `" +
                        template_name(function, function.implementations[i]) + "`")
                .hint = templates_of(function.source);
            complete = false;
        }
    }
    return complete && check_names(function, diagnostics) ? std::move(metadata) : std::nullopt;
}

} // namespace

std::optional<Catalog> Catalog::load(const std::vector<std::filesystem::path>& folders, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    std::map<std::string, Metadata> loaded; // by name, so ids are in name order
    for (const std::filesystem::path& folder : folders) {
        const auto files = metadata_files(folder, diagnostics);
        if (!files) {
            continue;
        }
        for (const std::filesystem::path& path : *files) {
            std::optional<Metadata> metadata = load_function(path, diagnostics);
            if (!metadata) {
                continue;
            }
            const std::string name = metadata->function.name;
            if (const auto earlier = loaded.find(name); earlier != loaded.end()) {
                diagnostics.report(kind::duplicate_function, metadata->place(""), "the function `" + name + "` is defined twice")
                    .notes.push_back({earlier->second.place(""), "first defined here"});
                continue;
            }
            loaded.emplace(name, *std::move(metadata));
        }
    }
    if (diagnostics.error_count() != errors) {
        return std::nullopt;
    }
    Catalog catalog;
    for (auto& [name, metadata] : loaded) {
        catalog.functions_.push_back(std::move(metadata.function));
    }
    catalog.library_size_ = catalog.functions_.size();
    return catalog;
}

} // namespace fusec::library
