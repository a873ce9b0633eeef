#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""example_figures.py FUSEC ROOT [PAGE]: prints every figure of docs/examples.md (or PAGE) that is neither what the compiler predicts for
the examples of its section, under the options that the section names, nor what a result file that it names holds; exit 1 if there is
one."""
import itertools
import json
import pathlib
import re
import subprocess
import sys

fusec, root = sys.argv[1], pathlib.Path(sys.argv[2])
page = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else root / "docs/examples.md"
FIGURE = re.compile(r"(?<![\w.-])(\d[\d.]*)(?: (ms|us)\b| (B/element)| (times faster than a kernel per call)|(?<=\d\.\d\d)(?![\d.])|( %))")
SUMMARY = re.compile(r"([\d.e+]+ B/element), predicted ([\d.]+ [mu]s) for .*, ([\d.]+)x over one kernel per call")

programs = {path.stem: path for path in [*(root / "examples").glob("*.fus"), *(root / "examples/workloads").glob("*.fus")]}


def compiled(example, words):
    """The seconds predicted, and the figures of the one-line summary."""
    done = subprocess.run([fusec, programs[example], "--json", "-", *words], capture_output=True, text=True, check=True)
    volume, time, faster = SUMMARY.search(done.stderr).groups()
    return json.loads(done.stdout)["plans"][0]["seconds"], {volume, time, faster + " times faster than a kernel per call"}


def truths(section, examples):
    """Every figure that the section may quote."""
    true = set()
    seconds = {"cuda": [], "host": []}
    options = [[]] + [words.split() for words in re.findall(r"`((?:--max-fusion \d+|--no-recompute|--plan max))`", section)]
    options += [["--plan", root / "examples/plans" / name] for name in re.findall(r"`([\w-]+\.json)` \| \d", section)]
    for example in examples:
        for words, target in itertools.product(options, ["cuda", "host"] if "host-generic" in section else ["cuda"]):
            predicted, figures = compiled(example, [*words, "--target", target])
            seconds[target].append(predicted)
            true |= figures
        if "a100" in section:
            for words in options:
                true |= compiled(example, [*words, "--device", "a100"])[1]
    for some in seconds.values():
        for one, other in itertools.permutations(some, 2):
            true |= {f"{one / other:.2f}", f"{round(100 * (one / other - 1))} %"}
    for name in re.findall(r"`((?:host|gpu)_plans[\w-]+\.json)`", section):
        for plan in json.loads((root / "bench/results" / name).read_text())["plans"]:
            true |= {f"{plan[key]:.2f}" for key in ("predicted_over_first", "measured_over_first")}
    return true


wrong = checked = 0
for section in page.read_text().split("\n## ")[1:]:
    named = [name for name in section.split("\n", 1)[0].split(", ") if name in programs]
    quoted = {"".join((figure, f" {unit}" if unit else "")) for figure, unit in
              ((found[1], (found[2] or found[3] or found[4] or found[5] or "").strip()) for found in FIGURE.finditer(section))}
    if named and quoted:
        checked += len(quoted)
        for figure in sorted(quoted - truths(section, named)):
            wrong += 1
            print(f"{page.name}: section {named[0]}: `{figure}` is no figure of the compiler or of a result file that the section names")
print(f"{checked} figures, {wrong} wrong")
sys.exit(1 if wrong or not checked else 0)
