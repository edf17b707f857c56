from dataclasses import replace

import pytest

from app.model.facts import Gap, MachineFacts, OperatingSystem
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import PlannedPython, RouteKind, Verdict
from app.model.unknown import UNKNOWN
from app.qt.machine_rows import check_rows, rows_of_probe, rows_to_come, verdict_title
from app.texts import LANGUAGES
from tests.pages.samples import FACTS, PLAN, said


def of(rows, key):
    return next(row for row in rows if row.key == key)


def finding(severity, path, automatic=False):
    return Finding("some-cause", severity, said("What is so."), (path,), Remedy("cure", said("What cures it."), automatic))


def test_a_good_machine():
    rows = check_rows(FACTS, (), "en")
    assert [row.key for row in rows if row.required] == ["graphics-card", "driver", "system", "vc-runtime", "disk", "network"]
    assert {row.judgement for row in rows if row.required} == {"good"}
    assert of(rows, "graphics-card").sentence == "NVIDIA GeForce RTX 4070, 12 GB"
    assert of(rows, "disk").sentence == "148 GB free on D:"
    assert of(rows, "long-paths").judgement == "better-if-on"
    assert of(rows, "wsl").judgement == "optional"


@pytest.mark.parametrize(
    ("severity", "automatic", "judgement"),
    [
        (Severity.BLOCKER, False, "must-fix"),
        (Severity.BLOCKER, True, "will-fix"),
        (Severity.WARNING, False, "better"),
        (Severity.WARNING, True, "will-fix"),
        (Severity.NOTE, False, "good"),
    ],
)
def test_a_finding_lands_in_the_row_of_its_evidence(severity, automatic, judgement):
    rows = check_rows(FACTS, (finding(severity, "driver.version", automatic),), "en")
    row = of(rows, "driver")
    assert row.judgement == judgement
    assert row.explanation == "What is so. What cures it."
    assert ("finding " + severity.value, "some-cause") in row.evidence
    assert all(other.judgement in {"good", "better-if-on", "optional"} for other in rows if other.key != "driver")


def test_long_paths_are_a_row_of_their_own():
    rows = check_rows(FACTS, (finding(Severity.WARNING, "os.long_paths"),), "en")
    assert of(rows, "long-paths").findings
    assert not of(rows, "system").findings


def test_what_is_not_known_is_said_with_its_reason():
    facts = MachineFacts("machine/1", OperatingSystem("windows", "10.0.26100", "x86_64"), gaps=(Gap("disks", "timed-out", "Drive E: did not answer in 5 s"),))
    rows = check_rows(facts, (), "en")
    assert of(rows, "disk").judgement == "unknown"
    assert of(rows, "disk").sentence == "Could not be read: Drive E: did not answer in 5 s"
    assert of(rows, "graphics-card").sentence == "Could not be read"
    assert of(rows, "system").judgement == "good"


def test_evidence_is_every_fact_of_the_row():
    evidence = dict(of(check_rows(FACTS, (), "en"), "driver").evidence)
    assert evidence == {"driver.version": "572.16", "driver.cuda": "12.8", "driver.problem": "(absent)"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("family", ["windows", "linux", "wsl"])
def test_rows_stand_before_anything_is_known(family, language):
    rows = rows_to_come(family, language)
    assert len(rows) >= 6
    assert {row.judgement for row in rows} == {"waiting"}
    assert all(row.title for row in rows)


def test_a_must_fix_has_a_title_in_words():
    row = of(check_rows(FACTS, (finding(Severity.BLOCKER, "driver.version"),), "en"), "driver")
    assert verdict_title(row, "en") == "The graphics driver must be changed"
    known = Finding("driver-too-old", Severity.BLOCKER, said("x"), ("driver.version",))
    assert verdict_title(of(check_rows(FACTS, (known,), "en"), "driver"), "en") == "The graphics driver is too old"


@pytest.mark.parametrize(("probe", "row"), [("gpus", ("graphics-card", "driver")), ("wsl", ("wsl",)), ("nothing", ())])
def test_probes_and_rows(probe, row):
    assert rows_of_probe(probe) == row


def test_what_a_scan_does_not_ask_is_neither_good_nor_unknown():
    facts = replace(FACTS, network=replace(FACTS.network, online=UNKNOWN), gaps=(Gap("network.online", "not-asked"),))
    row = of(check_rows(facts, (), "en"), "network")
    assert (row.judgement, row.sentence) == ("later", "Asked when something is downloaded")
    failed = replace(facts, gaps=(Gap("network.online", "failed"),))
    assert of(check_rows(failed, (), "en"), "network").judgement == "unknown"


def plan_on(python, **changes):
    return replace(PLAN, python=python, route=RouteKind.NATIVE, verdict=Verdict.READY, **changes)


def test_what_is_wrong_with_a_python_beside_the_plan_needs_nobodys_help():
    in_the_way = (finding(Severity.BLOCKER, "pythons[0].in_use_by"),)
    python = FACTS.pythons[0]
    target = PlannedPython(python.executable, python.kind, python.version)
    new = replace(target, executable=r"C:\new\python.exe", is_new=True)
    assert of(check_rows(FACTS, in_the_way, "en", plan=plan_on(target)), "pythons").judgement == "must-fix"
    beside = of(check_rows(FACTS, in_the_way, "en", plan=plan_on(new)), "pythons")
    assert beside.judgement == "good"
    assert beside.findings == in_the_way
    assert of(check_rows(FACTS, (finding(Severity.BLOCKER, "pythons"),), "en", plan=plan_on(new)), "pythons").judgement == "must-fix"


def test_only_what_the_plan_comes_to_is_said_to_be_fixed_by_it():
    absent = (finding(Severity.WARNING, "wsl", automatic=True),)
    runtime = (finding(Severity.WARNING, "vc_runtime", automatic=True),)
    native = plan_on(None)
    assert of(check_rows(FACTS, absent, "en", plan=native), "wsl").judgement == "optional"
    assert of(check_rows(FACTS, absent, "en", plan=replace(native, route=RouteKind.WSL2)), "wsl").judgement == "will-fix"
    assert of(check_rows(FACTS, runtime, "en", plan=native), "vc-runtime").judgement == "will-fix"
    blocked = replace(native, route=None, verdict=Verdict.BLOCKED)
    assert of(check_rows(FACTS, runtime, "en", plan=blocked), "vc-runtime").judgement == "better"
