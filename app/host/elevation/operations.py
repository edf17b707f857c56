"""What may be asked of the elevated side, as types. There is no operation that carries a command line."""

import re
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Final, Literal

from app.model import codec
from app.model.problem import ExitCode, Problem
from app.model.text import Text

ELEVATED_SCHEMA: Final = "elevated/1"
MAX_REQUEST_BYTES: Final = 4096

_SHA256: Final = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class EnableWslFeatures:
    """Virtual Machine Platform, and with `wsl1_component` the older component that Windows 10 needs too."""

    type: Literal["enable-wsl-features"]
    wsl1_component: bool


@dataclass(frozen=True, slots=True)
class InstallWslPackage:
    """The WSL package by Windows' own wsl.exe, without a distro."""

    type: Literal["install-wsl-package"]


@dataclass(frozen=True, slots=True)
class StartHypervisorAtBoot:
    """hypervisorlaunchtype auto, where another program had switched it off."""

    type: Literal["start-hypervisor-at-boot"]


@dataclass(frozen=True, slots=True)
class EnableLongPaths:
    """LongPathsEnabled = 1."""

    type: Literal["enable-long-paths"]


@dataclass(frozen=True, slots=True)
class InstallSigned:
    """An installer of Microsoft on this disk. It runs only if the hash fits and Microsoft signed it."""

    type: Literal["install-signed"]
    installer: Literal["vc-redist", "wsl-package", "build-tools"]
    path: str
    sha256: str


Operation = EnableWslFeatures | InstallWslPackage | StartHypervisorAtBoot | EnableLongPaths | InstallSigned


@dataclass(frozen=True, slots=True)
class Request:
    """One operation. `nonce` also stands on the command line, so that an old file is not taken for this request."""

    schema: Literal["elevated/1"]
    nonce: str
    operation: Operation


def load_request(path: Path, nonce: str) -> Request:
    """The request in the file; Problem (exit code 2) if it is anything but one of the list."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_REQUEST_BYTES + 1)
    except OSError as error:
        raise _refused(f"{type(error).__name__}") from error
    if len(content) > MAX_REQUEST_BYTES:
        raise _refused("the file is too large")
    request = codec.load(codec.parse(content, path.name), Request, path.name)
    if not nonce or request.nonce != nonce:
        raise _refused("the nonce is another one")
    if isinstance(request.operation, InstallSigned):
        _check_installer(request.operation)
    return request


def _check_installer(operation: InstallSigned) -> None:
    path = PureWindowsPath(operation.path)
    if not _SHA256.match(operation.sha256):
        raise _refused("the hash is no SHA-256")
    # A drive letter: no network share, no device name, no stream of another file.
    if not re.match(r"[A-Za-z]:\\", operation.path) or ":" in operation.path[2:] or ".." in path.parts:
        raise _refused("the path is not a plain local path")
    if path.suffix.lower() != {"vc-redist": ".exe", "wsl-package": ".msi", "build-tools": ".exe"}[operation.installer]:
        raise _refused("the file is no such installer")


def _refused(reason: str) -> Problem:
    return Problem(Text("elevation.refused", {"reason": reason}), ExitCode.BAD_INPUT)
