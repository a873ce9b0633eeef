// SPDX-License-Identifier: Apache-2.0
#include "execute/runner.hpp"

#include "execute/process.hpp"
#include "execute/workspace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>

namespace fusec::execute {

namespace {

constexpr std::size_t kept_texts = 5;

void store_component(unsigned char* at, double value, Precision precision) {
    if (precision == Precision::f32) {
        const auto narrow = static_cast<float>(value);
        std::memcpy(at, &narrow, sizeof narrow);
    } else {
        std::memcpy(at, &value, sizeof value);
    }
}

double load_component(const unsigned char* at, Precision precision) {
    if (precision == Precision::f32) {
        float narrow = 0;
        std::memcpy(&narrow, at, sizeof narrow);
        return static_cast<double>(narrow);
    }
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// What a handler of memory faults may look at.
struct FaultScene {
    const std::vector<std::unique_ptr<GuardedList>>* lists = nullptr; ///< null while they are set up
    const emulation::Device* device = nullptr;
    std::string launch;
};
FaultScene* scene = nullptr;

/// Runs on a stack of its own; the process ends here, so that what is not async-signal-safe (strings) can at worst fault once more, which
/// ends the process as well.
void on_memory_fault(int signal, siginfo_t* info, void*) {
    std::signal(signal, SIG_DFL);
    std::string text = signal == SIGFPE ? "arithmetic exception"
        : signal == SIGILL              ? "illegal instruction"
                                        : "access outside of every list";
    if (scene->lists != nullptr && (signal == SIGSEGV || signal == SIGBUS)) {
        for (const auto& list : *scene->lists) {
            if (const auto place = list->describe(info->si_addr)) {
                text = "access outside of " + *place;
            }
        }
    }
    if (scene->device != nullptr && !scene->device->running().empty()) {
        text = scene->device->running() + ": " + text;
    }
    end_child((text + " (" + scene->launch + ")").c_str());
}

void install_fault_handler() {
    static std::array<unsigned char, 65536> stack;
    stack_t alternate{};
    alternate.ss_sp = stack.data();
    alternate.ss_size = stack.size();
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_sigaction = on_memory_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        ::sigaction(signal, &action, nullptr);
    }
}

/// One launch's lists and workspace in memory.
class Scene {
public:
    Scene(const UnitFunctions& functions, const RunInterface& interface, const RunCase& launch, const GpuDriver* driver)
        : functions_(functions), interface_(interface), launch_(launch), driver_(driver) {
        for (const RunList& list : interface.inputs) {
            place(list, true);
        }
        for (const RunList& list : interface.outputs) {
            place(list, false);
        }
        workspace_bytes_ = functions.workspace_bytes(computed());
        // Exactly the promised size, at its end: pages are multiples of 256, so this is aligned to it when the size is.
        workspace_ = std::make_unique<GuardedList>(
            "workspace", (workspace_bytes_ + workspace_alignment - 1) / workspace_alignment * workspace_alignment, launch.placement, 0);
        poison(workspace_->data(), workspace_->bytes());
    }

    std::vector<void*>& arguments() { return arguments_; }
    const std::vector<std::unique_ptr<GuardedList>>& lists() const { return lists_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    void* workspace() { return workspace_bytes_ == 0 ? nullptr : workspace_->data(); }

    /// Behind the slots of the workspace.
    std::vector<emulation::Forbidden> forbidden() const {
        return interface_.slots && execute::workspace_bytes(*interface_.slots, computed()) == workspace_bytes_
            ? paddings(workspace_->data(), *interface_.slots, computed())
            : std::vector<emulation::Forbidden>();
    }

    int run() { return run(workspace(), workspace_bytes_); }
    int run(void* workspace, std::size_t workspace_bytes) {
        return driver_ != nullptr ? run_on_gpu(workspace, workspace_bytes) : launch(arguments_, workspace, workspace_bytes);
    }
    int launch(const std::vector<void*>& arguments, void* workspace, std::size_t workspace_bytes) const {
        return launch_.ranged ? functions_.launch_range(arguments.data(), launch_.first, launch_.count, workspace, workspace_bytes, nullptr)
                              : functions_.launch(arguments.data(), launch_.n, workspace, workspace_bytes, nullptr);
    }

    void check_memory(RunReport& report) const {
        const auto check = [&](const GuardedList& list) {
            if (const auto where = altered_on_gpu_.count(&list) != 0 ? altered_on_gpu_.at(&list) : list.altered_canary()) {
                report.add("memory outside of `" + list.name() + "` is overwritten at byte " + std::to_string(*where) + " of " +
                    std::to_string(list.bytes()) + where_text());
            }
        };
        for (const auto& list : lists_) {
            check(*list);
        }
        check(*workspace_);
        check_workspace(report);
        for (std::size_t i = 0; i < interface_.inputs.size(); ++i) {
            const RunList& input = interface_.inputs[i];
            const auto component = static_cast<std::size_t>(bytes_of(input.type.precision));
            for (std::size_t k = 0; k < lists_[i]->bytes() / component; ++k) {
                unsigned char expected[8];
                store_component(expected, input.values[k], input.type.precision);
                if (std::memcmp(expected, lists_[i]->data() + k * component, component) != 0) {
                    report.add("input `" + input.name + "` is changed in " + component_text(input, k) + where_text());
                    break;
                }
            }
        }
    }

    void check_untouched(RunReport& report) const {
        for (std::size_t i = interface_.inputs.size(); i < lists_.size(); ++i) {
            for (std::size_t at = 0; at < lists_[i]->bytes(); ++at) {
                if (!lists_[i]->untouched(at)) {
                    report.add("a refused launch has written to `" + lists_[i]->name() + "`" + where_text());
                    break;
                }
            }
        }
        if (altered_poison(workspace_->data(), 0, workspace_->bytes())) {
            report.add("a refused launch has written to the workspace" + where_text());
        }
    }

    void check_results(RunReport& report) const {
        const std::size_t first = launch_.ranged ? launch_.first : 0, last = launch_.ranged ? launch_.first + launch_.count : launch_.n;
        for (std::size_t i = 0; i < interface_.outputs.size(); ++i) {
            const RunList& output = interface_.outputs[i];
            const GuardedList& list = *lists_[interface_.inputs.size() + i];
            const auto size = static_cast<std::size_t>(output.type.shape.size()),
                       component = static_cast<std::size_t>(bytes_of(output.type.precision));
            bool reported = false;
            for (std::size_t k = 0; k < launch_.n * size && !reported; ++k) {
                const bool inside = k / size >= first && k / size < last;
                if (!inside) {
                    for (std::size_t byte = 0; byte < component && !reported; ++byte) {
                        if (!list.untouched(k * component + byte)) {
                            report.add(
                                component_text(output, k) + " of `" + output.name + "` is written, outside of the range" + where_text());
                            reported = true;
                        }
                    }
                    continue;
                }
                const double computed = load_component(list.data() + k * component, output.type.precision);
                const double allowed = allowed_error(output.bounds[k], output.type.precision);
                const double error = std::abs(computed - output.values[k]);
                ++report.components;
                if (list.untouched(k * component) && list.untouched(k * component + 1) && std::isnan(computed)) {
                    report.add(component_text(output, k) + " of `" + output.name + "` is not written" + where_text());
                    reported = true;
                } else if (!std::isfinite(output.values[k]) || !std::isfinite(allowed)) {
                    report.add(component_text(output, k) + " of `" + output.name + "` proves nothing: the reference is " +
                        number(output.values[k]) + " within " + number(allowed) + ", the input is ill conditioned" + where_text());
                    reported = true;
                } else if (!(error <= allowed)) {
                    report.add(component_text(output, k) + " of `" + output.name + "` is " + number(computed) + ", the reference " +
                        number(output.values[k]) + " within " + number(allowed) + where_text());
                    reported = true;
                } else {
                    report.worst_ratio = std::max(report.worst_ratio, error / allowed);
                }
            }
        }
    }

    std::string where_text() const { return " (" + to_string(launch_) + ")"; }

private:
    std::size_t computed() const { return launch_.ranged ? launch_.count : launch_.n; }

    /// Nothing is written behind the slots, which are where they have to be.
    void check_workspace(RunReport& report) const {
        if (!interface_.slots) {
            return;
        }
        if (const std::size_t needed = execute::workspace_bytes(*interface_.slots, computed()); needed != workspace_bytes_) {
            report.add("the workspace of " + std::to_string(computed()) + " elements is said to have " + std::to_string(workspace_bytes_) +
                " bytes; its slots have " + std::to_string(needed) + where_text());
        } else if (const auto where = altered_padding(workspace_->data(), *interface_.slots, computed())) {
            report.add("memory " + *where + ", is overwritten" + where_text());
        }
    }

    void place(const RunList& list, bool input) {
        const auto component = static_cast<std::size_t>(bytes_of(list.type.precision));
        const std::size_t count = (list.uniform ? 1 : launch_.n) * static_cast<std::size_t>(list.type.shape.size());
        lists_.push_back(std::make_unique<GuardedList>(
            list.name, count * component, launch_.placement, static_cast<std::size_t>(launch_.shifted) * component));
        internal_check(!input || list.values.size() >= count, "a launch needs more values than were drawn");
        for (std::size_t k = 0; input && k < count; ++k) {
            store_component(lists_.back()->data() + k * component, list.values[k], list.type.precision);
        }
        arguments_.push_back(lists_.back()->data());
    }

    /// The same launch with every list on the device; the host's lists then hold what the device's hold.
    int run_on_gpu(void* workspace, std::size_t workspace_bytes) {
        std::vector<GuardedList*> hosts;
        for (const auto& list : lists_) {
            hosts.push_back(list.get());
        }
        hosts.push_back(workspace_.get());
        std::vector<std::unique_ptr<DeviceList>> mirrors;
        for (GuardedList* const host : hosts) {
            mirrors.push_back(std::make_unique<DeviceList>(*driver_, *host));
        }
        // By address: a case may give one list in the place of another, or none.
        const auto on_device = [&](const void* host) -> void* {
            for (std::size_t i = 0; i < hosts.size() && host != nullptr; ++i) {
                if (hosts[i]->data() == host) {
                    return mirrors[i]->data();
                }
            }
            return nullptr;
        };
        std::vector<void*> arguments;
        for (const void* const argument : arguments_) {
            arguments.push_back(on_device(argument));
        }
        const int error = launch(arguments, on_device(workspace), workspace_bytes);
        check_gpu(*driver_, driver_->synchronize(), "cudaDeviceSynchronize");
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            if (const auto where = mirrors[i]->copy_back()) {
                altered_on_gpu_[hosts[i]] = where;
            }
        }
        return error;
    }

    static std::string number(double value) {
        if (std::isnan(value)) {
            return "not a number";
        }
        if (std::isinf(value)) {
            return value > 0 ? "infinite" : "minus infinite";
        }
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.9g", value);
        return text.data();
    }
    std::string component_text(const RunList& list, std::size_t k) const {
        const auto columns = static_cast<std::size_t>(list.type.shape.columns), size = static_cast<std::size_t>(list.type.shape.size());
        return "component (" + std::to_string(k % size / columns) + ", " + std::to_string(k % size % columns) + ") of element " +
            std::to_string(k / size);
    }

    const UnitFunctions& functions_;
    const RunInterface& interface_;
    const RunCase& launch_;
    std::vector<std::unique_ptr<GuardedList>> lists_;
    std::unique_ptr<GuardedList> workspace_;
    std::size_t workspace_bytes_ = 0;
    std::vector<void*> arguments_;
    const GpuDriver* driver_ = nullptr;
    std::map<const GuardedList*, std::optional<std::ptrdiff_t>> altered_on_gpu_; ///< lists with bytes altered beyond the host's pages
};

/// Launches that must return nonzero and write nothing.
void run_refused(const UnitFunctions& functions, const RunInterface& interface, const RunCase& launch, RunReport& report,
    FaultScene& faults, const GpuDriver* driver) {
    const auto refused = [&](const std::string& what, const auto& alter) {
        faults.launch = what;
        faults.lists = nullptr;
        Scene lists(functions, interface, launch, driver);
        faults.lists = &lists.lists();
        void* workspace = lists.workspace();
        std::size_t workspace_bytes = lists.workspace_bytes();
        alter(lists, workspace, workspace_bytes);
        ++report.launches;
        if (lists.run(workspace, workspace_bytes) == 0) {
            report.add("a launch with " + what + " returns 0");
        }
        lists.check_untouched(report);
        lists.check_memory(report);
    };
    const std::size_t inputs = interface.inputs.size(), all = inputs + interface.outputs.size();
    for (std::size_t i = 0; i < all; ++i) {
        const std::string& name = i < inputs ? interface.inputs[i].name : interface.outputs[i - inputs].name;
        refused("`" + name + "` null", [&](Scene& lists, void*&, std::size_t&) { lists.arguments()[i] = nullptr; });
        for (std::size_t j = inputs; j < i; ++j) {
            refused("`" + name + "` in the place of `" + interface.outputs[j - inputs].name + "`",
                [&](Scene& lists, void*&, std::size_t&) { lists.arguments()[j] = lists.arguments()[i]; });
        }
        if (i < inputs) {
            refused("the output `" + interface.outputs.front().name + "` in the place of `" + name + "`",
                [&](Scene& lists, void*&, std::size_t&) { lists.arguments()[inputs] = lists.arguments()[i]; });
        }
    }
    if (functions.workspace_bytes(launch.n) != 0) {
        refused("no workspace", [](Scene&, void*& workspace, std::size_t&) { workspace = nullptr; });
        refused("a workspace too small", [](Scene&, void*&, std::size_t& bytes) { --bytes; });
    }
}

/// Every case, then the launches to be refused.
void run_cases(const UnitFunctions& functions, const RunInterface& interface, const std::vector<RunCase>& cases, const RunOptions& options,
    emulation::Device* device, const GpuDriver* driver, RunReport& report, FaultScene& faults) {
    for (const RunCase& launch : cases) {
        if (device != nullptr) {
            device->set_schedule(launch.schedule, launch.seed);
        }
        faults.launch = to_string(launch);
        faults.lists = nullptr;
        Scene lists(functions, interface, launch, driver);
        faults.lists = &lists.lists();
        if (device != nullptr) {
            device->forbid(lists.forbidden());
        }
        ++report.launches;
        if (const int error = lists.run(); error != 0) {
            report.add("the launch returns " + std::to_string(error) + lists.where_text());
        } else {
            lists.check_results(report);
        }
        lists.check_memory(report);
        if (device != nullptr && device->finding_count() != 0) {
            for (const emulation::Finding& finding : device->findings()) {
                report.add(to_string(finding) + lists.where_text());
            }
            device->clear_findings();
        }
        if (options.first_fault_only && report.faults != 0) {
            return;
        }
    }
    if (device != nullptr) {
        device->forbid({});
    }
    const auto largest = std::max_element(cases.begin(), cases.end(), [](const RunCase& a, const RunCase& b) { return a.n < b.n; });
    RunCase plain;
    plain.n = largest->n;
    run_refused(functions, interface, plain, report, faults, driver);
}

} // namespace

void RunReport::add(const std::string& text) {
    ++faults;
    if (texts.size() < kept_texts) {
        texts.push_back(text);
    }
}

void RunReport::merge(const RunReport& other) {
    launches += other.launches;
    components += other.components;
    worst_ratio = std::max(worst_ratio, other.worst_ratio);
    faults += other.faults;
    for (const std::string& text : other.texts) {
        if (texts.size() < kept_texts) {
            texts.push_back(text);
        }
    }
}

std::string to_string(const RunCase& launch) {
    std::string text = "n = " + std::to_string(launch.n);
    if (launch.ranged) {
        text += ", " + std::to_string(launch.count) + " elements from " + std::to_string(launch.first) + " on";
    }
    if (launch.shifted != 0) {
        text += ", bases off by " + std::to_string(launch.shifted) + " component";
    }
    return text;
}

std::vector<RunCase> standard_cases(int tile, std::uint64_t seed) {
    const auto t = static_cast<std::size_t>(tile);
    using emulation::Schedule;
    // Counts that are multiples of 4 end every list on a multiple of 16 bytes, flush with the inaccessible page.
    return {
        {0, false, 0, 0, Placement::at_end, 0, Schedule::forward, seed},
        {1, false, 0, 0, Placement::at_end, 0, Schedule::forward, seed},
        {t - 1, false, 0, 0, Placement::at_end, 0, Schedule::reverse, seed},
        {t, false, 0, 0, Placement::at_end, 0, Schedule::forward, seed},
        {t + 1, false, 0, 0, Placement::at_end, 0, Schedule::shuffled, seed},
        {t + 4, false, 0, 0, Placement::at_end, 0, Schedule::reverse, seed + 1},
        {2 * t + 4, false, 0, 0, Placement::at_start, 0, Schedule::shuffled, seed + 2},
        {t + 3, false, 0, 0, Placement::at_end, 1, Schedule::shuffled, seed + 3},
        {t + 3, false, 0, 0, Placement::at_start, 1, Schedule::forward, seed},
        {2 * t + 8, true, t / 2 + 1, t + 1, Placement::at_end, 0, Schedule::forward, seed},
        {2 * t + 8, true, 4, 2 * t, Placement::at_end, 0, Schedule::reverse, seed}, // two whole tiles
        {2 * t + 8, true, 2 * t + 7, 1, Placement::at_end, 0, Schedule::forward, seed},
        {2 * t + 8, true, t, 0, Placement::at_end, 0, Schedule::forward, seed},
    };
}

std::size_t most_elements(const std::vector<RunCase>& cases) {
    std::size_t most = 0;
    for (const RunCase& launch : cases) {
        most = std::max(most, launch.n);
    }
    return most;
}

RunReport run_unit(const UnitFunctions& functions, const RunInterface& interface, const std::vector<RunCase>& cases,
    const RunOptions& options, emulation::Device* device, const GpuDriver* driver) {
    RunReport report;
    FaultScene faults;
    faults.device = device;
    scene = &faults;
    install_fault_handler();
    try {
        run_cases(functions, interface, cases, options, device, driver, report, faults);
    } catch (const GpuFailure& failure) {
        // The process has lost its device: units that follow in this child run in another.
        end_child((failure.text + " (" + faults.launch + ")").c_str());
    }
    scene = nullptr;
    return report;
}

} // namespace fusec::execute
