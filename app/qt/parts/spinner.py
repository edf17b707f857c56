"""The turning ring: one turn a second; a still ring where the system asks for less motion."""

import time
from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.qt.look import look


def paint_spinner(painter: QPainter, box: QRectF) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pen = QPen(look().colour("line"), 2)
    painter.setPen(pen)
    painter.drawEllipse(box)
    pen.setColor(look().colour("accent"))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    angle = 0.0 if look().reduced_motion else time.monotonic() % 1.0 * 360
    painter.drawArc(box, round((90 - angle) * 16), -100 * 16)


def keep_turning(widget: QWidget, is_turning: Callable[[], bool]) -> None:
    """Repaints a small widget while it is visible and shows a spinner."""
    if look().reduced_motion:
        return
    timer = QTimer(widget)
    timer.setInterval(40)
    timer.timeout.connect(lambda: widget.update() if is_turning() and widget.isVisible() else None)
    timer.start()
