"""Executables and libraries by their headers: architecture and version resource, without loading or starting them.

Layouts: PE/COFF and VS_FIXEDFILEINFO from Microsoft's "PE Format" and "VS_FIXEDFILEINFO structure"; ELF from its specification.
"""

import struct
from typing import Final

from app.model.facts import Arch

HEAD_BYTES: Final = 4096
"""Enough for the headers and the section table of any program."""

MAX_RESOURCE_BYTES: Final = 4 << 20

_PE_MACHINES: Final[dict[int, Arch]] = {0x8664: "x86_64", 0xAA64: "arm64", 0x14C: "x86"}
_ELF_MACHINES: Final[dict[int, Arch]] = {62: "x86_64", 183: "arm64", 3: "x86"}
_VERSION_INFO: Final = "VS_VERSION_INFO".encode("utf-16-le")
_FIXED_INFO: Final = struct.pack("<I", 0xFEEF04BD)


def program_arch(head: bytes) -> Arch | None:
    """The architecture a program was built for; None if it is no program or one for another kind of machine."""
    if head[:4] == b"\x7fELF" and len(head) >= 20:
        machine = struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)[0]
        return _ELF_MACHINES.get(machine)
    start = _coff_start(head)
    return None if start is None else _PE_MACHINES.get(struct.unpack_from("<H", head, start)[0])


def resource_range(head: bytes) -> tuple[int, int] | None:
    """Where the resources of a PE file lie: offset and size in bytes."""
    start = _coff_start(head)
    if start is None:
        return None
    sections, optional_bytes = struct.unpack_from("<H", head, start + 2)[0], struct.unpack_from("<H", head, start + 16)[0]
    table = start + 20 + optional_bytes
    for position in range(table, min(table + 40 * sections, len(head) - 39), 40):
        if head[position : position + 8].rstrip(b"\0") == b".rsrc":
            size, offset = struct.unpack_from("<II", head, position + 16)
            return offset, min(size, MAX_RESOURCE_BYTES)
    return None


def resource_version(resources: bytes) -> str | None:
    """The file version in a block of resources, as four numbers."""
    start = resources.find(_VERSION_INFO)
    fixed = resources.find(_FIXED_INFO, start, start + 200) if start >= 0 else -1
    if fixed < 0 or fixed + 16 > len(resources):
        return None
    high, low = struct.unpack_from("<II", resources, fixed + 8)
    return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"


def kernel_version_place(head: bytes) -> int | None:
    """Where a Linux kernel image (bzImage) holds its version text; Linux' "x86 boot protocol", fields header and kernel_version."""
    if head[0x202:0x206] != b"HdrS" or len(head) < 0x210:
        return None
    offset = int(struct.unpack_from("<H", head, 0x20E)[0])
    return offset + 0x200 if offset else None


def kernel_version(text: bytes) -> str | None:
    """The first word of that text, such as 5.10.16.3-microsoft-standard-WSL2."""
    word = text.partition(b"\0")[0].split(b" ")[0]
    return word.decode("ascii", "replace") if word[:1].isdigit() else None


def _coff_start(head: bytes) -> int | None:
    if head[:2] != b"MZ" or len(head) < 0x40:
        return None
    start = int(struct.unpack_from("<I", head, 0x3C)[0])
    if head[start : start + 4] != b"PE\0\0" or start + 24 > len(head):
        return None
    return start + 4
