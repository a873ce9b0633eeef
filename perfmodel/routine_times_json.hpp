// SPDX-License-Identifier: Apache-2.0
// Times of routines as a part of other files. Inside of perfmodel/.
#pragma once

#include "perfmodel/routine_times.hpp"
#include "support/located_json.hpp"

namespace fusec::perfmodel {

using RoutineMap = std::map<std::string, RoutineTimes::Routine, std::less<>>;

/// The routines of an object {NAME: {shared_bytes, extra_shared, block_size, times, residual}}, the last where there is one; fails as the reader does.
RoutineMap read_routines(JsonReader& json, const JsonValue& object);
/// The object as JSON.
std::string routines_json(const RoutineMap& routines);

} // namespace fusec::perfmodel
