// SPDX-License-Identifier: Apache-2.0
// Which kernels a calibration of a host measures. None is measured here.
#include "cli/host_kernels.hpp"
#include "perfmodel/device.hpp"
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace fusec::cli {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class HostKernelsTest : public testing::Test {
protected:
    HostKernels find(const std::string& program, int widest) {
        const std::string routines = folder.write("routines.fus", "program routines;\nVECTOR3 a;\ninput a;\nd = vdot(a, a);\nreturn d;\n");
        folder.write("streams.fus", "program streams;\nVECTOR4 a;\ninput a;\nb = -a;\nreturn b;\n");
        HostCalibrationOptions options{.name = "mine", .programs = {}, .routines = {}, .probes = folder.path(), .widest_list = widest};
        if (!program.empty()) {
            options.routines.emplace_back(folder.write("p.fus", program));
        }
        auto device = perfmodel::find_device("host-generic", diagnostics);
        probes.emplace(device.value(), folder.path());
        return find_kernels(options, {}, 1, *probes, diagnostics).value();
    }

    test::TemporaryFolder folder;
    Diagnostics diagnostics;
    std::optional<HostProbes> probes;
};

// A vector of eighteen words would be negated in a loop that compilers leave one, and so in memory: of what no matrix has either.
TEST_F(HostKernelsTest, MovesListsInShortLoops) {
    const HostKernels found = find("", 36);
    std::set<std::string> shapes;
    for (const frontend::Datum& datum : found.transfers->program->data) {
        if (datum.kind == frontend::DatumKind::input && datum.type.precision == Precision::f32) {
            shapes.insert(to_string(datum.type.shape));
        }
    }
    EXPECT_EQ(shapes.size(), 36U);
    for (const char* shape : {"SCALAR", "VECTOR2", "VECTOR12", "VECTOR17", "MATRIX6x3", "VECTOR19", "MATRIX5x4", "MATRIX6x4", "MATRIX5x5",
             "MATRIX13x2", "MATRIX9x3", "MATRIX7x4", "VECTOR29", "MATRIX17x2", "MATRIX6x6"}) {
        EXPECT_TRUE(shapes.contains(shape)) << shape;
    }
}

// Values that a list was converted into would lie in memory where a routine is repeated. The lists are moved as they are stored.
TEST_F(HostKernelsTest, RepeatsRoutinesOnPlainLists) {
    const HostKernels found = find("store float double VECTOR5 a, c;\ninput a;\nc = a + a;\nreturn c;\n", 1);
    std::vector<std::string> routines;
    for (const HostProbe& probe : found.routines) {
        const std::string& routine = *computing_steps(probe.candidate).front()->routine;
        if (routine.starts_with("vadd")) {
            routines.push_back(routine);
            for (const fusion::GlobalAccess& access : transfers_of(probe.candidate)) {
                EXPECT_EQ(access.bytes, 8);
                EXPECT_FALSE(access.converted);
            }
        }
    }
    EXPECT_THAT(routines, ElementsAre("vadd_element(double VECTOR5, double VECTOR5) -> double VECTOR5"));
    std::set<int> converted;
    for (const fusion::Candidate& kernel : found.transfers->plans.front().kernels) {
        for (const fusion::GlobalAccess& access : transfers_of(kernel)) {
            if (access.converted) {
                converted.insert(static_cast<int>(access.count * access.bytes));
            }
        }
    }
    EXPECT_THAT(converted, UnorderedElementsAre(4, 20));
}

} // namespace
} // namespace fusec::cli
