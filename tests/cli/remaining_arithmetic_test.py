#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What g++ leaves of kernels' arithmetic, beside what the model has it leave (fusion/remaining_arithmetic.hpp): remaining_arithmetic_test.py FUSEC G++."""
import re
import sys
import tempfile
from pathlib import Path

from host_assembly import assembly

# Declarations and calls, and the vector instructions (multiplications, additions, multiply-adds) of a tile.
KERNELS = {
    "a product": ("double MATRIX4x4 A, B;\ninput A, B;\nP = A * B;\nreturn P;\n", 4 * 16),
    "its trace": ("double MATRIX4x4 A, B;\ninput A, B;\nt = mtrace(A * B);\nreturn t;\n", 4 * 4 + 3),
    "the trace of a larger product": ("double MATRIX6x6 A, B;\ninput A, B;\nt = mtrace(A * B);\nreturn t;\n", 6 * 6 + 5),
    "a product of unlike matrices": ("double MATRIX3x3 F, G;\ninput F, G;\nC = mtmul(F, G);\nreturn C;\n", 3 * 9),
    "a product that is symmetric": ("double MATRIX3x3 F;\ninput F;\nC = mtmul(F, F);\nreturn C;\n", 3 * 6),
    "a multiple of it": ("double MATRIX3x3 F;\ndouble SCALAR s;\ninput F, s;\nE = s * mtmul(F, F);\nreturn E;\n", 3 * 6 + 6),
    "the trace of the largest sum that is followed":
        ("double VECTOR8 a, b;\ninput a, b;\nt = mtrace(vouter(a, b) + vouter(b, b));\nreturn t;\n", 8 + 8 + 7),
}
# Of a trace alone, a multiplication and a multiply-add for each component of the diagonal would be left.
WHOLE = {"the trace of a larger one": ("double VECTOR9 a, b;\ninput a, b;\nt = mtrace(vouter(a, b) + vouter(b, b));\nreturn t;\n", 81 + 45)}
LOOPS = 3  # of whole tiles, whose results go past the caches and otherwise, and the last tile


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:

        def instructions(text: str, opcodes: str) -> float:
            code = assembly(fusec, cxx, "program p;\n" + text, Path(folder))
            return len(re.findall(rf"\s({opcodes})\w*pd\s.*%zmm", code)) / LOOPS

        for name, (text, expected) in KERNELS.items():
            found = instructions(text, "vmul|vadd|vsub|vfn?m")
            if found != expected:
                failures.append(f"{name}: {found:g} instructions of a tile, {expected} are expected")
        for name, (text, expected) in WHOLE.items():
            found = instructions(text, "vmul")
            if found != expected:
                failures.append(f"{name}: {found:g} multiplications of a tile, {expected} are expected")
    print("\n".join(failures) if failures else "g++ leaves what the model has it leave")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
