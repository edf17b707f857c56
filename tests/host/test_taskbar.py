"""The taskbar takes the progress of a real window; elsewhere nothing happens."""

import sys
import uuid

import pytest

from app.host.taskbar import TaskbarProgress


@pytest.mark.windows
@pytest.mark.skipif(sys.platform != "win32", reason="Windows has a taskbar with progress")
def test_the_taskbar_takes_progress() -> None:
    import ctypes

    ctypes.oledll.ole32.CoInitialize(None)
    ctypes.windll.user32.CreateWindowExW.restype = ctypes.c_void_p
    handle = ctypes.windll.user32.CreateWindowExW(0, "STATIC", "x", 0x10CF0000, 0, 0, 200, 100, None, None, None, None)
    bar = TaskbarProgress(handle)
    try:
        assert bar.is_there
        assert [bar.show(*wanted) for wanted in ((0.3, "running"), (1.5, "paused"), (0.0, "none"))] == [True, True, True]
    finally:
        bar.close()
        ctypes.windll.user32.DestroyWindow(ctypes.c_void_p(handle))
    assert not bar.show(0.5, "running")


@pytest.mark.windows
@pytest.mark.skipif(sys.platform != "win32", reason="Windows has a taskbar with progress")
def test_without_a_taskbar_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where another shell runs: nobody offers the class."""
    monkeypatch.setattr("app.host.taskbar._CLASS", uuid.UUID("{5d8f0c8e-3a0e-4f6c-9a53-2f4f6c1f0b7d}").bytes_le)
    bar = TaskbarProgress(1)
    assert not bar.is_there
    assert not bar.show(0.5, "running")


@pytest.mark.skipif(sys.platform == "win32", reason="there is a taskbar")
def test_elsewhere_nothing_happens() -> None:
    bar = TaskbarProgress(1)
    assert not bar.is_there
    assert not bar.show(0.5, "running")
    bar.close()
