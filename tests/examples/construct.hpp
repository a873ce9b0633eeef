// SPDX-License-Identifier: Apache-2.0
// What tests of single constructs of the language share: a program's text is compiled, evaluated by the reference, executed in its plans, and compared
// with a formula written with Eigen.
#pragma once

#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "execute/verify.hpp"
#include "execute/verify_cases.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace fusec::examples {

/// Components of each list for one element, as they are stored, by the name in the interface.
using Lists = std::map<std::string, std::vector<double>>;
using Formula = std::function<Lists(const Lists&)>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline std::vector<double> drawn(int count, unsigned seed) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values.push_back(static_cast<double>(seed >> 20U) / 4096 - 0.5);
    }
    return values;
}

inline RowMajor matrix(const std::vector<double>& values, int rows, int columns) {
    return Eigen::Map<const RowMajor>(values.data(), rows, columns);
}

/// Of the words as the language says them: [0,0], [1,0], [1,1], [2,0], ...
inline RowMajor symmetric(const std::vector<double>& words, int n) {
    RowMajor made(n, n);
    std::size_t next = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            made(i, j) = made(j, i) = words.at(next++);
        }
    }
    return made;
}

template <class Derived>
std::vector<double> listed(const Eigen::MatrixBase<Derived>& value) {
    std::vector<double> values;
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
        for (Eigen::Index j = 0; j < value.cols(); ++j) {
            values.push_back(value(i, j));
        }
    }
    return values;
}

inline std::vector<double> triangle(const RowMajor& m) {
    std::vector<double> words;
    for (int i = 0; i < m.rows(); ++i) {
        for (int j = 0; j <= i; ++j) {
            words.push_back(m(i, j));
        }
    }
    return words;
}

/// One element by the reference.
inline Lists evaluated(const frontend::CheckedProgram& program, const library::Catalog& catalog, const Lists& in) {
    execute::DataValues given(program.data.size());
    for (const DataId id : program.inputs) {
        given[id.index()] = in.at(program.list_name(id));
    }
    const execute::ReferenceResult result = execute::evaluate(program, catalog, 1, given);
    Lists out;
    for (const DataId id : program.outputs) {
        out[program.list_name(id)] = result.values[id.index()];
    }
    return out;
}

inline std::string failures(const execute::VerifyResult& result) {
    std::string said;
    for (const execute::VerifyFailure& failure : result.failures) {
        said += failure.what + ": " + failure.texts.front() + "\n";
    }
    return said;
}

class Construct : public testing::Test {
protected:
    using Change = std::function<void(cli::CompileOptions&)>;

    /// Compiles the text up to `stage`, or whole, for the device of the target; `said` has what the compiler says. False, and a failure, where it is in error.
    /// Stages refer to what earlier ones left in `c`, so it stays where it is.
    bool compile_into(
        cli::Compilation& c, const std::string& text, fusion::Target target, const char* stage = nullptr, const Change& change = {}) {
        c = {};
        c.options.program = folder.path() / "program.fus";
        std::ofstream(c.options.program) << text;
        c.options.target = target;
        c.options.device = target == fusion::Target::host ? "host-generic" : "h200";
        c.header_name = "program.h";
        if (change) {
            change(c.options);
        }
        Diagnostics diagnostics;
        const bool good = stage == nullptr ? cli::run_pipeline(c, diagnostics) : cli::run_pipeline(c, diagnostics, stage);
        std::ostringstream out;
        render(diagnostics, out, false);
        said = out.str();
        EXPECT_TRUE(good) << said;
        return good;
    }
    std::unique_ptr<cli::Compilation> compiled(
        const std::string& text, fusion::Target target, const char* stage = nullptr, const Change& change = {}) {
        auto c = std::make_unique<cli::Compilation>();
        return compile_into(*c, text, target, stage, change) ? std::move(c) : nullptr;
    }
    static Change with_plan(const std::string& plan) {
        return [plan](cli::CompileOptions& options) { options.plan = plan; };
    }

    execute::RunSetup setup() const {
        Diagnostics diagnostics;
        return {execute::find_host_compiler(diagnostics).value(), folder.path() / "cache", library::standard_library_folder(), 2, 300, 20};
    }

    /// The plans of a compiled space, by mode: each is verified and executed, together with the others, and given to `also` as the plan of `c`.
    void expect_every_plan_agrees(
        cli::Compilation& c, const std::function<void(const char* mode, const execute::VerifyResult&)>& also = {}) const {
        constexpr std::array modes{"auto", "none", "max", "greedy"};
        std::vector<fusion::Plan> plans;
        for (const char* mode : modes) {
            c.options.plan = mode;
            c.plans.clear();
            Diagnostics diagnostics;
            ASSERT_TRUE(cli::choose_plan(c, diagnostics)) << mode;
            plans.push_back(c.plans.front());
            fusion::verify(plans.back(), *c.graph);
        }
        std::vector<execute::PlanToVerify> jobs;
        for (std::size_t i = 0; i < modes.size(); ++i) {
            jobs.push_back({&plans[i], &*c.graph, &*c.catalog, std::string("plan_") + modes[i], modes[i]});
        }
        const std::vector<execute::VerifyResult> results = execute::verify_plans(jobs, {.target = c.options.target}, setup());
        for (std::size_t i = 0; i < modes.size(); ++i) {
            EXPECT_TRUE(results[i].passed()) << modes[i] << "\n" << failures(results[i]);
            if (i == 0 || results[i].texts != 0) { // plans that are alike are executed once
                EXPECT_GT(results[i].components, 1000U) << modes[i];
            }
            if (also) {
                c.plans.assign(1, plans[i]);
                also(modes[i], results[i]);
            }
        }
    }

    /// The plan's text with random inputs, and as expected outputs what the formula makes of them.
    static execute::RunJob job(const cli::Compilation& c, const Formula& formula) {
        execute::RunJob job;
        job.cases = execute::plan_launches(c.plans.front(), *c.graph, 7);
        const std::size_t elements = execute::most_elements(job.cases);
        const execute::RandomCases cases = execute::draw_cases(*c.program, *c.catalog, elements, 20);
        EXPECT_EQ(cases.ill, 0U);
        job.text = execute::unit_text(*c.unit, c.emitted, "program");
        job.interface = execute::run_interface(*c.unit, cases.reference);
        for (execute::RunList& output : job.interface.outputs) {
            output.values.clear();
            for (double& bound : output.bounds) {
                bound *= 4; // Eigen rounds too
            }
        }
        for (std::size_t element = 0; element < elements; ++element) {
            Lists in;
            for (const execute::RunList& given : job.interface.inputs) {
                const auto size = static_cast<std::size_t>(given.type.shape.size());
                const auto first = given.values.begin() + static_cast<std::ptrdiff_t>(given.uniform ? 0 : element * size);
                in[given.name].assign(first, first + static_cast<std::ptrdiff_t>(size));
            }
            const Lists out = formula(in);
            for (execute::RunList& expected : job.interface.outputs) {
                const std::vector<double>& values = out.at(expected.name);
                EXPECT_EQ(values.size(), static_cast<std::size_t>(expected.type.shape.size())) << expected.name;
                expected.values.insert(expected.values.end(), values.begin(), values.end());
            }
        }
        return job;
    }

    /// On the host, checked and as a user builds it, and under emulated CUDA.
    void expect_formula(const std::string& text, const Formula& formula, const std::vector<std::string>& plans) {
        for (const std::string& plan : plans) {
            for (const fusion::Target target : {fusion::Target::host, fusion::Target::cuda}) {
                const auto c = compiled(text, target, nullptr, with_plan(plan));
                ASSERT_NE(c, nullptr);
                const bool host = target == fusion::Target::host;
                for (const execute::BuildKind kind : host ? std::vector{execute::BuildKind::host_checked, execute::BuildKind::host_product}
                                                          : std::vector{execute::BuildKind::emulated}) {
                    const execute::RunReport report = execute::run_texts({job(*c, formula)}, kind, setup()).front();
                    EXPECT_EQ(report.faults, 0U) << plan << (host ? " on the host" : " under emulated CUDA") << ":\n"
                                                 << (report.texts.empty() ? "" : report.texts.front());
                    EXPECT_GT(report.components, 1000U);
                }
            }
        }
    }

    execute::TemporaryFolder folder;
    std::string said;
};

} // namespace fusec::examples
