#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calibrate_host.py FUSEC RESULT [NAME]: how long `fusec calibrate --target host` takes on this machine, and how far its figures agree from run
to run: on all processors that this process may use and on the last of them alone, each with nothing compiled before and three times after that.
RESULT gets the times and figures. With NAME the last calibration on one processor is added to those that come with the compiler, as NAME, with
the commit that it was made at."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
fusec, result_file = sys.argv[1:3]
name = sys.argv[3] if len(sys.argv) > 3 else None
WARM_RUNS = 3


def record():
    text = subprocess.run(["bash", "-c", 'source "$1/scripts/record.sh"; record "$1"', "-", root], check=True, capture_output=True, text=True).stdout
    return json.loads("{" + text.rstrip().rstrip(",") + "}")


def run(processors, folder, calibrated_name):
    """One calibration, and its row."""
    calibration = pathlib.Path(folder) / "calibration.json"
    before = time.monotonic()
    done = subprocess.run([fusec, "calibrate", "--target", "host", "-o", calibration] + (["--name", calibrated_name] if calibrated_name else []),
        check=True, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, processors),
        env={**os.environ, "XDG_CACHE_HOME": str(folder)})
    seconds = time.monotonic() - before
    made = json.loads(calibration.read_text())
    warnings = [line.partition("warning: ")[2] for line in done.stderr.splitlines() if "warning: " in line]
    return made, {"seconds": seconds, "warnings": warnings, "figures": {figure["key"]: figure["value"] for figure in made["figures"]}}


result = {**record(), "schema": "fusec-calibrate-host", "version": 1, "runs": []}
usable = sorted(os.sched_getaffinity(0))
for processors in ([usable] if len(usable) == 1 else [usable, usable[-1:]]):
    with tempfile.TemporaryDirectory(prefix="fusec-calibrate-") as folder:
        for number in range(1 + WARM_RUNS):
            made, row = run(processors, folder, name)
            result["runs"].append({"processors": len(processors), "compiled_before": number > 0, **row})
            print(f"{len(processors)} processors, {'compiled before' if number else 'nothing compiled'}: {row['seconds']:.1f} s", file=sys.stderr)
if name:
    made["commit"] = result["commit"]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(made, file)
        file.flush()
        subprocess.run([fusec, "calibrate", "--import", file.name, "-o", root / "perfmodel/calibrations" / (name + ".json")], check=True)
    result["calibration"] = name
pathlib.Path(result_file).write_text(json.dumps(result, indent=2) + "\n")
