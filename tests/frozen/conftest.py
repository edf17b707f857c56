"""The packaged program as tests start it.

TRITON_SETUP_PROGRAM names it, with a starter before it where one is needed (`.wine/run dist/windows/TritonSetup.exe`);
without it, what `dev.py build` made in `dist/`.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Program:
    """One way to start Triton Setup: the packaged one, or the source."""

    argv: tuple[str, ...]
    home: Path
    is_wine: bool = False

    def __call__(self, *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, timeout_s: float = 240) -> subprocess.CompletedProcess:
        spoken = [self.path(argument) if isinstance(argument, Path) else argument for argument in arguments]
        surroundings = {**os.environ, "TRITON_SETUP_HOME": self.path(self.home), "TEMP": self.path(self.temporary), "TMP": self.path(self.temporary)}
        surroundings |= {"TMPDIR": str(self.temporary), "PYTHONUTF8": "1", **(env or {})}
        return subprocess.run([*self.argv, *spoken], cwd=ROOT, input=stdin, env=surroundings, capture_output=True, timeout=timeout_s, check=False)

    @property
    def temporary(self) -> Path:
        folder = self.home / "temporary"
        folder.mkdir(exist_ok=True)
        return folder

    def unpacked(self) -> set[Path]:
        """What one-file programs unpacked and left behind. Wine has a temporary folder of its own."""
        places = [self.temporary, *(Path(self.argv[0]).parent.glob("prefix/drive_c/users/*/[AT]*/**/Temp") if self.is_wine else [])]
        return {left for place in places for left in place.glob("_MEI*")}

    def path(self, path: Path) -> str:
        """The path as the program's own system writes it."""
        return "Z:" + str(path).replace("/", "\\") if self.is_wine else str(path)


@pytest.fixture(scope="session")
def program_argv() -> tuple[str, ...]:
    built = ROOT / "dist" / ("TritonSetup.exe" if sys.platform == "win32" else "TritonSetup")
    named = os.environ.get("TRITON_SETUP_PROGRAM")
    argv = tuple(shlex.split(named)) if named else (str(built),)
    argv = tuple(str(ROOT / part) if (ROOT / part).is_file() else part for part in argv)
    assert Path(argv[-1]).is_file(), f"{argv[-1]} is not there: python3 dev.py build"
    return argv


@pytest.fixture
def program(program_argv: tuple[str, ...], tmp_path: Path) -> Program:
    return Program(program_argv, tmp_path, is_wine=sys.platform != "win32" and program_argv[-1].endswith(".exe"))


@pytest.fixture
def source(tmp_path: Path) -> Program:
    return Program((sys.executable, "-m", "app"), tmp_path)
