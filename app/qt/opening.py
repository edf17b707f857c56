"""Opens a file the right way: a report or a facts document as a replay, anything else as a log to find the cause in."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.model.problem import Problem
from app.qt.look import look
from app.session import Session
from wizard_pages import CAUSE

if TYPE_CHECKING:
    from app.qt.window import Window


def open_path(window: "Window", path: str) -> None:
    """Shows the file; a Problem is told in one line and nothing changes."""
    file = Path(path)
    if file.suffix.lower() not in {".zip", ".json"}:
        window.set_flow(CAUSE)
        page = window.go("error_text")
        read_file = getattr(page, "read_file", None)
        if callable(read_file):
            read_file(file)
        return
    try:
        session = open_replay(file, window.session)
    except Problem as problem:
        window.tell(problem)
        return
    window.set_session(session)
    window.walk.forget_after("start")
    window.go("machine")


def open_replay(path: Path, like: Session) -> Session:
    """A session that shows another machine, beside the one of this machine."""
    session = type(like).__new__(type(like))
    Session.__init__(session, None, look().language)
    session.places = like.places
    session.open_machine(path)
    session.decide(session.choice)
    return session
