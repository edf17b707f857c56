"""A payload that crashes, hangs, lies or babbles is a result, not an end. Real processes throughout."""

import sys
import time
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.model.cancel import Cancel
from app.model.events import Event, LogLine, ProofArrived
from app.model.problem import Cancelled
from app.model.proof import Check
from app.proof import payloads
from app.proof.payloads import Heard, Payload, Target, run_payload

PROLOGUE = """
import ctypes, json, os, sys, time
names = sys.argv[sys.argv.index("--checks") + 1].split(",") if "--checks" in sys.argv else []
def say(kind, **content): print(json.dumps({"proof": kind, **content}), flush=True)
def passed(name): say("started", check=name); say("check", check=name, outcome="passed", detail="fine", numbers={"pid": os.getpid()})
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: LiveHost):
    (tmp_path / "payloads").mkdir()
    monkeypatch.setattr(payloads, "assets", lambda: tmp_path)
    events: list[Event] = []

    def run(body: str, checks: tuple[str, ...] = ("a", "b", "c"), limit_s: float = 30.0, cancel: Cancel | None = None, python: str = sys.executable) -> Heard:
        (tmp_path / "payloads" / "p.py").write_text(PROLOGUE + body, encoding="utf-8")
        return run_payload(Target(python, host, events.append, cancel or Cancel()), Payload("p.py", checks, limit_s, {}))

    run.events = events
    return run


def outcomes(heard: Heard) -> list[tuple[str, str]]:
    return [(check.code, check.outcome) for check in heard.checks]


def find(heard: Heard, code: str) -> Check:
    return next(check for check in heard.checks if check.code == code)


def test_checks_are_reported_as_they_end(run):
    heard = run("for name in names: passed(name)\nsay('finished')")
    assert outcomes(heard) == [("a", "passed"), ("b", "passed"), ("c", "passed")]
    assert len({check.numbers["pid"] for check in heard.checks}) == 1
    arrived = [(event.code, event.outcome) for event in run.events if isinstance(event, ProofArrived)]
    assert arrived == [("a", "running"), ("a", "passed"), ("b", "running"), ("b", "passed"), ("c", "running"), ("c", "passed")]


def test_a_crash_fails_its_check_and_the_rest_runs_in_a_new_process(run):
    heard = run("""
for name in names:
    if name == "b":
        say("started", check=name); sys.stderr.write("the last words\\n"); sys.stderr.flush(); os._exit(3)
    passed(name)
say("finished")
""")
    assert outcomes(heard) == [("a", "passed"), ("b", "failed"), ("c", "passed")]
    assert find(heard, "b").numbers == {"ended": "crash", "exit_code": 3}
    assert find(heard, "b").detail == "exit code 3: the last words"
    assert find(heard, "a").numbers["pid"] != find(heard, "c").numbers["pid"]


def test_an_access_violation_is_a_result(run):
    heard = run("""
for name in names:
    say("started", check=name)
    if name == "a": ctypes.string_at(0)
    say("check", check=name, outcome="passed", detail="", numbers={})
say("finished")
""")
    assert outcomes(heard) == [("a", "failed"), ("b", "passed"), ("c", "passed")]
    assert find(heard, "a").numbers["ended"] == "crash"
    assert find(heard, "a").numbers["exit_code"] != 0


def test_a_hang_ends_after_the_limit_and_the_rest_runs(run):
    began = time.monotonic()
    heard = run(
        """
for name in names:
    if name == "b":
        say("started", check=name); time.sleep(600)
    passed(name)
say("finished")
""",
        limit_s=3.0,
    )
    assert outcomes(heard) == [("a", "passed"), ("b", "failed"), ("c", "passed")]
    assert find(heard, "b").numbers["ended"] == "time-limit"
    assert time.monotonic() - began < 30


def test_a_check_that_talks_is_not_silent(run):
    heard = run(
        """
say("started", check="a")
for _ in range(8):
    print("still compiling", flush=True); time.sleep(0.5)
say("check", check="a", outcome="passed", detail="", numbers={}); say("finished")
""",
        checks=("a",),
        limit_s=3.0,
    )
    assert outcomes(heard) == [("a", "passed")]


def test_a_process_that_never_begins_says_why_and_is_tried_once(run):
    heard = run("raise ImportError('DLL load failed while importing libtriton')")
    assert outcomes(heard) == [("a", "failed"), ("b", "skipped"), ("c", "skipped")]
    assert "DLL load failed while importing libtriton" in find(heard, "a").detail
    assert find(heard, "b").numbers == {"reason": "not-started"}


def test_a_python_that_is_not_there(run, tmp_path: Path):
    heard = run("", python=str(tmp_path / "no python" / "python.exe"))
    assert outcomes(heard)[0] == ("a", "failed")
    assert find(heard, "a").numbers["ended"] == "cannot-start"


def test_checks_it_does_not_know_are_skipped(run):
    heard = run("passed('a'); say('finished')")
    assert [(check.code, check.numbers.get("reason")) for check in heard.checks[1:]] == [("b", "not-offered"), ("c", "not-offered")]


@pytest.mark.parametrize(
    "line",
    [
        "'{\"proof\"'",
        "'{\"proof\": 5}'",
        "'{\"proof\": ' + '[' * 100000",
        '\'{"proof": "check", "check": "other", "outcome": "passed"}\'',
        '\'{"proof": "check", "check": "a", "outcome": "splendid"}\'',
        '\'{"proof": "check", "check": [1], "outcome": "passed"}\'',
        "'\\x1b[2J' + chr(0) + 'x' * 200000",
    ],
)
def test_foreign_output_changes_no_result(run, line: str):
    heard = run(f"print({line}, flush=True); passed('a'); say('finished')", checks=("a",))
    assert outcomes(heard) == [("a", "passed")]


def test_ordinary_lines_reach_the_log(run):
    run("print('from torch', flush=True); passed('a'); say('finished')", checks=("a",))
    assert [(event.line, event.source) for event in run.events if isinstance(event, LogLine)] == [("from torch", "stdout")]


def test_cancelling_ends_the_process_and_says_so(run):
    cancel = Cancel()
    began = time.monotonic()
    run.events.clear()

    class Once(list):
        def append(self, event):
            super().append(event)
            cancel.set()

    with pytest.raises(Cancelled):
        run_payload(
            Target(sys.executable, LiveHost(), Once().append, cancel),
            Payload(_write(payloads.assets() / "payloads", PROLOGUE + "say('started', check='a'); time.sleep(600)"), ("a",), 300, {}),
        )
    assert time.monotonic() - began < 20


def _write(folder: Path, text: str) -> str:
    (folder / "q.py").write_text(text, encoding="utf-8")
    return "q.py"
