// SPDX-License-Identifier: Apache-2.0
// Plans of one program that a bench measures side by side: how a command line names them, and how each becomes a loaded library.
#pragma once

#include "cli/pipeline.hpp"
#include "execute/compiler.hpp"
#include "execute/loaded_library.hpp"
#include "support/median.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
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

/// The plan of `program` that `choice.text` names, for n elements, neither built nor loaded. Throws std::runtime_error where it does not compile.
void compile(Choice& choice, const std::string& program, std::uint64_t n, fusion::Target target, const std::string& device);

/// Compiles, builds and loads the plans of `program` that `texts` name, for n elements. Throws std::runtime_error where one fails.
std::vector<Choice> build_choices(
    const std::string& program, const std::vector<std::string>& texts, std::uint64_t n, const Machine& machine);

/// The lists of one program: inputs that all plans read, and outputs and workspace of each plan. `List` is memory of the machine that the
/// plans run on: `data()`, `bytes()`.
template <class List>
struct Lists {
    std::vector<List> inputs;
    std::vector<std::vector<List>> outputs; ///< of each plan
    std::vector<List> workspaces;           ///< of each plan
    std::size_t footprint = 0;              ///< bytes that one launch touches, workspace apart

    std::vector<frontend::Update> updates = {}; ///< lists that are inputs and outputs
    /// What plan `which` is launched with, in the order of the interface.
    std::vector<const void*> arguments(std::size_t which) const {
        std::vector<const void*> all;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto update = std::find_if(updates.begin(), updates.end(), [&](const auto& u) { return u.input == i; });
            all.push_back(update == updates.end() ? inputs[i].data() : outputs[which][update->output].data());
        }
        for (std::size_t i = 0; i < outputs[which].size(); ++i) {
            if (std::none_of(updates.begin(), updates.end(), [&](const auto& u) { return u.output == i; })) {
                all.push_back(outputs[which][i].data());
            }
        }
        return all;
    }
};

/// Bytes of the list for n elements: one entry for each, or one in all.
std::size_t list_bytes(const frontend::Datum& datum, std::size_t n);

/// `make(bytes)` gives a list, `fill(list, datum, seed)` an input's values.
template <class List, class Make, class Fill>
Lists<List> make_lists(const std::vector<Choice>& choices, std::size_t n, const Make& make, const Fill& fill) {
    Lists<List> lists;
    const frontend::CheckedProgram& program = *choices.front().compilation.program;
    for (const DataId id : program.inputs) {
        const frontend::Datum& datum = program.datum(id);
        const List& list = lists.inputs.emplace_back(make(list_bytes(datum, n)));
        fill(list, datum, lists.inputs.size());
        lists.footprint += list.bytes();
    }
    lists.updates = program.updates;
    for (const Choice& choice : choices) {
        auto& outputs = lists.outputs.emplace_back();
        for (const DataId id : program.outputs) {
            outputs.push_back(make(list_bytes(program.datum(id), n)));
        }
        for (const frontend::Update& update : program.updates) { // every plan has its own, and all are launched equally often
            fill(outputs[update.output], program.datum(program.inputs[update.input]), update.input + 1);
        }
        lists.workspaces.push_back(make(choice.functions.workspace_bytes(n)));
    }
    for (const List& list : lists.outputs.front()) {
        lists.footprint += list.bytes();
    }
    return lists;
}

/// `runs` times of each of `subjects` things, after `warm_up` times that do not count. They take turns, so that what disturbs the machine
/// disturbs all, and nobody is always after the same other. `timed(i)` does the i-th once and gives its seconds.
std::vector<std::vector<double>> in_turns(
    std::size_t subjects, std::size_t runs, std::size_t warm_up, const std::function<double(std::size_t)>& timed);

/// Writes the result; the exit code of the program.
int write_result(const std::string& path, const nlohmann::ordered_json& result);

/// `plan`, `kernels` (their calls in order), `bytes_per_element`, `predicted_seconds`, and of a GPU `works`, what predictors see of each kernel
/// (perfmodel/fit/kernel_work_json.hpp). Pre: it is compiled.
nlohmann::ordered_json described(const Choice& choice);

/// The same and measured seconds, `gb_per_s` from the median, every time.
nlohmann::ordered_json report(const Choice& choice);

/// Largest difference of two lists of n entries, relative to the largest value of the first.
double difference(const void* first, const void* second, const frontend::Datum& datum, std::size_t n);

/// Values from 0.5 to 1.5, seeded: invertible often enough; the time of a launch does not depend on them.
void fill_random(void* list, const frontend::Datum& datum, std::size_t bytes, std::uint64_t seed);

} // namespace fusec::bench
