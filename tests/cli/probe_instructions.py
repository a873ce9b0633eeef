#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the probes of operations and of shared memory do in machine code what they count: a pass of the loop of every kernel has eight operations of each
chain, or eight accesses of its width. Usage: probe_instructions.py PIPES.cubin SHARED.cubin [--unrolled]

How many passes stand in the body of a loop, machine code does not say: the cubins are of sources whose loops over passes are not unrolled. With --unrolled
they are of the sources as they are, which have to have as much, or more."""
import re
import sys

import machine_code

UNROLLED = 8
SPECIAL, LOAD, STORE = 0x108, 0x184, 0x188
# Opcodes and, of special functions, which one. An integer sum of three is IADD3, or what ptxas makes of it where IADD3 would be too many.
OPERATIONS = {"add_f32": [0x21], "mul_f32": [0x20], "fma_f32": [0x23], "add_f64": [0x29], "mul_f64": [0x28], "fma_f64": [0x2B], "add_i32": [0x10, 0x24, 0x36],
              "mad_i32": [0x24], "lop3_b32": [0x12], "reciprocal": [(SPECIAL, 4)], "reciprocal_root": [(SPECIAL, 5)], "exponential_2": [(SPECIAL, 2)],
              "logarithm_2": [(SPECIAL, 3)], "sine": [(SPECIAL, 1)], "convert": [0x110], "shuffle": [0x189], "shared_load": [0x184]}
WORDS = {"f": 4, "d": 5, "6float2": 5, "6float4": 6}  # of four, eight and sixteen bytes, as instructions say their width
failures = []


def kinds(code):
    for low, high in code:
        opcode = low & 0x1FF
        yield opcode
        if opcode == SPECIAL:
            yield opcode, high >> 10 & 15
        elif opcode in (LOAD, STORE):
            yield opcode, high >> 9 & 7


def expect(name, code, wanted, count):
    """Around the loop an instruction may stand, or one for each chain."""
    found = sum(list(kinds(code)).count(each) for each in wanted)
    if found < count or (not unrolled and found >= 2 * count + 16):
        failures.append(f"{name}: {found} of the instructions, not {count}")


def main(pipes, shared):
    seen = set()
    for mangled, code in machine_code.kernels(pipes).items():
        if match := re.search(r"6chainsINS\w*?_\d+([a-z]\w*?)ELi(\d+)EE", mangled):
            operation, independent = match[1], int(match[2])
            if operation in OPERATIONS:
                seen.add((operation, independent))
                expect(f"{operation} in {independent} chains", code, OPERATIONS[operation], UNROLLED * independent)
    for missing in sorted({(operation, independent) for operation in OPERATIONS for independent in (1, 2, 4, 8)} - seen):
        failures.append(f"no kernel of {missing[0]} in {missing[1]} chains")
    seen = set()
    for mangled, code in machine_code.kernels(shared).items():
        if match := re.search(r"7(reading|writing)I(\w+?)EEvi", mangled):
            seen.add((match[1], WORDS[match[2]]))
            expect(f"{match[1]} of {match[2]}", code, [(LOAD if match[1] == "reading" else STORE, WORDS[match[2]])], UNROLLED)
    for missing in sorted({(way, width) for way in ("reading", "writing") for width in (4, 5, 6)} - seen):
        failures.append(f"no kernel of {missing[0]} with the width {missing[1]}")
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


unrolled = "--unrolled" in sys.argv
sys.exit(main(*sys.argv[1:3]))
