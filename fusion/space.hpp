// SPDX-License-Identifier: Apache-2.0
// The candidate space of a program: fusions, the columns they give, and for each column its kept implementations, built on demand.
#pragma once

#include "fusion/places.hpp"
#include "fusion/plan.hpp"
#include "fusion/target.hpp"

#include <cstdint>
#include <map>
#include <memory>

namespace fusec::fusion {

struct SpaceOptions {
    int max_fusion = 8;          ///< calls that take a place (places.hpp)
    std::size_t max_fusions = 0; ///< to enumerate; 0: 200,000, or 50,000 in programs of more than 50 calls where larger ones are grown
    bool grown = false;          ///< fusions of more than max_fusion calls too, as far as they are grown (grown.hpp)
    bool recompute = true;
    std::uint64_t elements = 1048576;
    bool with_steps = false;         ///< the work of candidates has its steps, whether the model asks for them or not
    std::size_t front = 16;          ///< kept candidates per column
    std::size_t implementations = 0; ///< tried per column (choice_search.hpp); 0: by the size of the space and of the kernel, 16 to 384
};

struct SpaceStatistics {
    std::size_t calls = 0;
    std::size_t fusions = 0;
    std::size_t grown = 0;      ///< of these, in which more than SpaceOptions::max_fusion calls take a place
    std::size_t candidates = 0; ///< implementations considered, over the columns built so far
    std::size_t dominated = 0;  ///< not kept, those included that were not built because their routines cannot beat the best
    std::map<std::string, std::size_t> rejected; ///< by reason, of those built
    bool complete = true;                        ///< enumeration reached every fusion of at most SpaceOptions::max_fusion calls
    bool stopped = false;                        ///< if not, enumeration stopped at `max_fusions`
    std::size_t max_fusions = 0;                 ///< SpaceOptions::max_fusions, or what stands for its 0
    bool hubs_left_out = false;   ///< if not, sets that only lists of very many users connect were not enumerated (enumerate.hpp)
    bool columns_complete = true; ///< every legal choice of stored data of these is a column
    std::uint64_t unexplored = 0; ///< implementations of the columns built so far beyond SpaceOptions::implementations; `countless` at most
};

/// The number that stands for more: 2^53, up to which every reader of JSON has whole numbers.
inline constexpr std::uint64_t countless = std::uint64_t{1} << 53;

/// Kept implementations of one column: the Pareto front over (seconds, shared bytes per block, registers), cheapest first.
struct Front {
    std::vector<Candidate> kept;
    std::size_t considered = 0;
    std::size_t dominated = 0;
    std::vector<Rejection> rejected;
    double unexplored = 0; ///< implementations beyond SpaceOptions::implementations: neither considered nor counted
};

/// The fusions and columns of one call graph for one device, priced on demand: what is asked for twice is found once. Not copyable.
class Space : public ColumnSource {
public:
    /// Enumerates fusions and columns; candidates are built when asked for. The graph, catalog and model must outlive the space.
    Space(const dag::CallGraph& graph, const library::Catalog& catalog, const DeviceLimits& limits, const CostModel& model,
        const SpaceOptions& options);
    ~Space() override;

    const std::vector<Column>& columns() const override;
    double lower_bound(ColumnId column) const override;
    double closer_bound(ColumnId column) override;
    double seconds(ColumnId column) override;
    /// On the workers of the process; the result does not depend on how many there are.
    void find_seconds(const std::vector<ColumnId>& columns) override;

    const std::vector<CallSet>& fusions() const;
    const Places& places() const;
    const Front& front(ColumnId column);
    /// Every implementation of the column before pruning, in enumeration order (for counting, `why`, and tests).
    std::vector<Candidate> implementations(ColumnId column) const;
    std::optional<ColumnId> find(const CallSet& executes, const std::vector<DataId>& stores) const;
    SpaceStatistics statistics() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace fusec::fusion
