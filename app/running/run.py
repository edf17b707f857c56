"""One run while it runs: what its steps share."""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, TypeVar

from app.host.elevation import Operation, ask_elevated
from app.host.file_changes import flush_folder, problem_of
from app.host.places import Places
from app.host.protocol import Encoding, Machine, OutputLine
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, StepProgress
from app.model.plan import Plan, Step
from app.model.problem import Problem
from app.model.text import Text
from app.running.acts import Act, MadeFolder, Opened, WroteFile
from app.running.journal import Journal, now, read_acts
from app.running.target import Target, ask_target
from app.running.waiting import answer_of

T = TypeVar("T")

WORK: Final = ".triton-setup"
"""Our folder inside an environment: on its volume, so that files move by renames."""
_PROGRESS_S: Final = 0.2


@dataclass
class Run:
    """Shared by the steps of one run. `emit` may be called from any thread; every line also goes to the log file.

    `checked` are the wheels whose hash was found right since the program started, `unreached` the addresses that a resolver said it
    could not fetch. `restart_required`: the machine wants a restart
    some time. A step that cannot go on before it raises RestartNeeded.
    """

    id: str
    folder: Path
    plan: Plan
    host: Machine
    cancel: Cancel
    places: Places
    journal: Journal
    emit: Callable[[Event], None]
    log: IO[bytes]
    targets: dict[str, Target] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    unreached: list[str] = field(default_factory=list)
    flushing: list[threading.Thread] = field(default_factory=list)
    restart_required: bool = False
    last_progress: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)
    making: threading.Lock = field(default_factory=threading.Lock)

    def say(self, step: Step, line: str) -> None:
        """One log line of our own, in English."""
        self.send(LogLine(step.id, line, now()))

    def send(self, event: Event) -> None:
        with self.lock:
            if isinstance(event, LogLine):
                # A full disk must not end the run because of its log: what is shown and kept in memory goes on.
                with contextlib.suppress(OSError):
                    self.log.write(f"{event.time} {event.step_id} {event.source}: {event.line}\n".encode("utf-8", "backslashreplace"))
            self.emit(event)

    def progress(self, progress: StepProgress) -> None:
        """Sends progress at most five times a second, and always the end."""
        moment = time.monotonic()
        if progress.fraction == 1.0 or moment - self.last_progress >= _PROGRESS_S:
            self.last_progress = moment
            self.send(progress)

    def execute(
        self,
        step: Step,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        cwd: str | None = None,
        timeout_s: float | None = None,
        encoding: Encoding = "utf-8",
        keep: Callable[[OutputLine], bool] = lambda _: False,
    ) -> int:
        """Runs a program with its lines in the log; lines that `keep` takes stay out of it. Returns the exit code."""

        def pass_on(line: OutputLine) -> None:
            if not keep(line):
                self.send(LogLine(step.id, line.text, now(), line.stream, line.replaces))

        self.say(step, "$ " + " ".join(argv))
        return self.host.execute(argv, pass_on, self.cancel, cwd=cwd or str(self.folder), environment=environment, timeout_s=timeout_s, encoding=encoding)

    def answer(self, ask: Callable[[], T]) -> T:
        """What a question to the machine or the network gives; Cancelled at once where the person cancels while it takes its time."""
        return answer_of(ask, self.cancel)

    def flush_soon(self, root: Path, files: Sequence[str]) -> None:
        """Begins to bring `files`, named relative to `root`, to the disk while the next steps run."""
        # Joined in the thread, where nobody waits for it.
        paths = (f"{root}{os.sep}{file}" for file in files)
        thread = threading.Thread(target=self.host.flush_files, args=(str(root), paths), name="flush", daemon=True)
        thread.start()
        self.flushing.append(thread)

    def flush_now(self) -> None:
        """What this run brought is on the disk when this returns."""
        for thread in self.flushing:
            while thread.is_alive():
                thread.join(0.1)
                self.cancel.check()

    def elevate(self, step: Step, operation: Operation) -> None:
        """Has one operation of the fixed list done with administrator rights. Cancelled if the person says no, Problem if it fails."""
        self.say(step, f"asks for administrator rights: {operation.type}")
        result = ask_elevated(operation, self.folder, self.cancel)
        self.restart_required |= result.restart_required
        if not result.is_done:
            raise Problem(Text("run.command-failed", {"program": operation.type, "code": result.exit_code}))

    def target(self, python: str) -> Target:
        """What `python` says of itself, asked once."""
        if python not in self.targets:
            self.targets[python] = self.answer(lambda: ask_target(python, self.host))
        return self.targets[python]

    @contextlib.contextmanager
    def act(self, act: Act) -> Iterator[None]:
        """Announces an act in the journal, lets it be done, and notes that it is."""
        intent = self.journal.intend(act)
        yield
        self.journal.done(intent)

    def make_folder(self, path: Path) -> None:
        """Makes a folder that an undo removes again; one that exists is left as it is."""
        if path.exists():
            return
        parents = [str(parent) for parent in path.parents if not parent.exists()]
        with self.act(MadeFolder(str(path), tuple(parents))), _file_problem(path):
            path.mkdir(parents=True)

    def made(self, path: Path) -> bool:
        """Whether this run made the folder or one above it."""
        return any(isinstance(act, MadeFolder) and path.is_relative_to(act.path) for act in read_acts(self.folder))

    def write_file(self, path: Path, content: bytes) -> None:
        """Writes a file that an undo removes again, or puts back as it was."""
        before: str | None = None
        with _file_problem(path):
            if path.exists():
                copy = self.folder / f"before-{len(read_acts(self.folder))}"
                self.host.write_file(str(copy), path.read_bytes())
                before = str(copy)
            self.make_folder(path.parent)
        with self.act(WroteFile(str(path), before)):
            self.host.write_file(str(path), content)

    def work_folder(self, root: Path) -> Path:
        """The folder of this run inside the environment `root`, made when first asked for."""
        folder = root / WORK / self.id
        # Wheels are unpacked in several threads, and any of them may be the first.
        with self.making:
            if not folder.exists():
                with self.act(Opened(str(folder))), _file_problem(folder):
                    folder.mkdir(parents=True)
                    flush_folder(str(root))
        return folder

    def lend_file(self, name: str, content: str) -> Path:
        """A file for a child program that is started next. It need not outlast a power cut, so nobody waits for the disk."""
        path = self.folder / name
        with _file_problem(path):
            path.write_bytes(content.encode())
        return path

    def keep_note(self, name: str, value: object) -> None:
        """Keeps a JSON note beside the journal, for later steps and a resumed run."""
        self.host.write_file(str(self.folder / f"{name}.json"), json.dumps(value, ensure_ascii=False, indent=1).encode())

    def note(self, name: str) -> object:
        """The note, None if there is none."""
        path = self.folder / f"{name}.json"
        return json.loads(path.read_bytes()) if path.is_file() else None


@contextlib.contextmanager
def _file_problem(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise problem_of(error, str(path)) from error


def text_argument(step: Step, name: str, default: str = "") -> str:
    """A text among the arguments of a step. Problem (a bug of the plan) if it is none."""
    value = step.arguments.get(name, default)
    if not isinstance(value, str):
        raise Problem(Text("run.step-argument", {"step": step.id, "argument": name}))
    return value


def list_argument(step: Step, name: str) -> tuple[str, ...]:
    """A list of texts among the arguments of a step, or a single text; empty if it is not there."""
    value = step.arguments.get(name, ())
    if isinstance(value, str):
        return (value,) if value else ()
    if not isinstance(value, tuple):
        raise Problem(Text("run.step-argument", {"step": step.id, "argument": name}))
    return value
