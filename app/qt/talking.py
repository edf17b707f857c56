"""A window that speaks: sentences of the catalogue, questions, problems, announcements."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.model.problem import Problem
from app.model.text import Param
from app.qt.dialogs import Question
from app.qt.look import look
from app.qt.speaking import spoken
from app.qt.speech import announce
from app.texts import say


class Talking(QWidget):
    """What the window says, and asks."""

    def say(self, code: str, **params: Param) -> str:
        return say(code, look().language, **params)

    def tell(self, problem: Problem) -> None:
        """One line that says what stopped something."""
        self.announce(spoken(problem.text, look().language), assertive=True)
        Question(self, self.say("ui.cannot"), spoken(problem.text, look().language), yes=self.say("ui.close"), no="", icon="octagon-x", tone="bad").exec()

    def ask(self, title: str, body: str, yes: str, no: str) -> bool:
        """A question with two answers."""
        return bool(Question(self, title, body, yes=yes, no=no, icon="warning").exec())

    def announce(self, text: str, *, assertive: bool = False) -> None:
        announce(self, text, assertive=assertive)

    def copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.announce(self.say("ui.copied"))
