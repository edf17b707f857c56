"""Keeps the machine from falling asleep by itself while something is changed. A closed lid or the power button still win.

learn.microsoft.com/windows/win32/api/winbase/nf-winbase-setthreadexecutionstate: the request belongs to the thread that makes it.
"""

import contextlib
import sys
from collections.abc import Iterator

_CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001


@contextlib.contextmanager
def stay_awake() -> Iterator[None]:
    """While the block runs, in this thread. Elsewhere than on Windows nothing is asked for."""
    _ask(_CONTINUOUS | _SYSTEM_REQUIRED)
    try:
        yield
    finally:
        _ask(_CONTINUOUS)


if sys.platform == "win32":
    import ctypes

    def _ask(state: int) -> None:
        ctypes.windll.kernel32.SetThreadExecutionState(state)

else:

    def _ask(state: int) -> None:
        return
