"""The swap: look once more, then exchange files by renames. Only this moment touches what the person uses."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name

from app.host.answers import Holder
from app.model.events import StepProgress
from app.model.plan import Step
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.running.acts import MadeFolder, Swapped, trees_of
from app.running.journal import read_acts
from app.running.moves import Moves, dump_moves, load_moves, perform, plan_moves
from app.running.resolving import check_keeps, read_resolution
from app.running.run import Run, list_argument, text_argument
from app.running.staging import stage, staging_folder
from app.running.target import Target, files_of, installed
from app.running.wheelhouse import check_files, wheelhouse
from app.running.wheels import Resolution

_NAMED_HOLDERS: Final = 4
_PATIENCE_S: Final = (0.2, 0.5, 1.0)


def check_free(step: Step, run: Run) -> None:
    """Problem, naming the programs, if something uses the environment."""
    python = text_argument(step, "python")
    if not Path(python).exists():
        return
    refuse_if_held(run, run.target(python), ())


def swap(step: Step, run: Run) -> None:
    """Takes out what goes, brings in what was unpacked. Takes up a swap that an interrupted run had begun."""
    target = run.target(text_argument(step, "python"))
    act, moves = _begun(step, run) or _prepared(step, run, target)
    refuse_if_held(run, target, moves.aside)
    run.say(step, f"moves {len(moves.aside)} entries aside and {len(moves.inward)} in")
    began = time.perf_counter()
    perform(moves, trees_of(act), run.host, run.cancel.check)
    run.flush_soon(target.root, moves.files)
    run.say(step, f"exchanged {len(moves.files)} files in {time.perf_counter() - began:.2f} s")
    run.progress(StepProgress(step.id, 1.0))


def exchange(step: Step, run: Run, target: Target, staged: Path, removed: Sequence[str]) -> None:
    """Brings the tree `staged` into the environment as an act that an undo takes back."""
    act, moves = _begun(step, run) or _announce(step, run, target, staged, removed)
    perform(moves, trees_of(act), run.host, run.cancel.check)
    run.flush_soon(target.root, moves.files)


def refuse_if_held(run: Run, target: Target, files: Sequence[str]) -> None:
    """Problem (exit code 3) that names the programs that use the environment."""
    _refuse(run, target.root, [str(file) for path in files for file in _single_files(target.root / path)])


def refuse_held_roots(run: Run) -> None:
    """The same for every environment that this run has touched, asking no Python."""
    for act in read_acts(run.folder):
        root = act.root if isinstance(act, Swapped) else act.path if isinstance(act, MadeFolder) else None
        if root and Path(root).exists():
            _refuse(run, Path(root), ())


def _refuse(run: Run, root: Path, files: Sequence[str]) -> None:
    holders = run.host.find_holders(str(root), files)
    for wait_s in _PATIENCE_S:
        if not holders:
            return
        # A program that was just closed takes a moment to go.
        run.cancel.wait(wait_s)
        run.cancel.check()
        holders = run.host.find_holders(str(root), files)
    if holders:
        raise Problem(Text("run.environment-in-use", {"programs": _names(holders), "path": str(root)}), ExitCode.BLOCKED, cause="file-locked")


def _single_files(path: Path) -> "list[Path]":
    return [file for file in path.rglob("*") if file.is_file()] if path.is_dir() and not path.is_symlink() else [path]


def _names(holders: Sequence[Holder]) -> str:
    shown = [f"{holder.name} ({holder.pid})" if holder.pid else holder.path for holder in holders[:_NAMED_HOLDERS]]
    return ", ".join(shown) + (" …" if len(holders) > _NAMED_HOLDERS else "")


def _prepared(step: Step, run: Run, target: Target) -> tuple[Swapped, Moves]:
    resolution = read_resolution(run) if _brings(step) else Resolution((), (), (), "")
    present = installed(target)
    keeps = list_argument(step, "keeps") or tuple(keep for other in run.plan.steps if other.kind == "resolve" for keep in list_argument(other, "keeps"))
    # Facts go stale: between the resolve and now the person may have changed the environment.
    goes = {canonicalize_name(name) for name in list_argument(step, "removes")} | set(resolution.replaced)
    check_keeps(keeps, replace(resolution, replaced=tuple(goes)), present)
    house = wheelhouse(run.places.cache, resolution)
    check_files(run, resolution.wheels, house)
    stage(step, run, target, resolution.wheels, house)
    goes |= {wheel.name for wheel in resolution.wheels}
    for name in sorted(goes & set(present)):
        run.say(step, f"moves aside {name} {present[name]}")
    return _announce(step, run, target, _tree(step, run, target), files_of(target, frozenset(goes)))


def _brings(step: Step) -> bool:
    """Whether the step brings packages in; a step that names none only removes."""
    return "packages" not in step.arguments or bool(list_argument(step, "packages"))


def _tree(step: Step, run: Run, target: Target) -> Path:
    staged = staging_folder(run, target)
    return staged if _brings(step) else staged.with_name(f"staged-{step.id}")


def _announce(step: Step, run: Run, target: Target, staged: Path, removed: Sequence[str]) -> tuple[Swapped, Moves]:
    work = run.work_folder(target.root)
    staged.mkdir(parents=True, exist_ok=True)
    moves = plan_moves(target.root, staged, removed)
    number = len(read_acts(run.folder))
    document = run.folder / f"moves-{number}.json"
    run.host.write_file(str(document), dump_moves(moves))
    act = Swapped(step.id, str(target.root), str(work / f"aside-{number}"), str(staged), str(work / f"discarded-{number}"), str(document))
    run.journal.intend(act)
    return act, moves


def _begun(step: Step, run: Run) -> tuple[Swapped, Moves] | None:
    """The exchange that this step had announced before the run was interrupted, finished or not; making it again does no harm."""
    found = next((act for act in reversed(read_acts(run.folder)) if isinstance(act, Swapped) and act.step == step.id), None)
    return None if found is None else (found, load_moves(Path(found.moves).read_bytes(), found.moves))
