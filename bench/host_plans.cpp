// SPDX-License-Identifier: Apache-2.0
// Measured time of several plans of one program on this host, side by side: every plan is built as a user builds it (-O3
// -march=native, OpenMP), then runs alternate, so that what disturbs the machine disturbs all plans.
// Usage: host_plans RESULT.json PROGRAM.fus N RUNS CHOICE...
// A choice is auto, none, max, greedy, a plan file, or one of these with `+no-recompute` or `+max-fusion=K` after it.
#include "bench/plan_choice.hpp"
#include "bench/run_record.hpp"
#include "cli/host_machine.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <new>
#include <stdexcept>

namespace fusec::bench {
namespace {

/// Memory of a list, at a multiple of 256 bytes (what a workspace needs), every page touched.
class List {
public:
    explicit List(std::size_t bytes)
        : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 64), std::align_val_t{256}))) {
        std::fill(data_, data_ + bytes, std::byte{0});
    }
    List(List&& other) noexcept : bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
    List& operator=(List&&) = delete;
    ~List() { ::operator delete(data_, std::align_val_t{256}); }
    std::byte* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    std::byte* data_;
};

double launch(const Choice& choice, const Lists<List>& lists, std::size_t which, std::size_t n) {
    const std::vector<const void*> arguments = lists.arguments(which);
    const List& workspace = lists.workspaces[which];
    const auto start = std::chrono::steady_clock::now();
    const int error = choice.functions.launch(arguments.data(), n, workspace.data(), workspace.bytes(), nullptr);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (error != 0) {
        throw std::runtime_error(choice.text + " returned " + std::to_string(error));
    }
    return seconds;
}

int run(int argc, char** argv) {
    if (argc < 6) {
        std::cerr << "usage: host_plans RESULT.json PROGRAM.fus N RUNS CHOICE...\n";
        return 2;
    }
    const std::size_t n = std::stoull(argv[3]), runs = std::stoull(argv[4]);
    Diagnostics diagnostics;
    const auto compiler = execute::find_host_compiler(diagnostics);
    if (!compiler) {
        throw std::runtime_error(diagnostics.all().front().message);
    }
    Machine host;
    host.compiler = *compiler;
    std::vector<Choice> choices = build_choices(argv[2], {argv + 5, argv + argc}, n, host);
    const auto lists = make_lists<List>(
        choices, n, [](std::size_t bytes) { return List(bytes); },
        [](const List& list, const frontend::Datum& datum, std::uint64_t seed) { fill_random(list.data(), datum, list.bytes(), seed); });
    const auto seconds = in_turns(choices.size(), runs, 2, [&](std::size_t i) { return launch(choices[i], lists, i, n); });
    for (std::size_t i = 0; i < choices.size(); ++i) {
        choices[i].seconds = seconds[i];
    }
    const frontend::CheckedProgram& program = *choices.front().compilation.program;
    nlohmann::ordered_json result = run_record(FUSEC_SOURCE_FOLDER);
    result["machine"]["usable"] = cli::usable_processors();
    result["program"] = program.name;
    result["n"] = n;
    result["runs"] = runs;
    result["compiler"] = first_line("${CXX:-c++} --version");
    result["list_megabytes"] = static_cast<double>(lists.footprint) * 1e-6;
    double worst = 0;
    for (std::size_t i = 1; i < choices.size(); ++i) {
        for (std::size_t k = 0; k < program.outputs.size(); ++k) {
            const void* const first = lists.outputs[0][k].data();
            worst = std::max(worst, difference(first, lists.outputs[i][k].data(), program.datum(program.outputs[k]), n));
        }
    }
    result["largest_relative_difference_of_outputs"] = worst;
    for (const Choice& choice : choices) {
        auto entry = report(choice);
        const double predicted = choice.compilation.plans.front().seconds / choices.front().compilation.plans.front().seconds;
        const double measured = median(choice.seconds) / median(choices.front().seconds);
        entry["predicted_over_first"] = predicted;
        entry["measured_over_first"] = measured;
        std::cerr << program.name << ' ' << choice.text << ": predicted " << predicted << ", measured " << measured << " of the first, "
                  << median(choice.seconds) * 1e3 << " ms\n";
        result["plans"].push_back(std::move(entry));
    }
    return write_result(argv[1], result);
}

} // namespace
} // namespace fusec::bench

int main(int argc, char** argv) {
    return fusec::bench::exit_code("host_plans", fusec::bench::run, argc, argv);
}
