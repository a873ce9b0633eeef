// SPDX-License-Identifier: Apache-2.0
// Request and answer of `fusec_analyse`, as JSON: between two programs of one build, so what is wrong with one is an exception.
#pragma once

#include "perfmodel/analysis/analyser.hpp"

#include <string>

namespace fusec::perfmodel::analysis {

std::string to_json(const AnalysisRequest& request);
AnalysisRequest read_request(const std::string& text);

/// Null: there is none, and the diagnostics say why.
std::string to_json(const std::optional<Analysis>& analysis, const Diagnostics& diagnostics);
/// Adds the diagnostics of the answer to `diagnostics`. Throws a std::exception if the text is no answer.
std::optional<Analysis> read_answer(const std::string& text, Diagnostics& diagnostics);

} // namespace fusec::perfmodel::analysis
