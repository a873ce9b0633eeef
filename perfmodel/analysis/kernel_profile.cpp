// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/kernel_profile.hpp"

namespace fusec::perfmodel::analysis {

std::string_view to_string(Space space) {
    switch (space) {
    case Space::global:
        return "global";
    case Space::shared:
        return "shared";
    case Space::local:
        return "local";
    case Space::constant:
        return "constant";
    }
    return {};
}

std::string_view to_string(Pattern pattern) {
    switch (pattern) {
    case Pattern::single:
        return "single";
    case Pattern::broadcast:
        return "broadcast";
    case Pattern::unit:
        return "unit";
    case Pattern::stride:
        return "stride";
    case Pattern::scattered:
        return "scattered";
    }
    return {};
}

double KernelProfile::bytes(Space space, bool store) const {
    double sum = 0;
    for (const AccessProfile& access : accesses) {
        sum += access.space == space && access.store == store ? access.count * access.bytes : 0;
    }
    return sum;
}

Mix mix_per_element(const KernelProfile& profile, double elements) {
    Mix mix;
    for (std::size_t i = 0; i < instruction_class_count; ++i) {
        const auto each = static_cast<InstructionClass>(i);
        if (profile.block[each] > 0) {
            mix.instructions.emplace_back(each, profile.block[each] / elements);
        }
    }
    for (const Space space : {Space::global, Space::shared, Space::local, Space::constant}) {
        const double loaded = profile.bytes(space, false), stored = profile.bytes(space, true);
        if (loaded + stored > 0) {
            mix.moved.push_back({space, loaded / elements, stored / elements});
        }
    }
    return mix;
}

} // namespace fusec::perfmodel::analysis
