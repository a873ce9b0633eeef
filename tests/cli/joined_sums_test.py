#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What g++ makes of a sum of products that the model takes for joined (fusion/joined_sums.hpp), and of others: joined_sums_test.py FUSEC G++."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Two sums of one product are joined each; a product that is stored too has its own multiplications beside.
ONE = "P = s * A;\nR = B + P;\nreturn R;\n"
JOINED = ["MATRIX3x3", "MATRIX5x5", "MATRIX7x4", "MATRIX14x2", "VECTOR17"]
APART = ["MATRIX5x6", "MATRIX6x6", "VECTOR18"]


def instructions(fusec: str, cxx: str, shape: str, calls: str, folder: Path) -> dict[str, int]:
    """Vector multiplications, additions and multiply-adds in the text of one kernel, over its two loops of whole tiles and its last tile."""
    program, text, code = folder / "p.fus", folder / "p.cpp", folder / "p.s"
    program.write_text(f"program p;\ndouble {shape} A, B, C;\ndouble SCALAR s;\ninput A, B, C, s;\n{calls}".replace(
        "B, C;", "B, C;" if "C" in calls else "B;").replace("A, B, C, s", "A, B, C, s" if "C" in calls else "A, B, s"))
    subprocess.run([fusec, program, "--target", "host", "--plan", "max", "-o", text], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([cxx, "-std=c++20", "-O3", "-march=x86-64-v4", "-fno-math-errno", "-fopenmp", "-S", text, "-o", code], check=True)
    found = code.read_text()
    return {name: len(re.findall(rf"{opcode}\w*pd\s.*%zmm", found)) for name, opcode in
            (("multiply", "vmul"), ("add", "v(?:add|sub)"), ("both", "vfn?m"))}


def components(shape: str) -> int:
    sizes = [int(size) for size in re.findall(r"\d+", shape)]
    return sizes[0] * (sizes[1] if len(sizes) > 1 else 1)


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shape in JOINED + APART:
            found = instructions(fusec, cxx, shape, ONE, folder)
            if (found["both"] >= 2 * components(shape)) != (shape in JOINED) or (shape in APART and found["both"] != 0):
                failures.append(f"{shape}: {found}")
        shared = instructions(fusec, cxx, "MATRIX3x3", "P = s * A;\nR = B + P;\nQ = C - P;\nreturn R, Q;\n", folder)
        if shared["both"] < 2 * 18 or shared["multiply"] > 9:
            failures.append(f"two sums of one product: {shared}")
        stored = instructions(fusec, cxx, "MATRIX3x3", "P = s * A;\nR = B + P;\nreturn P, R;\n", folder)
        if stored["multiply"] < 2 * 9:
            failures.append(f"a product that is stored: {stored}")
    print("\n".join(failures) if failures else "sums are joined as the model has it")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
