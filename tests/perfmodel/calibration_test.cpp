// SPDX-License-Identifier: Apache-2.0
// Calibrations: written, read, laid over descriptions, found by name; what is wrong in one is told at its place.
#include "host_calibrations.hpp"
#include "perfmodel/predictor.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Calibration example() {
    return completed({"mine", "host-generic", "2026-11-20T10:00:00Z", "a processor", "0123456789abcdef0123456789abcdef01234567",
        {{"stream.copy.peak", 61.25, "GB/s", 9, 0.0125, "copies of 64 MB"}, {"speed.cores", 2, "cores", 1, 0, "asked of the system"}}});
}

class Calibrations : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "fusec-calibration-XXXXXX").string();
        folder = mkdtemp(pattern.data());
        setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
    }
    void TearDown() override { fs::remove_all(folder); }

    fs::path write(const fs::path& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
        return folder / name;
    }
    /// What reading the example reports with `before` replaced by `after`.
    std::string messages(const std::string& before, const std::string& after) const {
        std::string text = to_json(example());
        const std::size_t at = text.find(before);
        EXPECT_NE(at, std::string::npos) << before;
        return messages_of(text.replace(at, before.size(), after));
    }
    std::string messages_of(const std::string& text) const {
        Diagnostics diagnostics;
        const auto device = find_calibrated_device(write("x.json", text).string(), diagnostics);
        EXPECT_EQ(device.has_value(), !diagnostics.has_errors());
        std::ostringstream out;
        render(diagnostics, out, false);
        return std::move(out).str();
    }

    fs::path folder;
};

TEST_F(Calibrations, LieOverTheirDescription) {
    Diagnostics diagnostics;
    const auto device = find_calibrated_device(write("x.json", to_json(example())).string(), diagnostics);
    ASSERT_TRUE(device.has_value());
    const Device plain = standard_device("host-generic");
    EXPECT_EQ(device->name, "mine");
    EXPECT_EQ(device->copy.peak_gb_per_s, 61.25);
    EXPECT_EQ(device->cores, 2);
    EXPECT_EQ(device->read.peak_gb_per_s, plain.read.peak_gb_per_s) << "what was not measured stays";
    EXPECT_EQ(device->calibration.size(), 16U);
    EXPECT_EQ(device->figures.size(), plain.figures.size() + 2) << "`compute.window` and `benchmark.remap` besides";
    const auto figure =
        std::find_if(device->figures.begin(), device->figures.end(), [](const Figure& f) { return f.key == "stream.copy.peak"; });
    EXPECT_EQ(figure->source, "calibration of 2026-11-20T10:00:00Z (a processor): copies of 64 MB; 9 points, mean deviation 1.2 %");
    // And predictions follow: of the same bytes, a kernel takes as much longer as the bandwidth is less.
    fusion::KernelWork work;
    work.read_bytes = work.write_bytes = 1000;
    const auto before = make_predictor("composite", plain, diagnostics), after = make_predictor("composite", *device, diagnostics);
    EXPECT_GT(after->cost(work, 1000000).seconds, before->cost(work, 1000000).seconds);
}

TEST_F(Calibrations, AreFoundByTheNameOfTheDevice) {
    Diagnostics diagnostics;
    EXPECT_EQ(find_calibration("mine"), std::nullopt);
    EXPECT_EQ(find_calibrated_device("h200", diagnostics)->calibration, "") << "without one, the description";
    const fs::path file = write("fusec/calibrations/mine.json", to_json(example()));
    EXPECT_EQ(find_calibration("mine"), file);
    EXPECT_EQ(find_calibrated_device("mine", diagnostics)->cores, 2);
    EXPECT_EQ(files_of_device("mine"), (std::vector<fs::path>{file, device_file("host-generic")}));
    EXPECT_EQ(files_of_device("h200"), std::vector<fs::path>{device_file("h200")});
    EXPECT_FALSE(diagnostics.has_errors());
    // One of another device is an error, and so is one over another description than that of its name.
    write("fusec/calibrations/other.json", to_json(example()));
    EXPECT_EQ(find_calibrated_device("other", diagnostics), std::nullopt);
    Calibration wrong = example();
    wrong.name = "l40";
    write("fusec/calibrations/l40.json", to_json(wrong));
    EXPECT_EQ(find_calibrated_device("l40", diagnostics), std::nullopt);
    ASSERT_EQ(diagnostics.all().size(), 2U);
    EXPECT_THAT(diagnostics.all().back().message, HasSubstr("calibrates `l40` over `host-generic`, not `l40`"));
    // A damaged one is an error, not the description of the same name.
    write("fusec/calibrations/h200.json", "{");
    EXPECT_EQ(find_calibrated_device("h200", diagnostics), std::nullopt);
    EXPECT_EQ(diagnostics.all().size(), 3U);
    EXPECT_EQ(diagnostics.all().back().kind.name, "calibration-file");
}

// Never the description in place of a calibration that is there.
TEST_F(Calibrations, ThatCannotBeReadAreErrors) {
    fs::create_directories(folder / "fusec/calibrations/l40.json");
    fs::create_symlink("nowhere", folder / "fusec/calibrations/h200.json");
    for (const char* name : {"l40", "h200"}) {
        Diagnostics diagnostics;
        EXPECT_EQ(find_calibrated_device(name, diagnostics), std::nullopt) << name;
        ASSERT_EQ(diagnostics.all().size(), 1U);
        EXPECT_EQ(diagnostics.all().front().kind.name, "unreadable-file");
    }
    // One that may not be looked at; nothing is hidden from root.
    fs::permissions(folder / "fusec", fs::perms::none);
    if (::geteuid() != 0) {
        Diagnostics diagnostics;
        EXPECT_EQ(find_calibrated_device("a100", diagnostics), std::nullopt);
        EXPECT_EQ(diagnostics.all().front().kind.name, "unreadable-file");
    }
    fs::permissions(folder / "fusec", fs::perms::owner_all);
}

TEST_F(Calibrations, AreListedWithTheDescriptions) {
    const std::vector<std::string> before = known_device_names();
    EXPECT_THAT(before, testing::IsSupersetOf(device_names()));
    write("fusec/calibrations/mine.json", to_json(example()));
    write("fusec/calibrations/h200.json", "{");
    write("fusec/calibrations/notes.txt", "no calibration");
    std::vector<std::string> more = before;
    more.insert(std::lower_bound(more.begin(), more.end(), "mine"), "mine");
    EXPECT_EQ(known_device_names(), more);
}

TEST_F(Calibrations, AreAmongTheNamesThatAnUnknownOneIsToldBeside) {
    write("fusec/calibrations/mine.json", to_json(example()));
    Diagnostics diagnostics;
    EXPECT_EQ(find_calibrated_device("mime", diagnostics), std::nullopt);
    EXPECT_EQ(diagnostics.exit_code(), 2);
    EXPECT_EQ(diagnostics.all().front().kind.name, "unknown-device");
    EXPECT_THAT(diagnostics.all().front().hint,
        testing::AllOf(HasSubstr("did you mean `mine`? known: a100,"), HasSubstr(" mine, "),
            HasSubstr(" zen4-1core, zen5-1core, or a path that ends in .toml, or in .json")));
}

// Those that come with the compiler say when, where and at which commit they were made.
TEST_F(Calibrations, ThatComeWithTheCompilerAreWhole) {
    Diagnostics diagnostics;
    int count = 0;
    for (const auto& entry : fs::directory_iterator(calibration_folders().back())) {
        const auto calibration = read_calibration(entry.path(), diagnostics);
        ASSERT_TRUE(calibration) << entry.path() << diagnostics.all().front().message;
        EXPECT_EQ(calibration->name, entry.path().stem());
        EXPECT_THAT(calibration->commit, testing::MatchesRegex("[0-9a-f]*"));
        EXPECT_EQ(calibration->commit.size(), 40U);
        EXPECT_FALSE(calibration->routines.empty());
        const auto device = find_calibrated_device(calibration->name, diagnostics);
        ASSERT_TRUE(device) << entry.path() << diagnostics.all().front().message;
        EXPECT_EQ(device->calibration.size(), 16U);
        ++count;
    }
    EXPECT_GT(count, 0);
}

TEST_F(Calibrations, ComeBackAsTheyWereWritten) {
    Diagnostics diagnostics;
    const auto again = read_calibration(write("x.json", to_json(example())), diagnostics);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(to_json(*again), to_json(example()));
}

// A host's may name what its kernels load, store and loop with, and its device then does.
TEST_F(Calibrations, NameWhatTheirKernelsLoadWith) {
    Diagnostics diagnostics;
    Calibration made = example();
    made.kernels = "0123456789abcdef";
    const auto again = read_calibration(write("x.json", to_json(made)), diagnostics);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->kernels, made.kernels);
    EXPECT_EQ(to_json(*again), to_json(made));
    const auto device = calibrated_device(*again, diagnostics);
    ASSERT_TRUE(device.has_value());
    EXPECT_EQ(device->routine_times->kernels, made.kernels);
    made.base = "h200";
    EXPECT_FALSE(calibrated_device(made, diagnostics).has_value());
    EXPECT_TRUE(std::ranges::any_of(diagnostics.all(), [](const Diagnostic& each) { return each.message.starts_with("`kernels` names"); }));
    for (const char* nothing : {"", "a\\nb"}) {
        EXPECT_THAT(messages("\"figures\": [", "\"kernels\": \"" + std::string(nothing) + "\", \"figures\": ["),
            HasSubstr("error: `kernels` names nothing, or has a control character"));
    }
}

// A base that does not come with the compiler: its text is part of the calibration.
TEST_F(Calibrations, CarryADescription) {
    Diagnostics diagnostics;
    std::string text = read_file(devices_folder() / "host-generic.toml", diagnostics).value();
    const auto replace = [](std::string in, const std::string& before, const std::string& after) {
        return in.replace(in.find(before), before.size(), after);
    };
    text = replace(replace(text, "\"host-generic\"", "'a \"host\"'"), "value = 1.6", "value = 4.5");
    Calibration own = example();
    own.base = "a \"host\"";
    own.description = std::make_shared<const SourceText>("own.toml", text);
    const fs::path file = write("fusec/calibrations/mine.json", to_json(own));
    const auto again = read_calibration(file, diagnostics);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->description->text(), text);
    const auto device = find_calibrated_device("mine", diagnostics);
    ASSERT_TRUE(device.has_value());
    EXPECT_EQ(device->special, 4.5);
    EXPECT_EQ(device->cores, 2);
    EXPECT_EQ(files_of_device("mine"), std::vector<fs::path>{file});

    const auto said = [&](const Calibration& wrong) {
        Diagnostics found;
        EXPECT_FALSE(find_calibrated_device(write("x.json", to_json(wrong)).string(), found).has_value());
        std::ostringstream out;
        render(found, out, false);
        return std::move(out).str();
    };
    Calibration wrong = own;
    wrong.base = "another";
    EXPECT_THAT(said(wrong),
        HasSubstr("x.json (description):1:1: error: the description is of `a \"host\"`, and the figures are laid over `another`"));
    wrong = own;
    wrong.description = std::make_shared<const SourceText>("own.toml", replace(text, "launch ", "lunch "));
    EXPECT_THAT(said(wrong), HasSubstr("x.json (description):20:1: error: no figure of a host device is named `speed.lunch`"));
    wrong.description = std::make_shared<const SourceText>("own.toml", replace(text, "'a \"host\"'", "\"host-generic\""));
    wrong.name = wrong.base = "host-generic";
    EXPECT_THAT(said(wrong), HasSubstr("a calibration over `host-generic`, whose description it carries, is called `host-generic`"));
    wrong = own;
    wrong.base = "a\nhost";
    EXPECT_THAT(said(wrong), HasSubstr("x.json:5:11: error: a control character in `base`"));
}

// Without one of them, figures of this machine would stand beside described ones of another; without times, composite has other equations.
TEST_F(Calibrations, OfAHostHaveAllThatItsModelIsMadeOf) {
    const auto without = [](const std::string& begin) {
        Calibration some = example();
        EXPECT_NE(std::erase_if(some.figures, [&](const CalibratedFigure& each) { return each.key.starts_with(begin); }), 0U) << begin;
        return to_json(some);
    };
    for (const char* key : {"limits.vector_bytes", "speed.cores", "speed.clock", "speed.l2_bytes", "speed.dram", "speed.launch",
             "stream.read.peak", "stream.mixed.peak", "stream.copy.peak", "stream.write.peak", "compute.window", "benchmark.remap"}) {
        EXPECT_THAT(messages_of(without(key)),
            HasSubstr("x.json:9:14: error: the calibration of a host without `" + std::string(key) + "` [missing-figure]"));
    }
    EXPECT_THAT(messages_of(without("speed.l2")), HasSubstr("without `speed.l2_bytes`, `speed.l2` [missing-figure]"));
    EXPECT_THAT(messages_of(without("stream.")),
        HasSubstr("without `stream.read.peak`, `stream.mixed.peak`, `stream.copy.peak`, `stream.write.peak` [missing-figure]"));
    Calibration untimed = example();
    untimed.routines.clear();
    EXPECT_THAT(messages_of(to_json(untimed)),
        testing::AllOf(HasSubstr("x.json:9:14: error: the calibration of a host without times of routines [missing-figure]"),
            HasSubstr("hint: `fusec calibrate --target host -o FILE` measures all")));
    const std::string text = to_json(untimed);
    EXPECT_THAT(messages_of(text.substr(0, text.size() - 3) + ",\n \"routines\": {}}"),
        HasSubstr(
            ": error: the calibration of a host without times of routines [missing-figure]\n   \"routines\": {}}\n               ^~"));
    Diagnostics diagnostics;
    EXPECT_TRUE(device_so_far(untimed, diagnostics)) << "one that is being made";
    EXPECT_FALSE(calibrated_device(untimed, diagnostics));
    Calibration gpu{"mine", "h200", "2026-11-20T10:00:00Z", "a GPU", "fusec", {{"speed.launch", 3, "us", 1, 0, "a test"}}};
    EXPECT_EQ(messages_of(to_json(gpu)), "");
}

TEST_F(Calibrations, TheFiguresOfALastLevelBelongTogether) {
    const auto with = [](std::vector<CalibratedFigure> figures) {
        Calibration some = example();
        std::erase_if(some.figures, [](const CalibratedFigure& each) { return each.key.starts_with("speed.l3"); });
        some.figures.insert(some.figures.end(), figures.begin(), figures.end());
        return to_json(some);
    };
    const CalibratedFigure holds{"speed.l3_bytes", 3e7, "bytes", 1, 0, "a test"}, speed{"speed.l3", 60, "GB/s", 1, 0, "a test"};
    EXPECT_EQ(messages_of(with({})), "");
    EXPECT_EQ(messages_of(with({holds, speed})), "");
    EXPECT_THAT(messages_of(with({speed})),
        testing::AllOf(HasSubstr(": error: `speed.l3` without `speed.l3_bytes` [missing-figure]"), HasSubstr("both or neither")));
    EXPECT_THAT(messages_of(with({holds})), HasSubstr(": error: `speed.l3_bytes` without `speed.l3` [missing-figure]"));
}

TEST_F(Calibrations, SayWhenAndWhereTheyWereMade) {
    EXPECT_THAT(messages("a processor", ""), HasSubstr("x.json:7:14: error: `machine` is empty [calibration-file]"));
    EXPECT_THAT(messages("a processor", "  "), HasSubstr("`machine` is empty"));
    for (const char* date : {"2026-11-20T10:00:00Z", "2024-02-29T23:59:60Z"}) {
        EXPECT_EQ(messages("2026-11-20T10:00:00Z", date), "");
    }
    for (const char* date : {"yesterday", "", "2026-11-20", "2026-11-20T10:00:00", "2026-11-20T10:00:00+01", "2026-11-20 10:00:00Z",
             "2026-13-20T10:00:00Z", "2026-02-29T10:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T10:60:00Z", "2026-11-20T10:00:61Z",
             "2026-11-20T10:00:00Zz", "+026-11-20T10:00:00Z"}) {
        EXPECT_THAT(messages("2026-11-20T10:00:00Z", date),
            HasSubstr("x.json:6:11: error: no date of the form `2026-11-23T12:00:00Z` [calibration-file]"))
            << date;
    }
}

TEST_F(Calibrations, WhatIsWrongIsToldAtItsPlace) {
    EXPECT_EQ(messages("copies", "copies"), "");
    EXPECT_THAT(messages("\"schema\": 1", "\"schema\": 2"),
        HasSubstr("x.json:2:13: error: calibration of schema 2, this compiler reads schema 1 [calibration-file]"));
    EXPECT_THAT(messages("\"calibration\"", "\"plan\""), HasSubstr("`plan` where `calibration` is expected"));
    EXPECT_THAT(messages("\"mine\"", "\"../mine\""), HasSubstr("no name of a device: letters, digits"));
    EXPECT_THAT(messages("\"points\": 9", "\"points\": -9"), HasSubstr("-9 where a whole number from 0 on is expected"));
    EXPECT_THAT(messages("\"residual\": 0.0125", "\"residual\": -0.0125"), HasSubstr("a residual below zero"));
    EXPECT_THAT(messages("61.25", "\"much\""), HasSubstr("a value of kind string where number is expected"));
    EXPECT_THAT(
        messages("61.25", "-61.25"), HasSubstr("`stream.copy.peak` is -61.25, needed a number from 0.001 to 1000000000 [invalid-figure]"));
    EXPECT_THAT(messages("GB/s", "MB/s"), HasSubstr("`stream.copy.peak` is in `MB/s`, needed in `GB/s` [invalid-figure]"));
    EXPECT_THAT(messages("stream.copy.peak", "stream.copy.peek"), HasSubstr("did you mean `stream.copy.peak`?"));
    EXPECT_THAT(messages("stream.copy.peak", "stream.copy.tau"),
        HasSubstr("no figure of a host device is named `stream.copy.tau` [unknown-figure]"));
    EXPECT_THAT(messages("host-generic", "host-generik"),
        HasSubstr("x.json:5:11: error: no device is described as `host-generik`: did you mean `host-generic`? known: a100,"));
    EXPECT_THAT(messages("\"how\"", "\"hwo\""), HasSubstr("unknown key `hwo`"));
    EXPECT_THAT(messages("\"mine\"", "\"x\\rint injected;\""), HasSubstr("x.json:4:11: error: no name of a device"));
    EXPECT_THAT(messages("\"host-generic\"", "\"/etc/passwd\""), HasSubstr("x.json:5:11: error: no name of a device"));
    EXPECT_THAT(messages("a processor", "a\\nprocessor"), HasSubstr("a control character in `machine`"));
    EXPECT_THAT(messages("copies of", "copies\\u001b of"), HasSubstr("a control character in `how`"));
    EXPECT_THAT(messages("speed.cores", "stream.copy.peak"), HasSubstr("figure `stream.copy.peak` is given twice"));
    EXPECT_THAT(messages("speed.cores", "limits.arch"), HasSubstr("`limits.arch` is a limit of the device"));
}

} // namespace
} // namespace fusec::perfmodel
