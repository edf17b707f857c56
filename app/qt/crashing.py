"""A bug of ours while the window is open: written to a file here, told in the window, shown if wanted. Sent nowhere."""

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.host.crash import crash_text, save_crash
from app.host.own import own_environment
from app.qt.dialogs import Question, Reading
from app.qt.look import look
from app.qt.speaking import spoken
from app.session import Session

if TYPE_CHECKING:
    from app.qt.window import Window


class CrashWatch(QObject):
    """Stands where Python hands errors that nobody caught, of any thread. One that comes again, as with every repaint, is passed over."""

    _met = Signal(object)

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        self._window = window
        self._told: set[str] = set()
        self._met.connect(self._tell)
        sys.excepthook = self._take
        threading.excepthook = lambda told: self._take(told.exc_type, told.exc_value, told.exc_traceback)

    def stop(self) -> None:
        sys.excepthook, threading.excepthook = sys.__excepthook__, threading.__excepthook__

    def _take(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        error = error if error is not None else kind()
        if not isinstance(error, Exception):
            sys.__excepthook__(kind, error, trace)
            return
        self._met.emit(error)

    def _tell(self, error: Exception) -> None:
        name = f"{type(error).__name__}: {error}"
        if name in self._told:
            return
        self._told.add(name)
        where = save_crash(error, own_environment())
        say, language = self._window.say, look().language
        body = f"{spoken(where, language)} {say('ui.crash-stays')}"
        if Question(self._window, say("ui.crash"), body, yes=say("ui.crash-show"), no=say("ui.close"), icon="octagon-x", tone="bad").exec():
            text = shareable(error, self._window.session)
            Reading(self._window, say("ui.crash"), say("ui.crash-copy"), text, close=say("ui.close"), copy=say("ui.copy")).exec()


def shareable(error: Exception, session: Session) -> str:
    """The traceback without names, paths and secrets of this person."""
    from app.report import identify
    from app.report.redact.redactor import Redactor

    return Redactor(identify(session.host)).text(crash_text(error))
