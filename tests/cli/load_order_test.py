#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The vectors of a tile are loaded in the order of memory, in machine code too: load_order_test.py FUSEC CXX."""
import re
import sys
import tempfile
from pathlib import Path

from host_assembly import assembly

PROGRAMS = {9: "program trace;\ndouble MATRIX3x3 A;\ninput A;\ns = mtrace(A);\nreturn s;\n",
            16: "program negative;\ndouble VECTOR16 a;\ninput a;\nb = -a;\nreturn b;\n"}


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for vectors, program in PROGRAMS.items():
            # Those of the first loop, which go on from one register.
            found = re.findall(r"vmovup[sd]\s+(-?\d*)\((%r\w+)[^)]*\), %zmm", assembly(fusec, cxx, program, Path(folder)))
            offsets = [int(offset or 0) for offset, base in found if base == found[0][1]][:vectors]
            if not offsets or offsets != [offsets[0] + 64 * i for i in range(vectors)]:
                failures.append(f"{vectors} vectors: the loads of a tile are at {offsets}")
    print("\n".join(failures) if failures else "loads are in order")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
