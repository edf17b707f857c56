"""Your PC: is it good enough? Rows fill while the machine is read, and unfold to the raw answers."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.events import FactsArrived
from app.model.facts import MachineFacts
from app.model.problem import Problem
from app.qt.bridge import Batch
from app.qt.comparing import compare_with
from app.qt.dialogs import Reading, choose_file_to_open
from app.qt.machine_rows import STATUS_LOOKS, CheckRow, check_rows, probes_of_row, rows_of_probe, rows_to_come, verdict_title
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.button import Button
from app.qt.parts.card import Rows
from app.qt.parts.check_row import CheckRowWidget, EvidenceBox, explanation
from app.qt.parts.chip import StatusLook
from app.qt.parts.layout import row
from app.qt.parts.progress import Progress
from app.qt.parts.words import Words, text_width
from app.qt.replaying import readings_of
from app.qt.system import own_family

MOST_READINGS = 6
MOST_RAW = 1_500
"""Signs of an answer that are shown; the report holds more."""


class MachinePage(Page):
    step = "machine"

    _opened: frozenset[str] | None = None
    """Rows that are unfolded; None: the page decides."""
    _arrived: tuple[FactsArrived, ...] = ()
    _is_stopped = False
    _rereading: str | None = None
    """The row that is read again."""

    # --- values ---------------------------------------------------------------------------------------------------

    @property
    def is_looking(self) -> bool:
        return self.session.facts is None and self.window_.is_busy

    def rows(self) -> tuple[CheckRow, ...]:
        facts = self.session.facts
        if facts is not None:
            rows_now = check_rows(facts, self.session.findings, self.language, readings_of(self.session), self.session.plan)
            reading = self.say("page.machine.reading")
            return tuple(_with(check, "looking", reading) if check.key == self._rereading else check for check in rows_now)
        arrived = {key for event in self._arrived for key in rows_of_probe(event.probe)}
        rows = []
        for check in rows_to_come(own_family(), self.language):
            if check.key in arrived:
                rows.append(_with(check, "read", ""))
            elif self.is_looking:
                rows.append(_with(check, "looking", self.say("page.machine.reading")))
            else:
                rows.append(check)
        return tuple(rows)

    def arrive(self) -> None:
        if self.session.facts is None and not self.window_.is_preview:
            self.look_again()

    def look_again(self) -> None:
        """Reads the machine anew in a thread."""
        if self.window_.is_busy or self.session.is_replay:
            return
        self.session.facts = None
        self._arrived = ()
        self._is_stopped = False

        def work(cancel: Cancel) -> MachineFacts:
            facts = self.session.scan(cancel)
            self.session.decide(self.session.choice)
            return facts

        self.window_.run(work, lambda _: self._on_read(), "scan", self._on_problem)
        self.rebuild()

    def read_again(self, key: str) -> None:
        """Reads one row anew; all others keep what is known."""
        scan = self.session.scan_result
        if self.window_.is_busy or scan is None:
            return
        probes = probes_of_row(scan, key)
        self._rereading = key

        def work(cancel: Cancel) -> MachineFacts:
            facts = self.session.scan(cancel, only=probes)
            self.session.decide(self.session.choice)
            return facts

        def done() -> None:
            self._rereading = None
            self.rebuild()

        def failed(problem: Problem) -> None:
            done()
            self.window_.tell(problem)

        self.window_.run(work, lambda _: done(), "scan", failed)
        self.rebuild()

    def take(self, batch: Batch) -> None:
        news = tuple(event for event in batch.events if isinstance(event, FactsArrived))
        if news and self.is_looking:
            self._arrived += news
            self.rebuild()

    def _on_read(self) -> None:
        self._opened = None
        self.rebuild()
        self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}")

    def _on_problem(self, problem: Problem) -> None:
        self._is_stopped = True
        self.rebuild()
        self.window_.tell(problem)

    # --- what is shown --------------------------------------------------------------------------------------------

    def heading(self) -> Heading:
        rows = self.rows()
        if self.session.facts is None:
            if not self.is_looking:
                return Heading(self.say("page.machine.title-stopped"), self.say("page.machine.subtitle-stopped"))
            done = sum(1 for check in rows if check.judgement == "read")
            return Heading(self.say("page.machine.title-looking"), self.say("page.machine.subtitle-looking", done=done, count=len(rows)))
        return Heading(self._verdict(rows), self._summary(rows))

    def _verdict(self, rows: tuple[CheckRow, ...]) -> str:
        must = [check for check in rows if check.judgement == "must-fix"]
        if must:
            return verdict_title(must[0], self.language)
        if any(check.judgement == "will-fix" for check in rows if check.required):
            return self.say("page.machine.title-will-fix")
        if any(check.judgement == "unknown" for check in rows if check.required):
            return self.say("page.machine.title-unknown")
        return self.say("page.machine.title-ready-replay" if self.session.is_replay else "page.machine.title-ready")

    def _summary(self, rows: tuple[CheckRow, ...]) -> str:
        required = [check for check in rows if check.required and check.judgement != "later"]
        good = sum(1 for check in required if check.judgement in {"good", "better", "better-if-on", "optional"})
        parts = [
            self.say("page.machine.subtitle-all", count=good)
            if good == len(required)
            else self.say("page.machine.subtitle-some", good=good, count=len(required))
        ]
        for judgement, code in (("must-fix", "must"), ("will-fix", "will"), ("unknown", "unknown")):
            if count := sum(1 for check in rows if check.judgement == judgement):
                parts.append(self.say(f"page.machine.subtitle-{code}", count=count))
        if count := sum(1 for check in rows if check.judgement in {"better", "better-if-on"}):
            parts.append(self.say("page.machine.subtitle-wanted-one" if count == 1 else "page.machine.subtitle-wanted", count=count))
        if len(parts) < 3 and not self.session.is_replay:
            parts.append(self.say("page.machine.nothing-changed"))
        return (" " if self.language == "en" else "").join(parts)

    def links(self) -> tuple[Link, ...]:
        if self.is_looking or self._rereading:
            return (Link("stop", self.say("page.machine.stop"), "x", self.window_.stop_work),)
        again = () if self.session.is_replay else (Link("again", self.say("page.machine.again"), "refresh", self.look_again),)
        if self.session.facts is None:
            return again
        compare = (Link("compare", self.say("page.machine.compare"), "compare", self._compare),) if self.session.is_replay else ()
        return (*again, Link("copy-all", self.say("page.machine.copy-all"), "copy", self._copy_all), *compare)

    def primary(self) -> Primary:
        ready = self.session.facts is not None and self._rereading is None
        return Primary(self.say("page.continue"), ready, "" if ready else self.say("page.machine.wait"))

    def fill(self, content: QVBoxLayout) -> None:
        rows = self.rows()
        if self.is_looking:
            done = sum(1 for check in rows if check.judgement == "read")
            bar = Progress([1.0] * len(rows), height=4)
            bar.set_value(done + 0.4, at_once=True)
            content.addWidget(bar)
            content.addSpacing(16)
        opened = self._opened
        if opened is None:
            first = next((check.key for check in rows if check.judgement == "must-fix"), None)
            opened = frozenset({first} if first else ())
        name_width = max([148, *(text_width(check.title, "strong") for check in rows)])
        for required, code in ((True, "required"), (False, "wanted")):
            line = row(gap=8)
            line.addWidget(Words(self.say(f"page.machine.{code}"), "strong", one_line=True))
            line.addWidget(Words(self.say(f"page.machine.{code}-note"), "caption", "text_2", one_line=True), 1)
            content.addLayout(line)
            content.addSpacing(8)
            card = Rows()
            for check in rows:
                if check.required is required:
                    card.add(self._row(check, check.key in opened, name_width))
            content.addWidget(card)
            if required:
                content.addSpacing(16)

    def first_focus(self) -> QWidget | None:
        rows = self.findChildren(CheckRowWidget)
        return next((widget for widget in rows if widget.is_open), rows[0] if rows else None)

    def _row(self, check: CheckRow, is_open: bool, name_width: int) -> CheckRowWidget:
        icon, tone = STATUS_LOOKS[check.judgement]
        fold = None
        if check.judgement not in {"waiting", "looking", "read"}:
            again = self._again_button(check)
            box = EvidenceBox(self._source(check), check.evidence, self.say("ui.copy"), self.window_.copy, check.title, raw=_raw(check), again=again)
            fold = explanation(check.explanation, box)
        widget = CheckRowWidget(
            check.icon,
            check.title,
            check.sentence,
            StatusLook(icon, tone, self.say(f"ui.status.{check.judgement}")),
            copy_text=check.as_text(self.language),
            on_copy=self.window_.copy,
            fold=fold,
            is_open=is_open and fold is not None,
            name_width=name_width,
        )
        widget.setObjectName(f"row-{check.key}")
        widget.toggled.connect(lambda _: self._remember())
        return widget

    def _again_button(self, check: CheckRow) -> Button | None:
        if self.session.is_replay or self.session.scan_result is None:
            return None
        button = Button(self.say("page.machine.again-row"), "link", icon="refresh", small=True)
        button.setObjectName(f"again-{check.key}")
        button.clicked.connect(lambda: self.read_again(check.key))
        button.setEnabled(self._rereading is None)
        return button

    def _source(self, check: CheckRow) -> str:
        if not check.readings:
            return self.say("page.machine.source-report" if self.session.is_replay else "page.machine.source")
        first, more = check.readings[0], len(check.readings) - 1
        if self.session.is_replay:
            # How long it took there, the recording does not tell of every question.
            text = self.say("page.machine.read-there", source=first.source)
        else:
            text = self.say("page.machine.read-from", source=first.source, milliseconds=f"{first.milliseconds:.0f}")
        return text + (self.say("page.machine.read-more", count=more) if more else "")

    def _remember(self) -> None:
        self._opened = frozenset(widget.objectName().removeprefix("row-") for widget in self.findChildren(CheckRowWidget) if widget.is_open)

    def _compare(self) -> None:
        """What differs between another report and this one, the telling differences first."""
        path = choose_file_to_open(self, self.say("page.machine.compare-title"), self.say("page.start.open-report.filter"))
        if not path:
            return
        try:
            lines = compare_with(self.session, path, self.language)
        except Problem as problem:
            self.window_.tell(problem)
            return
        text = "\n".join(lines) or self.say("page.machine.no-difference")
        title, body = self.say("page.machine.compare-title"), self.say("page.machine.compare-body")
        Reading(self.window_, title, body, text, close=self.say("ui.close"), copy=self.say("ui.copy")).exec()

    def _copy_all(self) -> None:
        self.window_.copy("\n".join(check.as_text(self.language) for check in self.rows()))


def _raw(check: CheckRow) -> str:
    """The answers as they came, each under its question."""
    return "\n\n".join(f"[{reading.source}]\n{reading.raw.strip()[:MOST_RAW]}" for reading in check.readings[:MOST_READINGS])


def _with(check: CheckRow, judgement: str, sentence: str) -> CheckRow:
    from dataclasses import replace

    return replace(check, judgement=judgement, sentence=sentence)  # type: ignore[arg-type]  # one of the literals


PAGE = MachinePage
