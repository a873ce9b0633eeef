#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/measured-hosts.md from the results of bench/audit_host_runs.py: everything between its two marks.
Usage: audit_host_table.py RESULT.json RUNS.json PAGE.md [--check]    with --check nothing is written; exit 1 where the page is not what it would be"""
import json
import pathlib
import sys

import marked_block
from accuracy import best_greater_of_two, of_equal_predictions, rank_correlation as spearman, rank_list

BEGIN, END = "<!-- tables of bench/audit --target host: begin -->\n", "<!-- tables of bench/audit --target host: end -->\n"

result = json.loads(pathlib.Path(sys.argv[1]).read_text())
of_runs = json.loads(pathlib.Path(sys.argv[2]).read_text())
LEAST = "the least of its samples" if result["version"] < 12 else "the least of each piece of a launch, all together"
READINGS = {"verdicts": LEAST.replace("its", "their"), "against_medians": "their medians"}
page = pathlib.Path(sys.argv[3])
out = []


def percent(value):
    return f"{100 * value:.1f}"


def rank_correlation(verdict, digits):
    """Of fewer than three kernels it says next to nothing: that of two hangs on one pair."""
    return f"{verdict['spearman']:.{digits}f}" if verdict["kernels"] >= 3 else "-"


def named(verdicts, predictor):
    return next(verdict for verdict in verdicts if verdict["predictor"] == predictor)


def octaves(held_out):
    """`composite` within other factors of two, from 1, 2, 4 ms and so on, where twenty kernels or more are: a verdict on one factor of two hangs on which it is."""
    kernels = [kernel for program in result["programs"] if program["held_out"] is held_out for kernel in program["kernels"] if "same_as" not in kernel]
    said = []
    for low in (2.0**power for power in range(-14, 14)):
        inside = [kernel for kernel in kernels if low <= 1e3 * kernel["least_seconds"] < 2 * low]
        if len(inside) >= 20:
            ranks = spearman([kernel["predicted"]["composite"] for kernel in inside], [kernel["least_seconds"] for kernel in inside])
            said.append(f"{ranks:.3f} from {low:g} to {2 * low:g} ms ({len(inside)} kernels)")
    return ", ".join(said)


def by_share_of_routines(held_out):
    """`benchmark` by how much of what it predicts routines take that are timed alone: its two assumptions cost it where transfers and routines are both there."""
    errors = {"a tenth or less": [], "two thirds or more": []}
    for program in result["programs"]:
        for kernel in program["kernels"]:
            if program["held_out"] is held_out and "same_as" not in kernel and "benchmark" in kernel["predicted"]:
                predicted = kernel["predicted"]["benchmark"]
                share = kernel["breakdown_of_composite"]["routines of a core"] / predicted
                key = "a tenth or less" if share <= 1 / 10 else "two thirds or more" if share >= 2 / 3 else None
                if key:
                    errors[key].append(predicted / kernel["least_seconds"] - 1)
    return ", ".join(f"{percent(sum(map(abs, each)) / len(each))} % off (predicted longer by {percent(sum(each) / len(each))} %) in the mean of the {len(each)} where they take {key}"
                     for key, each in errors.items() if each)


def bound_of_benchmark(held_out):
    """The least error that the greater of two sums, transfers and routines, can have on these kernels, with a factor of each that is fitted to them. Where routines decide, what
    `benchmark` makes of transfers is in no result: those are left out."""
    kernels = [kernel for program in result["programs"] if program["held_out"] is held_out for kernel in program["kernels"]
               if "same_as" not in kernel and 0.999 * kernel["predicted"].get("benchmark", 0) > kernel["breakdown_of_composite"]["routines of a core"]]  # but for the launch
    transfers, routines, measured = ([each(kernel) for kernel in kernels] for each in (
        lambda kernel: kernel["predicted"]["benchmark"], lambda kernel: kernel["breakdown_of_composite"]["routines of a core"], lambda kernel: kernel["least_seconds"]))
    error, of_transfers, of_routines = best_greater_of_two(transfers, routines, measured)
    unscaled = sum(abs(said / seen - 1) for said, seen in zip(transfers, measured)) / len(measured)
    return (f"the greater of its two sums is {percent(unscaled)} % off in the mean of the {len(kernels)} whose transfers take longer, and with a factor of each sum that is fitted to these kernels themselves, "
            f"{of_transfers:.3f} and {of_routines:.3f}, still {percent(error)} %")


def pooled(half, title):
    spread, loss = percent(half["median_spread"]), percent(half["greatest_loss_of_a_chosen_plan"])
    out.append(f"### {title}\n\nA kernel's time is {LEAST}. Median spread of a kernel's samples {spread} %; the chosen plan is at most {loss} % slower than the fastest that was measured, "
               f"in the median of programs {percent(half['median_loss_of_chosen_plans'])} %. In ranks equal predictions "
               f"{of_equal_predictions(verdict['ranks_of_the_five_fastest'] for key in READINGS for verdict in half[key])}.\n\n")
    out.append("| predictor | kernels' times | kernels | unanswered | MAPE % | 90th percentile % | maximum % | Spearman | ranks of the five fastest |\n" + "| --- " * 9 + "|\n")
    for key, words in READINGS.items():
        for verdict in half[key]:
            ranks = rank_list(verdict["ranks_of_the_five_fastest"])
            out.append(f"| `{verdict['predictor']}` | {words} | {verdict['kernels']} | {verdict['unanswered']} | {percent(verdict['mape'])} | "
                       f"{percent(verdict['p90'])} | {percent(verdict['worst'])} | {rank_correlation(verdict, 3)} | {ranks} |\n")
    near = half["within_a_factor_of_two"]
    ranks = ", ".join(f"`{verdict['predictor']}` {rank_correlation(verdict, 3)}"
                      + (f" of {verdict['kernels']} that it answers" if verdict["unanswered"] else "") for verdict in near["verdicts"])
    out.append(f"\nOf {near['kernels']} kernels within a factor of two ({1e3 * near['least_seconds']:.2f} to {1e3 * near['greatest_seconds']:.2f} ms; of the factor of two that has most kernels, "
               f"spread over their ranks), Spearman: {ranks}.")
    expected = " and ".join(f"{each['spearman']:.3f} where they are {percent(each['mape'])} % in the mean" for each in near["spearman_of_independent_errors"])
    out.append(f" Errors that know nothing of each other leave {expected}. All kernels of other factors of two, no ties merged: `composite` {octaves(half is result['held_out'])}.")
    if half["plans_of_benchmark"]:
        planned, of = half["plans_of_benchmark"], sum(program["held_out"] == (half is result["held_out"]) for program in result["programs"])
        refused = "" if planned == of else " (it refuses the others, which have a routine or a list without a time)"
        out.append(f" `benchmark` plans {planned} of {of} programs{refused}; its plans are at most "
                   f"{percent(half['greatest_loss_of_a_plan_of_benchmark'])} % slower than the fastest that was measured.")
    out.append(f" `benchmark` by the share of routines, timed alone, in what it predicts: {by_share_of_routines(half is result['held_out'])}. What two other rates could make of it: {bound_of_benchmark(half is result['held_out'])}.")
    if half is result["held_out"] and "before" in result:
        verdict, near = named(result["before"]["verdicts"], "composite"), named(result["before"]["within_a_factor_of_two"]["verdicts"], "composite")
        out.append(f" By the calibration of the minutes before, with no figure fitted again, `composite` is {percent(verdict['mape'])} % off, with {near['spearman']:.3f} within the factor of two.")
    out.append("\n\nWhole plans, predicted as the sum of their kernels: error in % in the mean (maximum) of plans that differ, and of the chosen ones among them:")
    for every, chosen in zip(half["plans"], half["chosen_plans"]):
        out.append(f" `{every['predictor']}` {percent(every['mape'])} ({percent(every['worst'])}) of {every['kernels']}, "
                   f"{percent(chosen['mape'])} ({percent(chosen['worst'])}) of {chosen['kernels']};")
    out[-1] = out[-1][:-1] + ".\n\n"


def furthest():
    """The kernels that `composite` is furthest off, of either half, by which its weaknesses are told."""
    out.append("### Furthest off\n\nThe kernels that `composite` is furthest off: eight that were held out, and eight of programs of which some were fitted to.\n\n"
               + "| program | calls | bytes per element | measured ms | predicted longer by % |\n" + "| --- " * 5 + "|\n")
    for held_out in (True, False):
        kernels = [(kernel["predicted"]["composite"] / kernel["least_seconds"] - 1, program["program"], kernel) for program in result["programs"]
                   if program["held_out"] is held_out for kernel in program["kernels"] if "same_as" not in kernel]
        kernels.sort(key=lambda each: -abs(each[0]))
        for error, program, kernel in kernels[:8]:
            calls = kernel["calls"].split()
            shown = " ".join(calls) if len(calls) <= 6 else f"{' '.join(calls[:3])} ... {' '.join(calls[-2:])} ({len(calls)})"
            out.append(f"| {program}{' (held out)' if held_out else ''} | `{shown}` | {kernel['bytes_per_element']:g} | {1e3 * kernel['least_seconds']:.2f} | {percent(error)} |\n")
    out.append("\n")


def programs():
    out.append("### Each program\n\n`composite` and `benchmark` with MAPE in % and rank correlation, over all its kernels; *ranks* are those that `composite` gives to the program's five fastest kernels; *span* is the slowest kernel's time over the fastest's.\n\n")
    out.append("| program | kernels | that count | span | `composite` MAPE % | Spearman | ranks | `benchmark` MAPE % | Spearman | chosen plan slower by % | predicted longer by % |\n" + "| --- " * 11 + "|\n")
    for program in result["programs"]:
        verdicts = [named(program["verdicts"], predictor) for predictor in ("composite", "benchmark")]
        out.append(f"| {program['program']}{' (held out)' if program['held_out'] else ''} | {len(program['kernels'])} | {sum('same_as' not in kernel for kernel in program['kernels'])} | {program['slowest_over_fastest']:.1f} | "
                   + f" | {', '.join(f'{rank:g}' for rank in verdicts[0]['ranks_of_the_five_fastest'])} | ".join(
                       f"{percent(each['mape'])} | {rank_correlation(each, 2)}" if each["kernels"] else "- | -" for each in verdicts)
                   + f" | {percent(program['loss_of_the_chosen_plan'])} | {percent(program['plans'][0]['predicted']['composite'] / program['plans'][0]['least_seconds'] - 1)} |\n")
    twice = sum("same_as" in kernel for program in result["programs"] for kernel in program["kernels"])
    out.append(f"\n*That count*: of kernels with the same work, to the numbers of their calls, one counts in the tables above, and none as held out that is one of a program with fitted kernels ({twice} do not count).\n\n")


def runs():
    """Every run, the kept one among them: what the rest of the tables says holds for one."""
    same, near = of_runs["slower_than_the_fastest_run"], of_runs["rank_correlation_within_a_factor_of_two_between_runs"]
    out.append(f"### Runs in a row\n\nThe tables above are those of the run whose samples spread least, of {len(of_runs['runs'])}. Of {same['kernels']} kernels that all runs measured, the slowest run "
               f"took {percent(same['median'])} % longer than the fastest in the median, {percent(same['p90'])} % for one in ten. Kernels held out within a factor of two, "
               f"measured in one run and ranked by the times of another, have a Spearman of {near['least']:.3f} to {near['greatest']:.3f}, {near['median']:.3f} in the median.\n\n")
    out.append("| run | spread % | copies GB/s | window | `composite` MAPE % | median of predicted over measured | Spearman | within a factor of two | chosen plan slower by at most % | `benchmark` MAPE % | Spearman |\n"
               + "| --- " * 11 + "|\n")
    for row in of_runs["runs"]:
        half, figures = row["held_out"], row["figures"]
        composite, benchmark = (named(half["verdicts"], predictor) for predictor in ("composite", "benchmark"))
        kept = ", kept" if row["date"] == result["date"] else ""
        out.append(f"| {row['date']}{kept} | {percent(row['spread'])} | {figures['stream.copy.peak']:.1f} | {figures['compute.window']:.0f} | {percent(composite['mape'])} | {1 + composite['bias']:.3f} | {composite['spearman']:.3f} | "
                   f"{named(half['within_a_factor_of_two']['verdicts'], 'composite')['spearman']:.3f} | {percent(half['greatest_loss_of_a_chosen_plan'])} | {percent(benchmark['mape'])} | "
                   f"{benchmark['spearman']:.3f} |\n")
    out.append("\n")


def together():
    """What is left of errors when the runs' own part is averaged away is the model's."""
    out.append("### Runs together\n\nOf a kernel that every run measured, the median of the runs' times beside the median of what their calibrations predict.\n\n"
               "| kernels | predictor | kernels | MAPE % | 90th percentile % | maximum % | Spearman | within a factor of two | no ties merged | of all kernels there |\n" + "| --- " * 10 + "|\n")
    for key, words in (("held_out", "of programs held out"), ("fitted", "of the others")):
        half = of_runs["together"][key]
        near = half["within_a_factor_of_two"]
        for verdict in half["verdicts"]:
            out.append(f"| {words} | `{verdict['predictor']}` | {verdict['kernels']} | {percent(verdict['mape'])} | {percent(verdict['p90'])} | {percent(verdict['worst'])} | {rank_correlation(verdict, 3)} | "
                       f"{rank_correlation(named(near['verdicts'], verdict['predictor']), 3)} ({near['kernels']}) | {named(near['verdicts'], verdict['predictor'])['spearman_unmerged']:.3f} | {rank_correlation(named(near['verdicts_of_all'], verdict['predictor']), 3)} ({near['of']}) |\n")
    errors = of_runs["together"]["held_out"]["errors_of_composite"]
    between = errors["correlation_between_runs"]
    out.append(f"\nErrors of `composite` for kernels held out, less each run's median, have correlations of {between['least']:.2f} to {between['greatest']:.2f} between runs: "
               f"the kernel's own part, the same in all, has a standard deviation of {percent(errors['of_the_kernel'])} %, what changes from run to run one of {percent(errors['of_the_run'])} %.")
    best = result["fitted_to_held_out"]
    out.append(f" In the run above, with the figures that are fitted to kernels from memory fitted to those held out themselves, from what they were on, `composite` is {percent(best['verdicts'][0]['mape'])} % off, "
               f"and ranks those within a factor of two by {best['within_a_factor_of_two']['verdicts'][0]['spearman']:.3f}.\n\n")


def ablations():
    out.append("### Terms\n\nWithout the term and, in brackets, with it: MAPE in % over the kernels held out, and the error of the fit. Both are fitted anew, so that what is in brackets may differ from the tables above in its last digit.\n\n")
    out.append("| term | in its place | kernels moved | kernels held out | fit |\n" + "| --- " * 5 + "|\n")
    for term in result["ablations"]["terms"]:
        row = term["rows"][0]
        cells = "moves no measured kernel | " if "without" not in row else " | ".join(
            f"{percent(row['without'][key])} ({percent(row['full'][key])})" for key in ("mape", "fit_error"))
        out.append(f"| {term['term']} | {term['instead']} | {row['moved_held_out']} | {cells} |\n")
    out.append("\n")


machine = result["machine"]
processors = next(round(figure["value"]) for figure in result["calibration"]["figures"] if figure["key"] == "speed.cores")
out.append(f"Made {result['date']} at commit {result['commit']} on {machine['processor']}, {processors} of {machine['threads']} processors, by {result['compiler']}; from the result by "
           f"`bench/audit_host_table.py`. The calibration took {result['seconds_of_calibration']:.0f} s, with what had not been compiled before.\n\n")
pooled(result["held_out"], "Kernels of programs held out")
pooled(result["fitted"], "Kernels of programs of which some were fitted to")
furthest()
programs()
runs()
together()
ablations()

marked_block.replace(page, BEGIN, END, "\n" + "".join(out), sys.argv[4:])
