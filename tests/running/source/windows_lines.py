"""A Windows that runs nothing: it answers vswhere and vcvars as they answer, and keeps every command line with its environment."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.host.answers import Completed
from app.host.live import LiveHost
from app.host.protocol import OutputLine
from app.model.cancel import Cancel
from app.model.facts import Family

VCVARS = ["INCLUDE=C:\\VS\\include", "LIB=C:\\VS\\lib", "Path=C:\\VS\\bin;C:\\Windows", "VCToolsInstallDir=C:\\VS\\VC\\Tools\\MSVC\\14.44.35207\\", "TOKEN=no"]


class WindowsLines(LiveHost):
    def __init__(self, folder: Path, has_tools: bool = True) -> None:
        super().__init__()
        self._folder, self._has_tools = folder, has_tools
        self.lines: list[dict[str, Any]] = []

    @property
    def family(self) -> Family:
        return "windows"

    def environment(self) -> Mapping[str, str]:
        return {"ProgramFiles(x86)": "C:\\Program Files (x86)", "Path": "C:\\Windows\\System32"}

    def query(self, argv: Sequence[str], timeout_s: float = 10.0, environment: Mapping[str, str] | None = None) -> Completed:
        self._keep(argv, None)
        return Completed(tuple(argv), 0, b"C:\\VS\r\n" if self._has_tools else b"", b"", 10)

    def execute(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], cancel: Cancel, *, environment: Mapping[str, str] | None = None, **_: Any
    ) -> int:
        self._keep(argv, environment)
        if argv[0] == "cmd.exe":
            for line in VCVARS:
                on_line(OutputLine(line, "stdout"))
        if "wheel" in argv:
            (Path(argv[argv.index("--wheel-dir") + 1]) / "triton_windows-3.8.0-cp312-cp312-win_amd64.whl").touch()
        return 0

    def _keep(self, argv: Sequence[str], environment: Mapping[str, str] | None) -> None:
        known = {name: self._plain(value) for name, value in sorted((environment or {}).items()) if name not in {"CMAKE_BUILD_PARALLEL_LEVEL", "MAX_JOBS"}}
        self.lines.append({"argv": [self._plain(word) for word in argv]} | ({"environment": known} if known else {}))

    def _plain(self, word: str) -> str:
        """The word as on a Windows: the test's folder is drive C, and uv is where it is found."""
        word = word.replace(str(self._folder), "C:")
        word = re.sub(r"^.*[/\\]uv(\.exe)?$", "uv", word)
        word = re.sub(r"runs[/\\][^/\\]+", "runs/RUN", word)
        return word.replace("/", "\\") if word.startswith("C:") else word.replace("Scripts:", "Scripts;").replace("C:/", "C:\\")
