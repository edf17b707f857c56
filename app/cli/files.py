"""Files that the command line names: read and written with one clear line for whatever goes wrong."""

from pathlib import Path

from app.model.problem import ExitCode, Problem, reason_of
from app.model.text import Text


def write_output(path: Path, content: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise Problem(Text("cli.cannot-write", {"file": str(path), "reason": reason_of(error)}), ExitCode.BAD_INPUT) from error


def read_input(path: Path, limit_bytes: int = 64 << 20) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(limit_bytes + 1)
    except OSError as error:
        raise unreadable(str(path), error) from error
    if len(content) > limit_bytes:
        raise Problem(Text("cli.too-large", {"file": str(path), "limit": limit_bytes >> 20}), ExitCode.BAD_INPUT)
    return content


def unreadable(path: str, error: OSError) -> Problem:
    return Problem(Text("cli.cannot-read", {"file": path, "reason": reason_of(error)}), ExitCode.BAD_INPUT)
