// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/predictor.hpp"

#include "perfmodel/composite.hpp"
#include "perfmodel/roofline.hpp"

#include <algorithm>

namespace fusec::perfmodel {

using fusion::Cost;
using fusion::KernelWork;

namespace {

class Composite final : public Predictor {
public:
    explicit Composite(Device device) : device_(std::move(device)) {}

    std::string name() const override { return "composite"; }
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

} // namespace

std::vector<std::string> predictor_names() {
    return {"composite", "roofline"};
}

std::unique_ptr<Predictor> make_predictor(const std::string& name, const Device& device, Diagnostics& diagnostics) {
    if (name == "composite") {
        return std::make_unique<Composite>(device);
    }
    if (name == "roofline") {
        return std::make_unique<Roofline>(device);
    }
    const std::string guess = nearest(name, predictor_names());
    diagnostics.report(kind::unknown_predictor, {}, "no predictor is named `" + name + "`").hint =
        (guess.empty() ? std::string() : "did you mean `" + guess + "`? ") + "known: composite, roofline";
    return nullptr;
}

} // namespace fusec::perfmodel
