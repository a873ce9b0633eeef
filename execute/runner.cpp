// SPDX-License-Identifier: Apache-2.0
#include "execute/runner.hpp"

#include "execute/process.hpp"
#include "execute/run_faults.hpp"
#include "execute/run_scene.hpp"

#include <algorithm>
#include <utility>

namespace fusec::execute {

namespace {

constexpr std::size_t kept_texts = 5;

/// A loaded unit on one launch after the other.
class UnitRun {
public:
    UnitRun(const UnitFunctions& functions, const RunInterface& interface, const RunOptions& options, emulation::Device* device,
        const GpuDriver* driver)
        : functions_(functions), interface_(interface), options_(options), device_(device), driver_(driver) {
        faults_.device = device;
        faults_.code = reinterpret_cast<const void*>(functions.launch);
        catch_faults(faults_);
    }

    /// Every case, then the launches to be refused.
    RunReport run(const std::vector<RunCase>& cases) {
        for (const RunCase& launch : cases) {
            run_case(launch);
            if (options_.first_fault_only && report_.faults != 0) {
                return std::move(report_);
            }
        }
        if (device_ != nullptr) {
            device_->forbid({});
        }
        run_refused(most_elements(cases));
        return std::move(report_);
    }

    const std::string& launch() const { return faults_.launch; }

private:
    void run_case(const RunCase& launch) {
        if (device_ != nullptr) {
            device_->set_schedule(launch.schedule, launch.seed);
        }
        begin(to_string(launch));
        RunScene lists(functions_, interface_, launch, driver_);
        faults_.lists = &lists.lists();
        if (device_ != nullptr) {
            device_->forbid(lists.forbidden());
        }
        if (const int error = limited(lists, launch.n, lists.workspace(), lists.workspace_bytes()); error != 0) {
            report_.add("the launch returns " + std::to_string(error) + lists.where_text());
        } else {
            lists.check_results(report_);
        }
        lists.check_memory(report_);
        if (device_ != nullptr && device_->finding_count() != 0) {
            for (const emulation::Finding& finding : device_->findings()) {
                report_.add(to_string(finding) + lists.where_text());
            }
            device_->clear_findings();
        }
    }

    /// Launches of `elements` that must return nonzero and write nothing.
    void run_refused(std::size_t elements) {
        const std::vector<std::pair<std::string, bool>> all = interface_.arguments();
        const auto written = static_cast<std::size_t>(
            std::find_if(all.begin(), all.end(), [](const auto& argument) { return argument.second; }) - all.begin());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string& name = all[i].first;
            refused(elements, "`" + name + "` null", [&](RunScene& lists, void*&, std::size_t&) { lists.arguments()[i] = nullptr; });
            for (std::size_t j = 0; j < i; ++j) {
                if (all[i].second && all[j].second) {
                    refused(elements, "`" + name + "` in the place of `" + all[j].first + "`",
                        [&](RunScene& lists, void*&, std::size_t&) { lists.arguments()[j] = lists.arguments()[i]; });
                }
            }
            if (!all[i].second && written < all.size()) {
                refused(elements, "the output `" + all[written].first + "` in the place of `" + name + "`",
                    [&](RunScene& lists, void*&, std::size_t&) { lists.arguments()[written] = lists.arguments()[i]; });
            }
        }
        if (functions_.workspace_bytes(elements) != 0) {
            refused(elements, "no workspace", [](RunScene&, void*& workspace, std::size_t&) { workspace = nullptr; });
            refused(elements, "a workspace too small", [](RunScene&, void*&, std::size_t& bytes) { --bytes; });
        }
    }
    /// By NAME_launch, and by the function of each program block.
    template <class Alter>
    void refused(std::size_t elements, const std::string& what, const Alter& alter) {
        RunCase launch;
        launch.n = elements;
        refused(launch, what, alter);
        for (std::size_t i = 0; i < interface_.entries.size(); ++i) {
            launch.entries = {i};
            refused(launch, what, alter);
        }
    }
    template <class Alter>
    void refused(const RunCase& launch, const std::string& what, const Alter& alter) {
        const std::size_t elements = launch.n;
        begin(what);
        RunScene lists(functions_, interface_, launch, driver_);
        faults_.lists = &lists.lists();
        void* workspace = lists.workspace();
        std::size_t workspace_bytes = lists.workspace_bytes();
        alter(lists, workspace, workspace_bytes);
        if (limited(lists, elements, workspace, workspace_bytes) == 0) {
            report_.add("a launch with " + what + " returns 0");
        }
        lists.check_untouched(report_);
        lists.check_memory(report_);
    }

    void begin(const std::string& launch) {
        faults_.launch = launch;
        faults_.lists = nullptr;
        ++report_.launches;
    }
    /// What the launch returns. A GPU is not waited for by this process's processor time: the clock limits the child.
    int limited(RunScene& lists, std::size_t elements, void* workspace, std::size_t workspace_bytes) const {
        constexpr double longest_operation = 1e-6; // seconds; emulated and not optimised, one takes about 0.1e-6
        const double work = longest_operation * interface_.operations * static_cast<double>(elements);
        limit_launch(driver_ == nullptr ? options_.step_seconds + work : 0);
        const int error = lists.run(workspace, workspace_bytes);
        limit_launch(0);
        return error;
    }

    const UnitFunctions& functions_;
    const RunInterface& interface_;
    const RunOptions& options_;
    emulation::Device* device_;
    const GpuDriver* driver_;
    FaultScene faults_;
    RunReport report_;
};

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

RunReport run_unit(const UnitFunctions& functions, const RunInterface& interface, const std::vector<RunCase>& cases,
    const RunOptions& options, emulation::Device* device, const GpuDriver* driver) {
    UnitRun run(functions, interface, options, device, driver);
    try {
        return run.run(cases);
    } catch (const GpuFailure& failure) {
        // The process has lost its device: units that follow in this child run in another.
        end_child((failure.text + " (" + run.launch() + ")").c_str());
    }
}

} // namespace fusec::execute
