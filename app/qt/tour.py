"""Every page as a PNG, without a display: for the handbook, for the eye, and for tests."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.session import Session
from app.texts import Language
from wizard_pages import CAUSE, LOCKED_IN_REPLAY, SETUP

if TYPE_CHECKING:
    from app.qt.window import Window

SIZE = (960, 680)


def run_tour(machine: Path | None, language: Language, theme: str, output: Path) -> Iterator[Path]:
    """Renders the pages of this machine, or of the machine in a report or facts document; yields each file."""
    from app.host.own import own_environment
    from app.model.cancel import Cancel

    session = Session(own_environment().get("TRITON_SETUP_HOME"), language)
    if machine is not None:
        session.open_machine(machine)
    else:
        session.scan(Cancel())
    session.decide(session.choice)
    yield from render_tour(session, language, theme, output)


def render_tour(session: Session, language: Language, theme: str, target: Path, size: tuple[int, int] = SIZE) -> list[Path]:
    """Renders every page of a session that has facts and a plan; returns the files in the order of the pages.

    Files are named `NN-page-theme-language.png`. The pictures have the pixel ratio of the screen (QT_SCALE_FACTOR).
    """
    if not _has_application():
        # Nothing is shown, so nothing needs a display.
        os.putenv("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication

    from app.qt.start import prepare
    from app.qt.support import load

    load()
    app = QApplication.instance() or QApplication([*sys.argv[:1], "-platform", "offscreen"])
    assert isinstance(app, QApplication)
    prepare(app, language, theme)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(_cannot_write(target), ExitCode.BAD_INPUT) from error
    window = preview_window(session, size)
    files = []
    try:
        for number, key in enumerate(pages_of(session), 1):
            if key in CAUSE[1:3]:
                window.set_flow(CAUSE)
            window.go(key)
            file = target / f"{number:02}-{key.replace('_', '-')}-{theme}-{language}.png"
            for _ in range(3):
                QApplication.processEvents()
            if not window.grab().save(str(file)):
                raise Problem(_cannot_write(file))
            files.append(file)
            # No event loop runs here that would delete the parts of the last page.
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    finally:
        window.close()
        window.deleteLater()
    return files


def preview_window(session: Session, size: tuple[int, int] = SIZE) -> "Window":
    """A window that shows pages and starts nothing by itself."""
    from app.qt.window import Window

    window = Window(session)
    window.resize(*size)
    window.is_preview = True
    window.begin()
    window.show()
    return window


def pages_of(session: Session) -> tuple[str, ...]:
    """The pages that can be shown: all of them, but no locked ones in a replay."""
    main = tuple(key for key in SETUP if not (session.is_replay and key in LOCKED_IN_REPLAY))
    return (*main, *(() if session.is_replay else ("failed", *CAUSE[1:3])))


def _has_application() -> bool:
    from PySide6.QtCore import QCoreApplication

    return QCoreApplication.instance() is not None


def _cannot_write(file: Path) -> Text:
    return Text("ui.cannot-write", {"file": str(file)})
