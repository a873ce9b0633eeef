// SPDX-License-Identifier: Apache-2.0
// Every example, compiled with its best plan for the host and for emulated CUDA and executed for many n, computes its formula as Eigen
// does.
#include "cli/pipeline.hpp"
#include "execute/verify.hpp"
#include "execute/verify_cases.hpp"
#include "tests/examples/formulas.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>
#include <sstream>

namespace fusec {
namespace {

using examples::Values;
namespace fs = std::filesystem;

const fs::path examples_folder = FUSEC_SOURCE_DIR "/examples";
const fs::path workloads_folder = FUSEC_SOURCE_DIR "/examples/workloads";

std::vector<std::string> stems_of(const fs::path& folder) {
    std::vector<std::string> stems;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".fus") {
            stems.push_back(entry.path().stem().string());
        }
    }
    std::sort(stems.begin(), stems.end());
    return stems;
}

std::string rendered(const Diagnostics& diagnostics) {
    std::ostringstream text;
    render(diagnostics, text, false);
    return text.str();
}

/// The formula's values may differ from the exact ones by as much as a kernel's in the same precision: in an `f64` program Eigen rounds as
/// often as the kernel does, and by other algorithms (`ldlt`, adjugates) of the same conditioning, whose first-order bounds are within a
/// small factor of the reference's. For `f32` programs the formula, in double, is exact in comparison.
double bound_factor(Precision precision) {
    return precision == Precision::f64 ? 4 : 1;
}

/// One value of a list: that of `element`, or the only one.
std::vector<double> value_of(const execute::RunList& list, std::size_t element) {
    const auto size = static_cast<std::size_t>(list.type.shape.size());
    const std::size_t first = list.uniform ? 0 : element * size;
    return {list.values.begin() + static_cast<std::ptrdiff_t>(first), list.values.begin() + static_cast<std::ptrdiff_t>(first + size)};
}

/// A compiled example with the launches to make and, as expected outputs, what `formula` gives for random inputs within the domains.
struct Example {
    cli::Compilation compilation;
    execute::RunJob job;
};

using Formula = std::function<Values(const Values&)>;
/// Changes the random inputs of all elements.
using Adjust = std::function<void(const frontend::CheckedProgram&, execute::DataValues&)>;

std::vector<double>& list_of(const frontend::CheckedProgram& program, execute::DataValues& given, const std::string& name) {
    const auto found = std::find_if(program.inputs.begin(), program.inputs.end(), [&](DataId id) { return program.list_name(id) == name; });
    return given.at(found->index());
}

/// Tetrahedra of unit edges, deformed by a rotation and up to an eighth in each component: Newton's method finds the rotation.
void adjust_corotated(const frontend::CheckedProgram& program, execute::DataValues& given) {
    std::vector<double>&x = list_of(program, given, "x"), &inverse = list_of(program, given, "Dminv");
    for (std::size_t element = 0; element < inverse.size() / 9; ++element) {
        const double angle = 0.37 * static_cast<double>(element);
        const double rotation[3][3] = {{std::cos(angle), -std::sin(angle), 0}, {std::sin(angle), std::cos(angle), 0}, {0, 0, 1}};
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t k = 0; k < 3; ++k) {
                double& entry = inverse[9 * element + 3 * i + k];
                entry = (i == k ? 1 : 0) + entry / 8;
                double& node = x[12 * element + 3 * (k + 1) + i]; // component i of the edge to node k + 1
                node = x[12 * element + i] + rotation[i][k] + node / 8;
            }
        }
    }
}

std::unique_ptr<Example> compile(const std::string& stem, fusion::Target target, const Formula& formula, const Adjust& adjust = {}) {
    auto example = std::make_unique<Example>();
    cli::Compilation& c = example->compilation;
    c.options.program = examples_folder / (stem + ".fus");
    if (!fs::exists(c.options.program)) {
        c.options.program = workloads_folder / (stem + ".fus");
    }
    c.options.target = target;
    c.options.device = target == fusion::Target::host ? "host-generic" : "h200";
    c.header_name = stem + ".h";
    Diagnostics diagnostics;
    const bool compiled = cli::run_pipeline(c, diagnostics);
    EXPECT_TRUE(compiled) << rendered(diagnostics);
    EXPECT_TRUE(diagnostics.all().empty()) << "an example is written without warnings:\n" << rendered(diagnostics);
    if (!compiled) {
        return nullptr;
    }
    std::set<int> tiles;
    execute::RunJob& job = example->job;
    for (const fusion::Candidate& kernel : c.plans.front().kernels) {
        if (tiles.insert(kernel.instances_per_block).second) {
            const auto cases = execute::standard_cases(kernel.instances_per_block, 7);
            job.cases.insert(job.cases.end(), cases.begin(), cases.end());
        }
    }
    const std::size_t elements = execute::most_elements(job.cases);
    execute::RandomCases drawn = execute::draw_cases(*c.program, *c.catalog, elements, 20);
    EXPECT_EQ(drawn.ill, 0U);
    if (adjust) {
        adjust(*c.program, drawn.given);
        drawn.reference = execute::evaluate(*c.program, *c.catalog, elements, drawn.given);
    }
    job.text = execute::unit_text(*c.unit, c.emitted, stem);
    job.interface = execute::run_interface(*c.unit, drawn.reference);
    job.interface.entries.clear(); // the text is the one without --entries
    const auto name_of = [&](const codegen::List& list) { return c.program->list_name(list.datum); };
    for (std::size_t i = 0; i < c.unit->outputs.size(); ++i) {
        execute::RunList& output = job.interface.outputs[i];
        output.values.clear();
        for (double& bound : output.bounds) {
            bound *= bound_factor(c.unit->outputs[i].type.precision);
        }
    }
    std::set<std::string> expected_names;
    for (std::size_t element = 0; element < elements; ++element) {
        Values inputs;
        for (std::size_t i = 0; i < c.unit->inputs.size(); ++i) {
            inputs[name_of(c.unit->inputs[i])] = value_of(job.interface.inputs[i], element);
        }
        const Values outputs = formula(inputs);
        EXPECT_EQ(outputs.size(), c.unit->outputs.size()) << "the formula has other outputs than the program returns";
        for (std::size_t i = 0; i < c.unit->outputs.size(); ++i) {
            const auto found = outputs.find(name_of(c.unit->outputs[i]));
            if (found == outputs.end() || found->second.size() != static_cast<std::size_t>(c.unit->outputs[i].type.shape.size())) {
                ADD_FAILURE() << "the formula gives no `" << name_of(c.unit->outputs[i]) << "` of the program's shape";
                return nullptr;
            }
            std::vector<double>& values = job.interface.outputs[i].values;
            values.insert(values.end(), found->second.begin(), found->second.end());
        }
    }
    return example;
}

class Examples : public testing::Test {
protected:
    void SetUp() override {
        Diagnostics diagnostics;
        const auto compiler = execute::find_host_compiler(diagnostics);
        ASSERT_TRUE(compiler) << rendered(diagnostics);
        setup.compiler = *compiler;
        setup.cache = folder.path() / "cache";
        setup.library_folder = library::standard_library_folder();
        setup.batch = 5;
    }
    /// Runs all and expects agreement; the texts of `kind`.
    void expect_agreement(const std::vector<execute::RunJob>& jobs, execute::BuildKind kind, const char* executor) {
        const std::vector<execute::RunReport> reports = execute::run_texts(jobs, kind, setup);
        ASSERT_EQ(reports.size(), jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            EXPECT_EQ(reports[i].faults, 0U) << jobs[i].text.name << " on " << executor << ":\n  "
                                             << (reports[i].texts.empty() ? "" : reports[i].texts.front());
            EXPECT_GT(reports[i].components, 100U) << jobs[i].text.name;
            std::cout << jobs[i].text.name << " on " << executor << ": " << reports[i].launches << " launches, " << reports[i].components
                      << " components, worst error " << reports[i].worst_ratio << " of the allowed\n";
        }
    }
    static std::vector<execute::RunJob> jobs_for(const std::vector<std::string>& stems, fusion::Target target) {
        std::vector<execute::RunJob> jobs;
        for (const std::string& stem : stems) {
            SCOPED_TRACE(stem);
            const Adjust adjust = stem == "corotated" ? Adjust(adjust_corotated) : Adjust();
            if (auto example = compile(stem, target, [&](const Values& inputs) { return examples::formula(stem, inputs); }, adjust)) {
                jobs.push_back(std::move(example->job));
            }
        }
        EXPECT_EQ(jobs.size(), stems.size());
        return jobs;
    }

    execute::TemporaryFolder folder;
    execute::RunSetup setup;
};

TEST(ExampleFormulas, EveryExampleHasOneAndEveryFormulaAnExample) {
    std::vector<std::string> stems = stems_of(examples_folder), workloads = stems_of(workloads_folder);
    EXPECT_GE(stems.size(), 19U) << "the examples were not found";
    EXPECT_GE(workloads.size(), 20U) << "the workloads were not found";
    stems.insert(stems.end(), workloads.begin(), workloads.end());
    EXPECT_THAT(examples::example_names(), testing::UnorderedElementsAreArray(stems));
}

TEST_F(Examples, ComputeTheirFormulasOnTheHost) {
    const std::vector<execute::RunJob> jobs = jobs_for(stems_of(examples_folder), fusion::Target::host);
    expect_agreement(jobs, execute::BuildKind::host_checked, "host");
    expect_agreement(jobs, execute::BuildKind::host_product, "host, optimised");
}

TEST_F(Examples, ComputeTheirFormulasUnderEmulatedCuda) {
    expect_agreement(jobs_for(stems_of(examples_folder), fusion::Target::cuda), execute::BuildKind::emulated, "emulated CUDA");
}

class Workloads : public Examples, public testing::WithParamInterface<std::string> {};

TEST_P(Workloads, ComputeTheirFormulas) {
    expect_agreement(jobs_for({GetParam()}, fusion::Target::host), execute::BuildKind::host_checked, "host");
    expect_agreement(jobs_for({GetParam()}, fusion::Target::cuda), execute::BuildKind::emulated, "emulated CUDA");
}

INSTANTIATE_TEST_SUITE_P(
    All, Workloads, testing::ValuesIn(stems_of(workloads_folder)), [](const auto& workload) { return workload.param; });

/// Of the radial return, elements of each kind: elastic, plastic, and without any strain, where the direction of the flow is 0/0.
TEST_F(Examples, TheRadialReturnTakesBothBranches) {
    for (const fusion::Target target : {fusion::Target::host, fusion::Target::cuda}) {
        std::size_t elastic = 0, plastic = 0, unstrained = 0;
        const Formula formula = [&](const Values& inputs) {
            const Values outputs = examples::formula("j2_return", inputs);
            const bool flows = outputs.at("alpha_new") != inputs.at("alpha");
            EXPECT_EQ(outputs.at("eps_p_new") != inputs.at("eps_p"), flows);
            ++(flows ? plastic : elastic);
            unstrained += inputs.at("eps") == inputs.at("eps_p") ? 1U : 0U;
            return outputs;
        };
        const auto example = compile("j2_return", target, formula, [](const frontend::CheckedProgram& program, execute::DataValues& given) {
            const auto list = [&](const std::string& name) -> std::vector<double>& { return list_of(program, given, name); };
            list("sigma_y") = {0.5};
            list("H") = {0.75};
            for (std::size_t element = 0; element < list("alpha").size(); ++element) {
                list("alpha")[element] = std::abs(list("alpha")[element]);
                const double size = element % 7 == 3 ? 0 : element % 3 == 0 ? 0.1 : 1; // of the elastic strain
                for (std::size_t i = 9 * element; i < 9 * (element + 1); ++i) {
                    list("eps")[i] = list("eps_p")[i] + size * list("eps")[i];
                }
            }
        });
        ASSERT_TRUE(example);
        EXPECT_GE(elastic, 4U);
        EXPECT_GE(plastic, 4U);
        EXPECT_GE(unstrained, 2U);
        const bool host = target == fusion::Target::host;
        expect_agreement(
            {example->job}, host ? execute::BuildKind::host_checked : execute::BuildKind::emulated, host ? "host" : "emulated CUDA");
    }
}

/// The comparison notices a formula that is only nearly the program's.
TEST_F(Examples, AnotherFormulaIsNoticed) {
    const auto exchanged = compile("neo_hookean", fusion::Target::host, [](const Values& inputs) {
        Values other = inputs;
        std::swap(other.at("lambda"), other.at("mu"));
        return examples::formula("neo_hookean", other);
    });
    const auto rounded = compile("tet_geometry", fusion::Target::host, [](const Values& inputs) {
        Values outputs = examples::formula("tet_geometry", inputs);
        outputs.at("V").front() *= 1 + 1e-10;
        return outputs;
    });
    ASSERT_TRUE(exchanged && rounded);
    for (const execute::RunReport& report : execute::run_texts({exchanged->job, rounded->job}, execute::BuildKind::host_checked, setup)) {
        EXPECT_GT(report.faults, 0U);
    }
}

} // namespace
} // namespace fusec
