"""The footer of the window: links at the left, Back and the one filled button at the right."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.qt import tokens
from app.qt.look import look
from app.qt.parts.button import Button
from app.qt.parts.layout import clear, row

if TYPE_CHECKING:
    from app.qt.page import Link, Primary


class Footer(QWidget):
    """Shows what the page offers; the window says what the buttons do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = row(self, 8)
        self.links: list[Button] = []
        self.back: Button | None = None
        self.primary: Button | None = None
        self._shown: object = None

    def show_content(
        self,
        links: "tuple[Link, ...]",
        second: "Link | None",
        primary: "Primary",
        on_primary: Callable[[], None],
        *,
        narrow: bool,
        low: bool,
        margin: int,
    ) -> None:
        """Builds the buttons anew where anything about them changed."""
        key = (
            tuple((x.key, x.text, x.enabled, x.reason) for x in (*links, *([second] if second else ()))),
            primary,
            narrow,
            low,
            margin,
            look().language,
            look().text_scale,
        )
        if key == self._shown:
            self._acts = {link.key: link.act for link in (*links, *([second] if second else ()))}
            self._acts["primary"] = on_primary
            return
        self._shown = key
        focused = next((b.objectName() for b in (*self.links, self.back, self.primary) if b is not None and b.hasFocus()), "")
        self._acts = {link.key: link.act for link in (*links, *([second] if second else ()))}
        self._acts["primary"] = on_primary
        clear(self._line)
        self.setFixedHeight(look().px(tokens.FOOTER_HEIGHT_LOW if low else tokens.FOOTER_HEIGHT))
        self._line.setContentsMargins(margin - 8, 1, margin, 0)
        self.links = []
        for number, link in enumerate(links):
            button = self._button(link, "link")
            if number:
                self._line.addSpacing(0 if narrow else 12)
            self._line.addWidget(button)
            self.links.append(button)
        self._line.addStretch()
        self.back = self._button(second, "second") if second else None
        if self.back is not None:
            self._line.addWidget(self.back)
        self.primary = Button(primary.text, "primary", icon_after="arrow-right" if primary.arrow else "")
        self.primary.setObjectName("primary")
        self.primary.setEnabled(primary.enabled)
        self.primary.setDefault(True)
        self._explain(self.primary, primary.reason)
        self.primary.clicked.connect(self._on_primary)
        self._line.addWidget(self.primary)
        if focused:
            again = self.findChild(QWidget, focused)
            if again is not None:
                again.setFocus()

    def _button(self, link: "Link", kind: str) -> Button:
        button = Button(link.text, kind, icon=link.icon)  # type: ignore[arg-type]  # two of the kinds
        button.setObjectName(link.key)
        button.setEnabled(link.enabled)
        self._explain(button, link.reason)
        button.clicked.connect(lambda _=False, key=link.key: self._acts[key]())
        return button

    def _on_primary(self) -> None:
        self._acts["primary"]()

    @staticmethod
    def _explain(button: Button, reason: str) -> None:
        button.setToolTip(reason)
        button.setAccessibleDescription(reason)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(0, 0, self.width(), 1, look().colour("line"))
