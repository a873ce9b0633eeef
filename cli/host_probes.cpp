// SPDX-License-Identifier: Apache-2.0
#include "cli/host_probes.hpp"

#include "cli/report_text.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fusec::cli {

Compilation* HostProbes::compile(const Path& program, const std::string& plan, Precision real, Diagnostics& diagnostics, bool plain) {
    Compilation& c = compilations_.emplace_back();
    c.options.program = program;
    c.options.target = fusion::Target::host;
    c.device = device_;
    c.options.plan = plan;
    c.options.real = real;
    c.options.with_steps = true;
    c.options.plain_lists = plain;
    return run_pipeline(c, diagnostics, "plan") ? &c : nullptr;
}

Compilation* HostProbes::compile_text(
    const std::string& name, const std::string& text, const std::string& plan, Precision real, Diagnostics& diagnostics) {
    const Path file = scratch_ / (name + ".fus");
    return write_files({{file, text}}, diagnostics, {}) ? compile(file, plan, real, diagnostics) : nullptr;
}

namespace {

/// The kernel with plain stores in place of those that go past the caches.
fusion::Candidate kept_in_caches(fusion::Candidate candidate, const dag::CallGraph& graph) {
    for (fusion::DatumPlan& plan : candidate.data) {
        if (plan.store == fusion::Staging::lanes_streaming) {
            plan.store = fusion::Staging::lanes;
            candidate.work.allocated_bytes += graph.datum(plan.datum).list_type().bytes();
        }
    }
    return candidate;
}

} // namespace

HostProbe HostProbes::probe(Compilation& c, const fusion::Candidate& candidate, const std::string& group, double bytes, bool cached) {
    const double of_element = std::max(1.0, candidate.work.read_bytes + candidate.work.write_bytes);
    const double tile = candidate.instances_per_block;
    const auto elements = static_cast<std::uint64_t>(std::max(1.0, std::floor(bytes / of_element / tile)) * tile);
    const fusion::Candidate chosen = cached ? kept_in_caches(candidate, *c.graph) : candidate;
    return {fmt::format("{}: {}", group, data_names(candidate.stores, *c.graph)), group, chosen,
        {codegen::lower(chosen, "probe", *c.graph, *c.catalog), &*c.graph, &*c.catalog, elements}};
}

std::string transfer_text(const std::vector<MovedList>& lists) {
    std::string declarations, inputs, calls, outputs;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const std::string comma = i == 0 ? "" : ", ";
        const auto& [type, storage] = lists[i];
        declarations += storage ? fmt::format("store {} {} list{}, moved{};\n", c_name(*storage), to_string(type), i, i)
                                : fmt::format("{} list{};\n", to_string(type), i);
        inputs += fmt::format("{}list{}", comma, i);
        calls += fmt::format("moved{} = -list{};\n", i, i);
        outputs += fmt::format("{}moved{}", comma, i);
    }
    return fmt::format("program transfers;\n{}input {};\n{}return {};\n", declarations, inputs, calls, outputs);
}

std::string chain_text(int products) {
    std::string text = "program chain;\nMATRIX3x3 A, B;\ninput A, B;\nM1 = A * B;\n";
    for (int i = 2; i <= products; ++i) {
        text += fmt::format("M{} = M{} * B;\n", i, i - 1);
    }
    return text + fmt::format("return M{};\n", products);
}

std::string squares_text(int lists) {
    std::string names = "L1", calls = "S1 = vdot(L1, L1);\n";
    for (int i = 2; i <= lists; ++i) {
        names += fmt::format(", L{}", i);
        calls += fmt::format("P{0} = vdot(L{0}, L{0});\nS{0} = S{1} + P{0};\n", i, i - 1);
    }
    return fmt::format("program squares;\nVECTOR{} {};\ninput {};\n{}return S{};\n", 12 / lists, names, names, calls, lists);
}

std::string sum_text(int rows) {
    return fmt::format("program sum;\ndouble MATRIX{}x{} A, B, C;\ninput A, B;\nC = A + B;\nreturn C;\n", rows, rows);
}

} // namespace fusec::cli
