// SPDX-License-Identifier: Apache-2.0
// Random inputs on which a program is well conditioned: each input satisfies the domains of the functions that consume it, also
// through intermediate results. Deterministic and portable: a component is a hash of (seed, datum, element, draw, component).
#pragma once

#include "execute/reference.hpp"

#include <cstdint>

namespace fusec::execute {

/// What a value has to satisfy. Several may hold at once.
struct Conditions {
    bool positive = false;   ///< every component > 0
    bool nonzero = false;    ///< every component away from 0
    bool invertible = false; ///< square and well conditioned, determinant > 0
    bool spd = false;        ///< square, symmetric positive definite, well conditioned
};

/// What an input has to satisfy, and how it is drawn.
struct Demands : Conditions {
    Conditions if_taken;   ///< of what selections may leave out, as in `select(q > 0, sqrt(q), 0)`: they hold in four of eight elements
    bool compared = false; ///< in every second element components are quarters, so that some are equal to what they are compared with
    bool varied = false;   ///< in every fourth element components without other demands are small, so that comparisons come out both ways
};

/// Whether what is compared is drawn in quarters the first time.
inline bool in_quarters(std::uint64_t element) {
    return element % 2 == 1;
}

/// Elements whose inputs are within the domains of functions that selections guard too.
inline bool takes_what_is_guarded(std::uint64_t element) {
    return element / 4 % 2 == 0;
}

/// Demands on every datum, from declared domains and backwards through the calls. Those of calls whose results only selections use, as one of the
/// two values that they choose from, are `if_taken`. Linear in the program.
std::vector<Demands> demands(const frontend::CheckedProgram& program, const library::Catalog& catalog);

/// The same, and where more than one per cent of the elements so drawn are ill conditioned, square inputs are drawn positive definite as
/// well, one after another as long as that leaves fewer, the one first that leaves fewest. Domains say nothing about a filter's
/// covariances, for one: H P H' + R is well conditioned for positive definite P and R, and nearly singular for a few per cent of others.
std::vector<Demands> settled_demands(const frontend::CheckedProgram& program, const library::Catalog& catalog);

/// The components of one value, rounded to the precision of `type`. `draw` tells repeated draws of one element apart.
std::vector<double> random_value(
    const Type& type, const Demands& demands, std::uint64_t seed, std::uint64_t datum, std::uint64_t element, std::uint64_t draw);

inline constexpr int most_draws = 16;

/// Inputs for `elements` elements and their reference.
struct RandomCases {
    DataValues given;          ///< of the program's inputs and uniforms
    ReferenceResult reference; ///< what no output takes and is ill conditioned has the bound `not_compared`
    std::size_t elements = 0;
    std::size_t redrawn =
        0; ///< elements that were ill conditioned at first and drawn again, but those drawn in quarters whose next draw was not
    std::size_t ill = 0; ///< of them, those that stayed so after the last draw
    DataId cause;        ///< with `redrawn`: the first ill-conditioned result in most of them

    /// At most 5 % drawn again and none left: otherwise the comparison proves little and counts as failed.
    bool acceptable() const { return ill == 0 && redrawn * 20 <= elements; }
};

/// Draws every element, and again each one in which a computed datum is ill conditioned (`is_ill_conditioned`), at most `most_draws` times in all.
/// Uniforms are drawn once.
RandomCases draw_cases(const frontend::CheckedProgram& program, const library::Catalog& catalog, std::size_t elements, std::uint64_t seed);
/// The same for demands that need not be settled, which takes hundreds of elements: `demands(program, catalog)` for a few.
RandomCases draw_cases(const frontend::CheckedProgram& program, const library::Catalog& catalog, std::size_t elements, std::uint64_t seed,
    const std::vector<Demands>& wanted);

struct IllElement {
    std::size_t element = 0;
    DataId cause; ///< the first result, in the order of the calls, that is ill conditioned
};
/// Elements of `result` in which some computed datum that has a part in an output is ill conditioned, ascending. What a selection does not take
/// has none, and may be no number.
std::vector<IllElement> ill_conditioned_elements(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, const ReferenceResult& result, std::size_t elements);

} // namespace fusec::execute
