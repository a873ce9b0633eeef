// SPDX-License-Identifier: Apache-2.0
// What emulated device code asks of the emulated machine. Generated text is compiled against this header into a shared library; the
// machine lives in the host program and is attached after loading, so no symbol of the host has to be exported.
#pragma once

#include <cstddef>
#include <cstdint>

#define FUSEC_EMULATION_EXPORT __attribute__((visibility("default"), used))
#define FUSEC_EMULATION_LOCAL __attribute__((visibility("hidden")))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3() = default;
    constexpr dim3(unsigned x_size, unsigned y_size = 1, unsigned z_size = 1) : x(x_size), y(y_size), z(z_size) {}
};

namespace fusec_emulation {

/// Where in the device source a barrier or an exchange stands.
struct Site {
    const char* file = "";
    int line = 0;
};

/// The built-in variables of the thread that runs now.
struct Coordinates {
    uint3 thread{0, 0, 0};
    uint3 block{0, 0, 0};
    dim3 block_size;
    dim3 grid_size;
};

/// A kernel start: `run(arguments)` executes the kernel's body for the thread named by the coordinates.
struct Launch {
    const void* kernel = nullptr; ///< identity of the kernel: the address of its function
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;
    void (*run)(void* arguments) = nullptr;
    void* arguments = nullptr;
};

/// The emulated device. Offsets count bytes from the start of the block's dynamic shared memory. A faulty access is recorded, reads
/// zeros or writes nothing, and never ends the program.
class Machine {
public:
    /// Runs all blocks; returns a cudaError_t.
    virtual int launch(const Launch& launch) = 0;
    /// cudaFuncAttributeMaxDynamicSharedMemorySize of a kernel; returns a cudaError_t.
    virtual int allow_shared_bytes(const void* kernel, int bytes) = 0;

    virtual void block_barrier(Site site) = 0;
    virtual void warp_barrier(unsigned mask, Site site) = 0;
    /// __shfl_sync: the calling thread's value becomes that of lane `source` of its warp, once all threads of the mask are here.
    virtual void shuffle(unsigned mask, unsigned source, void* value, unsigned bytes, Site site) = 0;

    virtual void read(std::ptrdiff_t offset, void* value, unsigned bytes) = 0;
    virtual void write(std::ptrdiff_t offset, const void* value, unsigned bytes) = 0;
    /// cp.async: arrives at the calling thread's next wait, not before.
    virtual void copy_async(std::ptrdiff_t offset, const void* source, unsigned bytes) = 0;
    /// cp.async.commit_group: the calling thread's copies so far are batches.
    virtual void commit_copies() = 0;
    /// cp.async.wait_group: all but the last `batches` batches arrive; a copy that was not committed does not.
    virtual void wait_batches(std::size_t batches) = 0;
    /// cp.async.wait_all: committed or not.
    virtual void wait_copies() = 0;

    /// A wide access to global memory: the address must be a multiple of the width, and all of it memory of a list.
    virtual void check_alignment(const void* address, unsigned bytes) = 0;

    virtual const Coordinates* coordinates() const = 0;

protected:
    ~Machine() = default;
};

/// Set by fusec_emulation_attach; one per loaded library.
FUSEC_EMULATION_LOCAL inline Machine* machine = nullptr;
FUSEC_EMULATION_LOCAL inline const Coordinates* coordinates = nullptr;

} // namespace fusec_emulation

/// The host calls this once after loading, before any launch.
extern "C" FUSEC_EMULATION_EXPORT inline void fusec_emulation_attach(fusec_emulation::Machine* machine) {
    fusec_emulation::machine = machine;
    fusec_emulation::coordinates = machine->coordinates();
}
