"""A row that unfolds: icon, name, sentence, status, chevron; below it the explanation and the evidence."""

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from app.qt import tokens
from app.qt.look import look
from app.qt.parts.button import Button
from app.qt.parts.card import Card
from app.qt.parts.chip import Icon, Status, StatusLook, status_width
from app.qt.parts.layout import column, row, set_shown
from app.qt.parts.spinner import keep_turning
from app.qt.parts.words import Words

FOLD_MS = 120


class EvidenceText(QPlainTextEdit):
    """Read-only lines in the code font, as high as they are many, up to twelve."""

    MOST_LINES = 12

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.setTabChangesFocus(True)
        self.setFont(look().font("code"))
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(name)
        lines = text.split("\n")
        metrics = QFontMetricsF(self.font())
        height = metrics.lineSpacing() * min(len(lines), self.MOST_LINES) + 4
        widest = max(metrics.horizontalAdvance(line) for line in lines)
        self.setFixedHeight(round(height) + (14 if widest > look().px(430) else 0))


class EvidenceBox(Card):
    """Where an answer comes from, the raw answer, and a button that copies both. `again` is a button beside it."""

    def __init__(
        self,
        source: str,
        lines: tuple[tuple[str, str], ...],
        copy: str,
        on_copy: Callable[[str], None],
        name: str,
        *,
        raw: str = "",
        again: Button | None = None,
    ) -> None:
        super().__init__("log")
        box = column(self, 4, (12, 6, 8, 10))
        head = row(gap=8)
        head.addWidget(Words(source, "caption", "text_2"), 1)
        width = max((len(key) for key, _ in lines), default=0)
        text = "\n".join(f"{key.ljust(width)}   {value}" for key, value in lines) + (f"\n\n{raw}" if raw else "")
        button = Button(copy, "link", icon="copy", small=True)
        button.setAccessibleDescription(name)
        button.clicked.connect(lambda: on_copy(f"{source}\n{text}"))
        if again is not None:
            again.setAccessibleDescription(name)
            head.addWidget(again, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        box.addLayout(head)
        if text:
            box.addWidget(EvidenceText(text, name))


class Fold(QWidget):
    """What a row hides; opens and closes by its height."""

    def __init__(self, inner: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inner = inner
        box = column(self)
        box.addWidget(inner)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._motion = QVariantAnimation(self)
        self._motion.setDuration(FOLD_MS)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.valueChanged.connect(lambda value: self.setMaximumHeight(int(value)))
        self._motion.finished.connect(self._settle)
        self._is_open = False

    def set_open(self, is_open: bool, *, at_once: bool = False) -> None:
        self._is_open = is_open
        self._motion.stop()
        if at_once or look().reduced_motion or not self.window().isVisible():
            self._settle()
            return
        full = self._inner.heightForWidth(self.width()) if self._inner.hasHeightForWidth() else self._inner.sizeHint().height()
        self._motion.setStartValue(0 if is_open else full)
        self._motion.setEndValue(full if is_open else 0)
        self.setMaximumHeight(0 if is_open else full)
        self.show()
        self._motion.start()

    def _settle(self) -> None:
        set_shown(self, self._is_open)
        self.setMaximumHeight(16_777_215)


class CheckRowWidget(QFrame):
    """One row. Enter, Space and → unfold, ← folds; ↑ and ↓ go to the neighbours; Ctrl+C copies the row."""

    toggled = Signal(bool)

    def __init__(
        self,
        icon: str,
        title: str,
        sentence: str,
        status: StatusLook,
        *,
        copy_text: str = "",
        on_copy: Callable[[str], None] | None = None,
        fold: QWidget | None = None,
        is_open: bool = False,
        name_width: int = 148,
        action: Button | None = None,
        hint: str = "",
    ) -> None:
        super().__init__()
        self.copy_text, self._on_copy = copy_text, on_copy
        self.ring_radius = tokens.RADIUS_BUTTON
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{title}, {status.word}")
        self.setAccessibleDescription(f"{sentence} {hint}".strip())
        px = look().px
        box = column(self)
        self._line = QWidget()
        self._line.setMinimumHeight(px(tokens.ROW_HEIGHT))
        line = row(self._line, 12, (16, 4, 12, 4))
        line.addWidget(Icon(icon, "text_2"))
        name = Words(title, "strong", one_line=True)
        name.setFixedWidth(max(px(148), name_width))
        line.addWidget(name)
        self._sentence = Words(sentence, "body", "text_2", middle=True)
        line.addWidget(self._sentence, 1)
        if action is not None:
            line.addWidget(action)
        self._status = Status(status, strong=status.icon != "waiting")
        if status.icon == "looking":
            keep_turning(self._status, lambda: True)
        holder = QWidget()
        holder.setMinimumWidth(max(px(112), status_width(status)))
        inside = row(holder)
        inside.addWidget(self._status)
        inside.addStretch()
        line.addWidget(holder)
        self._chevron = Icon("chevron-down" if not is_open else "chevron-up", "text_2", 16)
        line.addWidget(self._chevron)
        box.addWidget(self._line)
        self._fold: Fold | None = None
        self.is_open = is_open
        if fold is not None:
            self._fold = Fold(fold)
            self._fold.set_open(is_open, at_once=True)
            box.addWidget(self._fold)
            self._line.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            policy = self._chevron.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            self._chevron.setSizePolicy(policy)
            self._chevron.hide()

    def set_open(self, is_open: bool) -> None:
        if self._fold is None or is_open == self.is_open:
            return
        self.is_open = is_open
        self._fold.set_open(is_open)
        self._chevron.set_icon("chevron-up" if is_open else "chevron-down", "text_2")
        self.toggled.emit(is_open)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._line.geometry().contains(event.position().toPoint()):
            self.set_open(not self.is_open)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if event.matches(QKeySequence.StandardKey.Copy) and self._on_copy is not None:
            self._on_copy(self.copy_text)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._fold is not None:
            self.set_open(not self.is_open)
        elif key == Qt.Key.Key_Right:
            self.set_open(True)
        elif key == Qt.Key.Key_Left:
            self.set_open(False)
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._go(1 if key == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def _go(self, by: int) -> None:
        holder = self.parentWidget()
        rows = [child for child in holder.children() if isinstance(child, CheckRowWidget)] if holder else []
        place = rows.index(self) + by
        if 0 <= place < len(rows):
            rows[place].setFocus(Qt.FocusReason.TabFocusReason)


def explanation(text: str, *more: QWidget) -> QWidget:
    """What unfolds below a row, under its name."""
    holder = QWidget()
    box = column(holder, 8, (48, 0, 16, 12))
    if text:
        box.addWidget(Words(text, "body", "text_2"))
    for widget in more:
        box.addWidget(widget)
    return holder
