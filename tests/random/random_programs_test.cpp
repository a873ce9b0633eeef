// SPDX-License-Identifier: Apache-2.0
// Random programs through the whole compiler: the plans `auto`, `none`, `max` and `greedy` of each, executed on the host and under
// emulated CUDA, equal the reference. The first 300 seeds run by default; FUSEC_RANDOM_COUNT and FUSEC_RANDOM_SEED choose how many and from
// which seed on: `FUSEC_RANDOM_COUNT=3000 FUSEC_RANDOM_SEED=1000 random_programs_test` is the nightly run. A failure prints seed
// and program.
#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "execute/agreement.hpp"
#include "execute/verify.hpp"
#include "tests/execute/mutation/example_mutants.hpp"
#include "tests/execute/temporary_folder.hpp"
#include "tests/random/generator.hpp"
#include "tests/random/stored_lists.hpp"
#include "tests/random/with_conversions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace fusec {
namespace {

constexpr std::uint64_t shards = 10;
constexpr std::uint64_t default_count = 300;
/// Programs compiled, kept in memory and then executed together.
constexpr std::uint64_t chunk = 30;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::stoull(text);
}

/// Every combination of precision, uniforms and constants comes up within 8 consecutive seeds.
random_programs::ProgramOptions options_of(std::uint64_t seed) {
    random_programs::ProgramOptions options;
    options.calls = 3 + static_cast<int>(seed / 8 % 10);
    options.f64 = (seed & 1U) != 0;
    options.uniforms = (seed & 2U) != 0;
    options.derived = seed % 3 != 1;
    options.constants = (seed & 4U) != 0;
    options.blocks = seed % 3 == 0;
    options.program_blocks = seed % 5 == 1 || seed % 12 == 6;
    options.slices = seed % 5 < 2;
    options.neutrals = seed % 7 == 3;
    options.components = seed % 4 == 1;
    options.alternatives = seed % 6 == 4;
    options.symmetric = seed % 7 == 5 || seed % 9 == 2;
    options.updates = seed % 4 == 2 || seed % 9 == 0;
    options.chains = seed % 5 == 1;
    options.selections = seed % 5 == 3 || seed % 11 == 0;
    return options;
}

std::string rendered(const Diagnostics& diagnostics) {
    std::ostringstream text;
    render(diagnostics, text, false);
    return text.str();
}

bool stores_otherwise(std::uint64_t seed) {
    return seed % 5 == 1 || seed % 13 == 7;
}

bool converts(std::uint64_t seed) {
    return seed % 5 == 2 || seed % 11 == 5;
}

std::string program_of(std::uint64_t seed) {
    static const library::Catalog catalog = [] {
        Diagnostics diagnostics;
        return library::Catalog::load({library::standard_library_folder()}, diagnostics).value();
    }();
    std::string text = random_programs::random_program(seed, options_of(seed));
    text = stores_otherwise(seed) ? random_programs::with_stored_lists(text, seed, catalog) : text;
    return converts(seed) ? random_programs::with_conversions(text, seed, options_of(seed).f64) : text;
}

/// One program compiled for one target, with the plan of every mode.
struct Subject {
    std::uint64_t seed = 0;
    std::string text;
    cli::Compilation compilation;
    std::vector<fusion::Plan> plans; ///< in the order of `modes`
};

constexpr const char* modes[] = {"auto", "none", "max", "greedy"};

/// Fails the test and gives nothing when the program does not compile: every random program is valid.
std::unique_ptr<Subject> compile(std::uint64_t seed, fusion::Target target, const std::filesystem::path& folder) {
    auto subject = std::make_unique<Subject>();
    subject->seed = seed;
    subject->text = program_of(seed);
    cli::Compilation& c = subject->compilation;
    c.options.program = folder / "program.fus";
    c.options.target = target;
    c.options.device = target == fusion::Target::host ? "host-generic" : "h200";
    c.options.reassociate = options_of(seed).chains;
    std::ofstream(c.options.program) << subject->text;
    Diagnostics diagnostics;
    if (!cli::run_pipeline(c, diagnostics, "space")) {
        ADD_FAILURE() << "seed " << seed << " does not compile:\n" << rendered(diagnostics) << subject->text;
        return nullptr;
    }
    for (const cli::PlannedCombination& one : c.planned) {
        EXPECT_THAT(execute::compare_programs(*c.program, *c.catalog, *one.compiled->program, *one.compiled->catalog, 40, 1).differing,
            testing::IsEmpty())
            << "seed " << seed << ", " << one.text << "\n"
            << subject->text;
    }
    for (const char* mode : modes) {
        c.options.plan = mode;
        c.plans.clear();
        if (!cli::choose_plan(c, diagnostics)) {
            ADD_FAILURE() << "seed " << seed << " has no plan `" << mode << "`:\n" << rendered(diagnostics) << subject->text;
            return nullptr;
        }
        const fusion::Plan& plan = c.plans.front();
        fusion::verify(plan, *c.graph);
        for (const fusion::Candidate& kernel : plan.kernels) {
            fusion::verify(kernel, *c.graph, *c.catalog);
        }
        codegen::verify(codegen::lower(plan, *c.graph, *c.catalog));
        subject->plans.push_back(plan);
        EXPECT_LE(subject->plans.front().seconds, plan.seconds * (1 + 1e-12))
            << "seed " << seed << ": `auto` is predicted slower than `" << mode << "`\n"
            << subject->text;
    }
    return subject;
}

struct Counts {
    std::size_t programs = 0, derived = 0, selecting = 0, choosing = 0, packing = 0, updating = 0, reordering = 0, divided = 0, storing = 0,
                converting = 0, plans = 0, texts = 0, launches = 0, components = 0, ill = 0;
    std::size_t demanded = 0; ///< components, at least
};

/// What the launches with every tile size of the plan compare at least: 0, 1, t - 1, t, t + 1, t + 4, 2t + 4 and twice t + 3 elements from
/// the first on, and ranges of t + 1, 2t, 1 and none. Those for the workspace come on top.
std::size_t demanded_components(const fusion::Plan& plan, const frontend::CheckedProgram& program) {
    std::size_t components = 0, elements = 0;
    for (const DataId output : program.outputs) {
        components += static_cast<std::size_t>(program.datum(output).type.shape.size());
    }
    std::set<int> tiles;
    for (const fusion::Candidate& kernel : plan.kernels) {
        if (tiles.insert(kernel.instances_per_block).second) {
            elements += 11 * static_cast<std::size_t>(kernel.instances_per_block) + 17;
        }
    }
    return elements * components;
}

/// The texts of every other case are compiled by clang 19 where it is installed and shares its run-time libraries with this program.
std::optional<execute::HostCompiler> compiler_of([[maybe_unused]] std::uint64_t shard, Diagnostics& diagnostics) {
#if !defined(__SANITIZE_ADDRESS__)
    if (shard % 2 == 1) {
        if (auto clang = execute::compiler_named("clang++-19")) {
            return clang;
        }
        std::cout << "clang++-19 is not installed: the default compiler compiles these texts too\n";
    }
#endif
    return execute::find_host_compiler(diagnostics);
}

/// Compiles and executes seeds first .. last-1.
void run_chunk(std::uint64_t first, std::uint64_t last, fusion::Target target, const execute::HostCompiler& compiler, Counts& counts) {
    const execute::TemporaryFolder folder;
    std::vector<std::unique_ptr<Subject>> subjects;
    std::vector<execute::PlanToVerify> plans;
    std::vector<const Subject*> subject_of;
    for (std::uint64_t seed = first; seed < last; ++seed) {
        if (auto subject = compile(seed, target, folder.path())) {
            for (std::size_t m = 0; m < subject->plans.size(); ++m) {
                const std::string name = "p" + std::to_string(seed) + "_" + modes[m];
                plans.push_back({&subject->plans[m], &*subject->compilation.graph, &*subject->compilation.catalog, name,
                    std::string("plan `") + modes[m] + "`"});
                subject_of.push_back(subject.get());
            }
            subjects.push_back(std::move(subject));
        }
    }
    execute::RunSetup setup;
    setup.compiler = compiler;
    setup.cache = folder.path() / "cache";
    setup.library_folder = library::standard_library_folder();
    setup.seconds = 900; // a batch that is cut off is divided and run again, which only makes a loaded machine slower
    execute::VerifyOptions options{.target = target};
    options.product_every = 100;
    const std::vector<execute::VerifyResult> results = execute::verify_plans(plans, options, setup);
    const char* executor = target == fusion::Target::host ? "host" : "emulated CUDA";
    for (std::size_t p = 0; p < results.size(); ++p) {
        const execute::VerifyResult& result = results[p];
        for (const execute::VerifyFailure& failure : result.failures) {
            std::string texts;
            for (const std::string& text : failure.texts) {
                texts += "  " + text + "\n";
            }
            ADD_FAILURE() << "seed " << subject_of[p]->seed << ", " << failure.what << " on " << executor << ":\n"
                          << texts << subject_of[p]->text;
        }
        ++counts.plans;
        counts.texts += result.texts;
        counts.launches += result.launches;
        counts.components += result.components;
        counts.demanded += result.texts * demanded_components(*plans[p].plan, subject_of[p]->compilation.graph->program());
        const bool first_of_program = p == 0 || subject_of[p - 1] != subject_of[p];
        counts.programs += first_of_program ? 1U : 0U;
        counts.derived += first_of_program && !subject_of[p]->compilation.program->uniform_calls.empty() ? 1U : 0U;
        counts.selecting += first_of_program && subject_of[p]->text.find("select(") != std::string::npos ? 1U : 0U;
        counts.updating += first_of_program && !subject_of[p]->compilation.program->updates.empty() ? 1U : 0U;
        counts.divided += first_of_program && subject_of[p]->compilation.program->blocks.size() > 1 ? 1U : 0U;
        counts.choosing += first_of_program && !subject_of[p]->compilation.planned.empty() ? 1U : 0U;
        counts.reordering += first_of_program &&
                std::ranges::any_of(subject_of[p]->compilation.combinations, [](const auto& one) { return one.reordered.has_value(); })
            ? 1U
            : 0U;
        counts.packing += first_of_program && subject_of[p]->text.find("SYMMETRIC") != std::string::npos ? 1U : 0U;
        counts.storing += first_of_program && subject_of[p]->text.find("store ") != std::string::npos ? 1U : 0U;
        const bool converts = subject_of[p]->text.find("double(") != std::string::npos; // both ways or not at all
        counts.converting += first_of_program && converts ? 1U : 0U;
        if (first_of_program && result.ill_conditioned) {
            ++counts.ill;
            std::cout << "seed " << subject_of[p]->seed << ": " << result.redrawn << " of " << result.drawn
                      << " elements were ill conditioned\n";
        }
    }
}

/// Checked apart from the executions, in a moment: a shape of program that cancels by construction has to be kept from being made.
TEST(RandomProgramInputs, AreWellConditioned) {
    const std::uint64_t count = from_environment("FUSEC_RANDOM_COUNT", default_count);
    const std::uint64_t start = from_environment("FUSEC_RANDOM_SEED", 1);
    Diagnostics diagnostics;
    const auto catalog = library::Catalog::load({library::standard_library_folder()}, diagnostics);
    ASSERT_TRUE(catalog) << rendered(diagnostics);
    std::uint64_t ill = 0;
    for (std::uint64_t seed = start; seed < start + count; ++seed) {
        const std::string text = program_of(seed);
        const auto tree = frontend::parse(std::make_shared<const SourceText>("program.fus", text), diagnostics);
        const auto program = tree ? frontend::check(*tree, *catalog, {}, diagnostics) : std::nullopt;
        ASSERT_TRUE(program) << "seed " << seed << " does not compile:\n" << rendered(diagnostics) << text;
        const execute::RandomCases cases = execute::draw_cases(*program, catalog->with(program->functions), 72, 1);
        if (!cases.acceptable()) {
            ++ill;
            std::cout << "seed " << seed << ": " << cases.redrawn << " of 72 elements drawn again, " << cases.ill
                      << " stayed ill conditioned\n"
                      << text;
        }
    }
    std::cout << ill << " of " << count << " programs are ill conditioned\n";
    EXPECT_LE(ill * 20, count);
}

/// What the executions above would find in wrong text: mutants of a seeded program's text, as a wrong generator could have written it.
class RandomProgramMutants : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProgramMutants, AreCaught) {
    const std::uint64_t seed = GetParam();
    const execute::TemporaryFolder folder;
    std::ofstream(folder.path() / "program.fus") << program_of(seed);
    Diagnostics diagnostics;
    const execute::RunSetup setup{
        execute::find_host_compiler(diagnostics).value(), folder.path() / "cache", library::standard_library_folder()};
    for (const execute::MutatedPlan& plan : execute::run_mutants(folder.path() / "program.fus", 28, seed, setup)) {
        EXPECT_EQ(plan.original.faults, 0U);
        std::set<std::string> caught;
        for (std::size_t i = 0; i < plan.ran.size(); ++i) {
            EXPECT_TRUE(plan.reports[i].faults != 0 || !plan.proofs[i].empty())
                << execute::name_of(plan, plan.mutants[plan.ran[i]]) << " is not caught";
            if (plan.reports[i].faults != 0) {
                caught.insert(plan.mutants[plan.ran[i]].kind);
            }
        }
        for (const char* const kind : {"delete a barrier", "offset", "tail", "stride"}) {
            EXPECT_TRUE(caught.contains(kind)) << kind;
        }
    }
}

/// The first with lists that are updated in place, the second with slices, the third with lists that are stored otherwise.
INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgramMutants, testing::Values(9, 65, 31));

class RandomPrograms : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomPrograms, EveryPlanOnEveryExecutorEqualsTheReference) {
    const std::uint64_t count = from_environment("FUSEC_RANDOM_COUNT", default_count);
    const std::uint64_t start = from_environment("FUSEC_RANDOM_SEED", 1);
    const std::uint64_t first = start + count * GetParam() / shards;
    const std::uint64_t last = start + count * (GetParam() + 1) / shards;
    Diagnostics diagnostics;
    const auto compiler = compiler_of(GetParam(), diagnostics);
    ASSERT_TRUE(compiler) << rendered(diagnostics);
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        Counts counts;
        for (std::uint64_t at = first; at < last; at += chunk) {
            run_chunk(at, std::min(at + chunk, last), target, *compiler, counts);
        }
        std::cout << (target == fusion::Target::host ? "host" : "emulated CUDA") << ", seeds " << first << " to " << last - 1 << " by "
                  << compiler->command_text() << ": " << counts.programs << " programs, " << counts.derived << " with calls on uniforms, "
                  << counts.selecting << " with selections, " << counts.choosing << " with alternatives, " << counts.reordering
                  << " with products in another order, " << counts.packing << " with packed matrices, " << counts.divided << " in blocks, "
                  << counts.storing << " with lists stored otherwise, " << counts.converting << " of two precisions, " << counts.plans
                  << " plans, " << counts.texts << " texts, " << counts.launches << " launches, " << counts.components
                  << " components compared\n";
        EXPECT_EQ(counts.programs, last - first);
        EXPECT_LE(counts.ill * 20, counts.programs) << "more than 5 % of the programs are ill conditioned: their comparison proves little";
        EXPECT_GE(counts.texts, counts.programs);
        EXPECT_GE(counts.components, counts.demanded) << "launches are left out";
        EXPECT_TRUE(counts.programs == 0 || counts.demanded > 0);
        if (constexpr std::uint64_t many = 20; counts.programs >= many) { // of fewer, one that has something is no rule
            EXPECT_GE(counts.derived, counts.programs / 15) << "calls on uniforms are hardly ever made";
            EXPECT_GE(counts.selecting, counts.programs / 10) << "selections are hardly ever made";
            EXPECT_GE(counts.updating, counts.programs / 6) << "lists are hardly ever updated in place";
            EXPECT_GE(counts.divided, counts.programs / 10) << "programs have hardly ever blocks";
            EXPECT_GE(counts.choosing, counts.programs / 15) << "alternatives are hardly ever made";
            EXPECT_GE(counts.reordering, counts.programs / 20) << "orders of products are hardly ever chosen";
            EXPECT_GE(counts.packing, counts.programs / 10) << "packed matrices are hardly ever made";
            EXPECT_GE(counts.storing, counts.programs / 10) << "lists are hardly ever stored otherwise";
            EXPECT_GE(counts.converting, counts.programs / 10) << "values are hardly ever converted";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(std::uint64_t{0}, shards));

} // namespace
} // namespace fusec
