"""The elevated side: performs one operation with Windows' own programs, by absolute path and fixed arguments."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from app.host.elevation.operations import (
    EnableLongPaths,
    EnableWslFeatures,
    InstallSigned,
    InstallWslPackage,
    Operation,
    Request,
    StartHypervisorAtBoot,
)
from app.host.elevation.signature import is_signed_by_microsoft
from app.host.starting import own_dlls_hidden
from app.model.problem import ExitCode, Problem
from app.model.text import Text

RESTART_CODES = frozenset({3010, 1641})
"""ERROR_SUCCESS_REBOOT_REQUIRED and ERROR_SUCCESS_REBOOT_INITIATED of Windows installers."""

ELEVATED_DONE, ELEVATED_RESTART, ELEVATED_REFUSED = 0, 10, 12
"""Exit codes between the two sides; any other is the performed program's own."""

TIMEOUT_S = 3600.0


@dataclass(frozen=True, slots=True)
class ElevatedResult:
    """`exit_code` is the performed program's own, for the log."""

    exit_code: int
    restart_required: bool

    @property
    def is_done(self) -> bool:
        return self.exit_code == 0 or self.restart_required


def perform_request(request: Request, system_folder: Path | None = None) -> ElevatedResult:
    """Performs the operation; Problem where Windows or the file is not what the operation needs."""
    if isinstance(request.operation, InstallSigned):
        return _install_signed(request.operation, _system32(system_folder))
    return _run_all(commands_of(request.operation, _system32(system_folder)))


def commands_of(operation: Operation, system32: Path) -> tuple[tuple[str, ...], ...]:
    """The exact commands of an operation that runs no foreign file."""
    match operation:
        case EnableWslFeatures():
            dism = (str(system32 / "dism.exe"), "/online", "/enable-feature", "/all", "/norestart")
            features = ("VirtualMachinePlatform", *(("Microsoft-Windows-Subsystem-Linux",) if operation.wsl1_component else ()))
            return tuple((*dism, f"/featurename:{feature}") for feature in features)
        case InstallWslPackage():
            return ((str(system32 / "wsl.exe"), "--install", "--no-distribution"),)
        case StartHypervisorAtBoot():
            return ((str(system32 / "bcdedit.exe"), "/set", "hypervisorlaunchtype", "auto"),)
        case EnableLongPaths():
            key = r"HKLM\SYSTEM\CurrentControlSet\Control\FileSystem"
            return ((str(system32 / "reg.exe"), "add", key, "/v", "LongPathsEnabled", "/t", "REG_DWORD", "/d", "1", "/f"),)
        case InstallSigned():
            raise ValueError("a signed installer is no system command")


def installer_command(operation: InstallSigned, file: Path, system32: Path) -> tuple[str, ...]:
    """The unattended command of each known installer, on the verified copy `file`."""
    match operation.installer:
        case "vc-redist":
            return (str(file), "/install", "/quiet", "/norestart")
        case "wsl-package":
            return (str(system32 / "msiexec.exe"), "/i", str(file), "/qn", "/norestart")
        case "build-tools":
            workload = ("--add", "Microsoft.VisualStudio.Workload.VCTools", "--includeRecommended")
            return (str(file), "--quiet", "--wait", "--norestart", "--nocache", *workload)


def _run_all(commands: tuple[tuple[str, ...], ...]) -> ElevatedResult:
    restart = False
    for command in commands:
        code = _run(command)
        restart = restart or code in RESTART_CODES
        if code and code not in RESTART_CODES:
            return ElevatedResult(code, restart_required=False)
    return ElevatedResult(0, restart)


def _run(command: tuple[str, ...]) -> int:
    try:
        with own_dlls_hidden():
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return child.wait(TIMEOUT_S) & 0xFFFFFFFF
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(Text("elevation.cannot-start", {"program": Path(command[0]).name, "reason": str(error)[:120]})) from error


def _install_signed(operation: InstallSigned, system32: Path) -> ElevatedResult:
    """Copies the file where only administrators write, checks the copy, runs the copy.

    Running it where it lies would let anyone swap it, or put a DLL beside it, between check and start.
    """
    protected = Path(tempfile.mkdtemp(prefix="TritonSetup-", dir=system32.parent.parent / "Program Files"))
    try:
        copy = protected / Path(operation.path.replace("\\", "/")).name
        try:
            shutil.copyfile(operation.path, copy)
        except OSError as error:
            raise Problem(Text("elevation.refused", {"reason": error.strerror or str(error)}), ExitCode.BAD_INPUT) from error
        if _sha256(copy) != operation.sha256:
            raise Problem(Text("elevation.hash-differs", {"file": copy.name}), ExitCode.BAD_INPUT, "hash-mismatch")
        if not is_signed_by_microsoft(copy):
            raise Problem(Text("elevation.not-signed", {"file": copy.name}), ExitCode.BAD_INPUT)
        return _run_all((installer_command(operation, copy, system32),))
    finally:
        shutil.rmtree(protected, ignore_errors=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _system32(folder: Path | None) -> Path:
    """Windows' own folder by its interface, never by an environment variable that the caller controls."""
    if folder is not None:
        return folder
    if sys.platform == "win32":
        import ctypes

        buffer = ctypes.create_unicode_buffer(260)
        ctypes.windll.kernel32.GetSystemDirectoryW(buffer, len(buffer))
        return Path(buffer.value)
    raise Problem(Text("elevation.only-windows"), ExitCode.BAD_INPUT)
