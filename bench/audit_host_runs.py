#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""audit_host_runs.py AUDIT RUNS RESULT SUMMARY OPTION...: runs `AUDIT --target host OPTION...` RUNS (two or more) times in a row on the last of the processors that
this process may use. The run whose kernels' samples spread least, which no predictor has a say in, becomes RESULT. SUMMARY says of every run how it came
out, how far the same kernels' times differ between runs, and how well the times of one run rank those of another. Both runs' times are uncertain there,
and of a prediction beside a run one of two; all kernels within a factor of two count, and no ties are merged, where verdicts have a sample of 60, merged. What all runs
say together (bench/runs_together.py) stands there too, with every kernel's times and predictions."""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from accuracy import nine_in_ten, rank_correlation
from runs_together import kernels_of_runs, named_kernels, together

audit, runs, result_file, summary_file, *options = sys.argv[1:]
FIGURES = ("speed.dram", "stream.read.peak", "stream.copy.peak", "compute.window", "compute.pacing", "stream.lists", "compute.overlap", "compute.first_level")


def run_once(folder, number):
    made = pathlib.Path(folder) / f"{number}.json"
    processor = max(os.sched_getaffinity(0))
    subprocess.run([audit, "--target", "host", "--out", made, *options], check=True, stdout=subprocess.DEVNULL,
                   preexec_fn=lambda: os.sched_setaffinity(0, {processor}))
    return json.loads(made.read_text())


def spread(result):
    """The median over all kernels of the spread of their samples."""
    spreads = sorted(kernel["spread"] for program in result["programs"] for kernel in program["kernels"])
    return spreads[len(spreads) // 2]


def row(result):
    figures = {figure["key"]: figure["value"] for figure in result["calibration"]["figures"]}
    halves = {half: {key: result[half][key] for key in ("median_spread", "verdicts", "within_a_factor_of_two", "plans", "chosen_plans",
                                                        "median_loss_of_chosen_plans", "greatest_loss_of_a_chosen_plan", "greatest_loss_of_a_plan_of_benchmark")} for half in ("held_out", "fitted")}
    return {"date": result["date"], "load_average": result["machine"]["load_average"], "spread": spread(result),
            "figures": {key: figures[key] for key in FIGURES if key in figures}, **halves,
            **({"before": {key: result["before"][key] for key in ("verdicts", "within_a_factor_of_two")}} if "before" in result else {})}


def kernel_seconds(result, held_out_alone=False):
    return {name: kernel["least_seconds"] for name, (program, kernel) in named_kernels(result).items()
            if "same_as" not in kernel and (program["held_out"] or not held_out_alone)}


def agreement(results):
    """Of the kernels that every run measured: by how much the slowest run was slower than the fastest."""
    times = [kernel_seconds(result) for result in results]
    common = set(times[0]).intersection(*times)
    ratios = sorted(max(each[kernel] for each in times) / min(each[kernel] for each in times) - 1 for kernel in common)
    return {"kernels": len(ratios), "median": ratios[len(ratios) // 2], "p90": nine_in_ten(ratios), "worst": ratios[-1]}


def near_correlations(results):
    """For every ordered pair of runs: the first's kernels of programs held out, within the factor of two that has most of them, by the second's times."""
    found = []
    for first in results:
        times = kernel_seconds(first, held_out_alone=True)
        low = max(times.values(), key=lambda start: sum(start <= each <= 2 * start for each in times.values()))
        for second in results:
            if second is not first:
                others = kernel_seconds(second, held_out_alone=True)
                common = [kernel for kernel, each in times.items() if low <= each <= 2 * low and kernel in others]
                found.append(rank_correlation([times[kernel] for kernel in common], [others[kernel] for kernel in common]))
    return {"least": min(found), "median": statistics.median(found), "greatest": max(found)}


if int(runs) < 2:  # before it takes long
    sys.exit(f"{runs} runs cannot be compared: two or more; {audit} makes one")
for file in map(pathlib.Path, (result_file, summary_file)):
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        sys.exit(f"{file} cannot be written")
folder = tempfile.mkdtemp(prefix="fusec-audit-")
results = []
try:
    for number in range(int(runs)):
        results.append(run_once(folder, number))
        composite = next(verdict for verdict in results[-1]["held_out"]["verdicts"] if verdict["predictor"] == "composite")
        print(f"run {number + 1}: spread {100 * spread(results[-1]):.2f} %, composite {100 * composite['mape']:.1f} %", file=sys.stderr)
except BaseException:
    print(f"{len(results)} of {runs} runs are in {folder}", file=sys.stderr)
    raise
kept = min(results, key=spread)
summary = {**{key: kept[key] for key in ("date", "machine", "commit")}, "schema": "fusec-audit-host-runs", "version": 5,
           "slower_than_the_fastest_run": agreement(results),
           "rank_correlation_within_a_factor_of_two_between_runs": near_correlations(results), "runs": [row(result) for result in results]}
summary["kernels"] = list(kernels_of_runs(results, kept))
summary["together"] = together(summary["kernels"])
pathlib.Path(result_file).write_text(json.dumps(kept, indent=1) + "\n")
rows = re.compile(r"\[[^\[\]{}]*\]")  # of numbers: a line each
pathlib.Path(summary_file).write_text(rows.sub(lambda numbers: re.sub(r"\s+", " ", numbers[0]), json.dumps(summary, indent=1)) + "\n")
shutil.rmtree(folder)
