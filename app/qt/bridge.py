"""Work in plain threads; what it says arrives in the window's thread through one queued signal.

Log lines are collected and handed over at most every FLUSH_MS, and only the newest of them: no flood can outrun the
window, and none is lost, because the full text is written to disk by whoever runs the step. Who floods waits while the
window shows what came: one interpreter runs both threads, and without that a person's click would wait for the flood.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.model.cancel import Cancel
from app.model.events import Event, LogLine, StepProgress
from app.qt.parts.log_view import MOST_A_FLUSH

T = TypeVar("T")

FLUSH_MS: Final = 80
LINES_AHEAD: Final = 1_500
"""Log lines that may come between two flushes before their sender waits for the next one."""
WAIT_S: Final = 0.2
"""The longest that a log line waits for the window."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What came since the last flush. `logs` are the newest lines of `log_count`; of each step only the last progress."""

    events: tuple[Event, ...]
    logs: tuple[LogLine, ...]
    log_count: int


@dataclass(slots=True)
class _Pending:
    events: list[Event] = field(default_factory=list)
    progress: dict[str, StepProgress] = field(default_factory=dict)
    logs: deque[LogLine] = field(default_factory=lambda: deque(maxlen=MOST_A_FLUSH))
    log_count: int = 0


class Bridge(QObject):
    """Takes events from any thread and hands them on, in batches, in the thread that made the bridge."""

    arrived = Signal(object)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._pending = _Pending()
        self._is_awake = False
        self._flushed = threading.Event()
        self._flushed.set()
        self._own_thread = threading.current_thread()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FLUSH_MS)
        self._timer.timeout.connect(self.flush)
        self._woken.connect(self._timer.start, Qt.ConnectionType.QueuedConnection)

    def take(self, event: Event) -> None:
        """Called by the core, in any thread."""
        if isinstance(event, LogLine) and threading.current_thread() is not self._own_thread:
            # In front of the lock: who takes it again and again would leave the window no turn at it.
            self._flushed.wait(WAIT_S)
        with self._lock:
            pending = self._pending
            if isinstance(event, LogLine):
                if event.replaces and pending.logs:
                    pending.logs[-1] = event
                else:
                    pending.logs.append(event)
                    pending.log_count += 0 if event.replaces else 1
            elif isinstance(event, StepProgress):
                pending.progress[event.step_id] = event
            else:
                # What a step said last belongs before the news that it ended.
                pending.events += pending.progress.values()
                pending.progress.clear()
                pending.events.append(event)
            wake = not self._is_awake
            self._is_awake = True
            if pending.log_count >= LINES_AHEAD:
                self._flushed.clear()
        if wake:
            self._woken.emit()

    def flush(self) -> None:
        """Hands on what is there, now."""
        self._flushed.clear()
        with self._lock:
            pending, self._pending, self._is_awake = self._pending, _Pending(), False
        if pending.events or pending.progress or pending.logs:
            self.arrived.emit(Batch((*pending.events, *pending.progress.values()), tuple(pending.logs), pending.log_count))
        # Behind what this batch changed and the painting of it.
        QTimer.singleShot(0, self, self._flushed.set)


class Job(QObject):
    """One call in a worker thread. `done` and `failed` are emitted in the thread that made the job."""

    done = Signal(object)
    failed = Signal(object)
    _ended = Signal(object, object)

    def __init__(self, work: Callable[[Cancel], Any], name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cancel = Cancel()
        self._work = work
        # Not a daemon: a run that changes an environment must never be cut off by the end of the program.
        self._thread = threading.Thread(target=self._run, name=name)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        self._thread.start()

    def join(self, seconds: float | None = None) -> bool:
        """Waits for the thread; true once it has ended."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            result = self._work(self.cancel)
        except BaseException as error:
            self._ended.emit(None, error)
        else:
            self._ended.emit(result, None)

    def _on_ended(self, result: object, error: object) -> None:
        self._thread.join()
        if error is not None:
            self.failed.emit(error)
        else:
            self.done.emit(result)
