"""The step rail: where the person is, what is done, what comes; support code, language and theme below."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.qt import tokens
from app.qt.icons import app_pixmap, draw_icon
from app.qt.look import look
from app.qt.parts.button import Button
from app.qt.parts.card import paint_surface
from app.qt.parts.layout import clear, column, row, set_shown
from app.qt.parts.words import Words, text_width

StepState = Literal["done", "current", "ahead", "failed", "locked"]


@dataclass(frozen=True, slots=True)
class RailStep:
    """`spoken` is the whole name for a screen reader: "Step 4 of 9, Route, current"."""

    key: str
    number: int
    title: str
    state: StepState
    is_current: bool
    can_click: bool
    spoken: str


@dataclass(frozen=True, slots=True)
class RailContent:
    app_name: str
    version: str
    steps: tuple[RailStep, ...]
    code_label: str
    step_of: str
    code: str
    copy_label: str
    language_name: str
    language_label: str
    theme_label: str


class Rail(QWidget):
    """Tells the window what was clicked; knows no page."""

    step_clicked = Signal(str)
    copy_clicked = Signal()
    language_clicked = Signal()
    theme_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: RailContent | None = None
        self._form: tuple[bool, int, float] = (False, 0, 0.0)
        self.buttons: list[RailButton] = []
        self.support: SupportBox | None = None
        self.language_button: Button | LanguageButton | None = None
        self.theme_button: Button | None = None
        self._column: QVBoxLayout = column(self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def show_content(self, content: RailContent, *, narrow: bool, height: int) -> None:
        """`narrow`: numbers only. `height` of the window decides the height of a row."""
        row_height = (
            40 if height >= look().px(tokens.LOW_BELOW_PX) else 36 if height >= look().px(tokens.LOWEST_BELOW_PX) else 28 if height >= look().px(440) else 27
        )
        lowest = height < look().px(tokens.LOWEST_BELOW_PX)
        form = (narrow, row_height, look().text_scale)
        if content == self._content and form == self._form:
            return
        had_focus = self._focused_key()
        self._content, self._form = content, form
        clear(self._column)
        self.buttons = []
        px = look().px
        self.setFixedWidth(px(tokens.RAIL_WIDTH_NARROW if narrow else tokens.RAIL_WIDTH))
        side = px(8 if narrow else 12)
        self._column.setContentsMargins(side, px(16 if lowest else 24), side, px(12 if lowest else 14))
        if not lowest:
            self._column.addWidget(AppMark(content.app_name, content.version, narrow))
            self._column.addSpacing(px(24 if row_height == 40 else 16))
        for step in content.steps:
            button = RailButton(step, narrow, px(row_height), px(4) if lowest else 0)
            button.clicked.connect(lambda _=False, key=step.key: self.step_clicked.emit(key))
            self.buttons.append(button)
            self._column.addWidget(button)
        self._column.addStretch()
        self.support = SupportBox(content, narrow)
        self.support.copy_clicked.connect(self.copy_clicked)
        self._column.addWidget(self.support)
        self._column.addSpacing(px(4 if lowest else 8))
        self._column.addLayout(self._bottom(content, narrow))
        if had_focus:
            next((b.setFocus() for b in self.buttons if b.step.key == had_focus and b.step.can_click), None)

    def _bottom(self, content: RailContent, narrow: bool) -> QVBoxLayout:
        bottom = column()
        language = LanguageButton(content.language_name, content.language_label, narrow)
        language.clicked.connect(self.language_clicked)
        self.language_button = language
        theme = Button("", "icon", icon="sun" if look().is_dark else "moon", small=True)
        theme.setAccessibleName(content.theme_label)
        theme.setToolTip(content.theme_label)
        theme.clicked.connect(self.theme_clicked)
        self.theme_button = theme
        if narrow:
            bottom.addWidget(language, 0, Qt.AlignmentFlag.AlignHCenter)
            set_shown(theme, self.height() >= look().px(tokens.LOW_BELOW_PX))
            bottom.addWidget(theme, 0, Qt.AlignmentFlag.AlignHCenter)
        else:
            line = row()
            line.addWidget(language)
            line.addStretch()
            line.addWidget(theme)
            line.addSpacing(look().px(4))
            bottom.addLayout(line)
        return bottom

    def _focused_key(self) -> str:
        return next((button.step.key for button in self.buttons if button.hasFocus()), "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), look().colour("rail"))


class AppMark(QWidget):
    """The mark, the name and the version."""

    def __init__(self, name: str, version: str, narrow: bool) -> None:
        super().__init__()
        self._name, self._version, self._narrow = name, version, narrow
        self.setFixedHeight(look().px(36))
        self.setAccessibleName(f"{name} {version}")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, px, of = QPainter(self), look().px, look().colour
        side = px(32)
        x = (self.width() - side) / 2 if self._narrow else px(12)
        painter.drawPixmap(round(x), px(2), app_pixmap(side, self.devicePixelRatioF(), of("accent").name(), of("on_accent").name()))
        if self._narrow:
            return
        painter.setFont(look().font("strong"))
        painter.setPen(of("text"))
        painter.drawText(QRectF(px(56), 0, self.width() - px(56), px(19)), int(Qt.AlignmentFlag.AlignVCenter), self._name)
        painter.setFont(look().font("caption"))
        painter.setPen(of("text_2"))
        painter.drawText(QRectF(px(56), px(19), self.width() - px(56), px(17)), int(Qt.AlignmentFlag.AlignVCenter), self._version)


class RailButton(QToolButton):
    """One step. Only steps that can be gone back to take the focus."""

    def __init__(self, step: RailStep, narrow: bool, height: int, gap: int) -> None:
        super().__init__()
        self.step = step
        self._narrow = narrow
        self.ring_radius = tokens.RADIUS_BUTTON
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setEnabled(step.can_click or step.is_current)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if step.can_click else Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(step.spoken)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        if narrow:
            self.setToolTip(step.spoken)
        if step.can_click:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def text(self) -> str:
        return "" if self._narrow else self.step.title

    @property
    def is_cut(self) -> bool:
        role = "strong" if self.step.is_current else "body"
        return not self._narrow and look().px(45) + text_width(self.step.title, role) > self.width()  # type: ignore[arg-type]

    def sizeHint(self) -> QSize:
        return QSize(look().px(48 if self._narrow else 192), self.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, px, of = QPainter(self), look().px, look().colour
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        step = self.step
        if step.is_current:
            paint_surface(painter, QRectF(self.rect()), of("card"), of("line"), look().colours.stroke, radius=tokens.RADIUS_BUTTON)
        elif step.can_click and self.underMouse():
            paint_surface(painter, QRectF(self.rect()), of("line"), None, 0, radius=tokens.RADIUS_BUTTON)
        side = px(20)
        x = (self.width() - side) / 2 if self._narrow else px(13)
        box = QRectF(round(x), round((self.height() - side) / 2), side, side)
        self._paint_mark(painter, box)
        if self._narrow:
            return
        painter.setFont(look().font("strong" if step.is_current else "body"))
        painter.setPen(of("text" if step.is_current else "text_2" if step.state == "done" else "text_3"))
        painter.drawText(QRectF(px(45), 0, self.width() - px(49), self.height()), int(Qt.AlignmentFlag.AlignVCenter), step.title)

    def _paint_mark(self, painter: QPainter, box: QRectF) -> None:
        of, step = look().colour, self.step
        if step.state == "done":
            draw_icon(painter, "check-circle", of("accent"), box)
        elif step.state == "failed":
            draw_icon(painter, "octagon-x", of("bad"), box)
        elif step.state == "locked":
            draw_icon(painter, "lock", of("text_3"), box)
        else:
            current = step.state == "current"
            painter.setPen(Qt.PenStyle.NoPen if current else QPen(of("line_strong"), 1.4))
            painter.setBrush(of("accent") if current else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(box if current else box.adjusted(0.7, 0.7, -0.7, -0.7))
            painter.setPen(of("on_accent" if current else "text_3"))
            font = look().font("caption-strong")
            painter.setFont(font)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), str(step.number))


class SupportBox(QFrame):
    """Step n of N and the code to read aloud. In a narrow rail a telephone that opens the same."""

    copy_clicked = Signal()

    def __init__(self, content: RailContent, narrow: bool) -> None:
        super().__init__()
        self._narrow = narrow
        self.code = content.code
        px = look().px
        self.setAccessibleName(content.code_label)
        self.setAccessibleDescription(spell(content.code))
        if narrow:
            line = row(self)
            phone = Button("", "icon", icon="phone", small=True)
            phone.setAccessibleName(f"{content.code_label}: {spell(content.code)}")
            phone.setToolTip(f"{content.step_of}\n{content.code_label}: {content.code}")
            phone.clicked.connect(lambda: self._pop_up(phone, content))
            self.copy_button = phone
            line.addStretch()
            line.addWidget(phone)
            line.addStretch()
            return
        box = column(self, 2, (px(13), px(8), px(7), px(6)))
        head = row()
        head.addWidget(Words(content.code_label, "caption", "text_2", one_line=True))
        head.addStretch()
        head.addWidget(Words(content.step_of, "caption", "text_2", one_line=True))
        head.addSpacing(px(6))
        box.addLayout(head)
        line = row()
        code = Words(content.code, "code", "text", one_line=True)
        code.setAccessibleName(spell(content.code))
        line.addWidget(code, 1)
        self.copy_button = Button("", "icon", icon="copy", small=True)
        self.copy_button.setFixedSize(px(24), px(22))
        self.copy_button.setAccessibleName(content.copy_label)
        self.copy_button.setToolTip(content.copy_label)
        self.copy_button.clicked.connect(self.copy_clicked)
        line.addWidget(self.copy_button)
        box.addLayout(line)

    def _pop_up(self, below: QWidget, content: RailContent) -> None:
        menu = QMenu(self)
        menu.addAction(content.step_of).setEnabled(False)
        menu.addAction(f"{content.code_label}: {content.code}").setEnabled(False)
        menu.addAction(content.copy_label).triggered.connect(self.copy_clicked)
        menu.popup(below.mapToGlobal(below.rect().topRight()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._narrow:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(look().colour("line"), look().colours.stroke))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)


class LanguageButton(Button):
    """A globe, the language's own name, a chevron."""

    def __init__(self, name: str, label: str, narrow: bool) -> None:
        super().__init__("" if narrow else name, "icon", icon="globe", small=True)
        self._narrow = narrow
        self.setAccessibleName(f"{label}: {name}")
        self.setToolTip(label)

    def sizeHint(self) -> QSize:
        if self._narrow:
            return super().sizeHint()
        px = look().px
        return QSize(text_width(self.text(), "caption") + px(62), px(28))

    def _draw_content(self, painter: QPainter, ink: object) -> None:
        px, of = look().px, look().colour
        side, small = px(16), px(12)
        if self._narrow:
            draw_icon(painter, "globe", of("text_2"), QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side))
            return
        middle = self.height() / 2
        draw_icon(painter, "globe", of("text_2"), QRectF(px(12), middle - side / 2, side, side))
        painter.setFont(look().font("caption"))
        painter.setPen(of("text_2"))
        painter.drawText(QRectF(px(34), 0, self.width(), self.height()), int(Qt.AlignmentFlag.AlignVCenter), self.text())
        draw_icon(painter, "chevron-down", of("text_2"), QRectF(self.width() - px(18), middle - small / 2, small, small))


def spell(code: str) -> str:
    """A code as it is read aloud: sign by sign, a pause between groups."""
    return ", ".join(" ".join(group) for group in code.split("-"))
