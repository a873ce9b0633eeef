// SPDX-License-Identifier: Apache-2.0
#include "cli/option_groups.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace fusec::cli {

CLI::Option* named(CLI::Option* option, const char* value) {
    option->type_name(value); // what messages call it
    return option->option_text(*value == '\0' ? " " : value);
}

void add_program(CLI::App& app, CompileOptions& options, bool required) {
    named(app.add_option("PROGRAM", options.program, "program text (.fus)")->required(required), "");
}

void add_target_options(CLI::App& app, CompileOptions& options, RawOptions& raw) {
    named(app.add_option("--target", raw.target, "what is emitted (default cuda)")->check(CLI::IsMember({"cuda", "host"})), "cuda|host");
    named(app.add_option("--device", options.device,
                 "a name of `fusec devices`, or a .toml or calibration .json file (default h200; host-generic for --target host)")
              ->check(check_not_empty),
        "NAME|FILE");
    named(app.add_option("--arch", raw.arch, "architecture of the emitted CUDA (default: the device's)")->check(check_arch), "sm_NN");
    named(app.add_option("-n", options.elements, "number of elements to optimise for, 1 to 2^40 (default 1048576)")
              ->check([](const std::string& text) { return check_elements(text, 1); }),
        "ELEMENTS");
}

void add_space_options(CLI::App& app, CompileOptions& options, RawOptions& raw) {
    named(app.add_option("--real", raw.real, "precision of declarations without one (default float)")
              ->check(CLI::IsMember({"float", "double"})),
        "float|double");
    app.add_flag("--checked", options.checked, "compile assertions: launches report the first element in which one fails");
    app.add_flag("--reassociate", options.reassociate, "sums of += and -= as balanced trees, products in the order of fewest operations");
    named(app.add_option("--library", options.libraries, "a further folder of elementary functions (repeatable)")->allow_extra_args(false),
        "DIR");
    named(app.add_option("--max-fusion", options.max_fusion,
                 "most calls that compute in one kernel, 1 to 32 (default: all sets up to 8, some up to 512)")
              ->check(whole(1, 32)),
        "K");
    named(app.add_option("--max-fusions", options.max_fusions, "most fusions to enumerate (default 200000; 50000 for more than 50 calls)")
              ->check(whole(1, 100000000)),
        "N");
    named(app.add_option("--time-limit", options.time_limit,
                 "seconds for the plan solver; the result then depends on the machine (default: a limit of work)")
              ->check(check_seconds),
        "S");
    app.add_flag("--no-recompute", raw.no_recompute, "execute every call in exactly one kernel");
    named(app.add_option("--predictor", options.predictor, "the model that plans are chosen by (default composite)"), "NAME");
}

void add_analysis(CLI::App& app, RawOptions& raw) {
    named(app.add_option("--analysis", raw.analysis,
                 "count the best plans' kernels by metadata, or in what clang and ptxas make of them (default metadata)")
              ->check(CLI::IsMember({"metadata", "llvm"})),
        "metadata|llvm");
}

void add_plan_choice(CLI::App& app, CompileOptions& options) {
    named(app.add_option("--plan", options.plan,
              "best mix, one kernel per call, fewest kernels, most bytes saved first, or a plan file (default auto)"),
        "auto|none|max|greedy|FILE");
}

void add_plan_options(CLI::App& app, CompileOptions& options, RawOptions& raw) {
    add_plan_choice(app, options);
    named(app.add_option("--dump", raw.dump, "print stages on stdout: any of ast,dag,candidates,plan,ir"), "LIST");
    app.add_flag("--time-stages", options.time_stages, "print the milliseconds of each stage on stderr");
}

void add_compile_options(CLI::App& app, CompileOptions& options, RawOptions& raw) {
    add_target_options(app, options, raw);
    add_space_options(app, options, raw);
    add_plan_options(app, options, raw);
    named(app.add_option("--runtime", raw.runtime, "copy the helpers into the output, or #include <fusec/...> (default embed)")
              ->check(CLI::IsMember({"embed", "include"})),
        "embed|include");
}

std::vector<std::string> finish(CompileOptions& options, const RawOptions& raw) {
    options.target = raw.target == "host" ? fusion::Target::host : fusion::Target::cuda;
    options.real = raw.real == "double" ? Precision::f64 : Precision::f32;
    options.embed_runtime = raw.runtime == "embed";
    options.recompute = !raw.no_recompute;
    if (!raw.arch.empty()) {
        options.arch = std::stoi(raw.arch.substr(3));
    }
    if (options.device.empty()) {
        options.device = options.target == fusion::Target::host ? host_base : "h200";
    }
    std::vector<std::string> wrong;
    options.compiled_prices = raw.analysis == "llvm";
    if (options.compiled_prices && options.target == fusion::Target::host) {
        wrong.emplace_back("--analysis llvm: it is of device code, of which --target host has none");
    }
    std::size_t begin = 0;
    while (begin < raw.dump.size()) {
        const std::size_t end = std::min(raw.dump.find(',', begin), raw.dump.size());
        options.dump.push_back(raw.dump.substr(begin, end - begin));
        if (const std::string& name = options.dump.back();
            name != "ast" && name != "dag" && name != "candidates" && name != "plan" && name != "ir") {
            wrong.push_back("--dump: `" + name + "` is none of ast, dag, candidates, plan, ir");
        }
        begin = end + 1;
    }
    return wrong;
}

} // namespace fusec::cli
