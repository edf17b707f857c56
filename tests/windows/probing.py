"""What the Windows tests of the probes share: real readings with moved folders, stand-in programs, Wine or not."""

import ctypes
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.host.live_readings import LiveReadings
from app.host.protocol import Readings
from app.model.cancel import Cancel
from app.probes.look import Look, Shared

FAKES = Path(sys.executable).resolve().parent.parent / "fakes"
UNDER_WINE = sys.platform == "win32" and hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")

needs_fakes = pytest.mark.skipif(not FAKES.is_dir(), reason="the stand-in programs of the Wine kit are not beside this Python")
needs_wine = pytest.mark.skipif(not UNDER_WINE, reason="changes the registry of the machine: only where that is a throw-away one")


class Moved(LiveReadings):
    """Real readings of a machine whose folders lie elsewhere: variables given here replace the real ones."""

    def __init__(self, **variables: str) -> None:
        self._variables = variables

    def environment(self) -> Mapping[str, str]:
        moved = {name.upper() for name in self._variables}
        return {**{name: value for name, value in os.environ.items() if name.upper() not in moved}, **self._variables}


def look_through(host: Readings, probe: str = "test") -> Look:
    return Look(host, probe, Cancel(), Shared())


def stand_in(folder: Path, name: str, rules: str, **files: bytes) -> Path:
    """A program that plays rules byte for byte; `files` are the outputs that the rules name."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{name}.exe"
    shutil.copy(FAKES / "standin.exe", program)
    (folder / f"{name}.rules").write_text(f"log = {name}.calls\n{rules}", encoding="ascii")
    for file, content in files.items():
        (folder / file.replace("__", ".")).write_bytes(content)
    return program


def calls_of(folder: Path, name: str) -> str:
    log = folder / f"{name}.calls"
    return log.read_text(encoding="utf-8") if log.exists() else ""
