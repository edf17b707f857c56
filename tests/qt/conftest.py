"""One application for all tests of the window; its look is set anew for each."""

import pytest

from app.qt.look import look
from app.qt.start import prepare


@pytest.fixture
def app(qapp):
    """The application in English and light."""
    prepare(qapp, "en", "light")
    yield qapp
    look().set_text_scale(1.0)
