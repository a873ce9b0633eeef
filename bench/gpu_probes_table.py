#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/measured-gpus.md of how far predictors, calibrated by the probes of a GPU, are from what they measured: what `fusec calibrate --import`
says of the measurements. Usage: gpu_probes_table.py FUSEC MEASURED.json.gz PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not
what it would be. No test does that: fits may end a last digit apart on processors whose mathematical library rounds otherwise."""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import marked_block

BEGIN, END = "<!-- table of bench/gpu_probes_table.py: begin -->\n", "<!-- table of bench/gpu_probes_table.py: end -->\n"
ERRORS = r"mean error ([\d.]+) %, of nine in ten ([\d.]+) %, greatest ([\d.]+) %, rank correlation (-?[\d.]+)(?:, (\d+) without an answer)?$"
LINE = re.compile(r"^(\S.*?) +(\d+) (fitted|held out) +" + ERRORS)
TOGETHER = re.compile(r"^candidates by (\S+) +(\d+) held out +" + ERRORS)
NEVER = re.compile(r"^candidates by (\S+) +no answer to any of (\d+) points?$")
SIDE_BY_SIDE = re.compile(r"^mean error on (.*?): (.*)$")

fusec, measured, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
text = gzip.decompress(measured.read_bytes())
of = json.loads(text)
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "measured.json"
    file.write_bytes(text)
    said = subprocess.run([fusec, "calibrate", "--import", file, "-o", pathlib.Path(folder) / "made.json"], check=True, capture_output=True, text=True).stderr
lines = said.splitlines()
never = [match.groups() for match in map(NEVER.match, lines) if match]
together = [match.groups() for match in map(TOGETHER.match, lines) if match]
rows = [match.groups() for match in map(LINE.match, lines) if match and not TOGETHER.match(match.string)]
apart = [(match.group(1), dict(each.split(" ", 1) for each in match.group(2).split(", "))) for match in map(SIDE_BY_SIDE.match, lines) if match]
if not rows or not together or not apart:
    sys.exit(f"{fusec} says nothing of how far predictors are from {measured}")
points = {name: count for name, count, *_ in rows}
out = [f"Measured {of['date']} on {of['machine']} ({len(of['rows'])} rows); made of them by `bench/gpu_probes_table.py`. `composite` on every kernel:\n\n",
       "| kernels | points | | mean error % | nine in ten % | greatest % | rank correlation |\n" + "| --- " * 7 + "|\n"]
out += [f"| {name} | {count} | {role} | {mean} | {nine} | {greatest} | {rank} |\n" for name, count, role, mean, nine, greatest, rank, _ in rows]
out += ["\nEvery predictor on the candidates that the compiler emitted, all held out:\n\n",
        "| predictor | answers | none | mean error % | nine in ten % | greatest % | rank correlation |\n" + "| --- " * 7 + "|\n"]
out += [f"| `{name}` | {count} | {unanswered or 0} | {mean} | {nine} | {greatest} | {rank} |\n" for name, count, mean, nine, greatest, rank, unanswered in together]
out += [f"| `{name}` | 0 | {unanswered} | | | | |\n" for name, unanswered in never]
names = [name for name, *_ in together + never]
out += ["\nThe mean error on each program's, in %; in brackets how many a predictor has no answer for:\n\n", "| candidates | points | " + " | ".join(f"`{name}`" for name in names) + " |\n" + "| --- " * (2 + len(names)) + "|\n"]
out += [f"| {kernel} | {points[kernel]} | " + " | ".join(errors[name].replace(" %", "").replace(" without an answer", "") for name in names) + " |\n" for kernel, errors in apart]
marked_block.replace(page, BEGIN, END, "".join(out), sys.argv[4:])
