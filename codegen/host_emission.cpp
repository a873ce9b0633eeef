// SPDX-License-Identifier: Apache-2.0
#include "codegen/host_emission.hpp"

#include "codegen/interface_emission.hpp"
#include "codegen/literals.hpp"
#include "codegen/names.hpp"
#include "codegen/repeated.hpp"
#include "codegen/source_file.hpp"

#include <algorithm>
#include <set>
#include <type_traits>

namespace fusec::codegen {

using fusion::Staging;

namespace {

const InterfaceText host_interface = {"0", "1", "host memory", "ignored",
    "g++ 12 or clang 19, or later, as C++20; -fopenmp for all cores, -march for the vector width", "", 64,
    "fusec::reset_host_failure(workspace)", "fusec::read_host_failure(&failure, workspace)", ""};

/// Of what lies in memory: of a packed matrix, a list of words.
std::string dimensions(const Type& type) {
    if (type.shape.packed) {
        return number(type.shape.size()) + ", 1";
    }
    return number(type.shape.rows) + ", " + number(type.shape.columns);
}

/// A kernel is a function of n and its lists; its steps are the body of a lambda over tiles.
class HostKernelText {
public:
    /// `repeated`: the variable that says how often calls are repeated; empty: once. `chained`: the one that says whether each waits.
    HostKernelText(
        Writer& writer, const Kernel& kernel, const std::string& name, const Routines& routines, std::string repeated, std::string chained)
        : writer_(writer),
          kernel_(kernel),
          name_(name),
          routines_(routines),
          widest_(kernel.widest_precision()),
          repeated_(std::move(repeated)),
          chained_(std::move(chained)) {
        internal_check(
            kernel.threads == 1 && kernel.tiles.empty() && kernel.shared_bytes == 0, "a kernel with thread blocks has no host text");
        for (const List& list : kernel.lists) {
            names_.make(list.name);
        }
        for (const Value& value : kernel.values) {
            names_.make(value.name);
        }
        for (const Table& table : kernel.tables) {
            names_.make(table.name);
        }
        failure_ = kernel.reports() ? names_.make("failure") : "";
        n_ = names_.make("n");
        tile_ = names_.make("tile");
        repetition_ = repeated_.empty() ? "" : names_.make("repetition");
        repetitions_ = repeated_.empty() ? "" : names_.make("repetitions");
        waits_ = repeated_.empty() ? "" : names_.make("waits");
    }

    void write() {
        std::string head = "int " + name_ + "(size_t " + n_;
        for (const List& list : kernel_.lists) {
            if (!is_parameter(list)) {
                continue;
            }
            head += std::string(", ") + (list.written ? "" : "const ") + list.c_type() + "* " + list.name;
        }
        head += failure_.empty() ? "" : ", unsigned long long* " + failure_;
        const auto block = writer_.block(head + ")");
        if (!repeated_.empty()) {
            writer_.line("const int " + repetitions_ + " = ::" + repeated_ + ";");
            writer_.line("[[maybe_unused]] const int " + waits_ + " = ::" + chained_ + ";");
        }
        const bool derives = std::ranges::any_of(kernel_.steps, [](const Step& step) { return std::holds_alternative<Derive>(step); });
        if (derives) {
            write_tables();
        }
        for (const Step& step : kernel_.steps) {
            if (const auto* derive = std::get_if<Derive>(&step)) {
                write_call(*derive);
            }
        }
        const std::string loop = kernel_.results_wait ? "for_tiles_later"
            : kernel_.results_in_lines                ? "for_tiles_in_lines"
            : kernel_.light_tiles                     ? "for_light_tiles"
                                                      : "for_tiles";
        const auto tiles = writer_.block("return fusec::" + loop + "<" + c_name(widest_) + ", " + number(loaded_bytes()) +
                (results_wait() ? streamed_bytes() : "") + ">(" + n_ + ", " + streaming_condition() + ", [=](auto " + tile_ + ")" +
                (kernel_.inlined ? " __attribute__((always_inline))" : ""),
            ");");
        if (!derives) {
            write_tables();
        }
        const std::size_t sending = results_wait() ? step_behind_loads() : kernel_.steps.size();
        for (std::size_t i = 0; i < kernel_.steps.size(); ++i) {
            if (i == sending) {
                writer_.line("fusec::send_results(" + tile_ + ");");
            }
            std::visit([this](const auto& s) { write_step(s); }, kernel_.steps[i]);
        }
    }

private:
    /// Whether what is written past the caches is sent behind the loads of a later tile.
    bool results_wait() const { return kernel_.results_wait || kernel_.results_in_lines; }
    /// Of an element: what is asked for ahead of its use.
    int loaded_bytes() const {
        int bytes = 0;
        for (const Step& step : kernel_.steps) {
            if (is_load(step)) {
                bytes += kernel_.lists.at(std::get<LoadValue>(step).list).list_type().bytes();
            }
        }
        return bytes;
    }
    bool is_load(const Step& step) const {
        const auto* const load = std::get_if<LoadValue>(&step);
        return load != nullptr && !kernel_.lists.at(load->list).uniform;
    }
    /// ", 72, 24": of an element, to each list that is written past the caches, in the order of the stores.
    std::string streamed_bytes() const {
        std::string bytes;
        for (const Step& step : kernel_.steps) {
            if (streams(step)) {
                bytes += ", " + number(kernel_.lists.at(std::get<StoreValue>(step).list).list_type().bytes());
            }
        }
        return bytes;
    }
    /// The step before which the results of the tile before are sent: behind the last load before the first result of this tile, which takes
    /// their place.
    std::size_t step_behind_loads() const {
        auto behind = std::ranges::find_if(kernel_.steps, streams);
        while (behind != kernel_.steps.begin() && !is_load(*(behind - 1))) {
            --behind;
        }
        return static_cast<std::size_t>(behind - kernel_.steps.begin());
    }
    void write_tables() {
        for (const Table& table : kernel_.tables) {
            if (table.read && table.type.shape.form != Form::scalar) {
                writer_.line("[[maybe_unused]] static constexpr " + std::string(c_name(table.type.precision)) + " " + table.name + "[" +
                    number(table.type.shape.size()) + "] = " + braced_literals(table.values, table.type.precision) + ";");
            }
        }
    }

    /// Floats beside doubles: half of a register has as many of them as a tile has elements.
    bool is_half(const Type& type) const { return type.precision != widest_; }
    std::string lanes(const Type& type) const {
        return is_half(type) ? "fusec::half_lanes" : "fusec::lanes_of<" + std::string(c_name(type.precision)) + ">";
    }
    /// `load_tile` as what moves such a value is called: `load_half_tile`.
    std::string tile_function(const std::string& verb, const Type& type) const { return verb + (is_half(type) ? "_half_tile" : "_tile"); }
    std::string broadcast(const Type& type, const std::string& name) const {
        return std::string("fusec::broadcast") + (is_half(type) ? "_half<" : "<") + dimensions(type) + ">(" + name + ")";
    }

    /// Streaming stores need every list they write aligned; else all are ordinary stores.
    std::string streaming_condition() const {
        std::string condition;
        for (const Step& step : kernel_.steps) {
            if (streams(step)) {
                condition += (condition.empty() ? "" : " && ") +
                    ("fusec::can_stream(" + kernel_.lists.at(std::get<StoreValue>(step).list).name + ")");
            }
        }
        return condition.empty() ? "false" : condition;
    }

    /// The tile as it asks for lines of the list.
    std::string asking_tile(const List& list) const {
        return list.in_bursts ? "fusec::in_bursts(" + tile_ + ", " + list.name + ")"
            : list.followed   ? "fusec::followed(" + tile_ + ")"
                              : tile_;
    }
    void write_step(const LoadValue& step) {
        const List& list = kernel_.lists.at(step.list);
        const Value& value = kernel_.values.at(step.value);
        internal_check(value.touch == library::Touch::all && (list.uniform || step.staging == Staging::lanes),
            "the host loads whole elements into lanes");
        const std::string loaded = list.uniform ? broadcast(value.type, list.name)
                                                : "fusec::" + tile_function(list.storage ? "load_converted" : "load", value.type) + "<" +
                dimensions(value.type) + ">(" + asking_tile(list) + ", " + list.name + ")";
        writer_.line((repeated_.empty() ? "const auto " : "auto ") + value.name + " = " + loaded + ";");
    }
    void write_step(const Compute& step) {
        internal_check(step.threads == 1 && !step.synchronises && step.result.place.kind == Place::Kind::value,
            "the host computes an element in one thread, in registers");
        write_call(step, !repeated_.empty());
    }
    void write_step(const Derive&) {} // stands before the loop over tiles
    /// `repeated`: in a loop, each pass from operands that the compiler must take for others, in registers where they fit.
    template <class Call>
    void write_call(const Call& step, bool repeated = false) {
        const Value& result = kernel_.values.at(step.result.place.index);
        writer_.line("fusec::registers<" + lanes(result.type) + ", " + dimensions(result.type) + "> " + result.name +
            (repeated ? "{};" : ";")); // the first repetition reads it
        std::string arguments = routines_.at(step.routine).takes_lane ? "fusec::lane<1>{0}, " : "";
        for (const Operand& operand : step.operands) {
            arguments += operand.unread ? "" : operand_text(operand.place) + ", ";
        }
        std::string made = result.name;
        if (result.type.shape.packed) {
            made = names_.make(result.name + "_view");
            writer_.line("auto " + made + " = " + symmetric(result.type, result.name + ".data") + ";");
        }
        const std::string call = "fusec::" + step.routine + "(" + arguments + made + ");";
        if (!repeated) {
            return writer_.line(call);
        }
        if constexpr (std::is_same_v<Call, Compute>) {
            if (const Value* const operand = chained_operand(kernel_, step)) { // two loops: neither takes the time of asking which
                {
                    const auto waiting = writer_.block("if (" + waits_ + " != 0)");
                    write_repetitions(step, result, call, operand);
                }
                const auto alone = writer_.block("if (" + waits_ + " == 0)");
                return write_repetitions(step, result, call, nullptr);
            }
        }
        write_repetitions(step, result, call, nullptr);
    }
    /// `waiting`: the operand through which a repetition waits for the one before; null: none does.
    template <class Call>
    void write_repetitions(const Call& step, const Value& result, const std::string& call, const Value* waiting) {
        const auto passes =
            writer_.block("for (int " + repetition_ + " = 0; " + repetition_ + " < " + repetitions_ + "; ++" + repetition_ + ")");
        std::set<std::string> read; // x * x reads one value
        std::vector<const Value*> values{&result};
        for (const Operand& operand : step.operands) {
            if (!operand.unread && operand.place.kind == Place::Kind::value) {
                const Value& value = kernel_.values.at(operand.place.index);
                if (read.insert(value.name).second) {
                    values.push_back(&value);
                }
            }
        }
        if (waiting != nullptr) {
            writer_.line("fusec::wait_lanes(" + waiting->name + ", " + result.name + ", " + waits_ + " >> 1);");
        }
        const std::vector<std::string> changed = changed_values(values);
        for (std::size_t i = 1; i < changed.size(); ++i) {
            writer_.line(changed[i]);
        }
        writer_.line("fusec::opaque_lists();");
        writer_.line(call);
        writer_.line(changed.front());
    }
    /// What makes a compiler take each of the values for changed. The small ones get the registers first, as in a kernel of many calls, where
    /// matrices lie in memory and what is made of them does not; of equal ones the first.
    static std::vector<std::string> changed_values(const std::vector<const Value*>& values) {
        std::vector<std::string> statements;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const int own = values[i]->type.shape.size();
            int words = own; // of itself and of what gets registers before it
            for (std::size_t k = 0; k < values.size(); ++k) {
                const int other = values[k]->type.shape.size();
                words += k != i && (other < own || (other == own && k < i)) ? other : 0;
            }
            statements.push_back("fusec::opaque_lanes<" + number(words) + ">(" + values[i]->name + ");");
        }
        return statements;
    }
    void write_step(const Report& step) {
        const Value& value = kernel_.values.at(step.value);
        writer_.line("fusec::" + tile_function("report", value.type) + "(" + tile_ + ", " + failure_ + ", " + value.name + ", " +
            number(static_cast<int>(step.check)) + ");");
    }
    void write_step(const StoreValue& step) {
        const Value& value = kernel_.values.at(step.value);
        internal_check(value.touch == library::Touch::all && (step.staging == Staging::lanes || step.staging == Staging::lanes_streaming),
            "the host stores whole elements from lanes");
        const List& list = kernel_.lists.at(step.list);
        const bool streaming = step.staging == Staging::lanes_streaming;
        // What waits for the next tile is stored where it waits; what waits for whole lines goes past the caches at once where a tile has these.
        const std::string verb = streaming && !kernel_.results_wait ? "stream" : "store";
        std::string tile = tile_, memory = list.name;
        if (streaming && results_wait()) {
            tile = names_.make(list.name + "_tile");
            memory = names_.make(list.name + "_later");
            writer_.line("const auto [" + tile + ", " + memory + "] = fusec::later<" + number(waiting_++) + ", " +
                number(list.type.shape.size()) + ">(" + tile_ + ", " + list.name + ");");
        }
        writer_.line("fusec::" + tile_function(verb + (list.storage ? "_converted" : ""), value.type) + "(" + tile + ", " + memory + ", " +
            value.name + ");");
    }
    template <class Other>
    void write_step(const Other&) {
        throw InternalError("a host kernel has neither shared memory nor barriers");
    }

    /// A view of packed words, in lanes or the same in all of them.
    std::string symmetric(const Type& type, const std::string& words) const {
        return "fusec::symmetric<" + lanes(type) + ", " + number(type.shape.rows) + ">(" + words + ")";
    }

    std::string operand_text(const Place& place) const {
        switch (place.kind) {
        case Place::Kind::value: {
            const Value& value = kernel_.values.at(place.index);
            return value.type.shape.packed ? symmetric(value.type, value.name + ".data") : value.name;
        }
        case Place::Kind::list: {
            const List& list = kernel_.lists.at(place.index);
            internal_check(list.uniform, "the host reads only uniforms in place");
            if (list.type.shape.packed) {
                return symmetric(list.type, list.name);
            }
            return broadcast(list.type, list.name);
        }
        case Place::Kind::table: {
            const Table& table = kernel_.tables.at(place.index);
            if (table.type.shape.form == Form::scalar) {
                return "fusec::registers<" + lanes(table.type) + ", 1, 1>{{" + literal(table.values.at(0), table.type.precision) + "}}";
            }
            return broadcast(table.type, table.name);
        }
        case Place::Kind::tile:
            break;
        }
        throw InternalError("a host kernel has no shared memory");
    }

    Writer& writer_;
    const Kernel& kernel_;
    const std::string& name_;
    const Routines& routines_;
    Precision widest_;
    Names names_;
    std::string repeated_; ///< the variable of how many passes loops over calls have; empty: no loops
    std::string chained_;  ///< C variable of whether each pass waits for the one before
    int waiting_ = 0;      ///< results so far that are sent behind the loads of the next tile
    std::string n_, tile_, repetition_, repetitions_, waits_, failure_; ///< the last four empty where nothing is repeated or reported
};

std::string launch_call(const Unit& unit, std::size_t index, const std::vector<std::string>& pointers) {
    std::string call = kernel_names(unit)[index] + "(count";
    for (const std::string& pointer : pointers) {
        call += ", " + pointer;
    }
    return call + ")";
}

/// Routines that call fusec::sqrt on lanes need the overload for lanes too: the chunk `simd_sqrt`.
Embedded embed_with_lanes(const std::string& text, const Routines& routines) {
    std::string wanted;
    for (const auto& [name, routine] : routines) {
        for (const std::string& used : runtime_names(routine.text)) {
            wanted += " fusec::simd_" + used;
        }
    }
    return embed(text + wanted, routines, fusion::Target::host);
}

} // namespace

Emitted emit_host(
    const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int repeated) {
    const Routines routines = routines_of(unit, graph, catalog);
    const std::string repetitions = repeated > 0 ? repetitions_name(unit.name) : "", chained = repeated > 0 ? chained_name(unit.name) : "";
    const std::string kernels = kernels_text(unit, graph, catalog, [&](Writer& writer, const Kernel& kernel, const std::string& name) {
        HostKernelText(writer, kernel, name, routines, repetitions, chained).write();
    });
    Writer interface;
    write_interface(interface, unit, host_interface, options.entries, false,
        [&](std::size_t index, const std::vector<std::string>& pointers) { return launch_call(unit, index, pointers); });
    const Embedded embedded = embed_with_lanes(kernels + interface.text(), routines);
    std::vector<std::string> preamble = {
        "#include <cstddef>",
        "#include <cstdint>",
        "#include <math.h>",
        "#include <string.h>",
        "#include <type_traits>",
        "#include <utility>",
        "",
        "#ifdef __x86_64__",
        "#include <immintrin.h>",
        "#endif",
    };
    if (repeated > 0) {
        preamble.insert(
            preamble.end(), {"", "extern \"C\" {", "int " + repetitions + " = " + number(repeated) + ", " + chained + " = 0;", "}"});
    }
    if (options.embed_runtime && join_chunks(embedded.chunks).find("std::sort") != std::string::npos) { // as the headers do
        preamble.insert(preamble.begin(), "#include <algorithm>");
    }
    return {source_file(unit, options, embedded, preamble, kernels, interface.text()), interface_header(unit, options, host_interface)};
}

} // namespace fusec::codegen
