// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include "cli/option_groups.hpp"
#include "cli/usage_errors.hpp"
#include "cli/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace fusec::cli {

namespace {

constexpr const char* examples = R"(Fuses a program of mapped elementary functions into few CUDA kernels.

Examples:
  fusec demo.fus -o fused.cu                 write fused.cu and fused.h for the default device
  fusec explore demo.fus --top 5             the space of fusions and the five best plans
  fusec run demo.fus -n 1000 --output F=F.npy   run on this machine with random inputs

Exit codes: 0 ok; 1 program, library, data or plan is wrong, or a file cannot be read or written; 2 command line;
3 a limit was met; 4 verify, check or diff found a mismatch; 70 internal error.)";

/// Splits NAME=FILE arguments; CLI11 reports the ones without `=`.
std::vector<std::pair<std::string, Path>> split_assignments(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, Path>> result;
    for (const std::string& text : texts) {
        const std::size_t equal = text.find('=');
        result.emplace_back(text.substr(0, equal), text.substr(equal + 1));
    }
    return result;
}

/// The command line: what each command takes, and what it makes of the words that were given.
class Parser {
public:
    Parser() : app_(examples, "fusec") {
        app_.set_version_flag("--version", version_and_commit());
        app_.require_subcommand(0, 1);
        app_.fallthrough(false);
        add_color(app_);
        add_compile();
        add_run();
        add_explore();
        add_why();
        add_verify();
        add_predict();
        add_bench();
        add_calibrate();
        add_devices();
        add_library();
    }

    std::variant<CommandLine, int> parse(int argc, char** argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::Success& help) {
            return app_.exit(help);
        } catch (const CLI::ParseError& error) {
            // CLI11 reports what is missing before what nobody expected; a misspelt word explains both.
            return app_.remaining(true).empty() ? usage_error(app_, error.what()) : unexpected_argument(app_, compile_.options.program);
        }
        const Path& word = compile_.options.program;
        if (app_.get_subcommands().empty() && is_misspelt_command(app_, word)) {
            return unknown_command(app_, word);
        }
        CommandLine line;
        line.color = color_ == "always" ? Color::always : color_ == "never" ? Color::never : Color::automatic;
        line.command = settle(argc > 1);
        if (const std::string text = check_threads(); !text.empty()) {
            wrong_.push_back(text);
        }
        if (!wrong_.empty()) {
            return usage_errors(app_, wrong_);
        }
        return line;
    }

private:
    void add_color(CLI::App& to) {
        named(to.add_option("--color", color_, "colours of messages (default auto)")->check(CLI::IsMember({"auto", "always", "never"})),
            "auto|always|never");
    }
    CLI::App& command(const std::string& name, const std::string& description) { return *app_.add_subcommand(name, description); }

    void add_compile() {
        add_program(app_, compile_.options, false);
        add_compile_options(app_, compile_.options, raw_);
        add_analysis(app_, raw_);
        named(app_.add_option(
                  "-o,--output", compile_.output, "CUDA (or host C++) file to write, the header beside it; - is stdout, both in one text"),
            "FILE");
        app_.add_flag("--entries", compile_.options.entries, "a launch function for each program block too");
        named(app_.add_option("--json", compile_.json, "write the report as JSON; - is stdout"), "FILE");
        named(app_.add_option("--save-plan", compile_.save_plan, "write the chosen plan as a plan file; - is stdout"), "FILE");
        named(app_.add_option("--dot", raw_.dot, "write the call graph or the plan for Graphviz; - is stdout")
                  ->type_size(2)
                  ->allow_extra_args(false),
            "dag|plan FILE");
        named(app_.add_option("--depfile", compile_.depfile, "write the files that were read as a rule of make for the output; needs -o"),
            "FILE");
    }
    Compile settle_compile(bool arguments) {
        finish(compile_.options);
        if (compile_.options.compiled_prices && compile_.options.plan == "auto") {
            constexpr int compared = 5; // plans, of which the best by their compiled kernels is taken
            compile_.options.runners_up = compared - 1;
        }
        for (std::size_t i = 0; i + 1 < raw_.dot.size(); i += 2) {
            if (raw_.dot[i] != "dag" && raw_.dot[i] != "plan") {
                wrong_.push_back("--dot: `" + raw_.dot[i] + "` is neither dag nor plan");
            }
            compile_.dot.emplace_back(raw_.dot[i], raw_.dot[i + 1]);
        }
        const auto streams = [](const std::optional<Path>& path) { return path == Path("-") ? 1 : 0; };
        const auto dots = std::ranges::count_if(compile_.dot, [](const auto& dot) { return dot.second == "-"; });
        if (compile_.options.program.empty()) {
            wrong_.emplace_back("no program is given");
        }
        if (compile_.depfile && (!compile_.output || compile_.output == Path("-"))) {
            wrong_.emplace_back("--depfile: its rule is for the file that `-o FILE` names, and there is none");
        }
        if (streams(compile_.output) + streams(compile_.json) + streams(compile_.save_plan) + streams(compile_.depfile) + dots > 1) {
            wrong_.emplace_back("several outputs are named `-`, standard output takes one");
        }
        if (arguments && !wrong_.empty() && !writes_something(compile_)) { // else told with what the program says
            wrong_.emplace_back(nothing_to_write);
        }
        return compile_;
    }

    void add_run() {
        CLI::App& app = command("run", "run a program on this machine; random inputs, within each domain, where none is given");
        add_program(app, run_.options);
        named(app.add_option("--device", run_.options.device,
                     "a host device: a name of `fusec devices`, or a .toml or calibration .json file (default host-generic)")
                  ->check(check_not_empty),
            "NAME|FILE");
        named(app.add_option("-n", run_.elements, "number of elements (default: that of the input files, else 1024)")
                  ->check([](const std::string& text) { return check_elements(text, 0); }),
            "ELEMENTS");
        add_space_options(app, run_.options, raw_);
        add_plan_options(app, run_.options, raw_);
        app.add_flag("--entries", run_.options.entries, "launch the program blocks one by one, and say how long each takes");
        named(app.add_option("--seed", run_.seed, "seed of the random inputs (default 1)")->check(whole(0, UINT64_MAX)), "SEED");
        named(app.add_option("--input", raw_.inputs, "read an input (repeatable)")->check(check_assignment)->allow_extra_args(false),
            "NAME=FILE.npy");
        named(app.add_option("--output", raw_.outputs, "write an output (repeatable)")->check(check_assignment)->allow_extra_args(false),
            "NAME=FILE.npy");
        add_color(app);
    }
    Run settle_run() {
        raw_.target = "host";
        finish(run_.options);
        run_.inputs = split_assignments(raw_.inputs);
        run_.outputs = split_assignments(raw_.outputs);
        return run_;
    }

    void add_explore() {
        CLI::App& app = command("explore", "the space of fusions, the best plans, and why the others lost");
        add_program(app, explore_.options);
        add_compile_options(app, explore_.options, raw_);
        add_analysis(app, raw_);
        top_ = named(
            app.add_option("--top", explore_.top, "number of plans, 1 to 1000 (default 5); needs --plan auto")->check(whole(1, 1000)), "N");
        named(app.add_option("--json", explore_.json, "write JSON instead of text; - is stdout"), "FILE");
        add_color(app);
    }
    Explore settle_explore() {
        finish(explore_.options);
        if (explore_.options.plan == "auto") {
            explore_.options.runners_up = explore_.top - 1;
        } else if (top_->count() > 0 && explore_.top > 1) {
            wrong_.push_back("--top " + std::to_string(explore_.top) + ": runner-up plans are those of --plan auto, --plan " +
                explore_.options.plan + " gives one");
        }
        return explore_;
    }

    void add_why() {
        CLI::App& app = command("why", "what fusing two calls would cost or gain, or the reason it cannot be");
        add_program(app, why_.options);
        add_target_options(app, why_.options, raw_);
        add_space_options(app, why_.options, raw_);
        named(app.add_option("FIRST", why_.first, "name of a call (the variable it defines)")->required(), "");
        named(app.add_option("SECOND", why_.second, "name of another call")->required(), "");
        add_color(app);
    }
    Why settle_why() {
        finish(why_.options);
        return why_;
    }

    void add_verify() {
        CLI::App& app = command("verify", "execute emitted kernels and compare with the reference");
        named(app.add_option("PROGRAM", verify_.programs, "program texts (.fus)")->required(), "...");
        add_compile_options(app, verify_.options, raw_);
        CLI::Option* all =
            app.add_flag("--all", verify_.all, "every kept candidate (a seeded 500 for more than 12 calls), not only the plan");
        named(app.add_option("--source", verify_.source, "check this emitted, also edited, text instead")->excludes(all), "FILE.cu");
        named(app.add_option("--executor", verify_.executors, "repeatable (default host and emulated)")
                  ->check(CLI::IsMember({"host", "emulated", "gpu"}))
                  ->allow_extra_args(false),
            "host|emulated|gpu");
        named(app.add_option("--json", verify_.json, "write the counts as JSON; - is stdout"), "FILE");
        named(app.add_option("--seed", verify_.seed, "seed of the inputs (default 1)")->check(whole(0, UINT64_MAX)), "SEED");
        add_color(app);
    }
    Verify settle_verify() {
        finish(verify_.options);
        return verify_;
    }

    void add_predict() {
        CLI::App& app = command("predict", "what every predictor says of the kernels");
        add_program(app, predict_.options);
        add_compile_options(app, predict_.options, raw_);
        add_analysis(app, raw_);
        app.add_flag("--all", predict_.all, "every kept candidate, not only the kernels of the plan");
        named(app.add_option("--only", predict_.only, "one predictor; --predictor is the one that the search uses"), "NAME");
        named(app.add_option("--json", predict_.json, "write JSON instead of text; - is stdout"), "FILE");
        add_color(app);
    }
    Predict settle_predict() {
        finish(predict_.options);
        return predict_;
    }

    void add_bench() {
        CLI::App& app = command("bench", "plans and kernels measured on this machine, beside their predictions");
        add_program(app, bench_.options);
        named(app.add_option("--device", bench_.options.device,
                     "a host device: a name of `fusec devices`, or a .toml or calibration .json file (default host-generic)")
                  ->check(check_not_empty),
            "NAME|FILE");
        named(app.add_option("-n", bench_.elements, "number of elements (default: as many as 2 GiB of lists hold, at most 1048576)")
                  ->check([](const std::string& text) { return check_elements(text, 1); }),
            "ELEMENTS");
        add_space_options(app, bench_.options, raw_);
        add_plan_choice(app, bench_.options);
        CLI::Option* all = app.add_flag("--all", bench_.all, "every kept candidate, not only the kernels of the plan");
        CLI::Option* sample = named(
            app.add_option("--sample", bench_.sample, "also so many candidates, spread over the sizes of fusions")->check(whole(1, 100000)),
            "N")
                                  ->excludes(all);
        named(app.add_option("--seed", bench_.seed, "seed of the sample (default 1)")->check(whole(0, UINT64_MAX))->needs(sample), "SEED");
        named(app.add_option("--rounds", bench_.rounds, "samples of each kernel, 1 to 1000 (default 7)")->check(whole(1, 1000)), "N");
        named(app.add_option("--json", bench_.json, "write JSON instead of text; - is stdout"), "FILE");
        add_color(app);
    }
    Bench settle_bench() {
        raw_.target = "host";
        finish(bench_.options);
        return bench_;
    }

    void add_calibrate() {
        CLI::App& app = command("calibrate", "measure this machine's figures, write the probes of a GPU, or take in what they measured");
        calibrated_ =
            named(app.add_option("--target", raw_.target, "what is measured: this host, or a GPU")->check(CLI::IsMember({"host", "cuda"})),
                "host|cuda");
        named(app.add_option("-o,--output", calibrate_.output,
                  "calibration to write, - is stdout; with --import, instead of the folder where it is found by its name"),
            "FILE");
        named(
            app.add_option("--emit", calibrate_.emitted, "--target cuda: folder for the sources of the probes")->needs(calibrated_), "DIR");
        base_ = named(app.add_option("--device", calibrate_.device,
                             "--target cuda: the description of the GPU, a name of `fusec devices` or a .toml file (default h200)")
                          ->needs(calibrated_),
            "NAME|FILE");
        named(app.add_option("--name", calibrate_.name, "name of the calibrated device (default that of its description)")
                  ->check(check_device_name),
            "NAME");
        named(app.add_option("--for", calibrate_.programs, "measure this program's routines and kernels too (repeatable)")
                  ->allow_extra_args(false),
            "PROGRAM");
        named(app.add_option("--import", calibrate_.imported, "take in this calibration, or what the probes of a GPU have measured")
                  ->excludes(calibrated_),
            "FILE");
        add_color(app);
    }
    Calibrate settle_calibrate() {
        const bool cuda = raw_.target == "cuda" && calibrated_->count() > 0;
        const auto refuse = [&](bool wrong, const char* text) {
            if (wrong) {
                wrong_.emplace_back(text);
            }
        };
        refuse(!calibrate_.imported && calibrated_->count() == 0,
            "nothing to do: give --target host -o FILE, --target cuda --emit DIR, or --import FILE");
        refuse(calibrated_->count() > 0 && !cuda && !calibrate_.output, "--target host: give the file to write with -o FILE");
        refuse(calibrated_->count() > 0 && !cuda && calibrate_.emitted, "--emit: only the probes of a GPU are emitted");
        refuse(cuda && !calibrate_.emitted, "--target cuda: give the folder for the probes with --emit DIR");
        refuse(calibrate_.emitted && *calibrate_.emitted == "-", "--emit: several files are written, which needs a folder, found `-`");
        refuse(!cuda && base_->count() > 0, "--device: this host is measured, or what a file holds is taken in");
        refuse(cuda && calibrate_.output, "--target cuda: the calibration is written by --import, when the probes have run");
        refuse(calibrate_.imported && !calibrate_.programs.empty(),
            "--for: programs are named where probes are made, not where they are taken in");
        refuse(calibrate_.imported && !calibrate_.name.empty(), "--name: the name of what is imported is in the file");
        return calibrate_;
    }

    void add_devices() {
        CLI::App& app = command("devices", "list the device descriptions");
        show_device_ = app.add_subcommand("show", "every figure of a description with its source");
        named(show_device_->add_option("NAME", device_name_, "a name of `fusec devices`, or a .toml or .json file")->required(), "");
        add_color(app);
    }
    Devices settle_devices() const { return {show_device_->parsed() ? std::optional<std::string>(device_name_) : std::nullopt}; }

    void add_library() {
        CLI::App& app = command("library", "list, show or check elementary functions");
        app.require_subcommand(1);
        list_ = app.add_subcommand("list", "one line per function");
        show_ = app.add_subcommand("show", "one function with its implementations");
        named(show_->add_option("NAME", library_.name, "a name of `fusec library list`")->required(), "");
        CLI::App* check = app.add_subcommand("check", "type-check, compile and compare with the reference");
        named(check->add_option("DIR", library_.folders, "folders to check (default: the standard library)"), "...");
        for (CLI::App* each : {list_, show_}) {
            named(each->add_option("--library", library_.folders, "a further folder of elementary functions (repeatable)")
                      ->allow_extra_args(false),
                "DIR");
        }
        for (CLI::App* each : {list_, show_, check}) {
            add_color(*each);
        }
    }
    Library settle_library() {
        library_.action = list_->parsed() ? Library::Action::list : show_->parsed() ? Library::Action::show : Library::Action::check;
        return library_;
    }

    /// The command that was named, complete; what is wrong with it is in `wrong_`, in the order of the checks.
    Command settle(bool arguments) {
        const auto named = app_.get_subcommands();
        const std::string name = named.empty() ? "" : named.front()->get_name();
        if (name == "run") {
            return settle_run();
        }
        if (name == "explore") {
            return settle_explore();
        }
        if (name == "why") {
            return settle_why();
        }
        if (name == "verify") {
            return settle_verify();
        }
        if (name == "predict") {
            return settle_predict();
        }
        if (name == "bench") {
            return settle_bench();
        }
        if (name == "calibrate") {
            return settle_calibrate();
        }
        if (name == "devices") {
            return settle_devices();
        }
        if (name == "library") {
            return settle_library();
        }
        return settle_compile(arguments);
    }
    void finish(CompileOptions& options) { wrong_ = cli::finish(options, raw_); }

    CLI::App app_;
    RawOptions raw_;
    std::string color_ = "auto", device_name_;
    Compile compile_;
    Run run_;
    Explore explore_;
    Why why_;
    Verify verify_;
    Predict predict_;
    Bench bench_;
    Calibrate calibrate_;
    CLI::Option* calibrated_ = nullptr;
    CLI::Option* base_ = nullptr; ///< of `calibrate`
    Library library_;
    CLI::Option* top_ = nullptr; ///< of explore
    CLI::App *show_device_ = nullptr, *list_ = nullptr, *show_ = nullptr;
    std::vector<std::string> wrong_; ///< all that is
};

} // namespace

std::variant<CommandLine, int> parse_command_line(int argc, char** argv) {
    return Parser().parse(argc, argv);
}

} // namespace fusec::cli
