"""A step of a run: mark, title, what it does now; the thin bar of the current file below the one that runs."""

from PySide6.QtWidgets import QWidget

from app.qt.look import look
from app.qt.parts.chip import Icon
from app.qt.parts.layout import column, row, set_shown
from app.qt.parts.progress import Progress
from app.qt.parts.spinner import keep_turning
from app.qt.parts.words import Words
from app.qt.run_model import StepState

MARKS: dict[StepState, tuple[str, str]] = {
    "waiting": ("waiting", "line_strong"),
    "running": ("looking", "accent"),
    "done": ("check-circle", "good"),
    "skipped": ("minus-circle", "text_2"),
    "failed": ("octagon-x", "bad"),
    "cancelled": ("minus-circle", "text_2"),
}


class StepWidget(QWidget):
    """Kept while the run lasts: only what changed is painted again."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = look().px
        self.setMinimumHeight(px(36))
        box = column(self, 4, (16, 7, 16, 7))
        line = row(gap=12)
        self._mark = Icon("waiting", "line_strong")
        keep_turning(self._mark, lambda: self._state == "running")
        line.addWidget(self._mark)
        self._title = Words(title, "body", "text_2", middle=True)
        line.addWidget(self._title, 1)
        self._note = Words("", "caption", "text_2", one_line=True)
        line.addWidget(self._note)
        box.addLayout(line)
        below = row(margins=(px(32), 0, 0, 2))
        self._bar = Progress([1.0], height=4)
        self._bar.hide()
        below.addWidget(self._bar)
        box.addLayout(below)
        self._state: StepState = "waiting"

    def show_step(self, title: str, state: StepState, note: str, fraction: float | None) -> None:
        """`fraction` of the current file, None where not known: then there is no bar."""
        if state != self._state:
            self._state = state
            self._mark.set_icon(*MARKS[state])
        self._title.role = "strong" if state == "running" else "body"
        self._title.set_tone("text_2" if state == "waiting" else "text")
        self._title.setText(title)
        self._title.update()
        self._note.setText(note)
        self.setAccessibleName(title)
        self.setAccessibleDescription(note)
        shows_bar = state == "running" and fraction is not None
        set_shown(self._bar, shows_bar)
        if fraction is not None:
            if fraction < self._bar.value:
                self._bar.set_weights([1.0])
            self._bar.set_value(fraction)
