"""The un-elevated side: writes a request, starts this program once with the verb `runas`, waits for its exit code."""

import secrets
import sys
from pathlib import Path

from app.host.elevation.operations import ELEVATED_SCHEMA, Operation, Request
from app.host.elevation.perform import ELEVATED_DONE, ELEVATED_REFUSED, ELEVATED_RESTART, ElevatedResult
from app.model import codec
from app.model.cancel import Cancel
from app.model.problem import Cancelled, ExitCode, Problem
from app.model.text import Text

ERROR_CANCELLED = 1223
"""What Windows answers when the person says no to the administrator prompt."""


def ask_elevated(operation: Operation, folder: Path, cancel: Cancel) -> ElevatedResult:
    """Performs `operation` with administrator rights. Cancelled if the person says no; Problem if it cannot be asked.

    `folder` is a private folder of this user for the request. Once Windows runs the operation it cannot be cancelled:
    an elevated program is not ours to end.
    """
    cancel.check()
    folder.mkdir(parents=True, exist_ok=True)
    nonce = secrets.token_hex(16)
    path = folder / f"request-{nonce[:8]}.json"
    path.write_text(codec.dumps(Request(ELEVATED_SCHEMA, nonce, operation)), encoding="utf-8")
    try:
        code = _start_and_wait(elevated_arguments(path, nonce))
    finally:
        path.unlink(missing_ok=True)
    if code == ELEVATED_REFUSED:
        raise Problem(Text("elevation.refused", {"reason": "the elevated side did not accept the request"}))
    return ElevatedResult(0, code == ELEVATED_RESTART) if code in {ELEVATED_DONE, ELEVATED_RESTART} else ElevatedResult(code, restart_required=False)


def elevated_arguments(request: Path, nonce: str) -> tuple[str, ...]:
    """The program and arguments of the elevated side: this very program."""
    start = (sys.executable,) if getattr(sys, "frozen", False) else (sys.executable, "-m", "app")
    return (*start, "--elevated-step", str(request), "--nonce", nonce)


if sys.platform == "win32":
    import ctypes
    import subprocess
    from ctypes import wintypes

    class _ExecuteInfo(ctypes.Structure):
        """SHELLEXECUTEINFOW."""

        _fields_ = (
            ("size", wintypes.DWORD),
            ("mask", wintypes.ULONG),
            ("window", wintypes.HWND),
            ("verb", wintypes.LPCWSTR),
            ("file", wintypes.LPCWSTR),
            ("parameters", wintypes.LPCWSTR),
            ("directory", wintypes.LPCWSTR),
            ("show", ctypes.c_int),
            ("instance", wintypes.HINSTANCE),
            ("id_list", ctypes.c_void_p),
            ("class_name", wintypes.LPCWSTR),
            ("class_key", wintypes.HKEY),
            ("hot_key", wintypes.DWORD),
            ("icon", wintypes.HANDLE),
            ("process", wintypes.HANDLE),
        )

    _NOCLOSEPROCESS, _NOASYNC, _INFINITE = 0x40, 0x100, 0xFFFFFFFF

    def _start_and_wait(arguments: tuple[str, ...]) -> int:
        shell = ctypes.WinDLL("shell32", use_last_error=True)
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        info = _ExecuteInfo(
            size=ctypes.sizeof(_ExecuteInfo),
            mask=_NOCLOSEPROCESS | _NOASYNC,
            verb="runas",
            file=arguments[0],
            parameters=subprocess.list2cmdline(arguments[1:]),
            directory=str(Path(__file__).resolve().parents[3]),
        )
        if not shell.ShellExecuteExW(ctypes.byref(info)):
            error = ctypes.get_last_error()
            if error == ERROR_CANCELLED:
                raise Cancelled
            raise Problem(Text("elevation.cannot-start", {"program": Path(arguments[0]).name, "reason": f"Windows error {error}"}))
        try:
            kernel.WaitForSingleObject(wintypes.HANDLE(info.process), _INFINITE)
            code = wintypes.DWORD()
            kernel.GetExitCodeProcess(wintypes.HANDLE(info.process), ctypes.byref(code))
        finally:
            kernel.CloseHandle(wintypes.HANDLE(info.process))
        return int(code.value)

else:

    def _start_and_wait(arguments: tuple[str, ...]) -> int:
        raise Problem(Text("elevation.only-windows"), ExitCode.BLOCKED)
