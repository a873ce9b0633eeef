// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernel_checks.hpp"
#include "codegen/verifier.hpp"

#include <algorithm>
#include <limits>

namespace fusec::codegen {

namespace {

/// What holds without running the block: indices of the IR, index types, lifetimes, overlap.
class DeclarationCheck {
public:
    DeclarationCheck(const Kernel& kernel, KernelFindings& findings) : kernel_(kernel), findings_(findings) {}

    /// False when the IR itself refers to something it does not have; nothing else can be checked then.
    bool indices_exist() {
        bool sound = kernel_.tile_elements > 0 && kernel_.threads > 0 && kernel_.shared_bytes >= 0;
        for (const Step& step : kernel_.steps) {
            std::visit(
                [&](const auto& s) {
                    if constexpr (requires { s.list; }) {
                        sound = sound && s.list < kernel_.lists.size();
                    }
                    if constexpr (requires { s.tile; }) {
                        sound = sound && s.tile < kernel_.tiles.size();
                    }
                    if constexpr (requires { s.value; }) {
                        sound = sound && s.value < kernel_.values.size();
                    }
                    if constexpr (requires { s.threads; }) {
                        sound = sound && s.threads > 0;
                    }
                    if constexpr (requires { s.operands; }) {
                        sound = sound && exists(s.result.place);
                        for (const Operand& operand : s.operands) {
                            sound = sound && exists(operand.place);
                        }
                    }
                },
                step);
        }
        for (const Value& value : kernel_.values) {
            sound = sound && value.threads > 0;
        }
        if (!sound) {
            findings_.add("", "a step refers to something the kernel does not have");
        }
        return sound;
    }

    void check() {
        check_types();
        check_storage();
        check_tiles();
    }

private:
    bool exists(const Place& place) const {
        switch (place.kind) {
        case Place::Kind::value:
            return place.index < kernel_.values.size();
        case Place::Kind::tile:
            return place.index < kernel_.tiles.size();
        case Place::Kind::list:
            return place.index < kernel_.lists.size();
        case Place::Kind::table:
            return place.index < kernel_.tables.size();
        }
        return false;
    }

    static std::uint64_t largest(IndexType type) {
        return type == IndexType::i32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::uint64_t>::max();
    }

    /// Emission declares element indices in these types and computes offsets in the type of the index.
    void check_types() {
        // The end of the last block's elements is at most 2^40 and a block more; the offset is that times the components.
        const std::uint64_t elements = proved_elements + static_cast<std::uint64_t>(kernel_.tile_elements);
        for (const List& list : kernel_.lists) {
            if (!list.uniform && largest(kernel_.first) / static_cast<std::uint64_t>(list.type.shape.size()) < elements) {
                findings_.add(list.name, "an offset into the list exceeds `" + std::string(c_name(kernel_.first)) + "` for 2^40 elements");
            }
        }
        for (const Tile& tile : kernel_.tiles) {
            const std::int64_t own = std::int64_t{kernel_.tile_elements} * std::max(tile.element_words, tile.type.shape.size());
            const std::int64_t words = own + (tile.run > 0 ? own / tile.run * tile.pad_words : 0);
            if (words < 0 || static_cast<std::uint64_t>(words) > largest(kernel_.element)) {
                findings_.add(tile.name, "an index within the tile exceeds `" + std::string(c_name(kernel_.element)) + "`");
            }
        }
    }

    void check_storage() {
        for (const List& list : kernel_.lists) {
            if (list.storage && (list.uniform || list.storage == list.type.precision)) {
                findings_.add(list.name, "is `" + to_string(list.type, list.storage) + "`, which needs no conversion or has none");
            }
            for (const List& other : kernel_.lists) {
                if (list.updated && other.updated && list.name == other.name && list.storage != other.storage && list.written) {
                    findings_.add(list.name, "is one list, but its old and new values are stored in different precisions");
                }
            }
        }
    }

    void check_tiles() {
        for (std::size_t a = 0; a < kernel_.tiles.size(); ++a) {
            const Tile& tile = kernel_.tiles[a];
            if (tile.offset < 0 || tile.offset % 16 != 0) {
                findings_.add(tile.name, "starts at byte " + std::to_string(tile.offset) + ", which is no multiple of 16");
            }
            if (tile.offset + tile.bytes > kernel_.shared_bytes) {
                findings_.add(
                    tile.name, "ends at byte " + std::to_string(tile.offset + tile.bytes) + " of " + std::to_string(kernel_.shared_bytes));
            }
            for (std::size_t b = 0; b < a; ++b) {
                const Tile& other = kernel_.tiles[b];
                const bool overlap = tile.offset < other.offset + other.bytes && other.offset < tile.offset + tile.bytes;
                if (overlap && tile.first_step <= other.last_step && other.first_step <= tile.last_step) {
                    findings_.add(tile.name, "overlaps `" + other.name + "` while both are live");
                }
            }
        }
        for (std::size_t i = 0; i < kernel_.steps.size(); ++i) {
            std::visit(
                [&](const auto& s) {
                    if constexpr (requires { s.tile; }) {
                        check_lifetime(i, s.tile);
                    }
                    if constexpr (requires { s.operands; }) {
                        for (const Operand& operand : s.operands) {
                            check_lifetime(i, operand.place);
                        }
                        check_lifetime(i, s.result.place);
                    }
                },
                kernel_.steps[i]);
        }
    }
    void check_lifetime(std::size_t step, const Place& place) {
        if (place.kind == Place::Kind::tile) {
            check_lifetime(step, place.index);
        }
    }
    void check_lifetime(std::size_t step, std::size_t index) {
        const Tile& tile = kernel_.tiles[index];
        if (static_cast<int>(step) < tile.first_step || static_cast<int>(step) > tile.last_step) {
            findings_.add_step(
                step, tile.name, "touched outside its lifetime " + std::to_string(tile.first_step) + ".." + std::to_string(tile.last_step));
        }
    }

    const Kernel& kernel_;
    KernelFindings& findings_;
};

} // namespace

bool indices_exist(const Kernel& kernel, KernelFindings& findings) {
    return DeclarationCheck(kernel, findings).indices_exist();
}

void check_declarations(const Kernel& kernel, KernelFindings& findings) {
    DeclarationCheck(kernel, findings).check();
}

} // namespace fusec::codegen
