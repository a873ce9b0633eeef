#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""quoted_figures_test.py CHECKER: what quoted_figures.py accepts and refuses, on pages and results made for it."""
import json
import pathlib
import subprocess
import sys
import tempfile

checker = sys.argv[1]
RESULT = {"share": 0.1234, "rows": [{"name": "a", "time": 2.0}, {"name": "b", "time": 3.456}, {"name": "b", "of": "d", "size": 7}, {"name": "two words", "size": 8}], "figures": [{"key": "stream.peak", "value": 55.04}]}
failures = 0


def expect(line, said):
    """What is said of a page with that line: a part of it, or nothing where it is right."""
    global failures
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        (root / "docs/adr").mkdir(parents=True)
        (root / "bench/results").mkdir(parents=True)
        (root / "bench/results/r.json").write_text(json.dumps(RESULT))
        (root / "README.md").write_text("# Page\n")
        (root / "docs/adr/page.md").write_text("First line.\n" + line + "\n")
        done = subprocess.run([sys.executable, checker, root], capture_output=True, text=True, check=False)
        right = done.returncode == 0 and not done.stdout if said is None else done.returncode == 1 and said in done.stdout
        if not right:
            failures += 1
            print(f"`{line}`: expected {said!r}, got exit {done.returncode}: {done.stdout}{done.stderr}")


expect("off by 12.3 %<!-- r/share --> and 12 %<!-- r/share -->", None)
expect("off by 12.4 %<!-- r/share -->", "docs/adr/page.md:2: says 12.4 % where r/share is 12.3")
expect("0.123<!-- r/share -->", None)
expect("took 3456<!-- 1000 r/rows/1/time --> ms", None)
expect("took 3457<!-- 1000 r/rows/1/time --> ms", "says 3457")
expect("2<!-- min r/rows/*/time of those that have it --> to 3.5<!-- max r/rows/*/time of those that have it -->", None)
expect("3<!-- min r/rows/*/time of those that have it -->", "says 3 where")
expect("2<!-- min r/rows/*/time -->", "names nothing in the results")
expect("2.73<!-- mean r/rows/*/time of those that have it -->", None)
expect("2.74<!-- mean r/rows/*/time of those that have it -->", "says 2.74")
expect("3.5<!-- mean r/rows/b/time of those that have it -->", None)
expect("7<!-- r/rows/b+d/size -->", None)
expect("8<!-- r/rows/two_words/size -->", None)
expect("8<!-- r/rows/two/size -->", "names nothing in the results")
expect("7<!-- r/rows/a+d/size -->", "names nothing in the results")
expect("7<!-- mean r/rows/*/gone -->", "names nothing in the results")
expect("2.0<!-- r/rows/0/time -->", None)
expect("55.0<!-- r/figures/stream.peak/value -->", None)
expect("2<!-- r/rows/*/time -->", "names nothing in the results")
expect("2<!-- r/rows/c/time -->", "names nothing in the results")
expect("2<!-- gone/share -->", "names nothing in the results")
expect("many<!-- r/share -->", "stand behind no figure")
expect("no quotes at all", "no figure is quoted")
expect("2.0<!-- r/rows/a/time --> beside <!-- tables of bench/x: begin -->", None)
sys.exit(1 if failures else 0)
