#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the constants of fusion/register_demand.cpp to what ptxas reports, and says how well estimates agree with it.

Usage: register_fit.py RESULT.json...   results of bench/ptxas_registers

Every second program is fitted to, the others check it. Kernels that spill tell nothing about their demand and are left out; the same
kernel in several plans counts once."""
import json
import sys

CONSTANTS = ("base", "of_threads", "per_word", "passing_one", "passing_many", "copies")


def features(row, most):
    threads = max(map(int, row["granularity"].strip("{}").split()))
    floor = row["live"] + row["kept"] + row["temporaries"]
    passing = min(row["passing"], most)
    return [1, threads > 1, floor, passing * (threads == 1), passing * (threads > 1), row["copies"]]


def solve(matrix, right):
    n = len(right)
    rows = [list(line) + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        if abs(rows[i][i]) < 1e-9:  # a feature that never varies
            rows[i] = [float(i == j) for j in range(n)] + [0.0]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def fit(rows, most):
    """Least squares of relative errors."""
    lines = [[x / row["registers"] for x in features(row, most)] for row in rows]
    n = len(lines[0])
    matrix = [[sum(line[i] * line[j] for line in lines) for j in range(n)] for i in range(n)]
    return solve(matrix, [sum(line[i] for line in lines) for i in range(n)])


def ratios(rows, constants, most):
    return [min(255, sum(c * x for c, x in zip(constants, features(row, most)))) / row["registers"] for row in rows]


def quantiles(values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return " ".join(f"{at(share):.2f}" for share in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1))


def error(values):
    return (sum((value - 1) ** 2 for value in values) / len(values)) ** 0.5


def main():
    seen, rows = set(), []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            for row in json.load(file)["kernels"]:
                key = tuple(row[k] for k in ("program", "arch", "kernel", "granularity", "shared_bytes", "live", "kept", "passing", "registers"))
                if key not in seen:
                    seen.add(key)
                    rows.append(row)
    spilling = [row for row in rows if row["spill_store_bytes_per_thread"] > 0]
    fitting = [row for row in rows if row["spill_store_bytes_per_thread"] == 0]
    programs = sorted({row["program"] for row in rows})
    train = [row for row in fitting if programs.index(row["program"]) % 2 == 0]
    check = [row for row in fitting if programs.index(row["program"]) % 2 == 1]
    print(f"{len(rows)} kernels of {len(programs)} programs, {len(spilling)} spill")
    print("estimate / ptxas: least, 5 %, 25 %, 50 %, 75 %, 95 %, greatest; root of the mean square error")
    now = [row["registers_predicted"] / row["registers"] for row in fitting]
    print(f"as predicted:         {quantiles(now)}; {error(now):.3f}")
    for most in (8, 12, 16, 20, 24, 32, 48):
        constants = fit(train, most)
        text = " ".join(f"{name} {value:.2f}" for name, value in zip(CONSTANTS, constants))
        for name, part in (("fitted", train), ("checked", check)):
            values = ratios(part, constants, most)
            print(f"passing <= {most:3} {name:8} {quantiles(values)}; {error(values):.3f}" + (f"  {text}" if name == "fitted" else ""))


if __name__ == "__main__":
    main()
