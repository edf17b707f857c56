"""Loads tables when they are first asked for, each file on its own, so that a plan reads only what it needs."""

import json
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from zlib import crc32

from app.resources import assets
from app.tables import rows

if TYPE_CHECKING:
    from app.tables import goal_rows

R = TypeVar("R", bound=rows.Row)


WORDS: Final = tuple[str, ...]

READ_AHEAD: Final = "read_ahead.json"
"""The files of tables in a form that is read ten times as fast, each with the checksum of the TOML it was made from."""


def read_rows(document: dict[str, Any], table: str, row: type[R]) -> tuple[R, ...]:
    """The rows of one array of tables; TypeError for a key that is missing or not known.

    A list of words may be written as one text with spaces between, which TOML reads twice as fast.
    """
    make: Callable[..., R] = row
    lists = {name for name, kind in row.__annotations__.items() if kind == WORDS}
    return tuple(make(**{key: _value(value, key in lists) for key, value in entry.items()}) for entry in document[table])


def checksum_of(content: bytes) -> int:
    """Tells whether a file has changed; the end of its lines does not matter."""
    return crc32(content.replace(b"\r\n", b"\n"))


def _value(value: Any, is_list: bool) -> Any:
    if is_list and isinstance(value, str):
        return tuple(value.split())
    return tuple(value) if isinstance(value, list) else value


class Tables:
    """What fits what. Attributes are tuples of rows, parsed when first used; the object is never changed afterwards.

    `documents` are parsed files that stand before those of the folder: verified fresher ones.
    """

    def __init__(self, folder: Path, documents: Mapping[str, dict[str, Any]] | None = None) -> None:
        self._folder = folder
        self._documents: dict[str, dict[str, Any]] = dict(documents or {})

    def with_documents(self, documents: Mapping[str, dict[str, Any]]) -> "Tables":
        """The same tables with some files replaced."""
        return Tables(self._folder, documents)

    def document(self, name: str) -> dict[str, Any]:
        """The parsed file `name`.toml. What was read ahead stands for it as long as the file is the one that was read."""
        if name not in self._documents:
            content = (self._folder / f"{name}.toml").read_bytes()
            checksum, ahead = self._read_ahead.get(name, (None, {}))
            self._documents[name] = ahead if checksum == checksum_of(content) else tomllib.loads(content.decode("utf-8"))
        return self._documents[name]

    @cached_property
    def _read_ahead(self) -> dict[str, tuple[int, dict[str, Any]]]:
        file = self._folder / READ_AHEAD
        found: dict[str, tuple[int, dict[str, Any]]] = json.loads(file.read_bytes()) if file.is_file() else {}
        return found

    def _rows(self, name: str, table: str, row: type[R]) -> tuple[R, ...]:
        return read_rows(self.document(name), table, row)

    @cached_property
    def torch(self) -> tuple[rows.TorchRow, ...]:
        return self._rows("torch", "torch", rows.TorchRow)

    @cached_property
    def torch_downloads(self) -> tuple[rows.TorchDownloadRow, ...]:
        return self._rows("torch", "download", rows.TorchDownloadRow)

    @cached_property
    def without_gpu(self) -> rows.WithoutGpuRow:
        return self._rows("torch", "without_gpu", rows.WithoutGpuRow)[0]

    @cached_property
    def triton_windows(self) -> tuple[rows.TritonRow, ...]:
        return self._rows("triton", "windows", rows.TritonRow)

    @cached_property
    def cuda(self) -> tuple[rows.CudaRow, ...]:
        return self._rows("cuda", "cuda", rows.CudaRow)

    @cached_property
    def generations(self) -> tuple[rows.GenerationRow, ...]:
        return self._rows("gpus", "generation", rows.GenerationRow)

    @cached_property
    def sage(self) -> tuple[rows.SageRow, ...]:
        return self._rows("sage", "wheel", rows.SageRow)

    @cached_property
    def sage_release(self) -> rows.SageReleaseRow:
        return self._rows("sage", "release", rows.SageReleaseRow)[0]

    @cached_property
    def sage_portable(self) -> rows.PortableSageRow:
        return self._rows("sage", "portable", rows.PortableSageRow)[0]

    @cached_property
    def preferred_pythons(self) -> tuple[str, ...]:
        return self._rows("python", "preferred", rows.PreferredPythonRow)[0].order

    @cached_property
    def headers(self) -> tuple[rows.HeadersRow, ...]:
        return self._rows("python", "headers", rows.HeadersRow)

    @cached_property
    def nuget(self) -> rows.NugetRow:
        return self._rows("python", "nuget", rows.NugetRow)[0]

    @cached_property
    def vc_runtime(self) -> rows.VcRuntimeRow:
        return self._rows("python", "vc_runtime", rows.VcRuntimeRow)[0]

    @cached_property
    def vc_packages(self) -> tuple[rows.VcPackageRow, ...]:
        return self._rows("python", "vc_package", rows.VcPackageRow)

    @cached_property
    def torch_indexes(self) -> tuple[rows.TorchIndexRow, ...]:
        return self._rows("indexes", "torch", rows.TorchIndexRow)

    @cached_property
    def wsl(self) -> rows.WslRules:
        return self._rows("wsl", "rules", rows.WslRules)[0]

    @cached_property
    def vllm_windows(self) -> "goal_rows.VllmWindowsRow":
        from app.tables import goal_rows

        return self._rows("vllm", "windows", goal_rows.VllmWindowsRow)[0]

    @cached_property
    def vllm_community(self) -> "tuple[goal_rows.VllmCommunityRow, ...]":
        from app.tables import goal_rows

        return self._rows("vllm", "community", goal_rows.VllmCommunityRow)

    @cached_property
    def companions(self) -> "tuple[goal_rows.CompanionRow, ...]":
        from app.tables import goal_rows

        return self._rows("companions", "wheel", goal_rows.CompanionRow)

    @cached_property
    def vllm_linux(self) -> "goal_rows.VllmLinuxRow":
        from app.tables import goal_rows

        return self._rows("vllm", "linux", goal_rows.VllmLinuxRow)[0]

    @cached_property
    def vllm_memory(self) -> "goal_rows.VllmMemoryRow":
        from app.tables import goal_rows

        return self._rows("vllm", "memory", goal_rows.VllmMemoryRow)[0]

    @cached_property
    def vllm_server(self) -> "tuple[goal_rows.VllmServerRow, ...]":
        from app.tables import goal_rows

        return self._rows("vllm", "server", goal_rows.VllmServerRow)

    @cached_property
    def precisions(self) -> "tuple[goal_rows.PrecisionRow, ...]":
        from app.tables import goal_rows

        return self._rows("vllm", "precision", goal_rows.PrecisionRow)

    @cached_property
    def layouts(self) -> "tuple[goal_rows.LayoutRow, ...]":
        from app.tables import goal_rows

        return self._rows("comfyui", "layout", goal_rows.LayoutRow)

    @cached_property
    def comfyui(self) -> "goal_rows.ComfyRules":
        from app.tables import goal_rows

        return self._rows("comfyui", "rules", goal_rows.ComfyRules)[0]

    @cached_property
    def build(self) -> "goal_rows.BuildRules":
        from app.tables import goal_rows

        return self._rows("build", "rules", goal_rows.BuildRules)[0]

    @cached_property
    def _wsl_rows(self) -> dict[str, tuple[str, str]]:
        return {code.lower(): (row["cause"], row["act"]) for row in self.document("wsl_errors")["row"] for code in row["codes"]}

    def wsl_cause(self, problem: str) -> str | None:
        """The cause of an error code that wsl.exe printed (`Wsl/.../HCS_E_HYPERV_NOT_INSTALLED`, `0x80370102`); None for a code without a row."""
        return self._wsl_row(problem)[0] or None

    def wsl_act(self, problem: str) -> str:
        """What may be done about it, as the table explains; "" for a code without a row."""
        return self._wsl_row(problem)[1]

    def _wsl_row(self, problem: str) -> tuple[str, str]:
        # The last code decides, together with the part that reported it where the table says so.
        codes = [part.strip(".,:;()").lower() for part in problem.replace("/", " ").split()]
        keys = (key for part, code in reversed([*pairwise(["", *codes])]) for key in (f"{part}/{code}", code))
        return next((self._wsl_rows[key] for key in keys if key in self._wsl_rows), ("", ""))

    @cached_property
    def room(self) -> rows.RoomRow:
        return self._rows("indexes", "room", rows.RoomRow)[0]


@cache
def load_tables() -> Tables:
    """The tables this program ships."""
    return Tables(assets() / "tables")
