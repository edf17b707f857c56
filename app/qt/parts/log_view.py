"""The live log: a bounded view of the newest lines that keeps up with any flood. The whole text is the file on disk."""

from typing import Final

from PySide6.QtCore import QRegularExpression, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.qt.look import look

MOST_BLOCKS: Final = 2_000
MOST_A_FLUSH: Final = 120
STAMP_LENGTH: Final = 8


class LogText(QPlainTextEdit):
    """Read-only text in the code font. Follows the end until the person scrolls up."""

    left_end = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, stamp: int = 0) -> None:
        super().__init__(parent)
        self._stamp = stamp
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setMaximumBlockCount(MOST_BLOCKS)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.setTabChangesFocus(True)
        self.setFont(look().font("code"))
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.follows = True
        self.ring_radius = 4
        # One colouring for all the sizes that a change of the page goes through.
        self._toning = QTimer(self, singleShot=True, interval=0)
        self._toning.timeout.connect(self._tone_stamps)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.minimumHeight())

    def add_lines(self, lines: list[str], replaces_last: bool = False) -> None:
        """Appends lines; only the newest MOST_A_FLUSH of them are handed to the view."""
        if replaces_last and self.blockCount():
            self._drop_last()
        for_view = lines[-MOST_A_FLUSH:]
        bar = self.horizontalScrollBar()
        x = bar.value()
        self.appendPlainText("\n".join(for_view))
        bar.setValue(x)
        if self.follows:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        if len(lines) < MOST_A_FLUSH:
            # In a flood nobody reads the times; they get their colour with the next quiet moment.
            self._tone_stamps()

    def _tone_stamps(self) -> None:
        """The times of the lines that can be seen, in the third text colour; a highlighter would be asked for every line of a flood."""
        if not self._stamp:
            return
        form = QTextCharFormat()
        form.setForeground(look().colour("text_3"))
        marks, block, bottom = [], self.firstVisibleBlock(), self.viewport().height()
        while block.isValid() and self.blockBoundingGeometry(block).translated(self.contentOffset()).top() <= bottom:
            mark = QTextEdit.ExtraSelection()
            mark.format = form
            mark.cursor = QTextCursor(block)
            mark.cursor.setPosition(block.position() + min(self._stamp, block.length() - 1), QTextCursor.MoveMode.KeepAnchor)
            marks.append(mark)
            block = block.next()
        self.setExtraSelections(marks)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.follows:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
            self.horizontalScrollBar().setValue(0)
        self._toning.start()

    def to_end(self) -> None:
        self.follows = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self.left_end.emit(False)

    def find_next(self, text: str, *, backwards: bool = False) -> bool:
        """Selects the next place that holds the text, from the top again after the last."""
        pattern = QRegularExpression(QRegularExpression.escape(text), QRegularExpression.PatternOption.CaseInsensitiveOption)
        flags = QTextDocument.FindFlag.FindBackward if backwards else QTextDocument.FindFlag(0)
        if self.find(pattern, flags):
            return True
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End if backwards else QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        return self.find(pattern, flags)

    def tint_lines(self, numbers: set[int]) -> None:
        """Puts the lines (counted from 0 in the view) on the tint of a failure."""
        form = QTextBlockFormat()
        form.setBackground(look().colour("bad_tint"))
        for number in numbers:
            block = self.document().findBlockByNumber(number)
            if block.isValid():
                QTextCursor(block).mergeBlockFormat(form)

    def fit_to_content(self, least: int = 1, most: int = 12) -> None:
        """Fixes the height to the number of lines, between `least` and `most`."""
        lines = min(max(self.blockCount(), least), most)
        bar = self.horizontalScrollBar().sizeHint().height() if self._is_wide() else 0
        self.setFixedHeight(round(QFontMetricsF(self.font()).lineSpacing() * lines) + 4 + bar)

    def _is_wide(self) -> bool:
        metrics = QFontMetricsF(self.font())
        return any(metrics.horizontalAdvance(line) > self.viewport().width() for line in self.toPlainText().split("\n")[:200])

    def _drop_last(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.deletePreviousChar()

    def _on_scrolled(self, value: int) -> None:
        if not self.follows:
            self._tone_stamps()
        at_end = value >= self.verticalScrollBar().maximum()
        # A flush moves the maximum first; only a person scrolls away while following.
        if self.follows and not at_end and self.verticalScrollBar().isVisible() and self.underMouse():
            self.follows = False
            self.left_end.emit(True)
        elif not self.follows and at_end:
            self.follows = True
            self.left_end.emit(False)
