#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""result_files_test.py ROOT: shows that result_files.py accepts ROOT's results and names what is planted in a copy of them."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
checker = root / "tests/repository/result_files.py"
failures = 0


def check(tree, *options):
    done = subprocess.run([sys.executable, checker, tree, *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def copy(place):
    tree = pathlib.Path(place) / "tree"
    for folder in ("bench", "examples", "docs", "perfmodel/calibrations"):
        shutil.copytree(root / folder, tree / folder)
    return tree


def plant(expected, change):
    """change(tree) breaks a copy; the checker then says `expected`."""
    global failures
    with tempfile.TemporaryDirectory() as place:
        tree = copy(place)
        change(tree)
        code, said = check(tree)
        if code != 1 or expected not in said:
            failures += 1
            print(f"expected exit 1 and `{expected}`, got exit {code}:\n{said}")


def edited(name, edit):
    def change(tree):
        path = tree / "bench/results" / name
        content = json.loads(path.read_text())
        edit(content)
        path.write_text(json.dumps(content))
    return change


def plants(name, *cases):
    """Several edits of one file in one copy, none of which hides another: the checker then says what is expected of each, of that file."""
    global failures
    with tempfile.TemporaryDirectory() as place:
        tree = copy(place)
        for _, edit in cases:
            edited(name, edit)(tree)
        code, said = check(tree)
        for expected in (f"{name}: {text}" for text, _ in cases):
            if code != 1 or expected not in said:
                failures += 1
                print(f"expected exit 1 and `{expected}`, got exit {code}:\n{said}")


def without(key, program):
    return lambda content: content.update({key: [row for row in content[key] if row["program"] != program]})


with tempfile.TemporaryDirectory() as place:
    code, said = check(copy(place))
    if code != 0:
        failures += 1
        print(said)

def drop_verdict(content):
    content["fitted"].pop(0)


def forget_reason(content):
    row = next(row for row in content["fitted"] if "unavailable" in row)
    row["unavailable"] = ""
    row["all"] = {"points": 0}


plant("has not one verdict on", edited("audit_data.json", drop_verdict))
plant("neither judged nor said to be unavailable", edited("audit_data.json", forget_reason))
plant("fewer than five devices in fitted", edited("audit_data.json", lambda content: content.update(
    {"fitted": [row for row in content["fitted"] if row["device"] in ("a100", "l40")]})))
plant("docs/measured-gpus.md is not what bench/audit_table.py makes of it", edited("audit_data.json", lambda content: content.update({"date": "2000"})))
plant("docs/audit_data.svg has other mean errors, or other predictors", edited("audit_data.json", lambda content: next(
    row for row in content["fitted"] if row["predictor"] == "wave" and not row.get("unavailable"))["all"].update(mape=0.5)))

plant("ablations.json: has not one row on tail for each device", edited("ablations.json", lambda content: next(
    term for term in content["terms"] if term["term"] == "tail")["rows"].pop()))
plant("ablations.json: has another composite on a100 than audit_data.json",
      edited("ablations.json", lambda content: content["terms"][0]["rows"][0]["full"].update(mape=0.01)))
plant("is judged although no point moves", edited("ablations.json", lambda content: next(
    row for row in content["terms"][0]["rows"] if "without" in row).pop("without")))
plant("has no term for what the talk neglects: idle threads", edited("ablations.json", lambda content: content.update(
    terms=[term for term in content["terms"] if term["neglected"] != "idle threads"])))
plant("docs/model.md is not what bench/ablation_table.py makes of it", edited("ablations.json", lambda content: content.update(date="2000")))



def with_probes(edit):
    """As if the public measurements of one device were those of the probes, with their table on the page; then edited."""
    def change(tree):
        content = json.loads((tree / "bench/results/ablations.json").read_text())
        content["data"], content["devices"] = "the probes of a GPU, 2026", content["devices"][:1]
        for term in content["terms"]:
            term["rows"] = [row for row in term["rows"] if row["device"] == content["devices"][0]["name"]]
            for accuracy in (row[side] for row in term["rows"] for side in ("full", "without") if side in row):
                accuracy["p90_of_moved"] = accuracy["mape_of_moved"]
        result = tree / "bench/results/ablations_probes.json"
        result.write_text(json.dumps(content))
        subprocess.run([sys.executable, tree / "bench/ablation_table.py", result, tree / "docs/model.md"], check=True)
        edit(content)
        result.write_text(json.dumps(content))
    return change


with tempfile.TemporaryDirectory() as place:
    tree = copy(place)
    with_probes(lambda content: None)(tree)
    code, said = check(tree)
    page = (tree / "docs/model.md").read_text()
    if code != 0 or "from what the probes of a GPU, 2026, measured" not in page or "| barriers | barriers and exchanges that take nothing and keep nothing from overlapping | 0, 0 | moves no measured point |" not in page:
        failures += 1
        print(f"the table of probes is not accepted, or not on the page:\n{said}")
    (tree / "bench/results/ablations_probes.json").unlink()
    code, said = check(tree)
    if code != 1 or "ablations_probes.json: is missing, and docs/model.md has a table of it" not in said:
        failures += 1
        print(f"a page with a table of a result that is missing is accepted:\n{said}")
plant("ablations_probes.json: has other terms than ablations.json", with_probes(lambda c: c["terms"].pop()))
plant("ablations_probes.json: has not one row on tail", with_probes(lambda c: next(term for term in c["terms"] if term["term"] == "tail")["rows"].clear()))
plant("ablations_probes.json: is not about one GPU", with_probes(lambda c: c["devices"].append({"name": "l40", "points": 1, "fit_points": 1})))
plant("ablations_probes.json: soft maximum on a100 is judged although no point moves", with_probes(lambda c: c["terms"][0]["rows"][0].pop("without")))
plant("ablations_probes.json: docs/model.md is not what bench/ablation_table.py makes of it", with_probes(lambda c: c.update(date="2000")))

plant("does not hold every second program out", edited("audit_host.json", lambda c: c["programs"][1].update(held_out=False)))
plant("says another mape of composite in held_out, verdicts, than its times have", edited("audit_host.json", lambda c: c["held_out"]["verdicts"][0].update(mape=0.01)))
plant("says another loss of chosen plans in held_out", edited("audit_host.json", lambda c: c["held_out"].update(greatest_loss_of_a_chosen_plan=0.5)))


def scaled(key, factor, *path):
    """Makes a figure of a result a little better, or worse, than it is; `path`: keys and places."""
    def edit(content):
        for step in path:
            content = content[step]
        content[key] *= factor
    return edit


NEAR = "within_a_factor_of_two"
for name in ("audit_host.json", "audit_host_unseen.json"):
    plants(name, ("says another worst of composite in held_out, verdicts, than its times have", scaled("worst", 0.5, "held_out", "verdicts", 0)),
           ("says another p90 of roofline in held_out, verdicts, than its times have", scaled("p90", 0.999, "held_out", "verdicts", 1)),
           ("says another spearman of benchmark in held_out, verdicts, than its times have", scaled("spearman", 1 + 1e-6, "held_out", "verdicts", 2)),
           ("says another bias of composite in fitted, verdicts, than its times have", scaled("bias", 0.9, "fitted", "verdicts", 0)),
           ("says other ranks of the five fastest of composite in fitted, verdicts, than its times have", lambda c: c["fitted"]["verdicts"][0].update(ranks_of_the_five_fastest=[1.0] * 5)),
           ("says another spearman of composite in held_out, within a factor of two, than its times have", scaled("spearman", 1.001, "held_out", NEAR, "verdicts", 0)),
           ("says another worst of roofline in held_out, within a factor of two, than its times have", scaled("worst", 0.9, "held_out", NEAR, "verdicts", 1)),
           ("says another mape of benchmark in fitted, within a factor of two, than its times have", scaled("mape", 1.1, "fitted", NEAR, "verdicts", 2)),
           ("says another p90 of composite in held_out, against_medians, than its times have", scaled("p90", 0.9, "held_out", "against_medians", 0)),
           ("says another spearman of composite in fitted, plans, than its times have", scaled("spearman", 0.99, "fitted", "plans", 0)),
           ("says another worst of composite in held_out, chosen_plans, than its times have", scaled("worst", 0.9, "held_out", "chosen_plans", 0)),
           ("has not one verdict on each predictor in fitted, chosen_plans", lambda c: c["fitted"]["chosen_plans"].pop()),
           ("says another loss of chosen plans in held_out than its times have", lambda c: c["held_out"].update(greatest_loss_of_a_chosen_plan=-1e-6)),
           ("says another loss of chosen plans in fitted than its times have", lambda c: c["fitted"].update(median_loss_of_chosen_plans=0.001)),
           ("says another spread of samples in held_out than its kernels have", scaled("median_spread", 0.9, "held_out")),
           ("says another worst of composite in demo, than its times have", scaled("worst", 0.9, "programs", 0, "verdicts", 0)),
           ("says another slowest over fastest of demo than its times have", scaled("slowest_over_fastest", 0.9, "programs", 0)),
           ("says another loss of the chosen plan of demo than its times have", lambda c: c["programs"][0].update(loss_of_the_chosen_plan=-0.001)))
plants("audit_host.json", ("samples other kernels within a factor of two in held_out, than there are", scaled("least_seconds", 0.9, "held_out", NEAR)),
       ("samples other kernels within a factor of two in fitted, than there are", lambda c: c["fitted"][NEAR].update(kernels=59)),
       ("samples other kernels within a factor of two in fitted_to_held_out than in held_out", scaled("greatest_seconds", 0.9, "fitted_to_held_out", NEAR)),
       ("judges terms on other kernels than are held out", scaled("points", 2, "ablations")))


def furthest_does_not_count(other):
    """The kernel held out that `composite` is furthest off counts as another's."""
    return edited("audit_host.json", lambda c: max((kernel for program in c["programs"] if program["held_out"] for kernel in program["kernels"] if "same_as" not in kernel),
                                                   key=lambda kernel: abs(kernel["predicted"]["composite"] / kernel["least_seconds"] - 1)).update(same_as=other))


plant("audit_host.json: counts other kernels than it lists for composite in held_out", furthest_does_not_count("calibration: probe sums"))
for other in ("none", "recompute: none"):
    plant(f"which is not {other}", furthest_does_not_count(other))


def with_before(edit):
    """As if a calibration of some minutes before had said what that of the run says; then edited."""
    def change(content):
        for kernel in (kernel for program in content["programs"] for kernel in program["kernels"]):
            kernel["composite_before"] = kernel["predicted"]["composite"]
        half = content["held_out"]
        content["before"] = {"verdicts": half["verdicts"][:1], NEAR: {**half[NEAR], "verdicts": half[NEAR]["verdicts"][:1]}}
        content.update(json.loads(json.dumps({"before": content["before"], "version": 12})))
        edit(content)
    return edited("audit_host.json", change)


with tempfile.TemporaryDirectory() as place:
    tree = copy(place)
    with_before(lambda c: None)(tree)
    code, said = check(tree)
    if "audit_host.json: says another" in said or "audit_host.json: samples" in said or "audit_host_runs.json: says of the calibration of before another than audit_host.json, or nothing" not in said:
        failures += 1
        print(f"a calibration of before is refused, or one that the runs know nothing of is accepted:\n{said}")
plant("audit_host.json: says nothing of the calibration of before", with_before(lambda c: c.pop("before")))
plant("audit_host.json: says another mape of composite in before, verdicts, than its times have", with_before(scaled("mape", 0.9, "before", "verdicts", 0)))
plant("audit_host.json: says another spearman of composite in before, within a factor of two, than its times have", with_before(scaled("spearman", 1.001, "before", NEAR, "verdicts", 0)))
plant("docs/audit_host.svg is not what bench/audit_host_picture.py makes of it", edited("audit_host.json", lambda c: next(
    kernel for program in c["programs"] if program["held_out"] for kernel in program["kernels"] if "same_as" not in kernel).update(least_seconds=1.0)))
plant("docs/measured-hosts.md is not what bench/audit_host_table.py makes of it", edited("audit_host.json", lambda c: c.update(date="2000")))
plant("audit_host_runs.json: has fewer than three runs", edited("audit_host_runs.json", lambda c: c.update(runs=c["runs"][:2])))
for audit in ("audit_host", "audit_host_xeon"):
    audited = json.loads((root / f"bench/results/{audit}.json").read_text())["commit"]
    plant(f"audit_host_machines.json: is without the audit of {audit}.json",
          edited("audit_host_machines.json", lambda c: next(each for each in c["machines"] if each["commit"] == audited)["runs"][0]["composite"].update(mape=0.01)))
plant("audit_host_xeon.json: says another mape of composite in held_out, verdicts, than its times have", edited("audit_host_xeon.json", lambda c: c["held_out"]["verdicts"][0].update(mape=0.01)))
plant("audit_host_machines.json: docs/measured-hosts.md is not what", edited("audit_host_machines.json", lambda c: c["machines"][0]["runs"][0]["composite"].update(mape=0.01)))
plant("audit_host_runs.json: has another run that spreads least than audit_host.json", edited("audit_host_runs.json", lambda c: max(
    c["runs"], key=lambda run: run["spread"]).update(spread=0)))
plant("audit_host_runs.json: says of the run that was kept another held_out", edited("audit_host_runs.json", lambda c: min(
    c["runs"], key=lambda run: run["spread"])["held_out"].update(median_loss_of_chosen_plans=1)))
plant("audit_host_runs.json: says of the run that was kept other figures", edited("audit_host_runs.json", lambda c: min(
    c["runs"], key=lambda run: run["spread"])["figures"].update({"compute.window": 1})))
plant("audit_host_runs.json: says of the runs together what its kernels do not", edited("audit_host_runs.json", lambda c: c["together"]["held_out"]["verdicts"][0].update(mape=0.01)))
plant("audit_host_runs.json: says another mape of composite in held_out, run 2, verdicts, than its times have", edited("audit_host_runs.json", lambda c: next(
    each for each in c["kernels"] if each["held_out"])["seconds"].__setitem__(1, 1.0)))
plants("audit_host_runs.json", *((f"says another {key} of {predictor} in {half}, run {run + 1}, {'within a factor of two' if NEAR in path else 'verdicts'}, than its times have",
                                  scaled(key, factor, "runs", run, half, *path)) for run, half, key, factor, predictor, *path in (
           (0, "held_out", "worst", 0.9, "composite", "verdicts", 0), (1, "fitted", "spearman", 0.99, "roofline", "verdicts", 1), (2, "held_out", "p90", 0.999, "benchmark", "verdicts", 2),
           (1, "held_out", "spearman", 1.01, "composite", NEAR, "verdicts", 0), (2, "fitted", "mape", 0.99, "benchmark", NEAR, "verdicts", 2))),
       ("counts other kernels than it lists in fitted, run 1", scaled("kernels", 2, "runs", 0, "fitted", "verdicts", 2)),
       ("says another spread of samples in held_out, run 2 than its kernels have", scaled("median_spread", 0.9, "runs", 1, "held_out")),
       ("says another spread of the run that was kept than audit_host.json has", lambda c: min(c["runs"], key=lambda run: run["spread"]).update(spread=0)))
plant("audit_host_runs.json: says other times of the kernels of the run that was kept", edited("audit_host_runs.json", lambda c: c["kernels"][0].update(seconds=[1.0] * len(c["runs"]))))
plant("audit_host_unseen_runs.json: has another run that spreads least than audit_host_unseen.json", edited("audit_host_unseen_runs.json", lambda c: max(
    c["runs"], key=lambda run: run["spread"]).update(spread=0)))


def calibration_takes(seconds, run=0):
    return edited("calibrate_host.json", lambda c: c["runs"][run].update(seconds=seconds))


plant("takes 121 s on 2 processors", calibration_takes(121))
plant("takes 181 s on 1 processors", calibration_takes(181, 4))  # docs/status.md says another time
plant("takes 122 s on 1 processors", calibration_takes(122, 5))
plant("calibrate_host.json: docs/measured-hosts.md is not what bench/calibrate_host_table.py makes of it", calibration_takes(1.2))
plant("calibrate_host.json: has not one run with nothing compiled", edited("calibrate_host.json", lambda c: c["runs"].pop(0)))
plant("calibrate_host.json: is not the run that made perfmodel/calibrations/zen4-1core", edited("calibrate_host.json", lambda c: c.update(calibration="zen4-1core")))


def calibration_differs(tree):
    """One that the last run made, but for a figure."""
    content = json.loads((tree / "bench/results/calibrate_host.json").read_text())
    figures = [{"key": key, "value": value + (key == "speed.launch")} for key, value in content["runs"][-1]["figures"].items()]
    (tree / "perfmodel/calibrations/made.json").write_text(json.dumps({"commit": content["commit"], "figures": figures}))
    edited("calibrate_host.json", lambda c: c.update(calibration="made"))(tree)


plant("calibrate_host.json: is not the run that made perfmodel/calibrations/made", calibration_differs)

# An example that was added after the results were made.
for name in ("mutations.json", "ptxas_registers.json", "verify_all.json"):
    plant(f"bench/results/{name}: has nothing on the example added and does not leave it out",
          lambda tree: (tree / "examples/new.fus").write_text("program added;\ninput A;\n"))
plant("verify_all.json: has nothing on the example kalman", edited("verify_all.json", without("results", "kalman")))
plant("mutations.json: has nothing on the example kalman", edited("mutations.json", without("counts", "kalman")))
plant("ptxas_registers.json: has nothing on the example kalman", edited("ptxas_registers.json", without("kernels", "kalman")))
plant("verify_all.json: speaks of gone, which is no example and no workload", edited("verify_all.json", lambda c: c["results"][0].update(program="gone")))
plant("verify_all.json: has demo on ['emulated'], not on ['emulated', 'host']", edited("verify_all.json", lambda c: c["results"].pop(0)))
plant("verify_all.json: has tet_elasticity (alternative 2 of 2 at tet_elasticity.fus:13) on ['emulated'], not on ['emulated', 'host']",
      edited("verify_all.json", lambda c: c["results"].remove(next(
          row for row in c["results"] if row.get("alternatives", "").startswith("(alternative 2") and row["executor"] == "host"))))
plant("verify_all.json: is not of the form that its rule expects: KeyError('assertions')", edited("verify_all.json", lambda c: c.pop("assertions")))
plant("verify_all.json: has nothing on the example explicit_step with --checked and does not leave it out",
      edited("verify_all.json", lambda c: without("results", "explicit_step")(c["assertions"])))
plant("explicit_step on host does not agree", edited("verify_all.json", lambda c: c["assertions"]["results"][0].update(mismatches=1)))
plant("mutations.json: has nothing on the example explicit_step with --checked and does not leave it out", edited("mutations.json", lambda c: c.update(
    counts=[row for row in c["counts"] if row["program"] != "explicit_step" or "--checked" not in row["plan"]])))
plant("demo on host does not agree", edited("verify_all.json", lambda c: c["results"][0].update(mismatches=1)))
plant("demo on host was not checked", edited("verify_all.json", lambda c: c["results"][0].update(checked=0)))
plant("is not that of every candidate", edited("verify_all.json", lambda c: c.update(all=False)))
plant("leaves out kalman and has it", edited("verify_all.json", lambda c: c.update(left_out=[{"program": "kalman", "reason": "slow"}])))
plant("leaves out demo without a reason", edited("mutations.json", lambda c: c.update(left_out=[{"program": "demo"}])))
for reason in ("not yet run", "Not run.", "todo"):
    plant(f"leaves out demo because it is \"{reason}\", which is no reason",
          edited("mutations.json", lambda c: c.update(left_out=[{"program": "demo", "reason": reason}])))
plant("explore_scale.json: was made with files that are in no commit (0123+)", edited("explore_scale.json", lambda c: c.update(commit="0123+")))
plant("a mutant is neither caught nor equivalent", edited("mutations.json", lambda c: c["counts"][0].update(caught=0)))
plant("\"mutants\" is not the sum of its rows", edited("mutations.json", lambda c: c.update(mutants=1)))
plant("eviction.json: no cache shows", edited("eviction.json", lambda c: c["ways"][0].update(median_gb_per_s=c["ways"][-1]["median_gb_per_s"])))
plant("eviction.json: what is evicted is read faster", edited("eviction.json", lambda c: c["ways"][-1].update(median_gb_per_s=0.7 * c["ways"][0]["median_gb_per_s"])))
plant("docs/performance.md is not what", edited("explore_scale.json", lambda c: c["sizes"][0].update(gap=0.5)))
plant("which is not the example of its name", edited("host_plans-stvk.json", lambda c: c.update(program="demo")))
plant("has not as many times as runs", edited("host_plans-stvk.json", lambda c: c["plans"][0]["seconds"].pop()))
plant("verify_all.json: is missing", lambda tree: (tree / "bench/results/verify_all.json").unlink())
plant("verify_all.json: says no commit", edited("verify_all.json", lambda c: c.pop("commit")))
plant("verify_all.json: is not of the form", edited("verify_all.json", lambda c: c.pop("results")))
plant("no rule of tests/repository/result_files.py is for this file", lambda tree: (tree / "bench/results/new.json").write_text("{}"))
plant("gpu_plans_demo.json: is missing, while other examples have theirs", lambda tree: (tree / "bench/results/gpu_plans_demo.json").unlink())
plant("docs/measured-gpus.md is not what bench/gpu_plans_table.py makes of them", edited("gpu_plans_demo.json", lambda c: c.update(n=1)))


def check_history():
    """In a history of its own: a result made by its first commit, then one made by a commit of another branch; and without a history."""
    global failures
    with tempfile.TemporaryDirectory() as place:
        tree = pathlib.Path(place) / "tree"
        result = tree / "bench/results/a.json"
        result.parent.mkdir(parents=True)
        (tree / "examples").mkdir()

        def git(*words):
            identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
            return subprocess.run(["git", "-C", tree, *identity, *words], capture_output=True, text=True, check=True).stdout.strip()

        def expect(code, text):
            global failures
            found, said = check(tree, "--commits")
            if found != code or text not in said:
                failures += 1
                print(f"expected exit {code} and `{text}`, got exit {found}:\n{said}")

        result.write_text("{}")
        expect(77, "has no git history")
        git("init", "-q")
        git("commit", "-q", "--allow-empty", "-m", "one")
        first = git("rev-parse", "HEAD")
        git("checkout", "-q", "-b", "other")
        git("commit", "-q", "--allow-empty", "-m", "two")
        other = git("rev-parse", "HEAD")
        git("checkout", "-q", first)
        git("commit", "-q", "--allow-empty", "-m", "three")
        result.write_text(json.dumps({"commit": first}))
        expect(0, "")
        result.write_text(json.dumps({"commit": other}))
        expect(1, f"a.json: was made by {other}, which HEAD does not descend from")
        result.write_text(json.dumps({"commit": "f" * 40}))
        expect(1, "which HEAD does not descend from")
        result.write_text("{}")
        expect(1, "made by no commit")


check_history()
sys.exit(1 if failures else 0)
