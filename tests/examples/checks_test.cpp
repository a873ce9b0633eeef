// SPDX-License-Identifier: Apache-2.0
// Assertions: flags against conditions written by hand; every plan on the host and under emulated CUDA; text that has none without
// `--checked`; many threads on the host; and what is wrong in a text or in kernel IR is seen.
#include "codegen/failure_emission.hpp"
#include "codegen/verifier.hpp"
#include "execute/loaded_library.hpp"
#include "execute/selections.hpp"
#include "tests/examples/construct.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>

namespace fusec {
namespace {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using testing::HasSubstr;
using testing::Not;

/// Conditions that fail in few elements, so that the first one is rarely one of a launch's first, and in none; one on uniforms, one that is the flag of the program's own value, two that are
/// the same, and a kernel of its own for most of them under `none`.
constexpr const char* text = R"(
program checks;
MATRIX3x3 A, B;
VECTOR3 v;
SCALAR s;
uniform SCALAR limit;
input A, B, v, s;
def root(x) { assert(x >= 0, "root of a negative number"); return sabs(x); }
d = mdet(A);
assert(d > -1.9, "a \backslash, a question??/ and a tab	");
for i in 1..3 { assert(v[i] * s * v[0] <= 0.8, "component of v"); }
C = A * B;
w = C * v;
product = s * v[1] * v[2];
below = select(product < 0.8, 0, 1);
assert(product < 0.8, "s");
assert(product < 0.8, "s again");
assert(venorm(w) < 3.2, "w");
assert(limit * limit >= 0, "limit");
r = root(product + 0.8);
return C, w, below, r;
)";

using examples::failures;

class Checks : public examples::Construct {
protected:
    void compile(const std::string& program, const char* stage, fusion::Target target = fusion::Target::cuda, bool checked = true,
        const char* plan = "auto") {
        ASSERT_TRUE(compile_into(c, program, target, stage, [&](cli::CompileOptions& options) {
            options.checked = checked;
            options.plan = plan;
        }));
    }

    cli::Compilation c;
};

/// The program without its assertions, whose lines stay.
std::string without_assertions(const std::string& program) {
    return std::regex_replace(program, std::regex("assert\\([^\"]*\"[^\"]*\"\\);"), "");
}

TEST_F(Checks, FlagsAreWhatEigenGives) {
    for (const char* stage : {"check", "updates"}) { // as written, and as compiled
        compile(text, stage);
        const frontend::CheckedProgram& program = *c.program;
        constexpr std::size_t elements = 20000;
        execute::RandomCases cases = execute::draw_cases(program, *c.catalog, elements, 3);
        std::vector<std::size_t> failed(program.checks.size(), 0);
        for (std::size_t e = 0; e < elements; ++e) {
            const auto at = [&](std::size_t input, std::size_t size) {
                return cases.given[program.inputs[input].index()].data() +
                    (program.datum(program.inputs[input]).per_element() ? e * size : 0);
            };
            const Matrix3 a = Eigen::Map<const Matrix3>(at(1, 9)), b = Eigen::Map<const Matrix3>(at(2, 9));
            const Eigen::Vector3d v(at(3, 3));
            const double limit = *at(0, 1), s = *at(4, 1);
            const double product = s * v[1] * v[2];
            const bool expected[] = {!(a.determinant() > -1.9F), !(v[1] * s * v[0] <= 0.8F), !(v[2] * s * v[0] <= 0.8F), !(product < 0.8F),
                !(product < 0.8F), !((a * b * v).norm() < 3.2F), !(limit * limit >= 0), !(product + 0.8F >= 0)};
            ASSERT_EQ(program.checks.size(), std::size(expected));
            for (std::size_t check = 0; check < program.checks.size(); ++check) {
                const double flag = cases.reference.values[program.outputs[program.checks[check].output].index()][e];
                EXPECT_EQ(flag, expected[check] ? 1 : 0) << stage << ", element " << e << ", check " << check;
                failed[check] += expected[check] ? 1U : 0U;
            }
        }
        for (const std::size_t check : {0U, 1U, 2U, 3U, 5U, 7U}) {
            EXPECT_GT(failed[check], 0U) << check;
            EXPECT_LT(failed[check], elements / 40) << check;
        }
        EXPECT_EQ(failed[6], 0U);
    }
}

/// The text of each.
std::vector<std::string> places(const std::vector<execute::OneSidedSelection>& selections) {
    std::vector<std::string> found;
    for (const execute::OneSidedSelection& one : selections) {
        found.emplace_back(one.place.text());
    }
    return found;
}

/// Of 20,000 elements, in which `below` takes both values; and where it takes one, it is named, but not the assertion on `limit`, which holds in all.
TEST_F(Checks, SelectionsOfTheProgramAloneAreOneSided) {
    const auto one_sided = [&](const std::string& program) {
        compile(program, "check");
        const execute::RandomCases cases = execute::draw_cases(*c.program, *c.catalog, 20000, 3);
        return execute::one_sided_selections(*c.program, *c.catalog, cases.reference, 20000);
    };
    EXPECT_THAT(places(one_sided(text)), testing::IsEmpty());
    std::string wide = text;
    wide.replace(wide.find("product < 0.8, 0, 1"), 13, "product < 800");
    const std::vector<execute::OneSidedSelection> found = one_sided(wide);
    EXPECT_THAT(places(found), testing::ElementsAre("select(product < 800, 0, 1)"));
    EXPECT_TRUE(!found.empty() && found.front().first);
}

TEST_F(Checks, EveryPlanEqualsTheReference) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile(text, "space", target);
        expect_every_plan_agrees(c, [&](const char* mode, const execute::VerifyResult& result) {
            for (const fusion::Candidate& kernel : c.plans.front().kernels) {
                fusion::verify(kernel, *c.graph, *c.catalog);
            }
            codegen::verify(codegen::lower(c.plans.front(), *c.graph, *c.catalog));
            for (const std::string& place : places(result.one_sided)) {
                EXPECT_EQ(place, "select(product < 0.8, 0, 1)") << mode << ": that an assertion holds everywhere is no surprise";
            }
        });
        execute::VerifyOptions options{.target = target};
        options.sample = 60;
        const execute::VerifyResult result = execute::verify_candidates(*c.space, *c.graph, *c.catalog, options, setup());
        EXPECT_TRUE(result.passed()) << failures(result);
        EXPECT_GT(result.checked, 30U);
    }
}

/// In blocks, launched whole and one by one: what fails in the first block alone is not forgotten when the second is launched, and the element counts
/// before the order of the checks. `b` and `c` make one call in both blocks, and the assertions are three.
TEST_F(Checks, OfAllBlocksAreRemembered) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile("program parts; MATRIX3x3 A; SCALAR s; input A, s; block one { b = s * s; assert(b < 0.6, \"one\"); B = A * A; } "
                "block two { c = s * s; assert(c < 0.6, \"again\"); d = c * mtrace(B); assert(d < 0.9, \"two\"); } return B, d;",
            "space", target);
        ASSERT_EQ(c.program->checks.size(), 3U);
        std::set<std::pair<std::uint32_t, std::string>> blocks;
        for (const frontend::Check& check : c.program->checks) {
            blocks.emplace(c.program->call(*c.program->datum(c.program->outputs[check.output]).producer).block, check.text);
        }
        EXPECT_THAT(blocks, testing::ElementsAre(testing::Pair(0U, "one"), testing::Pair(1U, "again"), testing::Pair(1U, "two")));
        const execute::RandomCases cases = execute::draw_cases(*c.program, *c.catalog, 200, 1);
        for (const frontend::Check& check : c.program->checks) {
            const std::vector<double>& flags = cases.reference.values[c.program->outputs[check.output].index()];
            EXPECT_GT(std::count(flags.begin(), flags.end(), 1), 0) << check.text;
        }
        expect_every_plan_agrees(c);
    }
}

TEST_F(Checks, AreNoTextWithoutTheOption) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        for (const char* plan : {"auto", "none"}) {
            compile(text, "emit", target, false, plan);
            const codegen::Emitted with = c.emitted;
            EXPECT_THAT(said, Not(HasSubstr("warning"))) << "what only assertions read is used";
            EXPECT_THAT(with.header, Not(HasSubstr("first_failure")));
            compile(without_assertions(text), "emit", target, false, plan);
            EXPECT_THAT(said, HasSubstr("`limit` is never used"));
            EXPECT_EQ(with.source, c.emitted.source);
            EXPECT_EQ(with.header, c.emitted.header);
        }
    }
}

TEST_F(Checks, AreInHeaderAndText) {
    compile(text, "emit");
    EXPECT_THAT(said, Not(HasSubstr("warning")));
    EXPECT_THAT(c.emitted.header,
        HasSubstr("int checks_first_failure(const void* workspace, void* stream, size_t* element, const char** message);"));
    EXPECT_THAT(c.emitted.source, HasSubstr("unsigned long long* failure, size_t first, size_t n)"));
    EXPECT_THAT(c.emitted.source, HasSubstr(R"("a \\backslash, a question\?\?/ and a tab\011")"));
    EXPECT_THAT(c.emitted.source, HasSubstr("atomicMin(failure, found)"));
    EXPECT_THAT(c.emitted.header, Not(HasSubstr("assert"))) << "flags are no lists";
    EXPECT_EQ(codegen::string_literal("\x01"
                                      "1\""),
        "\"\\0011\\\"\"");
}

/// What is written into the text wrongly, and has to be seen by comparing with the reference.
struct Mutant {
    const char* what;
    const char* from;
    const char* to;
    bool last = false; ///< the last place in place of the first
};

class CheckMutants : public Checks {
protected:
    /// Draws in which the first element that fails is in the second block of every kernel, so that places in blocks are told: for each check
    /// that is the first to fail there, one; and one, by `twice`, in which it fails again among the eight elements that lie in one tile of the host.
    static constexpr std::size_t twice = 100;
    std::map<std::size_t, execute::RunInterface> failing_late(const codegen::Unit& unit, std::size_t elements) const {
        std::map<std::size_t, execute::RunInterface> found;
        std::size_t tile = 0;
        for (const codegen::Kernel& kernel : unit.kernels) {
            tile = std::max(tile, static_cast<std::size_t>(kernel.tile_elements));
        }
        for (std::uint64_t seed = 1; seed < 600; ++seed) {
            execute::Cases drawn(*c.graph, *c.catalog, elements, seed);
            execute::RunInterface interface = drawn.interface(unit);
            std::size_t first = 0;
            const auto fails = [&](const execute::RunCheck& check) { return check.flags[first] != 0; };
            while (first < elements && std::none_of(interface.checks.begin(), interface.checks.end(), fails)) {
                ++first;
            }
            if (first == elements) {
                continue;
            }
            const auto check = std::find_if(interface.checks.begin(), interface.checks.end(), fails);
            if (first >= tile && first < 2 * tile) {
                found.try_emplace(static_cast<std::size_t>(check - interface.checks.begin()), interface);
            }
            for (std::size_t other = first + 1; other % 8 != 0 && other < elements; ++other) {
                if (check->flags[other] != 0) {
                    found.try_emplace(twice, interface);
                }
            }
        }
        EXPECT_TRUE(found.contains(0) && found.contains(1) && found.contains(3) && found.contains(twice))
            << "no draw in which these fail first, and late";
        return found;
    }
    void all_are_caught(fusion::Target target, const std::vector<Mutant>& mutants) {
        compile(text, "emit", target, true, "none");
        codegen::Unit unit = *c.unit;
        const std::vector<execute::RunCase> cases = execute::plan_launches(c.plans.front(), *c.graph, 1);
        const std::map<std::size_t, execute::RunInterface> draws = failing_late(unit, execute::most_elements(cases));
        const auto job = [&](const std::string& source, execute::RunInterface interface) {
            return execute::RunJob{execute::unit_text(unit, {source, c.emitted.header}, "program"), std::move(interface), cases};
        };
        const execute::BuildKind kind = target == fusion::Target::host ? execute::BuildKind::host_checked : execute::BuildKind::emulated;
        execute::RunSetup alone = setup();
        alone.batch = 1; // all have one name
        std::vector<execute::RunJob> unchanged;
        for (const auto& [check, draw] : draws) {
            unchanged.push_back(job(c.emitted.source, draw));
        }
        for (const execute::RunReport& good : execute::run_texts(unchanged, kind, alone)) {
            ASSERT_EQ(good.faults, 0U) << good.texts.front();
        }
        alone.first_fault_only = true;
        std::vector<execute::RunJob> jobs;
        for (const Mutant& mutant : mutants) {
            std::string source = c.emitted.source;
            const std::size_t at = mutant.last ? source.rfind(mutant.from) : source.find(mutant.from);
            ASSERT_NE(at, std::string::npos) << mutant.what << "\n" << source;
            source.replace(at, std::string(mutant.from).size(), mutant.to);
            for (const auto& [check, draw] : draws) {
                jobs.push_back(job(source, draw));
            }
        }
        const std::vector<execute::RunReport> reported = execute::run_texts(jobs, kind, alone);
        for (std::size_t i = 0; i < mutants.size(); ++i) {
            const auto first = reported.begin() + static_cast<std::ptrdiff_t>(i * draws.size());
            const auto last = first + static_cast<std::ptrdiff_t>(draws.size());
            const auto caught = std::find_if(first, last, [](const execute::RunReport& one) { return one.faults != 0; });
            EXPECT_NE(caught, last) << mutants[i].what << " is not caught";
            if (caught != last) {
                std::cout << mutants[i].what << ": " << caught->texts.front() << "\n";
                EXPECT_THAT(caught->texts.front(), Not(HasSubstr("error:"))) << "it does not compile";
            }
        }
    }
};

TEST_F(CheckMutants, OfCudaAreCaught) {
    all_are_caught(fusion::Target::cuda,
        {{"a check is not reported", "fusec::report(failure, assert_4, first + element, 3);", ""},
            {"the element is that of the block", "(element) << 16", "(threadIdx.x) << 16"}, // every check
            {"the element is that of the block's first", "assert_2, first + element, 1", "assert_2, first, 1"},
            {"another check's number", "assert_2, first + element, 1", "assert_2, first + element, 0"},
            {"another check's flag", "fusec::report(failure, assert_4,", "fusec::report(failure, assert_4 * 0,"},
            {"the flag is turned round", "if (flag != T(0) &&", "if (flag == T(0) &&"},
            {"the check is left out", "<< 16 | check;", "<< 16;"},
            {"the element is moved by too little", "(element) << 16", "(element) << 15"},
            {"the last failure and not the first",
                "found < *const_cast<const volatile unsigned long long*>(failure))\n        atomicMin(failure, found)",
                "true)\n        *failure = found"},
            {"looked at the wrong way", "found < *const_cast", "found > *const_cast"},
            {"the word behind", "atomicMin(failure,", "atomicMin(failure + 1,"},
            {"the word is not set", "const int error = fusec::reset_failure(workspace, stream)", "const int error = 0"},
            {"the word is not set for no elements", "? cudaSuccess : fusec::reset_failure(workspace, stream)",
                "? cudaSuccess : cudaSuccess"},
            {"the word is set to zeros", "cudaMemsetAsync(workspace, 0xff", "cudaMemsetAsync(workspace, 0"},
            {"half of the word is set", "0xff, sizeof(unsigned long long)", "0xff, sizeof(unsigned)"},
            {"the workspace begins with the slots", "reinterpret_cast<float*>(static_cast<unsigned char*>(workspace) + 256",
                "reinterpret_cast<float*>(static_cast<unsigned char*>(workspace)"},
            {"the word takes no room", "size_t{0} : 256 + ", "size_t{0} : "},
            {"the element is read wrongly", "failure >> 16)", "failure >> 17)"},
            {"the first text always", "messages[failure & 0xffff]", "messages[0]"}});
}

TEST_F(CheckMutants, OfTheHostAreCaught) {
    all_are_caught(fusion::Target::host,
        {{"a check is not reported", "fusec::report_tile(tile, failure, assert_4, 3);", ""},
            {"another check's number", "failure, assert_4, 3)", "failure, assert_4, 0)"},
            {"the element is the first of the tile", "first + static_cast<size_t>(lane)", "first"},
            {"the element is that of the tile", "(first + static_cast<size_t>(lane))", "(static_cast<size_t>(lane))"},
            {"the last failure and not the first", "while (found < least &&", "while ("},
            {"the last lane that fails", "while (flag.lanes[lane] == 0)\n        ++lane;",
                "for (int i = 0; i < count; ++i)\n        lane = flag.lanes[i] != 0 ? i : lane;"},
            {"only full tiles", "report_lanes(failure, flag.data[0], tile.first, tile.count, check);",
                "(void)failure, (void)flag, (void)tile, (void)check;"},
            {"the word is not set", "const int error = fusec::reset_host_failure(workspace)", "const int error = 0"},
            {"the word takes no room", "size_t{0} : 256 + ", "size_t{0} : "}});
}

TEST_F(Checks, TheVerifierSeesWrongReports) {
    compile(text, "lower");
    ASSERT_THAT(codegen::findings(*c.unit), testing::IsEmpty());
    std::size_t reports = 0;
    for (std::size_t k = 0; k < c.unit->kernels.size(); ++k) {
        const std::vector<codegen::Step>& steps = c.unit->kernels[k].steps;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!std::holds_alternative<codegen::Report>(steps[i])) {
                continue;
            }
            ++reports;
            const auto place = static_cast<std::ptrdiff_t>(i);
            const auto findings_of = [&](auto change) {
                codegen::Unit unit = *c.unit;
                change(unit.kernels[k].steps);
                return codegen::findings(unit);
            };
            EXPECT_THAT(findings_of([&](auto& s) { s.erase(s.begin() + place); }), testing::Contains(HasSubstr("is reported by 0 steps")));
            EXPECT_THAT(
                findings_of([&](auto& s) { s.insert(s.begin() + place, s[i]); }), testing::Contains(HasSubstr("reported by 2 steps")));
            const auto renumbered = [&](auto& s) { std::get<codegen::Report>(s[i]).check ^= 1U; };
            EXPECT_THAT(findings_of(renumbered), testing::Contains(HasSubstr("reports what is not the flag of check")));
            const auto too_early = [&](auto& s) { std::rotate(s.begin(), s.begin() + place, s.begin() + place + 1); };
            EXPECT_THAT(findings_of(too_early), Not(testing::IsEmpty())) << "the flag is not there yet";
        }
    }
    EXPECT_EQ(reports, c.program->checks.size());
}

/// 300,000 elements on the threads of OpenMP; what fails lies in many of their parts.
/// What the interface says of the word: the first block's launch begins anew, the others add to it, and memory without a launch is refused.
TEST_F(Checks, BlocksThatAreLaunchedAgainAddToWhatFailed) {
    ASSERT_TRUE(compile_into(c,
        "program again; SCALAR s; input s; block one { assert(s < 1, \"one\"); r = 2 * s; } block two { assert(r > 0, \"two\"); q = r * r; "
        "} return r, q;",
        fusion::Target::host, "emit", [](cli::CompileOptions& options) {
            options.checked = true;
            options.entries = true;
        }));
    EXPECT_THAT(c.emitted.header, HasSubstr("The launch of the first block begins anew, those of the others add what they find to it."));
    Diagnostics diagnostics;
    execute::BuildRequest request;
    request.kind = execute::BuildKind::host_checked;
    request.files = {{"again.cpp", c.emitted.source}, {c.header_name, c.emitted.header}};
    const auto path = execute::build_library(request, execute::find_host_compiler(diagnostics).value(), folder.path(), diagnostics);
    ASSERT_TRUE(path);
    const auto loaded = execute::LoadedLibrary::open(*path, diagnostics);
    ASSERT_TRUE(loaded);
    const auto functions = execute::UnitFunctions::find(*loaded, "again", diagnostics, {"one", "two"}, true);
    ASSERT_TRUE(functions);
    constexpr std::size_t n = 100;
    std::vector<float> s(n, 0.5F), r(n), q(n);
    void* const lists[] = {s.data(), r.data(), q.data()};
    alignas(256) static unsigned char workspace[1024];
    ASSERT_LE(functions->workspace_bytes(n), sizeof workspace);
    const auto launch = [&](std::size_t block) { return functions->entries[block].launch(lists, n, workspace, sizeof workspace, nullptr); };
    const auto expect = [&](const char* expected, std::size_t at) {
        std::size_t element = n;
        const char* message = nullptr;
        ASSERT_EQ(functions->first_failure(workspace, nullptr, &element, &message), 0);
        EXPECT_STREQ(message, expected);
        EXPECT_EQ(element, at);
    };
    s[20] = -1;
    ASSERT_EQ(launch(0), 0);
    expect(nullptr, 0);
    ASSERT_EQ(launch(1), 0);
    expect("two", 20);
    r[20] = 1;
    ASSERT_EQ(launch(1), 0);
    expect("two", 20); // of the block's first launch
    s[20] = 2;
    ASSERT_EQ(launch(0), 0);
    expect("one", 20);
    s[20] = 0.5F;
    ASSERT_EQ(launch(0), 0);
    ASSERT_EQ(launch(1), 0);
    expect(nullptr, 0);
    std::fill(std::begin(workspace), std::end(workspace), static_cast<unsigned char>(0x55)); // check 0x5555 of two
    std::size_t element = 0;
    const char* message = nullptr;
    EXPECT_NE(functions->first_failure(workspace, nullptr, &element, &message), 0);
}

TEST_F(Checks, OnManyThreadsOfTheHostTheFirstOneIsFound) {
    compile("program many; SCALAR s; input s; r = 2 * s; assert(s < 1, \"one\"); assert(r < 4, \"two\"); return r;", "emit",
        fusion::Target::host);
    Diagnostics diagnostics;
    execute::BuildRequest request;
    request.kind = execute::BuildKind::host_product;
    request.files = {{"many.cpp", c.emitted.source}, {c.header_name, c.emitted.header}};
    const auto path = execute::build_library(request, execute::find_host_compiler(diagnostics).value(), folder.path(), diagnostics);
    ASSERT_TRUE(path);
    const auto loaded = execute::LoadedLibrary::open(*path, diagnostics);
    ASSERT_TRUE(loaded);
    const auto functions = execute::UnitFunctions::find(*loaded, "many", diagnostics, {}, true);
    ASSERT_TRUE(functions);
    constexpr std::size_t n = 300000;
    ASSERT_EQ(functions->workspace_bytes(n), 256U);
    alignas(256) static unsigned char workspace[256];
    std::vector<float> r(n);
    unsigned state = 1;
    for (int round = 0; round < 40; ++round) {
        std::vector<float> s(n, 0);
        std::size_t first = n;
        float value = 0;
        for (int i = 0; i < round; ++i) {
            state = state * 1664525U + 1013904223U;
            const std::size_t at = state % n;
            s[at] = state >> 31U != 0 ? 1.5F : 3;
            value = at < first ? s[at] : value;
            first = std::min(first, at);
        }
        value = first < n ? s[first] : 0;
        void* const lists[] = {s.data(), r.data()};
        ASSERT_EQ(functions->launch(lists, n, workspace, sizeof workspace, nullptr), 0);
        std::size_t element = 0;
        const char* message = nullptr;
        ASSERT_EQ(functions->first_failure(workspace, nullptr, &element, &message), 0);
        EXPECT_EQ(message != nullptr, first < n);
        if (message != nullptr) {
            EXPECT_EQ(element, first);
            EXPECT_STREQ(message, "one") << value;
        }
        // From the middle on: elements count from there.
        const std::size_t begin = n / 2 + 3;
        const auto later = std::find_if(s.begin() + begin, s.end(), [](float x) { return x >= 1; });
        ASSERT_EQ(functions->launch_range(lists, begin, n - begin, workspace, sizeof workspace, nullptr), 0);
        ASSERT_EQ(functions->first_failure(workspace, nullptr, &element, &message), 0);
        EXPECT_EQ(message != nullptr, later != s.end());
        if (message != nullptr) {
            EXPECT_EQ(element, static_cast<std::size_t>(later - s.begin()) - begin);
        }
    }
    const char* message = "";
    std::size_t element = 1;
    EXPECT_EQ(functions->first_failure(nullptr, nullptr, &element, &message), 0) << "no workspace: nothing has failed";
    EXPECT_EQ(message, nullptr);
    EXPECT_NE(functions->first_failure(workspace, nullptr, nullptr, &message), 0);
    EXPECT_NE(functions->first_failure(workspace, nullptr, &element, nullptr), 0);
}

/// Of alternatives, those of the one that is taken; one that is wrong in every element is not passed over.
TEST_F(Checks, StandInAlternatives) {
    const std::string program = "program two; MATRIX3x3 A, B; VECTOR3 v; input A, B, v;\n"
                                "alternatives { C = A * B; assert(mtrace(C) < 1, \"one\"); y = C * v; }\n"
                                "or { x = B * v; y = A * x; assert(x[0] < 1, \"two\"); assert(x[1] < 1, \"three\"); }\n"
                                "assert(y[0] < 1, \"both\"); return y;";
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile(program, "plan", target);
        ASSERT_EQ(c.planned.size(), 2U);
        for (const cli::PlannedCombination& one : c.planned) {
            EXPECT_EQ(one.compiled->program->checks.size(), one.taken.front() == 1 ? 2U : 3U);
            EXPECT_EQ(one.compiled->program->checks.back().text, "both");
            const execute::VerifyResult result = execute::verify_plan(
                one.compiled->plans.front(), *one.compiled->graph, *one.compiled->catalog, {.target = target}, setup());
            EXPECT_TRUE(result.passed()) << failures(result);
        }
    }
    std::ofstream(folder.path() / "checks.fus")
        << "SCALAR s; input s; alternatives { y = 2 * s; } or { y = s + s; assert(1 > 2, \"never\"); } return y;";
    cli::Compilation wrong;
    wrong.options.program = folder.path() / "checks.fus";
    wrong.options.device = "h200";
    wrong.options.checked = true;
    Diagnostics diagnostics;
    EXPECT_FALSE(cli::run_pipeline(wrong, diagnostics, "plan"));
    EXPECT_EQ(diagnostics.all().front().kind.name, kind::failed_assertion.name);
}

} // namespace
} // namespace fusec
