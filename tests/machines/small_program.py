"""The smallest files that are programs by their headers: PE with a version resource, ELF, a Linux kernel image."""

import struct

PE_MACHINES = {"x86_64": 0x8664, "arm64": 0xAA64, "x86": 0x14C}


def small_pe(arch: str = "x86_64", version: str | None = None) -> bytes:
    """A PE file of one section `.rsrc`; it cannot run."""
    resources = b""
    if version is not None:
        major, minor, build, revision = map(int, version.split("."))
        fixed = struct.pack("<IIIIII", 0xFEEF04BD, 0x10000, (major << 16) | minor, (build << 16) | revision, 0, 0)
        resources = b"\0" * 32 + "VS_VERSION_INFO".encode("utf-16-le") + b"\0\0\0\0" + fixed + b"\0" * 32
    start = 0x80
    coff = struct.pack("<HHIIIHH", PE_MACHINES[arch], 1, 0, 0, 0, 0xF0, 0x22)
    optional = b"\x0b\x02" + b"\0" * (0xF0 - 2)
    data = 0x400
    section = b".rsrc\0\0\0" + struct.pack("<IIIIIIHHI", len(resources), 0x1000, len(resources), data, 0, 0, 0, 0, 0x40000040)
    head = b"MZ" + b"\0" * 0x3A + struct.pack("<I", start)
    head += b"\0" * (start - len(head)) + b"PE\0\0" + coff + optional + section
    return head + b"\0" * (data - len(head)) + resources


def small_elf(machine: int = 62) -> bytes:
    return b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HH", 2, machine) + b"\0" * 44


def small_kernel(version: str) -> bytes:
    text = f"{version} (oe-user@oe-host) #1 SMP\0".encode()
    head = bytearray(b"\0" * 0x1000)
    head[0x202:0x206] = b"HdrS"
    head[0x20E:0x210] = struct.pack("<H", 0xC00)
    return bytes(head[:0xE00]) + text
