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

} // namespace fusec::perfmodel::analysis
