// SPDX-License-Identifier: Apache-2.0
// Plans of one program that a bench measures side by side: how a command line names them, and how each becomes a loaded library.
#pragma once

#include "cli/pipeline.hpp"
#include "execute/compiler.hpp"
#include "execute/loaded_library.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fusec::bench {

/// What plans are compared on: target, device description, and how their texts are built.
struct Machine {
    fusion::Target target = fusion::Target::host;
    std::string device = "host-generic"; ///< a name of `fusec devices`
    execute::BuildKind kind = execute::BuildKind::host_product;
    execute::HostCompiler compiler;
    std::vector<execute::BuildRequest::File> beside; ///< further sources, built into every plan's library
};

/// One plan: compiled, built, loaded, and the times of its launches.
struct Choice {
    std::string text; ///< auto, none, max, greedy or a plan file; then `+no-recompute`, `+max-fusion=K`
    cli::Compilation compilation;
    std::optional<execute::LoadedLibrary> library;
    execute::UnitFunctions functions;
    std::vector<double> seconds;
};

/// Compiles, builds and loads the plans of `program` that `texts` name, for n elements. Throws std::runtime_error where one fails.
std::vector<Choice> build_choices(
    const std::string& program, const std::vector<std::string>& texts, std::uint64_t n, const Machine& machine);

/// Bytes of the list for n elements: one entry for each, or one in all.
std::size_t list_bytes(const frontend::Datum& datum, std::size_t n);

/// Middle value, or the mean of the two in the middle. `values` is not empty.
double median(std::vector<double> values);

/// `plan`, `kernels` (their calls in order), `bytes_per_element`, predicted and measured seconds, `gb_per_s` from the median, every time.
nlohmann::ordered_json report(const Choice& choice);

/// Largest difference of two lists of n entries, relative to the largest value of the first.
double difference(const void* first, const void* second, const frontend::Datum& datum, std::size_t n);

/// Values from 0.5 to 1.5, seeded: invertible often enough; the time of a launch does not depend on them.
void fill_random(void* list, const frontend::Datum& datum, std::size_t bytes, std::uint64_t seed);

} // namespace fusec::bench
