#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_probes_table_test.py FUSEC ROOT: bench/gpu_probes_table.py makes the rows that docs/model.md has, of what FUSEC says of the measurements of a GPU; digits may differ, as fits may end a
last one apart on other processors. By the measurements themselves: every program whose kernels were timed has its row, with as many points, and each predictor answers for a point or does not."""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

fusec, root = sys.argv[1], pathlib.Path(sys.argv[2])
measured = root / "bench/measurements/gpu_probes_h200.json.gz"
BLOCK = re.compile(r"<!-- table of bench/gpu_probes_table.py: begin -->\n(.*)<!-- table of bench/gpu_probes_table.py: end -->", re.S)
failures = []


def rows_of(page):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in BLOCK.search(page).group(1).splitlines() if line.startswith("|")]


def without_digits(rows):
    return [[re.sub(r"-?[\d.]+", "#", cell) for cell in row] for row in rows]


before = (root / "docs/model.md").read_text()
with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "model.md"
    page.write_text(before)
    subprocess.run([sys.executable, root / "bench/gpu_probes_table.py", fusec, measured, page], check=True)
    after = page.read_text()
rows = rows_of(after)
if BLOCK.sub("", before) != BLOCK.sub("", after):
    failures.append("the script writes more of the page than its table")
if without_digits(rows) != without_digits(rows_of(before)):
    failures.append("docs/model.md has other rows than bench/gpu_probes_table.py makes: write it anew")

timed = collections.Counter("generated" if row["seed"] > 0 else f"`{row['program']}`" for row in json.loads(gzip.decompress(measured.read_bytes()))["rows"]
                            if row["probe"] == "kernel" and row["role"] == "held-out")
places = [i for i, row in enumerate(rows) if row[0] in ("kernels", "predictor", "candidates")]
assert len(places) == 3, "a table of kernels, one of predictors, one of both"
kernels, predictors, both = (rows[begin + 2:end] for begin, end in zip(places, places[1:] + [len(rows)]))
for table, column in ((kernels, 1), (both, 1)):
    found = {row[0]: int(row[column]) for row in table if row[0] in timed}
    if found != dict(timed):
        failures.append(f"a table has {found}, of what was timed {dict(timed)}")
for row in predictors:
    if int(row[1]) + int(row[2]) != sum(timed.values()):
        failures.append(f"{row[0]} answers for {row[1]} and not for {row[2]} of {sum(timed.values())} kernels")
if [row[0] for row in predictors] != rows[places[2]][2:]:
    failures.append("the tables have other predictors than each other")
print("\n".join(failures), end="\n" if failures else "")
sys.exit(1 if failures else 0)
