// SPDX-License-Identifier: Apache-2.0
// Statement by statement from the AST to a draft of the checked program; loops and calls of definitions are expanded on the way.
#pragma once

#include "frontend/alternatives.hpp"
#include "frontend/draft.hpp"
#include "frontend/expansion.hpp"
#include "frontend/expression_check.hpp"
#include "frontend/frontend.hpp"
#include "frontend/scope.hpp"
#include "frontend/selection.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

class Checker final : private DefinitionCalls {
public:
    Checker(const ast::Program& program, const library::Catalog& catalog, const CheckOptions& options, Diagnostics& diagnostics);

    std::optional<CheckedProgram> check();

private:
    /// A `def` above the statement that is checked.
    struct Definition {
        const ast::Definition* form = nullptr;
        std::size_t statement = 0;
        std::size_t above = 0;                  ///< what it sees of the program: `Scope::order`
        std::vector<std::optional<Type>> types; ///< of the parameters; nothing: any, or a wrong one
        std::size_t calls = 0;
    };
    struct LoopUse {
        Span range;
        std::string text;
        bool empty = true; ///< whenever it was reached
    };

    /// Elaborates the statements from `first` to before `end`.
    void run(std::size_t first, std::size_t end);
    void report_missing_return();
    void report_unused();

    // statements; check_statements.cpp
    void add(const ast::ProgramName& form);
    void add(const ast::Declaration& form);
    void add(const ast::ConstantDeclaration& form);
    void add(const ast::InputList& form);
    void add(const ast::ReturnList& form);
    /// The type a declaration means; nothing after reporting a dimension that cannot be.
    std::optional<Type> type_of(const ast::WrittenShape& written, const std::optional<Precision>& precision);
    bool dimension(const ast::WrittenShape& written, const std::string& digits, int& into);
    /// What `store` says, for `report_storage_without_list`; at once where the names can be no lists.
    void note_storage(const ast::Declaration& form);
    /// The datum is the list of the name: it is stored as declared.
    void store_list(const ast::Name& name, std::optional<DataId> datum);
    void report_storage_without_list();
    DataId add_interface(const ast::Name& name, const Type& type, DatumKind what);
    bool may_return(const ast::Name& name, DataId datum, const std::string& what);
    /// `returned` gets the new values of updated lists; reports lists that have none.
    void return_updated();

    // values; check_values.cpp
    void add(const ast::Assignment& form);
    void assign(const ast::Assignment& form, bool where_declared);
    /// `y = ...` of an updated list: its new value.
    void update(const ast::Assignment& form);
    void add_to_sum(const ast::Assignment& form);
    bool can_sum(const ast::Assignment& form);
    /// Renames the last value, and what is inside the first, because a next one comes: `K:1`.
    void number_value(const Defined& before);
    void name_step(const Defined& before, const Evaluated& evaluated, const ast::Name& target);
    bool fits_declaration(const ast::Assignment& form, DataId datum);
    /// The datum of a constant that gets a name here.
    DataId add_constant(Datum datum, NameKind name_kind);
    static NameKind kind_of_name(const std::string& name, const ast::Name& target);
    CallSite site_of(const ast::Assignment& form) const;

    // parts; check_parts.cpp
    void assign_part(const ast::Assignment& form);
    Defined* part_target(const ast::Assignment& form);
    static void leave_wrong(Defined& assembled);
    bool mirrors_itself(const ast::Assignment& form, const Selection& part, DataId value);
    bool part_fits(const ast::Assignment& form, const Selection& part, DataId value);
    void report_overlap(const ast::Assignment& form, const Selection& part, int component);
    void next_value(Defined& assembled, const ast::Name& target);
    void name_part(Defined& assembled, const Evaluated& evaluated);
    /// Reports gaps in the values of the scope that is open.
    void complete_parts();

    // check_assertions.cpp
    void add(const ast::Assertion& form);

    // blocks; check_blocks.cpp
    void add(const ast::Loop& form);
    void add(const ast::Definition& form);
    void add(const ast::ReturnValue& form);
    void add(const ast::Include& form);
    [[noreturn]] void add(const ast::Alternative& form);
    void add(const ast::AlternativesEnd& form);
    // program_blocks.cpp
    void add(const ast::ProgramBlock& form);
    /// Blocks that no call of the program is in.
    void report_empty_blocks(const CheckedProgram& program);
    std::optional<Value> expand(const ast::Expression& call, const std::vector<Argument>& arguments) override;
    std::optional<Value> report_not_above(const ast::Expression& call);
    /// Whether the argument has the type of its parameter; a constant takes the parameter's precision.
    bool argument_fits(const Definition& definition, std::size_t index, const Argument& argument, Value& value);
    void report_parameter(
        const DiagnosticKind& kind, const Definition& definition, std::size_t index, const Argument& argument, const Value& value);

    const ast::Program& program_;
    const library::Catalog& catalog_;
    CheckOptions options_;
    Diagnostics& diagnostics_; ///< what is passed on; checks report into `messages_`
    Expansion expansion_;
    Diagnostics& messages_;
    Scope scope_;
    Draft draft_;
    ExpressionChecker expressions_;

    std::size_t current_ = 0; ///< index of the statement
    const ast::Statement* return_ = nullptr;
    bool reported_after_return_ = false;
    std::optional<std::string> name_;
    std::map<DataId, ast::Name> returned_;
    std::vector<std::pair<ast::Name, DataId>> updated_; ///< by `inout`, with the old values
    struct Stored {
        ast::WrittenStorage storage;
        ast::Name name;
        bool list = false; ///< it is one of the caller's
    };
    bool report_other_name(const std::string& text, const Stored& stored);
    std::map<std::string, Stored> stored_; ///< names declared with `store`
    std::map<std::string, Definition> definitions_;
    std::vector<std::size_t> calling_;        ///< statements of the definitions whose calls are being expanded
    std::vector<Value> results_;              ///< of those
    std::map<std::size_t, LoopUse> loops_;    ///< by statement
    std::map<std::string, Span> later_;       ///< every definition of the text
    std::map<std::string, Span> block_names_; ///< of program blocks
};

} // namespace fusec::frontend
