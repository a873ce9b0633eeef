#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_calibration_import_test.py FUSEC ROOT: `fusec calibrate --import` makes perfmodel/calibrations/h200-probed.json of the measurements of an H200, but for the commit, and says
what probes of today measure beyond them. Fits may end a last digit apart on processors whose mathematical library rounds otherwise: values may differ by half a percent."""
import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

fusec, root = sys.argv[1], pathlib.Path(sys.argv[2])
LACKING = ["not measured: probe `arguments`", "not measured: `pipe` of lop3_b32, reciprocal", "not measured: `shared` of stores of 16 bytes",
           "not measured: `launch` over the number of blocks in mode event, graph"]
failures = []


def compare(place, made, kept):
    if isinstance(kept, dict) and isinstance(made, dict):
        if list(made) != list(kept):
            failures.append(f"{place}: other keys than the calibration has")
        for key in kept.keys() & made.keys() - {"commit"}:
            compare(f"{place}/{key}", made[key], kept[key])
    elif isinstance(kept, list) and isinstance(made, list):
        if len(made) != len(kept):
            failures.append(f"{place}: {len(made)} entries, the calibration has {len(kept)}")
        for i, (one, other) in enumerate(zip(made, kept)):
            compare(f"{place}/{kept[i]['key'] if isinstance(kept[i], dict) and 'key' in kept[i] else i}", one, other)
    elif isinstance(kept, str) and isinstance(made, str):
        if re.sub(r"-?[\d.]+", "#", made) != re.sub(r"-?[\d.]+", "#", kept):
            failures.append(f"{place}: `{made}`, the calibration has `{kept}`")
    elif type(made) is not type(kept) and not {type(made), type(kept)} <= {int, float}:
        failures.append(f"{place}: {made}, the calibration has {kept}")
    elif isinstance(kept, (int, float)) and not math.isclose(made, kept, rel_tol=5e-3, abs_tol=1e-9):
        failures.append(f"{place}: {made}, the calibration has {kept}")


with tempfile.TemporaryDirectory() as folder:
    measured, made = pathlib.Path(folder) / "measured.json", pathlib.Path(folder) / "made.json"
    text = gzip.decompress((root / "bench/measurements/gpu_probes_h200.json.gz").read_bytes())
    measured.write_bytes(text)
    # Probes of then read every clock behind the launches.
    LACKING.append(f"{len(json.loads(text)['rows'])} rows have the clock of an idle GPU, read behind the launches")
    said = subprocess.run([fusec, "calibrate", "--import", measured, "-o", made], check=True, capture_output=True, text=True).stderr
    compare("h200-probed", json.loads(made.read_text()), json.loads((root / "perfmodel/calibrations/h200-probed.json").read_text()))
lines = said.splitlines()
failures += [f"stderr does not say: {line}" for line in LACKING if line not in lines]
failures += [f"stderr says: {line}" for line in lines if line.startswith("not measured") and line not in LACKING]
print("\n".join(failures[:20]), end="\n" if failures else "")
sys.exit(1 if failures else 0)
