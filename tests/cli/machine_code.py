# SPDX-License-Identifier: Apache-2.0
"""The machine code of a cubin, without a disassembler: of Volta and later, instructions of 16 bytes, whose opcode is the low nine bits (the next three
say where the operands are)."""
import struct


def kernels(path):
    """{mangled name: [(low half, high half) of each instruction]}"""
    image = open(path, "rb").read()
    (sections,) = struct.unpack_from("<Q", image, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", image, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", image, sections + i * size) for i in range(count)]
    names = image[headers[names_at][4]:][:headers[names_at][5]]
    found = {}
    for name_at, _, _, _, offset, length in headers:
        name = names[name_at:names.index(b"\0", name_at)].decode()
        if name.startswith(".text."):
            found[name[len(".text."):]] = list(struct.iter_unpack("<QQ", image[offset:offset + length]))
    return found
