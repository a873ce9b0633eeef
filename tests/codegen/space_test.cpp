// SPDX-License-Identifier: Apache-2.0
// Every implementation that the candidate space makes of some programs is proved sound, so that fusion's own rule for barriers and the
// verifier, which know nothing of each other, agree.
#include "samples.hpp"

#include "codegen/verifier.hpp"
#include "fusion/space.hpp"

#include <gtest/gtest.h>

namespace fusec::codegen::test {

namespace {

/// Bytes alone: which candidates are kept does not matter here.
class ByteCost : public fusion::CostModel {
public:
    fusion::Cost cost(const fusion::KernelWork& work, std::uint64_t elements) const override {
        return {(work.read_bytes + work.write_bytes) * static_cast<double>(elements), fusion::Bound::dram};
    }
    double lower_bound(double read_bytes, double write_bytes, double, Precision, std::uint64_t elements) const override {
        return (read_bytes + write_bytes) * static_cast<double>(elements);
    }
};

/// Verifies every `stride`-th implementation of every column; returns how many.
std::size_t verify_space(const Sample& program, const fusion::DeviceLimits& limits, std::size_t stride) {
    const ByteCost model;
    fusion::Space space(program.graph, program.catalog, limits, model, {});
    std::size_t seen = 0, verified = 0;
    for (std::size_t column = 0; column < space.columns().size(); ++column) {
        for (const fusion::Candidate& candidate : space.implementations(ColumnId(column))) {
            if (seen++ % stride == 0) {
                ++verified;
                const Unit unit = lower(candidate, "unit", program.graph, program.catalog);
                const std::vector<std::string> found = findings(unit);
                EXPECT_TRUE(found.empty()) << fusion::granularity_text(candidate) << ": " << found.front() << "\n" << dump(unit);
                if (!found.empty()) {
                    return verified;
                }
            }
        }
    }
    return verified;
}

} // namespace

TEST(Space, implementations_of_the_demo_are_sound) {
    EXPECT_GE(verify_space(*sample("demo", demo_text), {}, 11), 400u);
}

TEST(Space, implementations_of_wide_double_matrices_are_sound) {
    const auto program = sample(
        "wide", "double MATRIX4x4 A, B, C, D;\nuniform double SCALAR mu;\ninput A, B;\nC = A * B;\nD = (C * mu) + B;\nreturn D, C;\n");
    EXPECT_GE(verify_space(*program, {}, 7), 100u);
}

TEST(Space, host_implementations_are_sound) {
    fusion::DeviceLimits limits;
    limits.target = fusion::Target::host;
    EXPECT_GE(verify_space(*sample("demo", demo_text), limits, 1), 20u);
}

} // namespace fusec::codegen::test
