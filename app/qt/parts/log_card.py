"""The card of the live log: title, number of lines, search, copy, and the way back to the newest line."""

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.qt.parts.button import Button
from app.qt.parts.card import Card, Separator
from app.qt.parts.layout import column, row
from app.qt.parts.log_view import STAMP_LENGTH, LogText
from app.qt.parts.words import Words


class LogCard(Card):
    """Words come from the page. `links` stand at the right of the head."""

    def __init__(self, title: str, note: str, links: tuple[Button, ...], parent: QWidget | None = None, *, stamp: int = STAMP_LENGTH) -> None:
        super().__init__("log", parent=parent)
        box = column(self, 0, (1, 1, 1, 1))
        head: QHBoxLayout = row(gap=8, margins=(16, 5, 12, 5))
        head.addWidget(Words(title, "strong", one_line=True))
        self.note = Words(note, "caption", "text_2", one_line=True)
        head.addWidget(self.note, 1)
        for link in links:
            head.addWidget(link)
        box.addLayout(head)
        box.addWidget(Separator())
        self.find_line = QLineEdit()
        self.find_line.hide()
        self.find_line.returnPressed.connect(self._find)
        finder = row(margins=(12, 0, 12, 0))
        finder.addWidget(self.find_line)
        box.addLayout(finder)
        inner = column(margins=(16, 8, 8, 8))
        self.text = LogText(stamp=stamp)
        self.text.setAccessibleName(title)
        inner.addWidget(self.text)
        box.addLayout(inner, 1)

    def _find(self) -> None:
        self.text.find_next(self.find_line.text())

    def open_search(self, hint: str) -> None:
        """Shows the line to search with; a second call finds the next place."""
        if self.find_line.isVisible() and self.find_line.text():
            self.text.find_next(self.find_line.text())
            return
        self.find_line.setPlaceholderText(hint)
        self.find_line.setAccessibleName(hint)
        self.find_line.show()
        self.find_line.setFocus()

    def add_newest_button(self, text: str) -> None:
        """A button that appears when the person has scrolled away from the end."""
        button = Button(text, "second", small=True, parent=self.text)
        button.hide()
        button.clicked.connect(self.text.to_end)

        def place(away: bool) -> None:
            button.adjustSize()
            button.move(self.text.width() - button.width() - 20, self.text.height() - button.height() - 8)
            button.setVisible(away)

        self.text.left_end.connect(place)


def link(text: str, icon: str, act: Callable[[], None]) -> Button:
    """A small link button for the head of a card."""
    button = Button(text, "link", icon=icon, small=True)
    button.clicked.connect(lambda _checked: act())
    return button
