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
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.bar_chart import BarChart
from app.qt.parts.card import Card, Rows
from app.qt.parts.check_row import EvidenceBox
from app.qt.parts.fold_card import FoldCard
from app.qt.parts.info_bar import InfoBar
from app.qt.parts.layout import column, row
from app.qt.parts.proof_row import ProofRow
from app.qt.parts.words import Words
from app.qt.proof_lines import LOOKS, VERDICT_LOOKS, ProofLine, bench_numbers, lines_of, lines_so_far, share_groups, verdict_words
from app.qt.saving import write_proof
from app.qt.speaking import say_duration


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
                return Heading(self.say("page.proof.title-measuring"), self.say("page.proof.subtitle-measuring", count=ended))
            if self._problem:
                return Heading(self.say("page.proof.title-failed"), self._problem, "octagon-x", "bad")
            return Heading(self.say("page.proof.title-waiting"), self.say("page.proof.subtitle-waiting"))
        title, meaning = verdict_words(proof, self.language)
        icon, tone = VERDICT_LOOKS[proof.verdict]
        where = self._where(proof)
        return Heading(title, f"{where} {meaning}".strip() if self.language == "en" else f"{where}{meaning}", icon, tone)

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
        one_column = not charts or self.window_.width() < tokens.ONE_COLUMN_BELOW_PX
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
        if proof.verdict is ProofVerdict.SLOW and proof.slow_because:
            reasons = " ".join(self.say(f"page.proof.slow.{code}") if self._has_slow(code) else code for code in proof.slow_because)
            content.addWidget(InfoBar("warn", self.say("page.proof.slow-title"), reasons))
            content.addSpacing(12)
        elif proof.verdict in {ProofVerdict.WRONG, ProofVerdict.FAILS}:
            content.addWidget(InfoBar("bad", self.say("page.proof.bad-title"), self.say("page.proof.bad-body")))
            content.addSpacing(12)

    @staticmethod
    def _has_slow(code: str) -> bool:
        from app.texts import has

        return has(f"page.proof.slow.{code}")

    def _lines(self, lines: tuple[ProofLine, ...], *, narrow: bool) -> Rows:
        card = Rows()
        for line in lines:
            icon, tone = LOOKS[line.outcome]
            fold = None
            if line.numbers:
                fold = EvidenceBox(self.say("page.proof.numbers"), line.numbers, self.say("ui.copy"), self.window_.copy, line.title)
            card.add(ProofRow(line.title, line.sentence, (icon, tone, self.say(f"ui.status.{line.outcome}")), fold, narrow=narrow))
        return card

    def _charts(self, proof: Proof) -> list[QWidget]:
        groups, of_ceiling = share_groups(proof, self.language)
        if not groups:
            return []
        series = (self.say("page.proof.series-triton"), self.say("page.proof.series-torch"))
        chart = BarChart(
            self.say("page.proof.share" if of_ceiling else "page.proof.speed"), series, self.say("page.proof.limit") if of_ceiling else None, groups
        )
        card = Card()
        column(card, 0, (16, 12, 16, 14)).addWidget(chart)
        numbers = tuple(pair for bench in proof.benchmarks for pair in (*bench_numbers(bench), ("", "")))
        holder = QWidget()
        box = EvidenceBox(self.say("page.proof.numbers"), numbers[:-1], self.say("ui.copy"), self.window_.copy, chart.title)
        column(holder, 0, (12, 0, 12, 12)).addWidget(box)
        return [card, FoldCard(self.say("page.proof.all-numbers"), "", holder)]

    def _save(self) -> None:
        path = choose_file_to_save(self, self.say("page.proof.save-title"), "triton-proof.json", "JSON (*.json)")
        if path:
            try:
                write_proof(self.session, path, self.language)
            except Problem as problem:
                self.window_.tell(problem)


PAGE = ProofPage
