// SPDX-License-Identifier: Apache-2.0
// audit --data DIR [--out FILE.json [--points]] [--svg FILE.svg] [--figures]: how far every predictor is from public measurements of GPUs.
// audit --data DIR --ablation [--out FILE.json]: what each term of `composite` is worth on them (bench/audit_ablation.hpp).
// audit --ablation --probes FILE [--out FILE.json]: the same on what the probes measured on a GPU (`fusec calibrate --target cuda`), FILE as they write it.
// audit --target host --out FILE.json [--sample N] [--rounds N] [--withhold kernels|programs] [--hold-out first|second] [--points-out FILE] PROGRAM...: how far those of hosts are from this one
// (bench/audit_host.hpp).
//
// DIR holds result files of https://github.com/RRZE-HPC/gpu-benches (perfmodel/fit/gpu_benches.hpp). Every predictor is fitted to the same
// points and judged on the others, then with one device left out (bench/audit_judge.hpp). Prints how each file is read, the tables, and what
// was fitted; `--points` puts every point with what is said of it into the result.
#include "bench/audit_ablation.hpp"
#include "bench/audit_host.hpp"
#include "bench/audit_judge.hpp"
#include "bench/audit_report.hpp"
#include "perfmodel/fit/gpu_calibration.hpp"
#include "support/files.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

int usage() {
    std::cerr << "usage: audit --data DIR [--out FILE.json] [--svg FILE.svg] [--figures] [--points]\n"
                 "       audit --data DIR --ablation [--out FILE.json]\n"
                 "       audit --ablation --probes FILE [--out FILE.json]\n"
                 "       audit --target host --out FILE.json [--sample N] [--rounds N] [--withhold kernels|programs] [--hold-out "
                 "first|second] [--points-out FILE] "
                 "PROGRAM...\n";
    return 2;
}

/// Those that are named, before minutes are spent on what goes into them.
bool can_write(std::vector<std::filesystem::path> files) {
    std::erase(files, std::filesystem::path());
    fusec::Diagnostics diagnostics;
    const bool possible = fusec::can_write_files(files, diagnostics);
    render(diagnostics, std::cerr, false);
    return possible;
}

bool write(const std::vector<fusec::OutputFile>& files) {
    fusec::Diagnostics diagnostics;
    const bool written = fusec::write_files(files, diagnostics);
    render(diagnostics, std::cerr, false);
    return written;
}

int audit_of_host(const std::vector<std::string>& words) {
    const auto options = fusec::bench::host_audit_options(words);
    if (!options) {
        return usage();
    }
    if (!can_write({options->out, options->points_out})) {
        return 1;
    }
    try {
        const nlohmann::ordered_json result = fusec::bench::audit_host(*options, FUSEC_SOURCE_FOLDER);
        std::cout << result["held_out"].dump(1) << '\n';
        return write({{options->out, result.dump(1) + "\n"}}) ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "audit: " << error.what() << '\n';
        return 1;
    }
}

int write_ablations(const std::vector<fusec::bench::AblatedDevice>& ablated, const std::string& out, const std::string& data) {
    fusec::bench::print(ablated, std::cout);
    return out.empty() || write({{out, fusec::bench::to_json(ablated, FUSEC_SOURCE_FOLDER, data)}}) ? 0 : 1;
}

int ablation_of_probes(const std::string& file, const std::string& out) {
    fusec::Diagnostics diagnostics;
    const auto measured = fusec::perfmodel::read_gpu_measurements(file, diagnostics);
    const auto calibrated = measured ? fusec::perfmodel::calibrate_gpu(*measured, diagnostics) : std::nullopt;
    render(diagnostics, std::cerr, false);
    if (!calibrated) {
        return diagnostics.exit_code();
    }
    return write_ablations({fusec::bench::ablate(*calibrated)}, out, "the probes of " + measured->machine + ", " + measured->date);
}

} // namespace

int main(int argc, char** argv) {
    using namespace fusec;
    if (argc > 2 && std::strcmp(argv[1], "--target") == 0 && std::strcmp(argv[2], "host") == 0) {
        return audit_of_host({argv + 3, argv + argc});
    }
    std::string folder, out, svg, probes;
    bool figures = false, points = false, ablation = false;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--figures") {
            figures = true;
            continue;
        }
        if (word == "--points") {
            points = true;
            continue;
        }
        if (word == "--ablation") {
            ablation = true;
            continue;
        }
        std::string* value = word == "--data" ? &folder
            : word == "--out"                 ? &out
            : word == "--svg"                 ? &svg
            : word == "--probes"              ? &probes
                                              : nullptr;
        if (value == nullptr || ++i == argc) {
            return usage();
        }
        *value = argv[i];
    }
    if (folder.empty() == probes.empty() || (!probes.empty() && !ablation) || (ablation && (figures || points || !svg.empty()))) {
        return usage();
    }
    if (!can_write({out, svg})) {
        return 1;
    }
    if (!probes.empty()) {
        return ablation_of_probes(probes, out);
    }
    Diagnostics diagnostics;
    bench::Audit audit;
    audit.devices = bench::read_audit_data(folder, diagnostics);
    audit.not_read = bench::files_not_read(folder);
    render(diagnostics, std::cerr, false);
    if (diagnostics.has_errors()) {
        return diagnostics.exit_code();
    }
    if (ablation) {
        return write_ablations(bench::ablate(audit.devices), out, "https://github.com/RRZE-HPC/gpu-benches @1038c5d");
    }
    audit.fitted = bench::judge_fitted(audit.devices);
    audit.fitted_with_l2_of_others = bench::judge_fitted(audit.devices, bench::Known::data_sheet_and_latencies);
    audit.corrected = bench::judge_corrected(audit.devices, audit.fitted);
    audit.left_out = bench::judge_left_out(audit.devices, audit.fitted, bench::Known::bandwidth_of_l2_too);
    audit.left_out_with_l2_of_others = bench::judge_left_out(audit.devices, audit.fitted, bench::Known::data_sheet_and_latencies);
    bench::print(audit, figures, std::cout);
    std::vector<OutputFile> files;
    if (!out.empty()) {
        files.push_back({out, bench::to_json(audit, FUSEC_SOURCE_FOLDER, points)});
    }
    if (!svg.empty()) {
        files.push_back({svg, bench::to_svg(audit)});
    }
    return write(files) ? 0 : 1;
}
