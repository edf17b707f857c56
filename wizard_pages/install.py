"""Install: how far is it? The real run in a thread, its steps, its log; cancelling puts everything back."""

import time

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.events import Outcome, RunFinished, StepProgress
from app.model.problem import Problem
from app.qt.bridge import Batch
from app.qt.look import look
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.card import Card, Rows
from app.qt.parts.info_bar import InfoBar
from app.qt.parts.layout import column, row, set_shown
from app.qt.parts.log_card import LogCard, link
from app.qt.parts.progress import Progress, State
from app.qt.parts.step_row import StepWidget
from app.qt.parts.words import Words
from app.qt.run_model import RunModel, StepRow
from app.qt.speaking import joined, say_bytes_of, say_count, say_duration, say_left, say_speed

QUARTERS = (25, 50, 75, 100)
TEXT_EVERY_S = 0.5
"""Figures change at most this often, so that they can be read."""


class InstallPage(Page):
    step = "install"

    def __init__(self, window: object, key: str) -> None:
        super().__init__(window, key)  # type: ignore[arg-type]  # Window, named there
        self.model = RunModel()
        self._shows_log = True
        self._is_stopping = False
        self._said = 0
        self._written_at = 0.0
        self._steps: dict[str, StepWidget] = {}
        self._log: LogCard | None = None
        self._log_look: object = None

    # --- the run --------------------------------------------------------------------------------------------------

    def arrive(self) -> None:
        if self.session.last_run is None and not self.window_.is_busy:
            self.model = RunModel.of(self.session.plan)
            self._drop_log()

    def _drop_log(self) -> None:
        if self._log is not None:
            self._log.deleteLater()
            self._log = None

    def start(self, resume: str | None = None) -> None:
        """Runs the plan, or goes on with an interrupted run."""
        self.model = RunModel.of(self.session.plan if resume is None else None)
        self._drop_log()
        self._is_stopping, self._said = False, 0
        self.window_.is_committed = True

        def work(cancel: Cancel) -> RunFinished:
            return self.session.install(cancel, resume)

        self.window_.run(work, self._on_finished, "install", self._on_problem)
        self.rebuild()

    def take(self, batch: Batch) -> None:
        """News of the run, at most every 80 ms."""
        before = [row.id for row in self.model.rows]
        for event in batch.events:
            self.model.take(event)
        if batch.logs:
            shown = self.model.take_lines(batch.logs, batch.log_count)
            if self._log is not None:
                self._log.text.add_lines(shown, batch.logs[0].replaces)
                self._log.note.setText(self._line_count())
        if [row.id for row in self.model.rows] != before:
            self.rebuild()
            return
        if any(not isinstance(event, StepProgress) for event in batch.events) or time.monotonic() - self._written_at >= TEXT_EVERY_S:
            self._write()
        self._say_quarters()

    def _on_finished(self, finished: RunFinished) -> None:
        self.model.take(finished)
        if finished.outcome in {Outcome.FAILED, Outcome.CANCELLED}:
            self.window_.go("failed")
            return
        if self._needs_restart:
            self.rebuild()
        else:
            self._write()
        self.window_.announce(f"{self.accessibleName()}. {self.accessibleDescription()}")
        if self.is_current and self.window_.footer.primary is not None:
            self.window_.footer.primary.setFocus()

    def _on_problem(self, problem: Problem) -> None:
        self.window_.is_committed = False
        self.window_.tell(problem)
        self.window_.back()

    def _cancel(self) -> None:
        if self.window_.ask(
            self.say("page.install.cancel-question"),
            self.say("page.install.cancel-body"),
            self.say("page.install.cancel-yes"),
            self.say("page.install.cancel-no"),
        ):
            self._is_stopping = True
            self.window_.stop_work()
            self.update_heading()
            self._write()

    # --- what is shown --------------------------------------------------------------------------------------------

    @property
    def _is_done(self) -> bool:
        finished = self.model.finished
        return finished is not None and finished.outcome in {Outcome.DONE, Outcome.SKIPPED, Outcome.RESTART_NEEDED}

    @property
    def _needs_restart(self) -> bool:
        return self.model.finished is not None and (self.model.finished.restart_required or self.model.finished.outcome is Outcome.RESTART_NEEDED)

    def heading(self) -> Heading:
        if self._needs_restart:
            return Heading(self.say("page.install.title-restart"), self.say("page.install.subtitle-restart"))
        if self._is_done:
            assert self.model.finished is not None
            took = say_duration(self.model.finished.seconds, self.language)
            return Heading(self.say("page.install.title-done"), self.say("page.install.subtitle-done", took=took))
        if self._is_stopping:
            return Heading(self.say("page.install.title-stopping"), self.say("page.install.subtitle-stopping"))
        if not self.window_.is_busy:
            return Heading(self.say("page.install.title-waiting"), self.say("page.install.subtitle-waiting"))
        number, count = min(self.model.current + 1, len(self.model.rows)), len(self.model.rows)
        title = self.say("page.install.title", number=number, count=count) if count else self.say("page.install.title-starting")
        return Heading(title, self.say("page.install.subtitle"))

    def links(self) -> tuple[Link, ...]:
        shown = (
            Link(
                "hide-log",
                self.say("page.install.hide-log" if self._shows_log else "page.install.show-log"),
                "chevron-up" if self._shows_log else "chevron-down",
                self.toggle_log,
            ),
        )
        if not self.window_.is_busy:
            return shown
        return (*shown, Link("cancel", self.say("page.install.cancel"), "x", self._cancel, not self._is_stopping, self.say("page.install.is-stopping")))

    def primary(self) -> Primary:
        if self._needs_restart:
            return Primary(self.say("ui.close"), arrow=False)
        return Primary(self.say("page.continue"), self._is_done, "" if self._is_done else self.say("page.install.wait"))

    def go_on(self) -> None:
        if self._needs_restart:
            self.window_.close()
        else:
            self.window_.forward()

    def first_focus(self) -> QWidget | None:
        return self._overall

    def fill(self, content: QVBoxLayout) -> None:
        if self._needs_restart:
            content.addWidget(InfoBar("info", self.say("page.install.restart-title"), self.say("page.install.restart-body")))
            content.addSpacing(12)
        content.addWidget(self._make_overall())
        content.addSpacing(12)
        card = Rows()
        self._steps = {}
        for step in self.model.rows:
            widget = StepWidget(self.words(step.title))
            self._steps[step.id] = widget
            card.add(widget)
        if self.model.rows:
            content.addWidget(card)
            content.addSpacing(12)
        look_now = (look().language, look().text_scale, look().colours)
        if self._log is None or self._log_look != look_now:
            self._log = self._make_log()
            self._log_look = look_now
        self._log.note.setText(self._line_count())
        content.addWidget(self._log, 1)
        set_shown(self._log, self._shows_log)
        self._write(at_once=True)

    def keep(self) -> None:
        """The log stays: filling it again with all it holds would take longer than a person likes to wait."""
        if self._log is not None:
            self._log.hide()
            self._log.setParent(self)

    def empty(self) -> None:
        super().empty()
        self._log = None

    def _make_log(self) -> LogCard:
        card = LogCard(
            self.say("page.install.log"),
            self._line_count(),
            (link(self.say("page.install.search"), "search", self.search_log), link(self.say("ui.copy"), "copy", self._copy_log)),
        )
        card.add_newest_button(self.say("page.install.newest"))
        card.text.setMinimumHeight(120)
        card.text.add_lines(list(self.model.lines))
        return card

    def _make_overall(self) -> QWidget:
        card = Card()
        card.setFocusPolicy(card.focusPolicy().TabFocus)
        self._overall = card
        box = column(card, 8, (16, 12, 16, 16))
        line = row(gap=12)
        self._percent = Words("", "number", one_line=True)
        self._left = Words("", "body", "text_2", one_line=True)
        self._bytes = Words("", "body", "text_2", one_line=True)
        line.addWidget(self._percent)
        line.addWidget(self._left, 1)
        line.addWidget(self._bytes)
        box.addLayout(line)
        self._bar = Progress(self.model.weights)
        box.addWidget(self._bar)
        return card

    def _write(self, *, at_once: bool = False) -> None:
        """Writes the figures of now into the widgets that are there."""
        self._written_at = time.monotonic()
        percent = f"{self.model.fraction * 100:.0f}%"
        left = self.model.seconds_left
        if self._is_done:
            percent, left_text = "100%", self.say("page.install.finished")
        elif self._is_stopping:
            left_text = self.say("page.install.putting-back")
        else:
            left_text = say_left(left, self.language) if left is not None else ""
        self._percent.setText(percent)
        self._left.setText(left_text)
        state: State = "finished" if self._is_done else "paused" if self._is_stopping else "running"
        self._bar.set_state(state)
        self._bar.set_value(len(self.model.rows) if self._is_done else self.model.value, at_once=at_once)
        if self.window_.is_busy:
            self.window_.away.show_progress(self.model.fraction, "paused" if self._is_stopping else "running")
        current = self.model.rows[self.model.current] if self.model.current < len(self.model.rows) else None
        self._bytes.setText(self._sizes(current))
        for step in self.model.rows:
            widget = self._steps.get(step.id)
            if widget is not None:
                widget.show_step(self._step_title(step), step.state, self._step_note(step), self._file_fraction(step))
        self._overall.setAccessibleName(joined([self.say("page.install.overall"), percent, left_text], self.language).replace(" · ", ", "))
        if not at_once:
            self.update_heading()

    def _sizes(self, step: StepRow | None) -> str:
        news = step.progress if step is not None and step.state == "running" else None
        if news is None or news.done_bytes is None:
            return ""
        speed = say_speed(news.bytes_per_second, self.language) if news.bytes_per_second else ""
        return joined([say_bytes_of(news.done_bytes, news.total_bytes, self.language), speed], self.language)

    def _step_title(self, step: StepRow) -> str:
        title = self.words(step.title)
        if step.state == "running" and step.progress is not None and step.progress.item:
            return self.say("page.install.step-item", title=title, item=step.progress.item)
        return title

    def _step_note(self, step: StepRow) -> str:
        if step.state in {"done", "skipped", "failed", "cancelled"}:
            return self.say(f"page.install.step-{step.state}")
        news = step.progress
        if step.state != "running" or news is None:
            return ""
        parts = []
        if news.item_index is not None and news.item_count:
            parts.append(self.say("page.install.step-package", number=news.item_index, count=news.item_count))
        if news.seconds_left is not None:
            parts.append(say_left(news.seconds_left, self.language))
        return joined(parts, self.language)

    @staticmethod
    def _file_fraction(step: StepRow) -> float | None:
        news = step.progress
        if news is not None and news.done_bytes is not None and news.total_bytes:
            return min(news.done_bytes / news.total_bytes, 1.0)
        return step.fraction

    def _line_count(self) -> str:
        return say_count("page.install.line", "page.install.lines", self.model.line_count, self.language)

    def _say_quarters(self) -> None:
        percent = round(self.model.fraction * 100)
        reached = max((quarter for quarter in QUARTERS if percent >= quarter), default=0)
        if reached > self._said:
            self._said = reached
            self.window_.announce(self._overall.accessibleName())

    # --- the log --------------------------------------------------------------------------------------------------

    def toggle_log(self) -> None:
        self._shows_log = not self._shows_log
        if self._log is not None:
            self._log.setVisible(self._shows_log)
        self.window_.show_frame()

    def search_log(self) -> None:
        if self._log is not None and self._shows_log:
            self._log.open_search(self.say("page.install.search-hint"))

    def _copy_log(self) -> None:
        self.window_.copy("\n".join(self.model.lines))


PAGE = InstallPage
