"""What every page of the wizard is made of: a title that is the answer, content that scrolls, buttons in the footer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QVBoxLayout, QWidget, QWizardPage

from app.model.text import Param, Text
from app.qt import tokens
from app.qt.look import look
from app.qt.parts.chip import Icon
from app.qt.parts.layout import clear, column, row, set_shown
from app.qt.parts.words import Words
from app.qt.speaking import spoken
from app.session import Session
from app.texts import Language, say

if TYPE_CHECKING:
    from app.qt.window import Window

_SCROLL_BAR = 12


@dataclass(frozen=True, slots=True)
class Link:
    """A button at the left of the footer. `key` names it for tests and for keeping the focus."""

    key: str
    text: str
    icon: str
    act: Callable[[], None]
    enabled: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Primary:
    """The one filled button. A disabled one says why."""

    text: str
    enabled: bool = True
    reason: str = ""
    arrow: bool = True


@dataclass(frozen=True, slots=True)
class Heading:
    """`icon` and `tone` only where the title is a verdict."""

    title: str
    subtitle: str
    icon: str = ""
    tone: str = ""


class Page(QWizardPage):
    """A page shows values of the session and collects a choice. It is rebuilt from them whenever they change.

    Subclasses give `heading`, `fill` and, where they differ, `links`, `primary`, `go_on`. `arrive` is called when the
    person comes to the page, `leave` when they go.
    """

    step: ClassVar[str] = ""
    """The step of the rail that the page belongs to."""
    is_alone: ClassVar[bool] = False
    """No way back from here by the Back button."""

    def __init__(self, window: "Window", key: str) -> None:
        super().__init__()
        self.window_ = window
        self.key = key
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._lowest = False
        self._outer = column(self)
        self._head = QWidget()
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.viewport().setAutoFillBackground(False)
        self._area.verticalScrollBar().rangeChanged.connect(lambda *_: self._set_margins())
        self._content = QWidget()
        self._content.setObjectName("content")
        self._content.setAutoFillBackground(False)
        self._column: QVBoxLayout = column(self._content)
        self._area.setWidget(self._content)
        self._outer.addWidget(self._head)
        self._outer.addWidget(self._area, 1)
        self._title = Words("", "title")
        self._subtitle = Words("", "body", "text_2")
        self.is_filled = False

    # --- for subclasses -------------------------------------------------------------------------------------------

    def heading(self) -> Heading:
        """Title and subtitle of now."""
        raise AssertionError("a page has a heading")

    def fill(self, content: QVBoxLayout) -> None:
        """Builds the content from the values of the session."""

    def links(self) -> tuple[Link, ...]:
        return ()

    def primary(self) -> Primary:
        return Primary(self.say("page.continue"))

    def go_on(self) -> None:
        """What the primary button does."""
        self.window_.forward()

    def arrive(self) -> None:
        """The person comes here from another page."""

    def leave(self) -> None:
        """The person goes elsewhere."""

    def keep(self) -> None:
        """Takes out of the content what is to outlive building it anew."""

    def first_focus(self) -> QWidget | None:
        """What takes the focus first; None: the first that can."""
        return None

    def secondary(self) -> Link | None:
        """A button in the place of Back."""
        return None

    # --- shared ---------------------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        return self.window_.session

    @property
    def language(self) -> Language:
        return look().language

    def say(self, code: str, **params: Param) -> str:
        """Words of our own, by code."""
        return say(code, self.language, **params)

    def words(self, text: Text | None) -> str:
        """The words of a Text that came with a value."""
        return spoken(text, self.language) if text is not None else ""

    @property
    def is_current(self) -> bool:
        return self.window_.current is self

    @property
    def content_width(self) -> int:
        """Width that the content has, in logical pixels."""
        return min(self.width() - 2 * self._side_margin, look().px(tokens.CONTENT_WIDTH))

    def rebuild(self) -> None:
        """Shows the values of now; keeps the focus and the place that was scrolled to."""
        focus = self.window_.focusWidget()
        key = focus.objectName() if focus is not None and self._content.isAncestorOf(focus) else ""
        was_inside = focus is not None and self.isAncestorOf(focus)
        place = self._area.verticalScrollBar().value()
        self.setUpdatesEnabled(False)
        try:
            self.keep()
            clear(self._column)
            self._show_heading()
            self.fill(self._column)
            if not any(self._column.stretch(number) for number in range(self._column.count())):
                self._column.addStretch(1)
            self.is_filled = True
        finally:
            self.setUpdatesEnabled(True)
        self._area.verticalScrollBar().setValue(place)
        if was_inside and self.is_current:
            again = (self._content.findChild(QWidget, key) if key else None) or self.first_focus()
            if again is not None:
                again.setFocus(Qt.FocusReason.OtherFocusReason)
        if self.is_current:
            self.window_.show_frame()

    def empty(self) -> None:
        """Lets go of everything that is shown; coming back builds it anew."""
        clear(self._column)
        self.is_filled = False

    def update_heading(self) -> None:
        """Shows a changed title without building anything anew."""
        self._write_heading(self.heading())
        if self.is_current:
            self.window_.show_frame()

    def reveal(self, widget: QWidget) -> None:
        self._area.ensureWidgetVisible(widget, 0, 16)

    def scroll_to_top(self) -> None:
        self._area.verticalScrollBar().setValue(0)

    # --- inside ---------------------------------------------------------------------------------------------------

    @property
    def _side_margin(self) -> int:
        narrow = self.window_.width() < look().px(tokens.NARROW_BELOW_PX)
        margin = tokens.MARGIN_NARROW if narrow else tokens.MARGIN
        return max(margin, (self.width() - look().px(tokens.CONTENT_WIDTH)) // 2)

    def _show_heading(self) -> None:
        heading = self.heading()
        lowest = self.window_.height() < look().px(tokens.LOWEST_BELOW_PX)
        old = self._head.layout()
        if old is not None:
            clear(old)
            QWidget().setLayout(old)
        if self._lowest != lowest:
            self._lowest = lowest
        low = self.window_.height() < look().px(tokens.LOW_BELOW_PX)
        self._title = Words("", "number" if lowest else "title")
        self._title.setObjectName("title")
        self._subtitle = Words("", "body", "text_2")
        line = row(gap=12)
        if heading.icon:
            pillar = column(margins=(0, 2, 0, 0))
            pillar.addWidget(Icon(heading.icon, heading.tone, 28))
            pillar.addStretch()
            line.addLayout(pillar)
        line.addWidget(self._title, 1)
        if lowest:
            self._column.addSpacing(14)
            self._column.addLayout(line)
            self._column.addSpacing(4)
            self._column.addWidget(self._subtitle)
            self._column.addSpacing(16)
            self._head.hide()
        else:
            box = column(self._head, 5)
            box.addLayout(line)
            box.addWidget(self._subtitle)
            box.addSpacing(14 if low else 19)
            self._head.show()
        self._write_heading(heading)
        self._set_margins()

    def _write_heading(self, heading: Heading) -> None:
        self._title.setText(heading.title)
        self._subtitle.setText(heading.subtitle)
        set_shown(self._subtitle, bool(heading.subtitle))
        self.setAccessibleName(heading.title)
        self.setAccessibleDescription(heading.subtitle)

    def _set_margins(self) -> None:
        side = self._side_margin
        low = self.window_.height() < look().px(tokens.LOW_BELOW_PX)
        bar = _SCROLL_BAR if self._area.verticalScrollBar().maximum() > 0 else 0
        self._column.setContentsMargins(side, 0, max(side - bar, 4), 20 if not low else 16)
        head = self._head.layout()
        if head is not None:
            head.setContentsMargins(side, 24, side, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_filled and (self.window_.height() < look().px(tokens.LOWEST_BELOW_PX)) != self._lowest:
            self.rebuild()
        self._set_margins()
