// SPDX-License-Identifier: Apache-2.0
// The emulated device: runs the blocks of a kernel one after another, the threads of a block as fibers, both in a chosen order, and
// records what it finds wrong with the kernel.
#pragma once

#include "elementary-lib/emulation/block_order.hpp"
#include "elementary-lib/emulation/fiber.hpp"
#include "elementary-lib/emulation/finding.hpp"
#include "elementary-lib/emulation/shadow.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fusec::emulation {

struct DeviceOptions {
    Schedule schedule = Schedule::forward;
    std::uint64_t seed = 1; ///< of the shuffled schedule
    unsigned threads_per_block = 1024;
    std::size_t shared_bytes_per_block = 232448; ///< with cudaFuncSetAttribute; without it 48 KiB
    std::size_t most_findings = 16;              ///< kept; all are counted
};

class Device final : public fusec_emulation::Machine {
public:
    explicit Device(const DeviceOptions& options = {});
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// For later launches.
    void set_schedule(Schedule schedule, std::uint64_t seed);
    /// Names the tiles of a kernel (`demo_kernels::F`) for messages.
    void name_tiles(const std::string& kernel, std::vector<NamedTile> tiles);

    /// Global memory that later launches may not touch. Only what passes through the device is looked at: wide accesses and asynchronous
    /// copies. Ascending, and apart from each other.
    void forbid(std::vector<Forbidden> ranges);

    /// One per kind, kernel, datum and source line, in the order found.
    const std::vector<Finding>& findings() const { return findings_; }
    std::size_t finding_count() const { return finding_count_; }
    /// Values that threads have exchanged, each thread's counted.
    std::size_t exchanges() const { return exchanges_; }
    void clear_findings();
    /// `demo_kernels::F, block 3, thread 17` for the thread that runs now; empty when none does. For a handler of memory faults.
    std::string running() const;

    int launch(const fusec_emulation::Launch& launch) override;
    int allow_shared_bytes(const void* kernel, int bytes) override;
    void block_barrier(fusec_emulation::Site site) override;
    void warp_barrier(unsigned mask, fusec_emulation::Site site) override;
    void shuffle(unsigned mask, unsigned source, void* value, unsigned bytes, fusec_emulation::Site site) override;
    void read(std::ptrdiff_t offset, void* value, unsigned bytes) override;
    void write(std::ptrdiff_t offset, const void* value, unsigned bytes) override;
    void copy_async(std::ptrdiff_t offset, const void* source, unsigned bytes) override;
    void commit_copies() override;
    void wait_batches(std::size_t batches) override;
    void wait_copies() override;
    void check_alignment(const void* address, unsigned bytes) override;
    const fusec_emulation::Coordinates* coordinates() const override { return &coordinates_; }

private:
    struct Copy {
        std::ptrdiff_t offset = 0;
        const void* source = nullptr;
        unsigned bytes = 0;
        bool committed = false;
    };
    enum class State {
        ready,
        at_block_barrier,
        at_warp_barrier,
        at_exchange,
        finished
    };
    /// What a thread brings to an exchange and takes from it.
    struct Exchange {
        unsigned mask = 0;
        unsigned source = 0; ///< lane of the warp
        unsigned bytes = 0;
        std::array<unsigned char, 8> given{}, taken{};
    };
    struct Thread {
        Fiber fiber;
        State state = State::finished;
        fusec_emulation::Site site; ///< of the barrier it stands at or has passed last
        uint3 index{0, 0, 0};
        std::vector<Copy> copies; ///< under way
        Exchange exchange;        ///< at_exchange
    };

    static void run_thread(void* device);
    bool run_block();
    void run_ready_threads();
    bool release_warps();
    bool release_exchanges();
    bool complete(std::size_t thread);
    bool release_block();
    void release(std::size_t first, std::size_t last, const char* barrier);
    void report_unreached();
    void report_unreached_exchange(std::size_t thread);
    void stop_at_barrier(State state, fusec_emulation::Site site);

    Moment now() const;
    bool accessible(std::ptrdiff_t offset, unsigned bytes, const char* what);
    void check_global(const void* address, unsigned bytes);
    void check(const AccessResult& result, std::ptrdiff_t offset, const char* what);
    std::string tile_at(std::ptrdiff_t offset) const;
    const std::string& kernel_name(const void* kernel);
    void report(Fault fault, std::string datum, std::string text);

    DeviceOptions options_;
    std::mt19937_64 random_;
    std::vector<std::unique_ptr<Thread>> threads_; ///< as many as the largest block so far
    std::vector<std::size_t> order_;               ///< scratch of run_ready_threads
    Shadow shadow_;
    std::vector<unsigned char> memory_;
    std::map<const void*, int> allowed_bytes_;
    std::map<const void*, std::string> kernel_names_;
    std::map<std::string, std::vector<NamedTile>, std::less<>> tiles_;
    std::vector<Forbidden> forbidden_;

    // The launch under way.
    fusec_emulation::Coordinates coordinates_;
    const fusec_emulation::Launch* launch_ = nullptr;
    std::string kernel_;
    const std::vector<NamedTile>* kernel_tiles_ = nullptr;
    std::size_t block_threads_ = 0;
    std::size_t current_ = 0;           ///< index of the running thread
    std::uint64_t epoch_ = 1;           ///< never repeats, so that nothing has to be cleared between blocks
    std::vector<std::uint32_t> clocks_; ///< barriers per warp

    std::vector<Finding> findings_;
    std::set<std::tuple<Fault, std::string, std::string, int>> known_;
    std::size_t finding_count_ = 0;
    std::size_t exchanges_ = 0;
};

} // namespace fusec::emulation
