"""The start file that a plan wrote for an app, and starting it as a double-click would."""

from dataclasses import dataclass
from pathlib import PureWindowsPath

from app.host.starting import start_in_own_window
from app.model.problem import Problem
from app.model.text import Text
from app.session import Session

STARTERS = (".bat", ".cmd", ".sh")


@dataclass(frozen=True, slots=True)
class Launch:
    """A start file on this machine."""

    path: str

    @property
    def name(self) -> str:
        return PureWindowsPath(self.path).stem

    def start(self) -> None:
        """Starts it in a window of its own; Problem if it is gone or refused."""
        try:
            start_in_own_window(self.path)
        except OSError as error:
            raise Problem(Text("page.finish.cannot-start", {"file": self.path})) from error


def launch_of(session: Session) -> Launch | None:
    """The start file among what the plan's steps wrote; None where the app is started as before."""
    for step in reversed(session.plan.steps if session.plan is not None else ()):
        for value in step.arguments.values():
            if isinstance(value, str) and value.lower().endswith(STARTERS):
                return Launch(value)
    return None
