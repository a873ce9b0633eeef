#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what docs/measured-hosts.md says of calibrations of one machine, how long they take and how far their figures agree: the result of bench/calibrate_host.py.
Usage: calibrate_host_table.py RESULT PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not what it would be"""
import json
import pathlib
import statistics
import sys

import marked_block

BEGIN, END = "<!-- table of bench/calibrate_host_table.py: begin -->\n", "<!-- table of bench/calibrate_host_table.py: end -->\n"
UNITS = {"stream": "GB/s", "speed.dram": "GB/s", "speed.l2": "GB/s", "speed.l3": "GB/s", "speed.launch": "us", "speed.issue_slots": "instructions per clock",
         "speed.l3_bytes": "MiB", "compute.window": "instructions", "compute.pacing": "share", "stream.lists": "share", "compute.overlap": "exponent", "compute.first_level": "KiB"}
SCALES = {"MiB": 2 ** -20, "KiB": 2 ** -10}


def unit_of(key):
    return UNITS.get(key) or UNITS.get(key.split(".")[0])


def said(processors):
    return f"{processors} processor{'s' * (processors > 1)}"


def cell(key, runs):
    values = sorted(run["figures"][key] * SCALES.get(unit_of(key), 1) for run in runs if key in run["figures"])
    missing = len(runs) - len(values)
    if not values:
        return "not set"
    low, high = f"{values[0]:.3g}" if values[0] < 1000 else f"{values[0]:.0f}", f"{values[-1]:.3g}" if values[-1] < 1000 else f"{values[-1]:.0f}"
    return (low if low == high else f"{low} to {high}") + (f" (not set in {missing} of {len(runs)})" if missing else "")


result = json.loads(pathlib.Path(sys.argv[1]).read_text())
by_processors = {count: [run for run in result["runs"] if run["processors"] == count] for count in sorted({run["processors"] for run in result["runs"]}, reverse=True)}
times = [f"{next(run['seconds'] for run in runs if not run['compiled_before']):.0f} s with nothing compiled before and "
         f"{statistics.median(run['seconds'] for run in runs if run['compiled_before']):.0f} s after that on {said(count)}" for count, runs in by_processors.items()]
out = [f"Made {result['date']} at commit {result['commit']} on {result['machine']['processor']}; from the result by `bench/calibrate_host_table.py`. `fusec calibrate --target host` took {', and '.join(times)}. "
       "What came out, from the least to the greatest of the runs on as many processors:\n\n"]
keys = [key for key in dict.fromkeys(key for run in result["runs"] for key in run["figures"]) if unit_of(key)]
out.append(f"| figure | unit | {' | '.join(f'{said(count)}, {len(runs)} runs' for count, runs in by_processors.items())} |\n" + "| --- " * (2 + len(by_processors)) + "|\n")
for key in keys:
    out.append(f"| `{key}` | {unit_of(key)} | {' | '.join(cell(key, runs) for runs in by_processors.values())} |\n")
warned = [f"{text} ({said(run['processors'])})" for run in result["runs"] for text in run["warnings"]]
out.append("\nNo run drew a warning.\n" if not warned else "\nWarnings: " + "; ".join(dict.fromkeys(warned)) + ".\n")
marked_block.replace(pathlib.Path(sys.argv[2]), BEGIN, END, "".join(out), sys.argv[3:])
