// SPDX-License-Identifier: Apache-2.0
#include "execute/timed_texts.hpp"

#include "codegen/repeated.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace fusec::execute {

namespace {

codegen::Emitted emit_as(const std::string& name, const TimedUnit& timed) {
    codegen::Unit unit = timed.unit;
    unit.name = name;
    codegen::EmitOptions options;
    options.target = fusion::Target::host;
    options.embed_runtime = false;
    options.header_name = name + ".h";
    return timed.repeated > 0 ? codegen::emit_repeated(unit, *timed.graph, *timed.catalog, options, 1)
                              : codegen::emit(unit, *timed.graph, *timed.catalog, options);
}

/// What tells texts apart.
std::string key_of(const TimedUnit& unit) {
    return emit_as("timed", unit).source;
}

struct NewText {
    const TimedUnit* unit;
    std::string key;
    std::string name;
};

/// One translation unit.
BuildRequest request_of(std::span<const NewText> texts, const TimingSetup& setup) {
    BuildRequest request;
    request.kind = BuildKind::host_product;
    request.files.push_back({"batch.cpp", {}});
    for (const NewText& text : texts) {
        const codegen::Emitted emitted = emit_as(text.name, *text.unit);
        request.files.front().text += "#include \"" + text.name + ".cpp\"\n";
        request.files.push_back({text.name + ".cpp", emitted.source});
        request.files.push_back({text.name + ".h", emitted.header});
    }
    request.include_folders.push_back(setup.library_folder / "runtime");
    return request;
}

/// The libraries of the texts, `batch` in each; empty after a report.
std::vector<std::filesystem::path> build(
    std::span<const NewText> texts, std::size_t batch, const TimingSetup& setup, Diagnostics& diagnostics) {
    const std::size_t batches = (texts.size() + batch - 1) / batch;
    std::vector<std::optional<std::filesystem::path>> paths(batches);
    std::vector<Diagnostics> said(batches);
    std::atomic<std::size_t> next = 0, built = 0;
    const auto work = [&](bool tells) {
        for (std::size_t b = next++; b < batches; b = next++) {
            const std::size_t first = b * batch;
            const BuildRequest request = request_of(texts.subspan(first, std::min(batch, texts.size() - first)), setup);
            paths[b] = build_library(request, setup.compiler, setup.cache, said[b]);
            ++built;
            if (tells && setup.progress) {
                setup.progress(static_cast<double>(built) / static_cast<double>(batches));
            }
        }
    };
    std::vector<std::jthread> others;
    for (unsigned j = 1; j < setup.jobs; ++j) {
        others.emplace_back(work, false);
    }
    work(true);
    others.clear();
    std::vector<std::filesystem::path> result;
    for (std::size_t b = 0; b < batches; ++b) {
        if (!paths[b]) {
            for (const Diagnostic& each : said[b].all()) {
                diagnostics.add(each);
            }
            return {};
        }
        result.push_back(*paths[b]);
    }
    return result;
}

} // namespace

bool TimedTexts::compile(std::span<const TimedUnit> units, const TimingSetup& setup, Diagnostics& diagnostics) {
    std::vector<NewText> texts;
    std::set<std::string> listed;
    for (const TimedUnit& unit : units) {
        std::string key = key_of(unit);
        if (!known_.contains(key) && listed.insert(key).second) {
            texts.push_back({&unit, std::move(key), "timed" + std::to_string(texts.size())});
        }
    }
    if (texts.empty()) {
        return true;
    }
    const std::size_t batch = setup.batch > 0 ? setup.batch : texts_per_translation_unit(texts.size(), setup.jobs);
    const std::vector<std::filesystem::path> libraries = build(texts, batch, setup, diagnostics);
    for (std::size_t i = 0; i < texts.size() && !libraries.empty(); ++i) {
        known_.emplace(std::move(texts[i].key), Text{libraries[i / batch], texts[i].name});
    }
    return !libraries.empty();
}

const TimedTexts::Text& TimedTexts::of(const TimedUnit& unit) const {
    const auto found = known_.find(key_of(unit));
    internal_check(found != known_.end(), "a unit is timed before its text is compiled");
    return found->second;
}

std::size_t texts_per_translation_unit(std::size_t texts, unsigned jobs) {
    return jobs == 1 ? std::clamp<std::size_t>(texts / 2, 8, 64)
                     : std::clamp<std::size_t>(texts / (4 * static_cast<std::size_t>(jobs)), 8, 32);
}

} // namespace fusec::execute
