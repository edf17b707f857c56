"""A label of plain text with a role, a tone and a real line height. Never markup: texts may come from outside."""

import unicodedata

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.qt.look import Role, look

# A Windows path may be broken behind each backslash, never behind the letter of its drive.
_TOGETHER = "\N{WORD JOINER}"
_APART = "\N{ZERO WIDTH SPACE}"


def elide_middle(text: str, role: Role, width: float) -> str:
    """The text with its middle cut where it is wider than `width` pixels."""
    return QFontMetricsF(look().font(role)).elidedText(text, Qt.TextElideMode.ElideMiddle, width)


def elide_end(text: str, role: Role, width: float) -> str:
    return QFontMetricsF(look().font(role)).elidedText(text, Qt.TextElideMode.ElideRight, width)


def text_width(text: str, role: Role) -> int:
    """Width of one line in whole pixels, rounded up."""
    return int(QFontMetricsF(look().font(role)).horizontalAdvance(text) + 0.999)


class Words(QLabel):
    """Text that wraps at its width, in lines of the role's height.

    `one_line`: does not wrap; it is cut in the middle (paths) or at the end, with the whole text in the tool tip.
    `middle`: stands in the middle where it has more height than it needs.
    """

    def __init__(
        self,
        text: str = "",
        role: Role = "body",
        tone: str = "text",
        *,
        one_line: bool = False,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        middle: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.role: Role = role
        self.tone = tone
        self.one_line = one_line
        self._cut = cut
        self._align = align
        self._middle = middle or one_line
        self._laid: tuple[tuple[str, int, str], list[str], float] | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed if one_line else QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(not one_line)
        self.setSizePolicy(policy)
        self.setText(text)

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self.setAccessibleName(text)
            self.updateGeometry()
            self.update()

    def set_tone(self, tone: str) -> None:
        if tone != self.tone:
            self.tone = tone
            self.update()

    def hasHeightForWidth(self) -> bool:
        return not self.one_line

    def heightForWidth(self, width: int) -> int:
        return max(1, len(self._lines(width))) * look().line_height(self.role)

    def sizeHint(self) -> QSize:
        widest = max((text_width(part, self.role) for part in self.text().split("\n")), default=0)
        return QSize(widest, max(1, self.text().count("\n") + 1) * look().line_height(self.role))

    def minimumSizeHint(self) -> QSize:
        width = 24 if self.one_line else min(self.sizeHint().width(), look().px(96))
        return QSize(width, look().line_height(self.role))

    @property
    def is_cut(self) -> bool:
        """Whether a reader sees less than the text at the current size."""
        if self.one_line:
            return text_width(self.text(), self.role) > self.width() + 1
        return self.heightForWidth(self.width()) > self.height() + 1

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(look().font(self.role))
        painter.setPen(look().colour(self.tone if self.isEnabled() else "disabled"))
        height = look().line_height(self.role)
        lines = self._lines(self.width())
        if self.one_line:
            self.setToolTip(self.text() if lines != [self.text()] else "")
        top = max(0.0, (self.height() - height * len(lines)) / 2) if self._middle else 0.0
        for number, line in enumerate(lines):
            box = QRectF(0, top + number * height, self.width(), height)
            painter.drawText(box, int(self._align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), line)

    def _lines(self, width: int) -> list[str]:
        key = (self.text(), width, self.role + look().language + str(look().text_scale))
        if self._laid is None or self._laid[0] != key:
            if self.one_line:
                metrics = QFontMetricsF(look().font(self.role))
                # Half a pixel of grace: advances are fractions, widths are whole.
                lines = [metrics.elidedText(self.text(), self._cut, width + 0.5)]
            else:
                lines = wrap(self.text(), self.role, width)
            self._laid = (key, lines, 0.0)
        return self._laid[1]


def wrap(text: str, role: Role, width: int) -> list[str]:
    """The lines of a text at a width. A last line of a single Chinese character takes another one down with it."""
    lines: list[str] = []
    for part in text.replace(":\\", f":{_TOGETHER}\\").replace("\\", f"\\{_APART}").split("\n"):
        layout = QTextLayout(part, look().font(role))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        starts: list[tuple[int, int]] = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 8))
            line.setPosition(QPointF(0, 0))
            starts.append((line.textStart(), line.textLength()))
        layout.endLayout()
        # Qt counts UTF-16 units.
        units = part.encode("utf-16-le")
        broken = [units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace") for start, length in starts] or [""]
        lines += _without_widow([line.replace(_TOGETHER, "").replace(_APART, "").rstrip() for line in broken])
    return lines


def _without_widow(lines: list[str]) -> list[str]:
    if len(lines) < 2:
        return lines
    signs = [sign for sign in lines[-1] if not unicodedata.category(sign).startswith("P")]
    before = lines[-2]
    if len(signs) == 1 and _is_chinese(signs[0]) and len(before) > 2 and _is_chinese(before[-1]) and _is_chinese(before[-2]):
        return [*lines[:-2], before[:-1], before[-1] + lines[-1]]
    return lines


def _is_chinese(sign: str) -> bool:
    return "\u4e00" <= sign <= "\u9fff"
