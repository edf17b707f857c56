"""A number on a small round ground, as in a list of steps."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.look import look


class Numbered(QWidget):
    """The number says the order; the words beside it say the rest."""

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = number
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = look().px(20)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look().colour("neutral_tint"))
        box = QRectF(self.rect())
        painter.drawEllipse(box)
        painter.setFont(look().font("caption-strong"))
        painter.setPen(look().colour("text_2"))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), str(self._number))
