// SPDX-License-Identifier: Apache-2.0
// The model of Hong and Kim (ISCA 2009), as Ostapenko's talk on AMD GPUs prints it: how many warps wait for memory together (MWP), how many
// compute meanwhile (CWP), and which of the two hides the other. Names are the source's.
//
// Not printed in the talk and taken from the paper's published re-implementations: MWP_peak_BW and Synch_cost. Ours: MWP is at least 1, the
// warp itself; a kernel without memory instructions, which none of the cases covers, is case C without Mem_L. #Issue_cycles are those of a
// multiprocessor (1 / speed.issue_slots in the descriptions), where the source's have one scheduler and are a warp's too: with four schedulers
// a lone warp computes four times as fast as it can, which shortens case A. The condition of case B is as
// printed: a kernel that computes more than it waits falls into it unless MWP and CWP are both N. Not in the model: caches (a uniform costs
// a DRAM access each time), latencies of instructions, spills, shared memory, the launch. hong_kim() is without the launch; the predictor
// adds that of the device (device time of launches that are queued back to back).
//
// Active are the blocks, warps and multiprocessors of the launch, as the source names them (#Active_blocks_per_SM, N = #Active_warps_per_SM,
// #Active_SMs), not those that the device could hold: MWP and CWP are at most N, MWP_peak_BW shares the bandwidth among the multiprocessors
// that ask for any, and the cases B and C take the work of N warps one after the other. Of a launch that fills the device less than once,
// #Active_SMs is at most the number of its blocks, and N that of the multiprocessor that has most of them. #Rep is then 1: no multiprocessor
// begins again, and of blocks that are no multiple the source does not speak (ours). The equations do not join: from case A to case B a
// Comp_cycles is lost, and with a smaller MWP the barriers and the second term of case B cost less. So where a launch does not fill the
// device, one of more elements can take less; among launches that fill it none does.
#pragma once

#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

/// Counts are of one warp; cycles are those of a multiprocessor.
struct HongKimInputs {
    double total_insts = 0; ///< #total_insts
    double coal_mem_insts = 0;
    double uncoal_mem_insts = 0;
    double uncoal_per_mw = 1; ///< transactions of one uncoalesced access
    double synch_insts = 0;
    double load_bytes_per_warp = 0; ///< of one memory instruction
    double blocks = 0;
    double active_blocks_per_sm = 1;
    double active_sms = 1;
    double active_warps_per_sm = 1; ///< N
    double mem_ld = 0;              ///< cycles of one access to DRAM
    double departure_del_coal = 0;  ///< cycles between two coalesced accesses
    double departure_del_uncoal = 0;
    double issue_cycles = 0;  ///< #Issue_cycles, per instruction
    double freq = 1;          ///< GHz
    double mem_bandwidth = 0; ///< GB/s
};

/// By the numbers that the talk gives the equations.
enum class HongKimCase {
    no_memory,
    a, ///< MWP and CWP are N: too few warps to hide anything but themselves
    b, ///< memory is waited for
    c  ///< computation hides memory
};

struct HongKim {
    double mem_l_uncoal = 0, mem_l_coal = 0;
    double weight_uncoal = 0, weight_coal = 0;
    double mem_l = 0; ///< cycles of the mean access
    double departure_delay = 0;
    double mwp_without_bw_full = 0, mwp_without_bw = 0;
    double bw_per_warp = 0; ///< GB/s
    double mwp_peak_bw = 0;
    double mwp = 0;
    double mem_cycles = 0, comp_cycles = 0;
    double cwp_full = 0, cwp = 0;
    double rep = 0;
    HongKimCase which = HongKimCase::no_memory;
    double exec_cycles_mem = 0, exec_cycles_comp = 0; ///< the terms of Exec_cycles_app that wait and those that compute
    double exec_cycles_app = 0;
    double synch_cost = 0;
    double seconds = 0; ///< of Exec_cycles_app + Synch_cost
};

/// Pre: counts are not negative; the device's figures, N, active blocks and multiprocessors are positive.
HongKim hong_kim(const HongKimInputs& inputs);

/// Operations of a thread on an AMD GPU, by the columns of the talk's table for the HD 6970 (seed 001, slide "Определение скорости
/// выполнения операций").
struct AmdOperations {
    double simple = 0;        ///< additions, subtractions, multiplications
    double vector_simple = 0; ///< the same on a component of a vector
    double divisions = 0, sines = 0, native_sines = 0;
    double uncounted = 0; ///< instructions of those sequences beyond all that the kernel has: then simple is 0
};
/// Comp_cycles of so many operations at the talk's normalised costs: 2, 1, 20, 40, 20. They are its throughputs per compute unit and clock
/// (21-22, 40, 2, 1, 2) in parts of 40.
double amd_comp_cycles(const AmdOperations& operations);

/// What a wavefront of the kernel executes, in the table's columns [ours: the talk counts the operations of its loop by hand]. Instructions
/// are simple operations, but for the sequences that fusion::long_operations counts in place of divisions, roots and functions: a root
/// counts as a division, which the table has no column for, and a function as a sine. Nothing is of vectors: emitted code has none.
/// Pre: the work's counts are of a GPU.
AmdOperations amd_operations(const fusion::KernelWork& work, const fusion::DeviceLimits& limits);

/// Pre: the device has the figures hong-kim.*; the work has its steps. An access of a warp to words of 4 bytes side by side is what
/// hong-kim.departure_coalesced is for; wider and narrower ones take as many parts of it as they ask for sectors. On a device with
/// hong-kim.amd_cost, the cycles of a wavefront per unit of the table, Comp_cycles = amd_cost * amd_comp_cycles(amd_operations), which
/// hong-kim.issue_cycles has no part in: #Issue_cycles is then the mean of the kernel's instructions.
std::unique_ptr<Predictor> make_hong_kim(const Device& device);

} // namespace fusec::perfmodel
