#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/measured-gpus.md of plans that were timed on a GPU: bench/results/gpu_plans_*.json, as scripts/measure-gpu.sh leaves them.
Usage: gpu_plans_table.py RESULTS PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not what it would be"""
import pathlib
import sys

import gpu_plan_results
import marked_block
from accuracy import nine_in_ten

BEGIN, END = "<!-- table of bench/gpu_plans_table.py: begin -->\n", "<!-- table of bench/gpu_plans_table.py: end -->\n"
CHOICES = ("auto", "none", "max", "greedy")

results = gpu_plan_results.read(sys.argv[1])
page = pathlib.Path(sys.argv[2])
first, dates = results[0], sorted(result["date"] for result in results)
commits = sorted({result["commit"] for result in results})
out = [f"Made {dates[0]} to {dates[-1]} at commit {', '.join(commits)} on {first['gpu']['name']}, driver {first['gpu']['driver']}, {first['n']} elements, medians of {first['runs']} launches in turns; from the results by "
       "`bench/gpu_plans_table.py`.\n\n"]
out.append("| program | `auto`: kernels | ms | of the best copy | predicted / measured | `none` / `auto` | `max` / `auto` | `greedy` / `auto` |\n" + "| --- " * 8 + "|\n")
errors, losses, apart_by = [], [], [0]
for result in results:
    plans = {plan["plan"]: plan for plan in result["plans"]}
    auto = plans["auto"]
    different = gpu_plan_results.distinct(result)
    errors += [abs(plan["first"]["predicted_seconds"] / plan["seconds"] - 1) for plan in different]
    losses.append(next(plan["seconds"] for plan in different if "auto" in plan["choices"]) / min(plan["seconds"] for plan in different) - 1)
    apart_by += [max(medians) / min(medians) - 1 for medians in ([plans[choice]["median_seconds"] for choice in plan["choices"]] for plan in different)]
    out.append(f"| {result['program']} | {len(auto['kernels'])} | {1e3 * auto['median_seconds']:.3f} | {auto['of_copy']:.2f} | {auto['predicted_seconds'] / auto['median_seconds']:.2f} | "
               + " | ".join(f"{plans[choice]['median_seconds'] / auto['median_seconds']:.2f}" for choice in CHOICES[1:]) + " |\n")
timed = sum(len(result["plans"]) for result in results)
compared = [result["largest_relative_difference_of_outputs"] for result in results if result["largest_relative_difference_of_outputs"] is not None]
apart = [f"`{result['program']}`" for result in results if result["largest_relative_difference_of_outputs"] is None]
fastest = "No other plan of a program is faster than that of `auto`" if max(losses) == 0 else f"The plan of `auto` is at most {100 * max(losses):.1f} % slower than the fastest of its program"
out.append(f"\nThe {timed} choices are {len(errors)} plans; the medians of one plan that several name differ by at most {100 * max(apart_by):.1f} %. Each counted once, with all its launches, "
           f"`composite` is {100 * sum(errors) / len(errors):.1f} % off in the mean, {100 * nine_in_ten(errors):.1f} % for nine in ten, {100 * max(errors):.1f} % at most, by its prices of when they were measured; what it says by today's counts stands in the next table. {fastest}. "
           f"The results of all plans of a program differ by at most {max(compared):.1g}"
           + (f"; not compared are those of {', '.join(apart)}, which {'updates' if len(apart) == 1 else 'update'} lists in place until they are no numbers.\n" if apart else ".\n"))

marked_block.replace(page, BEGIN, END, "".join(out), sys.argv[3:])
