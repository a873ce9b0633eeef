#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What g++ makes of the loop over tiles: addresses of lists stay in registers, and what rows of strips are written through starts a page, where rows are no lines
and nothing goes in halves. Where OpenMP is on, as in what users build: tile_loop_test.py FUSEC G++."""
import re
import sys
import tempfile
from pathlib import Path

from host_assembly import assembly

TRACE = "program p;\ndouble MATRIX3x3 A;\ninput A;\nt = mtrace(A);\nreturn t;\n"
SUM = "program p;\n{0} A, B;\ninput A, B;\nR = A + B;\nreturn R;\n"
ADDRESS_READ = re.compile(r"\t(?:mov|add)[lq]?\t[^%$]*\(%r\w+[^)]*\), %r\w+")
PAGE = re.compile(r"\tandq\t\$-4096, %rsp")


def loops(code: str) -> list[str]:
    """From a label to the jump back to it, of loops without others in them that write past the caches."""
    found = []
    for label in re.finditer(r"^(\.L\w+):", code, re.MULTILINE):
        body = re.match(rf"(?:(?!\n\.L\w+:|\n\t\.size).)*?\n\tj\w+\t{re.escape(label[1])}\n", code[label.end():], re.DOTALL)
        if body and "\tvmovnt" in body[0]:
            found.append(body[0])
    return found


def main() -> None:
    fusec, cxx = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for march in ("x86-64-v4", "x86-64-v3"):

            def code(program: str) -> str:
                return assembly(fusec, cxx, program, Path(folder), march, ("-fopenmp",))

            bodies = loops(code(TRACE))
            if not bodies:
                failures.append(f"{march}: no loop of a trace writes past the caches, or it calls what does")
            for body in bodies:
                read = [line.strip() for line in ADDRESS_READ.findall(body)]
                if read or "\tcall" in body:
                    failures.append(f"{march}: the loop of a trace reads {read} for each tile, or calls something")
            for shape, pages in (("MATRIX6x5", True), ("MATRIX6x6", march == "x86-64-v3"), ("MATRIX8x8", march == "x86-64-v3"), ("MATRIX4x4", False)):
                if (PAGE.search(code(SUM.format(shape))) is not None) != pages:
                    failures.append(f"{march}: {shape} is {'not ' if pages else ''}written through memory that starts a page")
    print("\n".join(failures) if failures else "addresses stay in registers, and strips start a page")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
