"""Route: which way fits this PC. Every way is shown with its reasons, the refused ones too."""

from dataclasses import replace

from PySide6.QtWidgets import QButtonGroup, QVBoxLayout, QWidget

from app.model.plan import Plan, RouteKind, RouteStatus, RouteVerdict, Verdict
from app.qt.dialogs import Reading
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.card import ChoiceCard, RadioMark
from app.qt.parts.chip import Chip, Icon, Status, StatusLook
from app.qt.parts.layout import beside, column, row
from app.qt.parts.words import Words
from app.qt.speaking import joined, say_download

ICONS = {RouteKind.NATIVE: "package", RouteKind.WSL2: "terminal", RouteKind.SOURCE: "wrench", RouteKind.LINUX: "terminal"}
STATUS = {
    RouteStatus.READY: StatusLook("check-circle", "good", "ready"),
    RouteStatus.NEEDS_ACTION: StatusLook("warning", "warn", "needs-action"),
    RouteStatus.IMPOSSIBLE: StatusLook("octagon-x", "bad", "impossible"),
}
NOTE_ICON = ("info-circle", "text_2")
"""Beside what only waits, a note must not look like one more thing to do."""

REASON_ICONS = {RouteStatus.READY: ("check", "good"), RouteStatus.NEEDS_ACTION: ("warning", "warn"), RouteStatus.IMPOSSIBLE: ("x", "bad")}


ORDER = (RouteKind.NATIVE, RouteKind.LINUX, RouteKind.WSL2, RouteKind.SOURCE)


class RoutePage(Page):
    step = "route"

    _plans: dict[RouteKind, Plan] | None = None

    def arrive(self) -> None:
        self._plans = self._plan_each()

    def heading(self) -> Heading:
        plan = self.session.plan
        verdicts = self._shown()
        if plan is None or plan.route is None:
            return Heading(self.say("page.route.title-none"), self.say("page.route.subtitle-none"))
        status = next((v.status for v in verdicts if v.route is plan.route), RouteStatus.READY)
        state = "ready" if status is RouteStatus.READY else "action"
        count = {1: "one", 2: "two"}.get(len(verdicts), "three")
        return Heading(self.say(f"page.route.title.{plan.route.value}-{state}"), self.say(f"page.route.subtitle-{count}"))

    def primary(self) -> Primary:
        possible = self.session.plan is not None and self.session.plan.route is not None
        return Primary(self.say("page.continue"), possible, "" if possible else self.say("page.route.none-possible"))

    def links(self) -> tuple[Link, ...]:
        return (Link("why", self.say("page.route.why"), "info-circle", self._explain),)

    def first_focus(self) -> QWidget | None:
        return self._group.checkedButton()

    def fill(self, content: QVBoxLayout) -> None:
        self._group = QButtonGroup(self)
        for number, verdict in enumerate(self._shown()):
            if number:
                content.addSpacing(12)
            content.addWidget(self._card(verdict))

    def _card(self, verdict: RouteVerdict) -> ChoiceCard:
        plan = self.session.plan
        assert plan is not None
        possible = verdict.status is not RouteStatus.IMPOSSIBLE
        title = self.say(f"page.route.name.{verdict.route.value}")
        status = STATUS[verdict.status]._replace(word=self.say(f"ui.status.{verdict.status.value}"))
        reasons = [self.words(reason.text) for reason in verdict.reasons]
        recommended = self._recommended() is verdict.route
        mark = RadioMark()
        mark.setObjectName(f"route-{verdict.route.value}")
        self._group.addButton(mark)
        spoken = joined([title, self.say("ui.status.recommended") if recommended else "", status.word], self.language).replace(" · ", ", ")
        card = ChoiceCard(mark, spoken, " ".join(reasons), possible=possible)
        line = row(gap=12)
        card.body.addLayout(line)
        pillar = column()
        pillar.addWidget(mark)
        pillar.addStretch()
        line.addLayout(pillar)
        texts = column(gap=4)
        head = row(gap=8)
        head.addWidget(Icon(ICONS[verdict.route], "accent" if possible else "text_2"))
        head.addWidget(Words(title, "strong", "text" if possible else "text_2", one_line=True))
        if recommended:
            head.addWidget(Chip(self.say("ui.status.recommended"), "accent", "check"))
        head.addStretch(1)
        head.addWidget(Status(status))
        texts.addLayout(head)
        texts.addSpacing(4)
        for reason in verdict.reasons:
            icon, tone = NOTE_ICON if reason.is_note and verdict.status is RouteStatus.NEEDS_ACTION else REASON_ICONS[verdict.status]
            entry = row(gap=8)
            entry.addLayout(beside(Icon(icon, tone, 16)))
            entry.addWidget(Words(self.words(reason.text)), 1)
            texts.addLayout(entry)
        note = self._cost(verdict) if possible else ""
        if note:
            texts.addSpacing(2)
            texts.addWidget(Words(note, "caption", "text_2"))
        line.addLayout(texts, 1)
        mark.setChecked(plan.route is verdict.route)
        card.chosen.connect(lambda on, route=verdict.route: self._choose(route) if on else None)
        return card

    def _shown(self) -> tuple[RouteVerdict, ...]:
        """Every way that this kind of system knows."""
        plan, facts = self.session.plan, self.session.facts
        if plan is None or facts is None:
            return ()
        other = {RouteKind.LINUX} if facts.os.family == "windows" else {RouteKind.NATIVE, RouteKind.WSL2}
        shown = (verdict for verdict in plan.routes if verdict.route not in other)
        return tuple(sorted(shown, key=lambda verdict: ORDER.index(verdict.route)))

    def _recommended(self) -> RouteKind | None:
        if self.session.choice.route is None:
            return self.session.plan.route if self.session.plan else None
        return self._advised

    _advised: RouteKind | None = None

    def _plan_each(self) -> dict[RouteKind, Plan]:
        """What each possible way would cost. Planning is pure and quick; the choice stays what it was."""
        choice = self.session.choice
        if self.session.facts is None:
            return {}
        advised = self.session.decide(replace(choice, route=None))
        self._advised = advised.route
        plans = {
            verdict.route: self.session.decide(replace(choice, route=verdict.route))
            for verdict in advised.routes
            if verdict.status is not RouteStatus.IMPOSSIBLE
        }
        self.session.decide(choice)
        return plans

    def _cost(self, verdict: RouteVerdict) -> str:
        plan = (self._plans or {}).get(verdict.route)
        if plan is None or plan.route is not verdict.route:
            return ""
        if not plan.steps:
            return self.say("page.route.nothing-to-do") if plan.verdict is Verdict.READY else ""
        restarts = sum(1 for step in plan.steps if step.needs_restart)
        return joined(
            [
                self._download(plan),
                self.say("page.route.restarts", count=restarts) if restarts else self.say("page.route.no-restart"),
                self.say("page.route.admin") if any(step.needs_admin for step in plan.steps) else self.say("page.route.no-admin"),
            ],
            self.language,
        )

    def _download(self, plan: Plan) -> str:
        if not plan.download.bytes:
            return self.say("page.route.no-download" if plan.download.is_whole else "page.route.download-unknown")
        return self.say("page.route.downloads", size=say_download(plan.download, self.language))

    def _choose(self, route: RouteKind) -> None:
        choice = self.session.choice
        wanted = None if route is self._advised else route
        if self.session.plan is None or self.session.plan.route is not route:
            self.window_.decide(replace(choice, route=wanted, python=None, new_env=None, distro=None))
        self.update_heading()

    def _explain(self) -> None:
        lines: list[str] = []
        for verdict in self._shown():
            lines.append(f"{self.say(f'page.route.name.{verdict.route.value}')}: {self.say(f'ui.status.{verdict.status.value}')}")
            lines += [f"  {self.words(reason.text)}  [{reason.code}]" for reason in verdict.reasons]
            plan = (self._plans or {}).get(verdict.route)
            lines += [f"    {number}. {self.words(step.title)}" for number, step in enumerate(plan.steps if plan else (), 1)]
            lines.append("")
        Reading(
            self.window_,
            self.say("page.route.why"),
            self.say("page.route.why-body"),
            "\n".join(lines).rstrip(),
            close=self.say("ui.close"),
            copy=self.say("ui.copy"),
        ).exec()


PAGE = RoutePage
