#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""quoted_figures.py ROOT: prints every figure in the prose of README.md and docs/ that is not what the result file says that it is quoted from; exit 1 if
there is one. A figure is quoted with the place it is from in a comment behind it, which no reader of the page sees:

    `composite` is 8.1 %<!-- audit_host/held_out/verdicts/composite/mape --> off, 7.6<!-- 100 min audit_host_runs/runs/*/held_out/verdicts/composite/mape --> to ...

FILE/KEY/...: of bench/results/FILE.json; in a list, KEY is the place of an element, or texts (`_` for each blank in them) with `+` between them that it has among its values, or `*` for all.
Of several values `min`, `max` or `mean` in front makes one; with `of those that have it` after the path, elements that lack a key behind are passed over. A figure in % is a hundred times the value; any other is the value times the number in front, if one is. It is compared with as many digits as it is quoted with."""
import json
import pathlib
import re
import statistics
import sys

root = pathlib.Path(sys.argv[1])
QUOTE = re.compile(r"(-?\d+(?:\.\d+)?)( %)?<!-- (?:([\d.]+) )?(?:(min|max|mean) )?([\w*./+-]+)( of those that have it)? -->")
breaches = []


def step(value, key):
    if isinstance(value, dict):
        return [value[key]]
    if key == "*":
        return value
    if key.isdigit():
        return [value[int(key)]]
    found = [each for each in value if isinstance(each, dict) and set(key.split("+")) <= {text.replace(" ", "_") for text in each.values() if isinstance(text, str)}]
    if not found:
        raise KeyError(f"no element is `{key}`")
    return found


def look_up(path, choice, some=False):
    file, *keys = path.split("/")
    values = [json.loads((root / "bench/results" / f"{file}.json").read_text())]
    for key in keys:
        if some:
            values = [value for value in values if not isinstance(value, dict) or key in value]
        values = [found for value in values for found in step(value, key)]
    if not values or (choice is None and len(values) != 1):
        raise KeyError(f"{len(values)} values" + (", and neither min, max nor mean is asked for" if values else ""))
    return {"min": min, "max": max, "mean": statistics.fmean, None: lambda only: only[0]}[choice](values)


def check(page, text):
    quotes = 0
    for number, line in enumerate(text.splitlines(), 1):
        for said, percent, factor, choice, path, some in QUOTE.findall(line):
            quotes += 1
            digits = len(said.partition(".")[2])
            try:
                value = look_up(path, choice or None, bool(some)) * (100 if percent else float(factor or 1))
            except (OSError, KeyError, IndexError, TypeError) as error:
                breaches.append(f"{page}:{number}: {path} names nothing in the results: {error}")
                continue
            if f"{value:.{digits}f}" != said:
                breaches.append(f"{page}:{number}: says {said}{percent} where {path} is {value:.{digits}f}")
        odd = len(re.findall(r"<!-- [^>]*\w/[\w*][^>]*(?<!begin)(?<!end) -->", line)) - len(QUOTE.findall(line))
        if odd:
            breaches.append(f"{page}:{number}: {odd} quotes stand behind no figure, or are not of the form that they have")
    return quotes


quoted = sum(check(page.relative_to(root), page.read_text()) for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))])
if quoted == 0:
    breaches.append("no figure is quoted: the form of quotes has changed")
print("\n".join(breaches), end="\n" if breaches else "")
sys.exit(1 if breaches else 0)
