"""Every scene at the screen's scale of QT_SCALE_FACTOR: prints what is cut off, as JSON. For a process of its own.

python -m tests.pages.scaled light|dark|contrast LANGUAGE...

Qt reads the scale once, when the application is made.
"""

import json
import sys
import tempfile

import shiboken6
from PySide6.QtWidgets import QApplication

import app.qt.look
from app.qt.start import prepare
from app.qt.support import load
from app.qt.tokens import DARK, LIGHT
from app.qt.window import Window
from tests.pages.samples import FACTS, PLAN, SampleSession
from tests.pages.scenes import SCENES, show_scene
from tests.pages.test_every_page import overlaps, settle, what_is_cut


def main() -> None:
    theme, *languages = sys.argv[1:]
    application = QApplication(["scaled"])
    if theme == "contrast":
        app.qt.look._prefers_contrast = lambda hints: True
    prepare(application, "en", "dark" if theme == "dark" else "light")
    load()
    wrong = {}
    for language in languages:
        for scene in SCENES:
            session = SampleSession(tempfile.mkdtemp())
            session.facts = FACTS
            session.decide(PLAN.choice)
            window = Window(session)
            window.setUpdatesEnabled(False)
            window.resize(960, 680)
            window.begin()
            window.show()
            window.set_language(language)
            show_scene(window, scene)
            settle()
            if found := [*what_is_cut(window), *overlaps(window)]:
                wrong[f"{scene} {language}"] = found
            window.job = None  # a scene only looks as if something ran
            window.close()
            shiboken6.delete(window)
    shown = theme if app.qt.look.look().colours is {"light": LIGHT, "dark": DARK}.get(theme) else "contrast"
    json.dump({"theme": shown, "ratio": application.devicePixelRatio(), "scenes": len(SCENES), "wrong": wrong}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
