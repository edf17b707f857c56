"""Running programs: lines, progress, cancel, time limit, families of processes."""

import subprocess
import sys
import threading
import time

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.host.live import LiveHost
from app.host.programs import LineSplitter
from app.host.protocol import OutputLine
from app.model.cancel import Cancel
from app.model.problem import Cancelled, Problem


def run(code: str, *, cancel: Cancel | None = None, **options: object) -> tuple[int, list[OutputLine]]:
    lines: list[OutputLine] = []
    return LiveHost().execute([sys.executable, "-c", code], lines.append, cancel or Cancel(), **options), lines


def test_lines_of_both_streams_arrive_with_the_exit_code() -> None:
    code, lines = run("import sys; print('eins'); print('zwei', file=sys.stderr); sys.exit(7)")
    assert code == 7
    assert {(line.text, line.stream) for line in lines} == {("eins", "stdout"), ("zwei", "stderr")}


def test_a_carriage_return_replaces_and_colours_vanish() -> None:
    _, lines = run("import sys; sys.stdout.write('\\x1b[32m10%\\x1b[0m\\r50%\\r100%\\ndone\\r\\nrest')")
    assert [(line.text, line.replaces) for line in lines] == [("10%", False), ("50%", True), ("100%", True), ("done", False), ("rest", False)]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(st.characters(exclude_characters="\r\n\x1b", exclude_categories=["Cs"]), max_size=6), max_size=8), st.data())
def test_any_cut_into_chunks_gives_the_same_lines(words: list[str], data: st.DataObject) -> None:
    text = "".join(word + data.draw(st.sampled_from(["\n", "\r", "\r\n"])) for word in words).encode()
    whole = list(LineSplitter("stdout", "utf-8").feed(text, final=True))
    splitter, cut = LineSplitter("stdout", "utf-8"), []
    place = 0
    while place < len(text):
        step = data.draw(st.integers(1, 4))
        cut += splitter.feed(text[place : place + step])
        place += step
    assert [*cut, *splitter.feed(b"", final=True)] == whole


def test_utf16_and_broken_bytes_are_read() -> None:
    _, lines = run("import sys; sys.stdout.buffer.write('状态\\n'.encode('utf-16-le'))", encoding="utf-16-le")
    assert lines[0].text == "状态"
    _, lines = run("import sys; sys.stdout.buffer.write(b'a\\xff\\xfeb\\n')")
    assert lines[0].text.startswith("a")
    assert lines[0].text.endswith("b")


def test_an_endless_line_is_cut() -> None:
    _, lines = run("print('x' * 200_000)")
    assert max(len(line.text) for line in lines) <= 33_000 + 65_536
    assert sum(len(line.text) for line in lines) == 200_000


RUNNER = """
import sys
from app.host.live import LiveHost
from app.model.cancel import Cancel
sleeper = "import os, time; print(os.getpid(), flush=True); time.sleep(99)"
LiveHost().execute([sys.executable, "-c", sleeper], lambda line: print(line.text, flush=True), Cancel())
"""

FAMILY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"])
lone = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"], start_new_session=True)
print(child.pid, lone.pid, flush=True)
time.sleep(99)
"""


def test_cancel_ends_the_whole_family_at_once() -> None:
    cancel, pids = Cancel(), []

    def on_line(line: OutputLine) -> None:
        pids.extend(map(int, line.text.split()))
        cancel.set()

    began = time.monotonic()
    with pytest.raises(Cancelled):
        LiveHost().execute([sys.executable, "-c", FAMILY], on_line, cancel)
    assert time.monotonic() - began < 3
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline and any(is_alive(pid) for pid in pids):
        time.sleep(0.02)
    assert len(pids) == 2
    assert not any(is_alive(pid) for pid in pids)


def test_a_cancelled_token_starts_nothing() -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(Cancelled):
        run("print(1)", cancel=cancel)


def test_cancel_of_a_flood_is_quick() -> None:
    cancel = Cancel()
    threading.Timer(0.4, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        run("while True: print('flood' * 20)", cancel=cancel)
    assert time.monotonic() - began < 2.5


def test_a_time_limit_is_kept() -> None:
    with pytest.raises(Problem) as failed:
        run("import time; time.sleep(60)", timeout_s=0.3)
    assert failed.value.text.code == "run.program-timed-out"


def test_a_grandchild_that_keeps_the_pipe_does_not_hold_us_up() -> None:
    began = time.monotonic()
    code, _ = run("import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])")
    assert code == 0
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("program", ["/no/such/program", "no-such-program-anywhere"])
def test_a_program_that_is_not_there(program: str) -> None:
    with pytest.raises(Problem) as failed:
        LiveHost().execute([program], print, Cancel())
    assert failed.value.text.code == "run.program-cannot-start"


@pytest.mark.skipif(sys.platform != "linux", reason="by the parent-death signal of Linux")
def test_a_killed_program_of_ours_takes_its_children_with_it() -> None:
    with subprocess.Popen([sys.executable, "-c", RUNNER], stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout
        child = int(runner.stdout.readline())
        runner.kill()
    deadline = time.monotonic() + 3
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(child)


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
