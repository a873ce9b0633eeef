// SPDX-License-Identifier: Apache-2.0
// audit --data DIR [--out FILE.json [--points]] [--svg FILE.svg] [--figures]: how far every predictor is from public measurements of GPUs.
//
// DIR holds result files of https://github.com/RRZE-HPC/gpu-benches (perfmodel/fit/gpu_benches.hpp). Every predictor is fitted to the same
// points and
// judged on the others, then with one device left out (bench/audit_judge.hpp). Prints how each file is read, the tables, and what was
// fitted.
#include "bench/audit_judge.hpp"
#include "bench/audit_report.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

namespace {

int usage() {
    std::cerr << "usage: audit --data DIR [--out FILE.json] [--svg FILE.svg] [--figures] [--points]\n";
    return 2;
}

bool write(const std::string& file, const std::string& text) {
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) {
        std::cerr << "audit: cannot write " << file << "\n";
    }
    return static_cast<bool>(out);
}

} // namespace

int main(int argc, char** argv) {
    using namespace fusec;
    std::string folder, out, svg;
    bool figures = false, points = false;
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
        std::string* value = word == "--data" ? &folder : word == "--out" ? &out : word == "--svg" ? &svg : nullptr;
        if (value == nullptr || ++i == argc) {
            return usage();
        }
        *value = argv[i];
    }
    if (folder.empty()) {
        return usage();
    }
    Diagnostics diagnostics;
    bench::Audit audit;
    audit.devices = bench::read_audit_data(folder, diagnostics);
    render(diagnostics, std::cerr, false);
    if (diagnostics.has_errors()) {
        return diagnostics.exit_code();
    }
    audit.fitted = bench::judge_fitted(audit.devices);
    audit.left_out = bench::judge_left_out(audit.devices, audit.fitted);
    bench::print(audit, figures, std::cout);
    const bool written = (out.empty() || write(out, bench::to_json(audit, FUSEC_SOURCE_FOLDER, points))) &&
        (svg.empty() || write(svg, bench::to_svg(audit)));
    return written ? 0 : 1;
}
