"""Cancelling from another thread."""

import threading
from collections.abc import Callable

from app.model.problem import Cancelled


class Cancel:
    """A token that one thread sets and others ask. Callbacks run once, in the thread that cancels."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raises Cancelled once the token is set."""
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> bool:
        """Sleeps at most `seconds`; true as soon as the token is set."""
        return self._event.wait(seconds)

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Registers a callback, runs it at once if already set, and returns a function that takes it back."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return lambda: self._callbacks.remove(callback) if callback in self._callbacks else None
        callback()
        return lambda: None
