"""Opens the window and runs it until it is closed."""

import argparse
import sys
from typing import TYPE_CHECKING

from app.qt.look import look
from app.qt.system import text_scale
from app.session import Session
from app.texts import Language

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.qt.window import Window


SWITCH_S = 0.0002


def start_wizard(options: argparse.Namespace, home: str | None, language: Language) -> int:
    """The wizard on this machine, or on the machine of `options.machine`. Returns the exit code."""
    session = Session(home, language)
    if options.machine is not None:
        # Before any window: a file that cannot be used is one line in the terminal.
        session.open_machine(options.machine)
        session.decide(session.choice)
    if options.answers is not None:
        from app.report.answers import read_answers

        read_answers(options.answers)
    from app.qt.alone import Alone

    alone = None if session.is_replay else Alone(session.places.state)
    if alone is not None and not alone.is_first:
        alone.call()
        return 0
    app, window = open_window(session, language, None if options.theme == "system" else options.theme)
    if alone is None:
        window.go("machine")
    else:
        alone.answer_with(window)
    if options.answers is not None:
        from PySide6.QtCore import QTimer

        from app.qt.opening import open_path

        QTimer.singleShot(0, lambda: open_path(window, str(options.answers)))
    from app.qt.crashing import CrashWatch
    from app.qt.ending import end_on_signals

    end_on_signals(window)
    watch = CrashWatch(window)
    try:
        return app.exec()
    finally:
        watch.stop()


def open_window(session: Session, language: Language, theme: str | None) -> "tuple[QApplication, Window]":
    """The application and its window on the first page, shown."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    # Shorter turns of the interpreter's lock: a busy worker must not hold up the window for its usual 5 ms at every call.
    sys.setswitchinterval(SWITCH_S)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    look().set_text_scale(text_scale())
    prepare(app, language, theme)
    from app.qt.window import Window

    window = Window(session)
    window.begin()
    window.show()
    # Behind the first painted page: a timer of nothing runs once the events of now, the painting among them, are done.
    QTimer.singleShot(0, window.warm_up)
    return app, window


def prepare(app: "QApplication", language: Language, theme: str | None) -> None:
    """Name, icon, language and theme of the application."""
    from app.qt.icons import app_icon
    from app.texts import say

    app.setApplicationName(say("ui.app-name", language))
    app.setWindowIcon(app_icon())
    look().set_language(language)
    look().fixed_theme = "dark" if theme == "dark" else "light" if theme == "light" else None
    look().apply()
    look().follow_contrast()
