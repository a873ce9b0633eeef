// SPDX-License-Identifier: Apache-2.0
#include "tests/execute/mutation/equivalence.hpp"

#include "codegen/verifier.hpp"

#include <algorithm>
#include <numeric>
#include <regex>
#include <variant>

namespace fusec::execute {

namespace {

using codegen::Kernel;

bool is_barrier(const codegen::Step& step) {
    return std::holds_alternative<codegen::AsyncWait>(step) || std::holds_alternative<codegen::BlockBarrier>(step) ||
        std::holds_alternative<codegen::WarpBarrier>(step);
}

/// What the verifier says against a kernel. That tiles start at multiples of 16 is a rule for lowering; whether an access is aligned shows
/// when it is made, and emulation asserts it.
std::vector<std::string> against(const Kernel& kernel) {
    std::vector<std::string> found = codegen::findings(kernel);
    std::erase_if(found, [](const std::string& finding) { return finding.find("which is no multiple of 16") != std::string::npos; });
    return found;
}

Kernel without_barrier(const Kernel& kernel, int barrier, bool weakened) {
    Kernel changed = kernel;
    auto step = changed.steps.begin();
    for (int seen = -1; step != changed.steps.end(); ++step) {
        seen += is_barrier(*step) ? 1 : 0;
        if (seen == barrier) {
            break;
        }
    }
    internal_check(step != changed.steps.end(), "the text has more barriers than the kernel");
    if (weakened) {
        internal_check(std::holds_alternative<codegen::BlockBarrier>(*step), "the text has a block barrier where the kernel has another");
        *step = codegen::WarpBarrier{};
        return changed;
    }
    const auto at = static_cast<int>(step - changed.steps.begin());
    changed.steps.erase(step);
    for (codegen::Tile& tile : changed.tiles) {
        tile.first_step -= tile.first_step > at ? 1 : 0;
        tile.last_step -= tile.last_step > at ? 1 : 0;
    }
    return changed;
}

/// Tiles are named after the list that they stage, or the datum that they hold.
const codegen::Tile& tile_named(const Kernel& kernel, const std::string& name) {
    const auto tile = std::find_if(kernel.tiles.begin(), kernel.tiles.end(), [&](const codegen::Tile& each) {
        const auto list =
            std::find_if(kernel.lists.begin(), kernel.lists.end(), [&](const codegen::List& staged) { return staged.datum == each.datum; });
        return name == (list != kernel.lists.end() ? list->name : each.name) + "_tile";
    });
    internal_check(tile != kernel.tiles.end(), "the text has a tile that the kernel has not");
    return *tile;
}

/// Bytes between the starts of two slots of the workspace are multiples of this.
constexpr int slot_unit = 256;

/// The slot of the datum in the workspace; nothing if it is not there.
std::optional<std::size_t> slot_of(const codegen::Unit& unit, DataId datum) {
    const auto placed = std::find_if(unit.workspace.begin(), unit.workspace.end(), [&](const auto& each) { return each.datum == datum; });
    return placed == unit.workspace.end() ? std::nullopt : std::optional(placed->slot);
}

/// Why one more element does no harm behind this guard.
std::optional<std::string> harmless(const codegen::Unit& unit, const Kernel& kernel, const std::string& statements) {
    const std::string code = std::regex_replace(statements, std::regex("//[^\n]*"), ""); // comments name data
    bool touched = false;
    for (const codegen::List& list : kernel.lists) {
        if (list.uniform || !std::regex_search(code, std::regex("\\b" + list.name + "\\b"))) {
            continue;
        }
        const std::optional<std::size_t> slot = slot_of(unit, list.datum);
        if (!slot || list.written) {
            return std::nullopt;
        }
        // A block whose elements take one unit or an even part of one: after any but its last element, the unit goes on. Else the slots
        // behind it hold as many bytes, for as many elements.
        const int behind = std::accumulate(unit.slots.begin() + static_cast<std::ptrdiff_t>(*slot) + 1, unit.slots.end(), 0);
        if (slot_unit % (kernel.tile_elements * list.type.bytes()) != 0 && behind < list.type.bytes()) {
            return std::nullopt;
        }
        touched = true;
    }
    return std::string(
               "the element past the end has slots of its own in all tiles, and its registers are read behind other guards only; ") +
        (touched ? "of lists it only reads the workspace's, which goes on behind the last element" : "it touches no list");
}

} // namespace

std::optional<std::string> proof_of_equivalence(const codegen::Unit& unit, const Mutant& mutant) {
    const Site& site = mutant.site;
    if (site.kernel < 0) {
        return std::nullopt;
    }
    const Kernel& kernel = unit.kernels.at(static_cast<std::size_t>(site.kernel));
    if (site.barrier >= 0) {
        return against(without_barrier(kernel, site.barrier, site.weakened)).empty()
            ? std::optional(std::string("the verifier of the kernel IR accepts the kernel with ") +
                  (site.weakened ? "a warp barrier there" : "no barrier there"))
            : std::nullopt;
    }
    if (!site.exchanged.empty()) {
        const bool same = tile_named(kernel, site.tile).offset == tile_named(kernel, site.exchanged).offset;
        return same ? std::optional<std::string>("both tiles start at the same byte") : std::nullopt;
    }
    if (!site.tile.empty()) {
        Kernel changed = kernel;
        codegen::Tile& tile = changed.tiles[static_cast<std::size_t>(&tile_named(kernel, site.tile) - kernel.tiles.data())];
        tile.offset += site.shift * bytes_of(tile.type.precision);
        return against(changed).empty()
            ? std::optional<std::string>(
                  "the verifier of the kernel IR accepts the kernel with the tile there: it meets no other that is alive")
            : std::nullopt;
    }
    return site.guarded.empty() ? std::nullopt : harmless(unit, kernel, site.guarded);
}

} // namespace fusec::execute
