"""Whether a newer release of this program is out: one small document at the address that this build was given.

Nothing asks by itself, and the question carries nothing but the program's name and version. `app.host.own.release_address` says whom.
"""

import json
import re
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.host.downloads import Downloader, shown
from app.model.problem import ExitCode, Problem
from app.model.text import Text

SCHEMA: Final = "release/1"
MAX_BYTES: Final = 1 << 16
TIMEOUT_S: Final = 15.0
_VERSION: Final = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,4}(?:(?:a|b|rc)\d{1,4})?")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Release:
    """`page` is where a person gets it. `tables_*` name the fresher tables that a program of this age can take; None where there are none."""

    version: str
    date: str
    page: str
    tables_date: str | None = None
    tables_url: str | None = None
    tables_sha256: str | None = None


def fetch_release(address: str) -> Release:
    """What is told there. Problem: an address that is neither https nor a file, no answer, or another document."""
    parts = urllib.parse.urlsplit(address)
    if parts.scheme == "file":
        text = _file_text(Path(urllib.request.url2pathname(parts.path)))
    elif parts.scheme == "https":
        downloader = Downloader(f"triton-setup/{__version__}")
        try:
            text = downloader.text(address, TIMEOUT_S, MAX_BYTES)
        finally:
            downloader.close()
    else:
        raise Problem(Text("release.bad-address", {"address": shown(address)}), ExitCode.BAD_INPUT)
    if text is None:
        raise Problem(Text("release.no-answer", {"address": shown(address)}), ExitCode.FAILED)
    return read_release(text, shown(address))


def read_release(text: str, source: str) -> Release:
    """The document, every value checked: it comes from outside."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise Problem(Text("release.not-understood", {"source": source, "where": "schema"}), ExitCode.FAILED)

    def taken(values: dict[str, Any], key: str, pattern: re.Pattern[str]) -> str:
        value = values.get(key)
        if not isinstance(value, str) or pattern.fullmatch(value) is None:
            raise Problem(Text("release.not-understood", {"source": source, "where": key}), ExitCode.FAILED)
        return value

    link = re.compile(r"https://[\w.-]+(?::\d{1,5})?/[\w./~+%-]{1,400}")
    release = {"version": taken(document, "version", _VERSION), "date": taken(document, "date", _DATE), "page": taken(document, "page", link)}
    tables = document.get("tables")
    if isinstance(tables, dict):
        release |= {"tables_date": taken(tables, "date", _DATE), "tables_url": taken(tables, "url", link)}
        release |= {"tables_sha256": taken(tables, "sha256", _SHA256)}
    return Release(**release)


def is_newer(version: str, than: str) -> bool:
    """By PEP 440, as far as our own versions go: numbers, then alpha, beta, candidate, final."""
    return _rank(version) > _rank(than)


def _rank(version: str) -> tuple[list[int], tuple[int, int]]:
    found = re.match(r"([\d.]+)(?:(a|b|rc)(\d+))?", version)
    if found is None:
        return [], (0, 0)
    numbers = [int(part) for part in found[1].split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers, (("a", "b", "rc").index(found[2]), int(found[3])) if found[2] else (3, 0)


def _file_text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
