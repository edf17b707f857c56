"""The start file that a plan wrote for an app, and starting it as a double-click would."""

from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

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
        """Hands the file to the system's own shell; Problem if it is gone or refused."""
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        if not Path(self.path).is_file() or not QDesktopServices.openUrl(QUrl.fromLocalFile(self.path)):
            raise Problem(Text("page.finish.cannot-start", {"file": self.path}))


def launch_of(session: Session) -> Launch | None:
    """The start file among what the plan's steps wrote; None where the app is started as before."""
    for step in reversed(session.plan.steps if session.plan is not None else ()):
        for value in step.arguments.values():
            if isinstance(value, str) and value.lower().endswith(STARTERS):
                return Launch(value)
    return None
