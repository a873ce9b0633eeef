# SPDX-License-Identifier: Apache-2.0
"""Plans that bench/gpu_plans timed: results as scripts/measure-gpu.sh leaves them, each plan once."""
import json
import pathlib
import statistics


def read(folder):
    return [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("gpu_plans_*.json"))]


def identity(plan):
    """What tells one plan of a program from another: the work of its kernels where the result has it, and calls by kernel, bytes and price, which near certainly do."""
    return json.dumps([plan["kernels"], plan["bytes_per_element"], plan["predicted_seconds"], plan.get("works")], sort_keys=True)


def distinct(result):
    """The plans of a program, those that several choices name once and with the launches of all: `choices`, `seconds` (the median) and what the first of them says."""
    found = {}
    for plan in result["plans"]:
        found.setdefault(identity(plan), []).append(plan)
    return [{"choices": [plan["plan"] for plan in same], "seconds": statistics.median(seconds for plan in same for seconds in plan["seconds"]), "first": same[0]}
            for same in found.values()]
