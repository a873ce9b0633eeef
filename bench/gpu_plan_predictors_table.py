#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/measured-gpus.md of how far every predictor is from plans that were timed on a GPU: bench/results/gpu_plans_*.json, each plan once, predicted
by the compiler of now from the work of its kernels, which the result has, or else PLANS.json.gz (bench/gpu_plan_works.py).
Usage: gpu_plan_predictors_table.py GPU_PLAN_PREDICTIONS RESULTS PLANS.json.gz PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not
what it would be. GPU_PLAN_PREDICTIONS is the program bench/gpu_plan_predictions"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import gpu_plan_results
import marked_block
from accuracy import accuracy

BEGIN, END = "<!-- table of bench/gpu_plan_predictors_table.py: begin -->\n", "<!-- table of bench/gpu_plan_predictors_table.py: end -->\n"
DEVICES = ("h200", "h200-probed")

program, results, page = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[4])
found = json.loads(gzip.decompress(pathlib.Path(sys.argv[3]).read_bytes()))["plans"]


def named(plan):
    return f"`{plan['program']}` by `{plan['choices'][0]}`"


def works_of(result, measured):
    first = measured["first"]
    same = [plan["works"] for plan in found if (plan["program"], plan["n"], plan["choices"]) == (result["program"], result["n"], measured["choices"])]
    works = first["works"] if "works" in first else same[0] if len(same) == 1 else []
    if len(works) != len(first["kernels"]) or abs(sum(work["read_bytes"] + work["write_bytes"] for work in works) - first["bytes_per_element"]) > 1e-6:
        sys.exit(f"{sys.argv[3]} has not the plan of {result['program']} by {', '.join(measured['choices'])} that was timed at {result['n']} elements")
    return works


def predictions(plans, device):
    """By predictor seconds of each plan, None where it has no answer; of predictors that the device has no figures for a reason."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "plans.json"
        file.write_text(json.dumps({"plans": [{"n": result["n"], "works": works_of(result, measured)} for result, measured in plans]}))
        run = subprocess.run([program, file, device], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{device}: {run.stderr.strip()}")
    said = json.loads(run.stdout)
    return said["predictors"], said["unavailable"]


def mean_error(pairs):
    return 100 * sum(abs(seconds / measured["seconds"] - 1) for seconds, measured in pairs) / len(pairs)


plans = [(result, measured) for result in gpu_plan_results.read(results) for measured in gpu_plan_results.distinct(result)]
earlier = [plan for plan in found if "counted" in plan]
chosen = sum("auto" in measured["choices"] for _, measured in plans)
out = [f"{len(plans)} plans, those of {len({result['program'] for result, _ in plans})} examples by `auto`, `none`, `max` and `greedy`, each once; {chosen} of them are by `auto`. Made by `bench/gpu_plan_predictors_table.py`."
       + (f" As counted at {earlier[0]['counted'][:7]}, for the compiler of now has not their kernels: {', '.join(named(plan) for plan in earlier)}." if earlier else "") + "\n\n",
       "| predictor | figures of | answers | mean error % | nine in ten % | greatest % | rank correlation | mean error on plans of `auto` % |\n" + "| --- " * 8 + "|\n"]
for device in DEVICES:
    by_predictor, unavailable = predictions(plans, device)
    for name, seconds in by_predictor.items():
        answered = [(each, measured) for each, (_, measured) in zip(seconds, plans, strict=True) if each is not None]
        auto = [(each, measured) for each, measured in answered if "auto" in measured["choices"]]
        every = accuracy([each for each, _ in answered], [measured["seconds"] for _, measured in answered]) if answered else None
        numbers = f"{100 * every['mape']:.1f} | {100 * every['p90']:.1f} | {100 * every['worst']:.1f} | {every['spearman']:.3f}" if every else "| | |"
        on_auto = f"{mean_error(auto):.1f}" + (f" (of {len(auto)})" if len(auto) < chosen else "") if auto else "no answer"
        out.append(f"| `{name}` | {device} | {len(answered)} of {len(plans)} | {numbers} | {on_auto} |\n")
    out += [f"| `{name}` | {device} | none: {reason} | | | | | |\n" for name, reason in unavailable.items()]
marked_block.replace(page, BEGIN, END, "".join(out), sys.argv[5:])
