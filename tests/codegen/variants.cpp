// SPDX-License-Identifier: Apache-2.0
#include "variants.hpp"

#include "codegen/repeated.hpp"

#include <algorithm>
#include <stdexcept>

namespace fusec::codegen::test {

using fusion::Staging;

namespace {

using Calls = std::vector<std::pair<std::string, std::string>>;

const Calls one_thread = {{"M1", "element"}, {"v1", "element"}, {"s1", "element"}, {"M2", "element"}, {"M3", "element"}, {"F", "element"}};
/// {3 3 1 5 5 5} of the original talk.
const Calls by_rows = {{"M1", "row"}, {"v1", "row"}, {"s1", "element"}, {"M2", "row"}, {"M3", "row"}, {"F", "row"}};

Variant make(const std::string& name, const std::string& text, const std::vector<Draft>& drafts) {
    std::shared_ptr<const Sample> program = sample(name, text);
    std::vector<fusion::Candidate> kernels;
    for (const Draft& draft : drafts) {
        kernels.push_back(build(draft, *program));
    }
    Unit unit = lower(plan_of(std::move(kernels), *program), program->graph, program->catalog);
    return {name, std::move(program), std::move(unit), 0};
}

Draft drafted(int elements, Calls calls, Staging load, Staging store) {
    Draft draft;
    draft.elements = elements;
    draft.calls = std::move(calls);
    draft.stores = {draft.calls.back().first};
    draft.load = load;
    draft.store = store;
    if (draft.calls == by_rows) {
        draft.tiles = {"s1"}; // made by one thread, used by five
    }
    return draft;
}

std::vector<Variant> make_all() {
    std::vector<Variant> all;
    all.push_back(make("demo", demo_text, {drafted(64, one_thread, Staging::async, Staging::vectors)}));
    all.push_back(make("vectors", demo_text, {drafted(64, one_thread, Staging::vectors, Staging::vectors)}));
    all.push_back(make("words", demo_text, {drafted(64, one_thread, Staging::words, Staging::words)}));
    all.push_back(make("direct", demo_text, {drafted(64, one_thread, Staging::none, Staging::none)}));
    all.push_back(make("rows", demo_text, {drafted(32, by_rows, Staging::async, Staging::vectors)}));
    all.push_back(make("single_by_rows", demo_text, {drafted(1, by_rows, Staging::async, Staging::vectors)}));
    all.push_back(make("single_thread", demo_text, {drafted(1, one_thread, Staging::none, Staging::none)}));
    all.push_back(make("rows_direct", demo_text, {drafted(32, by_rows, Staging::none, Staging::words)}));
    {
        Draft draft = drafted(32, by_rows, Staging::vectors, Staging::none);
        draft.registers = {"M1", "M2", "M3", "F"}; // M1 is made and used by rows, so it needs no tile
        all.push_back(make("rows_registers", demo_text, {draft}));
    }
    {
        Draft draft = drafted(64, one_thread, Staging::words, Staging::vectors);
        draft.registers = {"A", "c", "D"};
        draft.tiles = {"M2"};
        all.push_back(make("mixed", demo_text, {draft}));
    }
    all.push_back(make("large", "double MATRIX12x12 A, B, C;\ninput A, B;\nC = A * B;\nreturn C;\n",
        {drafted(32, {{"C", "rows4"}}, Staging::async, Staging::vectors)}));
    {
        Draft draft = drafted(32, {{"T", "row"}, {"C", "row"}}, Staging::async, Staging::vectors);
        draft.padding = {{"A", {8 * 16, 4}}, {"B", {8 * 16, 4}}, {"T", {2 * 16, 1}}, {"C", {8 * 16, 4}}};
        all.push_back(make("padded", "MATRIX4x4 A, B, C, T;\ninput A, B;\nT = A * B;\nC = T * A;\nreturn C;\n", {draft}));
        draft.padding = {{"A", {4, 4}}, {"B", {4, 4}}, {"T", {4, 4}}, {"C", {4, 4}}};
        all.push_back(make("padded_rows", "MATRIX4x4 A, B, C, T;\ninput A, B;\nT = A * B;\nC = T * A;\nreturn C;\n", {draft}));
        Draft written = drafted(32, {{"C", "element"}}, Staging::async, Staging::vectors);
        written.padding = {{"A", {4, 4}}, {"B", {4, 4}}, {"C", {4, 4}}};
        all.push_back(make("padded_rows_written_out", "MATRIX4x4 A, B, C;\ninput A, B;\nC = A * B;\nreturn C;\n", {written}));
    }
    {
        Draft draft = drafted(64, {{"C", "element"}}, Staging::vectors, Staging::vectors);
        draft.registers = {"A", "B", "C"};
        all.push_back(make("owners", "MATRIX4x4 A, B, C;\ninput A, B;\nC = A * B;\nreturn C;\n", {draft}));
        all.push_back(make("owners8", "MATRIX3x2 A;\nMATRIX2x3 B;\nMATRIX3x3 C;\ninput A, B;\nC = A * B;\nreturn C;\n", {draft}));
        draft.calls = {{"C", "entry"}};
        draft.registers = {"C"};
        draft.load = draft.store = Staging::none;
        draft.elements = 32;
        all.push_back(make("entries", "MATRIX4x4 A, B, C;\ninput A, B;\nC = A * B;\nreturn C;\n", {draft}));
        draft.calls = {{"C", "column"}};
        all.push_back(make("columns", "MATRIX4x4 A, B, C;\ninput A, B;\nC = A * B;\nreturn C;\n", {draft}));
        draft.calls = {{"S", "rows2"}, {"C", "rows2"}};
        draft.registers = {"S", "C"};
        all.push_back(make("row_blocks", "double MATRIX6x6 A, B, C, S;\ninput A, B;\nS = A + B;\nC = S + B;\nreturn C;\n", {draft}));
    }
    {
        Draft draft = drafted(32, {{"S", "element"}, {"R", "element"}, {"Q", "element"}}, Staging::vectors, Staging::none);
        draft.registers = {"nu"};
        all.push_back(make("constants",
            "MATRIX2x2 A, S, R, Q;\nuniform SCALAR mu, nu;\nconst MATRIX2x2 G = [[1, -0.5], [0.25, 3]];\ninput A;\nS = (A * G) * "
            "0.1;\nR = S * mu;\nQ = R * nu;\nreturn Q;\n",
            {[&] {
                draft.calls.insert(draft.calls.begin(), {"S.1", "element"});
                return draft;
            }()}));
    }
    all.push_back(make("chain", demo_text,
        {drafted(64, {{"M1", "element"}}, Staging::vectors, Staging::vectors),
            drafted(32, {{"v1", "element"}, {"s1", "element"}}, Staging::none, Staging::none),
            drafted(32, {{"M2", "row"}, {"M3", "row"}, {"F", "row"}}, Staging::async, Staging::vectors)}));
    {
        Draft draft = drafted(64, {{"C", "element"}, {"C_value", "element"}}, Staging::vectors, Staging::none);
        draft.stores = {"C", "C_value"};
        all.push_back(make("hostile",
            "MATRIX2x2 A, A_view, C, C_value;\ninput A, A_view;\nC = A * A_view;\nC_value = C + A;\nreturn C_value, C;\n", {draft}));
    }
    // The same kernels with repeated calls: results in registers and in tiles, operands there and read in place, whole results of several threads.
    for (const char* name : {"owners", "rows", "rows_registers", "direct", "row_blocks", "constants", "padded_rows"}) {
        Variant repeated = *std::find_if(all.begin(), all.end(), [&](const Variant& each) { return each.name == name; });
        repeated.name += "_repeated";
        repeated.unit.name = repeated.name;
        repeated.repeated = 3;
        all.push_back(std::move(repeated));
    }
    return all;
}

} // namespace

Emitted Variant::emit(int arch, bool embed_runtime) const {
    EmitOptions options;
    options.arch = arch;
    options.embed_runtime = embed_runtime;
    options.header_name = name + ".h";
    options.options_text = "--arch sm_" + std::to_string(arch);
    options.summary = "predicted 0.42 ms for 1,048,576 elements on h200";
    return repeated > 0 ? emit_repeated(unit, program->graph, program->catalog, options, repeated)
                        : codegen::emit(unit, program->graph, program->catalog, options);
}

const std::vector<Variant>& variants() {
    static const std::vector<Variant> all = make_all();
    return all;
}

const Variant& variant(const std::string& name) {
    for (const Variant& candidate : variants()) {
        if (candidate.name == name) {
            return candidate;
        }
    }
    throw std::runtime_error("no variant " + name);
}

} // namespace fusec::codegen::test
