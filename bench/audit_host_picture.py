#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""audit_host_picture.py RESULT.json PICTURE.svg [--check]: predicted against measured seconds per element of every kernel of the programs that
`audit --target host` held out of the calibration, a panel per predictor. The diagonal is an exact
prediction, the lines beside it are 10 % away. With --check nothing is written; exit 1 where the picture is not what it would be."""
import json
import math
import sys
from xml.sax.saxutils import escape

SIDE, MARGIN, GAP, LEGEND = 280, 50, 20, 22  # pixels of a panel, around it, between two, of a row of the legend
COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"]
COLUMNS = 4  # of the legend


def points(result):
    """Predictor -> [(program, measured, predicted)], in nanoseconds per element; what a predictor does not answer is left out."""
    found = {}
    for program in result["programs"]:
        if not program["held_out"]:
            continue
        for kernel in program["kernels"]:
            if "same_as" in kernel:
                continue
            for predictor, said in kernel["predicted"].items():
                if said is not None:
                    each = 1e9 / program["elements"]
                    found.setdefault(predictor, []).append((program["program"], kernel["least_seconds"] * each, said * each))
    return found


def picture(result):
    by_predictor = points(result)
    if not by_predictor:
        sys.exit("the result has no kernel of a program that was held out")
    programs = sorted({program for judged in by_predictor.values() for program, _, _ in judged})
    colour = {program: COLOURS[i % len(COLOURS)] for i, program in enumerate(programs)}
    times = [time for judged in by_predictor.values() for _, *both in judged for time in both]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def at(time):  # of 0..SIDE
        return SIDE * (math.log10(time) - low) / (high - low)

    rows = -(-len(programs) // COLUMNS)
    width = MARGIN + len(by_predictor) * (SIDE + MARGIN + GAP)
    height = 2 * MARGIN + SIDE + 14 + rows * LEGEND
    verdicts = {verdict["predictor"]: verdict for verdict in result["held_out"]["verdicts"]}
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' font-size='11'>",
        "<rect width='100%' height='100%' fill='white'/>",
    ]
    for number, (predictor, judged) in enumerate(by_predictor.items()):
        left, bottom = MARGIN + number * (SIDE + MARGIN + GAP), MARGIN + SIDE
        verdict = verdicts[predictor]
        title = f"{predictor}: {100 * verdict['mape']:.1f} % mean error, rank correlation {verdict['spearman']:.3f}"
        lines.append(f"<text x='{left + SIDE / 2}' y='{MARGIN - 14}' text-anchor='middle'>{escape(title)}</text>")
        lines.append(f"<rect x='{left}' y='{MARGIN}' width='{SIDE}' height='{SIDE}' fill='none' stroke='#888'/>")
        for power in range(low, high + 1):
            place = at(10**power)
            lines.append(f"<text x='{left + place:.1f}' y='{bottom + 15}' text-anchor='middle'>{10.0**power:g}</text>")
            lines.append(f"<text x='{left - 4}' y='{bottom - place + 4:.1f}' text-anchor='end'>{10.0**power:g}</text>")
        shift = SIDE * math.log10(1.1) / (high - low)
        lines.append(f"<line x1='{left}' y1='{bottom}' x2='{left + SIDE}' y2='{MARGIN}' stroke='#888'/>")
        for up in (shift, -shift):
            first, last = (0, SIDE - up) if up > 0 else (-up, SIDE)
            lines.append(
                f"<line x1='{left + first:.1f}' y1='{bottom - first - up:.1f}' x2='{left + last:.1f}' y2='{bottom - last - up:.1f}'"
                " stroke='#bbb' stroke-dasharray='4 3'/>"
            )
        for program, measured, predicted in judged:
            lines.append(
                f"<circle cx='{left + at(measured):.1f}' cy='{bottom - at(predicted):.1f}' r='1.8' fill='{colour[program]}'"
                " fill-opacity='0.6'/>"
            )
    for i, program in enumerate(programs):
        x, y = MARGIN + (i % COLUMNS) * 150, MARGIN + SIDE + 44 + (i // COLUMNS) * LEGEND
        lines.append(f"<circle cx='{x}' cy='{y - 4}' r='4' fill='{colour[program]}'/><text x='{x + 8}' y='{y}'>{escape(program)}</text>")
    lines.append(
        f"<text x='{MARGIN}' y='{height - 10}'>measured (across) and predicted (up) nanoseconds per element of held-out kernels,"
        f" {escape(result['machine']['processor'])}</text>"
    )
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main():
    check = sys.argv[3:] == ["--check"]
    if len(sys.argv) != 3 + check:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    if result.get("schema") != "fusec-audit-host":
        sys.exit(f"{sys.argv[1]} is no result of `audit --target host`")
    text = picture(result)
    if check:
        with open(sys.argv[2], encoding="utf-8") as file:
            sys.exit(None if file.read() == text else f"{sys.argv[2]} is not the picture of {sys.argv[1]}")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
