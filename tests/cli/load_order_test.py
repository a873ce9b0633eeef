#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The vectors of a tile are loaded in the order of memory, in machine code too: load_order_test.py FUSEC CXX."""
import re
import sys
import tempfile
from pathlib import Path

from host_assembly import assembly


def program(list_type: str, call: str) -> str:
    return f"program p;\ndouble {list_type} a;\ninput a;\nb = {call};\nreturn b;\n"


# Processor, register, bytes of a vector, vectors of a tile, program: the most that are ordered, and fewer.
CASES = [("x86-64-v4", "zmm", 64, 9, program("MATRIX3x3", "mtrace(a)")), ("x86-64-v4", "zmm", 64, 28, program("MATRIX7x4", "-a")),
         ("x86-64-v3", "ymm", 32, 6, program("MATRIX3x2", "-a")), ("x86-64-v3", "ymm", 32, 8, program("VECTOR8", "-a"))]


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for march, register, size, vectors, text in CASES:
            # Those of the first loop, which go on from one register.
            code = assembly(fusec, cxx, text, Path(folder), march)
            found = re.findall(rf"vmov(?:up[sd]|dqu\w*)\s+(-?\d*)\((%r\w+)[^)]*\), %{register}", code)
            offsets = [int(offset or 0) for offset, base in found if base == found[0][1]][:vectors]
            if not offsets or offsets != [offsets[0] + size * i for i in range(vectors)]:
                failures.append(f"{march}, {vectors} vectors: the loads of a tile are at {offsets}")
    print("\n".join(failures) if failures else "loads are in order")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
