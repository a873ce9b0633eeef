#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether what the probes wrote has the rows that they are to sweep, and the clock that the runtime of the test gives: 1.7 GHz under load, 1.98 GHz else.
Usage: probe_rows.py MEASURED.json MODE    (beside, crowded: kernels run beside each other; alone: none does)"""
import itertools
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    rows = json.load(file)["rows"]
clock = ("idle", 1.98) if sys.argv[2] == "alone" else ("load", 1.7)
failures = [f"{row['probe']} has the clock {row['clock_ghz']} ({row['clock']})" for row in rows if (row["clock"], round(row["clock_ghz"], 3)) != clock]


def expect(probe, **wanted):
    """Every combination of the values, once; the keys that are not named may be anything."""
    found = [tuple(row[key] for key in wanted) for row in rows if row["probe"] == probe]
    for each in itertools.product(*wanted.values()):
        if found.count(each) != 1:
            failures.append(f"{probe}: {found.count(each)} rows of {dict(zip(wanted, each))}")


BLOCKS = [10**k for k in range(7)]
expect("launch", mode=["stream"], threads=[32, 128, 256, 1024], blocks=BLOCKS)
expect("launch", mode=["event", "graph"], threads=[32, 256], blocks=BLOCKS)
expect("arguments", mode=["stream", "event", "graph"], pointers=[1, 4, 16, 64, 128])
expect("pipe", operation=["reciprocal", "lop3_b32", "reciprocal_root", "add_i32"], independent=[1, 2, 4, 8], warps=[1, 4, 8, 16, 32])
expect("shared", way=["load", "store"], word=[4, 8, 16], stride=[0, 1, 2, 4, 8, 16, 32])
expect("chase", space=["shared"])
expect("barrier", warps=[1, 2, 4, 8, 16, 32], resident=[1, 2])

# The runtime has 2 us for a launch and 0.6 ns for a block; of a graph 1.5 us for a kernel, whatever its blocks.
for row in rows:
    if row["probe"] in ("launch", "arguments"):
        seconds = 1.5e-6 if row["mode"] == "graph" else 2e-6 + 0.6e-9 * row["blocks"]
        if abs(row["seconds"] / seconds - 1) > 0.01:
            failures.append(f"{row} takes {row['seconds']} s, not {seconds}")
print("\n".join(failures[:20]), end="\n" if failures else "")
sys.exit(1 if failures else 0)
