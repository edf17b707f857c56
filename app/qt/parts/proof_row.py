"""A line of a proof: mark, title with its outcome, sentence; unfolds to the numbers behind it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.qt import tokens
from app.qt.parts.check_row import Fold
from app.qt.parts.chip import Icon, Status, StatusLook
from app.qt.parts.layout import beside, column, row, set_shown
from app.qt.parts.spinner import keep_turning
from app.qt.parts.words import Words


class ProofRow(QFrame):
    """Enter, Space and → unfold, ← folds."""

    toggled = Signal(bool)

    def __init__(self, title: str, sentence: str, status: tuple[str, str, str], fold: QWidget | None, *, narrow: bool) -> None:
        super().__init__()
        icon, tone, word = status
        self.ring_radius = tokens.RADIUS_BUTTON
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{title}, {word}")
        self.setAccessibleDescription(sentence)
        box = column(self)
        self._line = QWidget()
        line = row(self._line, 12, (16, 9, 12, 9))
        mark = Icon(icon, tone)
        if icon == "looking":
            keep_turning(mark, lambda: True)
        line.addLayout(beside(mark, 0))
        texts = column(gap=1)
        head = row(gap=8)
        head.addWidget(Words(title, "strong"), 1)
        head.addLayout(beside(Status(StatusLook(icon, tone, word), icon=False)))
        texts.addLayout(head)
        self._chevron = Icon("chevron-down", "text_2", 16, self)
        set_shown(self._chevron, fold is not None)
        if sentence or fold is not None:
            foot = row(gap=8)
            foot.addWidget(Words(sentence, "caption", "text_2"), 1)
            foot.addWidget(self._chevron)
            texts.addLayout(foot)
        line.addLayout(texts, 1)
        box.addWidget(self._line)
        self.is_open = False
        self._fold: Fold | None = None
        if fold is not None:
            holder = QWidget()
            column(holder, 0, (12 if narrow else 48, 0, 12, 12)).addWidget(fold)
            self._fold = Fold(holder)
            self._fold.set_open(False, at_once=True)
            box.addWidget(self._fold)
            self._line.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_open(self, is_open: bool, *, at_once: bool = False) -> None:
        if self._fold is not None and is_open != self.is_open:
            self.is_open = is_open
            self._fold.set_open(is_open, at_once=at_once)
            self._chevron.set_icon("chevron-up" if is_open else "chevron-down", "text_2")
            self.toggled.emit(is_open)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._line.geometry().contains(event.position().toPoint()):
            self.set_open(not self.is_open)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._fold is not None:
            self.set_open(not self.is_open)
        elif key == Qt.Key.Key_Right:
            self.set_open(True)
        elif key == Qt.Key.Key_Left:
            self.set_open(False)
        else:
            super().keyPressEvent(event)
