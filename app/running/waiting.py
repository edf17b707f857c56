"""Waiting for an answer that nothing can hurry, and leaving at once where the person cancels."""

import threading
from collections.abc import Callable
from typing import TypeVar

from app.model.cancel import Cancel

T = TypeVar("T")

_LOOK_S = 0.1


def answer_of(ask: Callable[[], T], cancel: Cancel) -> T:
    """What `ask` returns or raises. Cancelled as soon as the token is set: `ask`, which only reads, then ends unheard in its own thread."""
    cancel.check()
    answers: list[T] = []
    failures: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(ask())
        except BaseException as failure:  # whatever it is, it belongs to the one who waits
            failures.append(failure)

    thread = threading.Thread(target=work, name="ask", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_S)
        cancel.check()
    if failures:
        raise failures[0]
    return answers[0]
