// SPDX-License-Identifier: Apache-2.0
#include "tests/execute/mutation/equivalence.hpp"

#include "codegen/kernel_names.hpp"
#include "codegen/verifier.hpp"

#include <algorithm>
#include <numeric>
#include <regex>
#include <utility>
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

/// The tile that the text calls by this name.
std::size_t tile_named(const Kernel& kernel, const std::string& name) {
    const std::vector<std::string> names = codegen::KernelNames(kernel).tile_pointers;
    const auto found = std::find(names.begin(), names.end(), name);
    internal_check(found != names.end(), "the text has a tile that the kernel has not");
    return static_cast<std::size_t>(found - names.begin());
}

/// The steps that compute with what is at `place`, and nothing if some other step but a load touches it.
std::optional<std::vector<const codegen::Compute*>> readers(const Kernel& kernel, const codegen::Place& place) {
    std::vector<const codegen::Compute*> found;
    for (const codegen::Step& step : kernel.steps) {
        if (const auto* const compute = std::get_if<codegen::Compute>(&step)) {
            if (std::any_of(compute->operands.begin(), compute->operands.end(), [&](const auto& each) { return each.place == place; })) {
                found.push_back(compute);
            }
        } else if (const auto* const stored = std::get_if<codegen::StoreTile>(&step)) {
            if (place == codegen::Place{codegen::Place::Kind::tile, stored->tile}) {
                return std::nullopt;
            }
        } else if (const auto* const value = std::get_if<codegen::StoreValue>(&step)) {
            if (place == codegen::Place{codegen::Place::Kind::value, value->value}) {
                return std::nullopt;
            }
        }
    }
    return found;
}

/// sym(A'B) = sym(B'A), in the same operations: both tiles are read by one product alone, A'B, and that by the symmetric part alone. The
/// tiles have one layout and live from their loads to the product, which the kernel with both loads and both operands exchanged shows.
bool symmetric_in(const Kernel& kernel, std::size_t one, std::size_t other) {
    const codegen::Place a{codegen::Place::Kind::tile, one}, b{codegen::Place::Kind::tile, other};
    const auto of_a = readers(kernel, a), of_b = readers(kernel, b);
    if (!of_a || of_a->size() != 1 || of_a != of_b || of_a->front()->function != "mtmul") {
        return false;
    }
    const codegen::Compute& product = *of_a->front();
    const auto of_product = readers(kernel, product.result.place);
    if (!of_product || of_product->size() != 1 || of_product->front()->function != "msym") {
        return false;
    }
    Kernel changed = kernel;
    std::swap(changed.tiles[one].first_step, changed.tiles[other].first_step);
    for (codegen::Step& step : changed.steps) {
        if (auto* const load = std::get_if<codegen::LoadTile>(&step)) {
            load->tile = load->tile == one ? other : load->tile == other ? one : load->tile;
        } else if (auto* const compute = std::get_if<codegen::Compute>(&step)) {
            for (codegen::Operand& operand : compute->operands) {
                operand.place = operand.place == a ? b : operand.place == b ? a : operand.place;
            }
        }
    }
    const codegen::Tile& first = kernel.tiles[one];
    const codegen::Tile& second = kernel.tiles[other];
    return first.type == second.type && first.run == second.run && first.pad_words == second.pad_words && against(changed).empty();
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
        const std::size_t one = tile_named(kernel, site.tile), other = tile_named(kernel, site.exchanged);
        if (kernel.tiles[one].offset == kernel.tiles[other].offset) {
            return "both tiles start at the same byte";
        }
        return symmetric_in(kernel, one, other)
            ? std::optional<std::string>("only the symmetric part of the product A'B of the two is used, which is that of B'A")
            : std::nullopt;
    }
    if (!site.tile.empty()) {
        Kernel changed = kernel;
        codegen::Tile& tile = changed.tiles[tile_named(kernel, site.tile)];
        tile.offset += site.shift * bytes_of(tile.type.precision);
        return against(changed).empty()
            ? std::optional<std::string>(
                  "the verifier of the kernel IR accepts the kernel with the tile there: it meets no other that is alive")
            : std::nullopt;
    }
    return site.guarded.empty() ? std::nullopt : harmless(unit, kernel, site.guarded);
}

} // namespace fusec::execute
