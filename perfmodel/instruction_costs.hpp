// SPDX-License-Identifier: Apache-2.0
// What the operations of an element cost in slots of the arithmetic pipes: a division takes several.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"
#include "perfmodel/device.hpp"

namespace fusec::perfmodel {

/// Thread-level work per element.
struct PipeWork {
    double fma = 0;       ///< slots of the FMA pipe of the kernel's precision
    double special = 0;   ///< operations of the special-function unit (host: of the divider)
    double fma_float = 0; ///< of a kernel of both precisions on a GPU: slots of the float pipe, beside those of the other
};

/// What the kernel asks of each pipe, per element. `slots` are those of a GPU; a host has its own. Defined for all work; linear in its
/// counts.
PipeWork pipe_work(const fusion::KernelWork& work, fusion::Target target, const FunctionSlots& slots);

/// FMA slots that `flops` additions and multiplications take at least where it is not known which pair up: pipe_work(w).fma +
/// pipe_work(w).fma_float >= fma_slots(w.flops) for w.fused = 0.
double fma_slots(double flops);

} // namespace fusec::perfmodel
