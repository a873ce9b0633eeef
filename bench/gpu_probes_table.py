#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/model.md of how far `composite`, calibrated by the probes of a GPU, is from what they measured: what `fusec calibrate --import`
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
LINE = re.compile(r"^(\S.*?) +(\d+) (fitted|held out) +mean error ([\d.]+) %, of nine in ten ([\d.]+) %, greatest ([\d.]+) %, rank correlation (-?[\d.]+)$")

fusec, measured, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
text = gzip.decompress(measured.read_bytes())
of = json.loads(text)
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "measured.json"
    file.write_bytes(text)
    said = subprocess.run([fusec, "calibrate", "--import", file, "-o", pathlib.Path(folder) / "made.json"], check=True, capture_output=True, text=True).stderr
rows = [match.groups() for match in map(LINE.match, said.splitlines()) if match]
out = [f"Measured {of['date']} on {of['machine']} ({len(of['rows'])} rows); made of them by `bench/gpu_probes_table.py`.\n\n",
       "| kernels | points | | mean error % | nine in ten % | greatest % | rank correlation |\n" + "| --- " * 7 + "|\n"]
out += [f"| {name} | {points} | {role} | {mean} | {nine} | {greatest} | {rank} |\n" for name, points, role, mean, nine, greatest, rank in rows]
marked_block.replace(page, BEGIN, END, "".join(out), sys.argv[4:])
