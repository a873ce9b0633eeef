#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""result_files.py ROOT [--commits]: prints every way in which the files of ROOT/bench/results do not fit the tree; exit 1 if there is one.
With --commits only whether each was made by a commit that HEAD descends from; exit 77, and why, where ROOT holds no history to ask.

A file about all examples has a row for each, or names those that it leaves out, each with a reason:
"left_out": [{"program": "NAME", "reason": "its mutants do not end"}]; that nobody has run it is no reason. A file that no rule here speaks of is an error, so that a new kind gets one."""
import itertools
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
results = root / "bench/results"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from accuracy import accuracy, merged_rank_correlation, ranks, within_a_factor  # noqa: E402
from runs_together import MOST, PREDICTORS, together  # noqa: E402

breaches = []


def breach(file, text):
    breaches.append(f"bench/results/{file}: {text}")


def program_name(path):
    """As the compiler names it: by its statement, else the file's stem."""
    stated = re.search(r"^\s*program\s+(\w+)\s*;", path.read_text(), re.M)
    return stated.group(1) if stated else path.stem


EXAMPLES = {program_name(path) for path in (root / "examples").glob("*.fus")}
WORKLOADS = {program_name(path) for path in (root / "examples/workloads").glob("*.fus")}  # may be in a result file, need not
# Those whose text differs with --checked.
ASSERTING = {program_name(path) for path in (root / "examples").glob("*.fus") if re.search(r"^\s*assert\(", path.read_text(), re.M)}


def check_record(file, result):
    """What each run says of itself."""
    for key in ("date", "commit"):
        if not result.get(key):
            breach(file, f"says no {key}")
    if str(result.get("commit", "")).endswith("+"):
        breach(file, f"was made with files that are in no commit ({result['commit']})")
    if not result.get("processor") and not result.get("machine", {}).get("processor"):
        breach(file, "says no processor")


NO_REASON = r"(not (yet )?(run|done|made|measured)( yet)?|to ?do|later|tbd)\W*"


def check_covers(file, result, programs, expected=EXAMPLES, how=""):
    """The programs of a file are those expected and not left out; `how` says which part of a file is meant."""
    left_out = {}
    for entry in result.get("left_out", []):
        left_out[entry["program"]] = entry.get("reason", "")
        if not entry.get("reason"):
            breach(file, f"leaves out {entry['program']} without a reason")
        elif re.fullmatch(NO_REASON, entry["reason"].strip(), re.I):
            breach(file, f"leaves out {entry['program']} because it is \"{entry['reason']}\", which is no reason")
    for program in sorted(expected - programs - set(left_out)):
        breach(file, f"has nothing on the example {program}{how} and does not leave it out")
    for program in sorted((programs | set(left_out)) - EXAMPLES - WORKLOADS):
        breach(file, f"speaks of {program}, which is no example and no workload")
    for program in sorted(programs & set(left_out)):
        breach(file, f"leaves out {program} and has it")


def verify_rows(file, result, executors, expected=EXAMPLES, how=""):
    rows = result["results"]
    check_covers(file, result, {row["program"] for row in rows}, expected, how)
    if not result.get("all"):
        breach(file, "is not that of every candidate (--all)")
    # A program with alternatives has rows for each of its ways to be computed.
    for program, way in sorted({(row["program"], row.get("alternatives", "")) for row in rows}):
        found = sorted(row["executor"] for row in rows if (row["program"], row.get("alternatives", "")) == (program, way))
        if found != executors:
            breach(file, f"has {' '.join(filter(None, [program, way]))} on {found}, not on {executors}")
    for row in rows:
        if row["mismatches"] or row["ill_conditioned"]:
            breach(file, f"{row['program']} on {row['executor']} does not agree with the reference")
        if not row["checked"] or not row["components"]:
            breach(file, f"{row['program']} on {row['executor']} was not checked")


def check_verify_all(file, result):
    verify_rows(file, result, ["emulated", "host"])
    verify_rows(file, result["assertions"], ["emulated", "host"], ASSERTING, " with --checked")


def check_mutations(file, result):
    rows = result["counts"]
    check_covers(file, result, {row["program"] for row in rows})
    check_covers(file, result, {row["program"] for row in rows if "--checked" in row["plan"]}, ASSERTING, " with --checked")
    for row in rows:
        if row["mutants"] != row["caught"] + row["equivalent"]:
            breach(file, f"{row['program']}, {row['plan']}, {row['kind']}: a mutant is neither caught nor equivalent")
    for key in ("mutants", "caught", "equivalent"):
        if result[key] != sum(row[key] for row in rows):
            breach(file, f"\"{key}\" is not the sum of its rows")
    if result["equivalent"] != len(result["equivalents"]):
        breach(file, "not every equivalent mutant has its proof")


def check_eviction(file, result):
    rates = {way["prepared_by"]: way["median_gb_per_s"] for way in result["ways"]}
    if rates["nothing"] < 1.25 * rates["evicted"]:
        breach(file, "no cache shows: a list is read no faster where nothing drops it")
    if rates["evicted"] > 1.1 * max(way["median_gb_per_s"] for way in result["ways"] if way["other_mebibytes"] >= 128):
        breach(file, "what is evicted is read faster than behind other memory")


def check_plans(file, result):
    """Some plans of one example."""
    program = re.fullmatch(PLANS, file).group(1)
    if result["program"] != program or program not in EXAMPLES:
        breach(file, f"is that of {result['program']}, which is not the example of its name")
    if len(result["plans"]) < 2 or any(len(plan["seconds"]) != result["runs"] for plan in result["plans"]):
        breach(file, "has not as many times as runs of at least two plans")


def check_explore_scale(file, result):
    page = root / "docs/performance.md"
    command = [sys.executable, root / "bench/explore_scale_table.py", results / file]
    table = subprocess.run(command, capture_output=True, text=True, check=False)
    if table.returncode != 0 or table.stdout != page.read_text():
        breach(file, "docs/performance.md is not what bench/explore_scale_table.py makes of it")


def check_audit_data(file, result):
    """Every predictor has a verdict, or a reason, on every device; what the page says is what the file says."""
    for table in ("fitted", "fitted_with_l2_of_others", "left_out_device", "left_out_device_with_l2_of_others"):
        rows = result[table]
        pairs = [(row["predictor"], row["device"]) for row in rows]
        for predictor in sorted({name for name, _ in pairs}):
            for device in sorted({name for _, name in pairs}):
                if pairs.count((predictor, device)) != 1:
                    breach(file, f"has not one verdict on {predictor} on {device} in {table}")
        for row in rows:
            if not row.get("unavailable") and not row["all"]["points"]:
                breach(file, f"{row['predictor']} on {row['device']} is neither judged nor said to be unavailable")
        if len({row["device"] for row in rows if row["predictor"] == "composite" and "unavailable" not in row}) < 5:
            breach(file, f"judges composite on fewer than five devices in {table}")
    command = [sys.executable, root / "bench/audit_table.py", results / file, root / "docs/measured-gpus.md", "--check"]
    if subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0:
        breach(file, "docs/measured-gpus.md is not what bench/audit_table.py makes of it")
    errors = {}  # predictor -> mean errors on the devices that it is fitted to
    for row in result["fitted"]:
        if not row.get("unavailable") and "mape" in row["all"]:
            errors.setdefault(row["predictor"], []).append(row["all"]["mape"])
    said = re.findall(r">([a-z-]+): ([0-9.]+) % mean error over (\d+) devices<", (root / "docs/audit_data.svg").read_text())
    if said != [(name, f"{100 * statistics.mean(each):.1f}", str(len(each))) for name, each in errors.items()]:
        breach(file, "docs/audit_data.svg has other mean errors, or other predictors")


def check_ablations(file, result):
    """Every term has a row on every device that composite is fitted to, with the accuracy that the audit has of it; a term is judged where, and
    only where, a point moves without it."""
    audit = json.loads((results / "audit_data.json").read_text())
    fitted = {row["device"]: row for row in audit["fitted"] if row["predictor"] == "composite" and "unavailable" not in row}
    for term in result["terms"]:
        if sorted(row["device"] for row in term["rows"]) != sorted(fitted):
            breach(file, f"has not one row on {term['term']} for each device that composite is fitted to")
        for row in term["rows"]:
            full, known = row["full"], fitted.get(row["device"])
            if known and any(abs(a / b - 1) > 1e-3 for a, b in ((full["mape"], known["all"]["mape"]), (full["fit_error"], known["fit_error"]))):
                breach(file, f"has another composite on {row['device']} than audit_data.json")
            if ("without" in row) != (row["moved_held_out"] + row["moved_fit"] > 0):
                breach(file, f"{term['term']} on {row['device']} is judged although no point moves, or moves points and is not")
    for neglected in ("imperfect overlap", "idle threads", "mix of functions", "bias of single kernels"):
        if neglected not in {term["neglected"] for term in result["terms"]}:
            breach(file, f"has no term for what the talk neglects: {neglected}")
    command = [sys.executable, root / "bench/ablation_table.py", results / file, root / "docs/model.md", "--check"]
    if subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0:
        breach(file, "docs/model.md is not what bench/ablation_table.py makes of it")


def check_ablations_probes(file, result):
    """One GPU; every term of those on public data has one row, and is judged where, and only where, a point moves without it."""
    if len(result["devices"]) != 1:
        breach(file, "is not about one GPU")
    public = json.loads((results / "ablations.json").read_text())
    if [term["term"] for term in result["terms"]] != [term["term"] for term in public["terms"]]:
        breach(file, "has other terms than ablations.json")
    for term in result["terms"]:
        if [row["device"] for row in term["rows"]] != [device["name"] for device in result["devices"]]:
            breach(file, f"has not one row on {term['term']}")
        for row in term["rows"]:
            if ("without" in row) != (row["moved_held_out"] + row["moved_fit"] > 0):
                breach(file, f"{term['term']} on {row['device']} is judged although no point moves, or moves points and is not")
    command = [sys.executable, root / "bench/ablation_table.py", results / file, root / "docs/model.md", "--check"]
    if subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0:
        breach(file, "docs/model.md is not what bench/ablation_table.py makes of it")


def near(said, found, within=1e-9, absolute=1e-12):
    """Of numbers: but for what another order of a sum makes of the last digits. What is no number is near none."""
    return math.isclose(said, found, rel_tol=within, abs_tol=absolute)


def orders(works, time):
    """In which works may be sorted by their time: those that took equally long either way around, which no file says, and which the times that are merged with them, or a sample, may
    depend on. Of many such times not all."""
    groups = [list(group) for _, group in itertools.groupby(sorted(works, key=lambda work: work[time]), key=lambda work: work[time])]
    each = itertools.product(*((group, group[::-1]) if len(group) > 1 else (group,) for group in groups))
    return ([work for group in order for work in group] for order in itertools.islice(each, 64))


def merged_ranks(predictor, works, time):
    return merged_rank_correlation([work["predicted"][predictor] for work in works], [work[time] for work in works], [work["spread"] for work in works])


def differences(where, verdicts, works, time="least_seconds", rounded=False):
    """Where verdicts, one of each predictor as bench/audit_host_judge.cpp makes them, are not those of the works, kernels or plans. `rounded`: times and predictions have six digits, which
    moves an error by up to a hundred thousandth of their ratio; what is nearly equal may change places, which the five fastest show and a correlation hardly does."""
    if works and [verdict["predictor"] for verdict in verdicts] != list(works[0]["predicted"]):
        yield f"has not one verdict on each predictor in {where}"
    for verdict in verdicts:
        predictor = verdict["predictor"]
        answered = [work for work in works if work["predicted"][predictor] is not None]
        if len(answered) != verdict["kernels"] or len(works) - len(answered) != verdict["unanswered"]:
            yield f"counts other kernels than it lists for {predictor} in {where}"
            continue
        said, seen = [work["predicted"][predictor] for work in answered], [work[time] for work in answered]
        found = {**accuracy(said, seen), "bias": statistics.median(each / seconds for each, seconds in zip(said, seen)) - 1} if answered else {}
        for key in ("mape", "p90", "worst", "bias"):
            value = found.get(key, 0)
            if not near(verdict[key], value, absolute=1.1e-5 * (1 + abs(value)) if rounded else 1e-12):
                yield f"says another {key} of {predictor} in {where}, than its times have"
        if not any(near(verdict["spearman"], merged_ranks(predictor, each, time) if each else 0, absolute=2e-3 if rounded else 1e-12) for each in orders(answered, time)):
            yield f"says another spearman of {predictor} in {where}, than its times have"
        of_all, fastest = ranks(said), sorted(range(len(seen)), key=lambda place: seen[place])[:5]
        if not rounded and verdict["ranks_of_the_five_fastest"] != [1 + of_all[place] for place in fastest]:
            yield f"says other ranks of the five fastest of {predictor} in {where}, than its times have"


def differences_within_a_factor_of_two(where, said, kernels, rounded=False):
    """The sample follows from the times, and the verdicts are those on it."""
    for order in orders(kernels, "least_seconds"):
        sample = [order[place] for place in within_a_factor([kernel["least_seconds"] for kernel in order], 2, MOST)]
        ends = (("least_seconds", sample[0]), ("greatest_seconds", sample[-1]))
        if said["kernels"] != len(sample) or not all(near(said[key], kernel["least_seconds"], 1e-5 if rounded else 1e-9) for key, kernel in ends):
            return [f"samples other kernels within a factor of two in {where}, than there are"]
        found = list(differences(f"{where}, within a factor of two", said["verdicts"], sample, rounded=rounded))
        if not found:
            break
    return found


def check_verdicts(file, where, half, kernels, rounded=False):
    """On all kernels, and on the sample within a factor of two."""
    found = list(differences(f"{where}, verdicts", half["verdicts"], kernels, rounded=rounded))
    for text in found + differences_within_a_factor_of_two(where, half["within_a_factor_of_two"], kernels, rounded):
        breach(file, text)


def losses(programs, of_benchmark=False):
    """By how much the plan that was chosen, or that of `benchmark` where it has one, is slower than the fastest."""
    plans = [(next((plan for plan in program["plans"] if plan["plan"] == "benchmark"), None) if of_benchmark else program["plans"][0], program["plans"]) for program in programs]
    return [plan["median_seconds"] / min(each["median_seconds"] for each in all_plans) - 1 for plan, all_plans in plans if plan is not None]


def check_repeated(file, result, works, name):
    """What does not count is another's work, which counts: where both have as many elements every predictor says the same of them. What was fitted to is named alone: no result lists it."""
    def alike(said, others):
        return all(others[key] is value or None not in (value, others[key]) and near(value, others[key]) for key, value in said.items())

    counted = {}
    for program in result["programs"]:
        for work in program[works]:
            if "same_as" not in work:
                counted.setdefault(f"{program['program']}: {work[name]}", []).append((program["elements"], work["predicted"]))
    for program in result["programs"]:
        for work in program[works]:
            other = work.get("same_as")
            if other is not None and not (program["held_out"] and other.startswith("calibration: ")) and not any(
                    elements != program["elements"] or alike(work["predicted"], predicted) for elements, predicted in counted.get(other, [])):
                breach(file, f"does not count {work[name]} of {program['program']}, which is not {other}")


def check_program(file, program):
    """What an audit of a host says of one program: all of its kernels count here."""
    name = program["program"]
    for text in differences(name, program["verdicts"], program["kernels"]):
        breach(file, text)
    times = [kernel["least_seconds"] for kernel in program["kernels"]]
    if not near(program["slowest_over_fastest"], max(times) / min(times)):
        breach(file, f"says another slowest over fastest of {name} than its times have")
    for key, found in (("loss_of_the_chosen_plan", losses([program])), ("loss_of_the_plan_of_benchmark", losses([program], True))):
        if (program[key] is None) != (not found) or found and not near(program[key], found[0]):
            breach(file, f"says another {key.replace('_', ' ')} of {name} than its times have")


def check_audit_host(file, result):
    """Every example, every second one held out; errors, ranks and losses are those of the times that the file lists. What it has no times or predictions of cannot be made again: the
    calibration, the terms, what errors that know nothing of each other would rank (draws of the standard library's, which no other makes) and, of the figures fitted to what is held out,
    the predictions; of those it is asked that they are about the same kernels."""
    names = [program["program"] for program in result["programs"]]
    check_covers(file, result, set(names))
    if [program["held_out"] for program in result["programs"]] != [i % 2 == 1 for i in range(len(names))]:
        breach(file, "does not hold every second program out")
    for works, name in (("kernels", "calls"), ("plans", "plan")):
        check_repeated(file, result, works, name)
    for program in result["programs"]:
        check_program(file, program)
    for half, held_out in (("held_out", True), ("fitted", False)):
        said = result[half]
        programs = [program for program in result["programs"] if program["held_out"] == held_out]
        kernels, plans = ([each for program in programs for each in program[works] if "same_as" not in each] for works in ("kernels", "plans"))
        chosen = [program["plans"][0] for program in programs if "same_as" not in program["plans"][0]]
        check_verdicts(file, half, said, kernels)
        for key, works, time in (("against_medians", kernels, "median_seconds"), ("plans", plans, "least_seconds"), ("chosen_plans", chosen, "least_seconds")):
            for text in differences(f"{half}, {key}", said[key], works, time):
                breach(file, text)
        if not near(said["median_spread"], statistics.median(kernel["spread"] for kernel in kernels)):
            breach(file, f"says another spread of samples in {half} than its kernels have")
        if not near(said["greatest_loss_of_a_chosen_plan"], max(losses(programs))) or not near(said["median_loss_of_chosen_plans"], statistics.median(losses(programs))):
            breach(file, f"says another loss of chosen plans in {half} than its times have")
        by_benchmark = losses(programs, True)
        if len(by_benchmark) != said["plans_of_benchmark"] or (by_benchmark and not near(said["greatest_loss_of_a_plan_of_benchmark"], max(by_benchmark))):
            breach(file, f"says another loss of the plans of benchmark in {half} than its times have")
        if held_out:
            if result["ablations"]["points"] != len(kernels):
                breach(file, "judges terms on other kernels than are held out")
            if "before" in result:  # not before version 12
                check_verdicts(file, "before", result["before"], [{**kernel, "predicted": {"composite": kernel["composite_before"]}} for kernel in kernels])
            for key in ("before", "fitted_to_held_out"):
                if key in result and any(result[key]["within_a_factor_of_two"][each] != said["within_a_factor_of_two"][each]
                                         for each in ("kernels", "least_seconds", "greatest_seconds", "spearman_of_independent_errors")):
                    breach(file, f"samples other kernels within a factor of two in {key} than in held_out")
            if "fitted_to_held_out" in result and result["fitted_to_held_out"]["verdicts"][0]["kernels"] != len(kernels):
                breach(file, "has figures fitted to other kernels than are held out")
    if result["version"] >= 12 and "before" not in result:
        breach(file, "says nothing of the calibration of before")
    if file != "audit_host.json":  # the one whose tables are on the page
        if (result["withheld"] == "programs") != (file == "audit_host_unseen.json"):
            breach(file, f"is of an audit that withholds {result['withheld']} from its calibration")
        return
    command = [sys.executable, root / "bench/audit_host_table.py", results / file, results / "audit_host_runs.json", root / "docs/measured-hosts.md", "--check"]
    if subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0:
        breach(file, "docs/measured-hosts.md is not what bench/audit_host_table.py makes of it")
    command = [sys.executable, root / "bench/audit_host_picture.py", results / file, root / "docs/audit_host.svg", "--check"]
    if subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0:
        breach(file, "docs/audit_host.svg is not what bench/audit_host_picture.py makes of it")


def check_audit_host_runs(file, result):
    """Three runs or more; the one that the result without `_runs` has is that whose samples spread least, and its row says what that file says. Of the others what kernels say is
    what the verdicts on them say, where all runs count the same kernels; their plans, and the calibrations of before, are not listed."""
    kept_file = file.replace("_runs", "")
    audit = json.loads((results / kept_file).read_text())
    if len(result["runs"]) < 3:
        breach(file, "has fewer than three runs")
    kept = min(result["runs"], key=lambda run: run["spread"])
    if kept["date"] != audit["date"] or result["commit"] != audit["commit"]:
        breach(file, f"has another run that spreads least than {kept_file}")
    spreads = sorted(kernel["spread"] for program in audit["programs"] for kernel in program["kernels"])
    if kept["spread"] != spreads[len(spreads) // 2]:
        breach(file, f"says another spread of the run that was kept than {kept_file} has")
    for half in ("held_out", "fitted"):
        if any(kept[half][key] != audit[half][key] for key in kept[half]):
            breach(file, f"says of the run that was kept another {half} than {kept_file}")
    if any(("before" in run) != ("before" in audit) for run in result["runs"]) or any(value != audit["before"][key] for key, value in kept.get("before", {}).items()):
        breach(file, f"says of the calibration of before another than {kept_file}, or nothing")
    figures = {figure["key"]: figure["value"] for figure in audit["calibration"]["figures"]}
    if any(figures[key] != value for key, value in kept["figures"].items()):
        breach(file, f"says of the run that was kept other figures than {kept_file}")
    if file == "audit_host_runs.json" or "kernels" in result:  # which those of before do not have
        column = [run["date"] for run in result["runs"]].index(kept["date"])
        programs = {program["program"]: program["kernels"] for program in audit["programs"]}
        if any(abs(each[key][column] / said - 1) > 1e-5 for each in result["kernels"] for kernel in [programs[each["program"]][each["kernel"]]]
               for key, said in (("seconds", kernel["least_seconds"]), ("composite", kernel["predicted"]["composite"]))):
            breach(file, f"says other times of the kernels of the run that was kept than {kept_file}")
        for number, run in enumerate(result["runs"]):
            for half, held_out in (("held_out", True), ("fitted", False)):
                kernels = [{"least_seconds": each["seconds"][number], "spread": each["spread"][number], "predicted": {predictor: each[predictor][number] for predictor in PREDICTORS}}
                           for each in result["kernels"] if each["held_out"] == held_out]
                where, counts = f"{half}, run {number + 1}", {verdict["kernels"] + verdict["unanswered"] for verdict in run[half]["verdicts"]}
                if counts == {len(kernels)}:
                    check_verdicts(file, where, run[half], kernels, rounded=True)
                    if not near(run[half]["median_spread"], statistics.median(kernel["spread"] for kernel in kernels), 1e-5):
                        breach(file, f"says another spread of samples in {where} than its kernels have")
                elif len(counts) != 1 or max(counts) < len(kernels):
                    breach(file, f"counts other kernels than it lists in {where}")
        if json.loads(json.dumps(together(result["kernels"]))) != result["together"]:
            breach(file, "says of the runs together what its kernels do not")


def check_audit_host_machines(file, result):
    """The audits of audit_host.json and audit_host_xeon.json are among them, said as bench/audit_host_machines.py says it; the page has the table."""
    script = root / "bench/audit_host_machines.py"
    with tempfile.TemporaryDirectory() as place:
        again = pathlib.Path(place) / file
        for audit, runs in (("audit_host.json", results / "audit_host_runs.json"), ("audit_host_xeon.json", "-")):
            again.write_text(json.dumps(result))
            done = subprocess.run([sys.executable, script, "add", results / audit, runs, again], capture_output=True, text=True, check=False)
            if done.returncode != 0 or json.loads(again.read_text()) != result:
                breach(file, f"is without the audit of {audit}, or says something else of it")
    if subprocess.run([sys.executable, script, "table", results / file, root / "docs/measured-hosts.md", "--check"], capture_output=True, text=True, check=False).returncode != 0:
        breach(file, "docs/measured-hosts.md is not what bench/audit_host_machines.py makes of it")


def check_calibrate_host(file, result):
    """Under two minutes, on one processor too; a run that is not is said to be one in docs/status.md ("not met", with its time). A calibration that it says to
    have made is the last run's, and docs/measured-hosts.md says times and figures."""
    status = (root / "docs/status.md").read_text()
    for processors in sorted({run["processors"] for run in result["runs"]}):
        runs = [run for run in result["runs"] if run["processors"] == processors]
        first = [run["seconds"] for run in runs if not run["compiled_before"]]
        again = sorted(run["seconds"] for run in runs if run["compiled_before"])
        if len(first) != 1 or len(again) < 3:
            breach(file, f"has not one run with nothing compiled and three after that on {processors} processors")
            continue
        for run in runs:
            said = rf"\*\*not met[^|]*\*\*: {run['seconds']:.0f}<!-- calibrate_host/runs/{result['runs'].index(run)}/seconds -->"
            if run["seconds"] >= 120 and not re.search(said, status):
                breach(file, f"takes {run['seconds']:.0f} s on {processors} processors, two minutes or more, and docs/status.md does not say that it misses them")
    command = [sys.executable, root / "bench/calibrate_host_table.py", results / file, root / "docs/measured-hosts.md", "--check"]
    if subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0:
        breach(file, "docs/measured-hosts.md is not what bench/calibrate_host_table.py makes of it")
    if "calibration" in result:
        calibration = json.loads((root / "perfmodel/calibrations" / (result["calibration"] + ".json")).read_text())
        figures = {figure["key"]: figure["value"] for figure in calibration["figures"]}
        if calibration["commit"] != result["commit"] or figures != result["runs"][-1]["figures"]:
            breach(file, f"is not the run that made perfmodel/calibrations/{result['calibration']}.json")


PLANS = r"(?:host_plans-|gpu_plans_)(\w+)\.json"
RULES = [
    (r"ablations\.json", check_ablations),
    (r"ablations_probes\.json", check_ablations_probes),
    (r"audit_data\.json", check_audit_data),
    (r"audit_host(?:_unseen|_xeon)?\.json", check_audit_host),
    (r"audit_host_machines\.json", check_audit_host_machines),
    (r"audit_host(?:_unseen)?_runs\.json", check_audit_host_runs),
    (r"calibrate_host\.json", check_calibrate_host),
    (r"eviction\.json", check_eviction),
    (r"explore_scale\.json", check_explore_scale),
    (PLANS, check_plans),
    (r"gpu_verify\.json", lambda file, result: verify_rows(file, result, ["gpu"])),
    (r"gpu_sanitizer\.json", lambda file, result: check_covers(file, result, {row["program"].split(".")[0] for row in result["runs"]})),
    (r"mutations\.json", check_mutations),
    (r"ptxas_registers\.json", lambda file, result: check_covers(file, result, {row["program"] for row in result["kernels"]})),
    (r"verify_all\.json", check_verify_all),
]
NEEDED = ("ablations.json", "audit_data.json", "audit_host.json", "audit_host_machines.json", "audit_host_runs.json", "audit_host_unseen.json", "audit_host_unseen_runs.json", "audit_host_xeon.json", "calibrate_host.json", "eviction.json", "explore_scale.json", "mutations.json", "ptxas_registers.json", "verify_all.json")



def git(*words):
    if shutil.which("git") is None:
        return 127, ""
    done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip()


def check_commits():
    """Each file's commit is HEAD or an ancestor: what was measured is what the history holds."""
    code, top = git("rev-parse", "--show-toplevel")
    if code != 0 or pathlib.Path(top).resolve() != root.resolve():
        print(f"{root} has no git history: the commits of its results are not checked")
        sys.exit(77)
    if git("rev-parse", "--is-shallow-repository")[1] == "true":
        print(f"{root} is a shallow clone: the commits of its results are not checked")
        sys.exit(77)
    for path in sorted(results.glob("*.json")):
        result = json.loads(path.read_text())
        for made in [result, *result.get("machines", [])]:
            commit = str(made.get("commit", "")).rstrip("+")
            if git("merge-base", "--is-ancestor", commit, "HEAD")[0] != 0:
                breach(path.name, f"was made by {commit or 'no commit'}, which HEAD does not descend from")


if sys.argv[2:] == ["--commits"]:
    check_commits()
    print("\n".join(breaches), end="\n" if breaches else "")
    sys.exit(1 if breaches else 0)

for name in NEEDED:
    if not (results / name).is_file():
        breach(name, "is missing")
on_gpu = {path.name for path in results.glob("gpu_plans_*.json")}
for program in sorted(EXAMPLES):
    if on_gpu and f"gpu_plans_{program}.json" not in on_gpu:
        breach(f"gpu_plans_{program}.json", "is missing, while other examples have theirs")
if on_gpu:
    command = [sys.executable, root / "bench/gpu_plans_table.py", results, root / "docs/measured-gpus.md", "--check"]
    if subprocess.run(command, capture_output=True, text=True, check=False).returncode != 0:
        breach("gpu_plans_*.json", "docs/measured-gpus.md is not what bench/gpu_plans_table.py makes of them")
# Without the result the page has no table of it.
BLOCK = "<!-- table of bench/audit --ablation --probes: {} -->\n"
if not (results / "ablations_probes.json").is_file() and BLOCK.format("begin") + BLOCK.format("end") not in (root / "docs/model.md").read_text():
    breach("ablations_probes.json", "is missing, and docs/model.md has a table of it")
for path in sorted(results.iterdir()):
    rule = next((check for pattern, check in RULES if re.fullmatch(pattern, path.name)), None)
    if rule is None:
        breach(path.name, "no rule of tests/repository/result_files.py is for this file")
        continue
    try:
        content = json.loads(path.read_text())
        check_record(path.name, content)
        rule(path.name, content)
    except (json.JSONDecodeError, KeyError, TypeError, IndexError) as error:
        breach(path.name, f"is not of the form that its rule expects: {error!r}")
print("\n".join(breaches), end="\n" if breaches else "")
sys.exit(1 if breaches else 0)
