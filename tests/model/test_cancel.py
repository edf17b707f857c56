"""The cancel token: callbacks run once, late ones at once, taken-back ones never."""

import threading

import pytest

from app.model.cancel import Cancel
from app.model.problem import Cancelled


def test_callbacks_run_once_when_set() -> None:
    cancel, calls = Cancel(), []
    cancel.on_cancel(lambda: calls.append("kept"))
    cancel.on_cancel(lambda: calls.append("taken back"))()
    cancel.set()
    cancel.set()
    assert calls == ["kept"]
    cancel.on_cancel(lambda: calls.append("late"))
    assert calls == ["kept", "late"]


def test_check_raises_only_once_set() -> None:
    cancel = Cancel()
    cancel.check()
    cancel.set()
    assert cancel.is_set
    with pytest.raises(Cancelled):
        cancel.check()


def test_wait_ends_as_soon_as_another_thread_cancels() -> None:
    cancel = Cancel()
    assert not cancel.wait(0.001)
    threading.Timer(0.02, cancel.set).start()
    assert cancel.wait(30)
