#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/measured-gpus.md from the result of bench/audit: everything between its two marks.
Usage: audit_table.py RESULT.json PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not what it would be"""
import json
import pathlib
import sys

import marked_block
from accuracy import of_equal_predictions, rank_list

BEGIN, END = "<!-- tables of bench/audit: begin -->\n", "<!-- tables of bench/audit: end -->\n"
KERNELS = ("triad", "3pt", "5pt", "roofline", "small")

result = json.loads(pathlib.Path(sys.argv[1]).read_text())
page = pathlib.Path(sys.argv[2])
out = []


def percent(value):
    return "-" if value is None else f"{100 * value:.1f}" if value < 100 else f"{100 * value:.0f}"


def verdicts(rows, title, others=None):
    """With `others`, the same predictors and devices judged otherwise, as (heading, rows): one more column, their MAPE."""
    heading, judged = others or ("", [])
    out.append(f"### {title}\n\n")
    out.append("| predictor | device | points | MAPE % | " + (f"{heading} | " if others else "") +
               "90th percentile % | maximum % | Spearman | mean of kernels % | " + " | ".join(KERNELS) + " |\n")
    out.append("| --- " * (8 + len(KERNELS) + bool(others)) + "|\n")
    for row in rows:
        if "unavailable" in row:
            out.append(f"| `{row['predictor']}` | {row['device']} | {row['unavailable']} |" + " |" * (5 + len(KERNELS) + bool(others)) + "\n")
            continue
        each = " | ".join(percent(row["kernels"].get(kernel, {}).get("mape")) for kernel in KERNELS)
        every = row["all"]
        other = "".join(f"{percent(each['all']['mape'])} | " for each in judged
                        if (each["predictor"], each["device"]) == (row["predictor"], row["device"]))
        out.append(f"| `{row['predictor']}` | {row['device']} | {every['points']} | {percent(every['mape'])} | {other}{percent(every['p90'])} | "
                   f"{percent(every['max'])} | {every['spearman']:.3f} | {percent(row['mean_of_kernels'])} | {each} |\n")
    out.append("\n")


def pooled(rows):
    """The mean over the points of all devices."""
    return sum(row["all"]["mape"] * row["all"]["points"] for row in rows) / sum(row["all"]["points"] for row in rows) if rows else None


def summary():
    out.append("Means over the devices (those of the first table: with streams to fit to); `pooled`: over the points of all of them, of which small kernels have most.\n\n")
    out.append("| predictor | devices | fitted: all points % | fitted: pooled % | fitted: mean of kernels % | fitted, with L2 of the others: all points % | devices within 5 % | held-out points without an answer | "
               "device left out: all points % | device left out: pooled % | device left out: mean of kernels % | with L2 of the others: all points % |\n")
    out.append("| --- " * 12 + "|\n")
    for name in names():
        fitted, fitted_without, left_out, without = ([row for row in rows if row["predictor"] == name and "unavailable" not in row]
                            for rows in (result["fitted"], result["fitted_with_l2_of_others"], result["left_out_device"], result["left_out_device_with_l2_of_others"]))

        def cells(rows):
            def mean(value):
                return percent(sum(map(value, rows)) / len(rows)) if rows else "-"
            return mean(lambda row: row["all"]["mape"]), percent(pooled(rows)), mean(lambda row: row["mean_of_kernels"])

        every, pool, kernels = cells(fitted)
        within = sum(row["all"]["mape"] <= 0.05 for row in fitted)
        unanswered = sum(row["unanswered"] for row in fitted)
        out.append(f"| `{name}` | {len(fitted)} | {every} | {pool} | {kernels} | {cells(fitted_without)[0]} | {within} | {unanswered} | " + " | ".join(cells(left_out)) + f" | {cells(without)[0]} |\n")
    out.append("\n")


def names():
    return list(dict.fromkeys(row["predictor"] for row in result["fitted"]))


def rank_lists():
    return [each["ranks_of_the_five_fastest"] for row in result["fitted"] for each in row.get("kernels", {}).values() if "ranks_of_the_five_fastest" in each]


def launches():
    out.append("### What the choice of a launch costs\n\nOf the launches of one kernel (sizes and numbers of resident blocks), how much slower than the fastest the one is that the "
               "predictor calls the fastest, in % (mean and maximum over the devices, fitted as above), and the ranks that it gives to the five fastest on the a100; equal predictions "
               f"{of_equal_predictions(rank_lists())}.\n\n")
    kernels = ("triad", "3pt", "5pt")
    out.append("| predictor | " + " | ".join(f"{kernel}: mean | maximum | ranks" for kernel in kernels) + " |\n" + "| --- " * (1 + 3 * len(kernels)) + "|\n")
    for name in names():
        cells = []
        for kernel in kernels:
            own = {row["device"]: row["kernels"][kernel] for row in result["fitted"]
                   if row["predictor"] == name and "ranks_of_the_five_fastest" in row.get("kernels", {}).get(kernel, {})}
            losses = [each["loss_of_the_chosen_launch"] for each in own.values()]
            cells += [percent(sum(losses) / len(losses)), percent(max(losses)),
                      rank_list(own["a100"]["ranks_of_the_five_fastest"])] if own else ["-"] * 3
        out.append(f"| `{name}` | " + " | ".join(cells) + " |\n")
    out.append("\n")


def bounds():
    out.append("### Figures at the bound of their search\n\n")
    for name in names():
        found = {}
        for row in result["fitted"]:
            for figure in row.get("figures", []):
                if row["predictor"] == name and figure["at_bound"]:
                    found.setdefault(figure["key"], []).append(row["device"])
        out.append(f"- `{name}`: " + ("; ".join(f"`{key}` of {', '.join(devices)}" for key, devices in found.items()) or "none") + ".\n")
    out.append("\n")


def figures():
    rows = [row for row in result["fitted"] if row["predictor"] == "composite" and "unavailable" not in row]
    keys = [figure["key"] for figure in rows[0]["figures"]]
    out.append("### What `composite` was fitted to\n\nns, GB/s and us; (u): no point determines it, it stays what the description says; (b): at the bound of its search.\n\n")
    out.append("| figure | " + " | ".join(row["device"] for row in rows) + " |\n" + "| --- " * (1 + len(rows)) + "|\n")
    for key in keys:
        cells = []
        for row in rows:
            figure = next(figure for figure in row["figures"] if figure["key"] == key)
            cells.append(f"{figure['value']:.4g}" + ("" if figure["determined"] else " (u)") + (" (b)" if figure["at_bound"] else ""))
        out.append(f"| `{key}` | " + " | ".join(cells) + " |\n")
    out.append("| error of the fit % | " + " | ".join(percent(row["fit_error"]) for row in rows) + " |\n\n")


out.append(f"Made {result['date']} at commit {result['commit']} from {result['data']}; from the result by `bench/audit_table.py`.\n\n")
summary()
verdicts(result["fitted"], "Fitted to init, read, scale, latency and start-up of the device, judged on all else", ("with L2 of the others %", result["fitted_with_l2_of_others"]))
verdicts(result["corrected"], "`pipeline` with its learned correction, trained on the points that it was fitted to")
verdicts(result["left_out_device"], "One device left out", ("with L2 of the others %", result["left_out_device_with_l2_of_others"]))
launches()
figures()
bounds()
out.append("### How the files are read\n\n")
for device in result["devices"]:
    for entry in device["files"]:
        out.append(f"- {device['name']}, `{entry['file']}`, {entry['points']} points: {entry['reading']}.\n")
out.append("\n### Figures that are not those of the descriptions\n\n")
for device in result["devices"]:
    for entry in device["replaced"]:
        out.append(f"- {device['name']}, `{entry['key']}` {entry['described']:.4g} → {entry['used']:.4g}: {entry['reason']}.\n")

marked_block.replace(page, BEGIN, END, "\n" + "".join(out) + "\n", sys.argv[3:])
