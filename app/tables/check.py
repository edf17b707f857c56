"""Whether tables agree with themselves. The tests ask it of the shipped ones, the program of fresher ones before it takes them."""

import re
from collections.abc import Iterator
from typing import Any, Final, get_origin, get_type_hints
from urllib.parse import urlsplit

from app.tables import goal_rows, rows
from app.tables.builds import minor_of, version
from app.tables.load import Tables
from app.tables.machine import capability_of

FILES: Final[dict[str, dict[str, type[rows.Row]]]] = {
    "torch": {"torch": rows.TorchRow, "download": rows.TorchDownloadRow, "without_gpu": rows.WithoutGpuRow},
    "triton": {"windows": rows.TritonRow},
    "cuda": {"cuda": rows.CudaRow},
    "gpus": {"generation": rows.GenerationRow},
    "sage": {"release": rows.SageReleaseRow, "wheel": rows.SageRow, "portable": rows.PortableSageRow},
    "python": {
        "preferred": rows.PreferredPythonRow,
        "headers": rows.HeadersRow,
        "nuget": rows.NugetRow,
        "vc_runtime": rows.VcRuntimeRow,
        "vc_package": rows.VcPackageRow,
    },
    "indexes": {"torch": rows.TorchIndexRow, "room": rows.RoomRow},
    "wsl": {"rules": rows.WslRules},
    "companions": {"wheel": goal_rows.CompanionRow},
    "vllm": {
        "windows": goal_rows.VllmWindowsRow,
        "community": goal_rows.VllmCommunityRow,
        "linux": goal_rows.VllmLinuxRow,
        "memory": goal_rows.VllmMemoryRow,
        "server": goal_rows.VllmServerRow,
        "precision": goal_rows.PrecisionRow,
    },
    "build": {"rules": goal_rows.BuildRules},
    "comfyui": {"layout": goal_rows.LayoutRow, "rules": goal_rows.ComfyRules},
}
"""Every file of tables, its arrays and what their rows are."""

_MINOR: Final = re.compile(r"\d+\.\d+")
_DATE: Final = re.compile(r"20\d\d-[01]\d-[0-3]\d")
_SHA256: Final = re.compile(r"(?:[0-9a-f]{64})?")
_PIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.+!_-]*")
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def all_rows(tables: Tables, file: str) -> Iterator[tuple[str, rows.Row]]:
    """Every row of a file with the name of its array."""
    from app.tables.load import read_rows

    for table, row in FILES[file].items():
        for entry in read_rows(tables.document(file), table, row):
            yield table, entry


def faults(tables: Tables, file: str) -> Iterator[str]:
    """What is wrong in one file, in English for the maintainer; nothing where all is right."""
    try:
        found = list(all_rows(tables, file))
    except (KeyError, TypeError) as error:
        yield f"{file}: {error}"
        return
    sources = tables.document(file).get("sources", {})
    for number, (table, row) in enumerate(found):
        where = f"{file}.{table}[{number}]"
        yield from _types(row, where)
        yield from (f"{where}: source {name} is not among the sources" for name in row.source if name not in sources)
        if not row.source or not _DATE.fullmatch(row.date):
            yield f"{where}: a row needs a source and a date"


def _types(row: rows.Row, where: str) -> Iterator[str]:
    for name, kind in get_type_hints(type(row)).items():
        value = getattr(row, name)
        if not _is(value, kind):
            yield f"{where}.{name}: expected {getattr(kind, '__name__', kind)}, found {type(value).__name__}"


def _is(value: Any, kind: Any) -> bool:
    """A plain type, words, or texts by text. bool is an int to Python, not to us."""
    origin = get_origin(kind)
    if origin is None:
        return type(value) is kind
    if origin is tuple:
        return isinstance(value, tuple) and all(type(one) is str for one in value)
    return isinstance(value, dict) and all(type(one) is str for one in (*value, *value.values()))


def disagreements(tables: Tables) -> Iterator[str]:
    """Rows that contradict each other."""
    yield from _torch(tables)
    yield from _triton(tables)
    yield from _cards(tables)
    yield from _sage(tables)
    yield from _companions(tables)


def _companions(tables: Tables) -> Iterator[str]:
    torch = {row.minor for row in tables.torch}
    for row in tables.companions:
        if minor_of(row.torch) not in torch or f"+cu{row.cuda_major}" not in row.version or f"torch{minor_of(row.torch)}" not in row.version:
            yield f"companion {row.name} {row.version}: torch is not known, or name does not fit"


def _repeats(minors: list[str]) -> bool:
    return len(set(minors)) != len(minors) or not all(map(_MINOR.fullmatch, minors))


def _torch(tables: Tables) -> Iterator[str]:
    tags = {row.tag for row in tables.cuda} | {"cpu"}
    if _repeats([row.minor for row in tables.torch]):
        yield "torch: minors repeat or are none"
    for row in tables.torch:
        if row.newest not in row.patches or {*row.windows, *row.linux} - tags or set(row.triton) - set(row.patches):
            yield f"torch {row.minor}: newest, builds or Triton do not belong together"


def _triton(tables: Tables) -> Iterator[str]:
    torch = {row.minor for row in tables.torch}
    taken: set[str] = set()
    if _repeats([row.minor for row in tables.triton_windows]):
        yield "triton: minors repeat or are none"
    for row in tables.triton_windows:
        if {row.newest, row.floor} - set(row.versions) or not all(map(version, row.versions)):
            yield f"triton {row.minor}: newest or floor is not among its versions"
        if not set(row.torch) <= torch or taken & set(row.torch):
            yield f"triton {row.minor}: its torch is not known, or belongs to two"
        taken |= set(row.torch)
        if not all(map(_PIN.fullmatch, row.requires)):
            yield f"triton {row.minor}: a requirement is not an exact version"


def _cards(tables: Tables) -> Iterator[str]:
    torch = {row.minor for row in tables.torch}
    for row in tables.generations:
        if not all(map(capability_of, row.capabilities)) or (row.torch and row.torch not in torch):
            yield f"generation {row.name}: capability or torch is not known"


def _sage(tables: Tables) -> Iterator[str]:
    for row in tables.sage:
        if not _SHA256.fullmatch(row.sha256) or f"+cu{row.cuda_major}" not in row.version or f"torch{row.torch}" not in row.version:
            yield f"sage {row.version}: hash or name do not fit"
        if not _WORD.fullmatch(row.version) or not _WORD.fullmatch(row.tag):
            yield f"sage {row.version}: no plain name"


def hosts(tables: Tables) -> frozenset[str]:
    """Every host that some row names. Fresher tables may name no others: a table must not lead downloads astray."""
    return frozenset(host for file in FILES for _, row in all_rows(tables, file) for host in _hosts_in(row))


def _hosts_in(row: rows.Row) -> Iterator[str]:
    for name in _text_fields(type(row)):
        value = getattr(row, name)
        for text in value if isinstance(value, tuple) else (value,):
            if "://" in text:
                parts = urlsplit(text)
                yield parts.hostname or "" if parts.scheme == "https" else f"not https: {text}"


def _text_fields(row: type[rows.Row]) -> tuple[str, ...]:
    return tuple(name for name, kind in get_type_hints(row).items() if kind in (str, tuple[str, ...]))
