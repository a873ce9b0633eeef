#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether kernels that repeat a routine do its arithmetic as often as their text says: in PTX, and in the machine code that ptxas makes of it, to which
empty asm statements are nothing. Usage: repeated_arithmetic.py EMITTED.cu EMITTED.ptx EMITTED.cubin ROUTINE=FLOPS...

ROUTINE begins the name of a routine, FLOPS are the additions and multiplications of a pass of its loop by one thread, an FMA being two; the PTX of each
of its kernels has to have just these. The machine code of every kernel has to have what its PTX has, or more: ptxas unrolls loops."""
import re
import sys

import machine_code

MACHINE = {0x20: 1, 0x21: 1, 0x23: 2, 0x28: 1, 0x29: 1, 0x2B: 2}  # FMUL, FADD, FFMA, DMUL, DADD, DFMA
PTX = re.compile(r"\s+(?:@!?%\w+ )?(fma|mul|add|sub)(?:\.r[nzmp])?(?:\.ftz)?\.f(?:32|64)\s")


def ptx_flops(path):
    """{unit: {kernel: flops}}"""
    kernels, name = {}, None
    for line in open(path, encoding="utf-8"):
        if entry := re.search(r"\.entry (\w+)", line):
            name = entry[1]
            kernels[name] = 0
        elif (operation := PTX.match(line)) and name is not None:
            kernels[name] += 2 if operation[1] == "fma" else 1
    return kernels


def machine_flops(path):
    return {name: sum(MACHINE.get(low & 0x1FF, 0) for low, _ in code) for name, code in machine_code.kernels(path).items()}


source, ptx, cubin = sys.argv[1:4]
wanted = dict(argument.rsplit("=", 1) for argument in sys.argv[4:])
units = dict(re.findall(r"(?m)^// (k\d+): made by .*\n// routine: (.*)", open(source, encoding="utf-8").read()))
written, made = ptx_flops(ptx), machine_flops(cubin)
checked, wrong = dict.fromkeys(wanted, 0), 0
for kernel, flops in written.items():
    unit = re.search(r"(k\d+)_kernels", kernel)
    routine = units.get(unit[1]) if unit else None
    if routine is None:
        continue
    for start, count in wanted.items():
        if routine.startswith(start):
            checked[start] += 1
            if flops != int(count):
                wrong += 1
                print(f"{kernel} ({routine}): {flops} additions and multiplications in PTX, not {count}")
    if made.get(kernel, -1) < flops:
        wrong += 1
        print(f"{kernel} ({routine}): {made.get(kernel, 'no')} additions and multiplications in machine code, not {flops}")
for start, count in checked.items():
    if count == 0:
        wrong += 1
        print(f"no kernel of {start}")
sys.exit(1 if wrong or not written else 0)
