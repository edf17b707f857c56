"""After a restart of Windows the window offers the run that waited, goes on with it, and proves what it was for."""

import os

import pytest
import shiboken6
from PySide6.QtWidgets import QPushButton

from app.model.proof import Level, Proof, ProofVerdict
from app.qt.support import load
from app.qt.window import Window
from app.session import Session
from tests.running.wsl.test_going_on import PYTHON, wait_for_restart, went_on
from tests.running.wsl.test_route import DISTRO
from tests.standins.wsl import standing_in

pytestmark = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="the stand-in's Linux needs root on Linux")


def test_a_run_that_waited_goes_on_in_the_window(app, qtbot, own_home, tmp_path, monkeypatch):
    asked = []

    def prove(session, *_, **__):
        asked.append((session.plan.python.executable, session._distro()))
        session.proof = Proof(Level.KERNEL, ProofVerdict.WORKS, ())
        return session.proof

    monkeypatch.setattr(Session, "prove", prove)
    load()
    with standing_in(tmp_path / "programs") as wsl:
        monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
        wait_for_restart(wsl, own_home)
        window = Window(Session(str(own_home)))
        try:
            window.begin()
            window.show()
            window.warm_up()
            qtbot.waitUntil(lambda: window.findChild(QPushButton, "go-on") is not None, timeout=20_000)
            window.findChild(QPushButton, "go-on").click()
            assert window.current.key == "install"
            qtbot.waitUntil(lambda: not window.is_busy, timeout=100_000)
            assert went_on(wsl)
            window.footer.primary.click()
            qtbot.waitUntil(lambda: not window.is_busy, timeout=20_000)
            assert window.current.key == "proof"
            assert asked == [(PYTHON, DISTRO)]
            assert window.session.report().facts is not None, "the report needs the machine, which was read on the way"
        finally:
            window.stop_work()
            window.close()
            shiboken6.delete(window)
