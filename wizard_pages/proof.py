"""Proof: does it work, is it right, is it fast? Lines fill one by one while it is measured."""

import time

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.events import ProofArrived
from app.model.problem import Problem
from app.model.proof import Level, Proof, ProofVerdict
from app.model.unknown import known
from app.qt import tokens
from app.qt.bridge import Batch
from app.qt.dialogs import choose_file_to_save
from app.qt.look import look
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.bar_chart import BarChart
from app.qt.parts.card import Card, Rows
from app.qt.parts.check_row import EvidenceBox
from app.qt.parts.info_bar import InfoBar, Severity
from app.qt.parts.layout import column, row
from app.qt.parts.proof_row import ProofRow
from app.qt.parts.words import Words
from app.qt.proof_lines import LOOKS, VERDICT_LOOKS, Line, charts_of, lines_of, lines_so_far, verdict_words
from app.qt.saving import write_proof
from app.qt.speaking import say_count, say_duration


class ProofPage(Page):
    step = "proof"

    def __init__(self, window: object, key: str) -> None:
        super().__init__(window, key)  # type: ignore[arg-type]  # Window, named there
        self._arrived: tuple[ProofArrived, ...] = ()
        self._problem = ""
        self._took_s: float | None = None
        self._began_at = 0.0

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
        self._arrived, self._problem, self._took_s, self._began_at = (), "", None, time.monotonic()
        facts = self.session.facts
        has_card = any(gpu.vendor == "nvidia" for gpu in known(facts.gpus, ())) if facts is not None else False
        level = Level.BENCHMARK if has_card else Level.KERNEL

        def work(cancel: Cancel) -> Proof:
            return self.session.prove(level, cancel)

        self.window_.run(work, self._on_proved, "prove", self._on_problem)
        self.rebuild()

    def take(self, batch: Batch) -> None:
        news = tuple(event for event in batch.events if isinstance(event, ProofArrived))
        if news and self.is_measuring:
            self._arrived += news
            self.rebuild()

    def _on_proved(self, _proof: Proof) -> None:
        self._took_s = time.monotonic() - self._began_at
        self.rebuild()
        self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}")

    def _on_problem(self, problem: Problem) -> None:
        self._problem = self.words(problem.text)
        self.rebuild()
        self.window_.announce(self._problem, assertive=True)

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
        if self.is_measuring:
            return (Link("stop", self.say("page.machine.stop"), "x", self.window_.stop_work),)
        links = [Link("again", self.say("page.proof.again"), "refresh", self.measure)]
        if self.session.proof is not None:
            links.append(Link("save", self.say("page.proof.save"), "save", self._save))
        return tuple(links)

    def primary(self) -> Primary:
        measuring = self.is_measuring
        return Primary(self.say("page.continue"), not measuring, self.say("page.proof.wait") if measuring else "")

    def fill(self, content: QVBoxLayout) -> None:
        proof = self.session.proof
        lines = lines_of(proof, self.language) if proof is not None else lines_so_far(self._arrived, self.language)
        if proof is not None:
            self._add_next_step(content, proof)
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
        if proof is not None and proof.benchmarks:
            content.addSpacing(12)
            content.addWidget(Words(self.say("page.proof.note"), "caption", "text_2"))

    def _add_next_step(self, content: QVBoxLayout, proof: Proof) -> None:
        _, meaning = verdict_words(proof, self.language)
        if len(meaning) < 2:
            return
        severity: Severity = "warn" if proof.verdict in {ProofVerdict.SLOW, ProofVerdict.WORKS} else "bad"
        content.addWidget(InfoBar(severity, meaning[0], "\n".join(meaning[1:])))
        content.addSpacing(12)

    def _lines(self, lines: tuple[Line, ...], *, narrow: bool) -> Rows:
        card = Rows()
        for line in lines:
            icon, tone = LOOKS[line.outcome]
            fold = None
            if line.details:
                fold = EvidenceBox(self.say("page.proof.numbers"), line.details, self.say("ui.copy"), self.window_.copy, line.title)
            card.add(ProofRow(line.title, line.sentence, (icon, tone, self.say(f"ui.status.{line.outcome}")), fold, narrow=narrow))
        return card

    def _charts(self, proof: Proof) -> list[QWidget]:
        cards: list[QWidget] = []
        for words in charts_of(proof, self.language):
            card = Card()
            column(card, 0, (16, 12, 16, 14)).addWidget(BarChart(words.title, words.series, words.limit, words.groups))
            cards.append(card)
        return cards

    def _save(self) -> None:
        path = choose_file_to_save(self, self.say("page.proof.save-title"), "triton-proof.json", "JSON (*.json)")
        if path:
            try:
                write_proof(self.session, path, self.language)
            except Problem as problem:
                self.window_.tell(problem)


PAGE = ProofPage
