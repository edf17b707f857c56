"""Resolve: which exact files make the wanted packages fit into the target, without changing what must stay.

uv is asked first, being quick; pip, the reference, where uv has no answer. Both see the same sources.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from app.host.downloads import shown
from app.model import codec
from app.model.plan import Step
from app.model.problem import Problem
from app.model.text import Text
from app.running.resolvers import Question, ask_pip, ask_uv, lock_elsewhere, pip_report
from app.running.run import Run, list_argument, text_argument
from app.running.sources import choose_sources, no_answer
from app.running.target import Target, files_of, installed
from app.running.wheels import Resolution, name_of

RESOLUTION: Final = "resolution"


def resolve(step: Step, run: Run) -> None:
    """Keeps the resolution as a note of the run. Problem if there is none, or only one that changes a kept package."""
    target = run.target(text_argument(step, "python"))
    run.host.expect_downloads()
    requirements = list_argument(step, "requirements")
    keeps = list_argument(step, "keeps")
    resolution = _with_planned_hashes(step, _ask(step, run, requirements, keeps))
    present = installed(target)
    check_keeps(keeps, resolution, present)
    for wheel in resolution.wheels:
        run.say(step, f"needs {wheel.filename}" + (f" ({wheel.size_bytes:,} bytes)" if wheel.size_bytes else ""))
    for name in resolution.replaced:
        run.say(step, f"replaces {name} {present.get(name, '')}")
    run.keep_note(RESOLUTION, codec.dump(resolution))


def read_resolution(run: Run) -> Resolution:
    """The resolution an earlier step kept; an empty one where no step resolved anything."""
    note = run.note(RESOLUTION)
    return Resolution((), (), (), "") if note is None else codec.load(note, Resolution, RESOLUTION)


def check_keeps(keeps: Iterable[str], resolution: Resolution, present: dict[str, str]) -> None:
    """The promise of the plan. Problem if a kept package (`name==version`) would change or is another one already."""
    coming = {wheel.name: wheel.version for wheel in resolution.wheels}
    for keep in keeps:
        name, _, version = keep.partition("==")
        name = canonicalize_name(name.strip())
        if name in coming:
            raise Problem(Text("run.keep-would-change", {"package": keep, "wanted": f"{name}=={coming[name]}"}), cause="resolver-conflict")
        if name in resolution.replaced:
            raise Problem(Text("run.keep-would-go", {"package": keep}), cause="resolver-conflict")
        if version and not _same(present.get(name), version):
            raise Problem(Text("run.keep-is-another", {"package": keep, "found": present.get(name, "–")}), cause="resolver-conflict")


def _same(found: str | None, expected: str) -> bool:
    try:
        return found is not None and Version(found) == Version(expected.strip())
    except InvalidVersion:
        return found == expected.strip()


def resolve_only(step: Step, run: Run, requirements: tuple[str, ...]) -> Resolution:
    """A resolution for this step alone, not kept for others."""
    return _ask(step, run, requirements, list_argument(step, "keeps"))


def resolve_elsewhere(step: Step, run: Run, python_version: str, platform: str | None) -> Resolution:
    """The files of a resolve step for another machine with a fresh environment."""
    requirements = list_argument(step, "requirements")
    choices = choose_sources(step, run, None, requirements)
    for sources in choices:
        resolution = lock_elsewhere(step, run, sources, requirements, python_version=python_version, platform=platform)
        if resolution is not None:
            return _with_planned_hashes(step, resolution)
    raise no_answer(step, run, choices, requirements) or Problem(Text("run.no-solution", {"requirements": ", ".join(requirements)}), cause="resolver-conflict")


def _ask(step: Step, run: Run, requirements: tuple[str, ...], keeps: tuple[str, ...]) -> Resolution:
    target = run.target(text_argument(step, "python"))
    again = _reinstalled(run, target, requirements, list_argument(step, "reinstall"))
    questions = [Question(step, run, target, requirements, keeps, again, sources) for sources in choose_sources(step, run, target, requirements)]
    for ask in (ask_uv, ask_pip):
        for question in questions:
            answer = ask(question)
            if answer is not None:
                return answer
    raise no_answer(step, run, [question.sources for question in questions], requirements) or _why_not(questions[0])


def _reinstalled(run: Run, target: Target, requirements: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    """Packages that must come again though they are there: those that lose files to a package which this plan removes."""
    leaving = frozenset(canonicalize_name(name) for step in run.plan.steps if step.kind == "swap" for name in list_argument(step, "removes"))
    if not leaving:
        return asked
    lost = frozenset(files_of(target, leaving))
    present = installed(target)
    names = [name for name in map(name_of, requirements) if name in present and name not in leaving]
    return (*asked, *(name for name in names if lost & frozenset(files_of(target, frozenset({name})))))


def _with_planned_hashes(step: Step, resolution: Resolution) -> Resolution:
    """Holds the answer against the hashes that the plan knows. Problem if an index lists another file."""
    planned = step.arguments.get("hashes", {})
    known = {name_of(requirement): sha256.lower() for requirement, sha256 in planned.items()} if isinstance(planned, Mapping) else {}
    wheels = []
    for wheel in resolution.wheels:
        expected = known.get(wheel.name, wheel.sha256)
        if wheel.sha256 is not None and expected != wheel.sha256:
            raise Problem(Text("run.hash-mismatch", {"url": shown(wheel.url)}), cause="hash-mismatch")
        wheels.append(replace(wheel, sha256=expected))
    return replace(resolution, wheels=tuple(wheels))


def _why_not(question: Question) -> Problem:
    """Names the requirement that wants a kept package changed, where that is what stands in the way."""
    run, step = question.run, question.step
    if question.keeps:
        run.say(step, "No solution with the kept packages as they are; looking for what wants them changed")
        report = pip_report(replace(question, keeps=()))
        names = {canonicalize_name(keep.partition("==")[0].strip()) for keep in question.keeps}
        for item in report or ():
            name = canonicalize_name(item["metadata"]["name"])
            if name in names:
                wanted_by = ", ".join(_wanted_by(report or (), name, question.requirements)) or "–"
                keep = next(keep for keep in question.keeps if canonicalize_name(keep.partition("==")[0].strip()) == name)
                wanted = f"{name}=={item['metadata']['version']}"
                return Problem(Text("run.keep-wanted-changed", {"package": keep, "wanted": wanted, "by": wanted_by}), cause="resolver-conflict")
    return Problem(Text("run.no-solution", {"requirements": ", ".join(question.requirements)}), cause="resolver-conflict")


def _wanted_by(report: Iterable[dict[str, Any]], name: str, requirements: Iterable[str]) -> list[str]:
    found = [requirement for requirement in requirements if _names(requirement, name)]
    for item in report:
        for requirement in item["metadata"].get("requires_dist", []):
            if _names(requirement, name):
                found.append(f"{item['metadata']['name']} {item['metadata']['version']} ({requirement.partition(';')[0].strip()})")
    return found


def _names(requirement: str, name: str) -> bool:
    try:
        parsed = Requirement(requirement)
    except InvalidRequirement:
        return False
    return canonicalize_name(parsed.name) == name and bool(parsed.specifier)
