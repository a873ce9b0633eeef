// SPDX-License-Identifier: Apache-2.0
// The catalog of elementary functions: one `NAME.toml` (metadata) and one `NAME.cuh` (device source) each. Phases ask the catalog
// which function fits which operands, and what an implementation needs; they never read metadata themselves.
#pragma once

#include "elementary-lib/expression.hpp"
#include "elementary-lib/neutral.hpp"
#include "elementary-lib/reference.hpp"
#include "elementary-lib/type.hpp"
#include "support/diagnostics.hpp"
#include "support/ids.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fusec::library {

/// What random test inputs of an operand must satisfy for the function to be well conditioned.
enum class Domain {
    any,
    positive,
    nonzero,
    invertible,
    spd
};

/// The part of an operand that thread i of an instance touches.
/// all: everything; row, column: row/column i; entry: component i in row-major order (also: component i of a vector);
/// rows: the block of rows i*R .. i*R+R-1 with R = rows / threads.
enum class Touch {
    all,
    row,
    column,
    entry,
    rows
};

/// When a square result is symmetric, up to rounding: such a result may be stored packed.
enum class Symmetry {
    none,
    always,
    kept,  ///< where every matrix among the operands is
    equal, ///< where both operands are one value, as in A'A
};

/// As metadata write them.
std::string_view name_of(Domain domain);
std::string_view name_of(Touch touch);
std::string_view name_of(Symmetry symmetry);

/// Declared operand or result: form and dimensions over the shape parameters.
struct Parameter {
    std::string name;
    Form form = Form::scalar;
    SizeExpression rows;
    SizeExpression columns;
    Domain domain = Domain::any;
    std::optional<Neutral> neutral = std::nullopt; ///< of two operands: where this one is that constant, the result is the other operand
};

/// `MATRIX[M,K]`, as declared.
std::string pattern(const Parameter& parameter);

/// Loads of an operand by the threads of an element: each says of every thread which component it reads, -1 of those that do not take part.
using ThreadLoads = std::vector<std::vector<int>>;

/// One way to compute the function; `FUNCTION_ROUTINE` in the device source.
struct Implementation {
    std::string name;          ///< "element", "row", ...
    std::string routine;       ///< its template, which several implementations may share; the name unless the metadata say otherwise
    SizeExpression threads;    ///< threads per instance (granularity)
    std::vector<Touch> inputs; ///< per operand
    Touch output = Touch::all; ///< `all` of several threads: each makes the whole result, with the same bits
    /// Of several threads, per operand whose touch is `all`: its loads; empty: what the reference says. For prices only.
    std::vector<ThreadLoads> loads;
    /// Of one thread, per operand: the components that it reads, ascending; empty: all of them. For prices only.
    std::vector<std::vector<int>> components;
    /// Where `components` are said, per operand: most of them that have been read and will be read again, at any time.
    std::vector<int> waiting;
    std::optional<SizeExpression> limit; ///< legal only where this is nonzero
    SizeExpression temporaries;          ///< live scalars of the routine besides operands and result
    bool barrier = false;                ///< the routine itself synchronises the threads of an instance
    bool keeps_row = false; ///< a thread writes components of its row again with what they have; a packed result does not have them all
    /// Values that each thread gives to others of its instance, one after another; nothing: they exchange none. Each of them still touches
    /// its own part of operands and result only.
    std::optional<SizeExpression> exchanges;
    /// Where its threads together count otherwise than the function says: they repeat work.
    std::optional<SizeExpression> flops, divisions, square_roots, transcendentals;
    /// Of a function that is another one with constants folded (Function::base):
    bool of_base = false;     ///< the template is the base function's
    std::vector<bool> unread; ///< per operand, those that the template does not take, all constants; empty: it takes all
};

/// Counts of arithmetic per instance. `flops` counts add, subtract, multiply, and each of the others once.
struct OperationCounts {
    double flops = 0;
    double divisions = 0;
    double square_roots = 0;
    double transcendentals = 0;
};

/// An elementary function: what its metadata and its device source say, or what a pass made (`base`, a reference without files).
struct Function {
    std::string name;
    std::string summary;
    std::vector<std::string> shape;             ///< names of shape parameters
    std::optional<std::string> operator_symbol; ///< "*", "+", "-", "/", "'", "neg" for unary minus; "<", "<=", "==": `select`
    bool commutative = false;                   ///< a two-operand call with operands swapped means the same: (s,A) as (A,s)
    bool involution = false;                    ///< of one operand: f(f(a)) is a
    bool idempotent = false;                    ///< of one operand: f(f(a)) is f(a)
    Symmetry symmetric = Symmetry::none;
    std::optional<SizeExpression> where; ///< shapes the function exists for: "N <= 4"
    Reference reference;
    std::string reference_text; ///< as written in the metadata
    SizeExpression flops, divisions, square_roots, transcendentals;
    std::vector<Parameter> inputs;
    Parameter output;
    std::vector<Implementation> implementations; ///< the first has threads = 1

    std::string base; ///< of a function made by folding constants: the name of the one it stands for (folded_function.hpp); else empty
    /// What programs call it.
    const std::string& called() const { return base.empty() ? name : base; }

    std::filesystem::path metadata_path;
    std::filesystem::path source_path;
    std::string source; ///< text of the .cuh: one template per implementation, nothing else (includes and comments stripped when embedded)
};

/// A function applied to concrete operand types.
struct Instance {
    FunctionId function;
    ShapeValues shape;
    bool swapped = false; ///< operands were matched in swapped order (commutative); operand lists are already in declared order
    Type result;          ///< of what match() gives, all components are stored; who makes the call may have it packed
};

/// Why operands do not fit. `operand` is the index of the first operand at fault; SIZE_MAX for the whole call.
struct Mismatch {
    enum class Reason {
        arity,
        form,
        dimension,
        precision,
        outside_where
    } reason = Reason::arity;
    std::size_t operand = 0;
    std::string message;
};

/// All functions of the given library folders; immutable once loaded.
class Catalog {
public:
    /// Loads every `<family>/NAME.toml` below the folders, in sorted order; a later folder's function of the same name is an error.
    /// Reports located errors (`library-metadata`, `missing-device-source`) and returns nothing if there were any.
    static std::optional<Catalog> load(const std::vector<std::filesystem::path>& folders, Diagnostics& diagnostics);

    /// This library with functions that a program defines itself, in place of such functions that it may have. Their ids follow those of
    /// the library, in the order given. They are found by id only: no name means them.
    Catalog with(const std::vector<Function>& own) const;

    const Function& function(FunctionId id) const { return functions_.at(id.index()); }
    /// Functions of the library and of a program.
    std::size_t size() const { return functions_.size(); }
    /// Functions of the library alone; the ids below are theirs.
    std::size_t library_size() const { return library_size_; }
    std::optional<FunctionId> find(std::string_view name) const;
    /// Functions with this operator symbol, in name order.
    std::vector<FunctionId> with_operator(std::string_view symbol) const;
    /// All names, sorted: for suggestions.
    std::vector<std::string> names() const;

    /// Unifies operand types with the declared ones. All operands must have one precision, which is the result's too unless the function
    /// converts.
    std::variant<Instance, Mismatch> match(FunctionId function, const std::vector<Type>& operands) const;

    OperationCounts operations(const Instance& instance) const;
    /// Of all threads of the implementation together.
    OperationCounts operations(const Instance& instance, const Implementation& implementation) const;
    /// Threads per instance of an implementation; nothing when its limit excludes the shape.
    std::optional<int> threads(const Instance& instance, const Implementation& implementation) const;
    int temporaries(const Instance& instance, const Implementation& implementation) const;
    /// Values that each thread exchanges with the others of its instance.
    int exchanges(const Instance& instance, const Implementation& implementation) const;

private:
    std::vector<Function> functions_; ///< of the library in order of names, then a program's own
    std::size_t library_size_ = 0;
};

/// Whether the metadata say that a square result is symmetric: `symmetric` tells of each operand whether it is, `equal` that all operands
/// are one value.
bool symmetric_result(const Function& function, const std::vector<bool>& symmetric, bool equal);

/// The library that belongs to this compiler: ../share/fusec/elementary-lib of the executable's folder if it is installed, else the
/// checkout's.
std::filesystem::path standard_library_folder();

/// Components of an operand of `shape` that one of `threads` threads holds under `touch`; 0 when the combination is meaningless: parts of
/// a packed matrix, which its rows and columns share, are nobody's own.
int components_touched(const Shape& shape, Touch touch, int threads);

} // namespace fusec::library
