"""What runs there were, from their journals."""

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.host.places import Places
from app.model import codec
from app.model.events import Event
from app.model.plan import Plan
from app.model.problem import Problem
from app.model.text import Text
from app.running.journal import JOURNAL, PLAN, State, read_journal, read_state, run_folder, runs_folder

EVENTS: Final = "events.jsonl"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. `environment` is the Python it worked on, None where it worked on none. `title` says what it was for."""

    id: str
    started: str
    environment: str | None
    state: State
    goals: tuple[str, ...]
    title: Text

    @property
    def python(self) -> str | None:
        return self.environment


def list_runs(places: Places) -> tuple[RunRecord, ...]:
    """All runs of this user that have a journal, newest first. A run that is still going on shows as unfinished."""
    folder = runs_folder(places.state)
    if not folder.is_dir():
        return ()
    records = [record for place in folder.iterdir() if (record := read_record(place)) is not None]
    return tuple(sorted(records, key=lambda record: (record.started, record.id), reverse=True))


def read_record(folder: Path) -> RunRecord | None:
    """The record of one run; None where its journal never began."""
    if not (folder / JOURNAL).is_file():
        return None
    begun = next((entry for entry in read_journal(folder) if entry.kind == "begun"), None)
    if begun is None:
        return None
    goals = tuple(begun.values.get("goals", ()))
    title = Text("run.title", {"goals": ", ".join(goals)})
    return RunRecord(folder.name, begun.time, begun.values.get("environment"), read_state(folder), goals, title)


def plan_of(run_id: str, places: Places) -> Plan:
    """The plan a run was begun with. Problem if there is no such run."""
    return read_plan(run_folder(places.state, run_id))


def read_plan(folder: Path) -> Plan:
    """The plan a run was begun with. Problem if the file is gone or damaged."""
    path = folder / PLAN
    if not path.is_file():
        raise Problem(Text("run.no-such-run", {"run": folder.name}))
    return codec.load(codec.parse(path.read_bytes(), PLAN), Plan, PLAN)


def keep_event(folder: Path, event: Event) -> None:
    """Notes how a run went, for reports made in a later start. Where it cannot be written only these are poorer."""
    with contextlib.suppress(OSError), (folder / EVENTS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(codec.dump(event), ensure_ascii=False) + "\n")


def events_of(run_id: str, places: Places) -> tuple[Event, ...]:
    """How a run went, without its log; what a power cut tore or another version wrote is left out."""
    path = run_folder(places.state, run_id) / EVENTS
    events: list[Event] = []
    with contextlib.suppress(OSError):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(Problem):
                events.append(codec.load(codec.parse(line, EVENTS), Event, EVENTS))  # type: ignore[arg-type]  # a union of classes
    return tuple(events)
