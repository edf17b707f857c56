"""The window: rail, wizard, footer, banner. Leads from page to page, runs work in threads, asks before it stops any."""

import importlib
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.qt import focus_order, support, tokens
from app.qt.bridge import Batch
from app.qt.dialogs import Question
from app.qt.frame import rail_content
from app.qt.look import look
from app.qt.page import Page
from app.qt.parts.banner import ReplayBanner
from app.qt.parts.focus_ring import FocusRing
from app.qt.parts.footer import Footer
from app.qt.parts.layout import column, row
from app.qt.parts.rail import Rail
from app.qt.speaking import say_date
from app.qt.walk import Walk
from app.qt.working import Working
from app.session import Session
from app.texts import LANGUAGES, Language, say
from wizard_pages import LOCKED_IN_REPLAY, PAGES, SETUP

if TYPE_CHECKING:
    from app.running import RunRecord


SIZE = (960, 680)
SMALLEST = (720, 420)


class Window(Working):
    """The one window of the program."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.flow: tuple[str, ...] = SETUP
        self.is_committed = False
        self.is_preview = False
        """Pages are only looked at: coming to one starts nothing."""
        self._is_moving = False
        self._build()
        self._connect()
        self.setMinimumSize(*self._smallest())
        self.resize(*self._opening_size())
        self.setAcceptDrops(True)
        self.retranslate()

    # --- pages ----------------------------------------------------------------------------------------------------

    @property
    def current(self) -> Page:
        page = self.walk.page_of(self.walk.key)
        assert isinstance(page, Page)
        return page

    def begin(self) -> None:
        """Shows the first page."""
        self._make_page("start")
        self.walk.setStartId(self.walk.id_of("start"))
        self.walk.restart()
        self.walk.hide_rulers()
        self._arrive()

    def go(self, key: str, *, announce_it: bool = True) -> Page:
        """To a page: back to it where it was visited, else on to it."""
        if key != self.walk.key:
            self._make_page(key)
            left = self.current
            self._is_moving = True
            left.leave()
            self.walk.go_to(key)
            self._is_moving = False
            left.empty()
            self._arrive(announce_it=announce_it)
        return self.current

    def forward(self) -> None:
        """To the next page of the flow."""
        flow = self.flow
        place = flow.index(self.current.step)
        if place + 1 < len(flow):
            following = flow[place + 1]
            if self.session.is_replay and following in LOCKED_IN_REPLAY:
                following = "finish"
            self.go(following)

    def back(self) -> None:
        visited = self.walk.visited
        if len(visited) > 1 and not self.is_committed:
            self.go(visited[-2])

    def start_over(self, at: str = "start") -> None:
        """To a page of before, with nothing behind it decided for good."""
        self.is_committed = False
        self.go(at)

    def set_flow(self, flow: tuple[str, ...]) -> None:
        self.flow = flow

    @property
    def can_go_back(self) -> bool:
        return len(self.walk.visited) > 1 and not self.is_committed and not self.is_busy

    def take_batch(self, batch: Batch) -> None:
        page = self.current
        take = getattr(page, "take", None)
        if callable(take):
            take(batch)

    def title_and_sentence(self) -> tuple[str, str]:
        return self.current.accessibleName(), self.current.accessibleDescription()

    def take_interrupted(self, run: "RunRecord | None") -> None:
        take = getattr(self.walk.page_of("start"), "take_interrupted", None)
        if callable(take):
            take(run)

    @property
    def support_code(self) -> str:
        return support.support_code(self.session, self.walk.key)

    # --- language and theme ---------------------------------------------------------------------------------------

    def set_language(self, language: Language) -> None:
        """Everything on the screen in another language, at once."""
        look().set_language(language)
        self.session.language = language
        look().apply()
        self.retranslate()

    def retranslate(self) -> None:
        self.setWindowTitle(self._title())
        self._show_banner()
        if self.walk.key:
            self.current.rebuild()
            self.show_frame()

    def set_theme(self, dark: bool) -> None:
        self.setUpdatesEnabled(False)
        # What is built anew need not be polished first.
        self.current.empty()
        look().fixed_theme = "dark" if dark else "light"
        look().apply()
        self.setUpdatesEnabled(True)

    def set_session(self, session: Session) -> None:
        """Shows another session from its start."""
        self.attach(session)
        session.language = look().language
        self.flow = SETUP
        self.is_committed = False
        self.setWindowTitle(self._title())
        self._show_banner()

    def leave_replay(self) -> None:
        """Back to this PC."""
        home = str(self.session.places.state.parent) if self.session.places.state.parent == self.session.places.data.parent else None
        self.set_session(Session(home, look().language))
        self.go("start")
        self.current.rebuild()

    def show_frame(self) -> None:
        """Rail and footer for what is shown now."""
        if not self.walk.key or self._is_moving:
            return
        page = self.current
        narrow = self.width() < look().px(tokens.NARROW_BELOW_PX)
        low = self.height() < look().px(tokens.LOWEST_BELOW_PX)
        self.rail.show_content(rail_content(self, page), narrow=narrow, height=self.height())
        second = page.secondary()
        self.footer.show_content(
            page.links(),
            second if second is not None else self._back_link(),
            page.primary(),
            page.go_on,
            narrow=narrow,
            low=low,
            margin=max(tokens.MARGIN_NARROW if narrow else tokens.MARGIN, (page.width() - look().px(tokens.CONTENT_WIDTH)) // 2),
        )

    # --- inside ---------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        outer = column(self)
        self._banner_place = column()
        outer.addLayout(self._banner_place)
        self.banner: ReplayBanner | None = None
        line = row()
        outer.addLayout(line, 1)
        self.rail = Rail()
        line.addWidget(self.rail)
        right = column()
        self.walk = Walk(PAGES)
        right.addWidget(self.walk, 1)
        self.footer = Footer()
        right.addWidget(self.footer)
        line.addLayout(right, 1)
        self.ring = FocusRing(self)

    def _connect(self) -> None:
        self.rail.step_clicked.connect(self.go)
        self.rail.copy_clicked.connect(lambda: self.copy(self.support_code))
        self.rail.language_clicked.connect(self._choose_language)
        self.rail.theme_clicked.connect(lambda: self.set_theme(not look().is_dark))
        look().changed.connect(self._on_look_changed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)
        for key, act in (("F1", self._help), ("Ctrl+L", lambda: self._call("toggle_log")), ("F3", lambda: self._call("search_log"))):
            QShortcut(QKeySequence(key), self, act)

    def _call(self, name: str) -> None:
        act = getattr(self.current, name, None)
        if callable(act):
            act()

    def _make_page(self, key: str) -> None:
        if self.walk.page_of(key) is None:
            module = importlib.import_module(f"wizard_pages.{key}")
            self.walk.add(key, module.PAGE(self, key))

    def _arrive(self, *, announce_it: bool = True) -> None:
        page = self.current
        page.is_filled = False
        page.arrive()
        if self.current is not page:
            return
        if not page.is_filled:
            page.rebuild()
        page.scroll_to_top()
        self.show_frame()
        first = page.first_focus() or next(iter(focus_order.stops(page)), None) or self.footer.primary
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)
        if announce_it:
            self.announce(f"{page.accessibleName()}. {page.accessibleDescription()}")

    def _back_link(self) -> Any:
        from app.qt.page import Link

        if len(self.walk.visited) < 2:
            return None
        reason = "" if self.can_go_back else self.say("ui.back-locked")
        return Link("back", self.say("page.back"), "", self.back, self.can_go_back, reason)

    def _title(self) -> str:
        name = self.say("ui.app-name")
        return self.say("ui.title-replay", name=name) if self.session.is_replay else name

    def _show_banner(self) -> None:
        if self.banner is not None:
            self._banner_place.removeWidget(self.banner)
            self.banner.deleteLater()
            self.banner = None
        replay = self.session.replay
        if replay is None:
            return
        date = say_date(replay.saved_at, look().language) if replay.saved_at else ""
        body = self.say("ui.replay-body", date=date) if date else self.say("ui.replay-body-undated")
        self.banner = ReplayBanner(self.say("ui.replay"), body, self.say("ui.leave-replay"))
        self.banner.left.connect(self.leave_replay)
        self._banner_place.addWidget(self.banner)

    def _choose_language(self) -> None:
        menu = QMenu(self)
        for language in LANGUAGES:
            action = menu.addAction(say("ui.language-name", language))
            action.triggered.connect(lambda _=False, to=language: self.set_language(to))
        menu.addSeparator()
        dark = look().is_dark
        # A low window has no button for it.
        menu.addAction(self.say("ui.theme-light" if dark else "ui.theme-dark")).triggered.connect(lambda _=False: self.set_theme(not dark))
        button = self.rail.language_button
        if button is not None:
            menu.popup(button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _help(self) -> None:
        code = self.support_code
        Question(self, self.say("ui.help"), self.say("ui.help-body", signs=code), yes=self.say("ui.close"), no="", icon="phone", tone="accent").exec()

    def _on_scheme_changed(self, _scheme: Qt.ColorScheme) -> None:
        if look().fixed_theme is None:
            look().apply()

    def _on_look_changed(self) -> None:
        for widget in self.findChildren(QWidget):
            widget.update()
        self.update()
        if self.walk.key:
            self.current.rebuild()

    def _opening_size(self) -> tuple[int, int]:
        screen = QGuiApplication.primaryScreen()
        free = screen.availableGeometry() if screen else QRect(0, 0, *SIZE)
        wanted, least = [look().px(length) for length in SIZE], self._smallest()
        return max(min(wanted[0], free.width()), least[0]), max(min(wanted[1], free.height()), least[1])

    def _smallest(self) -> tuple[int, int]:
        """The smallest size that every page fits; never more than the screen has."""
        screen = QGuiApplication.primaryScreen()
        free = screen.availableGeometry() if screen else QRect(0, 0, *SIZE)
        return min(look().px(SMALLEST[0]), max(free.width(), SMALLEST[0])), min(look().px(SMALLEST[1]), max(free.height(), SMALLEST[1]))

    # --- events ---------------------------------------------------------------------------------------------------

    def leave_or_stay(self) -> bool:
        """Whether the window may close now. Asks where work runs, and closes by itself when that has ended."""
        if not self.is_busy:
            return True
        if self._closes_when_done:
            return False
        page = self.current
        changes = page.key == "install"
        yes = self.ask(
            self.say("ui.leave-running" if changes else "ui.leave-reading"),
            self.say("ui.leave-running-body" if changes else "ui.leave-reading-body"),
            self.say("ui.leave-running-yes" if changes else "ui.leave-reading-yes"),
            self.say("ui.leave-no"),
        )
        if yes and self.is_busy:
            self._closes_when_done = True
            self.stop_work()
            return False
        return yes

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.leave_or_stay():
            event.ignore()
            return
        self._unsubscribe()
        look().changed.disconnect(self._on_look_changed)
        QGuiApplication.styleHints().colorSchemeChanged.disconnect(self._on_scheme_changed)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.footer.primary is not None and self.footer.primary.isEnabled():
                self.footer.primary.click()
        elif event.key() == Qt.Key.Key_Escape:
            self._ask_to_leave()
        else:
            super().keyPressEvent(event)

    def _ask_to_leave(self) -> None:
        if self.is_busy or self.ask(self.say("ui.leave"), self.say("ui.leave-body"), self.say("ui.leave-yes"), self.say("ui.leave-no")):
            self.close()

    def focusNextPrevChild(self, forward: bool) -> bool:
        if self._is_moving:
            # QWizard moves the focus when it changes pages; the page itself says where it belongs.
            return False
        self.ring.use_keyboard(True)
        order = focus_order.window_order(self)
        if not order:
            return False
        focus = QApplication.focusWidget()
        place = order.index(focus) if focus in order else (-1 if forward else 0)
        target = order[(place + (1 if forward else -1)) % len(order)]
        target.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        if self.current.isAncestorOf(target):
            self.current.reveal(target)
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.ring.setGeometry(self.rect())
        self.ring.raise_()
        self.show_frame()

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), look().colour("window"))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(event.mimeData().urls()) == 1 and event.mimeData().urls()[0].isLocalFile() and not self.is_busy:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.open_path(event.mimeData().urls()[0].toLocalFile())

    def open_path(self, path: str) -> None:
        """A dropped file opens the right way: a report or facts as a replay, anything else as a log."""
        from app.qt.opening import open_path

        open_path(self, path)
