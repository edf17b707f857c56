"""Environment: where it should go. The recommendation first, every other one with its traps."""

from dataclasses import replace
from pathlib import PurePosixPath, PureWindowsPath

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.model.cancel import Cancel
from app.model.facts import MachineFacts
from app.model.unknown import known
from app.qt.dialogs import choose_folder
from app.qt.environment_rows import EnvironmentRow, environment_rows, grouped
from app.qt.page import Heading, Link, Page, Primary
from app.qt.parts.environment_list import EnvironmentList
from app.qt.parts.info_bar import InfoBar
from app.qt.speaking import say_count

NEW_FOLDER = "triton-environment"


class EnvironmentPage(Page):
    step = "environment"

    _list: EnvironmentList | None = None

    def rows(self) -> tuple[EnvironmentRow, ...]:
        if self.session.facts is None:
            return ()
        return environment_rows(self.session.environments(), self.session.choice, self.session.plan, self.language)

    def heading(self) -> Heading:
        facts = self.session.facts
        pythons = known(facts.pythons, ()) if facts is not None else ()
        apps = {known(python.app_root, None) or python.executable for python in pythons if known(python.app, None)}
        if not pythons:
            return Heading(self.say("page.environment.title"), self.say("page.environment.subtitle-none"))
        if not apps:
            found = say_count("page.environment.subtitle-one", "page.environment.subtitle", len(pythons), self.language)
            return Heading(self.say("page.environment.title"), found)
        if len(pythons) == 1:
            return Heading(self.say("page.environment.title"), self.say("page.environment.subtitle-one", count=1))
        code = "page.environment.subtitle-app" if len(apps) == 1 else "page.environment.subtitle-apps"
        return Heading(self.say("page.environment.title"), self.say(code, count=len(pythons), apps=len(apps)))

    def links(self) -> tuple[Link, ...]:
        if self.session.is_replay:
            return ()
        idle = not self.window_.is_busy
        return (
            Link("add-folder", self.say("page.environment.add-folder" if idle else "page.environment.searching"), "folder", self._add_folder, idle),
            Link("make-new", self.say("page.environment.make-new"), "plus", self._make_new, idle),
        )

    def primary(self) -> Primary:
        chosen = self.session.plan is not None and not self.window_.is_busy
        return Primary(self.say("page.continue"), chosen, "" if chosen else self.say("page.environment.none-chosen"))

    def first_focus(self) -> QWidget | None:
        return self._list

    def fill(self, content: QVBoxLayout) -> None:
        rows = self.rows()
        if not any(row.is_possible for row in rows):
            which = "none-fits" if rows else "none"
            content.addWidget(InfoBar("warn", self.say(f"page.environment.{which}"), self.say(f"page.environment.{which}-body")))
            content.addSpacing(12)
        if not rows:
            self._list = None
            return
        view = EnvironmentList(self.say("page.environment.list"), self.say("ui.status.recommended"))
        view.setObjectName("environments")
        counts = {
            name: say_count("page.environment.count-one", "page.environment.count", len(members), self.language) for name, members in grouped(rows) if name
        }
        view.show_rows(rows, counts, {row.key: self._spoken(row) for row in rows})
        view.chosen.connect(self._choose)
        view.copied.connect(self.window_.copy)
        self._list = view
        content.addWidget(view)

    def _spoken(self, row: EnvironmentRow) -> str:
        words = [row.name]
        if row.is_recommended:
            words.append(self.say("ui.status.recommended"))
        if row.is_chosen:
            words.append(self.say("page.environment.chosen"))
        if not row.is_possible:
            words.append(self.say("ui.status.impossible"))
        return ", ".join(words)

    def _choose(self, row: EnvironmentRow) -> None:
        if row.choice is not None and self.window_.decide(row.choice):
            self.rebuild()
            self.window_.announce(self._spoken(replace(row, is_chosen=True)))

    def _add_folder(self) -> None:
        folder = choose_folder(self, self.say("page.environment.add-folder"))
        if not folder:
            return

        def work(cancel: Cancel) -> MachineFacts:
            facts = self.session.scan(cancel, (folder,))
            self.session.decide(self.session.choice)
            return facts

        self.window_.run(work, lambda _: self.rebuild(), "scan")
        self.rebuild()

    def _make_new(self) -> None:
        folder = choose_folder(self, self.say("page.environment.make-new"))
        if not folder:
            return
        path = PureWindowsPath(folder) if folder[1:2] == ":" else PurePosixPath(folder)
        place = str(path / NEW_FOLDER)
        if self.window_.decide(replace(self.session.choice, python=None, comfyui=None, distro=None, new_env=place)):
            self.rebuild()


PAGE = EnvironmentPage
