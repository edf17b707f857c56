"""Bars of a proof: Triton solid, PyTorch hatched, the card's limit as a line. Also readable as a table."""

from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.look import Role, look
from app.qt.parts.words import elide_end, text_width

MOST = 1.03
"""A bar ends here however fast the card is: a measured value may beat a ceiling taken from a data sheet."""


class Bar(NamedTuple):
    """`share` of the full width in 0..1; `value` stands right of the bar."""

    series: int
    share: float
    value: str


class BarGroup(NamedTuple):
    title: str
    bars: tuple[Bar, ...]


class BarChart(QWidget):
    """One stop for the keyboard; a screen reader hears it as a table."""

    def __init__(
        self,
        title: str,
        series: tuple[str, ...],
        limit: str | None,
        groups: tuple[BarGroup, ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.title, self.series, self.limit, self.groups = title, series, limit, groups
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(title)
        self.setAccessibleDescription(self.as_text())
        self.ring_radius = 4
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def as_text(self) -> str:
        """The chart as lines of a table, for copying and for screen readers."""
        return "\n".join(f"{group.title}\t{self.series[bar.series]}\t{bar.value}" for group in self.groups for bar in group.bars)

    def sizeHint(self) -> QSize:
        px = look().px
        height = look().line_height("strong") + px(4) + look().line_height("caption") + px(10)
        height += sum(px(22) + px(18) * len(group.bars) + px(12) for group in self.groups) - px(10)
        return QSize(px(280), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        px, of = look().px, look().colour
        self._write(painter, (0, 0, self.width()), self.title, "strong", "text")
        y = look().line_height("strong") + px(4)
        self._legend(painter, y)
        y += look().line_height("caption") + px(10)
        values = max((text_width(bar.value, "caption") for group in self.groups for bar in group.bars), default=0)
        room = max(self.width() - values - px(14), px(60))
        full = room / MOST if self.limit else room
        for group in self.groups:
            self._write(painter, (0, y, self.width()), group.title, "caption-strong", "text")
            y += px(22)
            top = y
            for bar in group.bars:
                box = QRectF(0, y, room, px(12))
                self._fill(painter, box, of("neutral_tint"))
                self._bar(painter, QRectF(0, y, max(full * min(bar.share, MOST if self.limit else 1.0), 2.0), px(12)), bar.series)
                self._write(painter, (room + px(12), y - px(2), values + 2), bar.value, "caption", "text_2")
                y += px(18)
            if self.limit:
                painter.fillRect(QRectF(full - 1, top - px(4), 2, y - top + px(2)), of("text_2"))
            y += px(12)

    def _legend(self, painter: QPainter, y: int) -> None:
        px, x = look().px, 0.0
        for number, name in enumerate(self.series):
            box = QRectF(x, y + px(3), px(12), px(10))
            if number == 0:
                self._fill(painter, box, look().colour("accent"))
            else:
                self._bar(painter, box, number)
            x += px(18)
            self._write(painter, (x, y, self.width()), name, "caption", "text_2")
            x += text_width(name, "caption") + px(16)
        if self.limit:
            painter.fillRect(QRectF(x, y + px(1), 2, px(14)), look().colour("text_2"))
            self._write(painter, (x + px(8), y, self.width()), self.limit, "caption", "text_2")

    def _bar(self, painter: QPainter, box: QRectF, series: int) -> None:
        if series == 0:
            self._fill(painter, box, look().colour("accent"))
            return
        of = look().colour
        self._fill(painter, box, of("card"))
        path = QPainterPath()
        path.addRoundedRect(box, 3, 3)
        painter.save()
        painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(of("series_2"), 2.4))
        step = 5.0
        x = box.left() - box.height()
        while x < box.right() + box.height():
            painter.drawLine(int(x), int(box.bottom()) + 1, int(x + box.height()) + 1, int(box.top()) - 1)
            x += step
        painter.restore()

    @staticmethod
    def _fill(painter: QPainter, box: QRectF, colour: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(colour))
        painter.drawRoundedRect(box, 3, 3)

    @staticmethod
    def _write(painter: QPainter, place: tuple[float, float, float], text: str, role: Role, tone: str) -> None:
        x, y, width = place
        painter.setFont(look().font(role))
        painter.setPen(look().colour(tone))
        height = look().line_height(role)
        shown = elide_end(text, role, width)
        painter.drawText(QRectF(x, y, width, height), int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), shown)
