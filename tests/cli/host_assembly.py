# SPDX-License-Identifier: Apache-2.0
"""What a compiler makes of the kernels of a program, for processors with AVX-512 (x86-64-v4) or AVX2 (v3) whatever this one has."""
import subprocess
from pathlib import Path


def assembly(fusec: str, cxx: str, program: str, folder: Path, march: str = "x86-64-v4", flags: tuple[str, ...] = ()) -> str:
    """Of the program's text, compiled for a host into as few kernels as there can be."""
    source, text, code = folder / "p.fus", folder / "p.cpp", folder / "p.s"
    source.write_text(program)
    subprocess.run([fusec, source, "--target", "host", "--plan", "max", "-o", text], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([cxx, "-std=c++20", "-O3", f"-march={march}", *flags, "-fno-math-errno", "-S", text, "-o", code], check=True)
    return code.read_text()
