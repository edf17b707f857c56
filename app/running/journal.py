"""The journal of a run: append-only JSON lines, each act on the disk before it is done.

A line is `{"seq", "time", "entry", ...}`. Entries: `begun`, `step` (started, done), `intent` (an act that comes next), `done`
(that act is over), `ended` (the run has a final state), `undo` (taking back has begun), `undone`.
"""

import errno
import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, Literal

from app.host.file_changes import flush_folder, problem_of
from app.model import codec
from app.model.problem import Problem
from app.model.text import Text
from app.running.acts import Act

JOURNAL: Final = "journal.jsonl"
PLAN: Final = "plan.json"
_RESERVE: Final = "reserve"
_RESERVE_BYTES: Final = 32_768

State = Literal["unfinished", "committed", "put-back", "failed"]


def now() -> str:
    """This moment, in the form all events and journals use."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal."""

    seq: int
    time: str
    kind: str
    values: Mapping[str, Any]


class Journal:
    """Writes one run's journal. Problem (disk full, no right) if a line cannot be brought to the disk."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._cut_torn_line()
            self._seq = sum(1 for _ in read_journal(folder))
            self._reserve = folder / _RESERVE
            if not self._reserve.exists():
                self._reserve.write_bytes(b"\0" * _RESERVE_BYTES)
            self._file: IO[bytes] = self._path.open("ab", buffering=0)
            flush_folder(str(folder))
        except OSError as error:
            raise problem_of(error, str(self._path)) from error

    def write(self, kind: str, *, flush: bool = True, **values: Any) -> int:
        """Appends an entry and returns its number once it is on the disk; without `flush` it gets there with the next one that is flushed."""
        with self._lock:
            seq = self._seq
            line = json.dumps({"seq": seq, "time": now(), "entry": kind, **values}, ensure_ascii=False, sort_keys=True)
            try:
                self._append(line.encode() + b"\n", flush)
            except OSError as error:
                raise problem_of(error, str(self._path)) from error
            self._seq += 1
            return seq

    def write_step(self, step_id: str, phase: Literal["started", "done"]) -> None:
        """Notes where a step stands. Not flushed: a step that a power cut makes forgotten is done once more, which harms nothing."""
        self.write("step", flush=False, id=step_id, phase=phase)

    def _append(self, line: bytes, flush: bool) -> None:
        size = os.fstat(self._file.fileno()).st_size
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if flush:
                os.fsync(self._file.fileno())
        except OSError:
            os.truncate(self._path, size)
            if not self._reserve.exists():
                raise
            # On a full disk the way back must still be written down.
            self._reserve.unlink()
            self._append(line, flush)

    def intend(self, act: Act) -> int:
        """Announces an act; the number is for `done`."""
        return self.write("intent", act=codec.dump(act))

    def done(self, intent: int) -> None:
        self.write("done", intent=intent)

    def close(self) -> None:
        self._file.close()

    def _cut_torn_line(self) -> None:
        # A power cut can leave half a line; appending to it would damage the next one too.
        if self._path.is_file():
            content = self._path.read_bytes()
            if content and not content.endswith(b"\n"):
                with self._path.open("r+b") as file:
                    file.truncate(content.rfind(b"\n") + 1)


def read_journal(folder: Path) -> Iterator[Entry]:
    """The entries in order; a last line that a power cut tore is left out, as its act was never begun."""
    path = folder / JOURNAL
    if not path.is_file():
        return
    for line in path.read_bytes().split(b"\n"):
        try:
            values = json.loads(line)
            yield Entry(values.pop("seq"), values.pop("time"), values.pop("entry"), values)
        except (ValueError, KeyError, AttributeError):
            continue


def read_acts(folder: Path) -> tuple[Act, ...]:
    """Every act that was announced, in order; whether it was done shows on the disk."""
    return tuple(codec.load(entry.values["act"], Act, JOURNAL) for entry in read_journal(folder) if entry.kind == "intent")  # type: ignore[arg-type]  # a union of classes


def read_state(folder: Path) -> State:
    """Where the run stands."""
    state: State = "unfinished"
    for entry in read_journal(folder):
        if entry.kind == "ended":
            state = entry.values["state"]
        elif entry.kind in ("begun", "undo", "resumed"):
            state = "unfinished"
        elif entry.kind == "undone":
            state = "put-back"
    return state


def steps_done(folder: Path) -> frozenset[str]:
    """Ids of the steps that ended well since the last time anything was taken back."""
    steps: set[str] = set()
    for entry in read_journal(folder):
        if entry.kind == "step" and entry.values.get("phase") == "done":
            steps.add(entry.values["id"])
        elif entry.kind in ("undo", "undone"):
            steps.clear()
    return frozenset(steps)


def runs_folder(state: Path) -> Path:
    return state / "runs"


def run_folder(state: Path, run_id: str) -> Path:
    """The folder of a run's journal. Problem for a name that is none of ours."""
    folder = runs_folder(state) / run_id
    if not run_id or folder.parent != runs_folder(state) or run_id in (".", "..") or not (folder / JOURNAL).is_file():
        raise Problem(Text("run.no-such-run", {"run": run_id}), cause=None)
    return folder
