"""Review: what exactly will happen, before anything does."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.facts import Python
from app.model.findings import Finding, Severity
from app.model.plan import Option, Plan, Step, Verdict
from app.model.problem import Problem
from app.model.unknown import known
from app.qt import tokens
from app.qt.dialogs import Reading, choose_file_to_save
from app.qt.expecting import expectations, promise
from app.qt.look import look
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.button import Button
from app.qt.parts.card import Card, Rows
from app.qt.parts.chip import Icon
from app.qt.parts.info_bar import InfoBar
from app.qt.parts.layout import beside, column, row
from app.qt.parts.numbered import Numbered
from app.qt.parts.stops import Stop
from app.qt.parts.version_row import VersionRow
from app.qt.parts.words import Words, text_width
from app.qt.saving import command_text, write_answer, write_plan
from app.qt.speaking import joined, say_app, say_bytes, say_download

MOST_KEPT = 3


class ReviewPage(Page):
    step = "review"

    def __init__(self, window: object, key: str) -> None:
        super().__init__(window, key)  # type: ignore[arg-type]  # Window, named there
        self.setCommitPage(True)

    # --- what is shown --------------------------------------------------------------------------------------------

    @property
    def plan(self) -> Plan | None:
        return self.session.plan

    @property
    def _is_ready(self) -> bool:
        return self.plan is not None and self.plan.verdict is Verdict.READY

    def heading(self) -> Heading:
        plan = self.plan
        if plan is None or plan.verdict is Verdict.BLOCKED:
            return Heading(self.say("page.review.title-blocked"), self.say("page.review.subtitle-blocked"))
        if plan.verdict is Verdict.NEEDS_ACTION:
            return Heading(self.say("page.review.title-action"), self.say("page.review.subtitle-action"))
        if not plan.steps:
            return Heading(self.say("page.review.title-nothing"), self.say("page.review.subtitle-nothing"))
        title = "page.review.title-replay" if self.session.is_replay else "page.review.title"
        return Heading(self.say(title), self._place(plan))

    def _place(self, plan: Plan) -> str:
        if plan.python is None:
            return self.say("page.review.subtitle-system")
        if plan.python.is_new:
            return self.say("page.review.subtitle-new", version=plan.python.version)
        there = self._python_there(plan)
        code = known(there.app, None) if there is not None else None
        app = say_app(code, self.language) if code else None
        root = plan.python.executable[:2] if plan.python.executable[1:2] == ":" else ""
        if app and root:
            return self.say("page.review.subtitle-app-on", app=app, root=root)
        return self.say("page.review.subtitle-app", app=app or plan.python.executable)

    def primary(self) -> Primary:
        if self._is_hopeless_replay:
            return Primary(self.say("page.continue"))
        if self.session.is_replay:
            return Primary(self.say("page.review.save-answer"), self.plan is not None, arrow=False)
        if self._is_ready and self.plan is not None and not self.plan.steps:
            return Primary(self.say("page.review.prove"))
        return Primary(self.say("page.review.install"), self._is_ready, "" if self._is_ready else self.say("page.review.not-ready"))

    @property
    def _is_hopeless_replay(self) -> bool:
        """Another machine where there is nothing to answer: its plan leads nowhere."""
        return self.session.is_replay and self.plan is not None and self.plan.verdict is Verdict.BLOCKED

    def go_on(self) -> None:
        if self._is_hopeless_replay:
            self.window_.forward()
            return
        if self.session.is_replay:
            if self._save_answer():
                self.window_.forward()
            return
        if self.plan is not None and not self.plan.steps:
            self.window_.go("proof")
            return
        start = getattr(self.window_.go("install"), "start", None)
        if callable(start):
            start()

    def links(self) -> tuple[Link, ...]:
        if self.plan is None or not self.plan.steps:
            return ()
        return (
            Link("commands", self.say("page.review.commands"), "code", self._show_commands),
            Link("save-plan", self.say("page.review.save"), "save", self._save_plan),
        )

    def fill(self, content: QVBoxLayout) -> None:
        plan = self.plan
        if plan is None:
            return
        if plan.verdict is not Verdict.READY:
            self._add_obstacles(content, plan)
        self._add_warnings(content, plan)
        if not plan.steps and plan.verdict is Verdict.READY:
            content.addWidget(InfoBar("good", self.say("page.review.nothing-title"), self.say("page.review.nothing-body")))
            content.addSpacing(12)
        if plan.steps:
            content.addWidget(self._figures(plan))
            content.addSpacing(12)
            self._add_expectations(content, plan)
        versions = self._versions(plan)
        if versions is not None:
            content.addWidget(versions)
            content.addSpacing(16)
        if plan.steps:
            self._add_order_and_kept(content, plan)
            content.addSpacing(12)
            content.addWidget(InfoBar("info", "", self.words(promise(plan)), icon="undo"))
        if plan.verdict is Verdict.READY and plan.options:
            content.addSpacing(16)
            self._add_options(content, plan, "page.review.instead")

    # --- what stands in the way -----------------------------------------------------------------------------------

    def _add_obstacles(self, content: QVBoxLayout, plan: Plan) -> None:
        blockers = [f for f in plan.findings if f.severity is Severity.BLOCKER and not (f.remedy and f.remedy.automatic)]
        for finding in blockers[:3]:
            content.addWidget(self._obstacle(finding, plan.verdict))
            content.addSpacing(12)
        if not blockers:
            reasons = [self.words(reason.text) for verdict in plan.routes if verdict.route is plan.route for reason in verdict.reasons]
            gap = "" if self.language == "zh_CN" else " "
            content.addWidget(InfoBar("warn", self.words(plan.summary) or self.say("page.review.decide-first"), gap.join(reasons[:2])))
            content.addSpacing(12)
        if plan.options:
            self._add_options(content, plan, "page.review.decide")
            content.addSpacing(16)

    def _add_warnings(self, content: QVBoxLayout, plan: Plan) -> None:
        """What does not stop the plan and is not cured by it, each with what the person can do."""
        told = [f for f in plan.findings if f.severity is Severity.WARNING and not (f.remedy and f.remedy.automatic)]
        gap = "" if self.language == "zh_CN" else " "
        lines = [gap.join([self.words(one.text), *([self.words(one.remedy.text)] if one.remedy else [])]) for one in told]
        if lines:
            content.addWidget(InfoBar("warn", self.say("page.review.worth-knowing"), "\n".join(lines)))
            content.addSpacing(12)

    def _add_options(self, content: QVBoxLayout, plan: Plan, title: str) -> None:
        content.addWidget(Words(self.say(title), "strong"))
        content.addSpacing(8)
        card = Rows()
        for number, option in enumerate(plan.options):
            card.add(self._option(option, number))
        content.addWidget(card)

    def _obstacle(self, finding: Finding, verdict: Verdict) -> InfoBar:
        remedy = self.words(finding.remedy.text) if finding.remedy else ""
        return InfoBar("bad" if verdict is Verdict.BLOCKED else "warn", self.words(finding.text), remedy)

    def _option(self, option: Option, number: int) -> QWidget:
        holder = QWidget()
        line = row(holder, 12, (16, 10, 12, 10))
        text = self.words(option.text)
        line.addWidget(Words(text), 1)
        button = Button(self.say("page.review.choose"), "second", small=True)
        button.setObjectName(f"option-{number}")
        button.setAccessibleDescription(text)
        button.clicked.connect(lambda: self._take(option))
        line.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        return holder

    def _take(self, option: Option) -> None:
        if self.window_.decide(option.choice):
            self.rebuild()
            self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}")

    # --- what will happen -----------------------------------------------------------------------------------------

    def _figures(self, plan: Plan) -> QWidget:
        restarts = sum(1 for step in plan.steps if step.needs_restart)
        admin = any(step.needs_admin for step in plan.steps)
        none, once = self.say("page.review.none"), self.say("page.review.times", count=restarts)
        figures = (
            (say_download(plan.download, self.language), self.say("page.review.to-download")),
            (say_bytes(plan.disk_bytes, self.language), self.say("page.review.of-disk")),
            (str(len(plan.steps)), self.say("page.review.steps")),
            (once if restarts else none, self.say("page.review.restart-one" if restarts == 1 else "page.review.restarts")),
            (self.say("page.review.admin-needed" if admin else "page.review.admin-not-needed"), self.say("page.review.admin")),
        )
        card = Card()
        line = row(card, 16, (24, 12, 24, 12))
        for number, (figure, label) in enumerate(figures):
            box = column()
            box.addWidget(Words(figure, "figure", one_line=True))
            box.addWidget(Words(label, "caption", "text_2", one_line=True))
            line.addLayout(box)
            if number + 1 < len(figures):
                line.addStretch(1)
        return Stop(card, self.say("page.review.figures"), ". ".join(f"{label}: {figure}" for figure, label in figures))

    def _add_expectations(self, content: QVBoxLayout, plan: Plan) -> None:
        told = [self.words(text) for text in expectations(plan)]
        if told:
            content.addWidget(InfoBar("info", self.say("page.review.expect"), "\n".join(told), icon="clock"))
            content.addSpacing(12)

    def _versions(self, plan: Plan) -> QWidget | None:
        card = Rows()
        spoken = []
        names = [*(change.name for change in plan.changes), *plan.keeps]
        width = min(max([0, *(text_width(name, "strong") for name in names)]), look().px(180))
        for change in plan.changes:
            before = change.before or self.say("page.review.not-there")
            after = change.after or self.say("page.review.removed")
            if change.before == change.after:
                card.add(VersionRow(change.name, before, self.say("page.review.stays"), self.say("page.review.promised"), stays=True, name_width=width))
                spoken.append(self.say("page.review.spoken-stays", name=change.name, before=before))
                continue
            widget = VersionRow(change.name, before, after, self.words(change.reason), is_new=change.before is None, name_width=width)
            spoken.append(self.say("page.review.spoken-change", name=change.name, before=before, after=after))
            card.add(widget)
        changed = {change.name for change in plan.changes}
        for name in plan.keeps:
            if name not in changed and name in plan.packages:
                card.add(VersionRow(name, plan.packages[name], self.say("page.review.stays"), self.say("page.review.promised"), stays=True, name_width=width))
                spoken.append(self.say("page.review.spoken-stays", name=name, before=plan.packages[name]))
        if not spoken:
            return None
        return Stop(card, self.say("page.review.versions"), ". ".join(spoken))

    def _add_order_and_kept(self, content: QVBoxLayout, plan: Plan) -> None:
        one_column = self.window_.width() < look().px(tokens.ONE_COLUMN_BELOW_PX)
        place = column(gap=16) if one_column else row(gap=16)
        for title, card, share in (
            (self.say("page.review.in-order"), self._order(plan), 5),
            (self.say("page.review.nothing-else"), self._kept(plan), 4),
        ):
            box = column(gap=8)
            box.addWidget(Words(title, "strong"))
            box.addWidget(card, 1)
            place.addLayout(box, share)
        content.addLayout(place)

    def _order(self, plan: Plan) -> QWidget:
        card = Card()
        box = column(card, 8, (16, 12, 16, 12))
        spoken = []
        for number, step in enumerate(plan.steps, 1):
            line = row(gap=10)
            line.addWidget(Numbered(number), 0, Qt.AlignmentFlag.AlignTop)
            title = self.words(step.title)
            line.addWidget(Words(title), 1)
            note = self._step_note(step)
            if note:
                line.addWidget(Words(note, "caption", "text_2", one_line=True), 0, Qt.AlignmentFlag.AlignTop)
            spoken.append(f"{number}. {title} {note}".strip())
            box.addLayout(line)
        box.addStretch(1)
        return Stop(card, self.say("page.review.in-order"), ". ".join(spoken))

    def _step_note(self, step: Step) -> str:
        admin = self.say("page.review.note-admin") if step.needs_admin else ""
        restart = self.say("page.review.note-restart") if step.needs_restart else ""
        if admin or restart:
            return joined([admin, restart], self.language)
        return say_download(step.download, self.language) if step.download_bytes != 0 else ""

    def _kept(self, plan: Plan) -> QWidget:
        card = Card()
        box = column(card, 8, (16, 12, 16, 12))
        head = row(gap=8)
        head.addLayout(beside(Icon("lock", "text_2", 16)))
        head.addWidget(Words(self.say("page.review.untouched"), "body", "text_2"), 1)
        box.addLayout(head)
        lines = self._kept_lines(plan)
        for text in lines:
            line = row(gap=8)
            line.addLayout(beside(Icon("check", "good", 16)))
            line.addWidget(Words(text), 1)
            box.addLayout(line)
        box.addStretch(1)
        return Stop(card, self.say("page.review.nothing-else"), ". ".join([self.say("page.review.untouched"), *lines]))

    def _kept_lines(self, plan: Plan) -> list[str]:
        there, lines = self._python_there(plan), []
        packages = known(there.packages, {}) if there is not None else {}
        others = len(set(packages) - {change.name for change in plan.changes} - set(plan.keeps[:1]))
        if plan.keeps:
            first = plan.keeps[0]
            code = "page.review.kept-and-other" if others == 1 else "page.review.kept-and-others"
            lines.append(self.say(code, name=first, count=others) if others else first)
            lines += [name for name in plan.keeps[1:MOST_KEPT] if not others]
        elif others:
            lines.append(self.say("page.review.kept-others", count=others))
        if plan.python is not None and plan.python.is_new:
            lines.append(self.say("page.review.kept-pythons"))
        if there is not None and known(there.app, None):
            lines += [self.say("page.review.kept-models"), self.say("page.review.kept-work")]
        if not any(step.needs_admin for step in plan.steps):
            lines.append(self.say("page.review.kept-system"))
        return lines

    def _python_there(self, plan: Plan) -> Python | None:
        facts = self.session.facts
        pythons = known(facts.pythons, ()) if facts is not None else ()
        return next((python for python in pythons if plan.python is not None and python.executable == plan.python.executable), None)

    # --- commands and files ---------------------------------------------------------------------------------------

    def _show_commands(self) -> None:
        assert self.plan is not None
        Reading(
            self.window_,
            self.say("page.review.commands"),
            self.say("page.review.commands-body"),
            command_text(self.plan, self.language),
            close=self.say("ui.close"),
            copy=self.say("ui.copy"),
        ).exec()

    def _save_plan(self) -> None:
        self._save("page.review.save-plan", "triton-setup-plan.json", lambda path: write_plan(self.session, path, self.language))

    def _save_answer(self) -> bool:
        return self._save("page.review.save-answer-title", "triton-setup-answer.json", lambda path: write_answer(self.session, path))

    def _save(self, title: str, name: str, write: object) -> bool:
        path = choose_file_to_save(self, self.say(title), name, "JSON (*.json)")
        if not path or not callable(write):
            return False
        try:
            write(path)
        except Problem as problem:
            self.window_.tell(problem)
            return False
        self.window_.announce(self.say("page.review.saved", file=path))
        return True


PAGE = ReviewPage
