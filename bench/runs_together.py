# SPDX-License-Identifier: Apache-2.0
"""What several runs of one audit of a host say together. A run's calibration and its times are of one hour each: of a kernel that every run measured, the median
of its times and the median of what the runs' calibrations predict say more, and what is left of its error is the model's."""
import math
import statistics
from collections import Counter

from accuracy import accuracy, merged_rank_correlation, rank_correlation, within_a_factor

PREDICTORS = ("composite", "roofline", "benchmark")
MOST = 60  # kernels within a factor of two, as bench/audit_host_judge.cpp takes them


def named_kernels(result):
    """Name -> (program, kernel). Of one program kernels of the same calls are told apart by the bytes that they move, and those that move as many by their order, which is the seed's."""
    found, times = {}, Counter()
    for program in result["programs"]:
        for kernel in program["kernels"]:
            name = program["program"], kernel["calls"], kernel["bytes_per_element"]
            times[name] += 1
            found[*name, times[name]] = program, kernel
    return found


def rounded(value):
    return None if value is None else float(f"{value:.6g}")


def kernels_of_runs(results, kept):
    """Of every kernel that counts in each of the runs, in the order of the kept one: the program, its place there, and the runs' times, spreads and predictions."""
    named = [named_kernels(result) for result in results]
    places = Counter()
    for name, (program, kernel) in named_kernels(kept).items():
        place, places[program["program"]] = places[program["program"]], places[program["program"]] + 1
        if all(name in each and "same_as" not in each[name][1] for each in named):
            kernels = [each[name][1] for each in named]
            yield {"program": program["program"], "kernel": place, "held_out": program["held_out"], "seconds": [rounded(each["least_seconds"]) for each in kernels],
                   "spread": [rounded(each["spread"]) for each in kernels],
                   **{predictor: [rounded(each["predicted"].get(predictor)) for each in kernels] for predictor in PREDICTORS}}


def verdicts(kernels):
    """Of each predictor; `spearman` with times merged that differ by no more than their spread, `spearman_unmerged` without."""
    found = []
    for predictor in PREDICTORS:
        answered = [kernel for kernel in kernels if None not in kernel[predictor]]
        if answered:
            said, seen, spread = ([statistics.median(kernel[key]) for kernel in answered] for key in (predictor, "seconds", "spread"))
            found.append({"predictor": predictor, "kernels": len(answered), **{key: value for key, value in accuracy(said, seen).items() if key in ("mape", "p90", "worst")},
                          "spearman": merged_rank_correlation(said, seen, spread), "spearman_unmerged": rank_correlation(said, seen)})
    return found


def errors_of(kernels):
    """Errors of `composite`, as logarithms, less each run's median: how much of them is the kernel's own, in every run, and how much of a run's."""
    by_run = list(zip(*([math.log(said / seen) for said, seen in zip(kernel["composite"], kernel["seconds"])] for kernel in kernels)))
    by_run = [[error - statistics.median(errors) for error in errors] for errors in by_run]
    means = [statistics.fmean(errors) for errors in zip(*by_run)]
    left = [error - mean for errors in by_run for error, mean in zip(errors, means)]
    between = [statistics.correlation(first, second) for i, first in enumerate(by_run) for second in by_run[i + 1:]]
    return {"of_the_kernel": statistics.pstdev(means), "of_the_run": statistics.pstdev(left),
            "correlation_between_runs": {"least": min(between), "median": statistics.median(between), "greatest": max(between)}}


def together(kernels):
    """Of each half what a verdict of one run has. `kernels`: those of kernels_of_runs."""
    said = {}
    for half, held_out in (("held_out", True), ("fitted", False)):
        of_half = [kernel for kernel in kernels if kernel["held_out"] == held_out]
        near, all_near = ([of_half[place] for place in within_a_factor([statistics.median(kernel["seconds"]) for kernel in of_half], 2, most)] for most in (MOST, len(of_half)))
        said[half] = {"kernels": len(of_half), "verdicts": verdicts(of_half),
                      "within_a_factor_of_two": {"kernels": len(near), "least_seconds": statistics.median(near[0]["seconds"]), "greatest_seconds": statistics.median(near[-1]["seconds"]),
                                                 "verdicts": verdicts(near), "of": len(all_near), "verdicts_of_all": verdicts(all_near)},
                      "errors_of_composite": errors_of(of_half)}
    return said
