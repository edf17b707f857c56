"""Starting programs so that they inherit nothing of a packaged program's own.

A packaged program's folder is first in the DLL search that every child inherits, and its start code sets variables of its own
(PyInstaller manual, "Launching External Programs from the Frozen Application"). Every child of this project is started in here.
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from app.host.child_environment import without_own

_lock = threading.Lock()


@contextlib.contextmanager
def own_dlls_hidden() -> Iterator[None]:
    """While a child starts, a packaged program's DLL folder is off the search path that children inherit.

    The setting is the whole process's: one start at a time, and only the start, never the wait for the child's end.
    """
    bundle: str | None = getattr(sys, "_MEIPASS", None)
    if sys.platform == "win32" and bundle is not None:
        with _lock:
            _set_dll_folder(None)
            try:
                yield
            finally:
                _set_dll_folder(bundle)
    else:
        yield


def start_in_own_window(file: str) -> None:
    """Starts a script of the person as a double-click would, in a console window that outlives this program.

    OSError: it is gone, or the system refuses.
    """
    with own_dlls_hidden():
        child = subprocess.Popen(
            [file],
            cwd=Path(file).parent,
            env=without_own(dict(os.environ), getattr(sys, "_MEIPASS", None)),
            creationflags=getattr(subprocess, "CREATE_NEW_CONSOLE", 0),
            start_new_session=sys.platform != "win32",
        )
    # Waited for, so that its end leaves nothing behind; a daemon, so that it is not waited for at our own.
    threading.Thread(target=child.wait, name="own-window", daemon=True).start()


def open_address(url: str) -> None:
    """Opens a page of the web in the person's browser. OSError: there is none; ValueError: no https address."""
    if not url.startswith("https://"):
        raise ValueError(url)
    if sys.platform == "win32":
        with own_dlls_hidden():
            os.startfile(url)  # noqa: S606 - an https address, as a click on a link would
        return
    environment = without_own(dict(os.environ), getattr(sys, "_MEIPASS", None))
    child = subprocess.Popen(["xdg-open", url], env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    threading.Thread(target=child.wait, name="browser", daemon=True).start()


if sys.platform == "win32":
    import ctypes

    def _set_dll_folder(folder: str | None) -> None:
        ctypes.WinDLL("kernel32").SetDllDirectoryW(ctypes.c_wchar_p(folder))
