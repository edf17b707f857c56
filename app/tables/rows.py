"""The rows of the tables. Every row says where it was read (`source`: keys of the file's `[sources]`) and when (`date`).

Named tuples, because making a dataclass takes five times as long, at every start of the program.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol


class Row(Protocol):
    """What every row has."""

    @property
    def source(self) -> tuple[str, ...]: ...
    @property
    def date(self) -> str: ...


class TorchRow(NamedTuple):
    """A minor version of torch. `windows` and `linux` are build tags (cu128, cpu); the first of `linux` is what the package index gives."""

    source: tuple[str, ...]
    date: str
    minor: str
    newest: str
    patches: tuple[str, ...]
    released: str
    pythons: tuple[str, ...]
    windows: tuple[str, ...]
    triton: Mapping[str, str]
    linux: tuple[str, ...]
    vision: str
    audio: str


class TorchDownloadRow(NamedTuple):
    """The size of a Windows wheel of torch, as it was seen for one of its Pythons."""

    source: tuple[str, ...]
    date: str
    tag: str
    torch: str
    bytes: int


class WithoutGpuRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    torch: str
    triton: str
    numpy: str
    pythons: tuple[str, ...]


class TritonRow(NamedTuple):
    """A minor version of triton-windows and the minors of torch it belongs to. Compute capabilities and versions as text.

    `requires_bytes`: size of all that `requires` names.
    """

    source: tuple[str, ...]
    date: str
    minor: str
    torch: tuple[str, ...]
    newest: str
    floor: str
    versions: tuple[str, ...]
    pythons: tuple[str, ...]
    pythons_arm: tuple[str, ...]
    gpu_oldest: str
    gpu_oldest_full: str
    gpu_newest: str
    cuda_headers: str
    requires: tuple[str, ...]
    branch: str
    bytes: int
    unpacked_bytes: int
    requires_bytes: int = 0


class CudaRow(NamedTuple):
    """A CUDA build of torch: below `driver_floor` nothing runs, below `driver` it runs with limits."""

    source: tuple[str, ...]
    date: str
    tag: str
    driver_floor: str
    driver: str
    driver_floor_linux: str
    driver_linux: str
    gpus: tuple[str, ...]
    rank: int

    @property
    def major(self) -> int:
        return int(self.tag[2:4])


class GenerationRow(NamedTuple):
    """A GPU generation. `torch` "": the newest that fits. `sage`: "2", "triton" (its Triton path only), "source" or "" (not at all)."""

    source: tuple[str, ...]
    date: str
    name: str
    capabilities: tuple[str, ...]
    torch: str
    sage: str


class SageReleaseRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    base: str
    pattern: str


class SageRow(NamedTuple):
    """A SageAttention 2 wheel for Windows x64. `torch` with `higher`: that or newer; else the same minor."""

    source: tuple[str, ...]
    date: str
    version: str
    tag: str
    python_tag: str
    python_min: str
    python_max: str
    cuda_major: int
    torch: str
    higher: bool
    gpus: tuple[str, ...]
    tested: str
    avoid: bool
    bytes: int
    sha256: str


class PortableSageRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    version: str
    gpus: tuple[str, ...]
    bytes: int


class PreferredPythonRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    order: tuple[str, ...]


class HeadersRow(NamedTuple):
    """An archive with Python's headers and import libraries. `sha256` empty: its maker publishes no hash, so it is never fetched."""

    source: tuple[str, ...]
    date: str
    python: str
    kind: str
    url: str
    sha256: str = ""


class NugetRow(NamedTuple):
    """`base` and `hashes` are addresses to which the version is added: of the package, and of what its registry says of it."""

    source: tuple[str, ...]
    date: str
    base: str
    hashes: str


class VcRuntimeRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    floor: str
    installer: str
    installer_arm: str
    installer_bytes: int


class VcPackageRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    python: str
    version: str
    bytes: int


class TorchIndexRow(NamedTuple):
    """`url` holds `{tag}`. `how`: "index" (simple index) or "links" (flat list)."""

    source: tuple[str, ...]
    date: str
    url: str
    reach: str
    how: str
    region: str


class RoomRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    torch_cuda_bytes: int
    torch_cpu_bytes: int
    torch_cuda_download_bytes: int
    torch_cpu_download_bytes: int
    spare_bytes: int
    longest_torch_path: int


class WslRules(NamedTuple):
    source: tuple[str, ...]
    date: str
    oldest_build: int
    oldest_gpu_build: int
    room_bytes: int
    distro: str
    image: str
    image_url: str
    image_bytes: int
    image_sha256: str
    image_mirrors: tuple[str, ...]
    python: str
    oldest_python: str
    packages: tuple[str, ...]
    folder: str
