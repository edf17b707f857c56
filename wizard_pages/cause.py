"""Cause: why does it fail? The one likely cause, its remedy, the lines that show it, and less likely ones below."""

import io

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.diagnosis.logs import advice, text_lines
from app.model.cancel import Cancel
from app.model.findings import Diagnosis, LogFinding
from app.qt.dialogs import Reading
from app.qt.failure import PERHAPS, evidence_of, how_sure
from app.qt.help import save_report
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.button import Button
from app.qt.parts.cause_card import CauseCard
from app.qt.parts.info_bar import InfoBar
from app.qt.parts.log_card import LogCard, link
from app.qt.parts.words import Words
from app.qt.speaking import say_count

MOST_CAUSES = 5
MOST_LINES = 400


class CausePage(Page):
    step = "cause"

    def __init__(self, window: object, key: str) -> None:
        super().__init__(window, key)  # type: ignore[arg-type]  # Window, named there
        self._lines: list[str] = []
        self._source = ""
        self._focus: QWidget | None = None

    def arrive(self) -> None:
        text_page = self.window_.walk.page_of("error_text")
        content: bytes = getattr(text_page, "content_bytes", b"")
        self._source = getattr(text_page, "source", "")
        self._lines = text_lines(content)
        if self.session.diagnosis is None and not self.window_.is_preview:
            self._look(content)

    def _look(self, content: bytes) -> None:
        def work(_cancel: Cancel) -> Diagnosis:
            return self.session.diagnose(io.BytesIO(content))

        def done(_diagnosis: Diagnosis) -> None:
            self.rebuild()
            if self._focus is not None:
                self._focus.setFocus()
            self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}")

        self.window_.run(work, done, "diagnose")

    # --- what is shown --------------------------------------------------------------------------------------------

    @property
    def _causes(self) -> tuple[LogFinding, ...]:
        return self.session.diagnosis.findings[:MOST_CAUSES] if self.session.diagnosis is not None else ()

    @property
    def _has_answer(self) -> bool:
        return bool(self._causes) and self._causes[0].confidence > PERHAPS

    def _is_answer(self, number: int) -> bool:
        """Whether a cause stands by itself: the first one, and others that are sure and proved by lines of their own."""
        cause = self._causes[number]
        above = {line for other in self._causes[:number] for line in other.lines}
        return cause.confidence > PERHAPS and (number == 0 or not above.issuperset(cause.lines))

    def heading(self) -> Heading:
        diagnosis = self.session.diagnosis
        state = "looking"
        if diagnosis is not None:
            sure = sum(self._is_answer(number) for number in range(len(self._causes)))
            state = "no-log" if diagnosis.kind != "log" else "healthy" if diagnosis.healthy else "unknown" if not sure else "one" if sure == 1 else "several"
        return Heading(self.say(f"page.cause.title-{state}"), self.say(f"page.cause.subtitle-{state}"))

    def links(self) -> tuple[Link, ...]:
        idle = not self.window_.is_busy
        return (
            Link("look-again", self.say("page.cause.again"), "refresh", self._again, idle),
            Link("save-report", self.say("page.cause.save-report"), "save", self._report, idle),
        )

    def primary(self) -> Primary:
        if self._has_answer and self._causes[0].remedy.automatic:
            return Primary(self.say("page.cause.fix"), not self.window_.is_busy)
        return Primary(self.say("page.cause.check-pc"), not self.window_.is_busy and self.session.diagnosis is not None)

    def go_on(self) -> None:
        """To a plan: the PC is read first, because a plan is made from facts and shown before anything changes."""
        from wizard_pages import SETUP

        self.window_.set_flow(SETUP)
        self.window_.go("machine")

    def first_focus(self) -> QWidget | None:
        return self._focus

    def fill(self, content: QVBoxLayout) -> None:
        self._focus = None
        diagnosis = self.session.diagnosis
        if diagnosis is None:
            content.addWidget(InfoBar("info", "", self.say("page.cause.looking")))
        elif diagnosis.healthy:
            content.addWidget(InfoBar("good", self.say("page.cause.healthy"), self.say("page.cause.healthy-body")))
        elif diagnosis.kind != "log":
            content.addWidget(InfoBar("info", "", self._advice(diagnosis)))
        elif not self._has_answer:
            content.addWidget(InfoBar("warn", self.say("page.cause.unknown"), self._advice(diagnosis)))
        elif advised := self._advice(diagnosis):
            content.addWidget(InfoBar("info", self.say("page.cause.more-above"), advised))
            content.addSpacing(12)
        for number, cause in enumerate(self._causes):
            if number or (diagnosis is not None and not self._has_answer):
                content.addSpacing(12)
            card = self._card(cause, is_answer=self._is_answer(number))
            self._focus = self._focus or card
            content.addWidget(card)
        content.addSpacing(16)
        content.addWidget(self._text())
        content.addSpacing(8)
        content.addWidget(Words(self.say("page.cause.if-not"), "caption", "text_2"))

    def _advice(self, diagnosis: Diagnosis) -> str:
        """What to send and where to ask; the title has said that the cause is not known."""
        return "\n".join(self.words(text) for text in advice(diagnosis) if text.code != "cause.advice.unknown")

    def _card(self, cause: LogFinding, *, is_answer: bool) -> CauseCard:
        title = self.words(cause.title)
        buttons = []
        if cause.remedy.steps:
            show = Button(self.say("page.failed.show-steps"), "second", small=True)
            show.setAccessibleDescription(title)
            show.clicked.connect(lambda _checked: self._show_steps(title, cause))
            buttons.append(show)
        count = sum(last - first + 1 for first, last in cause.lines)
        if count:
            shown = Button(say_count("page.cause.show-line", "page.cause.show-lines", count, self.language), "link", icon="list", small=True)
            shown.setAccessibleDescription(title)
            shown.clicked.connect(lambda _checked: self._read(title, evidence_of(cause, self._lines).text))
            buttons.append(shown)
        sure = self.say(f"page.cause.sure-{how_sure(cause.confidence)}")
        return CauseCard(
            title if is_answer else self.say("page.cause.less-likely", title=title),
            self.words(cause.explanation),
            sure,
            icon="octagon-x" if is_answer else "help-circle",
            tone="bad" if is_answer else "text_2",
            buttons=tuple(buttons) if is_answer or not self._has_answer else tuple(buttons[:1]),
        )

    def _remedy(self, cause: LogFinding) -> list[str]:
        """The steps with their numbers, and how to see that they helped; the dialog adds where to read more."""
        steps = [f"{number}. {self.words(step)}" for number, step in enumerate(cause.remedy.steps, 1)]
        further = [] if not cause.sources else ["", self.say("page.cause.read-more"), *(cause.sources if self.session.is_replay else ())]
        return [*steps, "", self.words(cause.verify), *further]

    def _sources(self, cause: LogFinding) -> tuple[str, ...]:
        """Pages to open. Those in a stranger's report may lead anywhere: of a replay they are text."""
        return () if self.session.is_replay else cause.sources

    def _text(self) -> LogCard:
        lines = say_count("page.install.line", "page.install.lines", len(self._lines), self.language)
        note = self.say("page.cause.text-note", name=self._source, lines=lines) if self._source else lines
        card = LogCard(self.say("page.cause.text"), note, (link(self.say("page.cause.another"), "folder", self._another),), stamp=0)
        card.text.setPlainText("\n".join(self._lines[-MOST_LINES:]))
        first = len(self._lines) - min(len(self._lines), MOST_LINES)
        if self._has_answer:
            proofs = [line for number, cause in enumerate(self._causes) if self._is_answer(number) for line in cause.lines]
            numbers = {number - 1 - first for begin, end in proofs for number in range(begin, end + 1)}
            card.text.tint_lines({number for number in numbers if number >= 0})
        card.text.fit_to_content(1, 10)
        return card

    # --- acts -----------------------------------------------------------------------------------------------------

    def _show_steps(self, title: str, cause: LogFinding) -> None:
        steps = "\n".join(self._remedy(cause))
        Reading(self.window_, title, "", steps, close=self.say("ui.close"), copy=self.say("ui.copy"), addresses=self._sources(cause), wraps=True).exec()

    def _read(self, title: str, text: str) -> None:
        Reading(self.window_, title, "", text, close=self.say("ui.close"), copy=self.say("ui.copy")).exec()

    def _another(self) -> None:
        self.window_.go("error_text")

    def _again(self) -> None:
        self.session.diagnosis = None
        self._look("\n".join(self._lines).encode())
        self.rebuild()

    def _report(self) -> None:
        """A report needs the facts of this PC; they are read first where nobody did."""
        if self.session.facts is not None:
            save_report(self.window_)
            return
        self.window_.run(self.session.scan, lambda _facts: save_report(self.window_), "scan")


PAGE = CausePage
