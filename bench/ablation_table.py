#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of ablations of docs/model.md from the result of bench/audit --ablation: everything between its two marks, of which those of `--probes` have their own.
Usage: ablation_table.py RESULT.json PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not what it would be"""
import json
import pathlib
import sys

import marked_block

BEGIN, END = "<!-- tables of bench/audit --ablation: begin -->\n", "<!-- tables of bench/audit --ablation: end -->\n"
BEGIN_PROBES, END_PROBES = "<!-- table of bench/audit --ablation --probes: begin -->\n", "<!-- table of bench/audit --ablation --probes: end -->\n"
NO_POINT = "moves no measured point"

result = json.loads(pathlib.Path(sys.argv[1]).read_text())
page = pathlib.Path(sys.argv[2])
out = []


def percent(value):
    return f"{100 * value:.1f}" if value < 100 else f"{100 * value:.0f}"


def mean(rows, side, key):
    return percent(sum(row[side][key] for row in rows) / len(rows))


def both(rows, key):
    """Without the term and, behind it, with it."""
    return f"{mean(rows, 'without', key)} ({mean(rows, 'full', key)})"


def rows_of_probes():
    """A row per term: one device, so no means over devices."""
    for term in result["terms"]:
        row = term["rows"][0]
        start = f"| {term['term']} | {term['instead']} | {row['moved_held_out']}, {row['moved_fit']} | "
        if "without" not in row:
            yield start + f"{NO_POINT} | | | | |\n"
            continue
        cells = [both([row], key) for key in ("mape_of_moved", "p90_of_moved", "mape", "mean_of_kernels", "fit_error")]
        cells[:2] = cells[:2] if row["moved_held_out"] else ["moves no held-out point", ""]
        yield start + " | ".join(cells) + " |\n"


if result["data"].startswith("the probes"):
    (device,) = result["devices"]
    table = [f"Made {result['date']} at commit {result['commit']} from what {result['data']}, measured; from the result by `bench/ablation_table.py`. Points moved: of {device['points']} held out and, behind the comma, of {device['fit_points']} fitted to, "
             f"as in the tables below. Errors in %: without the term and, in brackets, with it; *moved* is over the held-out points that move.\n\n",
             "| term | in its place | points moved | moved | nine in ten of moved | all points | mean of kernels | fit |\n" + "| --- " * 8 + "|\n", *rows_of_probes()]
    marked_block.replace(page, BEGIN_PROBES, END_PROBES, "".join(table), sys.argv[3:])
    sys.exit(0)

points = sum(device["points"] for device in result["devices"])
fit_points = sum(device["fit_points"] for device in result["devices"])
out.append(f"Made {result['date']} at commit {result['commit']} from {result['data']}; from the result by `bench/ablation_table.py`.\n\n")
out.append(f"Points moved: of {points} held out and, behind the comma, of {fit_points} fitted to, those whose prediction changes by more than "
           f"{100 * result['least_move']:g} % when the term goes, before figures are fitted again. Errors in %: without the term and, in brackets, with it, "
           "means over the devices that have a point that moves; *moved* is over the held-out points that move.\n\n")
out.append("| term | in its place | neglected by the talk | points moved | devices | all points | mean of kernels | moved | fit |\n" + "| --- " * 9 + "|\n")
for term in result["terms"]:
    rows = [row for row in term["rows"] if "without" in row]
    start = f"| {term['term']} | {term['instead']} | {term['neglected']} | "
    moved = f"{sum(row['moved_held_out'] for row in term['rows'])}, {sum(row['moved_fit'] for row in term['rows'])}"
    if not rows:
        out.append(start + f"{moved} | 0 | {NO_POINT} | | | |\n")
        continue
    judged = [row for row in rows if row["moved_held_out"]]
    out.append(start + f"{moved} | {len(rows)} | {both(rows, 'mape')} | {both(rows, 'mean_of_kernels')} | "
               + (both(judged, "mape_of_moved") if judged else "moves no held-out point") + f" | {both(rows, 'fit_error')} |\n")
out.append("\nEach device: all points / mean of kernels, in %; `-`: it moves no measured point of the device.\n\n")
names = [device["name"] for device in result["devices"]]
out.append("| without | " + " | ".join(names) + " |\n" + "| --- " * (1 + len(names)) + "|\n")


def cell(accuracy):
    return f"{percent(accuracy['mape'])} / {percent(accuracy['mean_of_kernels'])}"


full = {row["device"]: row["full"] for term in result["terms"] for row in term["rows"]}
out.append("| nothing | " + " | ".join(cell(full[name]) for name in names) + " |\n")
for term in result["terms"]:
    rows = {row["device"]: row for row in term["rows"]}
    if any("without" in row for row in rows.values()):
        out.append(f"| {term['term']} | " + " | ".join(cell(rows[name]["without"]) if "without" in rows[name] else "-" for name in names) + " |\n")

marked_block.replace(page, BEGIN, END, "\n" + "".join(out) + "\n", sys.argv[3:])
