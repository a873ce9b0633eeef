#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""runs_together_test.py ROOT: bench/runs_together.py on runs whose errors are known."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "bench"))
from runs_together import kernels_of_runs, together  # noqa: E402

failures = 0


def expect(what, found, wanted, within=1e-9):
    global failures
    if not (found == wanted or isinstance(wanted, float) and abs(found - wanted) <= within):
        failures += 1
        print(f"{what}: {found}, expected {wanted}")


OWN = [0.1, -0.1, 0.2, -0.2]  # errors of four kernels, in every run


def run(longer, shift, also=()):
    """Kernels of 4, 5, 6 and 7 seconds; all of a run are predicted longer by one logarithm, the first two and the last two apart by another."""
    def kernel(place):
        error = OWN[place] + longer + (shift if place < 2 else -shift)
        seconds = 4.0 + place
        return {"calls": f"k{place}", "bytes_per_element": 8, "least_seconds": seconds, "spread": 0.01,
                "predicted": {"composite": seconds * math.exp(error), "roofline": seconds, "benchmark": None if place == 3 else 2 * seconds}}
    other = {"calls": "o", "bytes_per_element": 8, "least_seconds": 1.0, "spread": 0.01, "predicted": {"composite": 1.5, "roofline": 1.0, "benchmark": 1.0}}
    return {"programs": [{"program": "held", "held_out": True, "kernels": [kernel(place) for place in range(4)] + list(also)},
                         {"program": "other", "held_out": False, "kernels": [other, {**other, "least_seconds": 2.0}]}]}


first, second, third = run(0.5, 0.03), run(-0.2, -0.03), run(0, 0)
kernels = list(kernels_of_runs([first, second, third], first))
expect("kernels", len(kernels), 6)
expect("two of the same calls and bytes are told apart", [each["seconds"] for each in kernels[4:]], [[1.0] * 3, [2.0] * 3])
expect("places", [each["kernel"] for each in kernels], [0, 1, 2, 3, 0, 1])
said = together(kernels)["held_out"]
composite, roofline, benchmark = said["verdicts"]
# The medians of 0.63, -0.13, 0.1; of 0.43, -0.33, -0.1; of 0.67, 0.03, 0.2; of 0.27, -0.37, -0.2.
expect("error of medians", composite["mape"], sum(abs(math.exp(error) - 1) for error in OWN) / 4, 1e-6)
expect("roofline", roofline["mape"], 0.0)
expect("kernels that benchmark answers", benchmark["kernels"], 3)
expect("its error", benchmark["mape"], 1.0)
expect("within a factor of two", said["within_a_factor_of_two"]["kernels"], 4)
expect("of", said["within_a_factor_of_two"]["of"], 4)
expect("from", said["within_a_factor_of_two"]["least_seconds"], 4.0)
errors = said["errors_of_composite"]
expect("a kernel's own", errors["of_the_kernel"], math.sqrt((0.01 + 0.04) / 2), 1e-5)
# Less the medians, 0.53, -0.23 and 0, the first two are 0.1 and -0.1 in each run, the others 0.14, 0.26, 0.2 and -0.26, -0.14, -0.2: of twelve, four are 0.06 off.
expect("a run's", errors["of_the_run"], math.sqrt(4 * 0.06**2 / 12), 1e-5)
alike = together(list(kernels_of_runs([run(0.5, 0), run(-0.2, 0)], first)))["held_out"]["errors_of_composite"]
expect("correlation of runs that differ by one factor", alike["correlation_between_runs"]["least"], 1.0, 1e-6)
expect("nothing is a run's then", alike["of_the_run"], 0.0, 1e-5)

# What counts in each run, and is measured in each.
extra = {"calls": "e", "bytes_per_element": 8, "least_seconds": 9.0, "spread": 0.01, "predicted": {"composite": 9.0, "roofline": 9.0, "benchmark": 9.0}}
expect("a kernel of one run", len(list(kernels_of_runs([run(0, 0, [extra]), second], first))), 6)
expect("of both", len(list(kernels_of_runs([run(0, 0, [extra]), run(0, 0, [extra])], run(0, 0, [extra])))), 7)
expect("one that counts elsewhere in one", len(list(kernels_of_runs([run(0, 0, [extra]), run(0, 0, [{**extra, "same_as": "a: b"}])], run(0, 0, [extra])))), 6)
sys.exit(1 if failures else 0)
