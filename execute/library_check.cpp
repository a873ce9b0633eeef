// SPDX-License-Identifier: Apache-2.0
#include "execute/library_check.hpp"

#include "elementary-lib/device_source.hpp"
#include "execute/domains.hpp"
#include "execute/library_check_source.hpp"
#include "execute/loaded_library.hpp"
#include "execute/process.hpp"
#include "execute/reference.hpp"
#include "support/files.hpp"

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
using library::Instance;

namespace {

constexpr std::size_t most_draws = 16;
constexpr double seconds_per_function = 120;

/// Values of the shape parameters, by position: equal and different, odd, even, divisible by 2, 3 and 4.
constexpr std::array<std::array<int, 3>, 8> shape_values{{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 2, 3}, {2, 5, 4}, {6, 3, 4}, {8, 6, 5}, {12, 12, 12}}};

/// Shapes beyond these are searched for an implementation that none of them allows.
constexpr int largest_searched = 16;

/// The operand types of a function for given shape parameters; nothing where a dimension is out of range.
std::optional<std::vector<Type>> operand_types(const Function& function, const library::ShapeValues& values, Precision precision) {
    std::vector<Type> types;
    for (const library::Parameter& input : function.inputs) {
        const std::int64_t rows = input.form == Form::scalar ? 1 : input.rows.evaluate(values).value_or(0);
        const std::int64_t columns = input.form == Form::matrix ? input.columns.evaluate(values).value_or(0) : 1;
        if (rows < 1 || rows > max_dimension || columns < 1 || columns > max_dimension) {
            return std::nullopt;
        }
        types.push_back({{input.form, static_cast<int>(rows), static_cast<int>(columns)}, precision});
    }
    return types;
}

/// One shape and precision of a function with its cases.
struct Subject {
    Instance instance;
    std::vector<Shape> operands;
    std::vector<std::vector<double>> inputs; ///< per operand, case after case
    std::vector<double> values, bounds;      ///< of the result
};

/// Everything about the check of one function.
struct Plan {
    const Function* function = nullptr;
    std::vector<Subject> subjects;
    std::vector<CheckInstance> instances;
    std::vector<std::size_t> subject_of; ///< per instance
    std::optional<std::filesystem::path> compiled;
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
                plans_.push_back(*std::move(plan));
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

    /// The template of an implementation in its device source.
    static Span span_of(const Function& function, const Implementation& implementation) {
        const std::string_view text = implementation_source(function, implementation);
        const auto begin = static_cast<std::size_t>(text.data() - function.source.data());
        return {std::make_shared<const SourceText>(function.source_path.string(), function.source), begin, begin + text.find('\n')};
    }
    void report_reference(const Function& function, const std::string& message) {
        Diagnostics unreadable; // it was read when the catalog was loaded; if it has gone since, the message has no place
        const std::string text = read_file(function.metadata_path, unreadable).value_or("");
        const std::size_t at = std::min(text.find(function.reference_text), text.size());
        diagnostics_.report(kind::library_reference, {std::make_shared<const SourceText>(function.metadata_path.string(), text), at, at + function.reference_text.size()}, message);
    }

    std::optional<Instance> match(FunctionId id, const library::ShapeValues& values, Precision precision, std::vector<Shape>& operands) const {
        const auto types = operand_types(catalog_.function(id), values, precision);
        if (!types) {
            return std::nullopt;
        }
        auto matched = catalog_.match(id, *types);
        if (!std::holds_alternative<Instance>(matched)) {
            return std::nullopt;
        }
        for (const Type& type : *types) {
            operands.push_back(type.shape);
        }
        return std::get<Instance>(matched);
    }

    /// The standard shapes, and the smallest one for each implementation whose limit excludes all of them.
    std::vector<library::ShapeValues> shapes(FunctionId id) const {
        const Function& function = catalog_.function(id);
        std::set<library::ShapeValues> found;
        for (const auto& values : shape_values) {
            library::ShapeValues shape;
            for (std::size_t i = 0; i < function.shape.size(); ++i) {
                shape[function.shape[i]] = values[i % values.size()];
            }
            if (usable(id, shape, nullptr)) {
                found.insert(shape);
            }
        }
        for (const Implementation& implementation : function.implementations) {
            if (std::none_of(found.begin(), found.end(), [&](const auto& shape) { return usable(id, shape, &implementation); })) {
                search(id, implementation, found);
            }
        }
        return {found.begin(), found.end()};
    }
    bool usable(FunctionId id, const library::ShapeValues& shape, const Implementation* implementation) const {
        std::vector<Shape> operands;
        const auto instance = match(id, shape, Precision::f32, operands);
        return instance && (implementation == nullptr || catalog_.threads(*instance, *implementation));
    }
    void search(FunctionId id, const Implementation& implementation, std::set<library::ShapeValues>& found) const {
        const std::vector<std::string>& names = catalog_.function(id).shape;
        std::vector<int> values(names.size(), 1);
        for (std::size_t digit = 0; digit < values.size();) {
            library::ShapeValues shape;
            for (std::size_t i = 0; i < names.size(); ++i) {
                shape[names[i]] = values[i];
            }
            if (usable(id, shape, &implementation)) {
                found.insert(shape);
                return;
            }
            for (digit = 0; digit < values.size() && ++values[digit] > largest_searched; ++digit) {
                values[digit] = 1;
            }
        }
    }

    std::optional<Plan> plan_for(FunctionId id) {
        const Function& function = catalog_.function(id);
        Plan plan;
        plan.function = &function;
        std::set<std::string> planned;
        for (const library::ShapeValues& shape : shapes(id)) {
            for (const Precision precision : {Precision::f32, Precision::f64}) {
                std::optional<Subject> subject = draw(id, shape, precision);
                if (!subject) {
                    return std::nullopt;
                }
                for (const Implementation& implementation : function.implementations) {
                    const std::optional<int> threads = catalog_.threads(subject->instance, implementation);
                    if (implementation.barrier || !threads) {
                        continue;
                    }
                    for (const Holding holding : {Holding::memory, Holding::registers, Holding::lanes}) {
                        if (holding != Holding::lanes || (*threads == 1 && &implementation == &function.implementations.front())) {
                            plan.instances.push_back({&implementation, subject->operands, subject->instance.result.shape, precision, *threads, holding});
                            plan.subject_of.push_back(plan.subjects.size());
                        }
                    }
                    planned.insert(implementation.name);
                }
                plan.subjects.push_back(*std::move(subject));
            }
        }
        for (const Implementation& implementation : function.implementations) {
            if (!planned.contains(implementation.name)) {
                ++result_.unchecked;
                const std::string name = "`" + template_name(function, implementation) + "` ";
                diagnostics_.report(kind::library_unchecked, span_of(function, implementation), implementation.barrier ? name + "synchronises its threads, so it is checked on emulated CUDA by `fusec verify` and not here" : name + "is not checked: no shape up to " + std::to_string(largest_searched) + " is within its limit");
            }
        }
        result_.implementations += planned.size();
        return plan;
    }

    /// Random cases and their reference; nothing after a reported fault of the reference.
    std::optional<Subject> draw(FunctionId id, const library::ShapeValues& shape, Precision precision) {
        const Function& function = catalog_.function(id);
        Subject subject;
        subject.instance = *match(id, shape, precision, subject.operands);
        subject.inputs.resize(subject.operands.size());
        const auto size = static_cast<std::size_t>(subject.instance.result.shape.size());
        std::size_t redrawn = 0;
        try {
            const InstanceReference reference(catalog_, subject.instance, subject.operands);
            for (std::size_t number = 0; number < options_.cases; ++number) {
                for (std::uint64_t again = 0;; ++again) {
                    std::vector<std::vector<Bounded>> data;
                    std::vector<const Bounded*> pointers;
                    for (std::size_t i = 0; i < subject.operands.size(); ++i) {
                        data.emplace_back();
                        for (const double x : random_value({subject.operands[i], precision}, demands_of(function.inputs[i].domain), options_.seed, i, number, again)) {
                            data.back().push_back({x, 0});
                        }
                    }
                    for (const auto& one : data) {
                        pointers.push_back(one.data());
                    }
                    std::vector<Bounded> result(size);
                    reference.evaluate(pointers, result.data());
                    std::vector<double> values;
                    std::vector<double> bounds;
                    for (const Bounded component : result) {
                        values.push_back(component.value);
                        bounds.push_back(component.bound);
                    }
                    if (again < most_draws && is_ill_conditioned(values, bounds, precision)) {
                        ++redrawn;
                        continue;
                    }
                    for (std::size_t i = 0; i < data.size(); ++i) {
                        for (const Bounded x : data[i]) {
                            subject.inputs[i].push_back(x.value);
                        }
                    }
                    subject.values.insert(subject.values.end(), values.begin(), values.end());
                    subject.bounds.insert(subject.bounds.end(), bounds.begin(), bounds.end());
                    break;
                }
            }
        } catch (const std::invalid_argument& error) {
            report_reference(function, error.what());
            return std::nullopt;
        } catch (const std::out_of_range& error) {
            report_reference(function, error.what());
            return std::nullopt;
        }
        // At most 5 %, and one however few the cases are.
        if (redrawn > std::max<std::size_t>(1, options_.cases / 20)) {
            report_reference(function, std::to_string(redrawn) + " draws for " + std::to_string(options_.cases) + " cases of `" + function.name + "` were ill conditioned: the operands' domains do not keep it away from poles and cancellation");
            return std::nullopt;
        }
        return subject;
    }

    /// One shared library per function, two or more compilers at a time.
    void compile() {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < plans_.size(); i = next++) {
                Plan& plan = plans_[i];
                const BuildRequest request{{{plan.function->name + ".cpp", check_unit(*plan.function, plan.instances)}}, BuildKind::host_checked, {options_.runtime_folder}};
                plan.compiled = build_library(request, compiler_, options_.cache, plan.compile_messages);
            }
        };
        std::vector<std::thread> workers;
        for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
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

    /// In a child: the results of all instances, as the bytes of doubles.
    std::string run_instances(const Plan& plan) const {
        Diagnostics diagnostics;
        const auto loaded = LoadedLibrary::open(*plan.compiled, diagnostics);
        std::string bytes;
        for (std::size_t i = 0; loaded && i < plan.instances.size(); ++i) {
            using Check = void (*)(const double* const*, double*, int);
            const auto check = reinterpret_cast<Check>(loaded->symbol("check_" + std::to_string(i)));
            internal_check(check != nullptr, "a check is missing in its compiled unit");
            const Subject& subject = plan.subjects[plan.subject_of[i]];
            std::vector<const double*> operands;
            for (const auto& input : subject.inputs) {
                operands.push_back(input.data());
            }
            std::vector<double> result(subject.values.size(), std::nan(""));
            check(operands.data(), result.data(), static_cast<int>(options_.cases));
            bytes.append(reinterpret_cast<const char*>(result.data()), result.size() * sizeof(double));
        }
        return bytes;
    }

    void execute() {
        std::vector<std::function<std::string()>> runs;
        std::vector<const Plan*> run_of;
        for (const Plan& plan : plans_) {
            if (plan.compiled) {
                runs.emplace_back([this, &plan] { return run_instances(plan); });
                run_of.push_back(&plan);
            }
        }
        const std::vector<ChildResult> results = run_children(runs, std::max(1U, std::thread::hardware_concurrency()), seconds_per_function);
        for (std::size_t i = 0; i < results.size(); ++i) {
            judge(*run_of[i], results[i]);
        }
    }

    void judge(const Plan& plan, const ChildResult& run) {
        std::size_t expected = 0;
        for (const std::size_t subject : plan.subject_of) {
            expected += plan.subjects[subject].values.size() * sizeof(double);
        }
        if (!run.completed || run.text.size() != expected) {
            ++result_.mismatches;
            diagnostics_.report(kind::library_mismatch, span_of(*plan.function, plan.function->implementations.front()), "the implementations of `" + plan.function->name + "` do not run to their end: " + (run.fault.empty() ? "their results are incomplete" : run.fault));
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
            std::memcpy(computed.data(), run.text.data() + at, computed.size() * sizeof(double));
            at += computed.size() * sizeof(double);
            const Agreement agreement = compare(computed, subject.values, subject.bounds, plan.instances[i].precision);
            ++result_.instances;
            result_.components += agreement.compared;
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

    void report_mismatch(const Plan& plan, const Implementation& implementation, std::size_t which, const Agreement& agreement, double computed, std::size_t instances) {
        const CheckInstance& instance = plan.instances[which];
        const Subject& subject = plan.subjects[plan.subject_of[which]];
        const std::size_t component = agreement.worst % static_cast<std::size_t>(instance.result.size());
        const auto columns = static_cast<std::size_t>(instance.result.columns);
        std::string place = plan.function->output.name;
        if (instance.result.form == Form::matrix) {
            place += "(" + std::to_string(component / columns) + ", " + std::to_string(component % columns) + ")";
        } else if (instance.result.form == Form::vector) {
            place += "(" + std::to_string(component) + ")";
        }
        std::string shape;
        for (const auto& [name, value] : subject.instance.shape) {
            shape += ", " + name + " = " + std::to_string(value);
        }
        Diagnostic& report = diagnostics_.report(kind::library_mismatch, span_of(*plan.function, implementation), "`" + template_name(*plan.function, implementation) + "` computes " + place + " = " + number(computed) + ", but the reference says " + number(subject.values[agreement.worst]) + " with an allowed error of " + number(allowed_error(subject.bounds[agreement.worst], instance.precision)));
        report.hint = "with " + std::string(c_name(instance.precision)) + shape + ", operands in " + std::string(name_of(instance.holding)) + "; " + std::to_string(instances) + (instances == 1 ? " instance differs" : " instances differ");
    }

    static Demands demands_of(library::Domain domain) {
        Demands demands;
        demands.positive = domain == library::Domain::positive;
        demands.nonzero = domain == library::Domain::nonzero;
        demands.invertible = domain == library::Domain::invertible;
        demands.spd = domain == library::Domain::spd;
        return demands;
    }

    const Catalog& catalog_;
    const HostCompiler& compiler_;
    const LibraryCheckOptions& options_;
    Diagnostics& diagnostics_;
    LibraryCheckResult result_;
    std::vector<Plan> plans_;
};

} // namespace

LibraryCheckResult check_library(const Catalog& catalog, const HostCompiler& compiler, const LibraryCheckOptions& options, Diagnostics& diagnostics) {
    return Checker(catalog, compiler, options, diagnostics).run();
}

} // namespace fusec::execute
