"""Runs first in the packaged program: gives a windowed program its parent's terminal to write to.

The program is built for the window subsystem, so that a double-click shows no console. Started from a terminal it writes there.
Standard input stays closed: the shell goes on reading its own. Pipes and files given by the parent are used as they are.
"""

import ctypes
import os
import sys

PARENT = -1
"""ATTACH_PARENT_PROCESS of AttachConsole."""


def take_terminal() -> None:
    has_terminal = None in (sys.stdout, sys.stderr) and bool(ctypes.WinDLL("kernel32").AttachConsole(PARENT & 0xFFFFFFFF))
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # A console decodes by itself; nothing is written to a place that is not there.
            setattr(sys, name, open("CONOUT$" if has_terminal else os.devnull, "w", encoding="utf-8", errors="replace", buffering=1))
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")


if sys.platform == "win32":
    take_terminal()
