"""Machine facts, schema machine/1: what the probes found.

None means looked for and absent. UNKNOWN (a key left out of the document) means not known; `gaps` says why.
Sizes are bytes. Versions are text as the software prints them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from app.model.unknown import UNKNOWN, Maybe

MACHINE_SCHEMA: Final = "machine/1"

Family = Literal["windows", "linux", "wsl"]
Arch = Literal["x86_64", "arm64", "x86"]
Vendor = Literal["nvidia", "amd", "intel", "other"]
PythonKind = Literal["embedded", "venv", "conda", "system", "store", "store-alias", "uv", "pyenv"]


@dataclass(frozen=True, slots=True)
class OperatingSystem:
    family: Family
    version: str
    arch: Arch
    name: Maybe[str] = UNKNOWN
    locale: Maybe[str | None] = UNKNOWN
    ansi_code_page: Maybe[int | None] = UNKNOWN
    long_paths: Maybe[bool] = UNKNOWN
    elevated: Maybe[bool] = UNKNOWN
    pending_restart: Maybe[bool] = UNKNOWN
    user_profile: Maybe[str | None] = UNKNOWN
    temp: Maybe[str | None] = UNKNOWN
    edition: Maybe[str | None] = UNKNOWN
    app_control: Maybe[Literal["off", "evaluation", "enforced"] | None] = UNKNOWN
    antivirus: Maybe[tuple[str, ...]] = UNKNOWN
    cloud_roots: Maybe[tuple[str, ...]] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Cpu:
    name: Maybe[str] = UNKNOWN
    cores: Maybe[int] = UNKNOWN
    virtualization: Maybe[bool] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Memory:
    total_bytes: Maybe[int] = UNKNOWN
    commit_limit_bytes: Maybe[int] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Disk:
    root: str
    free_bytes: int
    total_bytes: Maybe[int] = UNKNOWN
    file_system: Maybe[str | None] = UNKNOWN
    kind: Maybe[Literal["fixed", "removable", "network"] | None] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Gpu:
    vendor: Vendor
    name: str
    index: Maybe[int] = UNKNOWN
    compute_capability: Maybe[str | None] = UNKNOWN
    memory_bytes: Maybe[int | None] = UNKNOWN
    driver_model: Maybe[Literal["WDDM", "TCC", "MCDM"] | None] = UNKNOWN
    status: Maybe[str | None] = UNKNOWN
    display_active: Maybe[bool | None] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Driver:
    """`cuda` is the driver CUDA version: the highest the driver supports, not a toolkit version."""

    version: Maybe[str] = UNKNOWN
    cuda: Maybe[str | None] = UNKNOWN
    problem: Maybe[str | None] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Toolkit:
    version: str
    root: Maybe[str] = UNKNOWN
    missing_parts: Maybe[tuple[str, ...]] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Compiler:
    kind: Literal["msvc", "clang", "gcc"]
    product: Maybe[str] = UNKNOWN
    version: Maybe[str] = UNKNOWN
    toolset: Maybe[str | None] = UNKNOWN
    windows_sdk: Maybe[str | None] = UNKNOWN
    root: Maybe[str] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Distro:
    name: str
    wsl_version: Maybe[int] = UNKNOWN
    default: Maybe[bool] = UNKNOWN
    release: Maybe[str | None] = UNKNOWN
    python: Maybe[str | None] = UNKNOWN
    gpu_visible: Maybe[bool | None] = UNKNOWN
    driver_in_distro: Maybe[bool | None] = UNKNOWN
    libcuda: Maybe[str | None] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Wsl:
    version: Maybe[str | None] = UNKNOWN
    kernel: Maybe[str | None] = UNKNOWN
    default_version: Maybe[int | None] = UNKNOWN
    platform_enabled: Maybe[bool | None] = UNKNOWN
    problem: Maybe[str | None] = UNKNOWN
    distros: Maybe[tuple[Distro, ...]] = UNKNOWN
    kind: Maybe[Literal["stub", "inbox", "package"] | None] = UNKNOWN
    restart_pending: Maybe[bool | None] = UNKNOWN
    hypervisor_running: Maybe[bool | None] = UNKNOWN
    wslconfig: Maybe[Mapping[str, str] | None] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Network:
    online: Maybe[bool] = UNKNOWN
    proxy: Maybe[str | None] = UNKNOWN
    index_url: Maybe[str | None] = UNKNOWN
    reachable: Maybe[Mapping[str, bool]] = UNKNOWN
    tls_inspected: Maybe[bool | None] = UNKNOWN
    clock_skew_seconds: Maybe[float | None] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Python:
    """One Python on the machine; `packages` maps normalised names to installed versions, local part included."""

    executable: str
    kind: PythonKind
    version: str
    bits: Maybe[Literal[32, 64]] = UNKNOWN
    arch: Maybe[Arch] = UNKNOWN
    free_threaded: Maybe[bool] = UNKNOWN
    app: Maybe[str | None] = UNKNOWN
    app_root: Maybe[str | None] = UNKNOWN
    app_version: Maybe[str | None] = UNKNOWN
    writable: Maybe[bool] = UNKNOWN
    in_use_by: Maybe[tuple[str, ...]] = UNKNOWN
    has_pip: Maybe[bool] = UNKNOWN
    has_headers: Maybe[bool] = UNKNOWN
    bundled_vc_runtime: Maybe[str | None] = UNKNOWN
    user_site: Maybe[bool] = UNKNOWN
    in_wsl: Maybe[str | None] = UNKNOWN
    packages: Maybe[Mapping[str, str]] = UNKNOWN
    torch_arch_list: Maybe[tuple[str, ...]] = UNKNOWN
    base_executable: Maybe[str | None] = UNKNOWN
    base_ok: Maybe[bool | None] = UNKNOWN
    externally_managed: Maybe[bool] = UNKNOWN
    isolated: Maybe[bool] = UNKNOWN
    user_site_packages: Maybe[Mapping[str, str]] = UNKNOWN
    torch_cuda_available: Maybe[bool | None] = UNKNOWN
    imports: Maybe[Mapping[str, str]] = UNKNOWN
    leftovers: Maybe[tuple[str, ...]] = UNKNOWN
    attention_flags: Maybe[tuple[str, ...]] = UNKNOWN


@dataclass(frozen=True, slots=True)
class Gap:
    """Why something is not known: the probe, a code (timed-out, failed, not-supported ...), and what it said."""

    probe: str
    code: str
    detail: Maybe[str] = UNKNOWN


@dataclass(frozen=True, slots=True)
class MachineFacts:
    schema: Literal["machine/1"]
    os: OperatingSystem
    captured_at: Maybe[str] = UNKNOWN
    source: Maybe[Literal["live", "recording", "hand-written"]] = UNKNOWN
    cpu: Maybe[Cpu] = UNKNOWN
    memory: Maybe[Memory] = UNKNOWN
    disks: Maybe[tuple[Disk, ...]] = UNKNOWN
    gpus: Maybe[tuple[Gpu, ...]] = UNKNOWN
    driver: Maybe[Driver | None] = UNKNOWN
    toolkits: Maybe[tuple[Toolkit, ...]] = UNKNOWN
    compilers: Maybe[tuple[Compiler, ...]] = UNKNOWN
    vc_runtime: Maybe[str | None] = UNKNOWN
    tools: Maybe[Mapping[str, str | None]] = UNKNOWN
    wsl: Maybe[Wsl | None] = UNKNOWN
    network: Maybe[Network] = UNKNOWN
    pythons: Maybe[tuple[Python, ...]] = UNKNOWN
    environment_variables: Maybe[Mapping[str, str]] = UNKNOWN
    gaps: tuple[Gap, ...] = ()
