"""Going on after a restart: Windows starts this program once at the next logon, at the run that waits.

The `!` keeps the entry until the command has run (learn.microsoft.com/windows/win32/setupapi/run-and-runonce-registry-keys).
"""

import sys

RUN_ONCE = r"Software\Microsoft\Windows\CurrentVersion\RunOnce"
ENTRY = "!TritonSetupContinue"
MAX_COMMAND = 260
"""Longest command that RunOnce takes, in characters."""


def continuation_command(run_id: str) -> str:
    """The command line that shows the waiting run; the person still says go on."""
    start = f'"{sys.executable}"' if getattr(sys, "frozen", False) else f'"{sys.executable}" -m app'
    return f"{start} --continue {run_id}"


if sys.platform == "win32":
    import contextlib
    import winreg

    def continue_after_restart(run_id: str) -> bool:
        """Whether Windows will start this program again after the restart."""
        command = continuation_command(run_id)
        if len(command) > MAX_COMMAND:
            return False
        try:
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, RUN_ONCE) as key:
                winreg.SetValueEx(key, ENTRY, 0, winreg.REG_SZ, command)
        except OSError:
            return False
        return True

    def forget_continuation() -> None:
        """Takes the entry away, if there is one."""
        with contextlib.suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_ONCE, 0, winreg.KEY_SET_VALUE) as key:
            winreg.DeleteValue(key, ENTRY)

else:

    def continue_after_restart(run_id: str) -> bool:
        """Only Windows starts a program after a restart; elsewhere the run waits until the person comes back."""
        return False

    def forget_continuation() -> None:
        """There is none to forget."""
