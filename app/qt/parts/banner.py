"""The banner of a replay: over rail and page, on every page."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.qt import tokens
from app.qt.look import look
from app.qt.parts.button import Button
from app.qt.parts.chip import Icon
from app.qt.parts.layout import row
from app.qt.parts.words import Words


class ReplayBanner(QWidget):
    """Says whose PC is shown and that nothing is run, and leads out."""

    left = Signal()

    def __init__(self, title: str, body: str, leave: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumHeight(look().px(tokens.BANNER_HEIGHT))
        line = row(self, 10, (20, 6, 20, 6))
        line.addWidget(Icon("eye", "on_accent"))
        line.addWidget(Words(title, "strong", "on_accent", one_line=True))
        line.addWidget(Words(body, "body", "on_accent", middle=True), 1)
        self.button = Button(leave, "banner")
        self.button.clicked.connect(self.left)
        line.addWidget(self.button)
        self.setAccessibleName(f"{title} {body}")

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), look().colour("accent"))
