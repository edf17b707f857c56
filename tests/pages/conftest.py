"""One application for all tests of the window; its look is set anew for each."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent

from app.qt.look import look
from app.qt.start import prepare
from app.qt.support import load
from app.qt.window import Window
from app.session import Session
from tests.pages.samples import FACTS, PLAN, SampleSession

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the platform without a screen says of itself is no warning of ours."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support"))


@pytest.fixture
def app(qapp):
    """The application in English and light."""
    prepare(qapp, "en", "light")
    yield qapp
    look().set_text_scale(1.0)


@pytest.fixture
def session(own_home):
    """A session with facts and a plan made by hand."""
    made = SampleSession(str(own_home))
    made.facts = FACTS
    made.decide(PLAN.choice)
    return made


@contextmanager
def shown(session: Session) -> Iterator[Window]:
    """The window on its first page, in a size that shows every page whole."""
    load()
    made = Window(session)
    made.resize(960, 680)
    made.begin()
    made.show()
    yield made
    made.stop_work()
    if made.job is not None:
        made.job.join(10)
        made.job = None
    made.close()
    shiboken6.delete(made)
    # Only a running event loop deletes what was asked to be deleted later; a test has none.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def window(app, session):
    """The window of the sample session."""
    with shown(session) as made:
        yield made
