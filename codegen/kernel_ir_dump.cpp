// SPDX-License-Identifier: Apache-2.0
// The kernel IR as text.
#include "codegen/kernel_ir.hpp"

#include "codegen/literals.hpp"
#include "support/writer.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace fusec::codegen {

namespace {

const char* text(library::Touch touch) {
    switch (touch) {
    case library::Touch::all:
        return "all";
    case library::Touch::row:
        return "row";
    case library::Touch::column:
        return "column";
    case library::Touch::entry:
        return "entry";
    case library::Touch::rows:
        return "rows";
    }
    return "";
}

const char* text(fusion::Staging staging) {
    switch (staging) {
    case fusion::Staging::none:
        return "direct";
    case fusion::Staging::words:
        return "words";
    case fusion::Staging::vectors:
        return "vectors";
    case fusion::Staging::async:
        return "async";
    case fusion::Staging::lanes:
        return "lanes";
    case fusion::Staging::lanes_streaming:
        return "lanes-streaming";
    }
    return "";
}

std::string list_text(const List& list) {
    return list.name + ": " + (list.written ? "out " : "") + (list.updated ? "updated " : "") + (list.followed ? "followed " : "") +
        (list.in_bursts ? "in bursts " : "") + (list.uniform ? "uniform " : "") + to_string(list.type, list.storage);
}

/// Prints one kernel; steps are numbered so that findings and lifetimes can be read against them.
class KernelDump {
public:
    KernelDump(const Kernel& kernel, Writer& writer) : kernel_(kernel), writer_(writer) {}

    void write() {
        const auto block = writer_.block("kernel " + kernel_.name);
        writer_.line("elements " + std::to_string(kernel_.tile_elements) + ", threads " + std::to_string(kernel_.threads) + ", shared " +
            std::to_string(kernel_.shared_bytes) +
            (kernel_.resident_blocks > 0 ? ", resident blocks " + std::to_string(kernel_.resident_blocks) : "") + ", first " +
            c_name(kernel_.first) + ", element " + c_name(kernel_.element) + (kernel_.simd ? ", simd" : "") +
            (kernel_.results_wait ? ", results wait" : "") + (kernel_.results_in_lines ? ", results in lines" : "") +
            (kernel_.light_tiles ? ", light tiles" : "") + (kernel_.inlined ? ", inlined" : ""));
        for (const List& list : kernel_.lists) {
            writer_.line("list " + list_text(list));
        }
        for (const Tile& tile : kernel_.tiles) {
            writer_.line("tile " + tile.name + ": " + to_string(tile.type) + " at " + std::to_string(tile.offset) + " bytes " +
                std::to_string(tile.bytes) + " words " + std::to_string(tile.element_words) +
                (tile.run > 0 ? " pad " + std::to_string(tile.pad_words) + " every " + std::to_string(tile.run) : "") + " live " +
                std::to_string(tile.first_step) + ".." + std::to_string(tile.last_step));
        }
        for (const Value& value : kernel_.values) {
            writer_.line("value " + value.name + ": " + to_string(value.type) + " " +
                (value.derived ? "in every thread" : text(value.touch) + (" of " + std::to_string(value.threads))));
        }
        for (const Table& table : kernel_.tables) {
            writer_.line(
                "table " + table.name + ": " + to_string(table.type) + " = " + braced_literals(table.values, table.type.precision));
        }
        for (std::size_t i = 0; i < kernel_.steps.size(); ++i) {
            writer_.line(std::to_string(i) + ": " + std::visit([&](const auto& step) { return step_text(step); }, kernel_.steps[i]));
        }
    }

private:
    template <class Transfer>
    static std::string transfer_text(const Transfer& step) {
        return std::string(text(step.staging)) + " " + std::to_string(step.access_bytes) + " bytes";
    }
    std::string step_text(const LoadTile& step) const {
        return "load " + kernel_.lists.at(step.list).name + " -> tile " + kernel_.tiles.at(step.tile).name + ", " + transfer_text(step);
    }
    std::string step_text(const LoadValue& step) const {
        return "load " + kernel_.lists.at(step.list).name + " -> value " + kernel_.values.at(step.value).name + ", " + transfer_text(step);
    }
    std::string step_text(const StoreTile& step) const {
        return "store tile " + kernel_.tiles.at(step.tile).name + " -> " + kernel_.lists.at(step.list).name + ", " + transfer_text(step);
    }
    std::string step_text(const StoreValue& step) const {
        return "store value " + kernel_.values.at(step.value).name + " -> " + kernel_.lists.at(step.list).name + ", " +
            transfer_text(step) + (step.leader ? ", by thread 0" : "");
    }
    std::string step_text(const Report& step) const {
        return "report value " + kernel_.values.at(step.value).name + " as check " + std::to_string(step.check);
    }
    static std::string step_text(const AsyncWait&) { return "async wait"; }
    static std::string step_text(const BlockBarrier&) { return "block barrier"; }
    static std::string step_text(const WarpBarrier&) { return "warp barrier"; }
    template <class Call>
    std::string call_text(const Call& step) const {
        std::string line = operand_text(step.result) + " = " + step.routine + "(";
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            line += (i == 0 ? "" : ", ") + operand_text(step.operands[i]);
        }
        return line + ")";
    }
    std::string step_text(const Derive& step) const { return "derive " + call_text(step) + ", every thread"; }
    std::string step_text(const Compute& step) const {
        return call_text(step) + ", threads " + std::to_string(step.threads) + (step.guarded ? "" : ", unguarded") +
            (step.synchronises ? ", synchronises" : "") + (step.exchanges > 0 ? ", " + std::to_string(step.exchanges) + " exchanges" : "") +
            (step.leader ? ", by thread 0" : "");
    }
    std::string operand_text(const Operand& operand) const {
        const std::size_t i = operand.place.index;
        switch (operand.place.kind) {
        case Place::Kind::value:
            return "value " + kernel_.values.at(i).name + " " + text(operand.touch);
        case Place::Kind::tile:
            return "tile " + kernel_.tiles.at(i).name + " " + text(operand.touch);
        case Place::Kind::list:
            return "list " + kernel_.lists.at(i).name + " " + text(operand.touch);
        case Place::Kind::table:
            return "table " + kernel_.tables.at(i).name + " " + text(operand.touch);
        }
        return "";
    }

    const Kernel& kernel_;
    Writer& writer_;
};

} // namespace

std::string dump(const Unit& unit) {
    Writer writer;
    {
        const auto block = writer.block("unit " + unit.name);
        for (const List& list : unit.inputs) {
            writer.line("input " + list_text(list));
        }
        for (const List& list : unit.outputs) {
            writer.line("output " + list_text(list));
        }
        for (std::size_t check = 0; check < unit.checks.size(); ++check) {
            writer.line("check " + std::to_string(check) + ": \"" + unit.checks[check].text + "\"");
        }
        for (std::size_t slot = 0; slot < unit.slots.size(); ++slot) {
            writer.line("slot " + std::to_string(slot) + ": " + std::to_string(unit.slots[slot]) + " bytes per element");
        }
        for (const WorkspaceList& list : unit.workspace) {
            writer.line("workspace " + list.name + ": " + to_string(list.type) + " in slot " + std::to_string(list.slot));
        }
        std::optional<std::uint32_t> part; // program block
        for (const Kernel& kernel : unit.kernels) {
            if (!unit.blocks.empty() && part != kernel.block) {
                part = kernel.block;
                writer.line("block " + unit.blocks.at(*part));
            }
            KernelDump(kernel, writer).write();
        }
    }
    return writer.take();
}

std::string text_id(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    std::string id;
    for (int shift = 60; shift >= 0; shift -= 4) {
        id += digits[(hash >> shift) & 15];
    }
    return id;
}

std::string plan_id(const Unit& unit) {
    return text_id(dump(unit));
}

} // namespace fusec::codegen
