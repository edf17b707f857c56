"""Files changed so that a crash leaves the old or the new one, never half of either."""

import contextlib
import ctypes
import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from app.model.problem import Problem, reason_of
from app.model.text import Text

_PATIENCE_S: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Waits between tries: scanners and indexers hold a fresh file for a moment."""
_SHARING_ERRORS: Final = frozenset({5, 32, 33})
"""Windows: access denied, sharing violation, lock violation."""
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_WINDOWS_FULL: Final = frozenset({39, 112})


def long_path(path: str) -> str:
    """The path in the form that Windows takes beyond 260 characters; unchanged elsewhere."""
    if sys.platform == "win32" and not path.startswith("\\\\?\\"):
        absolute = os.path.abspath(path)  # noqa: PTH100 - Path.absolute keeps `..`, which the long form does not resolve
        return "\\\\?\\UNC\\" + absolute[2:] if absolute.startswith("\\\\") else "\\\\?\\" + absolute
    return path


def problem_of(error: OSError, path: str) -> Problem:
    """What the person should know about a failed file operation, with its cause code."""
    number, windows = error.errno, getattr(error, "winerror", None)
    reason = reason_of(error)
    if number in _FULL or windows in _WINDOWS_FULL:
        return Problem(Text("run.disk-full", {"path": path}), cause="disk-full")
    if windows in (32, 33) or number in (errno.EBUSY, errno.ETXTBSY):
        return Problem(Text("run.file-in-use", {"path": path}), cause="file-locked")
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Problem(Text("run.no-right-to-write", {"path": path, "reason": reason}), cause="permission-denied")
    return Problem(Text("run.file-failed", {"path": path, "reason": reason}))


def _patiently(act: Callable[[], None], path: str) -> None:
    for wait_s in (*_PATIENCE_S, None):
        try:
            return act()
        except OSError as error:
            if wait_s is None or getattr(error, "winerror", None) not in _SHARING_ERRORS:
                raise problem_of(error, path) from error
        time.sleep(wait_s)
    raise AssertionError("the last try returns or raises")


def write_file(path: str, content: bytes) -> None:
    """Writes `content` to `path` at once and for good: a reader or a power cut sees the old file or the new one."""

    def act() -> None:
        target = Path(long_path(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(target.name + ".new")
        try:
            with fresh.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(target)
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise
        flush_folder(str(target.parent))

    _patiently(act, path)


def rename(source: str, target: str) -> None:
    """Moves a file or folder within one volume. Problem if the target exists or the volume is another."""

    def act() -> None:
        goal = Path(long_path(target))
        goal.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(goal):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        Path(long_path(source)).rename(goal)

    _patiently(act, source)


def replace(source: str, target: str) -> None:
    """Moves a file within one volume over whatever file is there. Patient with others who look at it for a moment."""

    def act() -> None:
        Path(long_path(source)).replace(long_path(target))

    _patiently(act, target)


def remove(path: str) -> None:
    """Removes a file, a link or a whole folder; nothing there is fine."""

    def act() -> None:
        doomed = Path(long_path(path))
        with contextlib.suppress(FileNotFoundError):
            if doomed.is_dir() and not doomed.is_symlink():
                _remove_tree(str(doomed))
            else:
                _unlink(doomed)

    _patiently(act, path)


def _unlink(path: Path) -> None:
    try:
        path.unlink()
    except PermissionError:
        # Windows refuses to delete a read-only file.
        path.chmod(stat.S_IWRITE | stat.S_IREAD)
        path.unlink()


def _remove_tree(folder: str) -> None:
    def again(function: Callable[..., object], path: str, _: object) -> None:
        if os.path.lexists(path):
            Path(path).chmod(stat.S_IRWXU)
            Path(path).parent.chmod(stat.S_IRWXU)
            function(path)

    shutil.rmtree(folder, onerror=again)


def flush_folder(folder: str) -> None:
    """Makes renames in `folder` last through a power cut. Windows has no such call: its file system journals them."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network and user-space file systems cannot do it.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EIO):
            raise
    finally:
        os.close(handle)


def flush_files(root: str, files: Iterable[str]) -> None:
    """Brings `files`, which lie below `root`, to the disk, so that they outlast a power cut."""
    if sys.platform == "win32":
        for path in files:
            with contextlib.suppress(OSError), Path(long_path(path)).open("rb+") as file:
                os.fsync(file.fileno())
    else:
        handle = os.open(root, os.O_RDONLY)
        try:
            # One call for the whole file system, quicker than one for each of many files; Python has no wrapper of its own for it.
            ctypes.CDLL(None).syncfs(handle)
        finally:
            os.close(handle)
