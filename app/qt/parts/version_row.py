"""A row of the version table: name, before, an arrow or a lock, after, reason."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.qt.look import look
from app.qt.parts.chip import Icon
from app.qt.parts.layout import row
from app.qt.parts.words import Words

ROW_HEIGHT = 34


class VersionRow(QWidget):
    """Versions are in the code font, words in the body font."""

    def __init__(self, name: str, before: str, after: str, reason: str, *, is_new: bool = False, stays: bool = False, name_width: int = 0) -> None:
        super().__init__()
        px = look().px
        self.setMinimumHeight(px(ROW_HEIGHT))
        line = row(self, 12, (16, 4, 16, 4))
        title = Words(name, "strong", one_line=True)
        title.setFixedWidth(max(px(128), name_width))
        line.addWidget(title)
        was = Words(before, "body" if is_new else "code", "text_2", one_line=True, cut=Qt.TextElideMode.ElideMiddle)
        was.setFixedWidth(px(106))
        line.addWidget(was)
        line.addWidget(Icon("lock" if stays else "arrow-right", "text_2", 14))
        will = Words(after, "body" if stays else "code", "text", one_line=True, cut=Qt.TextElideMode.ElideMiddle)
        line.addWidget(will, 1)
        line.addWidget(Words(reason, "caption", "text_2", one_line=True))
