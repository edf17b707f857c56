"""A window that lets work run: one job at a time in a thread, its events in batches, its end in the window's own thread."""

import gc
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from PySide6.QtCore import QCoreApplication, QTimer

from app.model.cancel import Cancel
from app.model.plan import Choice
from app.model.problem import Cancelled, Problem
from app.qt import support
from app.qt.bridge import Batch, Bridge, Job
from app.qt.talking import Talking
from app.qt.unfinished import interrupted_run
from app.session import Session

if TYPE_CHECKING:
    from app.qt.away import Away
    from app.running import RunRecord

T = TypeVar("T")


class Working(Talking):
    """Holds the session and its job. Subclasses say what is shown of it."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.job: Job | None = None
        self._warming: Job | None = None
        self._closes_when_done = False
        self.bridge = Bridge(self)
        self.bridge.arrived.connect(self.take_batch)
        self._unsubscribe = session.subscribe(self.bridge.take)

    def show_frame(self) -> None:
        """Shows what may have changed around the page."""

    def take_batch(self, batch: Batch) -> None:
        """News of the job."""

    def take_interrupted(self, run: "RunRecord | None") -> None:
        """A run that was interrupted before this start; None where there is none."""

    def title_and_sentence(self) -> tuple[str, str]:
        """What is shown now, in short."""
        return self.windowTitle(), ""

    @cached_property
    def away(self) -> "Away":
        """For a person who looks elsewhere."""
        from app.qt.away import Away

        return Away(self)

    def attach(self, session: Session) -> None:
        """Listens to another session from now on."""
        self._unsubscribe()
        self.session = session
        self._unsubscribe = session.subscribe(self.bridge.take)

    @property
    def is_busy(self) -> bool:
        return self.job is not None

    def run(self, work: Callable[[Cancel], T], done: Callable[[T], None], name: str, failed: Callable[[Problem], None] | None = None) -> Job:
        """Calls `work` in a thread of its own; `done` or `failed` follow in the window's thread.

        One job at a time. An error that is no Problem is a bug: it is raised, and told by who watches for those.
        """
        assert self.job is None
        job = Job(work, name, self)
        self.job = job
        begun = time.monotonic()

        def on_done(result: Any) -> None:
            self._end_job(job)
            done(result)
            self.show_frame()
            self.away.tell_end(*self.title_and_sentence(), time.monotonic() - begun)
            self._close_if_wanted()

        def on_failed(error: BaseException) -> None:
            self._end_job(job)
            self.away.tell_end(*self.title_and_sentence(), time.monotonic() - begun)
            if isinstance(error, Problem):
                (failed or self.tell)(error)
            self.show_frame()
            self._close_if_wanted()
            if not isinstance(error, Problem | Cancelled):
                raise error

        job.done.connect(on_done)
        job.failed.connect(on_failed)
        self.show_frame()
        # Behind the events of now, and once the page of this job is painted: what floods in would make that slow.
        QTimer.singleShot(0, job, lambda: self._begin(job))
        return job

    def _begin(self, job: Job) -> None:
        QCoreApplication.sendPostedEvents()
        self.repaint()
        # What the painting itself asked for comes first, too.
        QTimer.singleShot(0, job, job.start)

    def stop_work(self) -> None:
        """Asks the running job to stop; it ends by itself."""
        if self.job is not None:
            self.job.cancel.set()

    def end(self) -> None:
        """Closes the window without a question, once running work has stopped."""
        self._closes_when_done = True
        self.stop_work()
        self._close_if_wanted()

    def _end_job(self, job: Job) -> None:
        self.bridge.flush()
        if self.job is job:
            self.job = None
        job.deleteLater()

    def _close_if_wanted(self) -> None:
        if self._closes_when_done and not self.is_busy:
            QTimer.singleShot(0, self.close)

    def decide(self, choice: Choice) -> bool:
        """Takes a choice over and plans anew; a Problem is told, and the choice stays what it was."""
        before = self.session.choice
        try:
            self.session.decide(choice)
        except Problem as problem:
            self.session.choice = before
            self.tell(problem)
            return False
        self.show_frame()
        return True

    def warm_up(self) -> None:
        """Loads, in a thread and behind the first painted page, what the next clicks need; looks for an interrupted run."""
        session = self.session
        # What is loaded by now stays to the end: looking through it for garbage would stop the window for 50 ms each time.
        gc.freeze()

        def work(_cancel: Cancel) -> "RunRecord | None":
            support.load()
            return interrupted_run(session)

        self._warming = Job(work, "warm-up", self)
        self._warming.done.connect(self._on_warm)
        self._warming.failed.connect(self._on_warm)
        self._warming.start()

    def _on_warm(self, result: object) -> None:
        self._warming = None
        gc.freeze()
        self.show_frame()
        if isinstance(result, Problem):
            self.tell(result)
        elif isinstance(result, BaseException):
            raise result
        else:
            self.take_interrupted(cast("RunRecord | None", result))
