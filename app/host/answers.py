"""What readings answer: frozen values that a recording can hold and play back.

Paths are text in the form of the machine they belong to. None in an answer means: this machine did not tell.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.model.facts import Arch


@dataclass(frozen=True, slots=True)
class Completed:
    """What a short command answered. `exit_code` None: it never ended by itself, `failure` says why."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    milliseconds: float
    failure: Literal["not-found", "timed-out", "cannot-start", "not-recorded"] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder. `modified` is seconds since 1970."""

    name: str
    is_folder: bool
    size_bytes: int
    modified: float


@dataclass(frozen=True, slots=True)
class RegistryKey:
    """Values (name to text, number, list of texts or bytes) and names of the subkeys. The default value has the name ""."""

    values: Mapping[str, str | int | bytes | tuple[str, ...]]
    subkeys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NvmlDevice:
    """One GPU as NVML tells it. `driver_model` is NVML's number: 0 WDDM, 1 TCC, 2 MCDM. `error` is the NVML code its handle gave."""

    index: int
    name: str | None = None
    compute_capability: tuple[int, int] | None = None
    memory_bytes: int | None = None
    driver_model: int | None = None
    display_active: bool | None = None
    bus: str | None = None
    error: int | None = None


@dataclass(frozen=True, slots=True)
class NvmlAnswer:
    """`error`: the NVML return code that ended the reading (12 library not found, 9 driver not loaded ...), -1 for no answer in time.

    `cuda` is NVML's number: 12090 for CUDA 12.9.
    """

    error: int | None = None
    message: str | None = None
    driver: str | None = None
    cuda: int | None = None
    devices: tuple[NvmlDevice, ...] = ()


@dataclass(frozen=True, slots=True)
class Drive:
    """A mounted volume. `free_bytes` None: it did not answer in time, or holds no medium."""

    root: str
    kind: Literal["fixed", "removable", "network"] | None
    file_system: str | None
    free_bytes: int | None
    total_bytes: int | None


@dataclass(frozen=True, slots=True)
class DisplayDevice:
    """A graphics device that is present now, by its Windows instance id. `problem` is its Configuration Manager code, 0 for none."""

    instance: str
    problem: int | None = None


@dataclass(frozen=True, slots=True)
class SystemValues:
    """What the system itself answers to a call, without a file or a program.

    `arch` is the machine's own, also under emulation. `version` is the build on Windows (10.0.26100), the kernel release elsewhere.
    `cores` are physical. `virtualization_firmware` false can also mean: not visible from here.
    """

    version: str
    arch: Arch | None = None
    cores: int | None = None
    total_bytes: int | None = None
    commit_limit_bytes: int | None = None
    locale: str | None = None
    ansi_code_page: int | None = None
    oem_code_page: int | None = None
    elevated: bool | None = None
    hypervisor_present: bool | None = None
    virtualization_firmware: bool | None = None
    display_devices: tuple[DisplayDevice, ...] | None = None


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """An executable or a library, by its header. `version` is that of its version resource.

    `alias_of` is the target of an app execution alias (a Windows file of no bytes).
    """

    size_bytes: int
    arch: Arch | None = None
    version: str | None = None
    alias_of: str | None = None


@dataclass(frozen=True, slots=True)
class RunningPython:
    """A running Python. `script` is what it runs, by its last two path parts; `executable` None: not allowed to know."""

    pid: int
    name: str
    executable: str | None
    script: str | None


@dataclass(frozen=True, slots=True)
class Holder:
    """A running program and one file of a folder that it uses. `pid` 0: the system tells only that somebody holds the file."""

    pid: int
    name: str
    path: str
