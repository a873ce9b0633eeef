// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/analyser.hpp"

#include "perfmodel/analysis/analyser_json.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <exception>

namespace fusec::perfmodel::analysis {

namespace fs = std::filesystem;

fs::path analyser_program() {
    if (const char* const chosen = std::getenv("FUSEC_ANALYSER"); chosen != nullptr && *chosen != '\0') {
        return chosen;
    }
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code);
    const fs::path installed = self.parent_path().parent_path() / "libexec" / "fusec" / "fusec_analyse";
    return !code && fs::exists(installed, code) ? installed : fs::path(FUSEC_ANALYSER_PROGRAM);
}

std::optional<Analysis> analyse(const AnalysisRequest& request, Diagnostics& diagnostics) {
    const TemporaryFolder folder("analyse", diagnostics);
    const fs::path question = folder.path() / "request.json", reply = folder.path() / "answer.json";
    if (folder.path().empty() || !write_files({{question, to_json(request)}}, diagnostics)) {
        return std::nullopt;
    }
    const fs::path program = analyser_program();
    const ProcessResult result = run_process({program.string(), question.string(), reply.string()});
    Diagnostics missing; // an answer that is not there is told as one that cannot be read
    const std::string text = read_file(reply, missing).value_or("");
    try {
        return read_answer(text, diagnostics);
    } catch (const std::exception&) {
        std::error_code ignored;
        const std::string ended = fs::exists(program, ignored) ? "ended without an answer (exit code " + std::to_string(result.exit_code) +
                ")" + (result.output.empty() ? "" : ": " + result.output.substr(0, 400))
                                                               : "is not there";
        diagnostics.report(kind::static_analysis, {}, "the analyser `" + program.string() + "` " + ended);
        return std::nullopt;
    }
}

} // namespace fusec::perfmodel::analysis
