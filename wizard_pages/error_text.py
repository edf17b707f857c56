"""Error text: paste it, drop a file, or let the wizard find the log of an app."""

from pathlib import Path

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.problem import reason_of
from app.qt.app_logs import app_logs
from app.qt.dialogs import choose_file_to_open
from app.qt.look import look
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.info_bar import InfoBar
from app.qt.parts.words import Words
from app.qt.speaking import say_count
from wizard_pages import CAUSE

MOST_BYTES = 32 << 20
MOST_SHOWN = 200_000
"""Characters shown in the field; the whole file is read for the cause."""


class DropField(QPlainTextEdit):
    """Takes text, and hands dropped files to the window."""

    def __init__(self, page: "ErrorTextPage") -> None:
        super().__init__()
        self._page = page
        self.setObjectName("field")
        self.setAcceptDrops(True)
        self.setTabChangesFocus(True)
        self.setFont(look().font("code"))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if event.mimeData().hasUrls():
            self._page.window_.open_path(event.mimeData().urls()[0].toLocalFile())
            event.acceptProposedAction()
        else:
            super().dropEvent(event)


class ErrorTextPage(Page):
    step = "error_text"

    def __init__(self, window: object, key: str) -> None:
        super().__init__(window, key)  # type: ignore[arg-type]  # Window, named there
        self.source = ""
        """Name of the file the text comes from; empty for pasted text."""
        self._content_bytes: bytes | None = None
        self._text = ""
        self._notice = ""
        self._field: DropField | None = None

    @property
    def content_bytes(self) -> bytes:
        """What is looked at: the whole file, or the text in the field."""
        return self._content_bytes if self._content_bytes is not None else self._text.encode()

    def heading(self) -> Heading:
        return Heading(self.say("page.error-text.title"), self.say("page.error-text.subtitle"))

    def links(self) -> tuple[Link, ...]:
        idle = not self.window_.is_busy
        return (
            Link("open-file", self.say("page.error-text.open"), "folder", self._choose, idle),
            Link("find-log", self.say("page.error-text.find" if idle else "page.error-text.finding"), "search", self._find, idle),
        )

    def primary(self) -> Primary:
        ready = bool(self._text.strip() or self._content_bytes) and not self.window_.is_busy
        return Primary(self.say("page.start.find-cause.primary"), ready, "" if ready else self.say("page.error-text.empty"))

    def go_on(self) -> None:
        self.window_.set_flow(CAUSE)
        self.session.diagnosis = None
        self.window_.go("cause")

    def first_focus(self) -> QWidget | None:
        return self._field

    def fill(self, content: QVBoxLayout) -> None:
        if self._notice:
            content.addWidget(InfoBar("info", "", self._notice))
            content.addSpacing(12)
        name = self.say("page.error-text.from", name=self.source) if self.source else self.say("page.error-text.yours")
        content.addWidget(Words(name, "strong"))
        content.addSpacing(8)
        field = DropField(self)
        field.setPlainText(self._text[:MOST_SHOWN])
        field.setPlaceholderText(self.say("page.error-text.hint"))
        field.setAccessibleName(self.say("page.error-text.yours"))
        field.setMinimumHeight(220)
        field.textChanged.connect(self._on_text)
        self._field = field
        content.addWidget(field, 10)
        content.addSpacing(8)
        content.addWidget(Words(self.say("page.error-text.private"), "caption", "text_2"))

    def read_file(self, path: Path) -> None:
        """Takes a log from disk. What cannot be read is told in one line."""
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                file.seek(max(0, size - MOST_BYTES))
                self._content_bytes = file.read(MOST_BYTES)
        except OSError as error:
            self._notice = self.say("page.error-text.cannot-read", file=path.name, reason=reason_of(error))
            self.rebuild()
            return
        self.source = path.name
        self._text = self._content_bytes[-MOST_SHOWN:].decode("utf-8", "replace")
        lines = self._content_bytes.count(b"\n") + 1
        self._notice = self.say("page.error-text.read", name=path.name, lines=say_count("page.install.line", "page.install.lines", lines, self.language))
        self.rebuild()
        self.window_.announce(self._notice)

    def _on_text(self) -> None:
        if self._field is None:
            return
        self._text = self._field.toPlainText()
        self._content_bytes, self.source = None, ""
        self.window_.show_frame()

    def _choose(self) -> None:
        path = choose_file_to_open(self, self.say("page.error-text.open"), self.say("page.error-text.filter"))
        if path:
            self.window_.open_path(path)

    def _find(self) -> None:
        """Looks for apps on this PC and takes the newest log."""

        def work(cancel: Cancel) -> tuple[Path, ...]:
            facts = self.session.facts or self.session.scan(cancel)
            return app_logs(facts)

        def done(found: tuple[Path, ...]) -> None:
            if found:
                self.read_file(found[0])
            else:
                self._notice = self.say("page.error-text.none-found")
                self.rebuild()
                self.window_.announce(self._notice)

        self.window_.run(work, done, "find logs")


PAGE = ErrorTextPage
