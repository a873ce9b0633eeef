#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""accuracy_test.py ROOT: bench/accuracy.py by hand, and against what perfmodel/fit/statistics.cpp made of the kernels in bench/results/audit_host.json."""
import json
import math
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "bench"))
from accuracy import accuracy, best_greater_of_two, merged, merged_rank_correlation, nine_in_ten, of_equal_predictions, rank_correlation, rank_list, within_a_factor  # noqa: E402

failures = 0


def expect(what, found, wanted, within=1e-12):
    global failures
    if not abs(found - wanted) <= within:
        failures += 1
        print(f"{what}: {found}, expected {wanted}")


expect("nine of ten", nine_in_ten([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]), 9)
expect("of eleven, ten", nine_in_ten(list(range(1, 12))), 10)
expect("of four, all", nine_in_ten([1, 4, 2, 3]), 4)
expect("of twenty, eighteen", nine_in_ten(list(range(1, 21))), 18)
# Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3, both about 1.5: products 4.5, squares 4.5 and 5; with the lowest rank for ties it would be 0.943.
expect("ties", rank_correlation([1, 2, 2, 3], [10, 20, 30, 40]), 4.5 / math.sqrt(4.5 * 5))
expect("backwards", rank_correlation([4, 3, 2, 1], [10, 20, 30, 40]), -1)
expect("no order", rank_correlation([5, 5, 5], [1, 2, 3]), 0)
for name, found, wanted in (("halves", rank_list([1.0, 2.5, 2.5]), "1, 2.5, 2.5"), ("whole", rank_list([1, 1]), "1, 1"),
                            ("of now", of_equal_predictions([[1.0, 2.0], [3.5]]), "have the mean of their ranks"),
                            ("of before", of_equal_predictions([[1, 2], [3]]), "all have the least of their ranks")):
    if found != wanted:
        failures += 1
        print(f"ranks, {name}: {found}, not {wanted}")
# Times that are the greater of two sums, which take twice and three times as long as said, are met exactly. Times that are their sum are not: of sums (1, 0.001), (0.001, 1) and
# (1, 1) with times 1, 1 and 2, factors f leave |f - 1| twice and |f / 2 - 1| once, the least at f = 1: a half, over three.
left, right = [1, 5, 2, 3, 0.5, 4], [4, 1, 2, 1, 2.5, 1.1]
found, a, b = best_greater_of_two(left, right, [max(2 * x, 3 * y) for x, y in zip(left, right)])
for what, value, wanted in (("greater of two", found, 0), ("factor of the left", a / 2, 1), ("factor of the right", b / 3, 1)):
    expect(what, value, wanted, 2e-3)
found, a, b = best_greater_of_two([1, 0.001, 1], [0.001, 1, 1], [1, 1, 2])
expect("the sum of two by their greater", found, 0.5 / 3, 2e-3)
hand = accuracy([1.1, 1.6, 4, 15], [1, 2, 4, 10])  # errors 0.1, 0.2, 0, 0.5
for key, wanted in (("points", 4), ("mape", 0.2), ("p90", 0.5), ("worst", 0.5), ("spearman", 1)):
    expect(f"{key} by hand", hand[key], wanted)


# 1.05 is within a tenth of 1, 1.12 is not, and begins the next group, which takes in 1.2.
if merged([1.2, 1, 1.05, 1.12, 2], [0.1] * 5) != [1.12, 1, 1, 1.12, 2]:
    failures += 1
    print("values within their spread are merged otherwise")
# From 2 to 4 there are most; of the five three are the first, the middle one and the last.
for most, wanted in ((9, [1, 5, 3, 6, 2]), (3, [1, 3, 2])):
    if (found := within_a_factor([1, 2, 4, 3, 9, 2.5, 3.5], 2, most)) != wanted:
        failures += 1
        print(f"within a factor of two: {found}, not {wanted}")


audit = json.loads((root / "bench/results/audit_host.json").read_text())
for half, held_out in (("held_out", True), ("fitted", False)):
    kernels = [kernel for program in audit["programs"] if program["held_out"] == held_out for kernel in program["kernels"] if "same_as" not in kernel]
    for verdict in audit[half]["verdicts"]:
        answered = [kernel for kernel in kernels if kernel["predicted"][verdict["predictor"]] is not None]
        said, seen = [kernel["predicted"][verdict["predictor"]] for kernel in answered], [kernel["least_seconds"] for kernel in answered]
        found = {**accuracy(said, seen), "spearman": merged_rank_correlation(said, seen, [kernel["spread"] for kernel in answered])}
        for key in ("mape", "p90", "worst", "spearman"):
            expect(f"{key} of {verdict['predictor']}, {half}", found[key], verdict[key], 1e-9)
    near = audit[half]["within_a_factor_of_two"]
    sample = [kernels[place] for place in within_a_factor([kernel["least_seconds"] for kernel in kernels], 2, 60)]
    for key, kernel in (("least_seconds", sample[0]), ("greatest_seconds", sample[-1])):
        expect(f"{key} within a factor of two, {half}", kernel["least_seconds"], near[key])
    composite = next(verdict for verdict in near["verdicts"] if verdict["predictor"] == "composite")
    expect(f"ranks within a factor of two, {half}", merged_rank_correlation(*([kernel[key] for kernel in sample] if key != "predicted" else
           [kernel[key]["composite"] for kernel in sample] for key in ("predicted", "least_seconds", "spread"))), composite["spearman"], 1e-9)
sys.exit(1 if failures else 0)
