"""Tells the errors of wsl.exe apart by their codes; its sentences are localized and say nothing to a program."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.resources import assets

# `Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_HYPERV_NOT_INSTALLED`, or an HRESULT of the old launchers.
_PATH: Final = re.compile(r"Wsl(?:/[A-Za-z0-9]+)*/(0x[0-9A-Fa-f]{3,8}|[A-Z][A-Z0-9_]{3,60})")
_BARE: Final = re.compile(r"\b0x(?:8[0-9A-Fa-f]{7}|1bc)\b")


@dataclass(frozen=True, slots=True)
class WslError:
    """A code of the table: the cause, and what may be done about it (`act`, explained in the table)."""

    code: str
    cause: str
    act: str


@cache
def _rows() -> dict[str, WslError]:
    document = tomllib.loads((assets() / "tables" / "wsl_errors.toml").read_text(encoding="utf-8"))
    return {code.lower(): WslError(code, row["cause"], row["act"]) for row in document["row"] for code in row["codes"]}


def decode(output: bytes) -> str:
    """What wsl.exe printed: UTF-16LE, or UTF-8 where it obeyed WSL_UTF8; the two are told apart by their zero bytes."""
    if output.startswith(b"\xff\xfe") or output[1:2] == b"\0" or output.count(b"\0") > len(output) // 4:
        return output.decode("utf-16-le", "replace").lstrip("\ufeff")
    return output.decode("utf-8", "replace")


def find_error(printed: str) -> WslError | None:
    """The code that stands in what wsl.exe printed. A code without a row has an empty cause."""
    # UTF-16 read as UTF-8, as an old wsl.exe in a pipe of Linux output is: the zero bytes go, codes are ASCII.
    printed = printed.replace("\0", "")
    match = _PATH.search(printed) or _BARE.search(printed)
    if match is None:
        return None
    code = match[1] if match.re is _PATH else match[0]
    # The part of Windows that reports a code can change what it means.
    with_part = "/".join(match[0].split("/")[-2:])
    return _rows().get(with_part.lower()) or _rows().get(code.lower()) or WslError(code, "", "stop")


def problem_of(printed: str, exit_code: int) -> Problem:
    """The Problem that a failed wsl.exe means, with its code named; what it printed stands in the log."""
    error = find_error(printed)
    if error is None or not error.cause:
        return Problem(Text("wsl.failed", {"exit_code": exit_code, "wsl_code": error.code if error else "-"}), ExitCode.FAILED)
    return Problem(Text(f"wsl.act-{error.act}", {"wsl_code": error.code}), ExitCode.FAILED, error.cause)
