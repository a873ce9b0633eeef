// SPDX-License-Identifier: Apache-2.0
// Compiling for analysis, its cache, PTX and ptxas.
#include "analysed.hpp"
#include "perfmodel/analysis/ptxas.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fusec::perfmodel::analysis {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* scale = "__global__ void scale(float* a) { a[threadIdx.x] *= 2.0f; }\n";

DeviceText unit(const std::string& text) {
    DeviceText made;
    made.files = {{"test.cu", text}};
    return made;
}

DeviceCompiler compiler() {
    Diagnostics diagnostics;
    const auto found = find_device_compiler(diagnostics);
    EXPECT_TRUE(found) << messages(diagnostics);
    return found.value_or(DeviceCompiler{});
}

class CacheTest : public testing::Test {
protected:
    CacheTest() {
        std::string pattern = (fs::temp_directory_path() / "fusec-cache-test-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~CacheTest() override { fs::remove_all(folder_); }

    fs::path entry() const {
        for (const auto& file : fs::directory_iterator(folder_)) {
            return file.path();
        }
        return {};
    }
    static std::size_t count(const fs::path& folder) {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
    }

    fs::path folder_;
};

TEST_F(CacheTest, HoldsWhatWasCompiledAndNeedsNoClangThen) {
    Diagnostics diagnostics;
    const auto made = compile_device_text(unit(scale), compiler(), folder_, diagnostics);
    ASSERT_TRUE(made) << messages(diagnostics);
    EXPECT_FALSE(made->from_cache);
    EXPECT_EQ(count(folder_), 1) << "no temporary is left";

    const DeviceCompiler gone{"/no/such/clang", compiler().version};
    const auto kept = compile_device_text(unit(scale), gone, folder_, diagnostics);
    ASSERT_TRUE(kept) << messages(diagnostics);
    EXPECT_TRUE(kept->from_cache);
    EXPECT_EQ(kept->bitcode, made->bitcode);
    EXPECT_TRUE(diagnostics.all().empty()) << messages(diagnostics);

    // Another text, flag, architecture or version is another entry, and a clang that is gone is an error.
    DeviceText other = unit(scale);
    other.contract = false;
    DeviceText older = unit(scale);
    older.architecture = "sm_80";
    for (const DeviceText& text : {unit(std::string(scale) + "\n"), other, older}) {
        Diagnostics errors;
        EXPECT_FALSE(compile_device_text(text, gone, folder_, errors));
        ASSERT_EQ(errors.all().size(), 1);
        EXPECT_EQ(errors.all()[0].kind.name, kind::no_device_compiler.name);
    }
    Diagnostics errors;
    EXPECT_FALSE(compile_device_text(unit(scale), {"/no/such/clang", "19.0.0"}, folder_, errors));
}

TEST_F(CacheTest, DamagedEntryIsToldAndMadeAnew) {
    Diagnostics quiet;
    const auto made = compile_device_text(unit(scale), compiler(), folder_, quiet);
    ASSERT_TRUE(made);
    const std::string whole = [&] {
        std::ifstream stream(entry(), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    }();
    std::string flipped = whole;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
    for (const std::string& damaged : {std::string(), std::string("x"), whole.substr(0, whole.size() / 2), flipped}) {
        std::ofstream(entry(), std::ios::binary) << damaged;
        Diagnostics diagnostics;
        const auto again = compile_device_text(unit(scale), compiler(), folder_, diagnostics);
        ASSERT_TRUE(again) << messages(diagnostics);
        ASSERT_EQ(diagnostics.all().size(), 1);
        EXPECT_EQ(diagnostics.all()[0].kind.name, kind::damaged_cache_entry.name);
        EXPECT_EQ(diagnostics.all()[0].kind.severity, Severity::warning);
        EXPECT_FALSE(again->from_cache);
        EXPECT_EQ(again->bitcode, made->bitcode);
        EXPECT_TRUE(compile_device_text(unit(scale), compiler(), folder_, diagnostics)->from_cache) << "whole again";
    }
}

TEST_F(CacheTest, EntryThatIsFoundIsMarkedAsUsed) {
    Diagnostics diagnostics;
    ASSERT_TRUE(compile_device_text(unit(scale), compiler(), folder_, diagnostics));
    // Later than the last change of the file, so that a file system that is mounted with `relatime` sets no time of access itself.
    const std::time_t in_an_hour = std::time(nullptr) + 3600;
    const std::array<timespec, 2> times{{{in_an_hour, 0}, {1000, 0}}};
    ASSERT_EQ(::utimensat(AT_FDCWD, entry().c_str(), times.data(), 0), 0);
    ASSERT_TRUE(compile_device_text(unit(scale), compiler(), folder_, diagnostics)->from_cache);
    struct stat state{};
    ASSERT_EQ(::lstat(entry().c_str(), &state), 0);
    EXPECT_LT(state.st_atime, in_an_hour - 60) << "used now";
    EXPECT_EQ(state.st_mtime, 1000) << "not written";
}

TEST_F(CacheTest, ThatCannotBeWrittenIsLeftAside) {
    Diagnostics diagnostics;
    std::ofstream(folder_ / "file") << "";
    const auto made = compile_device_text(unit(scale), compiler(), folder_ / "file" / "below", diagnostics);
    EXPECT_TRUE(made);
    ASSERT_EQ(diagnostics.all().size(), 1);
    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::no_cache.name);
}

TEST(DeviceCompiler, ThatIsAbsentIsAnError) {
    ASSERT_EQ(::setenv("FUSEC_CLANG", "/no/such/clang", 1), 0);
    Diagnostics diagnostics;
    EXPECT_FALSE(find_device_compiler(diagnostics));
    ::unsetenv("FUSEC_CLANG");
    ASSERT_EQ(diagnostics.all().size(), 1);
    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::no_device_compiler.name);
    EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("looked for `/no/such/clang`"));
    EXPECT_TRUE(diagnostics.has_errors());
}

TEST(DeviceCode, TextThatDoesNotCompileIsAnError) {
    Diagnostics diagnostics;
    EXPECT_FALSE(compile_device_text(unit("__global__ void k(float* a) { a[0] = warp_speed(); }\n"), compiler(), {}, diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1);
    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::device_compile_failed.name);
    EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("undeclared identifier 'warp_speed'"));
}

TEST(DeviceModule, UnknownKernelAndImpossibleLaunchAreErrors) {
    const auto module = module_of(scale);
    Launch launch;
    launch.threads = 32;
    Diagnostics diagnostics;
    EXPECT_FALSE(module->profile("stale", launch, hopper_latencies(), diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1);
    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::static_analysis.name);
    EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("the text has `scale`"));
    launch.threads = 0;
    EXPECT_FALSE(module->profile("scale", launch, hopper_latencies(), diagnostics));
    Diagnostics unreadable;
    EXPECT_FALSE(DeviceModule::read({"BC\xc0\xde no bitcode", "", "sm_90"}, unreadable));
    EXPECT_TRUE(unreadable.has_errors());
}

TEST(DeviceModule, RoutinesOfTheRuntimeAreFollowed) {
    DeviceText text = unit("#include <fusec/checks.cuh>\n#include <fusec/convert.cuh>\n#include <fusec/copy.cuh>\n"
                           "#include <fusec/exchange.cuh>\n#include <fusec/launch.cuh>\n#include <fusec/lists.cuh>\n"
                           "#include <fusec/math.cuh>\n#include <fusec/own.cuh>\n#include <fusec/precision.cuh>\n"
                           "__global__ void k(const double* a, double* b) {\n"
                           "    const fusec::lane<8> lane{static_cast<int>(threadIdx.x % 8)};\n"
                           "    const auto x = fusec::load_vectors<16, double, 2, 2>(a + 4 * threadIdx.x);\n"
                           "    b[threadIdx.x] = fusec::sum_over(lane, fusec::max(x.data[0], x.data[1]) * x.data[2]);\n"
                           "}\n");
    text.include_folders = {std::string(FUSEC_SOURCE_DIR) + "/elementary-lib/runtime"};
    Launch launch;
    launch.threads = 32;
    const KernelProfile profile = profile_of(*module_of(text), "k", launch);
    EXPECT_EQ(profile.longest.counts[InstructionClass::shuffle], 2 * 3);
    EXPECT_EQ(profile.longest.counts[InstructionClass::add_f64], 3) << "__dadd_rn is not contracted";
    EXPECT_EQ(profile.longest.counts[InstructionClass::global_load], 2);
    EXPECT_THAT(profile.unknowns, testing::IsEmpty());
}

TEST(DeviceModule, ArchitecturesWithoutAsynchronousCopiesCopyThroughRegisters) {
    DeviceText text = demo_text();
    text.files[0].text.erase(text.files[0].text.find("#if defined(__CUDA_ARCH__)"),
        text.files[0].text.find("#endif") - text.files[0].text.find("#if defined(__CUDA_ARCH__)") + 6);
    Launch launch;
    launch.threads = 32;
    launch.arguments = {{"first", 0}, {"n", 1 << 20}};
    for (const std::string architecture : {"sm_75", "sm_80"}) {
        text.architecture = architecture;
        const auto module = module_of(text);
        const KernelProfile profile = profile_of(*module, "demo_kernels::demo_F<float4>", launch);
        EXPECT_EQ(profile.block[InstructionClass::async_copy], architecture == "sm_75" ? 0 : 32 * 71 / 4);
        EXPECT_EQ(profile.block[InstructionClass::global_load], architecture == "sm_75" ? 32 * 71 / 4 : 0);
        EXPECT_EQ(profile.bytes(Space::global, false), 32 * 71 * 4);
        Diagnostics diagnostics;
        EXPECT_THAT(module->ptx(diagnostics).value_or(""), HasSubstr(".target " + architecture));
    }
}

std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

TEST(Ptx, HoldsTheInstructionsThatAreCounted) {
    const auto module = module_of(demo_text());
    Diagnostics diagnostics;
    const auto ptx = module->ptx(diagnostics);
    ASSERT_TRUE(ptx) << messages(diagnostics);
    EXPECT_THAT(*ptx, HasSubstr(".target sm_90"));
    EXPECT_EQ(occurrences(*ptx, ".entry "), 2);
    Launch launch;
    launch.threads = 32;
    launch.arguments = {{"first", 0}, {"n", 1 << 20}};
    const ByClass counts = profile_of(*module, "demo_kernels::demo_F<float4>", launch).longest.counts;
    // The arithmetic is straight-line code, so a thread executes what stands there; two kernels have the same.
    EXPECT_EQ(occurrences(*ptx, "fma.rn.f32"), 2 * counts[InstructionClass::fma_f32]);
    EXPECT_EQ(occurrences(*ptx, "mul.rn.f32") + occurrences(*ptx, "mul.f32"), 2 * counts[InstructionClass::mul_f32]);
    EXPECT_EQ(occurrences(*ptx, "add.rn.f32") + occurrences(*ptx, "add.f32"), 2 * counts[InstructionClass::add_f32]);
    EXPECT_EQ(occurrences(*ptx, "bar.warp.sync"), 2 * 2);
    EXPECT_GT(occurrences(*ptx, "cp.async.cg.shared.global"), 0);

    const auto plain = module_of(scale)->ptx(diagnostics);
    ASSERT_TRUE(plain);
    EXPECT_THAT(*plain, HasSubstr("ld.global"));
}

TEST(Ptxas, AcceptsThePtx) {
    std::string looked_for;
    const auto ptxas = find_ptxas(&looked_for);
    if (!ptxas) {
        GTEST_SKIP() << "no ptxas: looked for " << looked_for;
    }
    Diagnostics diagnostics;
    const auto module = module_of(demo_text());
    const auto kernels = assemble(module->ptx(diagnostics).value_or(""), "sm_90", *ptxas, diagnostics);
    ASSERT_TRUE(kernels) << messages(diagnostics);
    ASSERT_EQ(kernels->size(), 2);
    for (const AssembledKernel& kernel : *kernels) {
        EXPECT_THAT(module->kernels(), testing::Contains(kernel.kernel));
        EXPECT_GE(kernel.registers, 32);
        EXPECT_LE(kernel.registers, 255);
        EXPECT_EQ(kernel.spill_store_bytes, 0);
    }
    const auto external =
        assemble(module_of("__global__ void k(float* a) { __shared__ float s[64]; s[threadIdx.x] = expf(a[threadIdx.x]);\n"
                           "    __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }\n")
                     ->ptx(diagnostics)
                     .value_or(""),
            "sm_90", *ptxas, diagnostics);
    ASSERT_TRUE(external) << messages(diagnostics);
    EXPECT_EQ(external->at(0).shared_bytes, 256);
    EXPECT_FALSE(assemble("no ptx", "sm_90", *ptxas, diagnostics));
    EXPECT_EQ(diagnostics.all().back().kind.name, kind::static_analysis.name);
}

TEST(Ptxas, ReportIsRead) {
    const auto kernels =
        parse_report("ptxas info    : 0 bytes gmem\n"
                     "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
                     "ptxas info    : Function properties for _Z1kPf\n"
                     "    48 bytes stack frame, 44 bytes spill stores, 52 bytes spill loads\n"
                     "ptxas info    : Used 255 registers, used 1 barriers, 48 bytes cumulative stack size, 1024 bytes smem\n");
    ASSERT_EQ(kernels.size(), 1);
    EXPECT_EQ(kernels[0].kernel, "k");
    EXPECT_EQ(kernels[0].registers, 255);
    EXPECT_EQ(kernels[0].stack_bytes, 48);
    EXPECT_EQ(kernels[0].spill_store_bytes, 44);
    EXPECT_EQ(kernels[0].spill_load_bytes, 52);
    EXPECT_EQ(kernels[0].shared_bytes, 1024);
}

TEST(KernelName, IsThatOfTheSource) {
    EXPECT_EQ(kernel_name("_ZN12demo_kernels6demo_FIDv4_fEEvPKfS3_S3_S3_S3_Pfmm"), "demo_kernels::demo_F<float4>");
    EXPECT_EQ(kernel_name("plain"), "plain");
    EXPECT_EQ(kernel_name("_Z1kPFviE"), "k");
}

} // namespace
} // namespace fusec::perfmodel::analysis
