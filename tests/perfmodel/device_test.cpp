// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/device.hpp"

#include "perfmodel/assumed_figures.hpp"
#include "perfmodel/composite.hpp"
#include "perfmodel/device_figures.hpp"
#include "support/files.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/random_kernels.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Devices, TheStandardOnesAllLoad) {
    EXPECT_THAT(device_names(),
        ElementsAre(
            "a100", "a100-40", "a40", "gh200", "gtx480", "h100", "h100-pcie", "h200", "host-generic", "l40", "mi210", "rtx4090", "v100"));
    for (const std::string& name : device_names()) {
        const Device device = standard_device(name);
        EXPECT_EQ(device.name, name);
        EXPECT_FALSE(device.summary.empty());
        EXPECT_EQ(device.limits.target == fusion::Target::host, name == "host-generic");
        EXPECT_EQ(device.calibration, "");
        EXPECT_GE(device.figures.size(), 15U);
        for (const Figure& figure : device.figures) {
            EXPECT_GE(figure.source.size(), 10U) << name << " " << figure.key;
        }
        for (const StreamLaw* law : {&device.read, &device.write, &device.copy, &device.mixed}) {
            EXPECT_LE(law->peak_gb_per_s, 1.02 * device.dram_gb_per_s) << name << ": more than the data sheet";
            EXPECT_GE(law->peak_gb_per_s, 0.7 * device.dram_gb_per_s) << name;
        }
    }
}

TEST(Devices, EveryFigureOfCompositeIsGivenOrSaidToBeAssumed) {
    for (const std::string& name : device_names()) {
        const Device device = standard_device(name);
        std::set<std::string> listed;
        for (const auto& figures : {device.figures, assumed_figures(device)}) {
            for (const Figure& figure : figures) {
                EXPECT_TRUE(listed.insert(figure.key).second) << name << " " << figure.key;
                EXPECT_GE(figure.source.size(), 10U) << name << " " << figure.key;
            }
        }
        for (const Field& field : device_fields()) {
            if (field.serves(device.limits.target) && field.get != nullptr) {
                EXPECT_TRUE(listed.contains(field.key)) << name << " " << field.key;
            }
        }
        EXPECT_TRUE(device.limits.target == fusion::Target::host || listed.contains("latency.l2")) << name;
    }
}

/// What `composite` takes for random kernels, from one block to many waves.
std::vector<double> predicted(const Device& device) {
    std::vector<double> seconds;
    RandomKernels random(7);
    for (int i = 0; i < 200; ++i) {
        fusion::KernelWork work = random.measured();
        work.repeated = i % 2 == 0; // from L2
        for (const std::uint64_t elements : {1U, 1000U, 1U << 16U, 1U << 23U}) {
            seconds.push_back(composite_cuda(device, work, elements).cost.seconds);
        }
    }
    return seconds;
}

TEST(Devices, WhatIsSaidToBeAssumedIsWhatCompositeTakes) {
    for (const std::string name : {"h200", "v100", "mi210", "gtx480"}) {
        const Device device = standard_device(name);
        const std::vector<double> before = predicted(device);
        for (const Figure& figure : assumed_figures(device)) {
            Device given = device;
            ASSERT_TRUE(set_figure(given, figure.key, figure.value)) << name << " " << figure.key;
            const std::vector<double> after = predicted(given);
            for (std::size_t i = 0; i < before.size(); ++i) {
                ASSERT_DOUBLE_EQ(after[i], before[i]) << name << " " << figure.key;
            }
            ASSERT_TRUE(set_figure(given, figure.key, 2 * figure.value)) << name << " " << figure.key;
            EXPECT_NE(predicted(given), before) << name << " " << figure.key << " has no part in it";
        }
    }
}

TEST(Devices, WhatACalibrationGivesIsNotAssumed) {
    Device device = standard_device("h200");
    device.figures.push_back({"speed.barrier", 30, "cycles", "a test"});
    for (const Figure& figure : assumed_figures(device)) {
        EXPECT_NE(figure.key, "speed.barrier");
    }
}

TEST(Devices, FiguresKeepTheOrderOfTheFile) {
    const Device device = standard_device("h200");
    EXPECT_EQ(device.figures.front().key, "limits.arch");
    EXPECT_EQ(device.figures[11].key, "speed.clock");
    EXPECT_EQ(device.figures.back().key, "staircase.tb");
    EXPECT_EQ(device.limits.arch, 90);
    EXPECT_EQ(device.limits.sm_count, 132);
    EXPECT_DOUBLE_EQ(device.launch_us, 2.44);
    EXPECT_DOUBLE_EQ(device.mixed.tau_ns, 657);
    EXPECT_TRUE(device.limits.has_async_copy());
    EXPECT_FALSE(standard_device("v100").limits.has_async_copy());
    EXPECT_FALSE(standard_device("mi210").limits.has_async_copy());
}

TEST(Devices, TheRidgeIsWhereTheDataSheetsPutIt) {
    // FP64 and FP32 TFLOP/s of the data sheets at boost clock, scaled to the clock of the description.
    struct Row {
        const char* name;
        double f32, f64, boost_ghz;
    };
    for (const Row& row : {Row{"h100", 67, 34, 1.98}, Row{"a100", 19.5, 9.7, 1.41}, Row{"v100", 15.7, 7.8, 1.53},
             Row{"rtx4090", 82.6, 1.3, 2.52}, Row{"a40", 37.4, 0.585, 1.74}, Row{"h100-pcie", 51, 26, 1.755}, Row{"mi210", 22.6, 22.6, 1.7},
             Row{"gtx480", 1.345, 0.168, 1.401}}) {
        const Device device = standard_device(row.name);
        const double scale = 2e-3 * device.limits.sm_count * row.boost_ghz;
        EXPECT_NEAR(device.fma_f32 * scale / row.f32, 1, 0.03) << row.name;
        EXPECT_NEAR(device.fma_f64 * scale / row.f64, 1, 0.03) << row.name;
    }
}

class DeviceFiles : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "fusec-device-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        Diagnostics ignored;
        good = read_file(devices_folder() / "host-generic.toml", ignored).value_or("");
        ASSERT_FALSE(good.empty());
    }
    void TearDown() override { fs::remove_all(folder); }

    /// Messages of loading the host description with its first `from` replaced by `to`.
    std::string messages(const std::string& from, const std::string& to) {
        std::string text = good;
        const std::size_t place = text.find(from);
        EXPECT_NE(place, std::string::npos) << from;
        text.replace(place, from.size(), to);
        std::ofstream(folder / "mine.toml") << text;
        Diagnostics diagnostics;
        EXPECT_FALSE(load_device(folder / "mine.toml", diagnostics).has_value()) << to;
        EXPECT_EQ(diagnostics.exit_code(), 1);
        std::ostringstream out;
        render(diagnostics, out, false);
        std::string all = out.str();
        for (std::size_t at = 0; (at = all.find(folder.string() + "/", at)) != std::string::npos;) {
            all.erase(at, folder.string().size() + 1);
        }
        return all;
    }

    fs::path folder;
    std::string good;
};

TEST_F(DeviceFiles, AUserFileLoadsByPath) {
    std::ofstream(folder / "mine.toml") << good;
    Diagnostics diagnostics;
    const std::optional<Device> device = find_device((folder / "mine.toml").string(), diagnostics);
    ASSERT_TRUE(device.has_value());
    EXPECT_EQ(device->cores, 8);
    EXPECT_EQ(device->limits.vector_bytes, 32);
}

TEST_F(DeviceFiles, AnUnknownFigureIsLocatedWithAGuess) {
    const std::string text = messages("launch ", "lunch ");
    EXPECT_THAT(text, HasSubstr("mine.toml:20:1: error: no figure of a host device is named `speed.lunch` [unknown-figure]\n"));
    EXPECT_THAT(text, HasSubstr("hint: did you mean `speed.launch`?"));
    EXPECT_THAT(text, HasSubstr("mine.toml:1:1: error: the description has no `speed.launch` (us) [missing-figure]\n"));
}

// Both go into comments of what is emitted.
TEST_F(DeviceFiles, NameAndSummaryStayOnTheirLines) {
    EXPECT_THAT(messages("name = \"", "name = \"a\\nint x;"), HasSubstr("error: a control character in `name` [invalid-figure]"));
    EXPECT_THAT(messages("summary = \"", "summary = \"a\\u001b"), HasSubstr("error: a control character in `summary` [invalid-figure]"));
}

TEST_F(DeviceFiles, AFigureOfTheOtherTargetIsUnknown) {
    EXPECT_THAT(messages("[limits]", "[limits]\nsm_count = { value = 1, unit = \"multiprocessors\", source = \"a test\" }"),
        HasSubstr("mine.toml:8:1: error: no figure of a host device is named `limits.sm_count` [unknown-figure]"));
}

TEST_F(DeviceFiles, AFigureNeedsASource) {
    const std::string text = messages("source = \"AVX2 registers\"", "source = \" \"");
    EXPECT_THAT(text, HasSubstr("mine.toml:8:1: error: `limits.vector_bytes` has no source [invalid-figure]\n"));
    EXPECT_THAT(messages(", source = \"AVX2 registers\"", ""), HasSubstr("`limits.vector_bytes` has no source [invalid-figure]"));
}

TEST_F(DeviceFiles, AFigureNeedsItsUnitAndAPossibleValue) {
    EXPECT_THAT(messages("unit = \"GHz\"", "unit = \"MHz\""), HasSubstr("`speed.clock` is in `MHz`, needed in `GHz` [invalid-figure]"));
    EXPECT_THAT(
        messages("value = 3.0", "value = -3.0"), HasSubstr("`speed.clock` is -3, needed a number from 0.001 to 1000 [invalid-figure]"));
    EXPECT_THAT(
        messages("value = 3.0", "value = nan"), HasSubstr("`speed.clock` is nan, needed a number from 0.001 to 1000 [invalid-figure]"));
    EXPECT_THAT(messages("value = 3.0", "value = 9007199254740993"),
        HasSubstr("`speed.clock` is 9.00719925474e+15, needed a number from 0.001 to 1000 [invalid-figure]"));
    EXPECT_THAT(messages("value = 32", "value = 32.5"),
        HasSubstr("`limits.vector_bytes` is 32.5, needed a power of 2 from 16 to 256 [invalid-figure]"));
    EXPECT_THAT(messages("value = 32", "value = 24"),
        HasSubstr("`limits.vector_bytes` is 24, needed a power of 2 from 16 to 256 [invalid-figure]"));
    EXPECT_THAT(messages("value = 8,", "value = 1e300,"),
        HasSubstr("`speed.cores` is 1e+300, needed a whole number from 1 to 65536 [invalid-figure]"));
    EXPECT_THAT(messages("value = 2, unit = \"exponent\"", "value = 0.5, unit = \"exponent\""),
        HasSubstr("`speed.overlap_exponent` is 0.5, needed a number from 1 to 64 [invalid-figure]"));
    EXPECT_THAT(messages("value = 3.0", "value = \"3.0\""),
        HasSubstr("`value` of `speed.clock` is not one of a number `value`, a text `unit`, a text `source` [invalid-figure]"));
    EXPECT_THAT(messages("vector_bytes = { value = 32, unit = \"bytes\", source = \"AVX2 registers\" }", "vector_bytes = 32"),
        HasSubstr("`limits.vector_bytes` is a bare value [invalid-figure]"));
}

TEST_F(DeviceFiles, TextThatIsNotTomlIsLocatedInCodePoints) {
    // The message points behind two characters of two bytes each.
    EXPECT_THAT(messages("[limits]", "x = \"\u00e4\u00e4\" y"), HasSubstr("mine.toml:7:10: error: "));
    EXPECT_THAT(messages("[limits]", "[limits"), HasSubstr("[device-syntax]"));
    EXPECT_THAT(messages("[limits]", "[a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a]\n[limits]"),
        HasSubstr("mine.toml:7:34: error: a key of more than 16 parts [device-syntax]"));
}

TEST_F(DeviceFiles, ContradictingLimitsAreFound) {
    Diagnostics ignored;
    good = read_file(devices_folder() / "h200.toml", ignored).value_or("");
    EXPECT_THAT(messages("value = 232448", "value = 233472"),
        HasSubstr("a block of 233472 bytes and 1024 reserved exceed the 233472 bytes of a multiprocessor [invalid-figure]"));
    EXPECT_THAT(messages("threads_per_sm         = { value = 2048", "threads_per_sm         = { value = 512"),
        HasSubstr("a block of 1024 threads exceeds the 512 of a multiprocessor [invalid-figure]"));
    EXPECT_THAT(messages("warp_size              = { value = 32", "warp_size              = { value = 64"),
        HasSubstr("mine.toml:9:1: error: `limits.warp_size` is 64, needed 32 for `limits.arch` = 90 [invalid-figure]"));
    EXPECT_THAT(messages("arch                   = { value = 90", "arch                   = { value = 1000000000"),
        HasSubstr("`limits.arch` is 1000000000, needed a whole number from 0 to 999 [invalid-figure]"));
    EXPECT_THAT(messages("target = \"cuda\"", "target = \"cude\""),
        HasSubstr("mine.toml:5:10: error: `target` is `cude`, needed `cuda` or `host` [invalid-figure]"));
    EXPECT_THAT(messages("target = \"cuda\"", ""), HasSubstr("the description has no `target` [missing-figure]"));
}

TEST(Devices, FiguresAreReadAndSetByKey) {
    Diagnostics diagnostics;
    Device device = find_device("h200", diagnostics).value();
    // Every figure of the description, by its key, is what the file says.
    for (const Figure& each : device.figures) {
        EXPECT_EQ(figure(device, each.key), each.value) << each.key;
    }
    EXPECT_TRUE(set_figure(device, "stream.copy.tau", 600));
    EXPECT_EQ(device.copy.tau_ns, 600);
    EXPECT_EQ(figure(device, "stream.copy.tau"), 600);
    EXPECT_FALSE(set_figure(device, "stream.copy.tau", -1)) << "no possible value";
    EXPECT_FALSE(set_figure(device, "limits.sm_count", 1.5)) << "not whole";
    EXPECT_FALSE(set_figure(device, "stream.copy.rho", 1)) << "no figure";
    EXPECT_FALSE(set_figure(device, "speed.cores", 4)) << "of a host";
    EXPECT_EQ(device.copy.tau_ns, 600);
    EXPECT_EQ(figure(device, "no.such"), std::nullopt);
    // One that some predictors need and descriptions may leave out.
    device.optional_figures.clear();
    EXPECT_EQ(figure(device, "hong-kim.mem_ld"), std::nullopt);
    EXPECT_TRUE(set_figure(device, "hong-kim.mem_ld", 450));
    EXPECT_EQ(figure(device, "hong-kim.mem_ld"), 450);
}

TEST(Devices, AnUnknownNameIsACommandLineErrorWithTheNames) {
    Diagnostics diagnostics;
    EXPECT_FALSE(find_device("h20", diagnostics).has_value());
    EXPECT_EQ(diagnostics.exit_code(), 2);
    EXPECT_EQ(diagnostics.all().front().kind.name, "unknown-device");
    EXPECT_THAT(diagnostics.all().front().hint, HasSubstr("did you mean `h200`? known: a100, a100-40, a40, gh200, gtx480"));
    Diagnostics absent;
    EXPECT_FALSE(find_device("no/such.toml", absent).has_value());
    EXPECT_EQ(absent.all().front().kind.name, "unreadable-file");
}

} // namespace
} // namespace fusec::perfmodel
