"""A later scan knows our work again, and sees when something else has changed it."""

import json
from pathlib import Path

import pytest

from app.diagnosis import find_changed
from app.host.live import LiveHost
from app.model import codec
from app.model.cancel import Cancel
from app.model.completion import RECORD_NAME, Completion
from app.model.facts import MachineFacts
from app.model.findings import Severity
from app.model.plan import Choice
from app.model.unknown import known
from app.probes import read_completions, scan
from app.running import undo_run
from app.session import Session
from app.texts import words
from tests.running.conftest import Bench
from tests.running.index_server import IndexServer
from tests.running.worlds import change_steps, packages_of, plan_of, python_of


def facts_of(environment: Path) -> MachineFacts:
    return scan(LiveHost(), lambda _: None, Cancel(), (str(environment),)).facts


def findings(facts: MachineFacts, environment: Path) -> list:
    number = next(n for n, python in enumerate(known(facts.pythons, ())) if python.executable == python_of(environment))
    return [found for found in find_changed(facts, read_completions(LiveHost(), facts)) if found.evidence[0].startswith(f"pythons[{number}].")]


def test_what_an_update_changed_is_seen_by_the_next_scan(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0", "single==2.0"], ["alpha"]), index=index.index))
    facts = facts_of(environment)
    completion = read_completions(LiveHost(), facts)[python]
    assert (completion.run, completion.packages) == (finished.run_id, {"alpha": "2.0", "beta": "1.0", "single": "2.0"})
    assert findings(facts, environment) == []

    # An app's update: one package another version, one gone.
    site = packages_of(environment)
    metadata = site / "alpha-2.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 2.0", "Version: 2.5"))
    metadata.parent.rename(site / "alpha-2.5.dist-info")
    for path in (site / "beta-1.0.dist-info").iterdir():
        path.unlink()
    (site / "beta-1.0.dist-info").rmdir()
    (found,) = findings(facts_of(environment), environment)
    assert (found.code, found.severity) == ("resolver-conflict", Severity.WARNING)
    assert found.text.params["changes"] == "alpha 2.0 → 2.5, beta 1.0 → –"
    assert [path.rpartition(".")[2] for path in found.evidence] == ["alpha", "beta"]
    assert python in words(found.text, "en")
    session = Session(str(bench.places.state.parent))
    session.scan(Cancel(), (str(environment),))
    session.decide(Choice(python=python))
    assert found.text in [told.text for told in session.findings]
    assert found.remedy
    assert words(found.remedy.text, "zh_CN")


def test_after_an_undo_there_is_nothing_of_ours(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index))
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert findings(facts_of(environment), environment) == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no json",
        "[]",
        '{"schema": "other/1"}',
        '{"schema": "completion/1", "packages": 3}',
        '{"schema": "completion/1", "run": "x", "packages": {"alpha": 2}}',
    ],
)
def test_a_damaged_or_foreign_record_says_nothing(environment: Path, content: str) -> None:
    (packages_of(environment).parent / RECORD_NAME).write_text(content)
    assert findings(facts_of(environment), environment) == []


def test_what_we_do_not_know_of_a_record_is_no_harm(environment: Path) -> None:
    """A record of a later version of this program may say more."""
    record = Completion("r", "2026-11-30T10:00:00+00:00", "9.9", python_of(environment), "3.11.7", (), {"alpha": "1.1"}, ())
    (packages_of(environment).parent / RECORD_NAME).write_text(json.dumps({**codec.dump(record), "more": [1]}))
    (found,) = findings(facts_of(environment), environment)
    assert found.text.params["changes"] == "alpha 1.1 → 1.0"
