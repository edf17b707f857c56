"""A part that the keyboard stops at although it does nothing: a table or a list that a screen reader reads whole."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.qt import tokens
from app.qt.parts.layout import column


class Stop(QWidget):
    """Wraps a part. Its name says what it is, its description reads it out."""

    def __init__(self, part: QWidget, name: str, description: str) -> None:
        super().__init__()
        self.ring_radius = tokens.RADIUS_CARD
        column(self).addWidget(part)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(name)
        self.setAccessibleDescription(description)
