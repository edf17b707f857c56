"""Questions of the window: 480 wide, one sentence, one explanation, two buttons that say what they do."""

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QListWidget, QPlainTextEdit, QWidget

from app.host.starting import open_address
from app.qt.look import look
from app.qt.parts.button import Button
from app.qt.parts.chip import Icon
from app.qt.parts.focus_ring import FocusRing
from app.qt.parts.layout import column, row
from app.qt.parts.words import Words, elide_middle


class Question(QDialog):
    """Asks one thing. Esc and the second button mean no."""

    def __init__(self, parent: QWidget, title: str, body: str, *, yes: str, no: str, icon: str = "", tone: str = "warn", caption: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(caption or parent.windowTitle())
        self.setModal(True)
        px = look().px
        self.setFixedWidth(px(480))
        box = column(self, 0, (px(24), px(24), px(24), px(20)))
        head = row(gap=12)
        if icon:
            pillar = column()
            pillar.addWidget(Icon(icon, tone, 20))
            pillar.addStretch()
            head.addLayout(pillar)
        texts = column(gap=6)
        texts.addWidget(Words(title, "strong"))
        if body:
            texts.addWidget(Words(body, "body", "text_2"))
        head.addLayout(texts, 1)
        box.addLayout(head)
        box.addSpacing(px(24))
        buttons = row(gap=8)
        buttons.addStretch()
        self.no_button: Button | None = None
        if no:
            self.no_button = Button(no, "second")
            self.no_button.clicked.connect(self.reject)
            buttons.addWidget(self.no_button)
        self.yes_button = Button(yes, "primary")
        self.yes_button.clicked.connect(self.accept)
        buttons.addWidget(self.yes_button)
        box.addLayout(buttons)
        self.setAccessibleName(title)
        self.setAccessibleDescription(body)
        # What is safe has the focus: Enter never stops work.
        (self.no_button or self.yes_button).setFocus()
        self._ring = FocusRing(self)

    def showEvent(self, event: QShowEvent) -> None:
        # A layout asks for the height of wrapped texts only inside a window that may change its width.
        layout = self.layout()
        if layout is not None:
            self.setFixedHeight(layout.totalHeightForWidth(self.width()))
        super().showEvent(event)
        self._ring.setGeometry(self.rect())
        self._ring.raise_()

    def focusNextPrevChild(self, forward: bool) -> bool:
        self._ring.use_keyboard(True)
        return super().focusNextPrevChild(forward)


class Reading(QDialog):
    """A longer text to read and to copy: commands, a whole log, what a report holds. `addresses` are pages on the web to read more in.

    `wraps`: the lines are sentences, which wrap; those of commands and logs stay as they are.
    """

    def __init__(
        self, parent: QWidget, title: str, explanation: str, text: str, *, close: str, copy: str, addresses: tuple[str, ...] = (), wraps: bool = False
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)
        px = look().px
        self.resize(px(720), px(520))
        box = column(self, 0, (px(24), px(20), px(24), px(20)))
        box.addWidget(Words(title, "number"))
        if explanation:
            box.addSpacing(4)
            box.addWidget(Words(explanation, "body", "text_2"))
        box.addSpacing(px(12))
        field = QPlainTextEdit(text)
        field.setObjectName("field")
        field.setReadOnly(True)
        field.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth if wraps else QPlainTextEdit.LineWrapMode.NoWrap)
        field.setFont(look().font("body" if wraps else "code"))
        field.setTabChangesFocus(True)
        field.setAccessibleName(title)
        self.field = field
        box.addWidget(field, 1)
        box.addSpacing(px(8))
        for address in addresses:
            opener = Button(elide_middle(address.removeprefix("https://"), "body", px(600)), "link", icon="open", small=True)
            opener.setAccessibleName(address)
            opener.setToolTip(address)
            opener.clicked.connect(lambda _checked, url=address: _open(url))
            box.addWidget(opener)
        box.addSpacing(px(8))
        buttons = row(gap=8)
        copier = Button(copy, "link", icon="copy")
        copier.clicked.connect(lambda: QGuiApplication.clipboard().setText("\n".join((text, *addresses))))
        buttons.addWidget(copier)
        buttons.addStretch()
        closer = Button(close, "primary")
        closer.clicked.connect(self.accept)
        buttons.addWidget(closer)
        box.addLayout(buttons)
        closer.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F3:
            self.field.setFocus()
        super().keyPressEvent(event)


def _open(address: str) -> None:
    """In the browser; where there is none the address can still be copied."""
    with contextlib.suppress(OSError):
        open_address(address)


class ReportPreview(QDialog):
    """Every file of a report as it will leave the machine: a list at the left, its text at the right."""

    def __init__(self, parent: QWidget, files: tuple[tuple[str, str], ...], say: Callable[[str], str], hidden: str = "") -> None:
        super().__init__(parent)
        title = say("page.finish.preview-title")
        self.setWindowTitle(title)
        self.setModal(True)
        px = look().px
        self.resize(px(820), px(560))
        box = column(self, 0, (px(24), px(20), px(24), px(20)))
        box.addWidget(Words(title, "number"))
        box.addSpacing(4)
        box.addWidget(Words(say("page.finish.preview-body"), "body", "text_2"))
        if hidden:
            box.addWidget(Words(hidden, "caption", "text_2"))
        box.addSpacing(px(12))
        line = row(gap=12)
        self.names = QListWidget()
        self.names.setFixedWidth(px(200))
        self.names.setAccessibleName(say("page.finish.preview-files"))
        self.text = QPlainTextEdit()
        self.text.setObjectName("field")
        self.text.setReadOnly(True)
        self.text.setFont(look().font("code"))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self._files = files
        self.names.currentRowChanged.connect(self._show)
        for name, _ in files:
            self.names.addItem(name)
            self.names.item(self.names.count() - 1).setSizeHint(QSize(0, px(32)))
        if files:
            self.names.setCurrentRow(0)
        line.addWidget(self.names)
        line.addWidget(self.text, 1)
        box.addLayout(line, 1)
        box.addSpacing(px(16))
        buttons = row(gap=8)
        buttons.addStretch()
        no = Button(say("page.finish.preview-no"), "second")
        no.clicked.connect(self.reject)
        yes = Button(say("page.finish.preview-yes"), "primary")
        yes.clicked.connect(self.accept)
        buttons.addWidget(no)
        buttons.addWidget(yes)
        box.addLayout(buttons)

    def _show(self, number: int) -> None:
        if 0 <= number < len(self._files):
            name, text = self._files[number]
            self.text.setPlainText(text)
            self.text.setAccessibleName(name)


def choose_file_to_open(parent: QWidget, title: str, filter_: str) -> str:
    """The chosen path, empty if none."""
    return QFileDialog.getOpenFileName(parent, title, "", filter_)[0]


def choose_folder(parent: QWidget, title: str) -> str:
    return QFileDialog.getExistingDirectory(parent, title)


def choose_file_to_save(parent: QWidget, title: str, proposed: str, filter_: str) -> str:
    return QFileDialog.getSaveFileName(parent, title, proposed, filter_)[0]
