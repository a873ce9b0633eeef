// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernel_findings.hpp"

namespace fusec::codegen {

namespace {

std::string step_name(const Kernel& kernel, std::size_t index) {
    return std::visit(
        [&](const auto& step) -> std::string {
            using S = std::decay_t<decltype(step)>;
            if constexpr (std::is_same_v<S, LoadTile> || std::is_same_v<S, LoadValue>) {
                return "load " + kernel.lists[step.list].name;
            } else if constexpr (std::is_same_v<S, StoreTile> || std::is_same_v<S, StoreValue>) {
                return "store " + kernel.lists[step.list].name;
            } else if constexpr (std::is_same_v<S, Compute> || std::is_same_v<S, Derive>) {
                return step.routine;
            } else {
                return "barrier";
            }
        },
        kernel.steps[index]);
}

} // namespace

void KernelFindings::add(const std::string& datum, const std::string& defect) {
    add_text("", datum, defect, "kernel " + kernel_.name + ", `" + datum + "`: " + defect);
}

void KernelFindings::add_step(std::size_t step, const std::string& datum, const std::string& defect, const std::string& where) {
    const std::string name = "step " + std::to_string(step) + " (" + step_name(kernel_, step) + ")";
    add_text(name, datum, defect.substr(0, 24), "kernel " + kernel_.name + ", " + name + ", `" + datum + "`" + where + ": " + defect);
}

void KernelFindings::add_text(const std::string& step, const std::string& datum, const std::string& defect, const std::string& text) {
    if (seen_.emplace(step, datum, defect).second) {
        texts_.push_back(text);
    }
}

} // namespace fusec::codegen
