"""Goal: what should be faster. Four cards, one suggested; sources and versions for those who know them in a fold."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from app.model.facts import MachineFacts
from app.model.plan import Choice, Goal, Plan, RouteKind, TorchChange, Verdict
from app.model.unknown import known
from app.qt.dialogs import choose_folder
from app.qt.page import Heading, Page, Primary
from app.qt.parts.button import Button
from app.qt.parts.card import CheckMark, ChoiceCard
from app.qt.parts.chip import Chip, Icon
from app.qt.parts.fold_card import FoldCard
from app.qt.parts.layout import column, row
from app.qt.parts.words import Words

GOALS = ((Goal.COMFYUI, "picture"), (Goal.TRITON, "code"), (Goal.SAGEATTENTION, "bolt"), (Goal.VLLM, "speech"))


class GoalPage(Page):
    step = "goal"

    _is_fold_open = False
    _outlooks: tuple[MachineFacts | None, dict[Goal, Plan | None]] = (None, {})
    """What each goal would take, for the facts beside it."""
    _was_suggested = False

    def heading(self) -> Heading:
        return Heading(self.say("page.goal.title"), self.say("page.goal.subtitle"))

    def arrive(self) -> None:
        """The first time, what was found on the PC is chosen; after that, what the person chose stays."""
        if not self._was_suggested and not self.session.is_replay and self.session.choice == Choice():
            self._was_suggested = True
            if self._comfyui_place() is not None:
                self.window_.decide(replace(self.session.choice, goals=(Goal.COMFYUI,)))

    def primary(self) -> Primary:
        chosen = bool(self.session.choice.goals)
        return Primary(self.say("page.continue"), chosen, "" if chosen else self.say("page.goal.none-chosen"))

    def fill(self, content: QVBoxLayout) -> None:
        grid = QGridLayout()
        grid.setSpacing(12)
        columns = 2 if self.content_width >= 560 else 1
        for number, (goal, icon) in enumerate(GOALS):
            grid.addWidget(self._card(goal, icon), number // columns, number % columns)
        for number in range(columns):
            grid.setColumnStretch(number, 1)
        content.addLayout(grid)
        content.addSpacing(16)
        fold = FoldCard(self.say("page.goal.expert"), self._expert_note(), self._expert(), is_open=self._is_fold_open)
        fold.head.setObjectName("expert")
        fold.toggled.connect(lambda is_open: setattr(self, "_is_fold_open", is_open))
        content.addWidget(fold)

    def _card(self, goal: Goal, icon: str) -> ChoiceCard:
        title, body = self.say(f"page.goal.{goal.value}.title"), self.say(f"page.goal.{goal.value}.body")
        chip = self._chip(goal)
        mark: QCheckBox = CheckMark()
        mark.setObjectName(f"goal-{goal.value}")
        mark.setChecked(goal in self.session.choice.goals)
        card = ChoiceCard(mark, title, f"{body} {chip.text()}")
        head = row()
        head.addWidget(Icon(icon, "accent", 24))
        head.addStretch()
        head.addWidget(mark)
        card.body.addLayout(head)
        card.body.addSpacing(12)
        card.body.addWidget(Words(title, "strong"))
        card.body.addSpacing(4)
        words = Words(body, "body", "text_2")
        words.setMinimumHeight(40)
        card.body.addWidget(words)
        card.body.addStretch(1)
        card.body.addSpacing(16)
        foot = row()
        foot.addWidget(chip)
        foot.addStretch()
        card.body.addLayout(foot)
        card.chosen.connect(lambda on, which=goal: self._toggle(which, on))
        return card

    def _chip(self, goal: Goal) -> Chip:
        """What the goal takes on this very machine."""
        plan = self._outlook(goal)
        if plan is not None and plan.verdict is Verdict.BLOCKED:
            return Chip(self.say("page.goal.not-here"), "bad", "octagon-x")
        if plan is not None and plan.is_partial:
            return Chip(self.say("page.goal.in-part"), "warn", "warning")
        if goal is Goal.COMFYUI and (place := self._comfyui_place()) is not None:
            return Chip(self.say("page.goal.suggested", place=place), "accent", "info-circle")
        if plan is not None and plan.route is RouteKind.WSL2:
            restarts = any(step.needs_restart for step in plan.steps)
            return Chip(self.say("page.goal.needs-wsl"), "warn", "warning") if restarts else Chip(self.say("page.goal.in-wsl"))
        if plan is not None and plan.route is RouteKind.SOURCE:
            return Chip(self.say("page.goal.is-built"), "warn", "warning")
        return Chip(self.say("page.goal.ready-made"))

    def _outlook(self, goal: Goal) -> Plan | None:
        if self._outlooks[0] is not self.session.facts:
            self._outlooks = (self.session.facts, {})
        plans = self._outlooks[1]
        if goal not in plans:
            plans[goal] = self.session.outlook(goal)
        return plans[goal]

    def _comfyui_place(self) -> str | None:
        facts = self.session.facts
        for python in known(facts.pythons, ()) if facts else ():
            if "comfyui" in (known(python.app, None) or "").lower():
                root = known(python.app_root, None) or python.executable
                return root[:2] if root[1:2] == ":" else root.rsplit("/", 1)[-1]
        return None

    def _toggle(self, goal: Goal, on: bool) -> None:
        wanted = {*self.session.choice.goals, goal} if on else {*self.session.choice.goals} - {goal}
        goals = tuple(known_goal for known_goal, _ in GOALS if known_goal in wanted)
        # Another goal may need another way and another place: those are recommended anew.
        # What was allowed in one place is not allowed in the next.
        choice = replace(self.session.choice, goals=goals, route=None, python=None, new_env=None, comfyui=None, distro=None, torch_change=TorchChange.ASK)
        if goals:
            self.window_.decide(choice)
        else:
            self.session.choice = choice
        self.window_.show_frame()

    # --- sources and versions -------------------------------------------------------------------------------------

    def _expert_note(self) -> str:
        choice = self.session.choice
        return self.say("page.goal.expert-own" if choice.index_url or choice.wheelhouse or choice.torch_version else "page.goal.expert-chosen")

    def _expert(self) -> QWidget:
        holder = QWidget()
        box = column(holder, 8, (16, 4, 16, 16))
        packages = self.session.plan.packages if self.session.plan is not None else {}
        if packages:
            box.addWidget(Words(self.say("page.goal.versions"), "caption-strong", "text_2"))
            box.addWidget(Words("\n".join(f"{name} {version}" for name, version in packages.items()), "code"))
        self._torch = self._field(box, "torch", self.session.choice.torch_version or "", None)
        self._index = self._field(box, "mirror", self.session.choice.index_url or "", None)
        self._wheelhouse = self._field(box, "bundle", self.session.choice.wheelhouse or "", self._choose_bundle)
        return holder

    def _field(self, box: QVBoxLayout, key: str, value: str, choose: object) -> QLineEdit:
        box.addWidget(Words(self.say(f"page.goal.{key}"), "caption-strong", "text_2"))
        line = row(gap=8)
        field = QLineEdit(value)
        field.setObjectName(f"field-{key}")
        field.setPlaceholderText(self.say(f"page.goal.{key}-hint"))
        field.setAccessibleName(self.say(f"page.goal.{key}"))
        field.editingFinished.connect(self._take_sources)
        line.addWidget(field, 1)
        if callable(choose):
            button = Button(self.say("page.goal.choose-folder"), "second")
            button.clicked.connect(choose)
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        box.addLayout(line)
        return field

    def _choose_bundle(self) -> None:
        folder = choose_folder(self, self.say("page.goal.bundle"))
        if folder:
            self._wheelhouse.setText(folder)
            self._take_sources()

    def _take_sources(self) -> None:
        index, wheelhouse, torch = (field.text().strip() or None for field in (self._index, self._wheelhouse, self._torch))
        choice = replace(self.session.choice, index_url=index, wheelhouse=wheelhouse, torch_version=torch)
        if choice != self.session.choice:
            self.window_.decide(choice)


PAGE = GoalPage
