#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_recount_test.py ROOT: how bench/gpu_recount.py names transfers, by hand and against the measurements; when a name is another; which text is a kernel's."""
import copy
import gzip
import json
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "bench"))
from gpu_recount import Recounted, body, canonical, renamed, transfer_name  # noqa: E402

failures = 0


def expect(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"{what}: {found!r}, expected {wanted!r}")


def access(count, store=False, addressing="strided", size=4, asynchronous=False, staged=False):
    return {"store": store, "addressing": addressing, "bytes": size, "count": count, "asynchronous": asynchronous, "staged": staged}


expect("in place", transfer_name(access(625)), "load 2500 bytes, 4 at a time, in place, strided")
expect("unit", transfer_name(access(9, store=True, addressing="unit")), "store 36 bytes, 4 at a time, in place")
expect("staged", transfer_name(access(2.25, size=16, asynchronous=True, staged=True)), "load 36 bytes, 16 at a time, asynchronous")
expect("half a byte", transfer_name(access(0.625)), "load 3 bytes, 4 at a time, in place, strided")

work = {"steps": [{"accesses": [access(625), access(625)]}, {"accesses": [access(25, store=True)]}]}
fewer = copy.deepcopy(work)
fewer["steps"][0]["accesses"][0]["count"] = fewer["steps"][0]["accesses"][1]["count"] = 125
name = "load 2500 bytes, 4 at a time, in place, strided"
expect("fewer bytes", renamed(name, work, fewer), "load 500 bytes, 4 at a time, in place, strided")
expect("another transfer of the kernel", renamed("store 100 bytes, 4 at a time, in place, strided", work, fewer), "store 100 bytes, 4 at a time, in place, strided")
fewer["steps"][0]["accesses"][1]["count"] = 250
expect("two names for one", renamed(name, work, fewer), None)
fewer["steps"][0]["accesses"].append(access(1))
expect("another number of accesses", renamed(name, work, fewer), None)

text = "// k12: made by fusec 0.1.0, plan 1\n#include <x>\nnamespace k12_kernels {\nvoid k12_s(); \n}\n"
expect("another number", body(text), body(text.replace("k12", "k7").replace("plan 1", "plan 2")))
expect("another text", body(text) == body(text.replace("void", "int")), False)

found = Recounted.__new__(Recounted)
found.found = {("p", canonical({"a": 1})): [{"work": {"a": 2}, "text": text, "same_accesses": True}, {"work": {"a": 3}, "text": text.replace("void", "int"), "same_accesses": False},
                                            {"work": {"a": 4}, "text": text.replace("void", "long"), "same_accesses": True}]}
expect("by its text", found.work("p", {"a": 1}, body(text.replace("void", "int"))), {"a": 3})
expect("by its accesses, of which two have them", found.work("p", {"a": 1}), None)
found.found["p", canonical({"a": 1})].pop()
expect("by its accesses", found.work("p", {"a": 1}), {"a": 2})

# Of measured transfers the kernel has one of that name.
rows = json.loads(gzip.decompress((root / "bench/measurements/gpu_probes_h200.json.gz").read_bytes()))["rows"]
for row in rows:
    if row.get("role") == "transfer" and row["name"] not in {transfer_name(each) for step in row["work"]["steps"] for each in step["accesses"]}:
        failures += 1
        print(f"{row['program']}: no transfer of the kernel is `{row['name']}`")
sys.exit(1 if failures else 0)
