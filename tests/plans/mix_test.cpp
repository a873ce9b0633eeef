// SPDX-License-Identifier: Apache-2.0
// A chain of calls in which fusing neighbours greedily moves more bytes than the best mix of calls that are not adjacent.
#include "cli/pipeline.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

namespace fusec {
namespace {

// t: A x, m: B Y, r: A m, w: B z. Fusing m and r saves the 60 words of m twice; t with r and m with w save the 100 words of A and of B.
constexpr const char* text = R"(MATRIX10x10 A, B;
MATRIX10x6 Y;
VECTOR10 x, z;
input A, B, Y, x, z;
t = A * x;
m = B * Y;
r = A * m;
w = B * z;
return t, r, w;
)";

struct CallByHand {
    std::set<std::string> reads;
    std::string makes;
    bool returned;
};
const std::vector<CallByHand> calls = {{{"A", "x"}, "t", true}, {{"B", "Y"}, "m", false}, {{"A", "m"}, "r", true}, {{"B", "z"}, "w", true}};

int words(const std::string& name) {
    return name == "A" || name == "B" ? 100 : name == "Y" || name == "m" || name == "r" ? 60 : 10;
}

/// Moved by a kernel of these calls: what they read and do not make, and what they make for others.
int words_of(const std::set<std::size_t>& kernel) {
    std::set<std::string> loaded, made, stored;
    for (const std::size_t call : kernel) {
        made.insert(calls[call].makes);
        loaded.insert(calls[call].reads.begin(), calls[call].reads.end());
        if (calls[call].returned) {
            stored.insert(calls[call].makes);
        }
    }
    for (std::size_t other = 0; other < calls.size(); ++other) {
        for (const std::string& read : calls[other].reads) {
            if (kernel.count(other) == 0 && made.count(read) > 0) {
                stored.insert(read);
            }
        }
    }
    int sum = 0;
    for (const std::string& name : loaded) {
        sum += made.count(name) > 0 ? 0 : words(name);
    }
    for (const std::string& name : stored) {
        sum += words(name);
    }
    return sum;
}

/// The fewest words over all ways to put the calls into kernels of at most two. No two kernels can wait for each other: m to r is the only
/// edge between calls.
int fewest_words(std::set<std::size_t> left) {
    if (left.empty()) {
        return 0;
    }
    const std::size_t first = *left.begin();
    left.erase(first);
    int best = words_of({first}) + fewest_words(left);
    for (const std::size_t second : left) {
        std::set<std::size_t> rest = left;
        rest.erase(second);
        best = std::min(best, words_of({first, second}) + fewest_words(rest));
    }
    return best;
}

struct Mix {
    std::set<std::set<std::string>> kernels;
    double bytes = 0;
    double seconds = 0;
};

Mix planned(const std::string& mode) {
    const execute::TemporaryFolder folder;
    std::ofstream(folder.path() / "mix.fus") << text;
    cli::Compilation c;
    c.options.program = folder.path() / "mix.fus";
    c.options.device = "h200";
    c.options.plan = mode;
    c.options.max_fusion = 2;
    Diagnostics diagnostics;
    if (!cli::run_pipeline(c, diagnostics, "plan") || diagnostics.has_errors()) {
        throw std::runtime_error("no plan");
    }
    Mix mix;
    mix.seconds = c.plans.front().seconds;
    for (const fusion::Candidate& kernel : c.plans.front().kernels) {
        std::set<std::string> names;
        for (const CallId call : kernel.calls) {
            names.insert(c.program->name_of(call));
        }
        mix.kernels.insert(std::move(names));
        mix.bytes += kernel.work.read_bytes + kernel.work.write_bytes;
    }
    return mix;
}

TEST(Mix, AutomaticFindsTheBestMixOfCallsThatAreNotAdjacentAndGreedyDoesNot) {
    const int best = fewest_words({0, 1, 2, 3});
    EXPECT_EQ(best, 2 * 100 + 10 + 60 + 10 + 60 + 10 + 60 + 60 + 10) << "A, B; x, Y, z, m; t, m, r, w";
    const Mix automatic = planned("auto");
    EXPECT_EQ(automatic.kernels, (std::set<std::set<std::string>>{{"t", "r"}, {"m", "w"}}));
    EXPECT_DOUBLE_EQ(automatic.bytes, 4.0 * best);
    const Mix greedy = planned("greedy");
    EXPECT_EQ(greedy.kernels.count({"m", "r"}), 1U);
    EXPECT_GT(greedy.bytes, automatic.bytes);
    EXPECT_GT(greedy.seconds, automatic.seconds);
}

} // namespace
} // namespace fusec
