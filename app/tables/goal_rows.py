"""Rows that only some goals need: ComfyUI, vLLM, a build from source. Apart, because making classes takes time at every start."""

from collections.abc import Mapping
from typing import NamedTuple


class VllmWindowsRow(NamedTuple):
    """The community build for native Windows. `bytes` 0: not known."""

    source: tuple[str, ...]
    date: str
    version: str
    url: str
    python: str
    torch: str
    triton: str
    gpu_oldest: str
    driver_floor: str
    bytes: int


class VllmCommunityRow(NamedTuple):
    """A known community build. What its maker does not say is ""."""

    source: tuple[str, ...]
    date: str
    repository: str
    tag: str
    arch: str
    python: str
    torch: str
    cuda: str
    is_prerelease: bool


class CompanionRow(NamedTuple):
    """A compiled package for Windows x64 made for one torch, or with `higher` for every later one."""

    source: tuple[str, ...]
    date: str
    name: str
    version: str
    python_min: str
    python_max: str
    cuda_major: int
    torch: str
    higher: bool
    page: str


class VllmLinuxRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    version: str
    pythons: tuple[str, ...]
    torch: str
    triton: str
    gpu_oldest: str
    driver_floor: str


class VllmMemoryRow(NamedTuple):
    source: tuple[str, ...]
    date: str
    small_bytes: int
    work_bytes: int
    host: str
    port: int


class VllmServerRow(NamedTuple):
    """Settings for cards with up to so much memory; 0: any."""

    source: tuple[str, ...]
    date: str
    up_to_bytes: int
    share: str
    sequences: int
    graphs: bool


class PrecisionRow(NamedTuple):
    """Bits a parameter takes where one of the words stands in a model's name."""

    source: tuple[str, ...]
    date: str
    words: tuple[str, ...]
    bits: str


class BuildRules(NamedTuple):
    source: tuple[str, ...]
    date: str
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
    sage_repository: str
    sage_version: str
    sage_branches: Mapping[str, str]
    sage_toolkits: Mapping[str, str]
    sage_gpu_oldest: str
    sage_requirements: tuple[str, ...]


class LayoutRow(NamedTuple):
    """How an app is started and how it switches SageAttention on: "launcher", "setting", "itself" or "none"."""

    source: tuple[str, ...]
    date: str
    app: str
    way: str
    main: str
    options: tuple[str, ...]
    file: str


class ComfyRules(NamedTuple):
    source: tuple[str, ...]
    date: str
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
