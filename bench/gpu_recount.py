#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has kernels that were measured on a GPU counted anew by the compiler of now: of bench/measurements only the works change, and the names of transfers that
say how many bytes are moved; times stay as they were measured. A kernel is the same where the compiler of now emits the same text for it; where it is emitted
otherwise to be measured (repeated routines, demands for registers), where it has the same steps and accesses.
Usage: gpu_recount.py BENCH COMMIT EMITTED SAVED MEASURED.json.gz PLANS.json.gz PROGRAM.fus...
BENCH is the folder of the programs bench/gpu_recount and bench/gpu_plan_works, EMITTED the folder that `fusec calibrate --target cuda --emit` of the compiler that
measured (at COMMIT) writes for the same programs, SAVED one of the plans that it saves (`--save-plan SAVED/PROGRAM.CHOICE.plan`), which are compiled again. Rows and plans of kernels that the compiler of now has not keep their works, and say by `counted` of which commit these are. A transfer that
has the name of another now is left out, but for the kernels that `fusec calibrate` would take. What was found goes to stderr. The two files
are written anew, and have to be those that were measured: of the H200 `git show 1664ac9:bench/measurements/gpu_probes_h200.json.gz` and
`git show d48fd67:bench/measurements/gpu_plans_h200.json.gz`."""
import collections
import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

BEGIN = re.compile(r"^// (k\d+): made by fusec [^\n]*\n[^\n]*\n", re.M)  # the second line says what is measured
ENTRY = re.compile(r'kernels\.push_back\(\{"([^"]*)", "([^"]*)", "([^"]*)", (\d+), R"work\((.*?)\)work", .* launch_(k\d+)\}\);')


def canonical(value):
    return json.dumps(value, sort_keys=True)


def body(text):
    """Of an emitted kernel what does not depend on its number, or on what stands before it in the file."""
    text = re.sub(r"\bk\d*(?=_)", "k", text)
    begin = re.search(r"^namespace k_kernels", text, re.M)
    return re.sub(r"\s+\n", "\n", text[begin.start():].strip())


def emitted_texts(folder):
    """By role, name, program and work of a kernel that was emitted."""
    texts = {}
    for path in pathlib.Path(folder).glob("emitted_*.cu"):
        content = path.read_text()
        end = content.index('#include "kernels.cuh"')
        begins = list(BEGIN.finditer(content, 0, end))
        by_kernel = {begin[1]: body(content[begin.end():following.start() if following else end])
                     for begin, following in zip(begins, begins[1:] + [None], strict=True)}
        for role, name, program, _, work, kernel in ENTRY.findall(content[end:]):
            texts[role, name, program, canonical(json.loads(work))] = by_kernel[kernel]
    return texts


def transfer_name(access):
    """As perfmodel/routine_times.cpp names it; a GPU's are not converted."""
    name = f"{'store' if access['store'] else 'load'} {math.floor(access['count'] * access['bytes'] + 0.5)} bytes, {access['bytes']} at a time"
    name += ", asynchronous" if access["asynchronous"] else ""
    return name + ("" if access["staged"] else ", in place" if access["addressing"] == "unit" else ", in place, strided")


def way(access):
    return tuple(access[key] for key in ("store", "addressing", "bytes", "asynchronous", "staged"))


def renamed(name, before, after):
    """What the transfer of this name in a kernel's work is named in its new one; None: not one name."""
    names = set()
    for old, new in zip(before["steps"], after["steps"], strict=True):
        if [way(access) for access in old["accesses"]] == [way(access) for access in new["accesses"]]:
            names |= {transfer_name(b) for a, b in zip(old["accesses"], new["accesses"], strict=True) if transfer_name(a) == name}
        elif any(transfer_name(access) == name for access in old["accesses"]):
            return None
    return names.pop() if len(names) == 1 else None


class Recounted:
    def __init__(self, program, kernels, programs):
        """`kernels`: pairs of a program's name and a work."""
        self.keys = list(dict.fromkeys((name, canonical(work)) for name, work in kernels))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "kernels.json"
            file.write_text(json.dumps({"kernels": [{"program": name, "work": json.loads(work)} for name, work in self.keys]}))
            said = subprocess.run([program, "h200", file, *programs], check=True, capture_output=True, text=True).stdout
        self.found = dict(zip(self.keys, json.loads(said)["kernels"], strict=True))

    def work(self, program, work, text=None):
        """Of the kernel that has this text now; of one that is emitted otherwise, of the only ones with its steps and accesses. None: there is none."""
        like = self.found[program, canonical(work)]
        same = [each["work"] for each in like if text is not None and body(each["text"]) == text] or [each["work"] for each in like if each["same_accesses"]]
        return same[0] if same and all(canonical(each) == canonical(same[0]) for each in same) else None


def recounted_plan(program, plan, saved, paths):
    """Works of a plan that was saved; None where the compiler of now does not take it."""
    source = next(path for path in paths if pathlib.Path(path).stem == plan["program"])
    run = subprocess.run([program, "h200", source, str(plan["n"]), pathlib.Path(saved) / f"{plan['program']}.{plan['choices'][0]}.plan"],
                         check=False, capture_output=True, text=True)
    if run.returncode != 0:
        print(run.stderr.strip(), file=sys.stderr)
        return None
    works = json.loads(run.stdout)[0]["works"]
    return works if bytes_of(works) == bytes_of(plan["works"]) else None


def bytes_of(works):
    return [(work["read_bytes"], work["write_bytes"]) for work in works]


def main(bench, commit, emitted, saved, measured_file, plans_file, *programs):
    measured, plans = (json.loads(gzip.decompress(pathlib.Path(file).read_bytes())) for file in (measured_file, plans_file))
    rows = [row for row in measured["rows"] if row["probe"] == "kernel"]
    texts = emitted_texts(emitted)
    program_of = {row["program"]: None for row in rows}
    order = ["transfers", *[name for name in program_of if name != "transfers"]]  # in which `fusec calibrate` looks for a transfer
    recounted = Recounted(f"{bench}/gpu_recount", [(row["program"], row["work"]) for row in rows], programs)

    counts, kept, groups = collections.Counter(), {}, collections.defaultdict(set)
    for row in rows:
        before = row["work"]
        text = texts.get((row["role"], row["name"], row["program"], canonical(before)))
        if text is None:
            sys.exit(f"{emitted} has not the kernel of {row['program']}, {row['role']} {row['name']}, that was measured")
        after = recounted.work(row["program"], before, text if row["role"] not in ("routine", "occupancy") else None)
        name = row["name"]
        if after is not None and row["role"] == "transfer":
            name = renamed(name, before, after)
        kernel = (row["role"], row["program"], row["name"], canonical(before))
        if after is None or name is None:
            row["counted"] = commit
            kept[kernel] = "kept"
            continue
        kept[kernel] = "the same" if canonical(after) == canonical(before) else "recounted"
        if row["role"] == "transfer":
            groups[name].add((order.index(row["program"]), after["instructions"], row["name"], row["program"]))
        row["work"], row["old"], row["name"] = after, row["name"], name
    for (role, *_), what in kept.items():
        counts[role, what] += 1

    first = {}
    for name, group in groups.items():  # the program that is looked at first, of it what does the least beside
        first[name] = min(group)[3], min(group)[2]
    left_out = {(row["program"], row["old"]) for row in rows if row["role"] == "transfer" and "old" in row and first[row["name"]] != (row["program"], row["old"])}
    measured["rows"] = [row for row in measured["rows"] if row.get("role") != "transfer" or "old" not in row or (row["program"], row["old"]) not in left_out]
    changed = {(row["old"], row["name"]) for row in measured["rows"] if row.get("role") == "transfer" and row.get("old", row["name"]) != row["name"]}
    for row in rows:
        row.pop("old", None)
    measured["commit"] = commit

    of_plans = collections.Counter()
    for plan in plans["plans"]:
        after = recounted_plan(f"{bench}/gpu_plan_works", plan, saved, programs)
        of_plans["kept" if after is None else "the same" if after == plan["works"] else "recounted"] += 1
        if after is None:
            plan["counted"] = commit
        else:
            plan["works"] = after

    for file, content in ((measured_file, measured), (plans_file, plans)):
        pathlib.Path(file).write_bytes(gzip.compress((json.dumps(content) + "\n").encode(), mtime=0))
    for (role, what), count in sorted(counts.items()):
        print(f"kernels of role {role}, {what}: {count}", file=sys.stderr)
    print(f"plans: {dict(of_plans)}\ntransfers with another name: {len(changed)}, left out for one that has it: {len(left_out)}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
