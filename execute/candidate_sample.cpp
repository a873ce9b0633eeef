// SPDX-License-Identifier: Apache-2.0
#include "execute/candidate_sample.hpp"

#include <map>
#include <random>
#include <utility>

namespace fusec::execute {

namespace {

/// std::shuffle is not the same everywhere.
template <class T>
void shuffle(std::vector<T>& values, std::mt19937_64& random) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random() % i]);
    }
}

/// Columns to look at: all of a short program; of a longer one, one after another from each size of fusion, in random order.
std::vector<ColumnId> columns_to_check(const fusion::Space& space, bool all, std::mt19937_64& random) {
    std::map<std::size_t, std::vector<ColumnId>> strata;
    for (std::size_t c = 0; c < space.columns().size(); ++c) {
        strata[all ? 0 : space.columns()[c].executes.size()].push_back(ColumnId(c));
    }
    std::vector<ColumnId> order;
    for (auto& [size, columns] : strata) {
        if (!all) {
            shuffle(columns, random);
        }
    }
    for (std::size_t i = 0; order.size() < space.columns().size(); ++i) {
        for (const auto& [size, columns] : strata) {
            if (i < columns.size()) {
                order.push_back(columns[i]);
            }
        }
    }
    return order;
}

} // namespace

CandidateSample choose_candidates(fusion::Space& space, bool all, std::size_t most, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    CandidateSample sample;
    std::vector<std::vector<fusion::Candidate>> fronts; // of a longer program: what is left of the columns looked at, in random order
    for (const ColumnId column : columns_to_check(space, all, random)) {
        if (!all && fronts.size() >= most) {
            break;
        }
        const std::vector<fusion::Candidate>& front = space.front(column).kept;
        sample.kept += front.size();
        if (all) {
            sample.chosen.insert(sample.chosen.end(), front.begin(), front.end());
        } else if (!front.empty()) {
            fronts.push_back(front);
            shuffle(fronts.back(), random);
        }
    }
    // One of each column, then a second one, and so on.
    for (bool more = true; more && sample.chosen.size() < most;) {
        more = false;
        for (std::vector<fusion::Candidate>& front : fronts) {
            if (!front.empty() && sample.chosen.size() < most) {
                sample.chosen.push_back(std::move(front.back()));
                front.pop_back();
                more = true;
            }
        }
    }
    return sample;
}

} // namespace fusec::execute
