"""Big wheels are unpacked while they arrive; whatever goes wrong on the way, nothing unchecked gets in and the file itself is used then."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from app.host.relay import Relay
from app.model.events import LogLine, Outcome, StepProgress
from app.running import run_plan, undo_run
from app.running.journal import Journal, read_acts
from app.running.run import Run
from app.running.staging import stage, staging_folder
from app.running.wheels import wheel_of
from tests.running.conftest import Bench
from tests.running.index_server import Fault, IndexServer
from tests.running.made_wheels import make_wheel
from tests.running.worlds import change_steps, packages_of, plan_of, python_of, step, tree_of

CONTENT = random.Random(7).randbytes(700_000)


@pytest.fixture
def big(index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a wheel that counts as a big one; it shares a folder with what is there and brings a script."""
    monkeypatch.setattr("app.running.staging._BIG_BYTES", 500_000)
    files = {"big/__init__.py": b"__version__ = '1.0'\n", "big/data.bin": CONTENT, "shared/big_part.py": b"b = 1\n"}
    return make_wheel(index.folder, "big", "1.0", files, scripts=["big-tool"]).name


def run(bench: Bench, environment: Path, index: IndexServer):
    python = python_of(environment)
    return bench.run(plan_of(python, change_steps(python, ["big==1.0", "alpha==2.0"], ["big", "alpha"]), index=index.index))


def test_a_big_wheel_is_unpacked_while_it_arrives(bench: Bench, environment: Path, index: IndexServer, big: str) -> None:
    before = tree_of(environment)
    index.faults[big] = [Fault("slow", 700_000)]
    finished = run(bench, environment, index)
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    lines = [event.line for event in bench.of(LogLine)]
    assert [line for line in lines if "arriving-big" in line]
    assert len([line for line in lines if line.strip() == "+ big==1.0"]) == 2, "named by the resolver, unpacked once"
    site = packages_of(environment)
    assert (site / "big" / "data.bin").read_bytes() == CONTENT
    assert {path.name for path in (site / "shared").iterdir() if path.suffix == ".py"} == {"alpha_part.py", "big_part.py", "keeper_part.py"}
    assert (environment / "bin" / "big-tool").is_file()
    assert not list((site / "big-1.0.dist-info").glob("direct_url*"))
    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(environment) == before


@pytest.mark.parametrize(
    "faults",
    [
        [Fault("slow", 700_000), Fault("drop", 300_000)],
        [Fault("drop", 400_000), Fault("no-range")],
        [Fault("drop", 400_000), Fault("wrong-range"), Fault("none")],
        [Fault("short", 500_000), Fault("status", status=500)],
    ],
    ids=["dropped", "begun-anew", "other-range", "broken"],
)
def test_a_bad_line_ends_well(bench: Bench, environment: Path, index: IndexServer, big: str, faults: list[Fault]) -> None:
    index.faults[big] = faults
    finished = run(bench, environment, index)
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (packages_of(environment) / "big" / "data.bin").read_bytes() == CONTENT


def test_bytes_that_are_not_the_promised_ones_never_get_in(bench: Bench, environment: Path, index: IndexServer, big: str) -> None:
    before = tree_of(environment)
    index.lies[big] = "0" * 64
    index.faults[big] = [Fault("slow", 700_000)]
    finished = run(bench, environment, index)
    assert finished.problem
    assert (finished.problem.code, finished.put_back) == ("run.hash-mismatch", True)
    assert len([event for event in bench.of(LogLine) if event.line.strip() == "+ big==1.0"]) == 1, "named by the resolver only"
    assert tree_of(environment) == before


def test_without_the_relay_the_file_itself_is_unpacked(bench: Bench, environment: Path, index: IndexServer, big: str, monkeypatch: pytest.MonkeyPatch) -> None:
    index.faults[big] = [Fault("slow", 1_400_000)]
    monkeypatch.setattr(Relay, "index", "http://127.0.0.1:9/nobody/simple/")
    assert run(bench, environment, index).outcome is Outcome.DONE
    assert (packages_of(environment) / "big" / "data.bin").read_bytes() == CONTENT


def test_cancel_while_it_arrives(bench: Bench, environment: Path, index: IndexServer, big: str) -> None:
    before = tree_of(environment)
    index.faults[big] = [Fault("slow", 100_000)]
    moment: list[float] = []

    def emit(event: object) -> None:
        bench.events.append(event)
        if isinstance(event, StepProgress) and event.done_bytes and not moment:
            moment.append(time.monotonic())
            threading.Timer(0.5, bench.cancel.set).start()

    python = python_of(environment)
    finished = run_plan(plan_of(python, change_steps(python, ["big==1.0"], ["big"]), index=index.index), bench.host, emit, bench.cancel, places=bench.places)
    assert time.monotonic() - moment[0] < 1.5
    assert (finished.outcome, finished.put_back) == (Outcome.CANCELLED, True)
    assert tree_of(environment) == before


@pytest.fixture
def run_of_one(bench: Bench, tmp_path: Path) -> Iterator[Run]:
    """A run whose steps are made by hand."""
    with (tmp_path / "log").open("ab", buffering=0) as log:
        run = Run("r", tmp_path / "run", plan_of(None, []), bench.host, bench.cancel, bench.places, Journal(tmp_path / "run"), bench.events.append, log)
        yield run
        run.journal.close()


def test_threads_that_unpack_at_once_share_one_folder(environment: Path, run_of_one: Run) -> None:
    together = threading.Barrier(8)

    def ask(_: int) -> Path:
        together.wait()
        return run_of_one.work_folder(environment)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    assert len(read_acts(run_of_one.folder)) == 1


def test_what_a_kill_left_half_unpacked_is_made_whole(environment: Path, run_of_one: Run, tmp_path: Path) -> None:
    """Metadata that are there say nothing of the files they name."""
    made = make_wheel(tmp_path / "wheels", "big", "1.0", {"big/__init__.py": b"b = 1\n", "big/deep/data.bin": b"data", "shared/big_part.py": b"b = 1\n"})
    target = run_of_one.target(python_of(environment))
    wheel, unpack = wheel_of(made.as_uri(), "f" * 64, None), step("download", "download")
    stage(unpack, run_of_one, target, [wheel], made.parent)
    staged = staging_folder(run_of_one, target)
    whole = tree_of(staged)
    site = staged / packages_of(environment).relative_to(environment)
    (site / "big" / "deep" / "data.bin").unlink()
    (site / "shared" / "big_part.py").unlink()
    (site / "shared" / "big_part.py").write_text("half")
    for mark in staged.with_name("staged-marks").iterdir():
        mark.unlink()
    stage(unpack, run_of_one, target, [wheel], made.parent)
    assert tree_of(staged) == whole


class TestRelay:
    @pytest.fixture
    def target(self, tmp_path: Path) -> Path:
        (tmp_path / "a-1.0-py3-none-any.whl.part").write_bytes(CONTENT)
        return tmp_path / "a-1.0-py3-none-any.whl"

    def test_the_end_waits_until_the_file_is_found_right(self, target: Path) -> None:
        relay = Relay()
        arrival = relay.offer("a", "1.0", target.name, "f" * 64, target)
        page = httpx.get(f"{relay.index}a/").text
        assert f"#sha256={'f' * 64}" in page
        got = bytearray()
        ended = threading.Event()

        def read() -> None:
            with httpx.stream("GET", relay.index.replace("simple/", target.name)) as answer:
                for chunk in answer.iter_raw():
                    got.extend(chunk)
            ended.set()

        threading.Thread(target=read, daemon=True).start()
        arrival.tell(len(CONTENT), len(CONTENT))
        assert not ended.wait(0.5)
        assert CONTENT.startswith(got)
        assert 0 < len(got) < len(CONTENT)
        target.with_name(f"{target.name}.part").rename(target)
        arrival.complete()
        assert ended.wait(5)
        assert bytes(got) == CONTENT
        relay.close()

    def test_nobody_else_finds_anything(self, target: Path) -> None:
        relay = Relay()
        relay.offer("a", "1.0", target.name, "f" * 64, target)
        root = relay.index.rsplit("/", 3)[0]
        for path in ("/", "/simple/a/", f"/{target.name}", f"/wrong/{target.name}", "/wrong/simple/a/", f"/{'%2e' * 3}/etc/passwd"):
            assert httpx.get(root + path).status_code == 404
        for path in ("b/", "../other.whl", "../../etc/passwd"):
            assert httpx.get(relay.index + path).status_code == 404
        relay.close()

    def test_a_reader_is_let_go_when_it_is_given_up(self, target: Path) -> None:
        relay = Relay()
        arrival = relay.offer("a", "1.0", target.name, "f" * 64, target)
        arrival.tell(400_000, len(CONTENT))
        with httpx.stream("GET", relay.index.replace("simple/", target.name)) as answer:
            parts = answer.iter_raw()
            next(parts)
            arrival.give_up()
            with pytest.raises(httpx.RemoteProtocolError):
                list(parts)
        relay.close()
