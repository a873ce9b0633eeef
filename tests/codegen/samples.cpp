// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace fusec::codegen::test {

using fusion::Placement;
using fusion::Staging;
using Kind = fusion::Step::Kind;

const char* const demo_text = R"(MATRIX3x3 A, B, M1;
MATRIX5x5 D, E, F, M2, M3;
VECTOR3 c, v1;
SCALAR s1;
input A, B, c, D, E;
M1 = mmul33(A, B);
v1 = mvmul33(M1, c);
s1 = venorm3(v1);
M2 = mmul55(D, E);
M3 = madd55(M2, D);
F = smmul55(M3, s1);
return F;
)";

DataId Sample::datum(const std::string& name) const {
    for (std::size_t i = 0; i < graph.program().data.size(); ++i) {
        if (graph.program().data[i].name == name) {
            return DataId(i);
        }
    }
    throw std::runtime_error("no datum " + name);
}

std::unique_ptr<Sample> sample(const std::string& name, const std::string& text) {
    Diagnostics diagnostics;
    std::optional<library::Catalog> catalog = library::Catalog::load({library::standard_library_folder()}, diagnostics);
    std::optional<frontend::CheckedProgram> program;
    if (catalog) {
        if (const auto parsed = frontend::parse(std::make_shared<SourceText>("programs/" + name + ".fus", text), diagnostics)) {
            program = frontend::check(*parsed, *catalog, {}, diagnostics);
        }
    }
    if (!program) {
        std::ostringstream messages;
        render(diagnostics, messages, false);
        throw std::runtime_error(messages.str());
    }
    dag::CallGraph graph(std::move(*program));
    return std::make_unique<Sample>(Sample{std::move(*catalog), std::move(graph)});
}

namespace {

template <class T>
bool contains(const std::vector<T>& values, const T& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

class Builder {
public:
    Builder(const Draft& draft, const Sample& sample) : draft_(draft), sample_(sample) {}

    fusion::Candidate build() {
        out_.instances_per_block = draft_.elements;
        int most = 1;
        std::set<DataId> used;
        for (const auto& [result, implementation] : draft_.calls) {
            most = std::max(most, add_call(result, implementation, used));
        }
        out_.threads_per_block = draft_.elements * most;
        std::sort(out_.calls.begin(), out_.calls.end());
        for (const std::string& name : draft_.stores) {
            out_.stores.push_back(sample_.datum(name));
        }
        std::sort(out_.stores.begin(), out_.stores.end());
        for (const DataId id : used) {
            add_datum(id);
        }
        add_steps();
        return std::move(out_);
    }

private:
    int add_call(const std::string& result, const std::string& name, std::set<DataId>& used) {
        const CallId id = *sample_.graph.datum(sample_.datum(result)).producer;
        const frontend::Call& call = sample_.graph.call(id);
        const library::Function& function = sample_.catalog.function(call.instance.function);
        for (std::size_t i = 0; i < function.implementations.size(); ++i) {
            if (function.implementations[i].name == name) {
                const int threads = sample_.catalog.threads(call.instance, function.implementations[i]).value();
                out_.calls.push_back(id);
                out_.order.push_back({id, i, threads});
                made_.insert(call.result);
                used.insert(call.result);
                used.insert(call.operands.begin(), call.operands.end());
                touch_[call.result] = function.implementations[i].output;
                threads_[call.result] = threads;
                return threads;
            }
        }
        throw std::runtime_error("no implementation " + name);
    }

    void add_datum(DataId id) {
        const frontend::Datum& datum = sample_.graph.datum(id);
        fusion::DatumPlan plan;
        plan.datum = id;
        const bool made = made_.count(id) != 0;
        plan.stored = contains(out_.stores, id);
        const bool in_registers = contains(draft_.registers, datum.name);
        if (datum.kind == frontend::DatumKind::constant) {
            plan.placement = Placement::constant;
        } else if (datum.kind == frontend::DatumKind::uniform) {
            plan.placement = in_registers ? Placement::registers : Placement::memory;
        } else if (!made) {
            plan.loaded = true;
            out_.loads.push_back(id);
            plan.placement = in_registers ? Placement::registers : draft_.load == Staging::none ? Placement::memory : Placement::shared;
            plan.load = in_registers ? Staging::vectors : draft_.load;
        } else {
            const bool one_thread = touch_.at(id) == library::Touch::all && threads_.at(id) == 1;
            const bool staged_store = plan.stored && draft_.store != Staging::none;
            plan.placement = in_registers || (one_thread && !staged_store && !contains(draft_.tiles, datum.name)) ? Placement::registers
                                                                                                                  : Placement::shared;
            plan.touch = touch_.at(id);
            plan.threads = threads_.at(id);
            plan.store = plan.stored ? draft_.store : Staging::none;
        }
        if (plan.placement == Placement::shared) {
            fusion::SharedSlot slot;
            slot.element_words = datum.type.shape.size();
            const auto padding = draft_.padding.find(datum.name);
            if (padding != draft_.padding.end()) {
                slot.run = padding->second.first;
                slot.pad_words = padding->second.second;
            }
            const int own = draft_.elements * slot.element_words;
            const int words = own + (slot.run > 0 ? own / slot.run * slot.pad_words : 0);
            slot.bytes = (words * bytes_of(datum.type.precision) + 15) / 16 * 16;
            slot.offset = out_.shared_bytes;
            out_.shared_bytes += slot.bytes;
            plan.slot = slot;
        }
        out_.data.push_back(plan);
    }

    void add_steps() {
        bool barrier_needed = false, async = false;
        for (const fusion::DatumPlan& plan : out_.data) {
            if (plan.loaded && plan.placement == Placement::shared) {
                add(Kind::load, {}, plan.datum);
                barrier_needed = true;
                async = async || plan.load == Staging::async;
            }
        }
        if (async) {
            add(Kind::async_wait, {}, {});
        }
        int before = 0;
        for (const fusion::CallPlan& call : out_.order) {
            if (barrier_needed || (before != 0 && (before != call.threads || call.threads > 1))) {
                add(Kind::block_barrier, {}, {});
            }
            barrier_needed = false;
            before = call.threads;
            add(Kind::compute, call.call, {});
        }
        for (const DataId id : out_.stores) {
            const fusion::DatumPlan& plan = plan_of(id);
            if (plan.placement == Placement::shared && out_.steps.back().kind == Kind::compute) {
                add(Kind::block_barrier, {}, {});
            }
            add(Kind::store, {}, id);
        }
        for (fusion::DatumPlan& plan : out_.data) {
            if (plan.slot) {
                set_lifetime(plan);
            }
        }
    }

    const fusion::DatumPlan& plan_of(DataId id) const {
        return *std::find_if(out_.data.begin(), out_.data.end(), [&](const fusion::DatumPlan& plan) { return plan.datum == id; });
    }

    void set_lifetime(fusion::DatumPlan& plan) const {
        plan.slot->first_step = -1;
        for (std::size_t i = 0; i < out_.steps.size(); ++i) {
            const fusion::Step& step = out_.steps[i];
            bool touches = (step.kind == Kind::load || step.kind == Kind::store) && step.datum == plan.datum;
            if (step.kind == Kind::compute) {
                const frontend::Call& call = sample_.graph.call(step.call);
                touches = call.result == plan.datum || contains(call.operands, plan.datum);
            }
            if (touches) {
                plan.slot->first_step = plan.slot->first_step < 0 ? static_cast<int>(i) : plan.slot->first_step;
                plan.slot->last_step = static_cast<int>(i);
            }
        }
    }

    void add(Kind kind, CallId call, DataId datum) { out_.steps.push_back({kind, call, datum}); }

    const Draft& draft_;
    const Sample& sample_;
    fusion::Candidate out_;
    std::set<DataId> made_;
    std::map<DataId, library::Touch> touch_;
    std::map<DataId, int> threads_;
};

} // namespace

fusion::Candidate build(const Draft& draft, const Sample& sample) {
    return Builder(draft, sample).build();
}

fusion::Plan plan_of(std::vector<fusion::Candidate> kernels, const Sample& sample) {
    fusion::Plan plan;
    std::set<DataId> crossing;
    for (const fusion::Candidate& kernel : kernels) {
        for (const DataId id : kernel.stores) {
            if (!sample.graph.datum(id).output) {
                crossing.insert(id);
            }
        }
    }
    for (const DataId id : crossing) {
        plan.workspace.placed.emplace_back(id, plan.workspace.slots.size());
        plan.workspace.slots.push_back({sample.graph.datum(id).type.bytes()});
    }
    plan.kernels = std::move(kernels);
    return plan;
}

} // namespace fusec::codegen::test
