"""Progress: one segment a step, as wide as the step is expected to take; and the thin bar of the current file."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.look import look

State = Literal["running", "paused", "failed", "finished"]
_GAP = 4
_MOTION_MS = 200


class Progress(QWidget):
    """`weights` are relative widths; `done` counts finished segments plus the fraction of the current one.

    The value never runs backwards within a run.
    """

    def __init__(self, weights: Sequence[float], height: int = 8, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height
        self.state: State = "running"
        self._weights = [max(w, 0.0) for w in weights] or [1.0]
        self._shown = 0.0
        self._wanted = 0.0
        self._motion = QVariantAnimation(self)
        self._motion.setDuration(_MOTION_MS)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.valueChanged.connect(self._move)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def value(self) -> float:
        """Finished segments plus the fraction of the current one."""
        return self._wanted

    def set_weights(self, weights: Sequence[float]) -> None:
        self._weights = [max(w, 0.0) for w in weights] or [1.0]
        self._shown = self._wanted = 0.0
        self.update()

    def set_value(self, value: float, *, at_once: bool = False) -> None:
        value = min(max(value, self._wanted), len(self._weights))
        self._wanted = value
        if at_once or look().reduced_motion or not self.isVisible():
            self._motion.stop()
            self._move(value)
            return
        self._motion.stop()
        self._motion.setStartValue(self._shown)
        self._motion.setEndValue(float(value))
        self._motion.start()

    def set_state(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self._height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        of = look().colour
        track = of("line")
        current = min(int(self._shown), len(self._weights) - 1)
        tone = {"running": "accent", "paused": "series_2", "failed": "series_2", "finished": "good"}[self.state]
        for number, (left, width) in enumerate(self._segments()):
            filled = min(max(self._shown - number, 0.0), 1.0)
            path = QPainterPath()
            radius = min(self._height, width) / 2
            path.addRoundedRect(QRectF(left, 0, width, self._height), radius, radius)
            if look().colours.stroke > 1:
                # One colour for all lines: what is still to come is told apart by being hollow.
                painter.strokePath(path, QPen(track, 1))
            else:
                painter.fillPath(path, track)
            if filled <= 0 and not (self.state == "failed" and number == current):
                continue
            painter.save()
            painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
            failed = self.state == "failed" and number == current
            share = max(filled, 0.4) if failed else filled
            painter.fillRect(QRectF(left, 0, width * share, self._height), of("bad" if failed else tone))
            painter.restore()

    def _segments(self) -> list[tuple[float, float]]:
        """Left edge and width of every segment. Even the shortest step stays visible."""
        count = len(self._weights)
        room = max(self.width() - _GAP * (count - 1), count)
        total = sum(self._weights) or 1.0
        least = min(12.0, room / count)
        widths = [max(room * w / total, least) for w in self._weights]
        surplus = sum(widths) - room
        roomy = sum(w - least for w in widths) or 1.0
        widths = [w - surplus * (w - least) / roomy for w in widths]
        segments, left = [], 0.0
        for width in widths:
            segments.append((left, width))
            left += width + _GAP
        return segments

    def _move(self, value: float) -> None:
        self._shown = float(value)
        self.update()


def overall_fraction(weights: Sequence[float], finished: int, fraction: float) -> float:
    """Share of the whole in 0..1 by weight."""
    total = sum(weights)
    if not total:
        return 0.0
    done = sum(weights[:finished]) + (weights[finished] * min(max(fraction, 0.0), 1.0) if finished < len(weights) else 0.0)
    return min(done / total, 1.0)
