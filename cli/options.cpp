// SPDX-License-Identifier: Apache-2.0
// The only file that sees CLI11.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

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

std::string check_assignment(const std::string& text) {
    const std::size_t equal = text.find('=');
    return equal == std::string::npos || equal == 0 || equal + 1 == text.size() ? "NAME=FILE expected, found `" + text + "`" : std::string();
}

std::string check_arch(const std::string& text) {
    const bool form = text.size() >= 5 && text.starts_with("sm_") && text.find_first_not_of("0123456789", 3) == std::string::npos;
    if (!form || text.size() > 6) {
        return "an architecture such as sm_90 expected, found `" + text + "`";
    }
    return std::stoi(text.substr(3)) < 75 ? "sm_75 is the oldest target, found `" + text + "`" : std::string();
}

/// Raw texts of options that need conversion after parsing.
struct Raw {
    std::string arch, target = "cuda", real = "float", runtime = "embed", dump;
    std::vector<std::string> inputs, outputs, dot;
    bool no_recompute = false;
};

void add_space_options(CLI::App& app, CompileOptions& options, Raw& raw) {
    app.add_option("--target", raw.target, "cuda or host")->check(CLI::IsMember({"cuda", "host"}))->capture_default_str();
    app.add_option("--device", options.device, "device description: a name of `fusec devices` or a .toml file (default: h200, host-generic for --target host)");
    app.add_option("--arch", raw.arch, "architecture of the emitted CUDA (default: the device's)")->check(check_arch);
    app.add_option("-n", options.elements, "number of elements to optimise for")->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))->capture_default_str();
    app.add_option("--real", raw.real, "precision of declarations without one")->check(CLI::IsMember({"float", "double"}))->capture_default_str();
    app.add_option("--library", options.libraries, "a further folder of elementary functions")->allow_extra_args(false);
    app.add_option("--max-fusion", options.max_fusion, "most calls in one kernel")->check(CLI::Range(1, 32))->capture_default_str();
    app.add_option("--max-fusions", options.max_fusions, "most fusions to enumerate")->check(CLI::Range(std::size_t{1}, std::size_t{100000000}))->capture_default_str();
    app.add_option("--time-limit", options.time_limit, "seconds for the plan solver; makes the result depend on the machine (default: a node limit)")->check(CLI::Range(0.001, 1e6));
    app.add_flag("--no-recompute", raw.no_recompute, "execute every call in exactly one kernel");
    app.add_option("--predictor", options.predictor, "composite or roofline")->capture_default_str();
}

void add_program(CLI::App& app, CompileOptions& options, bool required = true) {
    app.add_option("PROGRAM", options.program, "program text (.fus)")->required(required);
}

void add_compile_options(CLI::App& app, CompileOptions& options, Raw& raw) {
    add_space_options(app, options, raw);
    app.add_option("--plan", options.plan, "auto, none, max, greedy, or a plan file")->capture_default_str();
    app.add_option("--runtime", raw.runtime, "embed the helpers in the output, or include <fusec/...>")->check(CLI::IsMember({"embed", "include"}))->capture_default_str();
    app.add_option("--dump", raw.dump, "print stages: any of ast,dag,candidates,plan,ir");
    app.add_flag("--time-stages", options.time_stages, "print the seconds of each stage on stderr");
}

/// Empty, or what is wrong.
std::string finish(CompileOptions& options, const Raw& raw) {
    options.target = raw.target == "host" ? fusion::Target::host : fusion::Target::cuda;
    options.real = raw.real == "double" ? Precision::f64 : Precision::f32;
    options.embed_runtime = raw.runtime == "embed";
    options.recompute = !raw.no_recompute;
    if (!raw.arch.empty()) {
        options.arch = std::stoi(raw.arch.substr(3));
    }
    if (options.device.empty()) {
        options.device = options.target == fusion::Target::host ? "host-generic" : "h200";
    }
    std::size_t begin = 0;
    while (begin < raw.dump.size()) {
        const std::size_t end = std::min(raw.dump.find(',', begin), raw.dump.size());
        options.dump.push_back(raw.dump.substr(begin, end - begin));
        if (const std::string& name = options.dump.back(); name != "ast" && name != "dag" && name != "candidates" && name != "plan" && name != "ir") {
            return "--dump: `" + name + "` is none of ast, dag, candidates, plan, ir";
        }
        begin = end + 1;
    }
    return {};
}

} // namespace

std::variant<CommandLine, int> parse_command_line(int argc, char** argv) {
    CLI::App app(examples, "fusec");
    app.set_version_flag("--version", "fusec " FUSEC_VERSION);
    app.require_subcommand(0, 1);
    app.fallthrough(false);
    std::string color = "auto";
    const auto add_color = [&](CLI::App& to) {
        to.add_option("--color", color, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}))->capture_default_str();
    };
    add_color(app);

    Raw raw;
    Compile compile;
    add_program(app, compile.options, false);
    add_compile_options(app, compile.options, raw);
    app.add_option("-o,--output", compile.output, "CUDA (or host C++) file to write; the header goes beside it");
    app.add_option("--json", compile.json, "write the report as JSON; - is stdout");
    app.add_option("--save-plan", compile.save_plan, "write the chosen plan as a plan file");
    app.add_option("--dot", raw.dot, "write a Graphviz file: --dot dag FILE or --dot plan FILE")->type_size(2)->allow_extra_args(false);

    Run run;
    CLI::App& run_app = *app.add_subcommand("run", "run a program on this machine; random inputs, within each domain, where none is given");
    add_program(run_app, run.options);
    add_compile_options(run_app, run.options, raw);
    run_app.remove_option(run_app.get_option("-n"));
    run_app.add_option("-n", run.elements, "number of elements (default: that of the input files, else 1024)")->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40U));
    run_app.add_option("--seed", run.seed, "seed of the random inputs")->capture_default_str();
    run_app.add_option("--input", raw.inputs, "NAME=FILE.npy")->check(check_assignment)->allow_extra_args(false);
    run_app.add_option("--output", raw.outputs, "NAME=FILE.npy")->check(check_assignment)->allow_extra_args(false);

    Explore explore;
    CLI::App& explore_app = *app.add_subcommand("explore", "the space of fusions, the best plans, and why the others lost");
    add_program(explore_app, explore.options);
    add_compile_options(explore_app, explore.options, raw);
    explore_app.add_option("--top", explore.top, "number of plans")->check(CLI::Range(1, 1000))->capture_default_str();
    explore_app.add_option("--json", explore.json, "write JSON instead of text; - is stdout");

    Why why;
    CLI::App& why_app = *app.add_subcommand("why", "what fusing two calls would cost or gain, or the reason it cannot be");
    add_program(why_app, why.options);
    add_space_options(why_app, why.options, raw);
    why_app.add_option("FIRST", why.first, "name of a call (the variable it defines)")->required();
    why_app.add_option("SECOND", why.second, "name of a call")->required();

    Verify verify;
    CLI::App& verify_app = *app.add_subcommand("verify", "execute emitted kernels and compare with the reference");
    verify_app.add_option("PROGRAM", verify.programs, "programs")->required();
    add_compile_options(verify_app, verify.options, raw);
    verify_app.add_flag("--all", verify.all, "every kept candidate (a seeded 500 for more than 12 calls), not only the plan");
    verify_app.add_option("--source", verify.source, "check this emitted, also edited, text instead");
    verify_app.add_option("--executor", verify.executors, "host, emulated or gpu (repeatable; default: host and emulated)")->check(CLI::IsMember({"host", "emulated", "gpu"}))->allow_extra_args(false);
    verify_app.add_option("--json", verify.json, "write the counts as JSON; - is stdout");
    verify_app.add_option("--seed", verify.seed, "seed of the inputs")->capture_default_str();

    Devices devices;
    CLI::App& devices_app = *app.add_subcommand("devices", "list the device descriptions");
    std::string device_name;
    CLI::App& show_device = *devices_app.add_subcommand("show", "every figure of a description with its source");
    show_device.add_option("NAME", device_name)->required();

    Library library;
    CLI::App& library_app = *app.add_subcommand("library", "list, show or check elementary functions");
    library_app.require_subcommand(1);
    CLI::App& list_app = *library_app.add_subcommand("list", "one line per function");
    CLI::App& show_app = *library_app.add_subcommand("show", "one function with its implementations");
    show_app.add_option("NAME", library.name)->required();
    CLI::App& check_app = *library_app.add_subcommand("check", "type-check, compile and compare with the reference");
    check_app.add_option("DIR", library.folders, "folders to check (default: the standard library)");
    for (CLI::App* each : {&list_app, &show_app}) {
        each->add_option("--library", library.folders, "a further folder of elementary functions")->allow_extra_args(false);
    }
    for (CLI::App* each : {&run_app, &explore_app, &why_app, &verify_app, &devices_app, &list_app, &show_app, &check_app}) {
        add_color(*each);
    }

    const auto usage_error = [](const std::string& text) {
        std::cerr << "fusec: error: " << text << " [usage]\n  hint: fusec --help\n";
        return 2;
    };
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        return usage_error(error.what());
    }

    CommandLine line;
    line.color = color == "always" ? Color::always : color == "never" ? Color::never
                                                                      : Color::automatic;
    std::string wrong;
    if (run_app.parsed()) {
        wrong = finish(run.options, raw);
        run.options.target = fusion::Target::host;
        run.options.device = run_app.count("--device") != 0U ? run.options.device : "host-generic";
        run.inputs = split_assignments(raw.inputs);
        run.outputs = split_assignments(raw.outputs);
        line.command = run;
    } else if (explore_app.parsed()) {
        wrong = finish(explore.options, raw);
        explore.options.runners_up = explore.top - 1;
        line.command = explore;
    } else if (why_app.parsed()) {
        wrong = finish(why.options, raw);
        line.command = why;
    } else if (verify_app.parsed()) {
        wrong = finish(verify.options, raw);
        line.command = verify;
    } else if (devices_app.parsed()) {
        if (show_device.parsed()) {
            devices.show = device_name;
        }
        line.command = devices;
    } else if (library_app.parsed()) {
        library.action = list_app.parsed() ? Library::Action::list : show_app.parsed() ? Library::Action::show
                                                                                       : Library::Action::check;
        line.command = library;
    } else {
        wrong = finish(compile.options, raw);
        for (std::size_t i = 0; i + 1 < raw.dot.size(); i += 2) {
            if (raw.dot[i] != "dag" && raw.dot[i] != "plan") {
                wrong = "--dot: `" + raw.dot[i] + "` is neither dag nor plan";
            }
            compile.dot.emplace_back(raw.dot[i], raw.dot[i + 1]);
        }
        if (compile.options.program.empty()) {
            wrong = "no program is given";
        } else if (wrong.empty() && !compile.output && !compile.json && !compile.save_plan && compile.dot.empty() && compile.options.dump.empty()) {
            wrong = "nothing to write: give -o FILE, --json, --save-plan, --dot or --dump";
        }
        line.command = compile;
    }
    if (!wrong.empty()) {
        return usage_error(wrong);
    }
    return line;
}

} // namespace fusec::cli
