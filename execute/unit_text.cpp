// SPDX-License-Identifier: Apache-2.0
// Units as text: of an emitted one, and of a file that a user gives.
#include "execute/verify.hpp"

#include "codegen/interface_emission.hpp"
#include "support/files.hpp"

#include <set>
#include <sstream>

namespace fusec::execute {

UnitText unit_text(const codegen::Unit& unit, const codegen::Emitted& emitted, const std::string& file) {
    UnitText text{unit.name, {{file + ".cu", emitted.source}, {file + ".h", emitted.header}}, {}};
    const std::vector<std::string> kernels = codegen::kernel_names(unit);
    for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
        std::vector<emulation::NamedTile> tiles;
        for (const codegen::Tile& tile : unit.kernels[i].tiles) {
            tiles.push_back({tile.name, tile.offset, tile.bytes});
        }
        text.tiles.emplace_back(codegen::kernel_namespace(unit) + "::" + kernels[i], std::move(tiles));
    }
    return text;
}

std::optional<UnitText> read_unit(const std::filesystem::path& source, const std::string& unit, Diagnostics& diagnostics) {
    UnitText text{unit, {}, {}};
    std::vector<std::filesystem::path> waiting{source};
    std::set<std::string> seen{source.filename().string()};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const std::optional<std::string> content = read_file(waiting[i], diagnostics);
        if (!content) {
            return std::nullopt;
        }
        text.files.push_back({waiting[i].filename().string(), *content});
        std::istringstream lines(*content);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t open = line.find('"'), close = line.rfind('"');
            if (line.compare(0, 8, "#include") == 0 && open != std::string::npos && close > open) {
                const std::string name = line.substr(open + 1, close - open - 1);
                if (seen.insert(name).second) {
                    waiting.push_back(source.parent_path() / name);
                }
            }
        }
    }
    return text;
}

} // namespace fusec::execute
