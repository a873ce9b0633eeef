// SPDX-License-Identifier: Apache-2.0
#include "execute/loaded_library.hpp"

#include <utility>

#include <dlfcn.h>

namespace fusec::execute {

std::optional<LoadedLibrary> LoadedLibrary::open(const std::filesystem::path& path, Diagnostics& diagnostics) {
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        diagnostics.report(kind::unloadable_library, {}, std::string("cannot load a compiled unit: ") + ::dlerror());
        return std::nullopt;
    }
    // OpenMP's threads outlive the unit that started them and wait in the runtime's text: it must not be unloaded with the unit.
    for (const char* const runtime : {"libgomp.so.1", "libomp.so.5"}) {
        ::dlopen(runtime, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
    return LoadedLibrary(handle);
}

LoadedLibrary::LoadedLibrary(LoadedLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

LoadedLibrary& LoadedLibrary::operator=(LoadedLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
}

LoadedLibrary::~LoadedLibrary() {
    if (handle_ != nullptr) {
        ::dlclose(handle_);
    }
}

void* LoadedLibrary::symbol(const std::string& name) const {
    return ::dlsym(handle_, name.c_str());
}

void LoadedLibrary::attach(emulation::Device& device) const {
    using Attach = void (*)(fusec_emulation::Machine*);
    const auto attach = reinterpret_cast<Attach>(symbol("fusec_emulation_attach"));
    internal_check(attach != nullptr, "a library built for emulation does not include the emulated cuda_runtime.h");
    attach(&device);
}

std::optional<UnitFunctions> UnitFunctions::find(
    const LoadedLibrary& library, const std::string& unit, Diagnostics& diagnostics, const std::vector<std::string>& blocks, bool checked) {
    UnitFunctions functions;
    const auto find = [&](const std::string& suffix) {
        void* const symbol = library.symbol(unit + suffix);
        if (symbol == nullptr) {
            diagnostics.report(kind::unloadable_library, {}, "the text defines no function `" + unit + suffix + "`");
        }
        return symbol;
    };
    functions.workspace_bytes = reinterpret_cast<decltype(functions.workspace_bytes)>(find("_workspace_bytes"));
    functions.launch = reinterpret_cast<decltype(functions.launch)>(find("_launch"));
    functions.launch_range = reinterpret_cast<decltype(functions.launch_range)>(find("_launch_range"));
    if (checked) {
        functions.first_failure = reinterpret_cast<decltype(functions.first_failure)>(find("_first_failure"));
    }
    if (functions.workspace_bytes == nullptr || functions.launch == nullptr || functions.launch_range == nullptr ||
        (checked && functions.first_failure == nullptr)) {
        return std::nullopt;
    }
    for (const std::string& block : blocks) {
        Entry entry;
        entry.launch = reinterpret_cast<decltype(entry.launch)>(find("_launch_" + block));
        entry.launch_range = reinterpret_cast<decltype(entry.launch_range)>(find("_launch_" + block + "_range"));
        if (entry.launch == nullptr || entry.launch_range == nullptr) {
            return std::nullopt;
        }
        functions.entries.push_back(entry);
    }
    return functions;
}

} // namespace fusec::execute
