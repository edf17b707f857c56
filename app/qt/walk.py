"""The wizard itself: QWizard as stack and history of pages. Its own header, buttons and Esc are not used."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget, QWizard, QWizardPage

from app.qt.page import Page


class Walk(QWizard):
    """Pages are named by key; each is made when it is first gone to."""

    def __init__(self, keys: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        # Aero style ignores dark colours, Modern style paints a banner of its own.
        self.setWizardStyle(QWizard.WizardStyle.ClassicStyle)
        self.setOption(QWizard.WizardOption.NoDefaultButton)
        self.setButtonLayout([])
        self._keys = keys
        self._next = ""

    def hide_rulers(self) -> None:
        """The classic style draws a line above the buttons that are not there."""
        pages = self.currentPage().parentWidget()
        holder = pages.parentWidget() if pages is not None else None
        for widget in holder.children() if holder is not None else ():
            if isinstance(widget, QWidget) and widget is not pages:
                widget.setFixedHeight(0)

    def id_of(self, key: str) -> int:
        return self._keys.index(key)

    @property
    def key(self) -> str:
        return self._keys[self.currentId()] if self.currentId() >= 0 else ""

    @property
    def visited(self) -> tuple[str, ...]:
        """Keys from the first page to the current one."""
        return tuple(self._keys[number] for number in self.visitedIds())

    def add(self, key: str, page: Page) -> None:
        if self.page(self.id_of(key)) is None:
            self.setPage(self.id_of(key), page)

    def page_of(self, key: str) -> QWizardPage | None:
        return self.page(self.id_of(key))

    def go_to(self, key: str) -> None:
        """Back to a page of the history, else on to a new one."""
        if key in self.visited:
            while self.key != key:
                self.back()
            return
        self._next = key
        self.next()
        self._next = ""

    def forget_after(self, key: str) -> None:
        """Takes the history back to a page without showing what lies between."""
        while key in self.visited and self.key != key:
            self.back()

    def nextId(self) -> int:
        return self.id_of(self._next) if self._next else -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # A dialog would close on Esc and press a default button on Enter: both are the window's.
        event.ignore()

    def reject(self) -> None:
        """Never by itself: the window asks first."""

    def done(self, _result: int) -> None:
        """Never by itself: the window closes."""
