"""Small facts and judgements: chips, status words, icons. One painter for widgets and delegates."""

from typing import Literal, NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt import tokens
from app.qt.icons import draw_icon
from app.qt.look import look
from app.qt.parts.card import card_of
from app.qt.parts.words import text_width

Tone = Literal["accent", "good", "warn", "bad", "neutral"]


class ChipLook(NamedTuple):
    text: str
    tone: Tone
    icon: str = ""


def chip_size(chip: ChipLook) -> QSize:
    px = look().px
    width = text_width(chip.text, "caption") + 2 * px(9) + (px(14) + px(5) if chip.icon else 0)
    return QSize(width, max(px(tokens.CHIP_HEIGHT), look().line_height("caption") + 6))


def paint_chip(painter: QPainter, chip: ChipLook, x: float, y: float, *, on_chosen: bool = False) -> None:
    """Paints the chip with its left top at x, y; on a chosen card its ground is the card's."""
    px = look().px
    size = chip_size(chip)
    box = QRectF(x, y, size.width(), size.height())
    of = look().colour
    ground = "card" if on_chosen else "neutral_tint" if chip.tone == "neutral" else f"{chip.tone}_tint"
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen if look().colours.stroke == 1 else of("line"))
    painter.setBrush(of(ground))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    ink = of("text_2" if chip.tone == "neutral" else chip.tone)
    left = x + px(9)
    if chip.icon:
        side = px(14)
        draw_icon(painter, chip.icon, ink, QRectF(left, round(box.center().y() - side / 2), side, side))
        left += side + px(5)
    painter.setFont(look().font("caption"))
    painter.setPen(ink)
    painter.drawText(QRectF(left, y, size.width(), size.height()), int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), chip.text)


class Chip(QWidget):
    """A fact about the thing beside it, never a button."""

    def __init__(self, text: str, tone: Tone = "neutral", icon: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chip = ChipLook(text, tone, icon)
        self.setAccessibleName(text)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        return self.chip.text

    def sizeHint(self) -> QSize:
        return chip_size(self.chip)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def is_cut(self) -> bool:
        return self.width() + 1 < self.sizeHint().width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        card = card_of(self)
        paint_chip(QPainter(self), self.chip, 0, 0, on_chosen=card is not None and card.is_chosen)


class StatusLook(NamedTuple):
    icon: str
    tone: str
    word: str


def status_width(status: StatusLook) -> int:
    return look().px(16) + look().px(6) + text_width(status.word, "caption-strong")


class Status(QWidget):
    """Icon, then word, then colour."""

    def __init__(self, status: StatusLook, *, icon: bool = True, strong: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon
        self._strong = strong
        self.status = status
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_status(status)

    def set_status(self, status: StatusLook) -> None:
        self.status = status
        self.setAccessibleName(status.word)
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        return self.status.word

    def sizeHint(self) -> QSize:
        px = look().px
        word = text_width(self.status.word, "caption-strong" if self._strong else "caption")
        return QSize(word + (px(16) + px(6) if self._icon else 0), max(px(16), look().line_height("caption-strong")))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def is_cut(self) -> bool:
        return self.width() + 1 < self.sizeHint().width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        ink = look().colour(self.status.tone)
        left = 0
        if self._icon:
            side = look().px(16)
            top = round((self.height() - side) / 2)
            if self.status.icon == "looking":
                from app.qt.parts.spinner import paint_spinner

                paint_spinner(painter, QRectF(1, top + 1, side - 2, side - 2))
            else:
                draw_icon(painter, self.status.icon, ink, QRectF(0, top, side, side))
            left = side + look().px(6)
        painter.setFont(look().font("caption-strong" if self._strong else "caption"))
        painter.setPen(ink)
        box = QRectF(left, 0, self.width() - left + 1, self.height())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), self.status.word)


class Icon(QWidget):
    """An icon without a name of its own: the words beside it say what it means."""

    def __init__(self, name: str, tone: str = "text_2", size: int = 20, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.tone = tone
        self._size = size
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_icon(self, name: str, tone: str) -> None:
        self.name, self.tone = name, tone
        self.update()

    def sizeHint(self) -> QSize:
        side = look().px(self._size)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        side = look().px(self._size)
        top = round((self.height() - side) / 2)
        if self.name == "looking":
            from app.qt.parts.spinner import paint_spinner

            paint_spinner(QPainter(self), QRectF(1.5, top + 1.5, side - 3, side - 3))
            return
        draw_icon(QPainter(self), self.name, look().colour(self.tone), QRectF(0, top, side, side))


class Tile(QWidget):
    """An icon on a rounded tint, as on the cards of the first page."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = look().px(40)
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = card_of(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look().colour("card" if card is not None and card.is_chosen else "accent_tint"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        side = look().px(20)
        inset = (self.width() - side) / 2
        draw_icon(painter, self.name, look().colour("accent"), QRectF(inset, inset, side, side))
