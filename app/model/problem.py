"""What stops the program, in one line for the person, with the exit code of the contract."""

import enum

from app.model.text import Text


class ExitCode(enum.IntEnum):
    DONE = 0
    FAILED = 1
    BAD_INPUT = 2
    BLOCKED = 3
    CANCELLED = 4


class Problem(Exception):
    """An expected failure: `text` says what, where and what to do; `exit_code` is the process's."""

    def __init__(self, text: Text, exit_code: ExitCode = ExitCode.FAILED, cause: str | None = None) -> None:
        super().__init__(text.code)
        self.text = text
        self.exit_code = exit_code
        self.cause = cause
        """A cause code, where one is known."""


class Cancelled(Exception):
    """The person cancelled; raised by Cancel.check()."""
