"""The rows of the tables. Every row says where it was read (`source`: keys of the file's `[sources]`) and when (`date`)."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True)
class TorchRow(Row):
    """A minor version of torch. `windows` and `linux` are build tags (cu128, cpu); the first of `linux` is what the package index gives."""

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


@dataclass(frozen=True, slots=True)
class WithoutGpuRow(Row):
    torch: str
    triton: str
    numpy: str
    pythons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TritonRow(Row):
    """A minor version of triton-windows and the minors of torch it belongs to. Compute capabilities and versions as text."""

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


@dataclass(frozen=True, slots=True)
class CudaRow(Row):
    """A CUDA build of torch: below `driver_floor` nothing runs, below `driver` it runs with limits."""

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


@dataclass(frozen=True, slots=True)
class GenerationRow(Row):
    """A GPU generation. `torch` "": the newest that fits. `sage`: "2", "triton" (its Triton path only), "source" or "" (not at all)."""

    name: str
    capabilities: tuple[str, ...]
    torch: str
    sage: str


@dataclass(frozen=True, slots=True)
class SageReleaseRow(Row):
    base: str
    pattern: str


@dataclass(frozen=True, slots=True)
class SageRow(Row):
    """A SageAttention 2 wheel for Windows x64. `torch` with `higher`: that or newer; else the same minor."""

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


@dataclass(frozen=True, slots=True)
class PortableSageRow(Row):
    version: str
    gpus: tuple[str, ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class PreferredPythonRow(Row):
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadersRow(Row):
    """An archive with Python's headers and import libraries. `sha256` empty: its maker publishes no hash, so it is never fetched."""

    python: str
    kind: str
    url: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class NugetRow(Row):
    """`base` and `hashes` are addresses to which the version is added: of the package, and of what its registry says of it."""

    base: str
    hashes: str


@dataclass(frozen=True, slots=True)
class VcRuntimeRow(Row):
    floor: str
    installer: str
    installer_arm: str
    installer_bytes: int


@dataclass(frozen=True, slots=True)
class VcPackageRow(Row):
    python: str
    version: str
    bytes: int


@dataclass(frozen=True, slots=True)
class TorchIndexRow(Row):
    """`url` holds `{tag}`. `how`: "index" (simple index) or "links" (flat list)."""

    url: str
    reach: str
    how: str
    region: str


@dataclass(frozen=True, slots=True)
class RoomRow(Row):
    torch_cuda_bytes: int
    torch_cpu_bytes: int
    torch_cuda_download_bytes: int
    torch_cpu_download_bytes: int
    spare_bytes: int
    longest_torch_path: int


@dataclass(frozen=True, slots=True)
class WslRules(Row):
    oldest_build: int
    oldest_gpu_build: int
    room_bytes: int
    distro: str
    image: str
    image_url: str
    image_bytes: int
    image_sha256: str
    python: str
    oldest_python: str
    packages: tuple[str, ...]
    folder: str
