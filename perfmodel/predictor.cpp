// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/predictor.hpp"

#include "perfmodel/benchmark.hpp"
#include "perfmodel/composite.hpp"
#include "perfmodel/hong_kim.hpp"
#include "perfmodel/pipeline.hpp"
#include "perfmodel/roofline.hpp"
#include "perfmodel/staircase.hpp"
#include "perfmodel/wave_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fusec::perfmodel {

using fusion::Cost;
using fusion::KernelWork;

namespace {

class Composite final : public Predictor {
public:
    explicit Composite(Device device) : device_(std::move(device)) {}

    std::string name() const override { return "composite"; }
    bool needs_steps() const override { return device_.limits.target == fusion::Target::host && device_.routine_times != nullptr; }
    Breakdown explain(const KernelWork& work, std::uint64_t elements) const override {
        switch (device_.limits.target) {
        case fusion::Target::host:
            return composite_host(device_, work, elements);
        case fusion::Target::cuda:
            break;
        }
        return composite_cuda(device_, work, elements);
    }
    Cost cost(const KernelWork& work, std::uint64_t elements) const override { return explain(work, elements).cost; }
    double seconds(const KernelWork& work, std::uint64_t elements) const override {
        return device_.limits.target == fusion::Target::cuda ? composite_cuda_seconds(device_, work, elements)
                                                             : cost(work, elements).seconds;
    }
    double lower_bound(double read_bytes, double write_bytes, double flops, Precision precision, std::uint64_t elements) const override {
        return composite_lower_bound(device_, read_bytes, write_bytes, flops, precision, elements);
    }
    double least_seconds(const KernelWork& least, std::uint64_t elements) const override {
        const double simple = bound_of(least, elements);
        return device_.limits.target == fusion::Target::host ? simple : std::max(simple, composite_cuda_least(device_, least, elements));
    }

private:
    Device device_;
};

class Roofline final : public Predictor {
public:
    explicit Roofline(Device device) : device_(std::move(device)) {}

    std::string name() const override { return "roofline"; }
    Breakdown explain(const KernelWork& work, std::uint64_t elements) const override {
        return roofline(device_, work.read_bytes + work.write_bytes, work.flops, work.precision, elements);
    }
    Cost cost(const KernelWork& work, std::uint64_t elements) const override { return explain(work, elements).cost; }
    double lower_bound(double read_bytes, double write_bytes, double flops, Precision precision, std::uint64_t elements) const override {
        return roofline(device_, read_bytes + write_bytes, flops, precision, elements).cost.seconds;
    }

private:
    Device device_;
};

template <class Kind>
std::unique_ptr<Predictor> make(const Device& device) {
    return std::make_unique<Kind>(device);
}

constexpr const char* stream_figures[] = {"stream.read.tau", "stream.read.c", "stream.read.peak", "stream.write.tau", "stream.write.c",
    "stream.write.peak", "stream.copy.tau", "stream.copy.c", "stream.copy.peak", "speed.launch"};
constexpr const char* data_sheet[] = {"speed.dram", "speed.launch"};

constexpr const char* benchmark_figures[] = {"benchmark.remap"};

constexpr const char* hong_kim_figures[] = {
    "hong-kim.mem_ld", "hong-kim.departure_coalesced", "hong-kim.departure_uncoalesced", "hong-kim.issue_cycles"};

constexpr const char* staircase_figures[] = {"staircase.ta", "staircase.tb"};

constexpr PredictorKind kinds[] = {
    {"composite", "docs/model.md", true, true, {}, stream_figures, nullptr, make<Composite>},
    {"roofline", "Williams, Waterman, Patterson, CACM 2009", true, true, {}, data_sheet, nullptr, make<Roofline>},
    {"benchmark", "Filipovic, \"Mapped functions, fusion of kernels\", performance prediction", true, true, benchmark_figures,
        benchmark_figures, benchmark_ready, make_benchmark},
    {"hong-kim", "Hong and Kim, ISCA 2009, as printed by Ostapenko, \"Execution model of programs on AMD video processors\"", true, false,
        hong_kim_figures, hong_kim_figures, nullptr, make_hong_kim},
    {"pipeline", "Zhang, Chen, Ming, CUDA kernel times from PTX", true, false, pipeline_needs, pipeline_fits, pipeline_ready,
        make<PipelinePredictor>},
    {"staircase",
        "Vishnyakov, Kovalchuk, Bukhanovsky, \"Mapping computational algorithms to the parallel architecture of graphics accelerators\"",
        true, false, staircase_figures, staircase_figures, staircase_ready, make_staircase},
    {"wave", "Kleimenov and Popova, Computational nanotechnology 2021", true, false, wave_needs, wave_fits, nullptr, make<WavePredictor>},
};

} // namespace

Breakdown Breakdown::never() {
    constexpr double seconds = std::numeric_limits<double>::infinity();
    return {{seconds, fusion::Bound::latency}, {{fusion::Bound::latency, seconds}}};
}

fusion::Bound greatest_bound(const Bounds& bounds) {
    internal_check(!bounds.empty(), "a prediction has a bound");
    return std::ranges::max_element(bounds, {}, &Bounds::value_type::second)->first;
}

double needed_figure(const Device& device, std::string_view key, std::string_view predictor) {
    const std::optional<double> value = figure(device, key);
    if (!value) {
        throw InternalError("`" + std::string(predictor) + "` was given a device without `" + std::string(key) + "`, which it needs");
    }
    return *value;
}

int schedulers(const Device& device) {
    return std::max(1, static_cast<int>(std::lround(device.issue_slots)));
}

std::span<const PredictorKind> predictor_kinds() {
    return kinds;
}

const PredictorKind& predictor_kind(std::string_view name) {
    const auto found = std::ranges::find(kinds, name, &PredictorKind::name);
    internal_check(found != std::end(kinds), "a predictor of that name");
    return *found;
}

std::vector<std::string> predictor_names() {
    std::vector<std::string> names;
    for (const PredictorKind& kind : kinds) {
        names.emplace_back(kind.name);
    }
    return names;
}

std::unique_ptr<Predictor> make_predictor(const std::string& name, const Device& device, Diagnostics& diagnostics) {
    const auto found = std::find_if(std::begin(kinds), std::end(kinds), [&](const PredictorKind& kind) { return name == kind.name; });
    if (found == std::end(kinds)) {
        const std::string guess = nearest(name, predictor_names());
        std::string known;
        for (const std::string& each : predictor_names()) {
            known += (known.empty() ? "" : ", ") + each;
        }
        diagnostics.report(kind::unknown_predictor, {}, "no predictor is named `" + name + "`").hint =
            (guess.empty() ? std::string() : "did you mean `" + guess + "`? ") + "known: " + known;
        return nullptr;
    }
    const bool host = device.limits.target == fusion::Target::host;
    if (!(host ? found->host : found->cuda)) {
        diagnostics.report(kind::unknown_predictor, {},
            "`" + name + "` predicts kernels of a " + (host ? "GPU" : "host") + ", and `" + device.name + "` is a " +
                (host ? "host" : "GPU"));
        return nullptr;
    }
    bool complete = true;
    for (const char* key : found->needs) {
        if (!figure(device, key)) {
            diagnostics.report(kind::missing_figure, {},
                "`" + name + "` needs `" + key + "`, which the description of `" + device.name + "` does not have");
            complete = false;
        }
    }
    const bool ready = found->ready == nullptr || found->ready(device, diagnostics);
    return complete && ready ? found->make(device) : nullptr;
}

} // namespace fusec::perfmodel
