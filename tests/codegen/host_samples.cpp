// SPDX-License-Identifier: Apache-2.0
#include "tests/codegen/host_samples.hpp"

#include "codegen/repeated.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace fusec::codegen::test {

using fusion::Placement;
using fusion::Staging;

fusion::Candidate host_kernel(
    const Sample& sample, const std::vector<std::string>& results, const std::vector<std::string>& stores, Staging store) {
    fusion::Candidate out;
    out.instances_per_block = 8;
    out.threads_per_block = 1;
    std::set<DataId> used, made, stored;
    for (const std::string& name : results) {
        const CallId id = *sample.graph.datum(sample.datum(name)).producer;
        out.calls.push_back(id);
        out.order.push_back({id, 0, 1});
        made.insert(sample.datum(name));
        const frontend::Call& call = sample.graph.call(id);
        used.insert(call.result);
        used.insert(call.operands.begin(), call.operands.end());
    }
    std::sort(out.calls.begin(), out.calls.end());
    for (const std::string& name : stores) {
        stored.insert(sample.datum(name));
    }
    out.stores.assign(stored.begin(), stored.end());
    for (const DataId id : used) {
        const frontend::Datum& datum = sample.graph.datum(id);
        fusion::DatumPlan plan;
        plan.datum = id;
        plan.stored = stored.count(id) != 0;
        if (datum.kind == frontend::DatumKind::constant) {
            plan.placement = Placement::constant;
        } else if (datum.kind == frontend::DatumKind::uniform) {
            plan.placement = Placement::memory;
        } else if (made.count(id) == 0) {
            plan.loaded = true;
            plan.load = Staging::lanes;
            out.loads.push_back(id);
            out.steps.push_back({fusion::Step::Kind::load, {}, id});
        } else if (plan.stored) {
            plan.store = store;
        }
        out.data.push_back(plan);
    }
    for (const fusion::CallPlan& call : out.order) {
        out.steps.push_back({fusion::Step::Kind::compute, call.call, {}});
    }
    for (const DataId id : out.stores) {
        out.steps.push_back({fusion::Step::Kind::store, {}, id});
    }
    return out;
}

HostLibrary::HostLibrary(const Unit& unit, const Sample& sample, bool embed_runtime, const std::string& flags, int repeated)
    : name_(unit.name) {
    EmitOptions options;
    options.target = fusion::Target::host;
    options.embed_runtime = embed_runtime;
    text_ = repeated > 0 ? emit_repeated(unit, sample.graph, sample.catalog, options, repeated)
                         : emit(unit, sample.graph, sample.catalog, options);
    std::string folder = (std::filesystem::temp_directory_path() / "fusec-host-test-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    folder_ = folder;
    std::ofstream(folder_ / "fused.cpp") << text_.source;
    std::ofstream(folder_ / "fused.h") << text_.header;
    const std::string library = (folder_ / "libfused.so").string(), log = (folder_ / "log").string();
    const std::string command = std::string(FUSEC_CXX) +
        " -std=c++20 -O2 -fopenmp -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -fPIC -shared " + flags + " -I" +
        FUSEC_SOURCE_DIR + "/elementary-lib/runtime " + (folder_ / "fused.cpp").string() + " -o " + library + " -lm > " + log + " 2>&1";
    if (std::system(command.c_str()) != 0) {
        std::ostringstream messages;
        messages << std::ifstream(log).rdbuf();
        throw std::runtime_error(messages.str().substr(0, 4000) + "\n" + text_.source);
    }
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
        throw std::runtime_error(dlerror());
    }
}

HostLibrary::~HostLibrary() {
    // The OpenMP runtime keeps threads that run code of the library: it stays loaded.
    std::filesystem::remove_all(folder_);
}

void* HostLibrary::symbol(const std::string& suffix) const {
    void* found = dlsym(handle_, (name_ + suffix).c_str());
    if (found == nullptr) {
        throw std::runtime_error(dlerror());
    }
    return found;
}

std::size_t HostLibrary::workspace_bytes(std::size_t n) const {
    return reinterpret_cast<std::size_t (*)(std::size_t)>(symbol("_workspace_bytes"))(n);
}

int HostLibrary::launch(const std::vector<void*>& lists, std::size_t first, std::size_t count, void* workspace, std::size_t bytes) const {
    if (first == 0) {
        return reinterpret_cast<int (*)(void* const*, std::size_t, void*, std::size_t, void*)>(symbol("_launch"))(
            lists.data(), count, workspace, bytes, nullptr);
    }
    return reinterpret_cast<int (*)(void* const*, std::size_t, std::size_t, void*, std::size_t, void*)>(symbol("_launch_range"))(
        lists.data(), first, count, workspace, bytes, nullptr);
}

} // namespace fusec::codegen::test
