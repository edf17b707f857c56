"""Finish: what do I have now? What was done, how to start, report, undo, the code for a call."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.events import Outcome, RunFinished
from app.model.plan import Goal
from app.model.proof import ProofVerdict
from app.model.unknown import known
from app.qt.help import save_report, support_card
from app.qt.launching import Launch, launch_of
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.action_row import ActionRow, align_buttons
from app.qt.parts.button import Button
from app.qt.parts.card import Card, Rows
from app.qt.parts.chip import Icon
from app.qt.parts.layout import column, row
from app.qt.parts.words import Words
from app.qt.proof_lines import verdict_words
from app.qt.speaking import say_app, say_bytes
from wizard_pages import SETUP

TRITONS = ("triton-windows", "triton")
GOOD = {ProofVerdict.FAST, ProofVerdict.WORKS}


class FinishPage(Page):
    step = "finish"

    _undone: RunFinished | None = None

    def arrive(self) -> None:
        self._undone = None

    @property
    def _is_installed(self) -> bool:
        finished = self.session.last_run
        return finished is not None and finished.outcome in {Outcome.DONE, Outcome.SKIPPED}

    @property
    def _is_proved(self) -> bool:
        return self.session.proof is not None and self.session.proof.verdict in GOOD

    def heading(self) -> Heading:
        if self._undone is not None:
            state = "undone" if self._undone.outcome is Outcome.DONE else "not-undone"
            return Heading(self.say(f"page.finish.title-{state}"), self.say(f"page.finish.subtitle-{state}"))
        if self.session.is_replay:
            return Heading(self.say("page.finish.title-replay"), self.say("page.finish.subtitle-replay"))
        if self.session.proof is not None and not self._is_proved:
            slow = self.session.proof.verdict is ProofVerdict.SLOW
            return Heading(self.say("page.finish.title-slow" if slow else "page.finish.title-not-proved"), self.say("page.finish.subtitle-not-proved"))
        if not self._is_installed and not self._is_proved:
            return Heading(self.say("page.finish.title-nothing"), self.say("page.finish.subtitle-nothing"))
        goals = self.session.choice.goals
        which = "comfyui" if Goal.COMFYUI in goals else "vllm" if Goal.VLLM in goals else "other"
        return Heading(self.say(f"page.finish.title-{which}"), self.say("page.finish.subtitle"))

    def primary(self) -> Primary:
        return Primary(self.say("ui.close"), not self.window_.is_busy, arrow=False)

    def go_on(self) -> None:
        self.window_.close()

    def secondary(self) -> Link | None:
        if self.session.is_replay:
            return None
        return Link("another", self.say("page.finish.another"), "", self._another, not self.window_.is_busy)

    def fill(self, content: QVBoxLayout) -> None:
        done = self._done_lines()
        if done:
            content.addWidget(self._done(done))
            content.addSpacing(12)
        card, rows = Rows(), self._actions()
        for entry in rows:
            card.add(entry)
        align_buttons(rows, 144)
        content.addWidget(card)
        content.addSpacing(12)
        content.addWidget(support_card(self.window_))

    def _done(self, lines: list[tuple[str, str, bool]]) -> QWidget:
        card = Card()
        box = column(card, 10, (16, 14, 16, 14))
        for text, note, good in lines:
            line = row(gap=12)
            line.addWidget(Icon("check-circle" if good else "warning", "good" if good else "warn"))
            line.addWidget(Words(text), 1)
            if note:
                line.addWidget(Words(note, "caption", "text_2", one_line=True))
            box.addLayout(line)
        return card

    def _done_lines(self) -> list[tuple[str, str, bool]]:
        plan, proof = self.session.plan, self.session.proof
        lines: list[tuple[str, str, bool]] = []
        if self._undone is not None:
            return lines
        if self._is_installed and plan is not None:
            triton = next((plan.packages[name] for name in TRITONS if name in plan.packages), "")
            sage = plan.packages.get("sageattention", "")
            code = "page.finish.added-both" if triton and sage else "page.finish.added"
            size = say_bytes(plan.download_bytes, self.language) if plan.download_bytes else ""
            lines.append((self.say(code, triton=_public(triton), sage=_public(sage), place=self._place()), size, True))
        if proof is not None:
            name = str((proof.device or {}).get("name") or "")
            if proof.backend == "interpreter":
                lines.append((self.say("page.finish.proved-interpreter"), "", proof.verdict in GOOD))
            elif any(check.outcome == "failed" for check in proof.checks):
                # What failed may be one library or one app: the verdict names it.
                lines.append((verdict_words(proof, self.language)[0], name, False))
            else:
                code = f"page.finish.proved-{proof.verdict.value}"
                lines.append((self.say(code, card=name or self.say("page.finish.your-card")), "", proof.verdict in GOOD))
        if self._is_installed and plan is not None and plan.keeps:
            lines.append((self.say("page.finish.kept", name=plan.keeps[0]), self.say("page.finish.compared"), True))
        if self._is_installed and self.session.last_run is not None:
            lines += [(self.say(note.code, **note.params), "", False) for note in self.session.last_run.notes]
        return lines

    def _place(self) -> str:
        plan, facts = self.session.plan, self.session.facts
        if plan is None or plan.python is None:
            return self.say("page.finish.this-pc")
        if plan.python.is_new:
            return self.say("page.finish.new-environment")
        pythons = known(facts.pythons, ()) if facts is not None else ()
        app = next((known(python.app, None) for python in pythons if python.executable == plan.python.executable), None)
        return say_app(app, self.language) if app else self.say("page.finish.chosen-environment")

    def _actions(self) -> list[ActionRow]:
        rows = []
        launch = launch_of(self.session)
        if launch is not None and self._undone is None and not self.session.is_replay:
            start = Button(self.say("page.finish.start-comfyui"), "second")
            start.setObjectName("start-app")
            start.clicked.connect(lambda _checked, what=launch: self._start(what))
            rows.append(ActionRow("play", self.say("page.finish.start"), self.say("page.finish.start-body", file=launch.name), start))
        save = Button(self.say("page.finish.save-report-button"), "second")
        save.setObjectName("save-report")
        save.setEnabled(self.session.facts is not None and not self.window_.is_busy)
        save.clicked.connect(lambda _checked: save_report(self.window_))
        rows.append(ActionRow("document", self.say("page.finish.save-report"), self.say("page.finish.save-report-body"), save))
        if self._is_installed and self._undone is None and not self.session.is_replay:
            undo = Button(self.say("page.finish.undo-button"), "second")
            undo.setObjectName("undo")
            undo.setEnabled(not self.window_.is_busy)
            undo.clicked.connect(lambda _checked: self._undo())
            rows.append(ActionRow("undo", self.say("page.finish.undo"), self.say("page.finish.undo-body"), undo))
        return rows

    # --- acts -----------------------------------------------------------------------------------------------------

    def _start(self, launch: Launch) -> None:
        from app.model.problem import Problem

        try:
            launch.start()
        except Problem as problem:
            self.window_.tell(problem)
        else:
            self.window_.announce(self.say("page.finish.started"))

    def _undo(self) -> None:
        finished = self.session.last_run
        if finished is None or not self.window_.ask(
            self.say("page.finish.undo-question"), self.say("page.finish.undo-explained"), self.say("page.finish.undo-yes"), self.say("page.finish.undo-no")
        ):
            return

        def work(cancel: Cancel) -> RunFinished:
            return self.session.undo(finished.run_id, cancel)

        def done(result: RunFinished) -> None:
            self._undone = result
            if result.outcome is Outcome.DONE:
                self.session.last_run = None
                self.session.proof = None
            self.rebuild()
            self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}", assertive=result.outcome is not Outcome.DONE)

        self.window_.run(work, done, "undo")
        self.rebuild()

    def _another(self) -> None:
        """Once more for another app: what is on the PC is read anew."""
        self.session.facts = self.session.last_run = self.session.proof = None
        self.window_.set_flow(SETUP)
        self.window_.start_over("start")
        self.window_.go("machine")


def _public(version: str) -> str:
    """A version without its local part and post number, as people say it."""
    return version.split("+", 1)[0].split(".post", 1)[0]


PAGE = FinishPage
