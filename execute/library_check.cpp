// SPDX-License-Identifier: Apache-2.0
#include "execute/library_check.hpp"

#include "elementary-lib/device_source.hpp"
#include "elementary-lib/emulation/device.hpp"
#include "execute/library_check_source.hpp"
#include "execute/library_check_subjects.hpp"
#include "execute/library_facts.hpp"
#include "execute/loaded_library.hpp"
#include "execute/process.hpp"
#include "execute/reference.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"
#include "support/processors.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <thread>

namespace fusec::execute {

using library::Catalog;
using library::Function;
using library::Implementation;

namespace {

/// Of all its instances, none of which is without end.
constexpr double seconds_per_function = 600;

/// A run sends this before each instance, so that one that ends the process is known.
constexpr char begun_mark = 'b';

/// Everything about the check of one function.
struct Plan {
    const Function* function = nullptr;
    std::vector<Subject> subjects;
    std::vector<CheckInstance> instances;
    std::vector<std::size_t> subject_of; ///< per instance
    std::optional<std::filesystem::path> compiled;
    std::optional<std::filesystem::path> emulated; ///< of the instances whose threads exchange values
    bool any_emulated = false;
    Diagnostics compile_messages;
};

class Checker {
public:
    Checker(const Catalog& catalog, const HostCompiler& compiler, const LibraryCheckOptions& options, Diagnostics& diagnostics)
        : catalog_(catalog), compiler_(compiler), options_(options), diagnostics_(diagnostics) {}

    LibraryCheckResult run() {
        for (std::size_t i = 0; i < catalog_.size(); ++i) {
            const Function& function = catalog_.function(FunctionId(i));
            if (options_.only && !below(function.metadata_path, *options_.only)) {
                continue;
            }
            ++result_.functions;
            if (std::optional<Plan> plan = plan_for(FunctionId(i))) {
                plans_.push_back(*std::move(plan)); // its reference can be evaluated
                const FactCheck facts = check_facts(catalog_, FunctionId(i), options_.seed, diagnostics_);
                result_.facts += facts.facts;
                result_.refuted += facts.refuted;
            }
        }
        compile();
        execute();
        return result_;
    }

private:
    static bool below(const std::filesystem::path& path, const std::filesystem::path& folder) {
        const auto relative = std::filesystem::weakly_canonical(path).lexically_relative(std::filesystem::weakly_canonical(folder));
        return !relative.empty() && *relative.begin() != "..";
    }

    /// Not the template's name: several implementations may share one.
    static std::string label(const Function& function, const Implementation& implementation) {
        return "`" + function.name + "` by `" + implementation.name + "`";
    }

    /// The template of an implementation in its device source.
    static Span span_of(const Function& function, const Implementation& implementation) {
        const std::string_view text = implementation_source(function, implementation);
        const auto begin = static_cast<std::size_t>(text.data() - function.source.data());
        return {std::make_shared<const SourceText>(function.source_path.string(), function.source), begin,
            begin + std::min(text.find('\n'), text.size())};
    }
    void report_reference(const Function& function, const std::string& message) {
        Diagnostics unreadable; // it was read when the catalog was loaded; if it has gone since, the message has no place
        const std::string text = read_file(function.metadata_path, unreadable).value_or("");
        const std::size_t at = std::min(text.find(function.reference_text), text.size());
        diagnostics_.report(kind::library_reference,
            {std::make_shared<const SourceText>(function.metadata_path.string(), text), at, at + function.reference_text.size()}, message);
    }

    std::optional<Plan> plan_for(FunctionId id) {
        const Function& function = catalog_.function(id);
        Plan plan;
        plan.function = &function;
        std::set<std::string> planned;
        for (const library::ShapeValues& shape : checked_shapes(catalog_, id)) {
            for (const Precision precision : {Precision::f32, Precision::f64}) {
                for (const bool packed : {false, true}) {
                    std::string fault;
                    std::optional<Subject> subject = draw_subject(catalog_, id, shape, precision, packed, options_, fault);
                    if (!subject && !fault.empty()) {
                        report_reference(function, fault);
                        return std::nullopt;
                    }
                    if (subject) {
                        plan_subject(function, *std::move(subject), packed, plan, planned);
                    }
                }
            }
        }
        for (const Implementation& implementation : function.implementations) {
            if (!planned.contains(implementation.name)) {
                ++result_.unchecked;
                const std::string name = label(function, implementation) + " ";
                diagnostics_.report(kind::library_unchecked, span_of(function, implementation),
                    implementation.barrier
                        ? name + "synchronises its threads, so it is checked on emulated CUDA by `fusec verify` and not here"
                        : name + "is not checked: no shape up to " + std::to_string(largest_searched_dimension) + " is within its limit");
            }
        }
        result_.implementations += planned.size();
        return plan;
    }

    /// Every implementation that is legal for the subject; of packed values in memory alone, which is how kernels view them all.
    void plan_subject(const Function& function, Subject subject, bool packed, Plan& plan, std::set<std::string>& planned) {
        for (const Implementation& implementation : function.implementations) {
            const std::optional<int> threads = catalog_.threads(subject.instance, implementation);
            const bool several_warps = implementation.exchanges && threads && 32 % *threads != 0; // no kernel uses it
            if (implementation.barrier || !threads || several_warps) {
                continue;
            }
            const Shape& result = subject.instance.result.shape;
            if (result.packed && *threads > 1 && (implementation.exchanges || implementation.output == library::Touch::all)) {
                continue; // no kernel uses it either
            }
            for (const Holding holding : {Holding::memory, Holding::registers, Holding::lanes}) {
                const bool lanes = *threads == 1 && &implementation == &function.implementations.front();
                if (packed ? holding == Holding::memory : holding != Holding::lanes || lanes) {
                    plan.instances.push_back(
                        {&implementation, subject.operands, result, subject.instance.result.precision, *threads, holding});
                    plan.subject_of.push_back(plan.subjects.size());
                    plan.any_emulated = plan.any_emulated || is_emulated(plan.instances.back());
                }
            }
            planned.insert(implementation.name);
        }
        plan.subjects.push_back(std::move(subject));
    }

    /// One shared library per function, two or more compilers at a time.
    void compile() {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < plans_.size(); i = next++) {
                Plan& plan = plans_[i];
                const BuildRequest request{{{plan.function->name + ".cpp", check_unit(*plan.function, plan.instances, false)}},
                    BuildKind::host_checked, {options_.runtime_folder}};
                plan.compiled = build_library(request, compiler_, options_.cache, plan.compile_messages);
                if (plan.compiled && plan.any_emulated) {
                    const BuildRequest emulated{{{plan.function->name + ".cu", check_unit(*plan.function, plan.instances, true)}},
                        BuildKind::emulated, {options_.emulation_folder, options_.runtime_folder}};
                    plan.emulated = build_library(emulated, compiler_, options_.cache, plan.compile_messages);
                }
            }
        };
        std::vector<std::thread> workers;
        for (unsigned i = 1; i < threads_at_once(); ++i) {
            workers.emplace_back(work);
        }
        work();
        for (std::thread& worker : workers) {
            worker.join();
        }
        for (const Plan& plan : plans_) {
            for (const Diagnostic& message : plan.compile_messages.all()) {
                diagnostics_.report(message.kind, message.span, message.message).hint = message.hint;
            }
        }
    }

    /// In a child: for each instance a mark, then its results as the bytes of doubles.
    std::string run_instances(const Plan& plan) const {
        Diagnostics diagnostics;
        const auto loaded = LoadedLibrary::open(*plan.compiled, diagnostics);
        const auto emulated = plan.emulated ? LoadedLibrary::open(*plan.emulated, diagnostics) : std::nullopt;
        emulation::Device device;
        if (emulated) {
            emulated->attach(device);
        }
        for (std::size_t i = 0; loaded && i < plan.instances.size(); ++i) {
            using Check = void (*)(const double* const*, double*, int);
            const bool exchanges = is_emulated(plan.instances[i]);
            internal_check(!exchanges || emulated, "an emulated check without its unit");
            const auto check = reinterpret_cast<Check>((exchanges ? *emulated : *loaded).symbol("check_" + std::to_string(i)));
            internal_check(check != nullptr, "a check is missing in its compiled unit");
            const Subject& subject = plan.subjects[plan.subject_of[i]];
            std::vector<const double*> operands;
            for (const auto& input : subject.inputs) {
                operands.push_back(input.data());
            }
            std::vector<double> result(subject.values.size(), std::nan(""));
            send_from_child({begun_mark});
            limit_step(options_.step_seconds);
            device.set_schedule(emulation::Schedule::shuffled, options_.seed + i);
            const std::size_t before = device.exchanges();
            check(operands.data(), result.data(), static_cast<int>(options_.cases));
            limit_step(0);
            check_indices(plan, i, exchanges ? *emulated : *loaded);
            if (exchanges) {
                check_exchanges(plan, i, device, device.exchanges() - before);
            }
            send_from_child({reinterpret_cast<const char*>(result.data()), result.size() * sizeof(double)});
        }
        return {};
    }

    /// In a child, which ends where the instance has used a component that its operand does not have.
    static void check_indices(const Plan& plan, std::size_t i, const LoadedLibrary& unit) {
        const auto* const fault = static_cast<const int*>(unit.symbol("check_fault"));
        internal_check(fault != nullptr, "a compiled check does not record indices");
        if (fault[0] < 0) {
            return;
        }
        const auto operand = static_cast<std::size_t>(fault[0]);
        const bool of_result = operand == plan.instances[i].operands.size();
        const Shape& shape = of_result ? plan.instances[i].result : plan.instances[i].operands[operand];
        const std::string& name = of_result ? plan.function->output.name : plan.function->inputs[operand].name;
        const std::string column = shape.form == Form::matrix || fault[2] != 0 ? ", " + std::to_string(fault[2]) : "";
        end_child(("does not stay within its operands: it uses `" + name + "(" + std::to_string(fault[1]) + column + ")`, and `" + name +
            "` is " + to_string(shape))
                .c_str());
    }

    /// In a child, which ends where the emulated machine found something, or counts otherwise than the metadata.
    void check_exchanges(const Plan& plan, std::size_t i, const emulation::Device& device, std::size_t exchanged) const {
        if (device.finding_count() != 0) {
            end_child(("does not exchange values soundly: " + to_string(device.findings().front())).c_str());
        }
        const CheckInstance& instance = plan.instances[i];
        const std::size_t threads = options_.cases * static_cast<std::size_t>(instance.threads);
        const int declared = catalog_.exchanges(plan.subjects[plan.subject_of[i]].instance, *instance.implementation);
        if (exchanged != threads * static_cast<std::size_t>(declared)) {
            end_child(("does not exchange as many values as its metadata say: a thread exchanges " + std::to_string(exchanged / threads) +
                ", not " + std::to_string(declared))
                    .c_str());
        }
    }

    void execute() {
        std::vector<std::function<std::string()>> runs;
        std::vector<const Plan*> run_of;
        for (const Plan& plan : plans_) {
            if (plan.compiled && (plan.emulated || !plan.any_emulated)) {
                runs.emplace_back([this, &plan] { return run_instances(plan); });
                run_of.push_back(&plan);
            }
        }
        const std::vector<ChildResult> results = run_children(runs, threads_at_once(), seconds_per_function);
        for (std::size_t i = 0; i < results.size(); ++i) {
            judge(*run_of[i], results[i]);
        }
    }

    static std::size_t result_bytes(const Plan& plan, std::size_t instance) {
        return plan.subjects[plan.subject_of[instance]].values.size() * sizeof(double);
    }

    /// Reports the instance that ended the process, or that could not be run; false when there is one.
    bool ran_to_end(const Plan& plan, const ChildResult& run) {
        std::string text = run.text, fault = run.fault;
        if (fault == "ended") { // what it said comes last
            fault = text.substr(text.rfind("does not "));
            text.resize(text.size() - fault.size());
        }
        std::size_t instance = 0;
        for (std::size_t at = 0; instance < plan.instances.size(); ++instance) {
            at += 1 + result_bytes(plan, instance);
            if (at > text.size()) {
                break;
            }
        }
        if (run.completed && instance == plan.instances.size()) {
            return true;
        }
        const CheckInstance& last = plan.instances[std::min(instance, plan.instances.size() - 1)];
        ++result_.mismatches;
        diagnostics_
            .report(kind::library_mismatch, span_of(*plan.function, *last.implementation),
                label(*plan.function, *last.implementation) + " " +
                    (fault.starts_with("does not") ? fault
                                                   : "does not run to its end: " + (fault.empty() ? "its results are incomplete" : fault)))
            .hint = circumstances(plan, std::min(instance, plan.instances.size() - 1)) + "; what comes after it was not run";
        return false;
    }

    /// `with float, N = 3, operands in registers`
    static std::string circumstances(const Plan& plan, std::size_t instance) {
        std::string shape;
        for (const auto& [name, value] : plan.subjects[plan.subject_of[instance]].instance.shape) {
            shape += ", " + name + " = " + std::to_string(value);
        }
        return "with " + std::string(c_name(plan.instances[instance].precision)) + shape + ", operands in " +
            std::string(name_of(plan.instances[instance].holding));
    }

    void judge(const Plan& plan, const ChildResult& run) {
        if (!ran_to_end(plan, run)) {
            return;
        }
        struct Worst {
            std::size_t instances = 0;
            std::size_t instance = 0;
            Agreement agreement;
            double computed = 0;
        };
        std::map<const Implementation*, Worst> wrong;
        std::size_t at = 0;
        for (std::size_t i = 0; i < plan.instances.size(); ++i) {
            const Subject& subject = plan.subjects[plan.subject_of[i]];
            std::vector<double> computed(subject.values.size());
            std::memcpy(computed.data(), run.text.data() + at + 1, result_bytes(plan, i));
            at += 1 + result_bytes(plan, i);
            const Agreement agreement = compare(computed, subject.values, subject.bounds, plan.instances[i].precision);
            ++result_.instances;
            result_.components += agreement.compared;
            double& ratio = result_.worst_ratio[{plan.function->name, plan.instances[i].precision}];
            ratio = std::max(ratio, agreement.worst_ratio);
            if (agreement.mismatches != 0) {
                ++result_.mismatches;
                Worst& worst = wrong[plan.instances[i].implementation];
                if (worst.instances++ == 0 || agreement.worst_ratio > worst.agreement.worst_ratio) {
                    worst.instance = i;
                    worst.agreement = agreement;
                    worst.computed = computed[agreement.worst];
                }
            }
        }
        // By position in the metadata, not by address.
        for (const Implementation& implementation : plan.function->implementations) {
            if (const auto found = wrong.find(&implementation); found != wrong.end()) {
                const Worst& worst = found->second;
                report_mismatch(plan, implementation, worst.instance, worst.agreement, worst.computed, worst.instances);
            }
        }
    }

    static std::string number(double x) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.9g", x);
        return text.data();
    }

    void report_mismatch(const Plan& plan, const Implementation& implementation, std::size_t which, const Agreement& agreement,
        double computed, std::size_t instances) {
        const CheckInstance& instance = plan.instances[which];
        const Subject& subject = plan.subjects[plan.subject_of[which]];
        const std::size_t component = agreement.worst % static_cast<std::size_t>(instance.result.size());
        const auto columns = static_cast<std::size_t>(instance.result.columns);
        std::string place = plan.function->output.name;
        if (instance.result.packed) {
            place = "word " + std::to_string(component) + " of packed " + place;
        } else if (instance.result.form == Form::matrix) {
            place += "(" + std::to_string(component / columns) + ", " + std::to_string(component % columns) + ")";
        } else if (instance.result.form == Form::vector) {
            place += "(" + std::to_string(component) + ")";
        }
        Diagnostic& report = diagnostics_.report(kind::library_mismatch, span_of(*plan.function, implementation),
            label(*plan.function, implementation) + " computes " + place + " = " + number(computed) + ", but the reference says " +
                number(subject.values[agreement.worst]) + " with an allowed error of " +
                number(allowed_error(subject.bounds[agreement.worst], instance.precision)));
        report.hint = circumstances(plan, which) + "; " + counted(instances, "instance") + (instances == 1 ? " differs" : " differ");
    }

    const Catalog& catalog_;
    const HostCompiler& compiler_;
    const LibraryCheckOptions& options_;
    Diagnostics& diagnostics_;
    LibraryCheckResult result_;
    std::vector<Plan> plans_;
};

} // namespace

LibraryCheckResult check_library(
    const Catalog& catalog, const HostCompiler& compiler, const LibraryCheckOptions& options, Diagnostics& diagnostics) {
    return Checker(catalog, compiler, options, diagnostics).run();
}

} // namespace fusec::execute
