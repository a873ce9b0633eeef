// SPDX-License-Identifier: Apache-2.0
// Slices and assemblies against plain indexing; every way to execute their functions under emulated CUDA; and mutants of the functions'
// device sources, all of which the comparison with the map of components catches.
#include "cli/pipeline.hpp"
#include "execute/verify.hpp"
#include "tests/execute/mutation/library_mutants.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace fusec {
namespace {

constexpr const char* text = R"(
MATRIX4x3 X;
VECTOR3 v;
SCALAR s;
input X, v, s;
uniform VECTOR2 u;
const MATRIX2x2 T = [[5, 0], [7, 8]];
row = X[2];
column = X[:, 1];
entry = X[3, 0];
corner = X[1:, :2];
part = v[1:];
stacked = rows(v, X[3], X[0:2]);
beside = columns(v[:2], X[1:3], X[0:2, 1:], v[1:]);
diagonal = diag(v);
three = rows(s, X[0, 0], u[1]);
wide = X[0:1, 1:];
MATRIX4x4 K;
for i in 0..2 {
    K[2 * i:2 * i + 2, 2 - 2 * i:4 - 2 * i] = T;
    K[2 * i:2 * i + 2, 2 * i:2 * i + 2] = columns(X[i:i + 2, 2], v[i:i + 2]);
}
VECTOR4 backwards;
for i in 0..4 { backwards[3 - i] = X[i, 0]; }
VECTOR3 along;
for i in 0..3 { along[i] = X[i + 1, i]; }
return row, column, entry, corner, part, stacked, beside, diagonal, three, wide, K, backwards, along;
)";

class Slices : public testing::Test {
protected:
    /// Up to the stage.
    void compile(const std::string& program, const char* stage) {
        std::ofstream(folder.path() / "slices.fus") << program;
        c.options.program = folder.path() / "slices.fus";
        c.options.device = "h200";
        Diagnostics diagnostics;
        const bool good = cli::run_pipeline(c, diagnostics, stage);
        std::ostringstream said;
        render(diagnostics, said, false);
        ASSERT_TRUE(good) << said.str();
    }
    static execute::RunSetup setup(const std::filesystem::path& cache) {
        Diagnostics diagnostics;
        return {execute::find_host_compiler(diagnostics).value(), cache, library::standard_library_folder(), 2, 300, 20};
    }
    const library::Function& function_of(CallId call) const { return c.catalog->function(c.program->call(call).instance.function); }

    /// All implementations of a kernel of this call alone.
    std::vector<fusion::Candidate> kernels_of(CallId call) {
        const auto column = c.space->find({call}, {c.program->call(call).result});
        return column ? c.space->implementations(*column) : std::vector<fusion::Candidate>{};
    }

    execute::TemporaryFolder folder;
    cli::Compilation c;
};

TEST_F(Slices, AreWhatIndexingGives) {
    compile(text, "fold");
    const frontend::CheckedProgram& program = *c.program;
    execute::DataValues given(program.data.size());
    std::map<std::string, std::vector<double>> in;
    for (const DataId id : program.inputs) {
        for (int k = 0; k < program.datum(id).type.shape.size(); ++k) {
            given[id.index()].push_back(100.0 * static_cast<double>(id.index() + 1) + k); // no two alike
        }
        in[program.datum(id).name] = given[id.index()];
    }
    const auto x = [&](int i, int j) { return in.at("X")[static_cast<std::size_t>(3 * i + j)]; };
    const std::vector<double>& v = in.at("v");
    const std::vector<double>& u = in.at("u");
    const double s = in.at("s")[0];
    const std::map<std::string, std::vector<double>> expected = {
        {"row", {x(2, 0), x(2, 1), x(2, 2)}},
        {"column", {x(0, 1), x(1, 1), x(2, 1), x(3, 1)}},
        {"entry", {x(3, 0)}},
        {"corner", {x(1, 0), x(1, 1), x(2, 0), x(2, 1), x(3, 0), x(3, 1)}},
        {"part", {v[1], v[2]}},
        {"stacked", {v[0], v[1], v[2], x(3, 0), x(3, 1), x(3, 2), x(0, 0), x(0, 1), x(0, 2), x(1, 0), x(1, 1), x(1, 2)}},
        {"beside", {v[0], x(1, 0), x(1, 1), x(1, 2), x(0, 1), x(0, 2), v[1], v[1], x(2, 0), x(2, 1), x(2, 2), x(1, 1), x(1, 2), v[2]}},
        {"diagonal", {v[0], 0, 0, 0, v[1], 0, 0, 0, v[2]}},
        {"three", {s, x(0, 0), u[1]}},
        {"wide", {x(0, 1), x(0, 2)}},
        {"K", {x(0, 2), v[0], 5, 0, x(1, 2), v[1], 7, 8, 5, 0, x(1, 2), v[1], 7, 8, x(2, 2), v[2]}},
        {"backwards", {x(3, 0), x(2, 0), x(1, 0), x(0, 0)}},
        {"along", {x(1, 0), x(2, 1), x(3, 2)}},
    };
    const execute::ReferenceResult result = execute::evaluate(program, *c.catalog, 1, given);
    EXPECT_EQ(program.outputs.size(), expected.size());
    for (const DataId id : program.outputs) {
        EXPECT_EQ(result.values[id.index()], expected.at(program.datum(id).name)) << program.datum(id).name;
        for (const double bound : result.bounds[id.index()]) {
            EXPECT_EQ(bound, 0) << program.datum(id).name << " is moved, not computed";
        }
    }
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        EXPECT_EQ(c.catalog->operations(program.calls[i].instance).flops, 0) << function_of(CallId(i)).name;
    }
}

TEST_F(Slices, AreWrittenAsInTheProgram) {
    compile(
        "MATRIX4x3 X; VECTOR3 v; input X, v; r = X[2] + X[1:, 0]; s = (X * v)[1:3]; M = rows(v, X)[2:, 1:] + X[:3, 1:]; return r, s, M;",
        "emit");
    for (const char* line : {"// r = X[2] + X[1:4,0]\n", "// s = (X v)[1:3]\n", "// M = X[1:4,1:3] + X[0:3,1:3]\n"}) {
        EXPECT_THAT(c.emitted.source, testing::HasSubstr(line));
    }
}

TEST_F(Slices, ByOneThreadAndByAThreadPerComponentOrRowUnderEmulatedCuda) {
    compile(text, "space");
    std::vector<fusion::Candidate> kernels;
    std::set<std::string> executed;
    for (std::size_t i = 0; i < c.program->calls.size(); ++i) {
        std::map<std::string, std::set<int>> ways; // by implementation, elements of a tile
        for (fusion::Candidate& kernel : kernels_of(CallId(i))) {
            const std::string& implementation = function_of(CallId(i)).implementations[kernel.order.front().implementation].name;
            std::set<int>& tiles = ways[implementation];
            if (tiles.size() < 3 && tiles.insert(kernel.instances_per_block).second) {
                executed.insert(function_of(CallId(i)).name + " " + implementation);
                kernels.push_back(std::move(kernel));
            }
        }
        const bool one = c.program->datum(c.program->calls[i].result).type.shape.size() == 1;
        EXPECT_TRUE(executed.contains(function_of(CallId(i)).name + " element"));
        EXPECT_EQ(executed.contains(function_of(CallId(i)).name + " entry"), !one) << function_of(CallId(i)).name;
    }
    const execute::VerifyResult result = execute::verify_kernels(kernels, *c.graph, *c.catalog, {}, setup(folder.path() / "cache"));
    EXPECT_TRUE(result.passed()) << (result.failures.empty() ? ""
                                                             : result.failures.front().what + ": " + result.failures.front().texts.front());
    EXPECT_EQ(result.checked, kernels.size());
    EXPECT_EQ(result.worst_ratio, 0) << "components are moved as they are";
    std::cout << result.checked << " kernels of " << executed.size() << " implementations, " << result.components << " components\n";
}

/// Mutants that do the same: what fills a square result with zeros first may transpose it, and may leave out a last row that has none;
/// a diagonal matrix is symmetric.
bool is_equivalent(const execute::LibraryMutant& mutant, const library::Function& function) {
    std::vector<std::string> lines{""};
    std::istringstream source(function.source);
    for (std::string line; std::getline(source, line);) {
        lines.push_back(line);
    }
    const auto fills = [&](std::size_t line) { return line < lines.size() && lines[line].ends_with(" = 0;"); };
    const auto line = static_cast<std::size_t>(std::stoul(mutant.change));
    const auto& map = std::get<library::ComponentMap>(function.reference);
    if (mutant.kind == "transposed index") {
        return map.result.rows == map.result.columns && (fills(line) || function.name.starts_with("diagonal"));
    }
    const bool last_row_has_zero = std::any_of(map.sources.end() - map.result.columns, map.sources.end(),
        [](const library::ComponentSource& from) { return from.operand == library::ComponentSource::zero; });
    return mutant.kind == "missing last term" && fills(line + 2) && !last_row_has_zero;
}

/// One mutant of every function at a time, each in a kernel of its own call and implementation.
TEST_F(Slices, MutantsOfTheirRoutinesAreCaught) {
    compile(text, "space");
    std::map<std::size_t, std::vector<execute::LibraryMutant>> mutants; // by call
    std::map<std::string, std::size_t> kinds;
    for (std::size_t i = 0; i < c.program->calls.size(); ++i) {
        for (execute::LibraryMutant& mutant : execute::library_mutants(function_of(CallId(i)))) {
            ++kinds[mutant.kind];
            if (!is_equivalent(mutant, function_of(CallId(i)))) {
                mutants[i].push_back(std::move(mutant));
            }
        }
    }
    EXPECT_EQ(mutants.size(), c.program->calls.size());
    EXPECT_GE(kinds["transposed index"], 10U);
    EXPECT_GE(kinds["wrong sign"], 30U);
    EXPECT_GE(kinds["missing last term"], 10U);
    std::size_t caught = 0;
    std::size_t run = 0;
    constexpr std::size_t rounds = 4; // of as many mutants of a function as there are; each round is one batch
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<library::Function> functions = c.program->functions;
        std::vector<fusion::Candidate> kernels;
        std::vector<std::string> changes;
        for (const auto& [call, all] : mutants) {
            const execute::LibraryMutant& mutant = all[round * all.size() / rounds];
            const bool repeated = round > 0 && (round - 1) * all.size() / rounds == round * all.size() / rounds;
            const std::size_t own = c.program->calls[call].instance.function.index() - c.catalog->library_size();
            std::vector<fusion::Candidate> ways = kernels_of(CallId(call));
            const auto way = std::find_if(ways.begin(), ways.end(), [&](const fusion::Candidate& kernel) {
                return functions[own].implementations[kernel.order.front().implementation].routine == mutant.routine;
            });
            ASSERT_NE(way, ways.end()) << mutant.function << "_" << mutant.routine;
            if (repeated) {
                continue;
            }
            functions[own].source = mutant.source;
            kernels.push_back(std::move(*way));
            changes.push_back(mutant.function + "_" + mutant.routine + ": " + mutant.kind + " " + mutant.change);
        }
        const library::Catalog mutated = c.catalog->with(functions);
        execute::VerifyOptions options;
        options.most_failures = kernels.size();
        const execute::VerifyResult result = execute::verify_kernels(kernels, *c.graph, mutated, options, setup(folder.path() / "cache"));
        EXPECT_EQ(result.checked, kernels.size());
        EXPECT_EQ(result.mismatches, kernels.size()) << testing::PrintToString(changes) << [&] {
            std::string failed;
            for (const execute::VerifyFailure& failure : result.failures) {
                failed += "\ncaught: " + failure.what;
            }
            return failed;
        }();
        caught += result.mismatches;
        run += kernels.size();
    }
    EXPECT_GE(run, 3 * mutants.size());
    std::cout << caught << " of " << run << " mutants caught\n";
}

} // namespace
} // namespace fusec
