"""For a call with support: the code in large letters, and the picture to photograph."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.qt.look import look
from app.qt.parts.button import Button
from app.qt.parts.card import Card
from app.qt.parts.chip import Icon
from app.qt.parts.layout import column, row
from app.qt.parts.rail import spell
from app.qt.parts.words import Words

Squares = tuple[tuple[bool, ...], ...]
"""Rows of dark (true) and light squares, without the quiet zone."""


class QrPicture(QWidget):
    """The modules of a QR code, dark on white in both themes, with the quiet zone that readers need."""

    QUIET = 4

    def __init__(self, squares: Squares, name: str) -> None:
        super().__init__()
        self._rows = squares
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        # Whole pixels a module: a blurred edge costs a phone its reading.
        count = len(self._rows) + 2 * self.QUIET
        module = 3 if count <= 56 else 2
        return QSize(module * count, module * count)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look().colour("line"), 1))
        painter.setBrush(QColor("#FFFFFF"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        count = len(self._rows) + 2 * self.QUIET
        module = self.width() / count
        for y, line in enumerate(self._rows):
            for x, dark in enumerate(line):
                if dark:
                    box = QRectF((x + self.QUIET) * module, (y + self.QUIET) * module, module, module)
                    painter.fillRect(box, QColor("#111111"))


class SupportCard(Card):
    """Words come from the page."""

    def __init__(self, title: str, body: str, code: str, copy: str, on_copy: Callable[[], None], *, qr: Squares, qr_name: str) -> None:
        super().__init__()
        line = row(self, 16, (16, 14, 16, 14))
        texts = column()
        head = row(gap=12)
        head.addWidget(Icon("phone", "accent"))
        head.addWidget(Words(title, "strong"), 1)
        texts.addLayout(head)
        texts.addSpacing(8)
        texts.addWidget(Words(body, "body", "text_2"))
        texts.addSpacing(12)
        shown = Words(code, "number", one_line=True)
        shown.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        shown.setAccessibleName(spell(code))
        texts.addWidget(shown)
        texts.addSpacing(6)
        button = Button(copy, "link", icon="copy", small=True)
        button.setObjectName("copy-code")
        button.clicked.connect(lambda _checked: on_copy())
        foot = row(margins=(-8, 0, 0, 0))
        foot.addWidget(button)
        foot.addStretch()
        texts.addLayout(foot)
        texts.addStretch(1)
        line.addLayout(texts, 1)
        if qr:
            line.addWidget(QrPicture(qr, qr_name), 0, Qt.AlignmentFlag.AlignVCenter)
