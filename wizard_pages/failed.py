"""Failed: what went wrong and what now? Cause, evidence, remedies, and that everything is as before."""

import io

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.events import Outcome, RunFinished, StepFinished, StepStarted
from app.model.findings import Diagnosis, LogFinding
from app.qt.dialogs import Reading
from app.qt.failure import Evidence, answer_of, evidence_of, how_sure, read_log
from app.qt.help import save_report, support_card
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.action_row import ActionRow, align_buttons
from app.qt.parts.button import Button
from app.qt.parts.card import Rows
from app.qt.parts.cause_card import CauseCard
from app.qt.parts.chip import Chip, Icon
from app.qt.parts.layout import row
from app.qt.parts.log_card import LogCard, link
from app.qt.parts.words import Words


class FailedPage(Page):
    step = "install"

    _log: str = ""
    _has_read = False
    _shows_help = False

    def arrive(self) -> None:
        """The log is read and understood in a thread; the page stands at once with what the run itself said."""
        self._log, self._has_read, self._shows_help = "", False, False
        self.window_.is_committed = False
        finished = self.session.last_run
        if finished is None or self.window_.is_preview:
            self._has_read = True
            self._log = "\n".join(getattr(event, "line", "") for event in self.session.events if event.type == "log-line")
            return
        self.session.diagnosis = None

        def work(_cancel: Cancel) -> tuple[bytes, Diagnosis | None]:
            log = read_log(self.session, finished.run_id)
            return log, self.session.diagnose(io.BytesIO(log), is_own_run=True) if log else None

        def done(result: tuple[bytes, Diagnosis | None]) -> None:
            self._log, self._has_read = result[0].decode("utf-8", "replace"), True
            self.rebuild()
            if self._focus is not None:
                self._focus.setFocus()
            self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}", assertive=True)

        self.window_.run(work, done, "diagnose")

    # --- values ---------------------------------------------------------------------------------------------------

    @property
    def _finished(self) -> RunFinished | None:
        return self.session.last_run

    @property
    def _is_cancelled(self) -> bool:
        return self._finished is not None and self._finished.outcome is Outcome.CANCELLED

    @property
    def _cause(self) -> LogFinding | None:
        return None if self._is_cancelled else answer_of(self.session.diagnosis)

    def _failed_part(self) -> tuple[int, int, str]:
        """Number of the step that failed, number of steps, its title."""
        started: list[StepStarted] = [event for event in self.session.events if isinstance(event, StepStarted)]
        failed = next((e for e in reversed(self.session.events) if isinstance(e, StepFinished) and e.outcome is Outcome.FAILED), None)
        steps = [step.id for step in self.session.plan.steps] if self.session.plan else []
        if failed is None or failed.step_id not in steps:
            return 0, len(steps), ""
        title = next((self.words(event.title) for event in reversed(started) if event.step_id == failed.step_id), failed.step_id)
        return steps.index(failed.step_id) + 1, len(steps), title

    def _problem(self) -> str:
        if self._finished is not None and self._finished.problem is not None:
            return self.words(self._finished.problem)
        failed = next((e for e in reversed(self.session.events) if isinstance(e, StepFinished) and e.problem is not None), None)
        return self.words(failed.problem) if failed is not None else ""

    # --- what is shown --------------------------------------------------------------------------------------------

    def heading(self) -> Heading:
        if self._finished is None and not self.session.events:
            return Heading(self.say("page.failed.title-none"), self.say("page.failed.subtitle-none"))
        back = self._finished is None or self._finished.put_back
        if self._is_cancelled:
            code = "cancelled" if back else "cancelled-not-back"
            return Heading(self.say(f"page.failed.title-{code}"), self.say(f"page.failed.subtitle-{code}"))
        number, count, title = self._failed_part()
        known = "known" if self._cause is not None else "reading" if not self._has_read else "not-known"
        subtitle = self.say(f"page.failed.subtitle-{known}")
        if number:
            part = self.say("page.failed.part", number=number, count=count, title=title)
            subtitle = f"{part} {subtitle}" if self.language == "en" else part + subtitle
        return Heading(self.say("page.failed.title" if back else "page.failed.title-not-back"), subtitle)

    def links(self) -> tuple[Link, ...]:
        return (
            Link("start-over", self.say("page.failed.start-over"), "refresh", self.window_.start_over),
            Link("copy-details", self.say("page.failed.copy-details"), "copy", self._copy_details),
        )

    def primary(self) -> Primary:
        if self._finished is not None and not self._finished.put_back:
            return Primary(self.say("page.failed.put-back-again"), not self.window_.is_busy, arrow=False)
        if self._can_fix or self._is_cancelled:
            return Primary(self.say("page.failed.try-again" if self._is_cancelled else "page.failed.fix"), not self.window_.is_busy)
        return Primary(self.say("page.failed.save-report"), not self.window_.is_busy, arrow=False)

    @property
    def _can_fix(self) -> bool:
        return self._cause is not None and self._cause.remedy.automatic

    def go_on(self) -> None:
        if self._finished is not None and not self._finished.put_back:
            self._put_back()
        elif self._can_fix or self._is_cancelled:
            # The facts changed or may have: read again, plan again, show it before anything is done.
            self.session.facts = None
            self.window_.go("machine")
        else:
            save_report(self.window_)

    def secondary(self) -> Link | None:
        return Link("back", self.say("page.back"), "", self._back, not self.window_.is_busy)

    def _back(self) -> None:
        self.window_.go("review")

    def first_focus(self) -> QWidget | None:
        return self._focus

    _focus: QWidget | None = None

    def fill(self, content: QVBoxLayout) -> None:
        self._focus = None
        if self._finished is None and not self.session.events:
            content.addWidget(support_card(self.window_))
            return
        cause = self._cause
        if not self._is_cancelled:
            card = self._cause_card(cause)
            self._focus = card
            content.addWidget(card)
        content.addWidget(self._state_line())
        content.addSpacing(8)
        if self._shows_help:
            content.addWidget(support_card(self.window_))
            content.addSpacing(12)
        content.addWidget(Words(self.say("page.failed.what-now"), "strong"))
        content.addSpacing(8)
        content.addWidget(self._remedies(cause))
        if self._log and not self._is_cancelled:
            content.addSpacing(16)
            content.addWidget(self._evidence(cause))

    def _cause_card(self, cause: LogFinding | None) -> CauseCard:
        if cause is not None:
            sure = self.say(f"page.cause.sure-{how_sure(cause.confidence)}")
            return CauseCard(self.words(cause.title), self.words(cause.explanation), sure, tinted=True)
        title = self.say("page.failed.reading") if not self._has_read else self._problem() or self.say("page.failed.no-words")
        return CauseCard(title, self.say("page.failed.not-known-body") if self._has_read else "", "", tinted=True)

    def _state_line(self) -> QWidget:
        back = self._finished is None or self._finished.put_back
        holder = QWidget()
        line = row(holder, 12, (16, 12, 16, 12))
        line.addWidget(Icon("check-circle" if back else "warning", "good" if back else "warn"))
        line.addWidget(Words(self.say("page.failed.as-before" if back else "page.failed.not-back")), 1)
        return holder

    def _remedies(self, cause: LogFinding | None) -> Rows:
        card, rows = Rows(), []
        if cause is not None:
            steps = [self.words(step) for step in cause.remedy.steps]
            show = Button(self.say("page.failed.show-steps"), "second", small=True)
            show.setObjectName("show-steps")
            show.clicked.connect(lambda: self._show_steps(steps))
            chip = Chip(self.say("ui.status.recommended"), "accent", "check")
            first = steps[0] if steps else self.words(cause.title)
            body = self.say("page.failed.by-itself" if cause.remedy.automatic else "page.failed.by-you")
            rows.append(ActionRow("wrench", first, body, show, chip=chip if len(first) < 60 else None, small=False))
        ask = Button(self.say("page.failed.get-help"), "second", small=True)
        ask.setObjectName("get-help")
        ask.clicked.connect(self._show_help)
        rows.append(ActionRow("document", self.say("page.failed.ask"), self.say("page.failed.ask-body"), ask, small=False))
        for entry in rows:
            card.add(entry)
        align_buttons(rows)
        return card

    def _evidence(self, cause: LogFinding | None) -> LogCard:
        evidence = evidence_of(cause, self._log.split("\n"))
        card = LogCard(
            self.say("page.failed.evidence"), self._evidence_note(evidence), (link(self.say("page.failed.whole-log"), "open", self._open_log),), stamp=0
        )
        card.text.setPlainText(evidence.text)
        card.text.tint_lines({place for place, (number, _) in enumerate(evidence.lines) if number in evidence.tinted})
        card.text.fit_to_content()
        return card

    def _evidence_note(self, evidence: Evidence) -> str:
        if not evidence.tinted:
            return self.say("page.failed.last-lines", total=f"{evidence.total:,}")
        numbers = sorted(evidence.tinted)
        shown = self.say("page.failed.lines-and", first=numbers[0], last=numbers[-1]) if len(numbers) > 1 else str(numbers[0])
        return self.say("page.failed.lines-of", lines=shown, total=f"{evidence.total:,}")

    # --- acts -----------------------------------------------------------------------------------------------------

    def _put_back(self) -> None:
        finished = self._finished
        assert finished is not None

        def work(cancel: Cancel) -> RunFinished:
            return self.session.put_back(finished.run_id, cancel)

        def done(result: RunFinished) -> None:
            if result.outcome is Outcome.DONE or result.put_back:
                from dataclasses import replace

                self.session.last_run = replace(finished, put_back=True)
            self.rebuild()
            self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}")

        self.window_.run(work, done, "put back")
        self.rebuild()

    def _show_steps(self, steps: list[str]) -> None:
        text = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        Reading(self.window_, self.say("page.failed.show-steps"), "", text, close=self.say("ui.close"), copy=self.say("ui.copy"), wraps=True).exec()

    def _show_help(self) -> None:
        self._shows_help = True
        self.rebuild()

    def _open_log(self) -> None:
        Reading(self.window_, self.say("page.failed.whole-log"), "", self._log, close=self.say("ui.close"), copy=self.say("ui.copy")).exec()

    def _copy_details(self) -> None:
        cause = self._cause
        evidence = evidence_of(cause, self._log.split("\n"))
        parts = [self.accessibleName(), self._problem(), f"[{cause.code}]" if cause else "", evidence.text, self.window_.support_code]
        self.window_.copy("\n".join(part for part in parts if part))


PAGE = FailedPage
