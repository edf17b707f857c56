"""Start: three ways in, three promises, and a run that was interrupted."""

from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.events import Outcome, RunFinished
from app.qt.dialogs import choose_file_to_open
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.button import Button
from app.qt.parts.card import ChoiceCard, RadioMark
from app.qt.parts.chip import Icon, Tile
from app.qt.parts.info_bar import InfoBar
from app.qt.parts.layout import column, row
from app.qt.parts.words import Words
from app.qt.speaking import say_date
from app.qt.support import is_loaded
from app.qt.unfinished import interrupted_run
from app.qt.updates import can_look_for_updates, look_for_update
from wizard_pages import CAUSE, SETUP

if TYPE_CHECKING:
    from app.qt.unfinished import RunRecord

Way = Literal["set-up", "find-cause", "open-report"]

WAYS: tuple[tuple[Way, str], ...] = (("set-up", "bolt"), ("find-cause", "search"), ("open-report", "document"))
PROMISES = (("decide", "shield"), ("undo", "undo"), ("private", "lock"))


class StartPage(Page):
    step = "start"

    way: Way = "set-up"
    _notice: tuple[str, str] | None = None
    _interrupted: "RunRecord | None" = None

    def arrive(self) -> None:
        """Looks again where looking costs nothing; the first time, the window does it behind the first painted page."""
        if is_loaded():
            self._interrupted = interrupted_run(self.session)

    def take_interrupted(self, run: "RunRecord | None") -> None:
        self._interrupted = run
        if run is not None and self.is_current:
            self.rebuild()
            self.window_.announce(self.say("page.start.unfinished.title"))

    def heading(self) -> Heading:
        return Heading(self.say("page.start.title"), self.say("page.start.subtitle"))

    def links(self) -> tuple[Link, ...]:
        if not can_look_for_updates():
            return ()
        return (Link("update", self.say("release.link"), "refresh", self._look_for_update, not self.window_.is_busy),)

    def primary(self) -> Primary:
        return Primary(self.say(f"page.start.{self.way}.primary"), enabled=not self.window_.is_busy)

    def fill(self, content: QVBoxLayout) -> None:
        self._add_unfinished(content)
        content.addWidget(Words(self.say("page.start.question"), "strong"))
        content.addSpacing(12)
        self._group = QButtonGroup(self)
        for number, (way, icon) in enumerate(WAYS):
            if number:
                content.addSpacing(12)
            content.addWidget(self._card(way, icon, number))
        content.addSpacing(28)
        content.addWidget(self._promises())

    def first_focus(self) -> QWidget | None:
        return self._group.checkedButton()

    def go_on(self) -> None:
        if self.way == "open-report":
            path = choose_file_to_open(self, self.say("page.start.open-report.choose"), self.say("page.start.open-report.filter"))
            if path:
                self.window_.open_path(path)
            return
        self.window_.set_flow(CAUSE if self.way == "find-cause" else SETUP)
        self.window_.forward()

    def _card(self, way: Way, icon: str, number: int) -> ChoiceCard:
        title, body = self.say(f"page.start.{way}.title"), self.say(f"page.start.{way}.body")
        mark: QRadioButton = RadioMark()
        mark.setObjectName(f"way-{way}")
        self._group.addButton(mark)
        card = ChoiceCard(mark, self.say("page.spoken-choice", name=title, number=number + 1, count=len(WAYS)), body)
        line: QHBoxLayout = row(gap=16)
        card.body.addLayout(line)
        pillar = column()
        pillar.addWidget(mark)
        pillar.addStretch()
        line.addLayout(pillar)
        line.addWidget(Tile(icon))
        texts = column(gap=4)
        texts.addWidget(Words(title, "strong"))
        texts.addWidget(Words(body, "body", "text_2"))
        line.addLayout(texts, 1)
        mark.setChecked(way == self.way)
        card.chosen.connect(lambda on, to=way: self._choose(to) if on else None)
        return card

    def _choose(self, way: Way) -> None:
        self.way = way
        self.window_.show_frame()

    def _promises(self) -> QWidget:
        holder = QWidget()
        line = row(holder, 24)
        for key, icon in PROMISES:
            box = column(gap=2)
            box.addWidget(Icon(icon, "accent"))
            box.addSpacing(6)
            box.addWidget(Words(self.say(f"page.start.promise.{key}"), "strong"))
            box.addWidget(Words(self.say(f"page.start.promise.{key}-body"), "caption", "text_2"))
            box.addStretch()
            line.addLayout(box, 1)
        return holder

    def _look_for_update(self) -> None:
        def tell(news: tuple[str, ...]) -> None:
            self._notice = ("good", " ".join(news) if self.language == "en" else "".join(news))
            self.window_.announce(self._notice[1])
            self.rebuild()

        look_for_update(self.window_, tell)

    # --- a run that was interrupted -------------------------------------------------------------------------------

    def _add_unfinished(self, content: QVBoxLayout) -> None:
        if self._notice is not None:
            severity, text = self._notice
            content.addWidget(InfoBar("good" if severity == "good" else "bad", text))
            content.addSpacing(16)
            return
        run = self._interrupted
        if run is None:
            return
        go_on = Button(self.say("page.start.unfinished.go-on"), "second", small=True)
        go_on.setObjectName("go-on")
        go_on.clicked.connect(lambda: self._resume(run.id))
        put_back = Button(self.say("page.start.unfinished.put-back"), "second", small=True)
        put_back.setObjectName("put-back")
        put_back.clicked.connect(lambda: self._put_back(run.id))
        buttons = (go_on, put_back) if run.state == "unfinished" else (put_back,)
        for button in buttons:
            button.setEnabled(not self.window_.is_busy)
        body = self.say("page.start.unfinished.body", date=say_date(run.started, self.language), place=run.environment or "")
        content.addWidget(InfoBar("info", self.say("page.start.unfinished.title"), body, buttons=buttons))
        content.addSpacing(16)

    def _resume(self, run_id: str) -> None:
        start = getattr(self.window_.go("install"), "start", None)
        if callable(start):
            start(resume=run_id)

    def _put_back(self, run_id: str) -> None:
        def work(cancel: Cancel) -> RunFinished:
            return self.session.put_back(run_id, cancel)

        def done(finished: RunFinished) -> None:
            is_good = finished.outcome is Outcome.DONE or finished.put_back
            self._interrupted = None if is_good else self._interrupted
            self._notice = ("good" if is_good else "bad", self.say(f"page.start.unfinished.put-back-{'done' if is_good else 'failed'}"))
            self.window_.announce(self._notice[1], assertive=not is_good)
            self.rebuild()

        self.window_.run(work, done, "put back")
        self.rebuild()


PAGE = StartPage
