// SPDX-License-Identifier: Apache-2.0
// What a result says about where and when it was obtained.
#pragma once

#include <string>
#include <string_view>

namespace fusec {

/// "2026-11-23T12:00:00Z", now.
std::string utc_date();
/// Whether a text is such a date, of a day and a second that there are.
bool is_utc_date(std::string_view text);

/// What the processor names itself, with its family and model where the system tells them (virtual machines have one name for several generations):
/// "AMD EPYC, family 25 model 17"; "unknown" where it does not tell a name.
std::string processor_name();

} // namespace fusec
