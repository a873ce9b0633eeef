#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/model.md that has all predictors side by side: the demo as each explores it, on three devices, and on one of them as it was measured.
Usage: predictors_table.py FUSEC PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not what it would be"""
import json
import pathlib
import subprocess
import sys
import tempfile

BEGIN, END = "<!-- table of bench/predictors_table.py: begin -->\n", "<!-- table of bench/predictors_table.py: end -->\n"
PREDICTORS = ("composite", "roofline", "hong-kim", "pipeline", "wave", "benchmark", "staircase")
DEVICES = ("h200", "h200-probed", "a100", "l40")

fusec, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
program = pathlib.Path(__file__).resolve().parent.parent / "examples/demo.fus"


def answer(command, device, *words):
    """The report of a command, or the first of its messages."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        run = subprocess.run([fusec, command, program, "--device", device, *words, "--json", out], capture_output=True, text=True, check=False)
        return (json.loads(out.read_text()), None) if run.returncode == 0 else (None, run.stderr.splitlines()[0])


def microseconds(seconds):
    return f"{1e6 * seconds:.1f}"


def terms(bounds):
    return ", ".join(f"{name} {microseconds(seconds)}" for name, seconds in bounds.items() if seconds > 0)


def described(kernel):
    """Threads of a block, and the calls that several threads work on."""
    several = [f"`{call}` by {implementation}" for call, implementation in kernel["implementation"].items() if implementation != "element"]
    return f"{len(kernel['calls'])} calls, {kernel['instances_per_block']} elements, {kernel['threads']} threads" + "".join(f", {each}" for each in several)


def rows(device):
    kernel = answer("predict", device)[0]["kernels"]
    assert len(kernel) == 1, "the demo is one kernel"
    for predictor in PREDICTORS:
        explored, message = answer("explore", device, "--predictor", predictor, "--top", "1")
        if explored is None:
            yield f"| {device} | `{predictor}` | {message.split('error: ')[-1].split(' [')[0]} | | | | |\n"
            continue
        plan = explored["plans"][0]
        alone = answer("explore", device, "--predictor", predictor, "--plan", "none", "--top", "1")[0]["plans"][0]["seconds"]
        said = kernel[0]["predictions"][predictor]
        kernels = "; ".join(map(described, plan["kernels"]))
        yield (f"| {device} | `{predictor}` | {microseconds(plan['seconds'])} | {kernels} | {alone / plan['seconds']:.2f} | "
               f"{microseconds(said['seconds'])} | {terms(said['bounds'])} |\n")


table = ("| device | predictor | its plan, us | its kernels, per block | over one kernel per call | the plan of `composite`, us | of which |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n" + "".join(row for device in DEVICES for row in rows(device)))
text = page.read_text()
before, rest = text.split(BEGIN)
made = before + BEGIN + table + END + rest.split(END)[1]
if "--check" in sys.argv:
    if made != text:
        sys.exit(f"{page} is not what bench/predictors_table.py makes of it")
else:
    page.write_text(made)
