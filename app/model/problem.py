"""What stops the program, in one line for the person, with the exit code of the contract."""

import enum
import errno
from typing import Final

from app.model.text import Text

_SAID: Final = {
    errno.ENOENT: "not-there",
    errno.EACCES: "no-right",
    errno.EPERM: "no-right",
    errno.EISDIR: "is-a-folder",
    errno.ENOTDIR: "not-a-folder",
    errno.ENOSPC: "no-room",
    errno.EROFS: "read-only",
    errno.ENAMETOOLONG: "name-too-long",
    errno.EIO: "device-failed",
}


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


def reason_of(error: OSError) -> str:
    """Why a file operation failed, as a parameter of a text: in the person's language where it is a common reason."""
    said = _SAID.get(error.errno or 0)
    return f"@problem.os.{said}" if said else error.strerror or str(error) or type(error).__name__
