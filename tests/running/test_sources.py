"""Where files come from: the person's index, others beside it, a bundle; what happens when one of them fails."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.model.events import LogLine, Outcome
from app.model.plan import PlannedPython, RouteKind
from app.running import make_bundle
from app.running.bundle import MANIFEST
from app.running.settings import Settings
from tests.running.conftest import Bench
from tests.running.index_server import Fault, IndexServer
from tests.running.made_wheels import make_wheel
from tests.running.worlds import change_steps, new_wheels, packages_of, plan_of, python_of, tree_of

ALPHA = "alpha-2.0-py3-none-any.whl"


def with_sources(steps: list, sources: tuple[str, ...]) -> list:
    return [replace(step, arguments={**step.arguments, "sources": sources}) if step.kind == "resolve" else step for step in steps]


def test_the_same_file_is_taken_from_another_source(bench: Bench, environment: Path, index: IndexServer, tmp_path: Path) -> None:
    new_wheels(tmp_path / "mirror")
    python = python_of(environment)
    with IndexServer(tmp_path / "mirror") as mirror:
        mirror.faults[ALPHA] = [Fault("status", status=403)]
        steps = with_sources(change_steps(python, ["alpha==2.0"], ["alpha"]), (mirror.index,))
        finished = bench.run(plan_of(python, steps, index=index.index))
        assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    lines = [event.line for event in bench.of(LogLine) if event.line.startswith("gets alpha")]
    assert lines == [f"gets {ALPHA} from {server.file_url(ALPHA)}" for server in (mirror, index)]


def test_another_file_of_the_same_name_is_not_taken(bench: Bench, environment: Path, tmp_path: Path) -> None:
    new_wheels(tmp_path / "mirror")
    make_wheel(tmp_path / "evil", "alpha", "2.0", {"alpha/__init__.py": b"evil = 1\n"})
    before = tree_of(environment)
    python = python_of(environment)
    with IndexServer(tmp_path / "mirror") as mirror, IndexServer(tmp_path / "evil", hashes=False) as evil:
        mirror.faults[ALPHA] = [Fault("status", status=403)]
        steps = with_sources(change_steps(python, ["alpha==2.0"], ["alpha"]), (mirror.index,))
        finished = bench.run(plan_of(python, steps, index=evil.index))
        assert any(path.endswith(ALPHA) for path, _ in evil.requests)
    assert finished.problem
    assert finished.problem.code == "run.download-refused"
    assert tree_of(environment) == before


def test_a_source_that_is_down_is_left_out(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    steps = with_sources(change_steps(python, ["alpha==2.0"], ["alpha"]), ("http://127.0.0.1:9/simple",))
    finished = bench.run(plan_of(python, steps, index=index.index))
    assert finished.outcome is Outcome.DONE
    assert any("leaves out http://127.0.0.1:9" in event.line for event in bench.of(LogLine))


def test_no_source_at_all_is_said_as_such(bench: Bench, environment: Path) -> None:
    before = tree_of(environment)
    steps = change_steps(python_of(environment), ["alpha==2.0"], ["alpha"])
    finished = bench.run(plan_of(python_of(environment), steps, index="http://127.0.0.1:9/simple"))
    assert finished.problem
    assert (finished.problem.code, finished.problem.params["sources"]) == ("run.no-source-answers", "http://127.0.0.1:9/simple")
    assert any(event.line == "cause: network-failed" for event in bench.of(LogLine))
    assert tree_of(environment) == before


def test_a_default_index_out_of_reach_is_known_by_what_the_installer_says(bench: Bench, environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Set where only uv looks: to us it is the installers' own default.
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE", "UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("app.running.sources.read_settings", lambda *_: Settings())
    monkeypatch.setattr("app.running.resolvers.Sources.uv_arguments", lambda _: ["--default-index", "http://127.0.0.1:9/simple"])
    finished = bench.run(plan_of(python_of(environment), change_steps(python_of(environment), ["alpha==2.0"], ["alpha"])))
    assert finished.problem
    assert finished.problem.code == "run.no-source-answers"
    assert str(finished.problem.params["sources"]).startswith("http://127.0.0.1:9/simple/")


def test_an_index_that_lies_about_a_hash_changes_nothing(bench: Bench, environment: Path, index: IndexServer) -> None:
    before = tree_of(environment)
    index.lies[ALPHA] = "0" * 64
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index))
    assert finished.problem
    assert finished.problem.code == "run.hash-mismatch"
    assert tree_of(environment) == before


def test_a_hash_of_the_plan_is_held_against_the_index(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    steps = [
        replace(step, arguments={**step.arguments, "hashes": {"alpha==2.0": "1" * 64}}) if step.kind == "resolve" else step
        for step in change_steps(python, ["alpha==2.0"], ["alpha"])
    ]
    finished = bench.run(plan_of(python, steps, index=index.index))
    assert finished.problem
    assert finished.problem.code == "run.hash-mismatch"


def test_a_wheel_by_its_address(bench: Bench, environment: Path, index: IndexServer) -> None:
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, [index.file_url("single-2.0-py3-none-any.whl")], ["single"]), index=index.index))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (packages_of(environment) / "single.py").read_text() == "__version__ = '2.0'\n"


@pytest.mark.parametrize("fault", [[Fault("drop", 50)], [Fault("short", 10), Fault("status", status=500)]], ids=["drop", "short+500"])
def test_a_bad_line_is_gone_through(bench: Bench, environment: Path, index: IndexServer, fault: list[Fault]) -> None:
    index.faults[ALPHA] = list(fault)
    python = python_of(environment)
    assert bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index)).outcome is Outcome.DONE


def test_the_persons_own_pip_settings_are_honoured(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.index)
    python = python_of(environment)
    assert bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]))).outcome is Outcome.DONE


def test_local_links_of_pip_are_used(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    local = make_wheel(tmp_path / "links, with comma", "onlyhere", "1.0+cpu")
    monkeypatch.setenv("PIP_INDEX_URL", index.index)
    monkeypatch.setenv("UV_FIND_LINKS", "")
    pip_conf = tmp_path / "no-config" / "pip" / "pip.conf"
    pip_conf.parent.mkdir(parents=True)
    pip_conf.write_text(f"[global]\nfind-links = {local.parent.as_uri()}\n")
    python = python_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["onlyhere==1.0"], ["onlyhere"])))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (packages_of(environment) / "onlyhere-1.0+cpu.dist-info").is_dir()


def test_without_uv_pip_does_it_all(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("resolvers", "staging", "environments"):
        monkeypatch.setattr(f"app.running.{module}.find_uv", lambda: None)
    python = python_of(environment)
    before = tree_of(environment)
    finished = bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha", "beta"]), index=index.index))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert (packages_of(environment) / "alpha" / "new.py").is_file()
    assert (environment / "share" / "beta" / "table.txt").is_file()
    from app.running import undo_run

    undo_run(finished.run_id, bench.host, bench.events.append, bench.cancel, places=bench.places)
    assert tree_of(environment) == before


def test_a_bundle_installs_without_a_network(bench: Bench, environment: Path, index: IndexServer, tmp_path: Path) -> None:
    python = python_of(environment)
    plan = plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]), index=index.index)
    bundle = tmp_path / "bundle"
    made = make_bundle(plan, bench.host, bench.events.append, bench.cancel, bundle, places=bench.places)
    assert (made.outcome, made.problem) == (Outcome.DONE, None)
    assert {path.name for path in bundle.glob("*.whl")} == {ALPHA, "beta-1.0-py3-none-any.whl"}
    assert json.loads((bundle / MANIFEST).read_text())["schema"] == "bundle/1"
    index.requests.clear()
    again = make_bundle(plan, bench.host, bench.events.append, bench.cancel, bundle, places=bench.places)
    assert again.outcome is Outcome.DONE
    assert not [path for path, _ in index.requests if path.endswith(".whl")]

    index.requests.clear()
    steps = [
        replace(step, arguments={**step.arguments, "find_links": str(bundle)}) if step.kind == "resolve" else step
        for step in change_steps(python, ["alpha==2.0"], ["alpha", "beta"])
    ]
    finished = bench.run(plan_of(python, steps))
    assert (finished.outcome, finished.problem) == (Outcome.DONE, None)
    assert index.requests == []


def test_a_bundle_holds_the_files_of_the_other_machine(bench: Bench, index: IndexServer, tmp_path: Path) -> None:
    """Made here for an embedded Python on Windows; no Python is fetched to read its tags."""
    for tag in ("cp312-cp312-win_amd64", "cp311-cp311-win_amd64", "cp312-cp312-manylinux_2_17_x86_64"):
        make_wheel(index.folder, "native", "1.0", tag=tag)
    python = "C:\\ComfyUI\\python_embeded\\python.exe"
    plan = plan_of(python, change_steps(python, ["native==1.0"], ["native"]), index=index.index)
    plan = replace(plan, route=RouteKind.NATIVE, python=PlannedPython(python, "embedded", "3.12.10"))
    made = make_bundle(plan, bench.host, bench.events.append, bench.cancel, tmp_path / "bundle", places=bench.places)
    assert (made.outcome, made.problem) == (Outcome.DONE, None)
    assert [path.name for path in (tmp_path / "bundle").glob("*.whl")] == ["native-1.0-cp312-cp312-win_amd64.whl"]
    (asked,) = [event.line for event in bench.of(LogLine) if "pip compile" in event.line]
    assert "--no-python-downloads" in asked


def test_links_of_pip_that_are_gone_are_left_out(bench: Bench, environment: Path, index: IndexServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.index)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "gone"))
    python = python_of(environment)
    assert bench.run(plan_of(python, change_steps(python, ["alpha==2.0"], ["alpha"]))).outcome is Outcome.DONE
    lines = [event.line for event in bench.of(LogLine)]
    assert f"leaves out {tmp_path / 'gone'}: no such folder" in lines
    assert not [line for line in lines if "--dry-run" in line and "--report" in line], "uv did it"


def test_a_folder_with_something_else_in_it_is_no_place_for_a_bundle(bench: Bench, environment: Path, tmp_path: Path) -> None:
    from app.model.problem import Problem

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mine.txt").write_text("x")
    python = python_of(environment)
    with pytest.raises(Problem):
        make_bundle(plan_of(python, change_steps(python, ["alpha==2.0"], [])), bench.host, print, bench.cancel, tmp_path / "docs", places=bench.places)
