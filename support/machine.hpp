// SPDX-License-Identifier: Apache-2.0
// What a result says about where and when it was obtained.
#pragma once

#include <string>

namespace fusec {

/// "2026-11-23T12:00:00Z", now.
std::string utc_date();

/// What the processor names itself; "unknown" where the system does not tell.
std::string processor_name();

} // namespace fusec
