"""Which running programs use files of a folder, so that they can be closed before anything is changed."""

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import psutil

from app.host.answers import Holder
from app.host.file_changes import long_path

_BINARIES: Final = (".pyd", ".dll", ".exe", ".so")


def find_holders(folder: str, files: Iterable[str] = ()) -> tuple[Holder, ...]:
    """Programs other than this one that run from `folder` or hold files below it.

    `files` are those about to be replaced: Windows is asked about each of them, for it cannot be asked about a folder.
    """
    root = os.path.realpath(folder)
    if sys.platform == "win32":
        binaries = [path for path in files if path.lower().endswith(_BINARIES)]
        found = {holder.pid: holder for holder in (*_ask_restart_manager(binaries), *_run_from(root))}
        return tuple(found.values()) or _held_by_somebody(binaries)
    return tuple(holder for process in psutil.process_iter() if process.pid != os.getpid() for holder in _uses(process, root, folder))


def _uses(process: psutil.Process, root: str, folder: str) -> Iterator[Holder]:
    try:
        argv = process.cmdline()
        started = argv[0] if argv else ""
        path = next((started for prefix in {root, folder} if started.startswith(prefix + os.sep)), None)
        path = path or _mapped_file(process.pid, root + os.sep)
        path = path or next((file.path for file in process.open_files() if file.path.startswith(root + os.sep)), None)
        if path:
            yield Holder(process.pid, _readable_name(process.name(), argv), path)
    except (psutil.Error, OSError):
        # Another person's program, or one that has just ended.
        return


def _mapped_file(pid: int, prefix: str) -> str | None:
    """A file below `prefix` that the process has mapped, such as a library. Most processes have none, so they are told apart in one look."""
    maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="surrogateescape")
    if f" {prefix}" not in maps:
        return None
    paths = (line.split(maxsplit=5)[5:] for line in maps.splitlines())
    return next((path[0] for path in paths if path and path[0].startswith(prefix)), None)


def _readable_name(name: str, argv: list[str]) -> str:
    """`python main.py` says more than `python`."""
    script = next((Path(argument).name for argument in argv[1:] if argument.endswith((".py", ".pyw"))), None)
    return f"{name} {script}" if script else name


def _run_from(root: str) -> Iterator[Holder]:
    prefix = os.path.normcase(root) + os.sep
    for process in psutil.process_iter():
        if process.pid == os.getpid():
            continue
        try:
            executable = process.exe()
            if os.path.normcase(executable).startswith(prefix):
                yield Holder(process.pid, _readable_name(process.name(), process.cmdline()), executable)
        except (psutil.Error, OSError):
            continue


def _held_by_somebody(files: list[str]) -> tuple[Holder, ...]:
    """A file that cannot be opened for writing although it may be written: loaded or open elsewhere."""
    for path in files:
        try:
            with Path(long_path(path)).open("r+b"):
                pass
        except FileNotFoundError:
            continue
        except OSError as error:
            if getattr(error, "winerror", None) in (32, 33) or (isinstance(error, PermissionError) and os.access(path, os.W_OK)):
                return (Holder(0, "", path),)
    return ()


def _ask_restart_manager(files: list[str]) -> Iterator[Holder]:
    """Windows' own answer to "who uses this file" (Microsoft, Restart Manager API)."""
    if sys.platform == "win32" and files:
        yield from _restart_manager_answer(files)
    else:
        yield from ()


if sys.platform == "win32":
    from ctypes import wintypes

    class _UniqueProcess(ctypes.Structure):
        _fields_ = [("pid", wintypes.DWORD), ("started", wintypes.FILETIME)]

    class _ProcessEntry(ctypes.Structure):
        _fields_ = [
            ("process", _UniqueProcess), ("app_name", wintypes.WCHAR * 256), ("service_name", wintypes.WCHAR * 64), ("app_type", ctypes.c_int),
            ("app_status", wintypes.ULONG), ("session", wintypes.DWORD), ("restartable", wintypes.BOOL),
        ]  # fmt: skip

    def _restart_manager_answer(files: list[str]) -> Iterator[Holder]:
        manager = ctypes.WinDLL("rstrtmgr")
        session, key = wintypes.DWORD(), ctypes.create_unicode_buffer(33)
        if manager.RmStartSession(ctypes.byref(session), 0, key):
            return
        try:
            names = (wintypes.LPCWSTR * len(files))(*files)
            if manager.RmRegisterResources(session, len(files), names, 0, None, 0, None):
                return
            count, needed, reasons = wintypes.UINT(16), wintypes.UINT(), wintypes.DWORD()
            entries = (_ProcessEntry * count.value)()
            if manager.RmGetList(session, ctypes.byref(needed), ctypes.byref(count), entries, ctypes.byref(reasons)):
                return
            for entry in entries[: count.value]:
                if entry.process.pid != os.getpid():
                    yield Holder(entry.process.pid, entry.app_name, files[0])
        finally:
            manager.RmEndSession(session)
