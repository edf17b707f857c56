"""One window a person: a second start brings the first window to the front and ends."""

import contextlib
import sys
from pathlib import Path
from typing import Final

from PySide6.QtCore import QFileSystemWatcher, QLockFile, QObject
from PySide6.QtWidgets import QWidget

_LOCK: Final = "window.lock"
_CALL: Final = "window.call"


class Alone(QObject):
    """The place of the one window. `is_first` says whether this program got it; it is given back when the program ends."""

    def __init__(self, state: Path) -> None:
        super().__init__()
        with contextlib.suppress(OSError):
            state.mkdir(parents=True, exist_ok=True)
        self._call = state / _CALL
        self._lock = QLockFile(str(state / _LOCK))
        self._lock.setStaleLockTime(0)  # it is stale when its program is gone, however old
        self._watcher: QFileSystemWatcher | None = None
        # A folder that cannot be written to keeps nobody out.
        self.is_first = self._lock.tryLock(0) or self._lock.error() is not QLockFile.LockError.LockFailedError

    def call(self) -> None:
        """Asks the first window to come to the front."""
        if sys.platform == "win32":
            import ctypes

            # Windows lets another program come forward only where the one in front allows it; -1 is anyone.
            ctypes.windll.user32.AllowSetForegroundWindow(-1)
        with contextlib.suppress(OSError), self._call.open("a", encoding="ascii") as file:
            file.write(".")

    def answer_with(self, window: QWidget) -> None:
        """Brings `window` to the front whenever a later start calls."""
        with contextlib.suppress(OSError):
            self._call.write_text("", encoding="ascii")
        self._watcher = QFileSystemWatcher([str(self._call)], self)
        self._watcher.fileChanged.connect(lambda _: _bring_forward(window))

    def give_up(self) -> None:
        """Frees the place for the next start."""
        self._lock.unlock()


def _bring_forward(window: QWidget) -> None:
    window.showNormal() if window.isMinimized() else window.show()
    window.activateWindow()
