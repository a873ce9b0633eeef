#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In which order the lines of a tile go past the caches, in machine code: for Zen 4 the last one first, on other processors in the order of memory, and of
halves of a tile, where a register is a line, the last one of each first: store_order_test.py FUSEC CXX."""
import re
import sys
import tempfile
from pathlib import Path

from host_assembly import assembly

ZEN4 = ("-D__znver4__",)


def program(list_type: str) -> str:
    return f"program p;\ndouble {list_type} a;\ninput a;\nb = -a;\nreturn b;\n"


# Processor, what a compiler is told of it, register, its bytes, result, its lines, the parts of a tile that are sent one behind the other, and whether the
# last line of a part goes first.
CASES = [("x86-64-v4", ZEN4, "zmm", 64, "MATRIX3x3", 9, 1, True), ("x86-64-v4", ZEN4, "zmm", 64, "VECTOR8", 8, 1, True),
         ("x86-64-v4", (), "zmm", 64, "MATRIX3x3", 9, 1, False), ("x86-64-v4", ZEN4, "zmm", 64, "MATRIX6x6", 36, 2, True),
         ("x86-64-v4", (), "zmm", 64, "MATRIX6x6", 36, 2, True), ("x86-64-v3", ZEN4, "ymm", 32, "MATRIX3x2", 6, 1, False)]


def backward_pairs(lines: list[int]) -> float:
    """The share of pairs whose later line is sent first: compilers let neighbours pass each other."""
    pairs = [(first, second) for at, first in enumerate(lines) for second in lines[at + 1:]]
    return sum(first > second for first, second in pairs) / len(pairs)


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for march, flags, register, size, result, count, parts, backwards in CASES:
            code = assembly(fusec, cxx, program(result), Path(folder), march, flags)
            places = [int(offset or 0) for offset in re.findall(rf"vmovnt\w+\s+%{register}\d+, (-?\d*)\(%r", code)[:count]]
            lines = [(place - min(places)) // size for place in places]
            each = count // parts
            for part in range(parts):
                sent = lines[part * each:(part + 1) * each]
                share = backward_pairs(sent)
                if sorted(sent) != list(range(part * each, (part + 1) * each)) or not (share > 0.9 if backwards else share < 0.3):
                    failures.append(f"{march} {' '.join(flags)}, {result}: lines {sent}, {share:.2f} of the pairs backwards")
    print("\n".join(failures) if failures else "results go past the caches in the order that was asked for")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
