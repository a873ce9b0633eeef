#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The vectors of a tile are loaded in the order of memory, in machine code too, and what is asked for ahead of a line stands before its first load:
load_order_test.py FUSEC CXX."""
import re
import sys
import tempfile
from pathlib import Path

from host_assembly import assembly


def program(list_type: str, call: str) -> str:
    return f"program p;\ndouble {list_type} a;\ninput a;\nb = {call};\nreturn b;\n"


LINE = 64
ZEN4 = ("-D__znver4__",)
# Processor, what a compiler is told of it, register, bytes of a vector, vectors of a tile, program: the most that are ordered at once, fewer, and two
# halves of a tile, which Zen 4 follows by itself.
CASES = [("x86-64-v4", (), "zmm", 64, 9, program("MATRIX3x3", "mtrace(a)")), ("x86-64-v4", (), "zmm", 64, 28, program("MATRIX7x4", "-a")),
         ("x86-64-v4", (), "zmm", 64, 40, program("MATRIX8x5", "-a")), ("x86-64-v4", ZEN4, "zmm", 64, 40, program("MATRIX8x5", "-a")),
         ("x86-64-v3", (), "ymm", 32, 6, program("MATRIX3x2", "-a")), ("x86-64-v3", (), "ymm", 32, 8, program("VECTOR8", "-a"))]


# What a compiler is told of the processor, program, and what stands before how many loads: those of strips, and behind them, wherever that is, of others. Zen 4, which lists are asked for into the second level for:
# tiles of up to 1 KiB, larger ones, which it follows by itself, strips, of which what is near is asked for into the first, larger tiles beside strips, and tiles in strips beside them that would go in halves by
# themselves. Strips of others.
PRODUCT = "program p;\ndouble {0} a, b;\ndouble MATRIX4x4 s;\ninput a, b, s;\nc = {1};\nreturn c;\n"
BESIDE_STRIPS = "program p;\ndouble {0} a;\ndouble {1} b;\ninput a, b;\ns = mtrace(a);\nc = s * b;\nreturn c;\n"
GROUPS = [(ZEN4, PRODUCT.format("MATRIX3x3", "a * b * a * b"), ["prefetcht1"], [9]), (ZEN4, PRODUCT.format("MATRIX7x4", "(a + b) * s * s * s"), [], [28]),
          (ZEN4, PRODUCT.format("MATRIX6x6", "a * b"), ["prefetcht1", "prefetcht0"], [8]), (ZEN4, BESIDE_STRIPS.format("MATRIX6x6", "MATRIX7x4"), ["prefetcht1", "prefetcht0"], [8, 28]),
          (ZEN4, BESIDE_STRIPS.format("MATRIX8x8", "MATRIX8x5"), ["prefetcht1", "prefetcht0"], [8, 8]), ((), PRODUCT.format("MATRIX6x6", "a * b"), ["prefetcht0"], [8])]


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for march, flags, register, size, vectors, text in CASES:
            # Those of the first loop, which go on from one register.
            code = assembly(fusec, cxx, text, Path(folder), march, flags)
            found = re.findall(rf"(vmov(?:up[sd]|dqu\w*)|prefetcht\d)\s+(-?\d*)\((%r\w+)[^)]*\)(?:, %{register}\d+)?$", code, re.MULTILINE)
            base = next(base for instruction, _, base in found if instruction.startswith("vmov"))
            places = [("ask" if instruction.startswith("prefetch") else "load", int(offset or 0)) for instruction, offset, at in found if at == base]
            asked_for = 0 if flags else -(-vectors * size // LINE)
            places = places[:vectors + asked_for]
            # Tiles that take 8 KiB or a little more.
            start, ahead = min(offset for _, offset in places), -(-8192 // (vectors * size)) * vectors * size
            expected = []
            for vector in range(vectors):
                offset = start + vector * size
                expected += [("ask", offset + ahead)] if asked_for and vector * size % LINE == 0 else []
                expected.append(("load", offset))
            if places != expected or (flags and "prefetch" in code):
                failures.append(f"{march} {' '.join(flags)}, {vectors} vectors: a tile is loaded, and the one {ahead} bytes ahead asked for, at {places}")
        for flags, text, before, loads in GROUPS:
            code = assembly(fusec, cxx, text, Path(folder), "x86-64-v4", flags)
            found = [name if name.startswith("prefetch") else "load" for name in
                     re.findall(r"(prefetcht\d|vmovup[sd]|vmovdqu\w*)\s+-?\d*\(%r[^)]*\)(?:, %zmm\d+)?$", code, re.MULTILINE)]
            first, *others = [(before + ["load"]) * count for count in loads]
            rest = found[len(first):]
            if found[:len(first)] != first or any(run not in (rest[at:at + len(run)] for at in range(len(rest))) for run in others):
                failures.append(f"{text.splitlines()[4]}, {' '.join(flags)}: {found}")
    print("\n".join(failures) if failures else "loads are in order, and so is what is asked for")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
