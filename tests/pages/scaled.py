"""Every scene at the screen's scale of QT_SCALE_FACTOR, in the languages named: prints what is cut off, as JSON. For a process of its own.

Qt reads the scale once, when the application is made.
"""

import json
import sys
import tempfile

import shiboken6
from PySide6.QtWidgets import QApplication

from app.qt.start import prepare
from app.qt.support import load
from app.qt.window import Window
from tests.pages.samples import FACTS, PLAN, SampleSession
from tests.pages.scenes import SCENES, show_scene
from tests.pages.test_every_page import overlaps, settle, what_is_cut


def main() -> None:
    application = QApplication(["scaled"])
    prepare(application, "en", "light")
    load()
    wrong = {}
    for language in sys.argv[1:]:
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
    json.dump({"ratio": application.devicePixelRatio(), "scenes": len(SCENES), "wrong": wrong}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
