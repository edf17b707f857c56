"""Opens the window and runs it until it is closed."""

import argparse
import sys

from app.qt.look import look
from app.session import Session
from app.texts import Language


def start_wizard(options: argparse.Namespace, home: str | None, language: Language) -> int:
    """The wizard on this machine, or on the machine of `options.machine`. Returns the exit code."""
    from PySide6.QtWidgets import QApplication

    session = Session(home, language)
    if options.machine is not None:
        # Before any window: a file that cannot be used is one line in the terminal.
        session.open_machine(options.machine)
        session.decide(session.choice)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    prepare(app, language, None if options.theme == "system" else options.theme)
    from app.qt.window import Window

    window = Window(session)
    window.begin()
    if session.is_replay:
        window.go("machine")
    window.show()
    return app.exec()


def prepare(app: object, language: Language, theme: str | None) -> None:
    """Name, icon, language and theme of the application."""
    from PySide6.QtWidgets import QApplication

    from app.qt.icons import app_icon
    from app.texts import say

    assert isinstance(app, QApplication)
    app.setApplicationName(say("ui.app-name", language))
    app.setWindowIcon(app_icon())
    look().set_language(language)
    look().fixed_theme = "dark" if theme == "dark" else "light" if theme == "light" else None
    look().apply()
