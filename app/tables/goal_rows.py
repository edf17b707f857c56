"""Rows that only some goals need: ComfyUI, vLLM, a build from source. Apart, because making classes takes time at every start."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.tables.rows import Row


@dataclass(frozen=True, slots=True)
class VllmWindowsRow(Row):
    """The community build for native Windows. `bytes` 0: not known."""

    version: str
    url: str
    python: str
    torch: str
    triton: str
    gpu_oldest: str
    driver_floor: str
    bytes: int


@dataclass(frozen=True, slots=True)
class VllmCommunityRow(Row):
    """A known community build. What its maker does not say is ""."""

    repository: str
    tag: str
    arch: str
    python: str
    torch: str
    cuda: str
    is_prerelease: bool


@dataclass(frozen=True, slots=True)
class CompanionRow(Row):
    """A compiled package for Windows x64 made for one torch, or with `higher` for every later one."""

    name: str
    version: str
    python_min: str
    python_max: str
    cuda_major: int
    torch: str
    higher: bool
    page: str


@dataclass(frozen=True, slots=True)
class VllmLinuxRow(Row):
    version: str
    pythons: tuple[str, ...]
    torch: str
    triton: str
    gpu_oldest: str
    driver_floor: str


@dataclass(frozen=True, slots=True)
class VllmMemoryRow(Row):
    small_bytes: int
    work_bytes: int
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class VllmServerRow(Row):
    """Settings for cards with up to so much memory; 0: any."""

    up_to_bytes: int
    share: str
    sequences: int
    graphs: bool


@dataclass(frozen=True, slots=True)
class PrecisionRow(Row):
    """Bits a parameter takes where one of the words stands in a model's name."""

    words: tuple[str, ...]
    bits: str


@dataclass(frozen=True, slots=True)
class BuildRules(Row):
    repository: str
    oldest_toolset: str
    requirements: tuple[str, ...]
    variables: Mapping[str, str]
    python_folder_until: str
    room_bytes: int
    build_tools: str
    build_tools_bytes: int
    workload: str
    git_package: str


@dataclass(frozen=True, slots=True)
class LayoutRow(Row):
    """How an app is started and how it switches SageAttention on: "launcher", "setting", "itself" or "none"."""

    app: str
    way: str
    main: str
    options: tuple[str, ...]
    file: str


@dataclass(frozen=True, slots=True)
class ComfyRules(Row):
    sage_flag: str
    int8_flag: str
    int8_package: str
    int8_gpu_oldest: str
    int8_cuda_major: int
    int8_driver_floor: str
    int8_python_oldest: str
    cautious_models: tuple[str, ...]
    repository: str
    version: str
    port: int
    model_folders: tuple[str, ...]
