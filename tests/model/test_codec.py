"""The codec: round trips, strictness, and one clear line for whatever does not fit."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model import codec
from app.model.events import Event, LogLine, Outcome, RunFinished, RunStarted, StepProgress
from app.model.facts import Gap, Gpu, MachineFacts, OperatingSystem, Python
from app.model.findings import Finding, Remedy, Severity
from app.model.plan import Choice, Goal, Plan, PlannedPython, RouteKind, RouteStatus, RouteVerdict, Step, Verdict
from app.model.problem import ExitCode, Problem
from app.model.report import Report
from app.model.text import Text
from app.model.unknown import UNKNOWN, known

FACTS = MachineFacts(
    schema="machine/1",
    os=OperatingSystem("windows", "10.0.26100", "x86_64", locale=None),
    gpus=(Gpu("nvidia", "RTX", compute_capability="8.9", memory_bytes=None),),
    pythons=(Python("C:\\p\\python.exe", "venv", "3.12.1", packages={"torch": "2.8.0+cu128"}, in_use_by=()),),
    gaps=(Gap("wsl", "timed-out"),),
)
PLAN = Plan(
    verdict=Verdict.READY,
    route=RouteKind.NATIVE,
    routes=(RouteVerdict(RouteKind.NATIVE, RouteStatus.READY),),
    python=PlannedPython("C:\\p\\python.exe", "venv", "3.12.1"),
    findings=(Finding("onedrive-path", Severity.NOTE, Text("t", {"n": 1}), ("os.temp",), Remedy("move", Text("r"), False)),),
    packages={"torch": "2.8.0"},
    steps=(Step("a", "swap", Text("s"), ("pip", "install"), download_bytes=None, arguments={"pins": ("a==1",), "on": True, "map": {"k": "v"}, "n": 3}),),
    download_bytes=1,
    disk_bytes=2,
    keeps=("torch",),
    choice=Choice(goals=(Goal.TRITON, Goal.VLLM)),
)
EVENTS: tuple[Event, ...] = (
    RunStarted("r", ("a",), (1.0,), "now"),
    StepProgress("a", 0.5, "x.whl", 1, 2, 3, 4),
    LogLine("a", "line", "now", "stderr", replaces=True),
    RunFinished("r", Outcome.FAILED, 1.5, Text("p"), put_back=True),
)


@pytest.mark.parametrize("value", [FACTS, PLAN, Report("now", "1", FACTS, Choice(), PLAN, EVENTS)], ids=["facts", "plan", "report"])
def test_values_round_trip_byte_for_byte(value: object) -> None:
    text = codec.dumps(value)
    again = codec.load(codec.parse(text, "x"), type(value), "x")
    assert again == value
    assert codec.dumps(again) == text


def test_not_known_is_left_out_and_absent_is_null() -> None:
    document = codec.dump(FACTS)
    assert "cpu" not in document
    assert document["os"]["locale"] is None
    assert "temp" not in document["os"]
    assert document["pythons"][0]["in_use_by"] in ((), [])


def test_unknown_supports_no_claim() -> None:
    assert not UNKNOWN
    assert known(FACTS.driver, None) is None
    assert known(FACTS.gpus, ()) == FACTS.gpus


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"schema": "machine/1"}, "$.os"),
        ({"schema": "machine/2", "os": {}}, "$.schema"),
        ([], "list"),
        ({"schema": "machine/1", "os": {"family": "windows", "version": 3, "arch": "x86_64"}}, "$.os.version"),
        ({"schema": "machine/1", "os": {"family": "windows", "version": "3", "arch": "x86_64"}, "extra": 1}, "extra"),
        ({"schema": "machine/1", "os": {"family": "windows", "version": "3", "arch": "x86_64"}, "gpus": [{"vendor": "x", "name": "y"}]}, "$.gpus[0].vendor"),
        ({"schema": "machine/1", "os": {"family": "windows", "version": "3", "arch": "x86_64"}, "gpus": "abc"}, "$.gpus"),
        ({"schema": "machine/1", "os": {"family": "windows", "version": "3", "arch": "x86_64"}, "cpu": {"cores": True}}, "$.cpu"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(document: object, place: str) -> None:
    with pytest.raises(Problem) as refused:
        codec.load(document, MachineFacts, "file.json")
    assert refused.value.exit_code is ExitCode.BAD_INPUT
    assert place in str(refused.value.text.params["where"])
    assert refused.value.text.params["file"] == "file.json"


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": NaN', "\x00"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(Problem) as refused:
        codec.parse(text, "x")
    assert refused.value.exit_code is ExitCode.BAD_INPUT


def test_deep_nesting_is_refused_before_anything_walks_it() -> None:
    with pytest.raises(Problem):
        codec.parse("[" * 100 + "]" * 100, "x")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["schema", "os", "gpus", "pythons", "name", "version", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(json_values, st.sampled_from([MachineFacts, Plan, Report, Choice, Event]))
def test_no_document_crashes_the_codec(document: object, type_: type) -> None:
    codes = []
    try:
        codec.load(document, type_, "x")
    except Problem as problem:
        codes.append(problem.exit_code)
    assert codes in ([], [ExitCode.BAD_INPUT])


def test_shared_machines_round_trip() -> None:
    folder = Path(__file__).parents[2].parent / "shared" / "cases" / "machines"
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        facts = codec.load(document, MachineFacts, path.name)
        assert json.loads(codec.dumps(facts)) == document
