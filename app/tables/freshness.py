"""What the package index and the release lists have that the tables do not: the maintainer's look before a new row."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.tables.builds import minor_of, numbers, version
from app.tables.load import Tables

Fetch = Callable[[str], Mapping[str, Any]]
"""The page of a project in the index's JSON form (PEP 691): {"files": [{"filename": ..., "size": ...}]}."""

_WHEEL: Final = re.compile(r"(?P<name>[^-]+)-(?P<version>[^-]+)(?:-\d[^-]*)?-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl")
_RELEASED: Final = re.compile(r"(sageattention|spas_sage_attn|flash_attn|vllm)-(\d[^-]*\+cu\d+[^-]*)-.*-win_(?:amd64|arm64)\.whl")
_REPOSITORY: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)")
_TABLE_OF: Final = {"sageattention": "sage", "spas_sage_attn": "companions", "flash_attn": "companions", "vllm": "vllm"}


@dataclass(frozen=True, slots=True)
class Difference:
    """One cell that differs. `row` is the row's key, `shipped` what the table says, `found` what the index says."""

    table: str
    row: str
    column: str
    shipped: str
    found: str


@dataclass(frozen=True, slots=True)
class _File:
    version: str
    python: str
    platform: str
    size: int


def compare_with_index(tables: Tables, fetch: Fetch) -> tuple[Difference, ...]:
    """Differences between the tables and the package index, table by table."""
    return (
        *_triton(tables, _files(fetch("triton-windows"))),
        *_torch(tables, _files(fetch("torch"))),
        *_single(tables, "sage", "portable", tables.sage_portable.version, _files(fetch("sageattention"))),
        *_single(tables, "vllm", "linux", tables.vllm_linux.version, _files(fetch("vllm"))),
        *_runtime(tables, _files(fetch("msvc-runtime"))),
    )


def release_lists(tables: Tables) -> tuple[str, ...]:
    """Addresses of the release lists that the rows come from, in GitHub's JSON form."""
    pages = [tables.sage_release.base, *(row.page for row in tables.companions), *(row.repository for row in tables.vllm_community)]
    found = (_REPOSITORY.match(page) for page in pages)
    return tuple(dict.fromkeys(f"https://api.github.com/repos/{match[1]}/releases" for match in found if match))


def compare_with_releases(tables: Tables, releases: Iterable[Mapping[str, Any]]) -> tuple[Difference, ...]:
    """Files for Windows in a release list (GitHub's form) that no row names. Wheels for other makers' cards are left out."""
    known = {row.version for row in tables.sage} | {row.version for row in tables.companions} | {_plain(row.tag) for row in tables.vllm_community}
    found = set()
    for release in releases:
        for asset in release.get("assets", ()):
            if match := _RELEASED.fullmatch(asset["name"].replace("%2B", "+")):
                version_or_tag = _plain(release.get("tag_name", "")) if match[1] == "vllm" else match[2]
                if version_or_tag not in known:
                    found.add(Difference(_TABLE_OF[match[1]], match[1], "version", "", match[2]))
    return tuple(sorted(found, key=lambda one: (one.table, one.row, one.found)))


def _plain(tag: str) -> str:
    return tag.removeprefix("v")


def _files(page: Mapping[str, Any]) -> list[_File]:
    matches = ((_WHEEL.fullmatch(file["filename"]), file.get("size") or 0) for file in page["files"])
    return [_File(match["version"], _minor(match["python"]), match["platform"], size) for match, size in matches if match]


def _minor(tag: str) -> str:
    digits = re.fullmatch(r"(?:cp|py)(\d)(\d*)", tag)
    return f"{digits[1]}.{digits[2]}" if digits and digits[2] else tag


def _is_final(text: str) -> bool:
    found = version(text)
    return found is not None and not found.is_prerelease


def _newest(versions: Iterable[str]) -> str:
    return max(versions, key=lambda text: version(text) or version("0"), default="")  # type: ignore[arg-type, return-value]  # versions compare


def _listed(values: Iterable[str]) -> str:
    return " ".join(sorted(values, key=numbers))


def _triton(tables: Tables, files: list[_File]) -> Iterator[Difference]:
    by_minor: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        if _is_final(file.version):
            by_minor[minor_of(file.version)].append(file)
    rows = {row.minor: row for row in tables.triton_windows}
    for minor in sorted(by_minor, key=numbers):
        found = by_minor[minor]
        newest = _newest({file.version for file in found})
        row = rows.get(minor)
        if row is None:
            yield Difference("triton", minor, "minor", "", newest)
            continue
        pythons = _listed({file.python for file in found if file.platform == "win_amd64" and file.version == newest})
        arm = _listed({file.python for file in found if file.platform == "win_arm64" and file.version == newest})
        sizes = [file.size for file in found if file.version == newest and file.platform == "win_amd64"]
        yield from _cells(
            "triton", minor, {"newest": (row.newest, newest), "pythons": (_listed(row.pythons), pythons), "pythons_arm": (_listed(row.pythons_arm), arm)}
        )
        if row.bytes not in sizes and row.newest == newest:
            yield Difference("triton", minor, "bytes", str(row.bytes), str(max(sizes)))


def _torch(tables: Tables, files: list[_File]) -> Iterator[Difference]:
    oldest = numbers(tables.torch[0].minor)
    by_minor: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        if _is_final(file.version) and numbers(file.version)[:2] >= oldest and file.platform == "win_amd64":
            by_minor[minor_of(file.version)].append(file)
    rows = {row.minor: row for row in tables.torch}
    for minor in sorted(by_minor, key=numbers):
        found = by_minor[minor]
        newest = _newest({file.version for file in found})
        row = rows.get(minor)
        if row is None:
            yield Difference("torch", minor, "minor", "", newest)
            continue
        pythons = _listed({file.python for file in found if file.version == newest})
        patches = _listed({file.version for file in found})
        yield from _cells(
            "torch", minor, {"newest": (row.newest, newest), "patches": (_listed(row.patches), patches), "pythons": (_listed(row.pythons), pythons)}
        )


def _single(tables: Tables, table: str, row: str, shipped: str, files: list[_File]) -> Iterator[Difference]:
    newest = _newest({file.version for file in files if _is_final(file.version)})
    yield from _cells(table, row, {"version": (shipped, newest)})


def _runtime(tables: Tables, files: list[_File]) -> Iterator[Difference]:
    for row in tables.vc_packages:
        newest = _newest({file.version for file in files if file.python == row.python and file.platform == "win_amd64"})
        yield from _cells("python", f"vc_package {row.python}", {"version": (row.version, newest)})


def _cells(table: str, row: str, columns: Mapping[str, tuple[str, str]]) -> Iterator[Difference]:
    for column, (shipped, found) in columns.items():
        if shipped != found:
            yield Difference(table, row, column, shipped, found)
