// SPDX-License-Identifier: Apache-2.0
// How the emulated device names kernels, tiles and what it found.
#include "elementary-lib/emulation/finding.hpp"

#include "elementary-lib/emulation/device.hpp"

#include <cstdlib>

#include <cxxabi.h>
#include <dlfcn.h>

namespace fusec::emulation {

std::string_view to_string(Fault fault) {
    switch (fault) {
    case Fault::race:
        return "race";
    case Fault::uninitialised:
        return "uninitialised read";
    case Fault::shared_bounds:
        return "out of bounds";
    case Fault::early_access:
        return "early access";
    case Fault::unfinished_copy:
        return "unfinished copy";
    case Fault::global_bounds:
        return "out of bounds";
    case Fault::misaligned:
        return "misaligned access";
    case Fault::divergent_barrier:
        return "divergent barrier";
    case Fault::unreached_barrier:
        return "unreached barrier";
    case Fault::bad_exchange:
        return "bad exchange";
    case Fault::divergent_exchange:
        return "divergent exchange";
    case Fault::unreached_exchange:
        return "unreached exchange";
    case Fault::unsupported:
        return "unsupported";
    }
    return {};
}

std::string to_string(const Finding& finding) {
    std::string text = finding.kernel + ": " + std::string(to_string(finding.fault));
    if (!finding.datum.empty()) {
        text += " on `" + finding.datum + "`";
    }
    text += ": " + finding.text + " (block " + std::to_string(finding.block.x);
    if (finding.line != 0) {
        text += ", barrier in line " + std::to_string(finding.line);
    }
    return text + ")";
}

void Device::name_tiles(const std::string& kernel, std::vector<NamedTile> tiles) {
    tiles_[kernel] = std::move(tiles);
}

void Device::forbid(std::vector<Forbidden> ranges) {
    forbidden_ = std::move(ranges);
}

void Device::clear_findings() {
    findings_.clear();
    known_.clear();
    finding_count_ = 0;
}

std::string Device::running() const {
    return launch_ == nullptr ? std::string()
                              : kernel_ + ", block " + std::to_string(coordinates_.block.x) + ", thread " + std::to_string(current_);
}

std::string Device::tile_at(std::ptrdiff_t offset) const {
    std::string names;
    if (kernel_tiles_ != nullptr) {
        for (const NamedTile& tile : *kernel_tiles_) {
            if (offset >= tile.offset && offset < tile.offset + tile.bytes) {
                names += (names.empty() ? "" : "/") + tile.datum;
            }
        }
    }
    return names;
}

/// The qualified name of the function that starts at the address, from the dynamic symbol table: `demo_kernels::F` of
/// `void demo_kernels::F<true>(float const*, unsigned long)`.
const std::string& Device::kernel_name(const void* kernel) {
    const auto [known, added] = kernel_names_.try_emplace(kernel, "(unnamed kernel)");
    Dl_info info{};
    if (!added || ::dladdr(kernel, &info) == 0 || info.dli_sname == nullptr || info.dli_saddr != kernel) {
        return known->second;
    }
    int status = 0;
    char* const demangled = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    if (demangled == nullptr) {
        return known->second = info.dli_sname; // extern "C"
    }
    std::string name = demangled;
    std::free(demangled);
    name.resize(name.find_first_of("<("));
    if (const std::size_t result = name.rfind(' '); result != std::string::npos) {
        name.erase(0, result + 1); // the result type of a template
    }
    return known->second = name;
}

void Device::report(Fault fault, std::string datum, std::string text) {
    ++finding_count_;
    const int line = threads_[current_]->site.line;
    if (findings_.size() < options_.most_findings && known_.emplace(fault, kernel_, datum, line).second) {
        findings_.push_back({fault, kernel_, coordinates_.block, static_cast<unsigned>(current_), std::move(datum), std::move(text), line});
    }
}

} // namespace fusec::emulation
