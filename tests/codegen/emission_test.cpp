// SPDX-License-Identifier: Apache-2.0
// The generated text: structure, formatting, warnings. What it computes is checked by running it (emulated_test.cpp).
#include "samples.hpp"
#include "variants.hpp"

#include "codegen/embedding.hpp"
#include "codegen/verifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fusec::codegen::test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

std::filesystem::path scratch() {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / "fusec_codegen" / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs a command with its output in `log`; its exit status is 0.
testing::AssertionResult runs(const std::string& command, const std::filesystem::path& log) {
    if (std::system((command + " > '" + log.string() + "' 2>&1").c_str()) == 0) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << command << "\n" << read(log).substr(0, 4000);
}

bool installed(const std::string& program) {
    return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

/// nvcc from the path or from where the toolkit installs itself; empty when there is none.
std::string nvcc() {
    return installed("nvcc") ? "nvcc" : std::filesystem::exists("/usr/local/cuda/bin/nvcc") ? "/usr/local/cuda/bin/nvcc" : "";
}

/// All variants in one translation unit, as generated files of different programs may be.
std::string write_all(const std::filesystem::path& folder, int arch, bool embed_runtime) {
    std::string all;
    for (const Variant& variant : variants()) {
        const Emitted text = variant.emit(arch, embed_runtime);
        write(folder / (variant.name + ".cu"), text.source);
        write(folder / (variant.name + ".h"), text.header);
        all += "#include \"" + variant.name + ".cu\"\n";
    }
    write(folder / "all.cu", all);
    return (folder / "all.cu").string();
}

const std::string root = FUSEC_SOURCE_DIR;

} // namespace

// What is repeated is the call alone, and nothing of it is known to be the same as the time before.
TEST(Emission, repeats_calls) {
    const std::string text = variant("owners_repeated").emit(90, true).source;
    EXPECT_THAT(text, HasSubstr("float* __restrict__ C, int repetitions, size_t first, size_t n)"));
    EXPECT_THAT(text, HasSubstr(R"(for (int repetition = 0; repetition < repetitions; repetition += 3) {
            _Pragma("unroll") for (int copy = 0; copy < 3; ++copy) {
                fusec::opaque(A_value);
                fusec::opaque(B_value);
                fusec::opaque_memory();
                fusec::mmul_element(A_value, B_value, C_value);
                fusec::opaque(C_value);
                fusec::stir(repetition + copy, C_value, A_value, B_value);
            }
        })"));
    EXPECT_THAT(text, HasSubstr(", C + first * 16, 3)"));
    EXPECT_THAT(variant("owners").emit(90, true).source, Not(HasSubstr("opaque")));
}

TEST(Emission, every_variant_is_sound) {
    for (const Variant& variant : variants()) {
        EXPECT_THAT(findings(variant.unit), IsEmpty()) << variant.name << "\n" << dump(variant.unit);
    }
}

// A block of one element has its index: nothing is left of the element's place in the block, nor of the last block's size.
TEST(Emission, blocks_of_one_element_are_folded) {
    for (const char* const name : {"single_by_rows", "single_thread"}) {
        const std::string text = variant(name).emit(90, true).source,
                          kernel =
                              text.substr(text.find("__global__"), text.find("\n}\n", text.find("__global__")) - text.find("__global__"));
        EXPECT_THAT(kernel, HasSubstr("    first += blockIdx.x;\n"));
        for (const char* const left : {"element", "count", " n", "* 1;", "% 5", "/ 5"}) {
            EXPECT_THAT(kernel, Not(HasSubstr(left))) << name;
        }
    }
    const std::string rows = variant("single_by_rows").emit(90, true).source;
    EXPECT_THAT(rows, HasSubstr("const int lane_3 = int(threadIdx.x);\n    if (lane_3 < 3) {\n"));
    EXPECT_THAT(rows, HasSubstr("\n    if (threadIdx.x == 0) {\n"));
    EXPECT_THAT(rows, HasSubstr("const int lane_5 = int(threadIdx.x);\n    {\n")); // all five threads
}

TEST(Emission, the_same_bytes_again) {
    for (const Variant& variant : variants()) {
        EXPECT_EQ(variant.emit(90, true).source, variant.emit(90, true).source);
    }
}

TEST(Emission, is_formatted) {
    if (!installed("clang-format-19")) {
        GTEST_SKIP() << "clang-format-19 is not installed";
    }
    for (const bool embed : {true, false}) {
        const std::filesystem::path folder = scratch();
        write_all(folder, 80, embed);
        std::filesystem::copy_file(root + "/codegen/emitted.clang-format", folder / ".clang-format");
        for (const Variant& variant : variants()) {
            for (const char* extension : {".cu", ".h"}) {
                EXPECT_TRUE(
                    runs("clang-format-19 --dry-run -Werror '" + (folder / (variant.name + extension)).string() + "'", folder / "log"));
            }
        }
    }
}

TEST(Emission, nvcc_has_nothing_to_say) {
    if (nvcc().empty()) {
        GTEST_SKIP() << "nvcc is not installed";
    }
    const std::filesystem::path folder = scratch();
    for (const auto& [arch, embed] : {std::pair{80, true}, std::pair{90, false}}) {
        const std::string file = write_all(folder, arch, embed);
        EXPECT_TRUE(runs(nvcc() + " -std=c++17 -arch=sm_" + std::to_string(arch) + " -Werror all-warnings -Xcompiler -Wall,-Wextra -I'" +
                root + "/elementary-lib/runtime' -c '" + file + "' -o '" + (folder / "all.o").string() + "'",
            folder / "log"));
    }
    EXPECT_FALSE(runs(nvcc() + " -std=c++17 -arch=sm_75 -I'" + root + "/elementary-lib/runtime' -c '" + (folder / "demo.cu").string() +
            "' -o '" + (folder / "low.o").string() + "'",
        folder / "log"));
    EXPECT_THAT(read(folder / "log"), HasSubstr("made for sm_90 and later: compile with -arch=sm_90"));
}

TEST(Emission, the_host_compiler_has_nothing_to_say) {
    const std::filesystem::path folder = scratch();
    for (const bool embed : {true, false}) {
        const std::string file = write_all(folder, 80, embed);
        for (const char* level : {"-O0", "-O2"}) {
            EXPECT_TRUE(runs("c++ -std=c++17 " + std::string(level) +
                    " -Wall -Wextra -Wconversion -Werror -Wno-unknown-pragmas -x c++ -I'" + root + "/elementary-lib/emulation' -I'" + root +
                    "/elementary-lib/runtime' -c '" + file + "' -o '" + (folder / "all.o").string() + "'",
                folder / "log"));
        }
    }
}

TEST(Emission, the_header_is_c) {
    const std::filesystem::path folder = scratch();
    std::string all;
    for (const Variant& variant : variants()) {
        write(folder / (variant.name + ".h"), variant.emit(80, true).header);
        all += "#include \"" + variant.name + ".h\"\n";
    }
    write(folder / "all.c", all);
    EXPECT_THAT(variant("chain").emit(80, true).header, HasSubstr("nvcc of CUDA 11.8 or later for sm_80 or later, as C++17"));
    EXPECT_THAT(variant("chain").emit(80, true).header, HasSubstr("n <= 2^40"));
    EXPECT_TRUE(runs("cc -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only '" + (folder / "all.c").string() + "'", folder / "log"));
    EXPECT_TRUE(runs("cc -std=c90 -Wall -Wextra -pedantic -Werror -fsyntax-only '" + (folder / "all.c").string() + "'", folder / "log"));
    EXPECT_TRUE(
        runs("c++ -std=c++17 -Wall -Wextra -pedantic -Werror -x c++ -fsyntax-only '" + (folder / "all.c").string() + "'", folder / "log"));
}

TEST(Emission, only_what_is_used_is_embedded) {
    const std::string direct = variant("direct").emit(90, true).source;
    EXPECT_THAT(direct, Not(HasSubstr("shared_memory")));
    EXPECT_THAT(direct, Not(HasSubstr("async")));
    EXPECT_THAT(direct, Not(HasSubstr("class Vector")));
    EXPECT_THAT(direct, Not(HasSubstr("mmul_row")));
    const std::string demo = variant("demo").emit(90, true).source;
    EXPECT_THAT(demo, HasSubstr("copy_async"));
    EXPECT_THAT(demo, Not(HasSubstr("lane")));
    EXPECT_THAT(demo, Not(HasSubstr("FUSEC_")));
    EXPECT_THAT(demo, Not(HasSubstr("slot_bytes")));
    EXPECT_THAT(demo, Not(HasSubstr("launch_large")));
    EXPECT_THAT(demo, Not(HasSubstr("padded")));
}

TEST(Emission, constants_are_folded) {
    const std::string text = variant("constants").emit(90, true).source;
    EXPECT_THAT(text, HasSubstr("static constexpr float G[4] = {1.0f, -0.5f, 0.25f, 3.0f};"));
    EXPECT_THAT(text, HasSubstr(" = 0.1f * "));
    EXPECT_THAT(text, HasSubstr("{mu, 4, true}"));
}

namespace {

std::string emitted(const Unit& unit, const Variant& variant) {
    return emit(unit, variant.program->graph, variant.program->catalog, {}).source;
}

} // namespace

// What the verifier proves about index types is about the text: the variables from which offsets are computed have the types of the IR,
// and a narrower one than the offsets need does not compile without a warning (the_host_compiler_has_nothing_to_say).
TEST(Emission, indices_have_the_types_that_are_verified) {
    const Variant& rows = variant("rows");
    const std::string text = emitted(rows.unit, rows);
    EXPECT_THAT(
        text, HasSubstr(", size_t first, size_t n) {\n    first += size_t{blockIdx.x} * 32;\n    const int count = static_cast<int>("));
    EXPECT_THAT(text, HasSubstr("    const int element_5 = int(threadIdx.x / 5);"));
    Unit narrow = rows.unit;
    narrow.kernels[0].first = IndexType::i32;
    EXPECT_THAT(findings(narrow), Not(IsEmpty()));
    EXPECT_THAT(emitted(narrow, rows), HasSubstr(", int first, int n) {\n    first += int{blockIdx.x} * 32;"));
    Unit wide = rows.unit;
    wide.kernels[0].element = IndexType::u64;
    EXPECT_THAT(findings(wide), IsEmpty());
    EXPECT_THAT(emitted(wide, rows), HasSubstr("    const size_t element_5 = size_t(threadIdx.x / 5);"));
    const std::filesystem::path folder = scratch();
    const auto compiles = [&](const Unit& unit) {
        write(folder / "fused.h", emit(unit, rows.program->graph, rows.program->catalog, {}).header);
        write(folder / "fused.cu", emitted(unit, rows));
        return runs("c++ -std=c++17 -Wall -Wextra -Wconversion -Werror -Wno-unknown-pragmas -fsyntax-only -x c++ -I'" + root +
                "/elementary-lib/emulation' '" + (folder / "fused.cu").string() + "'",
            folder / "log");
    };
    EXPECT_TRUE(compiles(rows.unit));
    EXPECT_FALSE(compiles(narrow));
    EXPECT_THAT(read(folder / "log"), HasSubstr("narrowing"));
}

// The guard is that of the step: without one, threads of elements past the end compute too, and the verifier sees what they read.
TEST(Emission, guards_are_those_that_are_verified) {
    const Variant& demo = variant("demo");
    EXPECT_THAT(emitted(demo.unit, demo), HasSubstr("    if (element < count) {"));
    Unit unguarded = demo.unit;
    for (Step& step : unguarded.kernels[0].steps) {
        if (auto* compute = std::get_if<Compute>(&step)) {
            compute->guarded = false;
        }
    }
    EXPECT_THAT(emitted(unguarded, demo), HasSubstr("    if (element < 64) {"));
    EXPECT_THAT(findings(unguarded), Not(IsEmpty()));
}

TEST(Emission, launch_bounds_name_the_blocks_that_registers_must_allow) {
    const Variant& demo = variant("demo");
    EXPECT_THAT(emitted(demo.unit, demo), HasSubstr("__launch_bounds__(64) demo_F("));
    Unit bounded = demo.unit;
    bounded.kernels[0].resident_blocks = 12;
    EXPECT_THAT(emitted(bounded, demo), HasSubstr("__launch_bounds__(64, 12) demo_F("));
}

TEST(Emission, more_than_48_kib_are_asked_for) {
    EXPECT_THAT(variant("large").emit(90, true).source,
        HasSubstr("return fusec::launch_large(fusec::aligned16(lists, first) ? large_C<double2> : large_C<double>, count, 32, "));
}

TEST(Emission, kernels_pass_data_through_the_workspace) {
    const std::string text = variant("chain").emit(90, true).source;
    EXPECT_THAT(text, HasSubstr("constexpr size_t chain_slots[] = {36, 4}; // bytes per element of the slots of the workspace\n"));
    EXPECT_THAT(text, HasSubstr("return n > size_t{1} << 40 ? ~size_t{0} : fusec::slots_bytes(n, chain_slots);"));
    EXPECT_THAT(text,
        HasSubstr("if (arguments == nullptr || workspace_bytes < needed_bytes || reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0)"));
    EXPECT_THAT(text,
        HasSubstr("float* const s1 = reinterpret_cast<float*>(static_cast<unsigned char*>(workspace) + fusec::slot_bytes(count, 36));"));
}

TEST(Emission, names_of_the_program_win_over_names_of_the_generator) {
    const std::string text = variant("hostile").emit(90, true).source;
    EXPECT_THAT(text,
        HasSubstr("hostile_C_value(const float* __restrict__ A, const float* __restrict__ A_view, float* __restrict__ C, float* "
                  "__restrict__ C_value,"));
    EXPECT_THAT(
        text, HasSubstr("const auto A_view_tile = fusec::load_tile_words<Vector, 64, 4>(shared + 256, A_view + first * 4, count);"));
    EXPECT_THAT(text, HasSubstr("fusec::store_all(C + (first + element) * 4, C_value_);"));
}

TEST(Embedding, comments_are_stripped_and_strings_kept) {
    EXPECT_EQ(without_comments("// a\nint x; // b\n/* c\nd */ int y;\n\n\nconst char* s = \"// no\";\nint z = 1'000; // e\n"),
        "int x;\n int y;\n\nconst char* s = \"// no\";\nint z = 1'000;\n");
}

TEST(Embedding, chunks_name_what_they_define_and_need) {
    for (const RuntimeHeader& header : runtime_headers()) {
        for (const Chunk& chunk : chunks_of(header)) {
            // `simd_sqrt` is the overload of `sqrt` for lanes.
            const std::string defined = chunk.name == "device" ? "FUSEC_DEVICE"
                : chunk.name.starts_with("simd_")              ? chunk.name.substr(5)
                                                               : chunk.name;
            EXPECT_THAT(chunk.text, HasSubstr(defined)) << header.name;
            EXPECT_THAT(chunk.text, Not(HasSubstr("//")));
        }
    }
}

// Calibrations of hosts are told apart by it: what kernels of a host do counts, and where it stands, not what is said of it nor what only GPUs do.
TEST(HostRuntime, IsNamedByWhatItsHeadersDo) {
    const auto name_with = [](std::string_view header, std::string_view before, std::string_view after) {
        std::vector<RuntimeHeader> headers = runtime_headers();
        const auto found = std::ranges::find(headers, header, &RuntimeHeader::name);
        EXPECT_NE(found, headers.end()) << header;
        std::string text(found->text);
        const std::size_t at = text.find(before);
        EXPECT_NE(at, std::string::npos) << before;
        text.replace(at, before.size(), after);
        found->text = text;
        return name_of_host_runtime(headers);
    };
    const std::string today = name_of_host_runtime();
    EXPECT_EQ(today.size(), 16U);
    EXPECT_NE(name_with("transposition.hpp", "most_words_at_once = 28", "most_words_at_once = 24"), today);
    EXPECT_NE(name_with("simd.hpp", "vector_bytes = 64", "vector_bytes = 32"), today);
    EXPECT_EQ(name_with("transposition.hpp", "// [chunk", "// A word more.\n// [chunk"), today);
    EXPECT_EQ(name_with("launch.cuh", "(", "( "), today);
    std::vector<RuntimeHeader> renamed = runtime_headers();
    std::ranges::find(renamed, "simd.hpp", &RuntimeHeader::name)->name = "other.hpp";
    EXPECT_NE(name_of_host_runtime(renamed), today);
}

} // namespace fusec::codegen::test
