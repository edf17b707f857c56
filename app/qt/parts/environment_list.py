"""The list of environments: a tree whose groups are headings and whose rows are painted as cards."""

from typing import Final

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPainterPath, QPen, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from app.qt import tokens
from app.qt.environment_rows import EnvironmentRow, grouped
from app.qt.look import look
from app.qt.parts.card import Mark
from app.qt.parts.chip import ChipLook, chip_size, paint_chip
from app.qt.parts.words import elide_end, elide_middle, text_width, wrap

ROW_ROLE: Final = Qt.ItemDataRole.UserRole + 1
PLACE_ROLE: Final = Qt.ItemDataRole.UserRole + 2
"""(is first of its group, is last of its group)."""
COUNT_ROLE: Final = Qt.ItemDataRole.UserRole + 3

_HEADING = 32
_LEFT = 48
_RIGHT = 16
_Index = QModelIndex | QPersistentModelIndex


class EnvironmentDelegate(QStyledItemDelegate):
    """Paints headings and cards; heights follow from the fonts and the width."""

    def __init__(self, view: "EnvironmentList", recommended: str) -> None:
        super().__init__(view)
        self._view = view
        self._recommended = recommended

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row = index.data(ROW_ROLE)
        if row is None:
            return QSize(100, look().px(_HEADING) if index.data() else look().px(0))
        return QSize(100, self._height(row, self._view.viewport().width()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRect(0, option.rect.y(), self._view.viewport().width(), option.rect.height())
        row = index.data(ROW_ROLE)
        if row is None:
            self._paint_heading(painter, box, index)
        else:
            over = bool(option.state & QStyle.StateFlag.State_MouseOver)
            self._paint_card(painter, box, index, row, over)
        painter.restore()

    def _paint_heading(self, painter: QPainter, box: QRect, index: _Index) -> None:
        if not index.data():
            return
        of = look().colour
        name, count = str(index.data()), str(index.data(COUNT_ROLE))
        y = box.bottom() - look().line_height("caption") - 6
        height = look().line_height("caption")
        painter.setFont(look().font("caption-strong"))
        painter.setPen(of("text_2"))
        name = elide_end(name, "caption-strong", box.width() * 0.6)
        painter.drawText(QRectF(0, y, box.width(), height), int(Qt.AlignmentFlag.AlignVCenter), name)
        painter.setFont(look().font("caption"))
        painter.drawText(QRectF(text_width(name, "caption-strong") + 8, y, box.width(), height), int(Qt.AlignmentFlag.AlignVCenter), count)

    def _paint_card(self, painter: QPainter, box: QRect, index: _Index, row: EnvironmentRow, over: bool) -> None:
        of, stroke = look().colour, look().colours.stroke
        first, last = index.data(PLACE_ROLE)
        fill = of("sunken" if not row.is_possible or over else "card")
        self._surface(painter, QRectF(box), (first, last), fill)
        if row.is_chosen:
            inner = QRectF(box).adjusted(1, 1, -1, -1)
            painter.setPen(QPen(of("accent"), tokens.LINE_WIDTH_CHOSEN * stroke))
            painter.setBrush(of("accent_tint"))
            painter.drawRoundedRect(inner, tokens.RADIUS_CARD, tokens.RADIUS_CARD)
        self._paint_content(painter, box, row)

    def _surface(self, painter: QPainter, box: QRectF, ends: tuple[bool, bool], fill: QColor) -> None:
        """A slice of a rounded card: only the first row has upper corners, only the last lower ones."""
        first, last = ends
        painter.save()
        painter.setClipRect(box)
        tall = box.adjusted(0.5, 0.5 if first else -20, -0.5, -0.5 if last else 20)
        path = QPainterPath()
        path.addRoundedRect(tall, tokens.RADIUS_CARD, tokens.RADIUS_CARD)
        painter.fillPath(path, fill)
        painter.setPen(QPen(look().colour("line"), look().colours.stroke))
        painter.drawPath(path)
        if not last:
            painter.drawLine(QPointF(box.left(), box.bottom() - 0.5), QPointF(box.right(), box.bottom() - 0.5))
        painter.restore()

    def _paint_content(self, painter: QPainter, box: QRect, row: EnvironmentRow) -> None:
        px, of = look().px, look().colour
        width = box.width()
        y = box.top() + px(12)
        side = px(Mark.SIZE)
        Mark.radio(painter, QRectF(px(17), y, side, side), row.is_chosen, row.is_possible)
        left, line = px(_LEFT), look().line_height("strong")
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
        versions = text_width(row.versions, "caption")
        fits = width >= px(520)
        room = width - left - px(_RIGHT) - (versions + px(12) if fits else 0)
        chip = ChipLook(self._recommended, "accent", "check") if row.is_recommended else None
        name_room = room - (chip_size(chip).width() + px(8) if chip else 0)
        name = elide_end(row.name, "strong", name_room)
        painter.setFont(look().font("strong"))
        painter.setPen(of("text" if row.is_possible else "text_2"))
        painter.drawText(QRectF(left, y, name_room + 1, line), flags, name)
        if chip:
            paint_chip(painter, chip, left + text_width(name, "strong") + px(8), y + (line - chip_size(chip).height()) / 2, on_chosen=row.is_chosen)
        if fits:
            painter.setFont(look().font("caption"))
            painter.setPen(of("text_2"))
            painter.drawText(QRectF(width - px(_RIGHT) - versions, y, versions + 1, line), flags, row.versions)
        y += line + px(3)
        room = width - left - px(_RIGHT)
        if row.path:
            painter.setFont(look().font("code"))
            painter.setPen(of("text_2"))
            painter.drawText(QRectF(left, y, room, look().line_height("code")), flags, elide_middle(row.path, "code", room))
            y += look().line_height("code")
        if not fits and row.versions:
            painter.setFont(look().font("caption"))
            painter.drawText(QRectF(left, y, room, look().line_height("caption")), flags, elide_end(row.versions, "caption", room))
            y += look().line_height("caption")
        if row.sentence:
            y += px(4)
            painter.setFont(look().font("body"))
            painter.setPen(of("text"))
            for text in wrap(row.sentence, "body", room):
                painter.drawText(QRectF(left, y, room, look().line_height("body")), flags, text)
                y += look().line_height("body")
        y += px(8)
        for chip, x, down in self._placed(row.chips, room):
            paint_chip(painter, chip, left + x, y + down, on_chosen=row.is_chosen)

    def _placed(self, chips: tuple[ChipLook, ...], room: int) -> list[tuple[ChipLook, int, int]]:
        """Chips side by side, on another line where they need it."""
        placed, x, y = [], 0, 0
        for chip in chips:
            size = chip_size(chip)
            if x and x + size.width() > room:
                x, y = 0, y + size.height() + look().px(6)
            placed.append((chip, x, y))
            x += size.width() + look().px(8)
        return placed

    def _height(self, row: EnvironmentRow, width: int) -> int:
        px = look().px
        room = width - px(_LEFT) - px(_RIGHT)
        height = px(12) + look().line_height("strong") + px(3) + px(12)
        height += look().line_height("code") if row.path else 0
        height += look().line_height("caption") if width < px(520) and row.versions else 0
        height += px(4) + look().line_height("body") * len(wrap(row.sentence, "body", room)) if row.sentence else 0
        placed = self._placed(row.chips, room)
        if placed:
            height += px(8) + placed[-1][2] + chip_size(placed[-1][0]).height()
        return height


class EnvironmentList(QTreeView):
    """As high as its rows: the page scrolls. Arrows move, letters jump, Space and Enter choose, Ctrl+C copies the path."""

    chosen = Signal(object)
    copied = Signal(str)

    def __init__(self, name: str, recommended: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ring_radius = tokens.RADIUS_CARD
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setExpandsOnDoubleClick(False)
        self.setUniformRowHeights(False)
        self.setMouseTracking(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(EnvironmentDelegate(self, recommended))
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.clicked.connect(self._choose)

    def show_rows(self, rows: tuple[EnvironmentRow, ...], count_words: dict[str, str], spoken: dict[str, str]) -> None:
        """`count_words` by group; `spoken` is the accessible name of each row, by key."""
        self._model.clear()
        current = None
        for name, members in grouped(rows):
            heading = QStandardItem(name)
            heading.setData(count_words.get(name, ""), COUNT_ROLE)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            for number, row in enumerate(members):
                item = QStandardItem(row.name)
                item.setData(row, ROW_ROLE)
                item.setData((number == 0, number + 1 == len(members)), PLACE_ROLE)
                item.setToolTip(row.path)
                item.setData(spoken.get(row.key, row.name), Qt.ItemDataRole.AccessibleTextRole)
                reasons = ". ".join([row.versions, row.sentence, *(chip.text for chip in row.chips)])
                item.setData(reasons, Qt.ItemDataRole.AccessibleDescriptionRole)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                heading.appendRow(item)
                if row.is_chosen or current is None:
                    current = item
            self._model.appendRow(heading)
        self.expandAll()
        if current is not None:
            self.setCurrentIndex(current.index())
        self.fit()

    def fit(self) -> None:
        """The height of all rows."""
        self.doItemsLayout()
        height = 0
        for top in range(self._model.rowCount()):
            index = self._model.index(top, 0)
            height += self.sizeHintForIndex(index).height()
            height += sum(self.sizeHintForIndex(self._model.index(inner, 0, index)).height() for inner in range(self._model.rowCount(index)))
        self.setFixedHeight(height + 2)

    def ring_rect(self) -> QRect:
        """Where the focus ring goes: around the current row."""
        box = self.visualRect(self.currentIndex())
        return QRect(0, box.y(), self.viewport().width(), box.height()).adjusted(2, 2, -2, -2)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]  # QResizeEvent
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            row = self.currentIndex().data(ROW_ROLE)
            if event.key() != Qt.Key.Key_Space and row is not None and row.is_chosen:
                event.ignore()
                return
            self._choose(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Copy):
            row = self.currentIndex().data(ROW_ROLE)
            if row is not None:
                self.copied.emit(row.path)
        else:
            super().keyPressEvent(event)

    def model_of_rows(self) -> QAbstractItemModel:
        return self._model

    def _choose(self, index: _Index) -> None:
        row = index.data(ROW_ROLE)
        if row is not None and row.is_possible and not row.is_chosen:
            self.chosen.emit(row)
