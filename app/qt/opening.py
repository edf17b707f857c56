"""Opens a file the right way: a report or facts as a replay, an answer file as a choice, anything else as a log."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.model.cancel import Cancel
from app.model.problem import Problem
from app.qt.look import look
from app.qt.speaking import spoken
from app.session import Session
from wizard_pages import CAUSE, SETUP

if TYPE_CHECKING:
    from app.qt.window import Window

_PEEK = 1 << 16


def open_path(window: "Window", path: str) -> None:
    """Shows the file; a Problem is told in one line and nothing changes."""
    file = Path(path)
    try:
        if file.suffix.lower() not in {".zip", ".json"}:
            _open_log(window, file)
        elif _is_answer(file):
            _take_answer(window, file)
        else:
            session = open_replay(file, window.session)
            window.set_session(session)
            window.walk.forget_after("start")
            window.go("machine")
    except Problem as problem:
        window.tell(problem)


def open_replay(path: Path, like: Session) -> Session:
    """A session that shows another machine, beside the one of this machine."""
    session = Session(None, look().language)
    session.places = like.places
    session.open_machine(path)
    session.decide(session.choice)
    return session


def _open_log(window: "Window", file: Path) -> None:
    window.set_flow(CAUSE)
    read_file = getattr(window.go("error_text"), "read_file", None)
    if callable(read_file):
        read_file(file)


def _is_answer(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return b'"answers/' in opened.read(_PEEK)
    except OSError:
        return False


def _take_answer(window: "Window", file: Path) -> None:
    """The decisions are shown and confirmed; the plan is made anew here, from the facts of this PC."""
    from app.report.answers import describe_answers, read_answers

    answers = read_answers(file)
    words = "\n".join(spoken(text, look().language) for text in describe_answers(answers))
    if not window.ask(window.say("ui.answer"), words, window.say("ui.answer-yes"), window.say("ui.answer-no")):
        return
    if window.session.is_replay:
        window.leave_replay()
    window.set_flow(SETUP)
    session = window.session

    def work(cancel: Cancel) -> None:
        if session.facts is None:
            session.scan(cancel)
        session.decide(session.fit(answers.choice))

    def done(_result: None) -> None:
        window.go("machine")
        window.go("review")

    window.run(work, done, "answer file")
