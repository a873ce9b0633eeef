// SPDX-License-Identifier: Apache-2.0
#include "bench/plan_choice.hpp"

#include "perfmodel/fit/kernel_work_json.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <stdexcept>

namespace fusec::bench {
namespace {

void read_choice(const std::string& text, cli::CompileOptions& options) {
    std::size_t end = text.find('+');
    options.plan = text.substr(0, end);
    while (end != std::string::npos) {
        const std::size_t begin = end + 1;
        end = text.find('+', begin);
        const std::string option = text.substr(begin, end == std::string::npos ? end : end - begin);
        if (option == "no-recompute") {
            options.recompute = false;
        } else if (option.starts_with("max-fusion=")) {
            options.max_fusion = std::stoi(option.substr(11));
        } else {
            throw std::runtime_error("unknown option " + option);
        }
    }
}

std::string text_of(const Diagnostics& diagnostics) {
    return diagnostics.all().empty() ? std::string() : ": " + diagnostics.all().front().message;
}

void build(Choice& choice, const Machine& machine) {
    Diagnostics diagnostics;
    const cli::Compilation& c = choice.compilation;
    execute::BuildRequest request;
    request.files = {{"plan.cpp", "#include \"fused.cpp\"\n"}, {"fused.cpp", c.emitted.source}, {"fused.h", c.emitted.header}};
    for (const execute::BuildRequest::File& file : machine.beside) {
        request.files.push_back(file);
        request.files.front().text += "#include \"" + file.name + "\"\n";
    }
    request.kind = machine.kind;
    request.arch = c.device->limits.arch;
    const auto path = execute::build_library(request, machine.compiler, execute::default_cache_folder(), diagnostics);
    choice.library = path ? execute::LoadedLibrary::open(*path, diagnostics) : std::nullopt;
    const auto functions = choice.library ? execute::UnitFunctions::find(*choice.library, c.program->name, diagnostics) : std::nullopt;
    if (!functions) {
        throw std::runtime_error("the text of " + choice.text + " cannot be built and loaded" + text_of(diagnostics));
    }
    choice.functions = *functions;
}

template <class Real>
double difference(const Real* x, const Real* y, std::size_t count) {
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double distance = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
        worst = distance <= worst ? worst : distance; // not a number stays
        largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    }
    return largest > 0 ? worst / largest : worst;
}

template <class Real>
void fill(Real* begin, std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> values(0.5, 1.5);
    std::generate(begin, begin + count, [&] { return static_cast<Real>(values(random)); });
}

} // namespace

void compile(Choice& choice, const std::string& program, std::uint64_t n, fusion::Target target, const std::string& device) {
    Diagnostics diagnostics;
    cli::CompileOptions& options = choice.compilation.options;
    options.program = program;
    options.target = target;
    options.device = device;
    options.elements = n;
    options.with_steps = target == fusion::Target::cuda;
    read_choice(choice.text, options);
    if (!cli::run_pipeline(choice.compilation, diagnostics)) {
        throw std::runtime_error(program + " with " + choice.text + " does not compile" + text_of(diagnostics));
    }
}

std::vector<Choice> build_choices(
    const std::string& program, const std::vector<std::string>& texts, std::uint64_t n, const Machine& machine) {
    std::vector<Choice> choices(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        choices[i].text = texts[i];
        compile(choices[i], program, n, machine.target, machine.device);
        build(choices[i], machine);
    }
    return choices;
}

std::size_t list_bytes(const frontend::Datum& datum, std::size_t n) {
    return static_cast<std::size_t>(datum.list_bytes()) * (datum.kind == frontend::DatumKind::uniform ? 1 : n);
}

std::vector<std::vector<double>> in_turns(
    std::size_t subjects, std::size_t runs, std::size_t warm_up, const std::function<double(std::size_t)>& timed) {
    std::vector<std::vector<double>> seconds(subjects);
    for (std::size_t pass = 0; pass < warm_up + runs; ++pass) {
        for (std::size_t k = 0; k < subjects; ++k) {
            const std::size_t i = (k + pass) % subjects;
            const double taken = timed(i);
            if (pass >= warm_up) {
                seconds[i].push_back(taken);
            }
        }
    }
    return seconds;
}

int write_result(const std::string& path, const nlohmann::ordered_json& result) {
    std::ofstream out(path);
    out << result.dump(2) << '\n';
    return out.good() ? 0 : 1;
}

nlohmann::ordered_json described(const Choice& choice) {
    const fusion::Plan& plan = choice.compilation.plans.front();
    auto kernels = nlohmann::ordered_json::array(), works = nlohmann::ordered_json::array();
    double bytes = 0;
    for (const fusion::Candidate& kernel : plan.kernels) {
        std::string calls;
        for (const fusion::CallPlan& call : kernel.order) {
            calls += (calls.empty() ? "" : " ") + choice.compilation.program->name_of(call.call);
        }
        kernels.push_back(calls);
        works.push_back(nlohmann::ordered_json::parse(perfmodel::to_json(kernel.work)));
        bytes += kernel.work.read_bytes + kernel.work.write_bytes;
    }
    nlohmann::ordered_json result{
        {"plan", choice.text}, {"kernels", kernels}, {"bytes_per_element", bytes}, {"predicted_seconds", plan.seconds}};
    if (choice.compilation.options.with_steps) {
        result["works"] = std::move(works);
    }
    return result;
}

nlohmann::ordered_json report(const Choice& choice) {
    nlohmann::ordered_json result = described(choice);
    const double bytes = result["bytes_per_element"], typical = median(choice.seconds);
    result["median_seconds"] = typical;
    result["least_seconds"] = *std::ranges::min_element(choice.seconds);
    result["gb_per_s"] = bytes * static_cast<double>(choice.compilation.options.elements) / typical * 1e-9;
    result["seconds"] = choice.seconds;
    return result;
}

double difference(const void* first, const void* second, const frontend::Datum& datum, std::size_t n) {
    const std::size_t count = n * static_cast<std::size_t>(datum.type.shape.size());
    return datum.list_type().precision == Precision::f32
        ? difference(static_cast<const float*>(first), static_cast<const float*>(second), count)
        : difference(static_cast<const double*>(first), static_cast<const double*>(second), count);
}

void fill_random(void* list, const frontend::Datum& datum, std::size_t bytes, std::uint64_t seed) {
    if (datum.list_type().precision == Precision::f32) {
        fill(static_cast<float*>(list), bytes / sizeof(float), seed);
    } else {
        fill(static_cast<double*>(list), bytes / sizeof(double), seed);
    }
}

} // namespace fusec::bench
