"""What a run does to the machine, each with all that is needed to take it back. These stand in the journal."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.running.moves import Trees


@dataclass(frozen=True, slots=True)
class MadeFolder:
    """A folder that was not there. Taken back by removing it with all that is in it, and those of `parents` that are empty then."""

    path: str
    parents: tuple[str, ...] = ()
    type: Literal["made-folder"] = "made-folder"


@dataclass(frozen=True, slots=True)
class WroteFile:
    """A file written whole. `before` is the copy of what was there, None if nothing was."""

    path: str
    before: str | None
    type: Literal["wrote-file"] = "wrote-file"


@dataclass(frozen=True, slots=True)
class Swapped:
    """Files of `root` exchanged by renames: see app.running.moves. `moves` is the document that lists them.

    `aside` holds what was there, `staged` what comes in, `discarded` what is taken out again. `step` is the step that did it.
    """

    step: str
    root: str
    aside: str
    staged: str
    discarded: str
    moves: str
    type: Literal["swapped"] = "swapped"


@dataclass(frozen=True, slots=True)
class Opened:
    """Our own working folder inside an environment. Taken back by removing it, and its parent where that is empty."""

    path: str
    type: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True)
class UndoneByCommand:
    """Something that this program's own files cannot reach (Linux inside WSL); `argv` takes it back, also if it was never done."""

    argv: tuple[str, ...]
    type: Literal["undone-by-command"] = "undone-by-command"


Act = MadeFolder | WroteFile | Swapped | Opened | UndoneByCommand


def trees_of(act: Swapped) -> Trees:
    return Trees(Path(act.root), Path(act.aside), Path(act.staged), Path(act.discarded))
