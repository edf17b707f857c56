"""Windows is told to stay awake for as long as something is changed, and no longer."""

import sys

import pytest

from app.host.awake import stay_awake


@pytest.mark.windows
@pytest.mark.skipif(sys.platform != "win32", reason="only Windows is asked")
@pytest.mark.parametrize("fails", [False, True])
def test_windows_is_asked_and_released(fails: bool) -> None:
    import ctypes

    ask = ctypes.windll.kernel32.SetThreadExecutionState
    ask.restype = ctypes.c_uint
    lasting, system_required = 0x80000000, 0x00000001
    try:
        with stay_awake():
            # Each call answers with what was asked before.
            assert ask(lasting | system_required) == lasting | system_required
            if fails:
                raise KeyError("a step failed")
    except KeyError:
        assert fails
    assert ask(lasting) == lasting
