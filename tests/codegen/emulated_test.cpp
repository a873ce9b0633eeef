// SPDX-License-Identifier: Apache-2.0
// Every variant's text, run on the emulated device against the reference: full tiles, tails, ranges, misaligned lists, all schedules,
// refused launches. And mutants of the text, which must be found.
#include "variants.hpp"

#include "elementary-lib/emulation/device.hpp"
#include "execute/compiler.hpp"
#include "execute/domains.hpp"
#include "execute/loaded_library.hpp"
#include "execute/run_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace fusec::codegen::test {

namespace {

execute::RunJob job_of(const Variant& variant) {
    const frontend::CheckedProgram& program = variant.program->graph.program();
    execute::RunJob job;
    int tile = 1;
    for (const Kernel& kernel : variant.unit.kernels) {
        tile = std::max(tile, kernel.tile_elements);
    }
    job.cases = execute::standard_cases(tile, 7);
    const execute::RandomCases drawn = execute::draw_cases(program, variant.program->catalog, execute::most_elements(job.cases), 7);
    EXPECT_TRUE(drawn.acceptable()) << variant.name;
    job.interface.unit = variant.unit.name;
    for (const List& list : variant.unit.inputs) {
        job.interface.inputs.push_back({list.name, list.type, list.uniform, drawn.reference.values.at(list.datum.index()), {}});
    }
    for (const List& list : variant.unit.outputs) {
        job.interface.outputs.push_back(
            {list.name, list.type, false, drawn.reference.values.at(list.datum.index()), drawn.reference.bounds.at(list.datum.index())});
    }
    const Emitted text = variant.emit(80, true);
    job.text.name = variant.unit.name;
    job.text.files = {{variant.name + ".cu", text.source}, {variant.name + ".h", text.header}};
    return job;
}

std::vector<execute::RunReport> run(const std::vector<execute::RunJob>& jobs) {
    Diagnostics diagnostics;
    const std::optional<execute::HostCompiler> compiler = execute::find_host_compiler(diagnostics);
    if (!compiler) {
        throw std::runtime_error("no host compiler");
    }
    execute::RunSetup setup{
        *compiler, std::filesystem::path(testing::TempDir()) / "fusec_codegen_cache", std::string(FUSEC_SOURCE_DIR) + "/elementary-lib"};
    return execute::run_texts(jobs, execute::BuildKind::emulated, setup);
}

/// The text with the first `from` changed into `to`.
std::string changed(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

} // namespace

TEST(Emulated, every_variant_agrees_with_the_reference) {
    std::vector<execute::RunJob> jobs;
    for (const Variant& variant : variants()) {
        jobs.push_back(job_of(variant));
    }
    const std::vector<execute::RunReport> reports = run(jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_EQ(reports[i].faults, 0u) << jobs[i].text.name << ": " << (reports[i].texts.empty() ? "" : reports[i].texts.front());
        const bool single = variants()[i].unit.kernels.front().tile_elements == 1; // launches have as many elements as a few blocks
        EXPECT_GT(reports[i].components, single ? 600u : 1000u) << jobs[i].text.name;
    }
}

// What needs no memory: no elements, whatever the pointers, and workspaces of more elements than a launch takes.
TEST(Emulated, nothing_to_do_and_too_much) {
    Diagnostics diagnostics;
    const std::optional<execute::HostCompiler> compiler = execute::find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    const std::filesystem::path library = std::filesystem::path(FUSEC_SOURCE_DIR) / "elementary-lib";
    constexpr std::size_t most = std::size_t{1} << 40U;
    for (const auto& [name, per_element] : {std::pair<std::string, std::size_t>{"chain", 36 + 4}, {"large", 0}}) {
        const Variant& unit = variant(name);
        const Emitted text = unit.emit(80, true);
        const execute::BuildRequest request{{{name + ".cu", text.source}, {name + ".h", text.header}}, execute::BuildKind::emulated,
            {execute::emulation_folder(library), library / "runtime"}};
        const auto path =
            execute::build_library(request, *compiler, std::filesystem::path(testing::TempDir()) / "fusec_codegen_cache", diagnostics);
        ASSERT_TRUE(path) << diagnostics.all().front().message;
        const auto loaded = execute::LoadedLibrary::open(*path, diagnostics);
        ASSERT_TRUE(loaded);
        const auto functions = execute::UnitFunctions::find(*loaded, unit.unit.name, diagnostics);
        ASSERT_TRUE(functions);
        EXPECT_EQ(functions->launch(nullptr, 0, nullptr, 0, nullptr), 0) << name;
        EXPECT_EQ(functions->launch_range(nullptr, most + 5, 0, &diagnostics, 1, nullptr), 0) << name;
        EXPECT_NE(functions->launch(nullptr, 1, nullptr, 0, nullptr), 0) << name;
        EXPECT_NE(functions->launch(nullptr, most + 1, nullptr, SIZE_MAX, nullptr), 0) << name;
        EXPECT_EQ(functions->workspace_bytes(0), 0u);
        EXPECT_EQ(functions->workspace_bytes(most), per_element * most) << name;
        for (const std::size_t n : {most + 1, std::size_t{1} << 63U, SIZE_MAX, static_cast<std::size_t>(-1000)}) {
            EXPECT_EQ(functions->workspace_bytes(n), per_element == 0 ? 0 : SIZE_MAX) << name << " " << n;
        }
    }
}

namespace {

/// Launches `count` elements from `first` on, whose lists are no longer than that: each base is so far before its list that the first
/// element used is the list's. What was computed, or nothing where the launch failed.
std::vector<std::vector<double>> computed_from(std::size_t first, std::size_t count, const Unit& unit, const Emitted& text) {
    Diagnostics diagnostics;
    const std::optional<execute::HostCompiler> compiler = execute::find_host_compiler(diagnostics);
    const std::filesystem::path library = std::filesystem::path(FUSEC_SOURCE_DIR) / "elementary-lib";
    const execute::BuildRequest request{{{unit.name + ".cu", text.source}, {unit.name + ".h", text.header}}, execute::BuildKind::emulated,
        {execute::emulation_folder(library), library / "runtime"}};
    const auto path =
        execute::build_library(request, compiler.value(), std::filesystem::path(testing::TempDir()) / "fusec_codegen_cache", diagnostics);
    const auto loaded = execute::LoadedLibrary::open(path.value(), diagnostics);
    emulation::Device device;
    loaded.value().attach(device);
    std::vector<std::vector<double>> lists; // of doubles for their alignment; zeros where nothing is written
    std::vector<const void*> arguments;
    for (const auto* group : {&unit.inputs, &unit.outputs}) {
        for (const List& list : *group) {
            const std::size_t bytes = static_cast<std::size_t>(list.type.bytes()), used = bytes * (list.uniform ? 1 : count);
            std::vector<double>& memory = lists.emplace_back(used / 8 + 4);
            for (std::size_t k = 0; k < used / 4 && !list.written; ++k) { // numbers near 1 in either precision
                const float narrow = 1.0f + 0.01f * static_cast<float>(k % 37);
                const double wide = narrow;
                if (list.type.precision == Precision::f32) {
                    std::memcpy(reinterpret_cast<char*>(memory.data()) + 4 * k, &narrow, 4);
                } else if (k % 2 == 0) {
                    std::memcpy(reinterpret_cast<char*>(memory.data()) + 4 * k, &wide, 8);
                }
            }
            const std::uintptr_t base = (reinterpret_cast<std::uintptr_t>(memory.data()) + 15) / 16 * 16;
            arguments.push_back(reinterpret_cast<const void*>(base - (list.uniform ? 0 : first * bytes)));
        }
    }
    const auto functions = execute::UnitFunctions::find(*loaded, unit.name, diagnostics);
    const std::size_t bytes = functions->workspace_bytes(count);
    std::vector<char> workspace(bytes + 256);
    void* const aligned = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(workspace.data()) + 255) / 256 * 256);
    if (functions->launch_range(arguments.data(), first, count, aligned, bytes, nullptr) != 0 || device.finding_count() != 0) {
        return {};
    }
    return {lists.begin() + static_cast<std::ptrdiff_t>(unit.inputs.size()), lists.end()};
}

} // namespace

// Ranges that begin where no list of this machine reaches: a `first` or a product with it that loses bits leaves the list.
TEST(Emulated, ranges_far_out_reach_the_right_elements) {
    constexpr std::size_t count = 5;
    for (const Variant& variant : variants()) {
        const Emitted text = variant.emit(80, true);
        const auto near = computed_from(0, count, variant.unit, text);
        ASSERT_FALSE(near.empty()) << variant.name;
        for (const std::size_t first : {std::size_t{1} << 26U, (std::size_t{1} << 31U) + 4, (std::size_t{1} << 40U) - count}) {
            EXPECT_EQ(computed_from(first, count, variant.unit, text), near) << variant.name << " from " << first;
        }
    }
    // A text that narrows the product ends in a fault: the far list is not where it looks.
    const Variant& rows = variant("rows");
    Emitted text = rows.emit(80, true);
    text.source = changed(text.source, "stream, A + first * 9,", "stream, A + size_t(unsigned(first) * 9u),");
    EXPECT_EQ(computed_from(0, count, rows.unit, text), computed_from(0, count, rows.unit, rows.emit(80, true)));
    EXPECT_EXIT(
        std::exit(computed_from(std::size_t{1} << 31U, count, rows.unit, text) == computed_from(0, count, rows.unit, text) ? 0 : 3),
        [](int status) { return status != 0; }, "");
}

TEST(Emulated, mutants_are_found) {
    const std::vector<std::pair<std::string, std::string>> mutations = {
        {"    __syncthreads();\n", ""},
        {"    __syncthreads();\n", "    __syncwarp();\n"},
        {"    __pipeline_commit();\n", ""},
        {"    __pipeline_wait_prior(0);\n", ""},
        {"(shared + 288, ", "(shared + 289, "},
        {"D + first * 25, count)", "D + first * 24, count)"},
        {"< 32 ? n - first : 32", "< 32 ? n - first : 31"},
        {"fusec::aligned16(", "true || fusec::aligned16("},
        {"fusec::lists_valid<5>", "fusec::lists_valid<6>"},
        {"stream, A + first * 9,", "stream, A + first * 10,"},
    };
    const Variant& rows = variant("rows");
    std::vector<execute::RunJob> jobs;
    for (std::size_t i = 0; i < mutations.size(); ++i) {
        jobs.push_back(job_of(rows));
        jobs.back().text.files[0].text = changed(jobs.back().text.files[0].text, mutations[i].first, mutations[i].second);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) { // one by one: they share their names
        EXPECT_GT(run({jobs[i]}).at(0).faults, 0u) << mutations[i].first << " -> " << mutations[i].second;
    }
}

} // namespace fusec::codegen::test
