"""Proof: does it work, is it right, is it used, is it fast? Lines fill one by one while it is measured."""

import time
from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.events import ProofArrived
from app.model.problem import Cancelled, Problem
from app.model.proof import Level, Proof, ProofVerdict
from app.model.unknown import known
from app.qt import tokens
from app.qt.app_logs import app_logs
from app.qt.bridge import Batch
from app.qt.dialogs import Reading, choose_file_to_open, choose_file_to_save
from app.qt.look import look
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.action_row import ActionRow
from app.qt.parts.bar_chart import BarChart
from app.qt.parts.button import Button
from app.qt.parts.card import Card, Rows
from app.qt.parts.check_row import EvidenceBox
from app.qt.parts.chip import Icon
from app.qt.parts.info_bar import InfoBar, Severity
from app.qt.parts.layout import column, row
from app.qt.parts.proof_row import ProofRow
from app.qt.parts.words import Words
from app.qt.proof_lines import LOOKS, VERDICT_LOOKS, Line, charts_of, lines_of, lines_so_far, running_again, verdict_words
from app.qt.proving import compared_with, copied, proof_of_file, use_of_log, worse_since
from app.qt.saving import write_proof
from app.qt.speaking import say_count, say_date, say_duration

MEASURE, WATCH = "measure", "watch"
"""What the page's job does; any other is the code of the line that is measured again."""


class ProofPage(Page):
    step = "proof"

    def __init__(self, window: object, key: str) -> None:
        super().__init__(window, key)  # type: ignore[arg-type]  # Window, named there
        self._arrived: tuple[ProofArrived, ...] = ()
        self._doing = ""
        self._problem = ""
        self._took_s: float | None = None
        self._began_at = 0.0
        self._open: frozenset[str] = frozenset()

    # --- measuring ------------------------------------------------------------------------------------------------

    @property
    def is_measuring(self) -> bool:
        return self.session.proof is None and self.window_.is_busy

    def arrive(self) -> None:
        if self.session.proof is None and not self.window_.is_preview and not self.session.is_replay:
            self.measure()

    def measure(self) -> None:
        """Checks the kernels and, where there is a card, how fast they are."""
        if self.window_.is_busy:
            return
        self.session.proof = None
        self._took_s, self._began_at, self._open = None, time.monotonic(), frozenset()
        facts = self.session.facts
        has_card = any(gpu.vendor == "nvidia" for gpu in known(facts.gpus, ())) if facts is not None else False
        level = Level.BENCHMARK if has_card else Level.KERNEL
        self._do(MEASURE, lambda cancel: self.session.prove(level, cancel))

    def measure_again(self, line: Line) -> None:
        """Runs the checks of one line anew; the others stay as they are."""
        proof = self.session.proof
        if proof is not None and not self.window_.is_busy:
            self._do(line.code, lambda cancel: self.session.prove(proof.level, cancel, proof.python, line.checks))

    def watch(self) -> None:
        """Starts the app and counts what its attention runs through, until it is closed."""
        start = self.session.app_start()
        if start is not None and not self.window_.is_busy:
            self._do(WATCH, lambda cancel: self.session.watch_app(start, cancel))

    def _do(self, what: str, work: Callable[[Cancel], Proof]) -> None:
        def unless_stopped(cancel: Cancel) -> Proof | None:
            try:
                return work(cancel)
            except Cancelled:
                return None

        self._doing, self._arrived, self._problem = what, (), ""
        self.window_.run(unless_stopped, self._on_proved, "prove", self._on_problem)
        self.rebuild()

    def take(self, batch: Batch) -> None:
        news = tuple(event for event in batch.events if isinstance(event, ProofArrived))
        if news and self.window_.is_busy:
            self._arrived += news
            self.rebuild()

    def _on_proved(self, proof: Proof | None) -> None:
        if proof is not None and self._doing == MEASURE:
            self._took_s = time.monotonic() - self._began_at
        self._doing = ""
        self.rebuild()
        self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}")

    def _on_problem(self, problem: Problem) -> None:
        self._doing = ""
        if self.session.proof is not None:
            self.window_.tell(problem)
        else:
            self._problem = self.words(problem.text)
            self.window_.announce(self._problem, assertive=True)
        self.rebuild()

    # --- what is shown --------------------------------------------------------------------------------------------

    def heading(self) -> Heading:
        proof = self.session.proof
        if proof is None:
            if self.is_measuring:
                ended = sum(1 for event in self._arrived if event.outcome != "running")
                done = say_count("page.proof.done-one", "page.proof.done", ended, self.language)
                return Heading(self.say("page.proof.title-measuring"), self.say("page.proof.subtitle-measuring", done=done))
            if self._problem:
                return Heading(self.say("page.proof.title-failed"), self._problem, "octagon-x", "bad")
            return Heading(self.say("page.proof.title-waiting"), self.say("page.proof.subtitle-waiting"))
        title, meaning = verdict_words(proof, self.language)
        icon, tone = VERDICT_LOOKS[proof.verdict]
        where = self._where(proof)
        # The first sentence stands in the title's line; more of them, with the next step, stand in a bar of their own.
        first = meaning[0] if len(meaning) == 1 else ""
        return Heading(title, f"{where} {first}".strip() if self.language == "en" else f"{where}{first}", icon, tone)

    def _where(self, proof: Proof) -> str:
        name = str((proof.device or {}).get("name") or "")
        if self._took_s is None:
            return self.say("page.proof.measured-on", card=name) if name else self.say("page.proof.measured")
        took = say_duration(self._took_s, self.language)
        return self.say("page.proof.measured-on-in", card=name, took=took) if name else self.say("page.proof.measured-in", took=took)

    def links(self) -> tuple[Link, ...]:
        if self._doing == WATCH:
            return (Link("stop", self.say("page.proof.stop-app"), "x", self.window_.stop_work),)
        if self._doing or self.is_measuring:
            return (Link("stop", self.say("page.machine.stop"), "x", self.window_.stop_work),)
        links = [] if self.session.is_replay else [Link("again", self.say("page.proof.again"), "refresh", self.measure)]
        if self.session.proof is not None:
            links.append(Link("copy", self.say("ui.copy"), "copy", self._copy))
            links.append(Link("save", self.say("page.proof.save"), "save", self._save))
        return tuple(links)

    def primary(self) -> Primary:
        reason = self.say("page.proof.wait-app" if self._doing == WATCH else "page.proof.wait")
        return Primary(self.say("page.continue"), not self.window_.is_busy, reason if self.window_.is_busy else "")

    def fill(self, content: QVBoxLayout) -> None:
        proof = self.session.proof
        if proof is not None:
            lines = running_again(lines_of(proof, self.language), "used" if self._doing == WATCH else self._doing, self._arrived, self.language)
            self._add_next_step(content, proof)
        else:
            lines = lines_so_far(self._arrived, self.language)
        if not lines:
            text = self.say("page.proof.starting" if self.is_measuring else "page.proof.nothing-yet")
            content.addWidget(InfoBar("info", "", text))
            return
        charts = self._charts(proof) if proof is not None else []
        one_column = not charts or self.window_.width() < look().px(tokens.ONE_COLUMN_BELOW_PX)
        place = column(gap=16) if one_column else row(gap=16)
        left = column()
        left.addWidget(self._lines(lines, narrow=not one_column))
        left.addStretch(1)
        place.addLayout(left, 44)
        if charts:
            right = column(gap=12)
            for chart in charts:
                right.addWidget(chart)
            right.addStretch(1)
            place.addLayout(right, 56)
        content.addLayout(place)
        if proof is not None:
            self._add_use(content)
            self._add_notes(content, proof)

    def _add_next_step(self, content: QVBoxLayout, proof: Proof) -> None:
        _, meaning = verdict_words(proof, self.language)
        if len(meaning) < 2:
            return
        severity: Severity = "warn" if proof.verdict in {ProofVerdict.SLOW, ProofVerdict.WORKS} else "bad"
        content.addWidget(InfoBar(severity, meaning[0], "\n".join(meaning[1:])))
        content.addSpacing(12)

    def _add_use(self, content: QVBoxLayout) -> None:
        """The offer to look whether the app that was set up really uses it."""
        if self.session.is_replay or self.session.app_start() is None:
            return
        body = self.say("page.proof.use-body")
        if self._doing == WATCH:
            calls = next((event.detail for event in reversed(self._arrived) if event.outcome == "running"), "0")
            body = self.say("page.proof.use-running", calls=f"{int(calls or 0):,}")
        watch = Button(self.say("page.proof.use-watch"), "second")
        watch.setObjectName("watch")
        watch.setEnabled(not self.window_.is_busy)
        watch.clicked.connect(lambda _checked: self.watch())
        read = Button(self.say("page.proof.use-read"), "link")
        read.setObjectName("read-log")
        read.setEnabled(not self.window_.is_busy)
        read.clicked.connect(lambda _checked: self._read_log())
        card = Rows()
        card.add(ActionRow("play", self.say("page.proof.use-title"), body, watch, second=read))
        content.addSpacing(12)
        content.addWidget(card)

    def _add_notes(self, content: QVBoxLayout, proof: Proof) -> None:
        earlier = self.session.earlier_proof
        notes = [self.say("page.proof.note")] if proof.benchmarks else []
        if earlier is not None:
            worse, date = worse_since(proof, earlier, self.language), say_date(earlier.measured_at or "", self.language)
            if worse:
                content.addSpacing(12)
                content.addWidget(self._worse(self.say("page.proof.worse-since", date=date), worse))
            else:
                notes.insert(0, self.say("page.proof.not-worse-since", date=date))
        other = Button(self.say("page.proof.compare"), "link", icon="compare", small=True)
        other.setObjectName("compare")
        other.clicked.connect(lambda _checked: self._compare())
        foot = row(gap=12)
        foot.addWidget(Words((" " if self.language == "en" else "").join(notes), "caption", "text_2"), 1)
        foot.addWidget(other)
        content.addSpacing(8)
        content.addLayout(foot)

    @staticmethod
    def _worse(title: str, lines: list[str]) -> Card:
        card = Card()
        card.setObjectName("worse")
        box = row(card, 12, (16, 12, 16, 14))
        pillar, texts = column(), column(gap=2)
        pillar.addWidget(Icon("warning", "warn"))
        pillar.addStretch()
        texts.addWidget(Words(title, "strong"))
        for text in lines:
            texts.addWidget(Words(text, "caption", "text_2"))
        box.addLayout(pillar)
        box.addLayout(texts, 1)
        return card

    def _lines(self, lines: tuple[Line, ...], *, narrow: bool) -> Rows:
        card = Rows()
        for line in lines:
            icon, tone = LOOKS[line.outcome]
            entry = ProofRow(line.title, line.sentence, (icon, tone, self.say(f"ui.status.{line.outcome}")), self._fold(line), narrow=narrow)
            entry.setObjectName(f"line-{line.code}")
            entry.set_open(line.code in self._open, at_once=True)
            entry.toggled.connect(lambda is_open, code=line.code: self._remember(code, is_open))
            card.add(entry)
        return card

    def _remember(self, code: str, is_open: bool) -> None:
        self._open = self._open | {code} if is_open else self._open - {code}

    def _fold(self, line: Line) -> QWidget | None:
        """The numbers behind a line, and its checks once more."""
        if not line.details:
            return None
        holder = QWidget()
        box = column(holder, 4)
        box.addWidget(EvidenceBox(self.say("page.proof.numbers"), line.details, self.say("ui.copy"), self.window_.copy, line.title))
        if self.session.is_replay:
            return holder
        again = Button(self.say("page.proof.line-again"), "link", icon="refresh", small=True)
        again.setObjectName(f"again-{line.code}")
        again.setAccessibleDescription(line.title)
        again.setEnabled(not self.window_.is_busy)
        again.clicked.connect(lambda _checked: self.watch() if line.code == "used" else self.measure_again(line))
        at_left = row()
        at_left.addWidget(again)
        at_left.addStretch()
        box.addLayout(at_left)
        return holder

    def _charts(self, proof: Proof) -> list[QWidget]:
        cards: list[QWidget] = []
        for words in charts_of(proof, self.language):
            card = Card()
            column(card, 0, (16, 12, 16, 14)).addWidget(BarChart(words.title, words.series, words.limit, words.groups))
            cards.append(card)
        return cards

    # --- acts -----------------------------------------------------------------------------------------------------

    def _save(self) -> None:
        path = choose_file_to_save(self, self.say("page.proof.save-title"), "triton-proof.json", "JSON (*.json)")
        if path:
            self._try(lambda: write_proof(self.session, path, self.language))

    def _copy(self) -> None:
        if self.session.proof is not None:
            self.window_.copy(copied(self.session.proof, self.language))

    def _compare(self) -> None:
        path = choose_file_to_open(self, self.say("page.proof.compare-title"), self.say("page.proof.compare-filter"))
        if path and self.session.proof is not None:
            self._try(lambda: self._show_comparison(path))

    def _show_comparison(self, path: str) -> None:
        assert self.session.proof is not None
        earlier = proof_of_file(path)
        date = say_date(earlier.measured_at or "", self.language)
        text = compared_with(self.session.proof, earlier, self.language)
        title = self.say("page.proof.compared", date=date) if date else self.say("page.proof.compared-undated")
        Reading(self.window_, title, "", text, close=self.say("ui.close"), copy=self.say("ui.copy")).exec()

    def _read_log(self) -> None:
        """The log of the app's last start; where it keeps none, the one that the person chooses."""
        facts, plan = self.session.facts, self.session.plan
        logs = app_logs(facts, plan.python.executable) if facts is not None and plan is not None and plan.python is not None else ()
        path = str(logs[0]) if logs else choose_file_to_open(self, self.say("page.proof.use-choose"), self.say("page.error-text.filter"))
        if path:
            self._try(lambda: use_of_log(self.session, path))
            self.rebuild()

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except Problem as problem:
            self.window_.tell(problem)


PAGE = ProofPage
