"""Progress in a window's taskbar button.

ITaskbarList3 by its table of functions (learn.microsoft.com/windows/win32/api/shobjidl_core/nn-shobjidl_core-itaskbarlist3): Qt 6 has
no part for it any more. Elsewhere there is no such button, and nothing happens.
"""

import sys
from typing import Any, Final, Literal

State = Literal["none", "running", "paused"]

STEPS: Final = 1000
"""Of the whole bar."""

if sys.platform == "win32":
    import ctypes
    import uuid
    from ctypes import wintypes

    _CLASS: Final = uuid.UUID("{56FDF344-FD6D-11D0-958A-006097C9A090}").bytes_le
    _INTERFACE: Final = uuid.UUID("{EA1AFB91-9E28-4B86-90E9-9E9F8A5EEFAF}").bytes_le
    _IN_PROCESS: Final = 1
    _STATES: Final = {"none": 0, "running": 2, "paused": 8}
    _RELEASE, _INITIALISE, _SET_VALUE, _SET_STATE = 2, 3, 9, 10
    """Places in the table of functions."""

    class TaskbarProgress:
        """Of one window, by its handle. To be used in the thread that owns the window; COM is initialised there."""

        def __init__(self, handle: int) -> None:
            self._handle = wintypes.HWND(handle)
            self._list: ctypes.c_void_p | None = None
            found = ctypes.c_void_p()
            # Not `oledll`, which raises: where no shell runs, there is no taskbar, and that is no error.
            if ctypes.windll.ole32.CoCreateInstance(_CLASS, None, _IN_PROCESS, _INTERFACE, ctypes.byref(found)) >= 0 and found:
                self._list = found
                self._call(_INITIALISE)

        @property
        def is_there(self) -> bool:
            return self._list is not None

        def show(self, share: float, state: State) -> bool:
            """`share` of the whole, 0 to 1. Whether the taskbar took it."""
            if self._list is None:
                return False
            if state != "none":
                value = ctypes.c_ulonglong(round(min(max(share, 0.0), 1.0) * STEPS))
                self._call(_SET_VALUE, self._handle, value, ctypes.c_ulonglong(STEPS))
            return self._call(_SET_STATE, self._handle, ctypes.c_int(_STATES[state]))

        def close(self) -> None:
            if self._list is not None:
                self._call(_RELEASE)
                self._list = None

        def _call(self, place: int, *arguments: "ctypes._SimpleCData[Any]") -> bool:
            assert self._list is not None
            table = ctypes.cast(self._list, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents
            function = ctypes.WINFUNCTYPE(ctypes.c_long, ctypes.c_void_p, *(type(argument) for argument in arguments))(table[place] or 0)
            return bool(function(self._list, *arguments) >= 0)

else:

    class TaskbarProgress:
        """There is no such button here."""

        is_there = False

        def __init__(self, handle: int) -> None:
            """Nothing to connect to."""

        def show(self, share: float, state: State) -> bool:
            return False

        def close(self) -> None:
            """Nothing is open."""
