// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernel_emission.hpp"

#include "codegen/kernel_names.hpp"
#include "codegen/literals.hpp"
#include "codegen/spelling.hpp"
#include "codegen/thread_groups.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <type_traits>

namespace fusec::codegen {

using fusion::Staging;
using library::Touch;

namespace {

class KernelText {
public:
    KernelText(
        Writer& writer, const Kernel& kernel, const std::string& name, const Routines& routines, const Dialect& dialect, int repeated)
        : writer_(writer),
          kernel_(kernel),
          name_(name),
          routines_(routines),
          dialect_(dialect),
          repeated_(repeated),
          names_(kernel, repeated > 0),
          groups_(thread_groups(kernel)),
          spelling_(choose_spelling(kernel, routines, [this](const std::string& word) { return names_.may_have(word); })) {
        internal_check(!kernel.simd, "a kernel of SIMD lanes has no CUDA text");
    }

    void write() {
        if (!names_.vectors.empty()) {
            std::string types;
            for (const auto& [precision, name] : names_.vectors) {
                types += (types.empty() ? "class " : ", class ") + name;
            }
            writer_.line("template <" + types + ">");
        }
        std::string head = std::string(dialect_.kernel) + " void " + std::string(dialect_.launch_bounds) + "(" + number(kernel_.threads) +
            (kernel_.resident_blocks > 0 ? ", " + number(kernel_.resident_blocks) : "") + ") " + name_ + "(";
        for (const List& list : kernel_.lists) {
            if (!is_parameter(list)) {
                continue;
            }
            head += (list.written ? "" : "const ") + std::string(list.c_type()) + "* " + std::string(dialect_.restrict_pointer) + " " +
                list.name + ", ";
        }
        head += names_.failure.empty() ? "" : "unsigned long long* " + names_.failure + ", ";
        head += names_.repetitions.empty() ? "" : "int " + names_.repetitions + ", ";
        const std::string index = c_name(kernel_.first);
        const bool one = names_.one_element();
        const auto block = writer_.block(head + index + " " + names_.first + ", " + index + (one ? "" : " " + names_.n) + ")");
        const std::string elements = number(kernel_.tile_elements);
        for (const Table& table : kernel_.tables) {
            if (table.read && table.type.shape.form != Form::scalar) {
                writer_.line("static constexpr " + std::string(c_name(table.type.precision)) + " " + table.name + "[" +
                    number(table.type.shape.size()) + "] = " + braced_literals(table.values, table.type.precision) + ";");
            }
        }
        if (one) { // a launch has as many blocks as elements
            writer_.line(names_.first + " += " + std::string(dialect_.block_index) + ";");
        } else {
            writer_.line(names_.first + " += " + index + "{" + std::string(dialect_.block_index) + "} * " + elements + ";");
            const std::string type = c_name(kernel_.element);
            writer_.line("const " + type + " " + names_.count + " = static_cast<" + type + ">(" + names_.n + " - " + names_.first + " < " +
                elements + " ? " + names_.n + " - " + names_.first + " : " + elements + ");");
        }
        name_tiles();
        write_steps();
    }

private:
    /// The block's shared memory, and where each tile starts in it that is not named by the copy into it.
    void name_tiles() {
        std::set<std::size_t> named_by_copy;
        for (const Step& step : kernel_.steps) {
            if (const auto* load = std::get_if<LoadTile>(&step); load != nullptr && !is_padded(kernel_, kernel_.tiles.at(load->tile))) {
                named_by_copy.insert(load->tile);
            }
        }
        for (const Tile& tile : kernel_.tiles) {
            const std::string type = c_name(tile.type.precision);
            if (!names_.has_shared(tile.type.precision)) {
                writer_.line("const auto " + names_.make_shared(tile.type.precision) + " = fusec::shared_memory<" + type + ">();");
            }
        }
        std::vector<std::pair<std::string, std::string>> lines;
        std::size_t width = 0;
        for (std::size_t i = 0; i < kernel_.tiles.size(); ++i) {
            const Tile& tile = kernel_.tiles[i];
            if (named_by_copy.count(i) == 0) {
                lines.emplace_back("const auto " + names_.tile_pointers[i] + " = " + names_.tile_start(tile) + ";",
                    number(kernel_.tile_elements) + " x " + to_string(tile.type.shape));
                width = std::max(width, lines.back().first.size());
            }
        }
        for (const auto& [declaration, comment] : lines) {
            writer_.line(declaration + std::string(width - declaration.size() + 1, ' ') + "// " + comment);
        }
    }

    void write_steps() {
        for (std::size_t i = 0; i < kernel_.steps.size();) {
            const std::optional<ThreadMap> map = thread_map(kernel_, kernel_.steps[i]);
            if (!map) {
                std::visit([this](const auto& step) { write_block_step(step); }, kernel_.steps[i]);
                ++i;
                continue;
            }
            std::size_t end = i;
            while (end < kernel_.steps.size() && thread_map(kernel_, kernel_.steps[end]) == map) {
                ++end;
            }
            declare_thread_map(map->threads);
            declare_early_values(i, end);
            const std::string condition = guard_text(*map);
            std::optional<Writer::Block> guard;
            if (!condition.empty() || groups_.mapped > 1) { // without a condition, for the names that the block declares
                guard.emplace(writer_, condition, "");
            }
            declared_.clear();
            has_locals_ = false;
            for (; i < end; ++i) {
                std::visit([this](const auto& step) { write_mapped_step(step); }, kernel_.steps[i]);
            }
        }
    }

    void declare_thread_map(int threads) {
        if (names_.has_indices(threads)) {
            return;
        }
        const std::string index(dialect_.thread_index), type = c_name(kernel_.element);
        const KernelNames::Indices& made = names_.make_indices(threads, groups_.granularities.size() == 1);
        if (!names_.one_element()) {
            writer_.line(
                "const " + type + " " + made.element + " = " + type + "(" + index + (threads == 1 ? "" : " / " + number(threads)) + ");");
        }
        if (threads > 1) {
            writer_.line("const int " + made.lane + " = int(" + index + (names_.one_element() ? "" : " % " + number(threads)) + ");");
        }
    }

    /// What the threads that have an element are told by; nothing where all have the block's only one.
    std::string guard_text(const ThreadMap& map) const {
        if (!names_.one_element()) {
            return "if (" + names_.element(map.threads) + " < " + (map.guarded ? names_.count : number(kernel_.tile_elements)) + ")";
        }
        return map.threads == kernel_.threads ? ""
            : map.threads == 1                ? "if (" + std::string(dialect_.thread_index) + " == 0)"
                                              : "if (" + names_.lane(map.threads) + " < " + number(map.threads) + ")";
    }

    void declare_value(std::size_t index) {
        const Value& value = kernel_.values.at(index);
        std::string text = value_type(value) + " " + value.name;
        if (spelling_.viewed.count(index) == 0) {
            const int words = value.type.shape.size();
            text = std::string(c_name(value.type.precision)) + " " + value.name +
                (value.type.shape.form == Form::scalar ? "" : "[" + number(words) + "]");
        }
        writer_.line(text + ";");
    }

    /// Declares the values first defined in the steps [begin, end) that later blocks use.
    void declare_early_values(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            std::optional<std::size_t> made;
            if (const auto* compute = std::get_if<Compute>(&kernel_.steps[i]);
                compute != nullptr && compute->result.place.kind == Place::Kind::value) {
                made = compute->result.place.index;
            } else if (const auto* load = std::get_if<LoadValue>(&kernel_.steps[i])) {
                made = load->value;
            }
            if (made && groups_.early.count(*made) != 0) {
                declare_value(*made);
            }
        }
    }

    /// A pointer into a list, as what reads or writes components of its values: where it is stored otherwise, they are converted.
    static std::string source(const List& list, const std::string& start) {
        return list.storage ? "fusec::converted<" + std::string(c_name(list.type.precision)) + ">(" + start + ")" : start;
    }
    static std::string target(const List& list, const std::string& start) {
        return list.storage ? "fusec::converting<" + std::string(c_name(list.type.precision)) + ">(" + start + ")" : start;
    }
    std::string converted_shape(const Tile& tile) const { return number(kernel_.threads) + ", " + number(tile.element_words); }
    std::string copy_shape(int access_bytes, const Tile& tile) const {
        const bool wide = access_bytes > bytes_of(tile.type.precision);
        return (wide ? names_.vectors.at(tile.type.precision) : c_name(tile.type.precision)) + ", " + number(kernel_.threads) + ", " +
            number(tile.element_words);
    }

    // Steps of the whole block.

    void write_block_step(const LoadTile& step) {
        const Tile& tile = kernel_.tiles.at(step.tile);
        const bool padded = is_padded(kernel_, tile), converts = kernel_.lists.at(step.list).storage.has_value();
        const std::string function = converts ? "fusec::load_converted<"
            : step.staging == Staging::async  ? "fusec::copy_async<"
                                              : "fusec::load_tile_words<";
        const std::string to = padded ? names_.tile_pointer(step.tile) : names_.tile_start(tile);
        writer_.line((padded ? "" : "const auto " + names_.tile_pointers.at(step.tile) + " = ") + function +
            (converts ? converted_shape(tile) : copy_shape(step.access_bytes, tile)) + ">(" + to + ", " +
            source(kernel_.lists.at(step.list), names_.block_start(kernel_.lists.at(step.list))) + ", " + names_.count + ");");
    }
    void write_block_step(const StoreTile& step) {
        const Tile& tile = kernel_.tiles.at(step.tile);
        const List& list = kernel_.lists.at(step.list);
        const std::string function =
            list.storage ? "fusec::store_converted<" + converted_shape(tile) : "fusec::copy_tile<" + copy_shape(step.access_bytes, tile);
        writer_.line(
            function + ">(" + target(list, names_.block_start(list)) + ", " + names_.tile_pointer(step.tile) + ", " + names_.count + ");");
    }
    void write_block_step(const LoadValue& step) {
        const Value& value = kernel_.values.at(step.value);
        internal_check(value.touch == Touch::all, "a uniform that is not held whole");
        writer_.line(
            variable() + value.name + " = fusec::load_all<" + type_and_shape(value.type) + ">(" + kernel_.lists.at(step.list).name + ");");
    }
    /// Outside of all guards: its value is there in every block of the kernel, and so are the views that it declares.
    void write_block_step(const Derive& step) {
        if (!derives_) {
            writer_.line("// The same for all elements.");
        }
        derives_ = true;
        std::swap(declared_, outer_);
        has_locals_ = true; // a body that declares variables has a scope of its own
        if (spelling_.written_out_derivations.count(step.datum) != 0) {
            write_out(step);
        } else {
            write_call(step, 1);
        }
        std::swap(declared_, outer_);
    }
    void write_block_step(const AsyncWait&) { writer_.lines(dialect_.await_copies); }
    void write_block_step(const BlockBarrier&) { writer_.line(dialect_.block_barrier); }
    void write_block_step(const WarpBarrier&) { writer_.line(dialect_.warp_barrier); }
    void write_block_step(const Compute&) { throw InternalError("a compute step outside its thread map"); }
    void write_block_step(const Report&) { throw InternalError("a report step outside its thread map"); }
    void write_block_step(const StoreValue&) { throw InternalError("a store step outside its thread map"); }

    // Steps inside a guard.

    std::string owner_access(const char* verb, int access_bytes, const Value& value, bool vectors) const {
        const std::string name = std::string("fusec::") + verb + "_" + (vectors ? "vectors" : touch_name(value.touch)) + "<";
        const std::string rows = value.touch == Touch::rows ? ", " + number(value.threads) : "";
        const std::string size = vectors ? "sizeof(" + names_.vectors.at(value.type.precision) + ")" : "";
        const std::string component = number(bytes_of(value.type.precision));
        const std::string bytes =
            access_bytes == 16 ? size + ", " : "(" + size + " < 16 ? " + component + " : " + number(access_bytes) + "), ";
        return name + (vectors ? bytes : "") + type_and_shape(value.type) + rows + ">";
    }

    void write_mapped_step(const LoadValue& step) {
        const Value& value = kernel_.values.at(step.value);
        const bool vectors = step.access_bytes > bytes_of(value.type.precision);
        std::string text = groups_.early.count(step.value) != 0 ? value.name : variable() + value.name;
        text += " = " + owner_access("load", step.access_bytes, value, vectors) + "(" +
            source(kernel_.lists.at(step.list), names_.element_start(kernel_.lists.at(step.list), value.threads));
        writer_.line(text + (value.touch == Touch::all ? "" : ", " + names_.lane(value.threads)) + ");");
    }
    void write_mapped_step(const StoreValue& step) {
        const Value& value = kernel_.values.at(step.value);
        const std::string to = target(kernel_.lists.at(step.list), names_.element_start(kernel_.lists.at(step.list), value.threads));
        if (step.leader) {
            writer_.line("fusec::store_whole(" + to + ", " + value.name + ", " + lane_text(value.threads) + ");");
            return;
        }
        const bool vectors = step.access_bytes > bytes_of(value.type.precision);
        const std::string function =
            vectors ? owner_access("store", step.access_bytes, value, true) : std::string("fusec::store_") + touch_name(value.touch);
        writer_.line(function + "(" + to + ", " + value.name + (value.touch == Touch::all ? "" : ", " + names_.lane(value.threads)) + ");");
    }
    void write_mapped_step(const Report& step) {
        const Value& value = kernel_.values.at(step.value);
        const std::string flag = value.name + (spelling_.viewed.count(step.value) != 0 ? "()" : "");
        writer_.line("fusec::report(" + names_.failure + ", " + flag + ", " + names_.first +
            (names_.one_element() ? "" : " + " + names_.element(value.threads)) + ", " + number(static_cast<int>(step.check)) + ");");
    }
    void write_mapped_step(const Compute& step) {
        if (spelling_.written_out.count(step.call) != 0) {
            return write_out(step);
        }
        write_call(step, step.threads);
    }
    template <class Call>
    void write_call(const Call& step, int threads) {
        std::string arguments;
        if (routines_.at(step.routine).takes_lane) {
            arguments = lane_text(threads) + ", ";
        }
        for (const Operand& operand : step.operands) {
            arguments += operand.unread ? "" : operand_text(operand.place, threads, false) + ", ";
        }
        if constexpr (requires { step.leader; }) {
            if (step.leader) {
                return write_leaders_call(step, arguments);
            }
        }
        const std::string text = "fusec::" + step.routine + "(" + arguments + operand_text(step.result.place, threads, true) + ");";
        if constexpr (std::is_same_v<Call, Compute>) {
            const bool held = step.result.place.kind == Place::Kind::value;
            return write_passes(step, text, held ? kernel_.values.at(step.result.place.index).name : "");
        }
        writer_.line(text);
    }
    /// The call, or a loop over it; `held`: its result, where that is in registers.
    void write_passes(const Compute& step, const std::string& call, const std::string& held) {
        if (repeated_ == 0) {
            return writer_.line(call);
        }
        internal_check(!step.synchronises, "a routine that orders its threads is repeated"); // they may still read what a pass writes
        const auto loop = [](const std::string& counter, const std::string& end, const std::string& next) {
            return "for (int " + counter + " = 0; " + counter + " < " + end + "; " + next + ")";
        };
        const auto passes = writer_.block(loop(names_.repetition, names_.repetitions, names_.repetition + " += " + number(repeated_)));
        const auto copies = writer_.block(std::string(dialect_.unroll) + " " + loop(names_.copy, number(repeated_), "++" + names_.copy));
        std::string changed = held.empty() ? "" : ", " + held;
        std::set<std::string> operands;
        for (const Operand& operand : step.operands) {
            const Place& place = operand.place;
            const std::string name = place.kind == Place::Kind::value ? kernel_.values.at(place.index).name
                : place.kind == Place::Kind::list                     ? names_.list_views.at(place.index)
                                                                      : "";
            if (!name.empty() && operands.insert(name).second) {
                writer_.line("fusec::opaque(" + name + ");");
                changed += ", " + name;
            }
        }
        writer_.line("fusec::opaque_memory();");
        writer_.line(call);
        if (!held.empty()) {
            writer_.line("fusec::opaque(" + held + ");");
        }
        writer_.line("fusec::stir(" + names_.repetition + " + " + names_.copy + changed + ");");
    }
    /// Every thread has the whole result; the first one of the instance writes it to the tile.
    void write_leaders_call(const Compute& step, const std::string& arguments) {
        const Tile& tile = kernel_.tiles.at(step.result.place.index);
        internal_check(!tile.type.shape.packed && row_pitch(kernel_, tile) == 0, "threads that each make all of a packed or padded matrix");
        writer_.line("fusec::registers<" + type_and_shape(tile.type) + "> " + tile.name + ";");
        write_passes(step, "fusec::" + step.routine + "(" + arguments + tile.name + ");", tile.name);
        writer_.line("fusec::store_whole(" + names_.tile_element_start(step.result.place.index, step.threads) + ", " + tile.name + ", " +
            lane_text(step.threads) + ");");
        declared_.insert(tile.name);
    }
    /// Begins the declaration of what holds operands.
    std::string variable() const { return repeated_ > 0 ? "auto " : "const auto "; }
    std::string lane_text(int threads) const {
        return "fusec::lane<" + number(threads) + ">{" + (threads == 1 ? "0" : names_.lane(threads)) + "}";
    }
    template <class Other>
    void write_mapped_step(const Other&) {
        throw InternalError("a step of the whole block inside a guard");
    }

    /// The name of an operand or result; writes the declaration of its view, or of a value that only this block uses, when it is new here.
    std::string operand_text(const Place& place, int threads, bool result) {
        const auto declare = [&](const std::string& name, const std::string& view) {
            if (outer_.count(name) == 0 && declared_.insert(name).second) {
                writer_.line((result ? "auto " : variable()) + name + " = " + view + ";");
            }
            return name;
        };
        const auto declare_view = [&](const std::string& name, const Type& type, const std::string& start) {
            const std::string view = type.shape.packed
                ? "fusec::symmetric<" + std::string(c_name(type.precision)) + ", " + number(type.shape.rows) + ">("
                : "fusec::view<" + type_and_shape(type) + ">(";
            return declare(name, view + start + ")");
        };
        switch (place.kind) {
        case Place::Kind::value: {
            const Value& value = kernel_.values.at(place.index);
            if (result && groups_.early.count(place.index) == 0) {
                declare_value(place.index);
            }
            if (value.type.shape.packed) {
                const bool viewed = spelling_.viewed.count(place.index) != 0;
                return declare_view(names_.value_views.at(place.index), value.type, value.name + (viewed ? ".data" : ""));
            }
            if (value.touch == Touch::rows) {
                return declare(
                    names_.value_views.at(place.index), "fusec::rows_of(" + value.name + ", " + names_.lane(value.threads) + ")");
            }
            return value.name;
        }
        case Place::Kind::tile: {
            const Tile& tile = kernel_.tiles.at(place.index);
            const std::string start = names_.tile_element_start(place.index, threads);
            if (const int pitch = row_pitch(kernel_, tile)) {
                return declare(tile.name, "fusec::pitched<" + type_and_shape(tile.type) + ", " + number(pitch) + ">(" + start + ")");
            }
            return declare_view(tile.name, tile.type, start);
        }
        case Place::Kind::list: {
            const List& list = kernel_.lists.at(place.index);
            return declare_view(names_.list_views.at(place.index), list.type, source(list, names_.element_start(list, threads)));
        }
        case Place::Kind::table: {
            const Table& table = kernel_.tables.at(place.index);
            if (table.type.shape.form == Form::scalar) {
                return "fusec::registers<" + type_and_shape(table.type) + ">{{" + literal(table.values.at(0), table.type.precision) + "}}";
            }
            return declare_view(names_.table_views.at(place.index), table.type, table.name);
        }
        }
        return "";
    }

    // Routines that are written out instead of called.

    /// The operand as a written-out routine names it; writes the declarations that it needs.
    OperandText spelled(const Place& place, bool result) {
        using Form = OperandText::Form;
        const Shape& shape = type_of(kernel_, place).shape;
        if (shape.packed) {
            return {Form::view, operand_text(place, 1, result), {}, shape};
        }
        switch (place.kind) {
        case Place::Kind::value: {
            const Form form = spelling_.viewed.count(place.index) != 0 ? Form::view
                : shape.form == fusec::Form::scalar                    ? Form::scalar
                                                                       : Form::array;
            return {form, kernel_.values.at(place.index).name, {}, shape};
        }
        case Place::Kind::tile:
            return {Form::array, names_.tile_pointers.at(place.index), names_.tile_element(place.index, 1), shape,
                row_pitch(kernel_, kernel_.tiles.at(place.index))};
        case Place::Kind::list:
            if (!kernel_.lists.at(place.index).uniform) {
                return {Form::view, operand_text(place, 1, false), {}, shape};
            }
            return {Form::array, kernel_.lists.at(place.index).name, {}, shape};
        case Place::Kind::table:
            break;
        }
        const Table& table = kernel_.tables.at(place.index);
        if (shape.form == fusec::Form::scalar) {
            return {Form::scalar, literal(table.values.at(0), table.type.precision), {}, shape};
        }
        return {Form::array, table.name, {}, shape};
    }

    template <class Call>
    void write_out(const Call& step) {
        std::vector<OperandText> operands;
        for (const Operand& operand : step.operands) {
            if (!operand.unread) {
                operands.push_back(spelled(operand.place, false));
            }
        }
        const OperandText result = spelled(step.result.place, true);
        operands.push_back(result);
        const std::optional<WrittenOut> body = written_out(routines_.at(step.routine).text, operands,
            type_of(kernel_, step.result.place).precision, [](const std::string&) { return false; });
        internal_check(body.has_value(), "a routine that cannot be written out after all");
        std::string lines = body->lines;
        for (const auto& [macro, pragma] : {std::pair{std::string_view("FUSEC_UNROLL_SHORT"), dialect_.unroll_short},
                 {std::string_view("FUSEC_UNROLL"), dialect_.unroll}}) {
            for (std::size_t at = 0; (at = lines.find(macro, at)) != std::string::npos;) {
                lines.replace(at, macro.size(), pragma);
            }
        }
        const bool scope = body->declares && has_locals_; // its variables may have the names of another body's
        has_locals_ = has_locals_ || body->declares;
        if (step.result.place.kind == Place::Kind::value && groups_.early.count(step.result.place.index) == 0 && !result.shape.packed) {
            // A scalar that the body says once, in an assignment, is declared there.
            const std::string assignment = result.name + " = ";
            const std::size_t at = lines.starts_with(assignment) ? 0 : lines.find("\n" + assignment) + 1;
            const bool assigned = at != 0 || lines.starts_with(assignment);
            if (result.form == OperandText::Form::scalar && !scope && assigned && body->result_mentions == 1) {
                lines.insert(at, std::string("const ") + c_name(type_of(kernel_, step.result.place).precision) + " ");
            } else {
                declare_value(step.result.place.index);
            }
        }
        if (lines.find('\n') + 1 != lines.size()) { // one line says it all
            lines.insert(lines.find('\n'), " // " + call_text(step));
        }
        if (scope) {
            const auto block = writer_.block("");
            writer_.lines(lines);
        } else {
            writer_.lines(lines);
        }
    }

    /// `M1 = mmul(A, B)`
    template <class Call>
    std::string call_text(const Call& step) const {
        std::string text = names_.datum_name(step.result.place) + " = " + step.function + "(";
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            text += (i == 0 ? "" : ", ") + names_.datum_name(step.operands[i].place);
        }
        return text + ")";
    }
    Writer& writer_;
    const Kernel& kernel_;
    const std::string& name_;
    const Routines& routines_;
    const Dialect& dialect_;
    int repeated_; ///< copies of a call in a pass of the loop over it; 0: no loop
    KernelNames names_;
    ThreadGroups groups_;
    Spelling spelling_;
    bool has_locals_ = false;        ///< a written-out body of the open block declares variables
    bool derives_ = false;           ///< a derived value has been written
    std::set<std::string> declared_; ///< views of the open block
    std::set<std::string> outer_;    ///< views that stand outside all blocks
};

} // namespace

void write_kernel(
    Writer& writer, const Kernel& kernel, const std::string& name, const Routines& routines, const Dialect& dialect, int repeated) {
    KernelText(writer, kernel, name, routines, dialect, repeated).write();
}

} // namespace fusec::codegen
