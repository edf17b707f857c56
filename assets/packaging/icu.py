"""Takes out of Qt's ICU data on Linux what no page needs: icu.py LIBRARY TARGET

`libicudata` is one table of items without code, 32 MB, of which the program's two languages need 4: the common items, and of
items by language those of English and Chinese. ICU falls back to its root where an item is missing, which its guide names as the
way to make it small ("ICU Data"). Layout: the ICU User Guide, "ICU Data" (CmnD package), and the ELF-64 specification.
"""

import re
import struct
import sys
from pathlib import Path

# A language's own items begin with its code of two or three letters; `res_index` and `pool` serve all.
OF_LANGUAGE = re.compile(r"(?!res_index)(?P<language>[a-z]{2,3})(?:_\w+)?\.res$")
LANGUAGES = ("en", "zh")
# Qt asks ICU to sort, for calendars and for names of time zones; for no breaks, units, currencies, names of languages and regions, and no
# transliteration. Other encodings are read by Python's own converters.
UNUSED = re.compile(r"\.cnv$|^(?!coll/|zone/)\w+/")
SEGMENT_LOAD = 1
PAGE = 0x1000
ALIGNED = 16
"""Where items may begin, in bytes."""


def is_kept(item: str) -> bool:
    """Whether an item stays, by its place in the package (`coll/zh.res`)."""
    own = OF_LANGUAGE.match(item.rpartition("/")[2])
    return not UNUSED.search(item) and (own is None or own["language"] in LANGUAGES)


def slim_package(package: bytes) -> bytes:
    """A CmnD package with the kept items only."""
    if package[12:16] != b"CmnD":
        raise ValueError("not a package of ICU data")
    table = struct.unpack_from("<H", package)[0]
    count = struct.unpack_from("<I", package, table)[0]
    entries = [struct.unpack_from("<II", package, table + 4 + 8 * number) for number in range(count)]
    ends = [*(begin for _, begin in entries[1:]), len(package) - table]
    items = []
    for (name_at, begin), end in zip(entries, ends, strict=True):
        name = package[table + name_at : package.index(b"\0", table + name_at)]
        if is_kept(name.decode("ascii").partition("/")[2]):
            items.append((name + b"\0", package[table + begin : table + end]))
    names_at = 4 + 8 * len(items)
    names = b"".join(name for name, _ in items)
    listed, body = b"", b""
    first = -(-(table + names_at + len(names)) // ALIGNED) * ALIGNED - table
    for name, content in items:
        listed += struct.pack("<II", names_at, first + len(body))
        names_at += len(name)
        body += content + b"\0" * (-len(content) % ALIGNED)
    head = package[:table] + struct.pack("<I", len(items)) + listed + names
    return head.ljust(table + first, b"\0") + body


def slim_library(library: bytes) -> bytes:
    """The library with a slim package. What follows the package in the file moves up; addresses in memory stay."""
    begin = library.index(b"CmnD") - 12
    heads_at, head_size, head_count = struct.unpack_from("<Q", library, 32)[0], *struct.unpack_from("<HH", library, 54)
    heads = [list(struct.unpack_from("<IIQQQQQQ", library, heads_at + head_size * number)) for number in range(head_count)]
    first = next(head for head in heads if head[0] == SEGMENT_LOAD and head[2] <= begin < head[2] + head[5])
    second = next(head for head in heads if head[0] == SEGMENT_LOAD and head[2] >= first[2] + first[5])
    if first[2] != 0:
        raise ValueError("the data of ICU does not lie where it is expected")
    slim = bytearray(library[:begin] + slim_package(library[begin : first[5]]))
    moved_to = -(-len(slim) // PAGE) * PAGE + second[2] % PAGE
    moved, old = second[2], first[5]
    first[5] = first[6] = len(slim)
    for head in heads:
        if head[2] >= old:
            head[2] += moved_to - moved
    slim = slim.ljust(moved_to, b"\0") + library[moved : moved + second[5]]
    for number, head in enumerate(heads):
        struct.pack_into("<IIQQQQQQ", slim, heads_at + head_size * number, *head)
    # The list of sections serves linkers and debuggers only.
    struct.pack_into("<Q", slim, 40, 0)
    struct.pack_into("<HH", slim, 60, 0, 0)
    return bytes(slim)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(slim_library(Path(sys.argv[1]).read_bytes()))
