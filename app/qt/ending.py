"""A signal ends the window as its close button would, but asks nobody: work that runs is stopped and put back first."""

import signal
import socket
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QSocketNotifier

if TYPE_CHECKING:
    from app.qt.window import Window


def end_on_signals(window: "Window") -> None:
    """Python runs its handlers between two of its own instructions; while Qt waits there are none, so a socket wakes it."""
    if sys.platform == "win32":
        return
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    signal.set_wakeup_fd(writer.fileno())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: window.end())
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read, window)
    notifier.activated.connect(lambda: reader.recv(64))

    def let_go() -> None:
        signal.set_wakeup_fd(-1)
        writer.close()

    window.destroyed.connect(let_go)
