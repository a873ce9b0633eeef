// SPDX-License-Identifier: Apache-2.0
#include "execute/run_scene.hpp"

#include "support/counted.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace fusec::execute {

namespace {

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

std::string number(double value) {
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
std::string component_text(const RunList& list, std::size_t k) {
    const auto columns = static_cast<std::size_t>(list.type.shape.columns), size = static_cast<std::size_t>(list.type.shape.size());
    if (list.type.shape.packed) {
        return "word " + std::to_string(k % size) + " of element " + std::to_string(k / size);
    }
    return "component (" + std::to_string(k % size / columns) + ", " + std::to_string(k % size % columns) + ") of element " +
        std::to_string(k / size);
}

} // namespace

RunScene::RunScene(const UnitFunctions& functions, const RunInterface& interface, const RunCase& launch, const GpuDriver* driver)
    : functions_(functions), interface_(interface), launch_(launch), driver_(driver) {
    for (const RunList& list : interface.inputs) {
        place(list, true);
    }
    for (const RunList& list : interface.outputs) {
        list_of_output_.push_back(list.updates.value_or(lists_.size()));
        if (!list.updates) {
            place(list, false);
        }
    }
    workspace_bytes_ = functions.workspace_bytes(computed());
    // Exactly the promised size, at its end: pages are multiples of 256, so this is aligned to it when the size is.
    workspace_ = std::make_unique<GuardedList>(
        "workspace", (workspace_bytes_ + workspace_alignment - 1) / workspace_alignment * workspace_alignment, launch.placement, 0);
    poison(workspace_->data(), workspace_->bytes());
}

std::vector<emulation::Forbidden> RunScene::forbidden() const {
    if (!interface_.slots || execute::workspace_bytes(*interface_.slots, computed()) + word_bytes() != workspace_bytes_) {
        return {};
    }
    const unsigned char* const data = workspace_->data();
    std::vector<emulation::Forbidden> ranges = paddings(data, *interface_.slots, computed(), word_bytes());
    if (!interface_.checks.empty()) {
        ranges.insert(ranges.begin(), {data + sizeof(std::uint64_t), data + word_bytes(), "behind the word of the first failure"});
    }
    return ranges;
}

int RunScene::run(void* workspace, std::size_t workspace_bytes) {
    return driver_ != nullptr ? run_on_gpu(workspace, workspace_bytes) : launch(arguments_, workspace, workspace_bytes);
}
int RunScene::start(const std::vector<void*>& arguments, void* workspace, std::size_t workspace_bytes) const {
    for (std::size_t i = 0; i < launch_.entries.size(); ++i) {
        const UnitFunctions::Entry& entry = functions_.entries.at(launch_.entries[i]);
        const int error = launch_.ranged
            ? entry.launch_range(arguments.data(), launch_.first, launch_.count, workspace, workspace_bytes, nullptr)
            : entry.launch(arguments.data(), launch_.n, workspace, workspace_bytes, nullptr);
        if (error != 0 || i + 1 == launch_.entries.size()) {
            return error;
        }
    }
    return launch_.ranged ? functions_.launch_range(arguments.data(), launch_.first, launch_.count, workspace, workspace_bytes, nullptr)
                          : functions_.launch(arguments.data(), launch_.n, workspace, workspace_bytes, nullptr);
}

int RunScene::launch(const std::vector<void*>& arguments, void* workspace, std::size_t workspace_bytes) {
    const int error = start(arguments, workspace, workspace_bytes);
    if (error == 0 && !interface_.checks.empty()) { // while the workspace is where the launch had it
        const char* message = nullptr;
        FirstFailure& failure = failure_.emplace();
        failure.error = functions_.first_failure(workspace, nullptr, &failure.element, &message);
        if (failure.error == 0 && message != nullptr) {
            failure.message = message;
        }
    }
    return error;
}

void RunScene::check_failure(RunReport& report) const {
    const std::size_t first = launch_.ranged ? launch_.first : 0;
    std::optional<std::string> expected;
    std::size_t element = 0;
    for (; element < computed() && !expected; ++element) {
        for (const RunCheck& check : interface_.checks) {
            if (check.flags[first + element] != 0) {
                expected = check.text;
                break;
            }
        }
    }
    element -= expected ? std::size_t{1} : 0;
    const auto said = [](const std::optional<std::string>& message, std::size_t at) {
        return message ? "`" + *message + "` in element " + std::to_string(at) : std::string("none");
    };
    if (!failure_ || failure_->error != 0) {
        report.add("the first failure cannot be read: error " + std::to_string(failure_ ? failure_->error : 0) + where_text());
    } else if (failure_->message != expected || (expected && failure_->element != element)) {
        report.add("the first failure is " + said(failure_->message, failure_->element) + ", that of the reference " +
            said(expected, element) + where_text());
    }
}

void RunScene::check_memory(RunReport& report) const {
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
        if (!interface_.is_updated(i)) {
            check_unchanged(i, report);
        }
    }
}

/// That the input holds what it was given.
void RunScene::check_unchanged(std::size_t index, RunReport& report) const {
    const RunList& input = interface_.inputs[index];
    for (std::size_t k = 0; k < lists_[index]->bytes() / static_cast<std::size_t>(bytes_of(input.type.precision)); ++k) {
        if (!is_given(index, k)) {
            report.add("input `" + input.name + "` is changed in " + component_text(input, k) + where_text());
            break;
        }
    }
}

bool RunScene::is_given(std::size_t index, std::size_t k) const {
    const RunList& input = interface_.inputs[index];
    const auto component = static_cast<std::size_t>(bytes_of(input.type.precision));
    unsigned char expected[8];
    store_component(expected, input.values[k], input.type.precision);
    return std::memcmp(expected, lists_[index]->data() + k * component, component) == 0;
}

void RunScene::check_untouched(RunReport& report) const {
    for (std::size_t i = 0; i < interface_.inputs.size(); ++i) {
        if (interface_.is_updated(i)) {
            check_unchanged(i, report);
        }
    }
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

bool RunScene::check_component(const RunList& output, const GuardedList& list, std::size_t k, bool inside, RunReport& report) const {
    const auto component = static_cast<std::size_t>(bytes_of(output.type.precision));
    const auto refuse = [&](const std::string& what) {
        report.add(component_text(output, k) + " of `" + output.name + "` " + what + where_text());
        return false;
    };
    if (!inside && output.updates) {
        return is_given(*output.updates, k) || refuse("is written, outside of the range");
    }
    if (!inside) {
        for (std::size_t byte = 0; byte < component; ++byte) {
            if (!list.untouched(k * component + byte)) {
                return refuse("is written, outside of the range");
            }
        }
        return true;
    }
    const double computed = load_component(list.data() + k * component, output.type.precision);
    const double allowed = allowed_error(output.bounds[k], output.type.precision);
    const double error = std::abs(computed - output.values[k]);
    ++report.components;
    if (list.untouched(k * component) && list.untouched(k * component + 1) && std::isnan(computed)) {
        return refuse("is not written");
    }
    if (output.bounds[k] == not_compared) {
        return true;
    }
    if (!std::isfinite(output.values[k]) || !std::isfinite(allowed)) {
        return refuse("proves nothing: the reference is " + number(output.values[k]) + " within " + number(allowed) +
            ", the input is ill conditioned");
    }
    if (!(error <= allowed)) {
        return refuse("is " + number(computed) + ", the reference " + number(output.values[k]) + " within " + number(allowed));
    }
    report.worst_ratio = std::max(report.worst_ratio, error / allowed);
    return true;
}

void RunScene::check_results(RunReport& report) const {
    if (!interface_.checks.empty()) {
        check_failure(report);
    }
    const std::size_t first = launch_.ranged ? launch_.first : 0, last = launch_.ranged ? launch_.first + launch_.count : launch_.n;
    for (std::size_t i = 0; i < interface_.outputs.size(); ++i) {
        const RunList& output = interface_.outputs[i];
        const auto size = static_cast<std::size_t>(output.type.shape.size());
        bool good = true;
        for (std::size_t k = 0; k < launch_.n * size && good; ++k) {
            good = check_component(output, *lists_[list_of_output_[i]], k, k / size >= first && k / size < last, report);
        }
    }
}

void RunScene::check_workspace(RunReport& report) const {
    if (!interface_.slots) {
        return;
    }
    const std::size_t needed = execute::workspace_bytes(*interface_.slots, computed()) + word_bytes();
    if (needed != workspace_bytes_) {
        report.add("the workspace of " + counted(computed(), "element") + " is said to have " + counted(workspace_bytes_, "byte") +
            "; its slots have " + std::to_string(needed) + where_text());
    } else if (!interface_.checks.empty() && altered_poison(workspace_->data(), sizeof(std::uint64_t), word_bytes())) {
        report.add("memory behind the word of the first failure is overwritten" + where_text());
    } else if (const auto where = altered_padding(workspace_->data(), *interface_.slots, computed(), word_bytes())) {
        report.add("memory " + *where + ", is overwritten" + where_text());
    }
}

void RunScene::place(const RunList& list, bool input) {
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
int RunScene::run_on_gpu(void* workspace, std::size_t workspace_bytes) {
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

} // namespace fusec::execute
