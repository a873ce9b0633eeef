#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The vectors of a tile are loaded in the order of memory, in machine code too: load_order_test.py FUSEC CXX."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = {
    "trace": "program trace;\ndouble MATRIX3x3 A;\ninput A;\ns = mtrace(A);\nreturn s;\n",
    "negative": "program negative;\ndouble VECTOR16 a;\ninput a;\nb = -a;\nreturn b;\n",
}
VECTORS = {"trace": 9, "negative": 16}


def loads(fusec: str, cxx: str, name: str, folder: Path) -> list[int]:
    """Offsets of the first loop's loads of whole vectors, in the order of the machine code."""
    program, text, code = folder / f"{name}.fus", folder / f"{name}.cpp", folder / f"{name}.s"
    program.write_text(PROGRAMS[name])
    subprocess.run([fusec, program, "--target", "host", "-o", text], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    subprocess.run([cxx, "-std=c++20", "-O3", "-march=x86-64-v4", "-fno-math-errno", "-S", text, "-o", code], check=True)
    found = re.findall(r"vmovup[sd]\s+(-?\d*)\((%r\w+)[^)]*\), %zmm", code.read_text())
    base = found[0][1]
    return [int(offset or 0) for offset, register in found if register == base][:VECTORS[name]]


def main() -> None:
    fusec, cxx = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for name, count in VECTORS.items():
            offsets = loads(fusec, cxx, name, Path(folder))
            expected = [offsets[0] + 64 * i for i in range(count)]
            if offsets != expected:
                sys.exit(f"{name}: the loads of a tile are at {offsets}, not at {expected}")
    print("loads are in order")


if __name__ == "__main__":
    main()
