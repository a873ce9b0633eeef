// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_report.hpp"

#include "bench/run_record.hpp"

#include <iomanip>
#include <ostream>
#include <sstream>

namespace fusec::bench {

using nlohmann::ordered_json;

namespace {

void print_table(const std::vector<Verdict>& verdicts, std::ostream& out) {
    out << std::left << std::setw(14) << "predictor" << std::setw(11) << "device" << std::right << std::setw(7) << "points" << std::setw(9)
        << "MAPE %" << std::setw(9) << "p90 %" << std::setw(9) << "max %" << std::setw(10) << "Spearman" << "   MAPE % of each kernel\n";
    for (const Verdict& verdict : verdicts) {
        out << std::left << std::setw(14) << verdict.predictor << std::setw(11) << verdict.device << std::right;
        if (!verdict.unavailable.empty()) {
            out << "  " << verdict.unavailable << "\n";
            continue;
        }
        out << std::setw(7) << verdict.all.points << std::fixed << std::setprecision(1) << std::setw(9) << 100 * verdict.all.mape
            << std::setw(9) << 100 * verdict.all.p90 << std::setw(9) << 100 * verdict.all.worst << std::setprecision(3) << std::setw(10)
            << verdict.all.spearman << std::setprecision(1) << "  ";
        for (const KernelAccuracy& each : verdict.kernels) {
            out << " " << each.kernel << " " << 100 * each.accuracy.mape;
        }
        out << "  mean " << 100 * verdict.by_kernel << "\n";
    }
    out << "\n";
}

ordered_json to_json(const perfmodel::Accuracy& accuracy) {
    return {{"points", accuracy.points}, {"mape", accuracy.mape}, {"p90", accuracy.p90}, {"max", accuracy.worst},
        {"spearman", accuracy.spearman}};
}

ordered_json to_json(const std::vector<Verdict>& verdicts, bool with_points) {
    ordered_json rows = ordered_json::array();
    for (const Verdict& verdict : verdicts) {
        ordered_json row{{"predictor", verdict.predictor}, {"device", verdict.device}};
        if (!verdict.unavailable.empty()) {
            row["unavailable"] = verdict.unavailable;
            rows.push_back(std::move(row));
            continue;
        }
        row["all"] = to_json(verdict.all);
        row["mean_of_kernels"] = verdict.by_kernel;
        for (const KernelAccuracy& each : verdict.kernels) {
            row["kernels"][each.kernel] = to_json(each.accuracy);
            if (!each.fastest.empty()) {
                row["kernels"][each.kernel]["ranks_of_the_five_fastest"] = each.fastest;
                row["kernels"][each.kernel]["loss_of_the_chosen_launch"] = each.loss;
            }
        }
        row["unanswered"] = verdict.unanswered;
        row["fit_error"] = verdict.fit_error;
        row["evaluations"] = verdict.evaluations;
        row["figures"] = ordered_json::array();
        for (const perfmodel::FittedFigure& figure : verdict.figures) {
            row["figures"].push_back({{"key", figure.key}, {"before", figure.before}, {"value", figure.after},
                {"determined", figure.determined}, {"at_bound", figure.at_bound()}});
        }
        if (with_points) {
            row["points"] = ordered_json::array();
            for (const Judged& point : verdict.points) {
                row["points"].push_back({point.place, point.kernel, point.measured, point.predicted});
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

void print(const Audit& audit, bool figures, std::ostream& out) {
    out << "files, and how they are read\n";
    for (const DeviceData& data : audit.devices) {
        for (const FileRead& file : data.files) {
            out << "  " << data.device.name << "  " << file.file << " (" << file.points << " points): " << file.reading << "\n";
        }
    }
    out << "\nfiles that are not read\n";
    for (const std::string& file : audit.not_read) {
        out << "  " << file << "\n";
    }
    out << "\nfigures that are not those of the descriptions\n";
    for (const DeviceData& data : audit.devices) {
        for (const Replaced& each : data.replaced) {
            out << "  " << data.device.name << "  " << each.key << " " << each.described << " -> " << each.used << ": " << each.reason
                << "\n";
        }
    }
    out << "\nfitted to init, read, scale, latency and start-up of the device, its measured bandwidth of L2 known; judged on all else\n";
    print_table(audit.fitted, out);
    out << "the same with the bandwidth of L2 carried over from the others\n";
    print_table(audit.fitted_with_l2_of_others, out);
    out << "`pipeline` with its correction, trained on the points that it was fitted to\n";
    print_table(audit.corrected, out);
    out << "one device left out: its data sheet, clock, latencies and measured bandwidth of L2, the rest carried over from the others\n";
    print_table(audit.left_out, out);
    out << "one device left out: its data sheet, clock and latencies, the rest carried over from the others, the bandwidth of L2 too\n";
    print_table(audit.left_out_with_l2_of_others, out);
    if (figures) {
        for (const Verdict& verdict : audit.fitted) {
            out << verdict.predictor << " on " << verdict.device << ": error " << verdict.fit_error << ", " << verdict.evaluations
                << " evaluations\n";
            for (const perfmodel::FittedFigure& figure : verdict.figures) {
                out << "  " << figure.key << " " << figure.before << " -> " << figure.after
                    << (!figure.determined         ? " (undetermined)"
                               : figure.at_bound() ? " (at its bound)"
                                                   : "")
                    << "\n";
            }
        }
    }
}

std::string to_json(const Audit& audit, const std::string& sources, bool points) {
    ordered_json result{{"schema", "fusec-audit-data"}, {"version", 6}};
    result.update(run_record(sources));
    result["data"] = "https://github.com/RRZE-HPC/gpu-benches @1038c5d";
    for (const DeviceData& data : audit.devices) {
        ordered_json device{{"name", data.device.name}, {"files", ordered_json::array()}, {"replaced", ordered_json::array()}};
        for (const FileRead& file : data.files) {
            device["files"].push_back({{"file", file.file}, {"reading", file.reading}, {"points", file.points}});
        }
        for (const Replaced& each : data.replaced) {
            device["replaced"].push_back({{"key", each.key}, {"described", each.described}, {"used", each.used}, {"reason", each.reason}});
        }
        result["devices"].push_back(std::move(device));
    }
    result["not_read"] = audit.not_read;
    result["fitted"] = to_json(audit.fitted, points);
    result["fitted_with_l2_of_others"] = to_json(audit.fitted_with_l2_of_others, points);
    result["corrected"] = to_json(audit.corrected, points);
    result["left_out_device"] = to_json(audit.left_out, points);
    result["left_out_device_with_l2_of_others"] = to_json(audit.left_out_with_l2_of_others, points);
    // One verdict per line: small enough to read and to compare.
    std::ostringstream text;
    text << "{\n";
    for (auto entry = result.begin(); entry != result.end(); ++entry) {
        text << (entry == result.begin() ? "" : ",\n") << "  " << ordered_json(entry.key()) << ": ";
        if (entry->is_array()) {
            text << "[\n";
            for (std::size_t i = 0; i < entry->size(); ++i) {
                text << (i == 0 ? "    " : ",\n    ") << (*entry)[i].dump();
            }
            text << "\n  ]";
        } else {
            text << entry->dump();
        }
    }
    text << "\n}\n";
    return std::move(text).str();
}

} // namespace fusec::bench
