#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What g++ makes of a sum of products that the model takes for joined (fusion/joined_sums.hpp), and of others: joined_sums_test.py FUSEC G++."""
import math
import re
import sys
import tempfile
from pathlib import Path

from host_assembly import assembly

JOINED = ["MATRIX3x3", "MATRIX5x5", "MATRIX7x4", "MATRIX14x2", "VECTOR17", "MATRIX8x5", "MATRIX8x7"]
APART = ["MATRIX11x3", "MATRIX6x6", "VECTOR18"]
LOOPS = 2  # of whole tiles: results that go past the caches, and others


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:

        def instructions(shape: str, calls: str) -> tuple[int, int]:
            """Vector multiplications, and multiplications with additions, in the whole text."""
            lists = "A, B, C" if "C" in calls else "A, B"
            code = assembly(fusec, cxx, f"program p;\ndouble {shape} {lists};\ndouble SCALAR s;\ninput {lists}, s;\n"
                                        f"P = s * A;\n{calls}\n", Path(folder))
            return tuple(len(re.findall(rf"{opcode}\w*pd\s.*%zmm", code)) for opcode in ("vmul", "vfn?m"))

        for shape in JOINED + APART:
            _, joined = instructions(shape, "R = B + P;\nreturn R;")
            components = math.prod(int(size) for size in re.findall(r"\d+", shape))
            if joined < LOOPS * components if shape in JOINED else joined != 0:
                failures.append(f"{shape}: {joined} sums are joined")
        alone, joined = instructions("MATRIX3x3", "R = B + P;\nQ = C - P;\nreturn R, Q;")
        if joined < LOOPS * 18 or alone > 9:  # the last tile's may stand alone
            failures.append(f"two sums of one product: {joined} are joined, {alone} products stand alone")
        alone, _ = instructions("MATRIX3x3", "R = B + P;\nreturn P, R;")
        if alone < LOOPS * 9:
            failures.append(f"a product that is stored: {alone} products stand alone")
    print("\n".join(failures) if failures else "sums are joined as the model has it")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
