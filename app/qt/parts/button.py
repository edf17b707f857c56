"""Push buttons in five looks: primary (filled), second (outlined), link (accent text), banner (on accent)."""

import re
from typing import Final, Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QWidget

from app.qt import tokens
from app.qt.icons import draw_icon
from app.qt.look import Role, look
from app.qt.parts.words import text_width

Kind = Literal["primary", "second", "link", "banner", "icon"]
_KEY_BEHIND: Final = re.compile(r"\(&\w\)")
_GAP = 8
_GAP_AFTER = 5


def without_mnemonic(text: str) -> str:
    """The text as it is read: "&Back" and "上一步(&B)" without the sign and the letter of the key."""
    return _KEY_BEHIND.sub("", text).replace("&", "")


class Button(QPushButton):
    """A button that paints itself. `small` is the size in rows; `icon_after` stands behind the word."""

    def __init__(
        self,
        text: str = "",
        kind: Kind = "second",
        *,
        icon: str = "",
        icon_after: str = "",
        small: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.kind: Kind = kind
        self.icon_name = icon
        self.icon_after = icon_after
        self.small = small
        self.ring_radius = tokens.RADIUS_BUTTON
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setAccessibleName(without_mnemonic(text))
        self.updateGeometry()

    @property
    def role(self) -> Role:
        if self.kind == "primary":
            return "strong"
        if self.kind == "banner":
            return "caption-strong"
        return "caption" if self.small else "body"

    @property
    def _icon_size(self) -> int:
        return look().px(20 if self.kind == "icon" and not self.small else 16)

    def sizeHint(self) -> QSize:
        if self.kind == "icon":
            side = look().px(tokens.BUTTON_HEIGHT_ROW if self.small else 32)
            return QSize(side, side)
        side = {"primary": 20, "second": 16 if not self.small else 14, "link": 8, "banner": 13}[self.kind]
        width = text_width(self._shown, self.role) + 2 * look().px(side)
        width += self._icon_size + look().px(_GAP) if self.icon_name else 0
        width += self._icon_size + look().px(_GAP_AFTER) if self.icon_after else 0
        height = tokens.BUTTON_HEIGHT_ROW if self.small or self.kind == "banner" else tokens.BUTTON_HEIGHT
        return QSize(width, max(look().px(height), look().line_height(self.role) + 8))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def is_cut(self) -> bool:
        return self.kind != "icon" and self.width() + 1 < self.sizeHint().width()

    @property
    def _shown(self) -> str:
        return without_mnemonic(self.text())

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter presses the button that has the focus, wherever it stands; Qt does so in dialogs only.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        state = option.state
        over = bool(state & QStyle.StateFlag.State_MouseOver) and self.isEnabled()
        pressed = self.isDown()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill, stroke, ink = self._colours(over, pressed)
        width = look().colours.stroke
        box = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.setPen(QPen(stroke, width) if stroke else Qt.PenStyle.NoPen)
        painter.setBrush(fill if fill else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, tokens.RADIUS_BUTTON, tokens.RADIUS_BUTTON)
        self._draw_content(painter, ink)

    def _draw_content(self, painter: QPainter, ink: QColor) -> None:
        side, gap = self._icon_size, look().px(_GAP)
        words = text_width(self._shown, self.role) if self.kind != "icon" else 0
        total = words + (side + (gap if words else 0) if self.icon_name else 0) + (side + look().px(_GAP_AFTER) if self.icon_after else 0)
        x = (self.width() - total) / 2
        middle = self.height() / 2
        if self.icon_name:
            draw_icon(painter, self.icon_name, ink, QRectF(x, round(middle - side / 2), side, side))
            x += side + gap
        if words:
            painter.setFont(look().font(self.role))
            painter.setPen(ink)
            painter.drawText(QRectF(x, 0, words + 1, self.height()), int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), self._shown)
            x += words + look().px(_GAP_AFTER)
        if self.icon_after:
            draw_icon(painter, self.icon_after, ink, QRectF(round(x), round(middle - side / 2), side, side))

    def _colours(self, over: bool, pressed: bool) -> tuple[QColor | None, QColor | None, QColor]:
        of = look().colour
        if not self.isEnabled():
            if self.kind == "primary":
                return of("neutral_tint"), None if look().colours.stroke == 1 else of("disabled"), of("disabled")
            return None, of("line") if self.kind == "second" else None, of("disabled")
        if self.kind == "primary":
            return of("accent_pressed" if pressed else "accent_over" if over else "accent"), None, of("on_accent")
        if self.kind == "banner":
            return of("accent_pressed" if pressed else "accent_over") if over else None, of("on_accent"), of("on_accent")
        if self.kind == "second":
            return of("neutral_tint" if pressed else "sunken" if over else "card"), of("line"), of("text")
        ink = of("text_2") if self.kind == "icon" else of("accent")
        return of("neutral_tint" if self.kind == "icon" else "accent_tint") if over or pressed else None, None, ink
