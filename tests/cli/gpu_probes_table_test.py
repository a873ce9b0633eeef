#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_probes_table_test.py FUSEC ROOT: bench/gpu_probes_table.py makes the rows that docs/measured-gpus.md has, of what FUSEC says of the measurements of a GPU. Fits may end a last digit apart on
other processors: figures with a point are the same within one unit of their last digit or 1 %, whichever is more; whole numbers, which count, and all words are the same. By the measurements
themselves: every program whose kernels were timed has its row, with as many points, and each predictor answers for a point or does not."""
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


def words_of(page):
    return [line for line in BLOCK.search(page).group(1).splitlines() if not line.startswith("|")]


FIGURE = re.compile(r"(-?\d+\.\d+)")


def same(said, made):
    """Of two cells: the same words, counts and digits behind the point, and figures that another processor's rounding may have made of each other."""
    pieces = list(zip(FIGURE.split(said), FIGURE.split(made)))  # every second one a figure
    if len(FIGURE.findall(said)) != len(FIGURE.findall(made)) or any(one != other for one, other in pieces[::2]):
        return False
    for one, other in pieces[1::2]:
        unit = 0.1 ** len(other.split(".")[1])
        if len(one.split(".")[1]) != len(other.split(".")[1]) or abs(float(one) - float(other)) > max(unit, 0.01 * abs(float(other))) * (1 + 1e-9):
            return False
    return True


def differences(said, made):
    """Of two tables' rows, in words."""
    if [len(row) for row in said] != [len(row) for row in made]:
        return ["docs/measured-gpus.md has not as many rows and cells as bench/gpu_probes_table.py makes: write it anew"]
    return [f"docs/measured-gpus.md has `{one}` in the row of {row[0]} where bench/gpu_probes_table.py makes `{other}`: write it anew"
            for row, others in zip(said, made) for one, other in zip(row, others) if not same(one, other)]


def check_differences(rows):
    """What the comparison calls the same, and that it names every figure and count of the rows that is edited."""
    for one, other, wanted in (("13.8", "13.8", True), ("13.8", "13.9", True), ("13.6", "13.8", False), ("8772.5", "8700.1", True), ("8772.5", "8600.0", False), ("-0.11", "-0.12", True),
                               ("0.11", "-0.11", False), ("0.83", "0.85", False), ("0.830", "0.83", False), ("141.2 (3)", "141.1 (3)", True), ("141.2 (3)", "141.2 (4)", False),
                               ("141.2", "141.2 (3)", False), ("132", "133", False), ("", "", True), ("", "0.1", False), ("`spd_solve3`", "`spd_solve6`", False), ("nan", "1.0", False)):
        if same(one, other) is not wanted:
            failures.append(f"`{one}` and `{other}` are{'' if same(one, other) else ' not'} called the same")
    for i, row in enumerate(rows):
        for k, cell in enumerate(row):
            if re.search(r"\d", cell):
                edited = re.sub(r"\d+", lambda count: str(int(count[0]) + 1), cell)
                if "." in cell:
                    edited = FIGURE.sub(lambda figure: f"{1.03 * float(figure[0]) + 0.3:.{len(figure[0].split('.')[1])}f}", cell)
                if len(differences(rows[:i] + [row[:k] + [edited] + row[k + 1:]] + rows[i + 1:], rows)) != 1:
                    failures.append(f"`{edited}` in the place of `{cell}` is not named once")
    if not differences(rows[:-1], rows) or not differences(rows[:3] + [rows[3][:-1]] + rows[4:], rows):
        failures.append("rows, or cells, that are missing are not named")


before = (root / "docs/measured-gpus.md").read_text()
with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "measured-gpus.md"
    page.write_text(before)
    subprocess.run([sys.executable, root / "bench/gpu_probes_table.py", fusec, measured, page], check=True)
    after = page.read_text()
rows = rows_of(after)
if BLOCK.sub("", before) != BLOCK.sub("", after):
    failures.append("the script writes more of the page than its table")
failures += differences(rows_of(before), rows)
if words_of(before) != words_of(after):
    failures.append("docs/measured-gpus.md has other words between its tables than bench/gpu_probes_table.py makes: write it anew")
check_differences(rows)

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
