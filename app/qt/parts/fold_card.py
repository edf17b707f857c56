"""A card with one line that unfolds to more."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.qt import tokens
from app.qt.icons import draw_icon
from app.qt.look import look
from app.qt.parts.card import Card
from app.qt.parts.check_row import Fold
from app.qt.parts.layout import column
from app.qt.parts.words import elide_end, text_width


class FoldHead(QAbstractButton):
    """The line: a chevron, what it is, and at the right a note."""

    def __init__(self, text: str, note: str, is_open: bool) -> None:
        super().__init__()
        self._note = note
        self.is_open = is_open
        self.ring_radius = tokens.RADIUS_CARD
        self.setText(text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(note)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(look().px(42))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            if self.is_open != (event.key() == Qt.Key.Key_Right):
                self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, px = QPainter(self), look().px
        side = px(16)
        draw_icon(painter, "chevron-down" if self.is_open else "chevron-right", look().colour("text_2"), QRectF(px(14), (self.height() - side) / 2, side, side))
        note = text_width(self._note, "caption")
        painter.setFont(look().font("body"))
        painter.setPen(look().colour("text"))
        room = self.width() - px(38) - note - px(32)
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
        painter.drawText(QRectF(px(38), 0, room, self.height()), flags, elide_end(self.text(), "body", room))
        painter.setFont(look().font("caption"))
        painter.setPen(look().colour("text_2"))
        painter.drawText(QRectF(self.width() - note - px(17), 0, note + 1, self.height()), flags, self._note)


class FoldCard(Card):
    """Signals `toggled` with the new state."""

    toggled = Signal(bool)

    def __init__(self, text: str, note: str, inner: QWidget, *, is_open: bool = False) -> None:
        super().__init__()
        box = column(self, 0, (1, 1, 1, 1))
        self.head = FoldHead(text, note, is_open)
        self.head.setProperty("ring_widget", self)
        self.head.clicked.connect(self._toggle)
        box.addWidget(self.head)
        self._fold = Fold(inner)
        self._fold.set_open(is_open, at_once=True)
        box.addWidget(self._fold)

    def _toggle(self) -> None:
        self.head.is_open = not self.head.is_open
        self.head.update()
        self._fold.set_open(self.head.is_open)
        self.toggled.emit(self.head.is_open)
