// SPDX-License-Identifier: Apache-2.0
// Vector-clock-free race check: all accesses of each word since the last barrier that orders them with the present thread.
#include "race_oracle.hpp"

#include <map>
#include <vector>

namespace fusec::test {

namespace {

using namespace fusion;

struct WordAccess {
    int thread;
    int block_epoch;
    int warp_epoch;
    bool write;
};

class Player {
public:
    Player(const Candidate& candidate, const dag::CallGraph& graph, const library::Catalog& catalog)
        : candidate_(candidate), graph_(graph), catalog_(catalog), words_(static_cast<std::size_t>(candidate.shared_bytes) / 4 + 1) {}

    std::string run() {
        for (const Step& step : candidate_.steps) {
            if (!race_.empty()) {
                break;
            }
            play(step);
        }
        return race_;
    }

private:
    struct Word {
        std::vector<WordAccess> accesses;
        std::uint32_t owner = 0; ///< 1 + datum whose value it holds
        bool in_flight = false;
    };

    void access(int thread, DataId datum, int element, int component, bool write, bool asynchronous = false) {
        const SharedSlot& slot = *candidate_.plan_of(datum).slot;
        const int bytes = bytes_of(graph_.datum(datum).type.precision);
        const int flat = element * slot.element_words + component;
        const int word = flat + (slot.run != 0 ? flat / slot.run * slot.pad_words : 0);
        for (int part = 0; part < bytes / 4; ++part) {
            const std::size_t address = static_cast<std::size_t>((slot.offset + word * bytes) / 4 + part);
            if (static_cast<int>(address) * 4 >= candidate_.shared_bytes) {
                race_ = "word outside shared memory";
                return;
            }
            Word& cell = words_[address];
            for (const WordAccess& other : cell.accesses) {
                if (other.thread == thread || (!other.write && !write) || other.block_epoch != block_epoch_) {
                    continue;
                }
                if (warp_of(other.thread) == warp_of(thread) && other.warp_epoch != warp_epoch_) {
                    continue;
                }
                race_ = "threads " + std::to_string(other.thread) + " and " + std::to_string(thread) + " on " + graph_.datum(datum).name;
                return;
            }
            if (!write && (cell.owner != datum.value + 1 || cell.in_flight)) {
                race_ = "thread " + std::to_string(thread) + " reads " + graph_.datum(datum).name + " before it is there";
                return;
            }
            if (write) {
                cell.owner = datum.value + 1;
                cell.in_flight = asynchronous;
            }
            cell.accesses.push_back({thread, block_epoch_, warp_epoch_, write});
            if (asynchronous) {
                pending_.emplace_back(address, thread);
            }
        }
    }

    /// All threads of a block of one warp are of that warp, those of a copy too.
    int warp_of(int thread) const { return candidate_.threads_per_block <= 32 ? 0 : thread / 32; }

    /// Word after word by the threads of the block, as often as it takes. A copy that takes several rounds may use any thread map, by words or
    /// by vectors: each component has a thread and a warp of its own.
    void copy(DataId datum, bool write, Staging staging) {
        const int words = candidate_.instances_per_block * graph_.datum(datum).type.shape.size(),
                  size = graph_.datum(datum).type.shape.size();
        const bool once = staging == Staging::words && words <= candidate_.threads_per_block;
        for (int index = 0; index < words; ++index) {
            access(once ? index : 32 * (1000 + index), datum, index / size, index % size, write, staging == Staging::async);
        }
    }

    /// Components that a lane may touch, from the meaning of a touch; what has no meaning of its own is everything.
    static std::vector<int> components(const Shape& shape, library::Touch touch, int threads, int lane) {
        std::vector<int> result;
        for (int row = 0; row < shape.rows; ++row) {
            for (int column = 0; column < shape.columns; ++column) {
                const int component = row * shape.columns + column;
                bool mine = true;
                if (threads > 1 && library::components_touched(shape, touch, threads) != 0) {
                    switch (touch) {
                    case library::Touch::all:
                        break;
                    case library::Touch::row:
                        mine = row == lane;
                        break;
                    case library::Touch::column:
                        mine = column == lane;
                        break;
                    case library::Touch::entry:
                        mine = component == lane;
                        break;
                    case library::Touch::rows:
                        mine = row / (shape.rows / threads) == lane;
                        break;
                    }
                }
                if (mine) {
                    result.push_back(component);
                }
            }
        }
        return result;
    }

    void compute(CallId id) {
        const frontend::Call& call = graph_.call(id);
        for (const CallPlan& plan : candidate_.order) {
            if (plan.call != id) {
                continue;
            }
            const auto& implementation = catalog_.function(call.instance.function).implementations[plan.implementation];
            for (int thread = 0; thread < candidate_.instances_per_block * plan.threads; ++thread) {
                const int element = thread / plan.threads;
                const int lane = thread % plan.threads;
                for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
                    touch(thread, call.operands[operand], element, implementation.inputs[operand], plan.threads, lane, false);
                }
            }
            for (int thread = 0; thread < candidate_.instances_per_block * plan.threads; ++thread) {
                touch(thread, call.result, thread / plan.threads, implementation.output, plan.threads, thread % plan.threads, true);
            }
        }
    }

    void touch(int thread, DataId datum, int element, library::Touch part, int threads, int lane, bool write) {
        if (candidate_.plan_of(datum).slot) {
            for (int component : components(graph_.datum(datum).type.shape, part, threads, lane)) {
                access(thread, datum, element, component, write);
            }
        }
    }

    void play(const Step& step) {
        switch (step.kind) {
        case Step::Kind::load:
            copy(step.datum, true, candidate_.plan_of(step.datum).load);
            break;
        case Step::Kind::async_wait:
            for (const auto& [address, thread] : pending_) {
                words_[address].in_flight = false;
                words_[address].accesses.push_back({thread, block_epoch_, warp_epoch_, true});
            }
            pending_.clear();
            break;
        case Step::Kind::block_barrier:
            ++block_epoch_;
            ++warp_epoch_;
            break;
        case Step::Kind::warp_barrier:
            ++warp_epoch_;
            break;
        case Step::Kind::derive: // in the thread's own registers
            break;
        case Step::Kind::compute:
            compute(step.call);
            break;
        case Step::Kind::store:
            if (candidate_.plan_of(step.datum).slot) {
                copy(step.datum, false, candidate_.plan_of(step.datum).store);
            }
            break;
        }
    }

    const Candidate& candidate_;
    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    std::vector<Word> words_;
    std::vector<std::pair<std::size_t, int>> pending_;
    int block_epoch_ = 0;
    int warp_epoch_ = 0;
    std::string race_;
};

} // namespace

std::string find_race(const fusion::Candidate& candidate, const dag::CallGraph& graph, const library::Catalog& catalog) {
    return Player(candidate, graph, catalog).run();
}

} // namespace fusec::test
