#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the plans again that bench/gpu_plans timed before its results held the work of their kernels: has every choice compiled as it did and keeps the works where
the plan has the kernels, the bytes and, to nine digits, the price that the result says.
Usage: gpu_plan_works.py GPU_PLAN_WORKS DEVICE RESULTS FILE.json.gz    GPU_PLAN_WORKS is the program bench/gpu_plan_works
FILE.json.gz: `device`, `plans` [{program, choices, n, works}]; exit 1, and which on stderr, where a plan is another: `composite`, or the search, has changed since."""
import gzip
import json
import pathlib
import subprocess
import sys

import gpu_plan_results

program, device, results, out = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
examples = pathlib.Path(__file__).resolve().parent.parent / "examples"
plans, others = [], []
for result in gpu_plan_results.read(results):
    different = gpu_plan_results.distinct(result)
    command = [program, device, examples / f"{result['program']}.fus", str(result["n"]), *(measured["choices"][0] for measured in different)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for measured, plan in zip(different, found, strict=True):
        said = measured["first"]
        if (plan["kernels"], plan["bytes_per_element"]) == (said["kernels"], said["bytes_per_element"]) and abs(plan["predicted_seconds"] / said["predicted_seconds"] - 1) < 1e-9:
            plans.append({"program": result["program"], "choices": measured["choices"], "n": result["n"], "works": plan["works"]})
        else:
            others.append(f"{result['program']}, {said['plan']}: {plan['predicted_seconds']:.9g} s, {len(plan['kernels'])} kernels; measured was one of "
                          f"{said['predicted_seconds']:.9g} s, {len(said['kernels'])} kernels")
out.write_bytes(gzip.compress((json.dumps({"device": device, "plans": plans}) + "\n").encode(), mtime=0))
print(f"{len(plans)} plans found, {len(others)} not", *others, sep="\n", file=sys.stderr)
sys.exit(1 if others else 0)
