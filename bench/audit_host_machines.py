#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What audits of a host said on every machine that one was made on.
    audit_host_machines.py add RESULT.json RUNS.json MACHINES.json      keeps the summary of an audit (of bench/audit_host_runs.py), in the place of the same audit;
                                                                        RUNS.json is - where RESULT.json is of one run alone
    audit_host_machines.py table MACHINES.json PAGE.md [--check]        writes the table of docs/measured-hosts.md; with --check exit 1 where it is not what it would be"""
import json
import pathlib
import sys

import marked_block

BEGIN, END = "<!-- table of bench/audit_host_machines.py: begin -->\n", "<!-- table of bench/audit_host_machines.py: end -->\n"
PREDICTORS = ("composite", "benchmark")


def named(verdicts, predictor):
    return next(verdict for verdict in verdicts if verdict["predictor"] == predictor)


def summary(run):
    """`before`: by the calibration of the minutes before, which results have since version 12."""
    half = run["held_out"]
    said = {predictor: {**{key: named(half["verdicts"], predictor)[key] for key in ("kernels", "mape", "spearman")},
                        "spearman_within_a_factor_of_two": named(half["within_a_factor_of_two"]["verdicts"], predictor)["spearman"]} for predictor in PREDICTORS}
    before = {"before": {"mape": named(run["before"]["verdicts"], "composite")["mape"],
                         "spearman_within_a_factor_of_two": named(run["before"]["within_a_factor_of_two"]["verdicts"], "composite")["spearman"]}} if "before" in run else {}
    return {"date": run["date"], "median_spread": half["median_spread"], "greatest_loss_of_a_chosen_plan": half["greatest_loss_of_a_chosen_plan"],
            "greatest_loss_of_a_plan_of_benchmark": half["greatest_loss_of_a_plan_of_benchmark"], **said, **before}


def add(result_file, runs_file, machines_file):
    result = json.loads(pathlib.Path(result_file).read_text())
    runs = {"commit": result["commit"], "runs": [result]} if runs_file == "-" else json.loads(pathlib.Path(runs_file).read_text())
    if result["commit"] != runs["commit"] or result["date"] not in [run["date"] for run in runs["runs"]]:
        sys.exit("these are not one audit")
    file = pathlib.Path(machines_file)
    machines = json.loads(file.read_text())["machines"] if file.exists() else []
    other_half = {"held_out": "the first of two programs, in place of the second"} if result["programs"][0]["held_out"] else {}
    made = {"machine": result["machine"], "compiler": result["compiler"], **{key: result[key] for key in ("sample", "rounds") if key in result}, "commit": result["commit"], "version": result["version"], **other_half,
            "memory_gb_per_s": next(figure["value"] for figure in result["calibration"]["figures"] if figure["key"] == "stream.copy.peak"),
            "runs": [summary(run) for run in runs["runs"]]}

    def same(other):
        return (other["machine"]["processor"], other["commit"], other["runs"][0]["date"]) == (made["machine"]["processor"], made["commit"], made["runs"][0]["date"])

    machines = sorted([other for other in machines if not same(other)] + [made], key=lambda each: each["runs"][0]["date"])
    newest = machines[-1]
    file.write_text(json.dumps({"date": newest["runs"][0]["date"], "commit": newest["commit"], "machine": newest["machine"], "machines": machines}, indent=1) + "\n")


def between(values, scale, digits):
    """Of no values a dash."""
    if not values:
        return "-"
    least, most = f"{scale * min(values):.{digits}f}", f"{scale * max(values):.{digits}f}"
    return least if least == most else f"{least} to {most}"


def table(machines_file, page, words):
    out = ["| machine | made | commit | runs | copies GB/s | spread of samples % | `composite`: MAPE % | Spearman | within a factor of two | chosen plan slower by at most % | "
           "with the calibration of before: MAPE % | within a factor of two | `benchmark`: MAPE % | Spearman | within a factor of two |\n" + "| --- " * 15 + "|\n"]
    for each in json.loads(pathlib.Path(machines_file).read_text())["machines"]:
        runs = each["runs"]
        cells = [each["machine"]["processor"], runs[0]["date"][:10], each["commit"][:7], f"{len(runs)}{', the other half held out' if 'held_out' in each else ''}", f"{each['memory_gb_per_s']:.1f}",
                 between([run["median_spread"] for run in runs], 100, 1)]
        for predictor in PREDICTORS:
            cells += [between([run[predictor]["mape"] for run in runs], 100, 1), between([run[predictor]["spearman"] for run in runs], 1, 3),
                      between([run[predictor]["spearman_within_a_factor_of_two"] for run in runs], 1, 3)]
            if predictor == "composite":
                before = [run["before"] for run in runs if "before" in run]
                cells += [between([run["greatest_loss_of_a_chosen_plan"] for run in runs], 100, 1), between([each["mape"] for each in before], 100, 1),
                          between([each["spearman_within_a_factor_of_two"] for each in before], 1, 3)]
        out.append("| " + " | ".join(cells) + " |\n")
    marked_block.replace(pathlib.Path(page), BEGIN, END, "".join(out), words)


if sys.argv[1] == "add":
    add(*sys.argv[2:5])
else:
    table(sys.argv[2], sys.argv[3], sys.argv[4:])
