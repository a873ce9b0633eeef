#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/performance.md from the results of explore_scale.  Usage: explore_scale_table.py RESULT.json > docs/performance.md"""
import json
import sys

# Calls: seconds and gap asked for (the compile-time goals of the project).
GOALS = {10: (0.1, 0.0), 30: (1, 0.0), 100: (2, 0.05), 300: (10, 0.05), 1000: (60, 0.05)}

result = json.load(open(sys.argv[1]))
print("# Compile time\n")
print("`bench/explore_scale` runs `fusec explore --json` (five plans) on layered programs over 4x4 matrices, without nvcc. "
      "This page is generated from the result by `bench/explore_scale_table.py`.\n")
print(f"Measured {result['date']} at commit {result['commit']} on {result['processor']}, {result['cores']} cores; one warm run is the median of "
      f"{result['warm_runs']}. Load average {result['load_at_start']:.1f} at the start and {result['load_at_end']:.1f} at the end: above 1, the elapsed "
      "time shows other work too, and the processor time is the figure to compare.\n")
print("The search uses as many threads as the process may run at once (its affinity); `FUSEC_THREADS=N` in the environment sets another number. What is found does not "
      "depend on it. The linear programs and branch and bound run on one.\n")
HEAD = "processor s | elapsed s, warm | elapsed s, cold | space s | plan s | fusions | candidates | gap | peak MiB"


def measured(row):
    warm = row["warm"]
    return (f"{warm['processor_seconds']:.2f} | {warm['seconds']:.2f} | {row['cold']['seconds']:.2f} | {warm['stages']['space']:.2f} | "
            f"{warm['stages']['plan']:.2f} | {row['fusions']:,}{'' if row['complete'] else ' (cut)'} | {row['candidates']:,} | {100 * row['gap']:.2f} % | "
            f"{warm['peak_mebibytes']:.0f}")


def asked(row):
    """What the compile-time goals say of the row."""
    if row["calls"] not in GOALS:
        return "-"
    seconds, gap = GOALS[row["calls"]]
    gap_met = row["gap"] <= gap + 1e-9
    met = lambda value: "met" if value <= seconds and gap_met else "missed"
    warm = row["warm"]
    return f"{seconds:g} s, gap {100 * gap:g} %: {met(warm['processor_seconds'])} (processor), {met(warm['seconds'])} (elapsed)"


print(f"| calls | {HEAD} | goal |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for row in result["sizes"]:
    if row.get("program", "layered") == "layered":
        print(f"| {row['calls']} | {measured(row)} | {asked(row)} |")
others = [row for row in result["sizes"] if row.get("program", "layered") != "layered"]
if others:
    print("\nMatrices written component by component: the symmetric part of a matrix, which is condensed into one call, and matrices of determinants of "
          "sums, whose calls cannot be condensed.\n")
    print(f"| program | assignments | calls | {HEAD} |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in others:
        print(f"| {row['program']} | {row['assignments']} | {row['calls_after_merging']} | {measured(row)} |")
