// SPDX-License-Identifier: Apache-2.0
// Measured time of several plans of one program on this host, side by side: every plan is built as a user builds it (-O3
// -march=native, OpenMP), then runs alternate, so that what disturbs the machine disturbs all plans.
// Usage: host_plans RESULT.json PROGRAM.fus N RUNS CHOICE...
// A choice is auto, none, max, greedy, a plan file, or one of these with `+no-recompute` or `+max-fusion=K` after it.
#include "bench/run_record.hpp"
#include "cli/pipeline.hpp"
#include "execute/compiler.hpp"
#include "execute/loaded_library.hpp"
#include "execute/verify.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <new>
#include <random>

namespace fusec::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Memory of a list, at a multiple of 256 bytes (what a workspace needs), every page touched.
class List {
public:
    explicit List(std::size_t bytes)
        : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 64), std::align_val_t{256}))) {
        std::fill(data_, data_ + bytes, std::byte{0});
    }
    List(List&& other) noexcept
        : bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
    List& operator=(List&&) = delete;
    ~List() { ::operator delete(data_, std::align_val_t{256}); }
    std::byte* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    std::byte* data_;
};

template <class Real>
void fill_random(const List& list, std::mt19937_64& random) {
    std::uniform_real_distribution<double> values(0.5, 1.5); // invertible often enough; the time does not depend on values
    auto* begin = reinterpret_cast<Real*>(list.data());
    std::generate(begin, begin + list.bytes() / sizeof(Real), [&] { return static_cast<Real>(values(random)); });
}

struct Choice {
    std::string text;
    cli::Compilation compilation;
    std::optional<execute::LoadedLibrary> library;
    execute::UnitFunctions functions;
    std::vector<double> seconds;
};

[[noreturn]] void fail(const std::string& text) {
    std::cerr << "host_plans: " << text << '\n';
    std::exit(1);
}

void read_choice(const std::string& text, cli::CompileOptions& options) {
    std::size_t end = text.find('+');
    options.plan = text.substr(0, end);
    while (end != std::string::npos) {
        const std::size_t begin = end + 1;
        end = text.find('+', begin);
        const std::string option = text.substr(begin, end - begin);
        if (option == "no-recompute") {
            options.recompute = false;
        } else if (option.starts_with("max-fusion=")) {
            options.max_fusion = std::stoi(option.substr(11));
        } else {
            fail("unknown option " + option);
        }
    }
}

void build(Choice& choice, const std::string& program, std::uint64_t n) {
    Diagnostics diagnostics;
    cli::Compilation& c = choice.compilation;
    c.options.program = program;
    c.options.target = fusion::Target::host;
    c.options.device = "host-generic";
    c.options.elements = n;
    read_choice(choice.text, c.options);
    const auto compiler = execute::find_host_compiler(diagnostics);
    if (!compiler || !cli::run_pipeline(c, diagnostics)) {
        fail(program + " with " + choice.text + " does not compile");
    }
    execute::BuildRequest request;
    request.files = {{"fused.cpp", c.emitted.source}, {"fused.h", c.emitted.header}};
    request.kind = execute::BuildKind::host_product;
    const auto path = execute::build_library(request, *compiler, execute::default_cache_folder(), diagnostics);
    choice.library = path ? execute::LoadedLibrary::open(*path, diagnostics) : std::nullopt;
    const auto functions = choice.library ? execute::UnitFunctions::find(*choice.library, c.program->name, diagnostics) : std::nullopt;
    if (!functions) {
        fail("the text of " + choice.text + " cannot be built and loaded");
    }
    choice.functions = *functions;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Json report(const Choice& choice) {
    const fusion::Plan& plan = choice.compilation.plans.front();
    Json kernels = Json::array();
    double bytes = 0;
    for (const fusion::Candidate& kernel : plan.kernels) {
        std::string calls;
        for (const fusion::CallPlan& call : kernel.order) {
            calls += (calls.empty() ? "" : " ") + choice.compilation.program->name_of(call.call);
        }
        kernels.push_back(calls);
        bytes += kernel.work.read_bytes + kernel.work.write_bytes;
    }
    const double typical = median(choice.seconds);
    return {{"plan", choice.text}, {"kernels", kernels}, {"bytes_per_element", bytes}, {"predicted_seconds", plan.seconds}, {"median_seconds", typical}, {"least_seconds", *std::min_element(choice.seconds.begin(), choice.seconds.end())}, {"gb_per_s", bytes * static_cast<double>(choice.compilation.options.elements) / typical * 1e-9}, {"seconds", choice.seconds}};
}

/// Largest difference of the outputs of two plans, relative to the largest value of the list.
template <class Real>
double difference(const List& a, const List& b) {
    const auto* x = reinterpret_cast<const Real*>(a.data());
    const auto* y = reinterpret_cast<const Real*>(b.data());
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < a.bytes() / sizeof(Real); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
        largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    }
    return largest > 0 ? worst / largest : worst;
}

int run(int argc, char** argv) {
    if (argc < 6) {
        std::cerr << "usage: host_plans RESULT.json PROGRAM.fus N RUNS CHOICE...\n";
        return 2;
    }
    const std::string program = argv[2];
    const std::size_t n = std::stoull(argv[3]);
    const std::size_t runs = std::stoull(argv[4]);
    std::vector<Choice> choices(static_cast<std::size_t>(argc - 5));
    for (std::size_t i = 0; i < choices.size(); ++i) {
        choices[i].text = argv[5 + i];
        build(choices[i], program, n);
    }
    const frontend::CheckedProgram& checked = *choices.front().compilation.program;
    std::mt19937_64 random(1);
    std::vector<List> inputs;
    std::vector<std::vector<List>> outputs(choices.size());
    double footprint = 0;
    for (const DataId id : checked.inputs) {
        const frontend::Datum& datum = checked.datum(id);
        const List& list = inputs.emplace_back(static_cast<std::size_t>(datum.type.bytes()) * (datum.kind == frontend::DatumKind::uniform ? 1 : n));
        datum.type.precision == Precision::f32 ? fill_random<float>(list, random) : fill_random<double>(list, random);
        footprint += static_cast<double>(list.bytes());
    }
    std::vector<List> workspaces;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        for (const DataId id : checked.outputs) {
            const List& list = outputs[i].emplace_back(static_cast<std::size_t>(checked.datum(id).type.bytes()) * n);
            footprint += i == 0 ? static_cast<double>(list.bytes()) : 0;
        }
        workspaces.emplace_back(choices[i].functions.workspace_bytes(n));
    }
    for (std::size_t pass = 0; pass < runs + 2; ++pass) { // two to warm up
        for (std::size_t k = 0; k < choices.size(); ++k) {
            const std::size_t i = (k + pass) % choices.size(); // nobody is always after the same other
            std::vector<const void*> arguments;
            for (const List& list : inputs) {
                arguments.push_back(list.data());
            }
            for (const List& list : outputs[i]) {
                arguments.push_back(list.data());
            }
            const auto start = std::chrono::steady_clock::now();
            const int error = choices[i].functions.launch(arguments.data(), n, workspaces[i].data(), workspaces[i].bytes(), nullptr);
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (error != 0) {
                fail(choices[i].text + " returned " + std::to_string(error));
            }
            if (pass >= 2) {
                choices[i].seconds.push_back(seconds);
            }
        }
    }
    Json result = run_record(FUSEC_SOURCE_FOLDER);
    result["program"] = checked.name;
    result["n"] = n;
    result["runs"] = runs;
    result["compiler"] = first_line("${CXX:-c++} --version");
    result["list_megabytes"] = footprint * 1e-6;
    double worst = 0;
    for (std::size_t i = 1; i < choices.size(); ++i) {
        for (std::size_t k = 0; k < outputs[i].size(); ++k) {
            const bool narrow = checked.datum(checked.outputs[k]).type.precision == Precision::f32;
            worst = std::max(worst, narrow ? difference<float>(outputs[0][k], outputs[i][k]) : difference<double>(outputs[0][k], outputs[i][k]));
        }
    }
    result["largest_relative_difference_of_outputs"] = worst;
    for (const Choice& choice : choices) {
        Json entry = report(choice);
        entry["predicted_over_first"] = choice.compilation.plans.front().seconds / choices.front().compilation.plans.front().seconds;
        entry["measured_over_first"] = median(choice.seconds) / median(choices.front().seconds);
        std::cerr << checked.name << ' ' << choice.text << ": predicted " << entry["predicted_over_first"] << ", measured " << entry["measured_over_first"] << " of the first, " << median(choice.seconds) * 1e3 << " ms\n";
        result["plans"].push_back(std::move(entry));
    }
    std::ofstream out(argv[1]);
    out << result.dump(2) << '\n';
    return out.good() ? 0 : 1;
}

} // namespace
} // namespace fusec::bench

int main(int argc, char** argv) {
    return fusec::bench::run(argc, argv);
}
