// SPDX-License-Identifier: Apache-2.0
// Random programs with assertions through the whole compiler: with `--checked`, all plans on the host and under emulated CUDA equal the
// reference, first failures included; without it, the text is that of the program without them. FUSEC_RANDOM_COUNT and FUSEC_RANDOM_SEED
// choose how many and from which seed on.
#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "execute/verify.hpp"
#include "tests/execute/temporary_folder.hpp"
#include "tests/random/generator.hpp"
#include "tests/random/stored_lists.hpp"
#include "tests/random/with_checks.hpp"
#include "tests/random/with_conversions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace fusec {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::stoull(text);
}

/// Every one of them within the first 24 seeds.
random_programs::ProgramOptions options_of(std::uint64_t seed) {
    random_programs::ProgramOptions options;
    options.calls = 3 + static_cast<int>(seed % 7);
    options.f64 = seed % 2 == 1;
    options.blocks = seed % 3 == 0;
    options.slices = seed % 5 < 2;
    options.neutrals = seed % 7 == 3;
    options.components = seed % 4 == 1;
    options.alternatives = seed % 6 == 4;
    options.symmetric = seed % 3 != 0;
    options.updates = seed % 2 == 0 || seed % 8 == 3;
    options.selections = seed % 5 == 3;
    options.program_blocks = seed % 3 == 1 || seed % 4 == 2;
    return options;
}

std::string program_of(std::uint64_t seed) {
    static const library::Catalog catalog = [] {
        Diagnostics diagnostics;
        return library::Catalog::load({library::standard_library_folder()}, diagnostics).value();
    }();
    const std::string text = random_programs::random_program(seed, options_of(seed));
    return seed % 5 < 2 || seed % 5 == 4 ? random_programs::with_stored_lists(text, seed, catalog)
        : seed % 5 == 2 || seed % 5 == 3 ? random_programs::with_conversions(text, seed, options_of(seed).f64)
                                         : text;
}

class RandomCheckSeeds : public testing::Test {
protected:
    std::unique_ptr<cli::Compilation> compile(const std::string& text, fusion::Target target, bool checked, const char* stage) {
        auto c = std::make_unique<cli::Compilation>();
        c->options.program = folder.path() / "program.fus";
        c->options.target = target;
        c->options.device = target == fusion::Target::host ? "host-generic" : "h200";
        c->options.checked = checked;
        std::ofstream(c->options.program) << text;
        Diagnostics diagnostics;
        const bool good = cli::run_pipeline(*c, diagnostics, stage);
        std::ostringstream said;
        render(diagnostics, said, false);
        EXPECT_TRUE(good) << said.str() << text;
        return good ? std::move(c) : nullptr;
    }
    std::string with_checks(std::uint64_t seed, const std::string& text) {
        const auto plain = compile(text, fusion::Target::cuda, false, "check");
        random_programs::Draw draw(seed + 1000);
        return plain ? random_programs::with_checks(text, *plain->program, *plain->catalog, draw) : text;
    }

    execute::TemporaryFolder folder;
};

class RandomChecks : public RandomCheckSeeds, public testing::WithParamInterface<std::uint64_t> {};

constexpr std::uint64_t shards = 2;
constexpr std::uint64_t default_count = 24;

TEST_P(RandomChecks, EveryPlanOnEveryExecutorEqualsTheReference) {
    // As many of the default as of the random programs, of which 300 are the default: these take longer.
    const std::uint64_t count = (from_environment("FUSEC_RANDOM_COUNT", 300) * default_count + 299) / 300;
    const std::uint64_t start = from_environment("FUSEC_RANDOM_SEED", 1);
    Diagnostics diagnostics;
    execute::RunSetup setup;
    setup.compiler = execute::find_host_compiler(diagnostics).value();
    setup.cache = folder.path() / "cache";
    setup.library_folder = library::standard_library_folder();
    setup.seconds = 900;
    std::size_t checks = 0, programs = 0;
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        std::vector<std::unique_ptr<cli::Compilation>> compiled;
        std::vector<std::string> texts;
        std::vector<fusion::Plan> made;
        std::vector<std::size_t> of;
        for (std::uint64_t seed = start + count * GetParam() / shards; seed < start + count * (GetParam() + 1) / shards; ++seed) {
            const std::string text = program_of(seed);
            const std::string checked = with_checks(seed, text);
            auto c = compile(checked, target, true, "space");
            ASSERT_TRUE(c) << seed;
            checks += c->program->checks.size();
            ++programs;
            if (seed % 3 == 0) {
                const auto with = compile(checked, target, false, "emit"), without = compile(text, target, false, "emit");
                ASSERT_TRUE(with && without);
                EXPECT_EQ(with->emitted.source, without->emitted.source) << checked;
                EXPECT_EQ(with->emitted.header, without->emitted.header) << checked;
            }
            for (const char* mode : {"auto", "none", "max", "greedy"}) {
                c->options.plan = mode;
                c->plans.clear();
                ASSERT_TRUE(cli::choose_plan(*c, diagnostics)) << checked;
                fusion::verify(c->plans.front(), *c->graph);
                codegen::verify(codegen::lower(c->plans.front(), *c->graph, *c->catalog));
                made.push_back(c->plans.front());
                of.push_back(compiled.size());
            }
            compiled.push_back(std::move(c));
            texts.push_back(checked);
        }
        std::vector<execute::PlanToVerify> plans;
        for (std::size_t i = 0; i < made.size(); ++i) {
            plans.push_back(
                {&made[i], &*compiled[of[i]]->graph, &*compiled[of[i]]->catalog, "p" + std::to_string(i), "plan " + std::to_string(i % 4)});
        }
        const std::vector<execute::VerifyResult> results = execute::verify_plans(plans, {.target = target}, setup);
        for (std::size_t i = 0; i < results.size(); ++i) {
            for (const execute::VerifyFailure& failure : results[i].failures) {
                ADD_FAILURE() << failure.what << ": " << (failure.texts.empty() ? "" : failure.texts.front()) << "\n" << texts[of[i]];
            }
        }
    }
    std::cout << programs << " programs with " << checks << " assertions\n";
    EXPECT_GE(checks, programs);
}

/// What the options leave to chance: how many of the seeds have it.
TEST_F(RandomCheckSeeds, TheSeedsHaveWhatIsDifficultTogether) {
    std::map<std::string, int> programs;
    for (std::uint64_t seed = 1; seed <= default_count; ++seed) {
        const auto c = compile(with_checks(seed, program_of(seed)), fusion::Target::cuda, true, "check");
        ASSERT_TRUE(c) << seed;
        const frontend::CheckedProgram& program = *c->program;
        const bool blocks = program.blocks.size() > 1;
        bool packed = false, stored = false, both = false, converts = false;
        for (const frontend::Update& update : program.updates) {
            const frontend::Datum& datum = program.datum(program.outputs[update.output]);
            packed = packed || datum.type.shape.packed;
            stored = stored || datum.storage;
            both = both || (datum.type.shape.packed && datum.storage);
        }
        for (const frontend::Call& call : program.calls) {
            const Precision made = program.datum(call.result).type.precision;
            converts = converts || std::any_of(call.operands.begin(), call.operands.end(), [&](DataId operand) {
                return program.datum(operand).type.precision != made;
            });
        }
        programs["blocks"] += blocks ? 1 : 0;
        programs["packed updates"] += packed ? 1 : 0;
        programs["packed updates in blocks"] += packed && blocks ? 1 : 0;
        programs["stored updates"] += stored ? 1 : 0;
        programs["stored updates in blocks"] += stored && blocks ? 1 : 0;
        programs["packed and stored updates"] += both ? 1 : 0;
        programs["conversions"] += converts ? 1 : 0;
        programs["conversions in blocks"] += converts && blocks ? 1 : 0;
    }
    for (const auto& [what, count] : programs) {
        std::cout << count << " of " << default_count << " programs have " << what << "\n";
        EXPECT_GE(count, 2) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomChecks, testing::Range(std::uint64_t{0}, shards));

} // namespace
} // namespace fusec
