// SPDX-License-Identifier: Apache-2.0
// The command line as plain values. Parsing is CLI11's: options.cpp, option_groups, usage_errors.
#pragma once

#include "elementary-lib/type.hpp"
#include "fusion/target.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fusec::cli {

using Path = std::filesystem::path;

/// The device of `--target host` without `--device`: this machine, by the description that comes with the compiler or a calibration over it.
inline constexpr const char* host_base = "host-generic";

enum class Color {
    automatic,
    always,
    never
};

/// What every command that compiles a program takes.
struct CompileOptions {
    Path program;
    fusion::Target target = fusion::Target::cuda;
    std::string device; ///< empty: h200 for cuda, host-generic for host
    std::optional<int> arch;
    std::uint64_t elements = 1048576;
    Precision real = Precision::f32;
    std::vector<Path> libraries;
    std::optional<int> max_fusion; ///< most calls that compute in one kernel; nothing: 8 enumerated, and grown ones of up to 512
    std::size_t max_fusions = 0;   ///< 0: by the number of calls
    double time_limit = 0;
    std::string plan = "auto"; ///< auto, none, max, greedy, or a plan file
    bool recompute = true;
    bool reassociate = false;
    bool checked = false; ///< assertions are compiled
    std::string predictor = "composite";
    bool compiled_prices = false; ///< the best plans are compared by what compilers make of their kernels
    bool embed_runtime = true;
    bool entries = false; ///< a launch function for each program block
    int runners_up = 0;
    bool with_steps = false;  ///< candidates have the steps of their work, which takes longer
    bool plain_lists = false; ///< `store` is left out: every list has the precision of its values
    bool time_stages = false;
    std::vector<std::string> dump; ///< stage values to print on stdout
};

/// `fusec PROGRAM.fus -o fused.cu`
struct Compile {
    CompileOptions options;
    std::optional<Path> output;
    std::optional<Path> json;
    std::optional<Path> save_plan;
    std::vector<std::pair<std::string, Path>> dot; ///< ("dag" | "plan", file)
    std::optional<Path> depfile;                   ///< what the compile has read, for the build that calls it; no output by itself
};

/// Whether a compile has any output. One without is wrong, but its program is read: all that is wrong with the line is told at once.
inline bool writes_something(const Compile& compile) {
    return compile.output || compile.json || compile.save_plan || !compile.dot.empty() || !compile.options.dump.empty();
}
inline constexpr const char* nothing_to_write = "nothing to write: give -o FILE, --json, --save-plan, --dot or --dump";

/// `fusec run PROGRAM.fus`
struct Run {
    CompileOptions options;
    std::optional<std::uint64_t> elements; ///< else from the files, else 1024
    std::uint64_t seed = 1;
    std::vector<std::pair<std::string, Path>> inputs;
    std::vector<std::pair<std::string, Path>> outputs;
};

/// `fusec explore PROGRAM.fus`
struct Explore {
    CompileOptions options;
    int top = 5;
    std::optional<Path> json;
};

/// `fusec why PROGRAM.fus CALL CALL`
struct Why {
    CompileOptions options;
    std::string first;
    std::string second;
};

/// `fusec verify PROGRAM...`
struct Verify {
    CompileOptions options; ///< `program` is set from each of `programs`
    std::vector<Path> programs;
    bool all = false;
    std::optional<Path> source;
    std::vector<std::string> executors; ///< "host", "emulated", "gpu"; empty: host and emulated
    std::optional<Path> json;
    std::uint64_t seed = 1;
};

/// `fusec predict PROGRAM.fus`
struct Predict {
    CompileOptions options;
    bool all = false;                ///< every kept candidate, not the kernels of the plan alone
    std::optional<std::string> only; ///< that predictor; else all that serve the device
    std::optional<Path> json;
};

/// `fusec bench PROGRAM.fus`
struct Bench {
    CompileOptions options;                ///< for the host
    std::optional<std::uint64_t> elements; ///< else as many as two gibibytes of lists hold
    bool all = false;                      ///< every kept candidate, not the kernels of the plan alone
    std::optional<std::size_t> sample;     ///< so many candidates
    std::size_t rounds = 7;
    std::uint64_t seed = 1; ///< of the sample
    std::optional<Path> json;
};

/// `fusec calibrate --target host -o FILE | --target cuda --emit DIR | --import FILE`
struct Calibrate {
    std::optional<Path> imported; ///< a calibration, or what the probes of a GPU have measured
    std::optional<Path> emitted;  ///< folder for the probes of a GPU; neither: this host is measured
    std::optional<Path> output;   ///< else the folder where calibrations are found by name
    std::string device = "h200";  ///< description that the GPU's figures are laid over
    std::string name;             ///< of the device that it makes; empty: that of the description
    std::vector<Path> programs;
};

/// `fusec devices [show NAME]`
struct Devices {
    std::optional<std::string> show;
};

/// `fusec library list | show NAME | check [DIR]`
struct Library {
    enum class Action {
        list,
        show,
        check
    } action = Action::list;
    std::string name;
    std::vector<Path> folders;
};

using Command = std::variant<Compile, Run, Explore, Why, Verify, Predict, Bench, Calibrate, Devices, Library>;

struct CommandLine {
    Command command;
    Color color = Color::automatic;
};

/// Parses the arguments. When there is nothing to run (help, version, a usage error) the text is already printed and the
/// exit code is returned: 0 or 2.
std::variant<CommandLine, int> parse_command_line(int argc, char** argv);

} // namespace fusec::cli
