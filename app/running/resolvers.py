"""The two resolvers, uv and pip, asked which files make packages fit into a target. Neither writes anything there."""

import json
import os
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from packaging.utils import canonicalize_name

from app.host.protocol import OutputLine
from app.model.plan import Step
from app.running.run import Run
from app.running.sources import Sources
from app.running.target import Target, installed
from app.running.tools import find_uv, lend_pip
from app.running.wheels import Resolution, Wheel, name_of, wheel_of

_TIME_LIMIT_S: Final = 600.0
_BEST: Final = ("--only-binary", ":all:", "--index-strategy", "unsafe-best-match")
_COMPILE: Final = ("pip", "compile", "--quiet", "--no-header", "--format", "pylock.toml", *_BEST)
_UNREACHED: Final = re.compile(r"Failed to fetch: `?(https?://[^\s`]+)")
"""How uv names what it could not fetch."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a resolver. `keeps` (`name==version`) limit the answer, `reinstall` names come even where they are there."""

    step: Step
    run: Run
    target: Target
    requirements: tuple[str, ...]
    keeps: tuple[str, ...]
    reinstall: tuple[str, ...]
    sources: Sources


def write_list(run: Run, name: str, lines: Iterable[str]) -> str:
    """A requirements file in the run's folder."""
    return str(run.lend_file(f"{name}.txt", "".join(f"{line}\n" for line in lines)))


def ask_uv(question: Question) -> Resolution | None:
    """Two questions: which packages change in this environment, then which files those exact versions are. None: no answer."""
    base = _uv(question.run, question.sources)
    if base is None:
        return None
    if not installed(question.target):
        # Nothing there that could change: one question is enough.
        wheels = _files_by_uv(question, base, write_list(question.run, "requirements", question.requirements))
        return None if wheels is None else Resolution(wheels, (), question.sources.listed, "uv")
    changes = _changes_by_uv(question, base)
    if changes is None:
        return None
    comes, goes = changes
    if not comes:
        return Resolution((), goes, question.sources.listed, "uv")
    addresses = {name_of(requirement): requirement for requirement in question.requirements if "://" in requirement}
    pins = (f"{name} @ {addresses[name]}" if name in addresses else f"{name}=={version}" for name, version in comes.items())
    wheels = _files_by_uv(question, base, write_list(question.run, "pins", pins), "--no-deps")
    return None if wheels is None or len(wheels) != len(comes) else Resolution(wheels, goes, question.sources.listed, "uv")


def _changes_by_uv(question: Question, base: list[str]) -> tuple[dict[str, str], tuple[str, ...]] | None:
    """Names and versions of what comes into this environment, and the names of what goes out of it; None: no answer."""
    run, target = question.run, question.target
    argv = [*base, "pip", "install", "--dry-run", "--output-format", "json", "--python", target.executable, *_BEST]
    argv += ["--constraint", write_list(run, "keeps", question.keeps)] if question.keeps else []
    argv += [*question.sources.uv_arguments(), "-r", write_list(run, "requirements", question.requirements)]
    argv += [argument for name in question.reinstall for argument in ("--reinstall-package", name)]
    # Nothing is written here; the plan decides elsewhere whether such a Python may be changed.
    argv += ["--break-system-packages"] if target.is_managed else []
    document = _json_answer(question, argv, question.sources.uv_variables())
    if document is None:
        return None
    changes = document.get("changes", [])
    comes = {str(canonicalize_name(change["name"])): str(change["version"]) for change in changes if change["action"] in ("installed", "reinstalled")}
    goes = sorted({canonicalize_name(change["name"]) for change in changes if change["action"] in ("uninstalled", "reinstalled")})
    return comes, tuple(goes)


def _files_by_uv(question: Question, base: list[str], wanted: str, *more: str) -> tuple[Wheel, ...] | None:
    """The files that fulfil the requirements of the file `wanted` in the target; None: no answer."""
    argv = [*base, *_COMPILE, *more, "--python", question.target.executable, *question.sources.uv_arguments(), wanted]
    return _locked(question.step, question.run, argv, question.sources.uv_variables())


def lock_elsewhere(step: Step, run: Run, sources: Sources, requirements: Iterable[str], *, python_version: str, platform: str | None) -> Resolution | None:
    """The files for a fresh environment of another machine: `platform` as uv names it, None for this one."""
    base = _uv(run, sources)
    if base is None:
        return None
    argv = [*base, *_COMPILE, *_this_python(run), "--python-version", python_version, *(["--python-platform", platform] if platform else [])]
    wheels = _locked(step, run, [*argv, *sources.uv_arguments(), write_list(run, "requirements", requirements)], sources.uv_variables())
    return None if wheels is None else Resolution(wheels, (), sources.listed, "uv")


def _this_python(run: Run) -> list[str]:
    """uv reads the wheels' tags of another machine with the help of any Python of this one; it must not fetch one for that."""
    planned = run.plan.python.executable if run.plan.python else ""
    ours = [sys.executable] if not getattr(sys, "frozen", False) else []
    found = next((python for python in (*ours, planned) if Path(python).is_file()), None)
    return ["--no-python-downloads", *(["--python", found] if found else [])]


def _uv(run: Run, sources: Sources) -> list[str] | None:
    uv = find_uv()
    return None if uv is None else [uv, "--no-config", "--cache-dir", str(run.places.cache / "uv"), *(["--offline"] if sources.offline else [])]


def _locked(step: Step, run: Run, argv: list[str], environment: dict[str, str]) -> tuple[Wheel, ...] | None:
    lock = _answer(step, run, argv, environment)
    return None if lock is None else tuple(_wheel_of_lock(package) for package in tomllib.loads(lock).get("packages", []))


def _wheel_of_lock(package: dict[str, Any]) -> Wheel:
    files = package.get("wheels") or [package.get("archive") or {}]
    # uv lists what this Python can use, best first by its own order; a lock made for one Python holds one.
    file = files[0]
    url = file.get("url") or Path(file["path"]).absolute().as_uri()
    return replace(wheel_of(url, file.get("hashes", {}).get("sha256"), file.get("size")), name=canonicalize_name(package["name"]))


def _json_answer(question: Question, argv: list[str], environment: dict[str, str]) -> dict[str, Any] | None:
    text = _answer(question.step, question.run, argv, environment)
    try:
        document = None if text is None else json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _answer(step: Step, run: Run, argv: list[str], environment: dict[str, str]) -> str | None:
    """What a program says on its standard output; None if it failed."""
    lines: list[str] = []

    def keep(line: OutputLine) -> bool:
        if line.stream == "stdout":
            lines.append(line.text)
        elif failed := _UNREACHED.search(line.text):
            run.unreached.append(failed[1])
        return line.stream == "stdout"

    code = run.execute(step, argv, environment=environment, timeout_s=_TIME_LIMIT_S, keep=keep)
    return "\n".join(lines) if code == 0 else None


def ask_pip(question: Question) -> Resolution | None:
    report = pip_report(question)
    if report is None:
        return None
    present = installed(question.target)
    wheels = [wheel_of(item["download_info"]["url"], item["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256"), None) for item in report]
    goes = tuple(sorted(wheel.name for wheel in wheels if wheel.name in present))
    return Resolution(tuple(wheels), goes, question.sources.listed, "pip")


def pip_report(question: Question) -> list[dict[str, Any]] | None:
    run = question.run
    pip = lend_pip(run.places.cache)
    if pip is None:
        return None
    report = run.folder / "pip-report.json"
    argv = [question.target.executable, "-s", "-B", "-X", "utf8", pip, "install", "--dry-run", "--quiet", "--report", str(report), "--only-binary", ":all:"]
    argv += ["-r", write_list(run, "requirements", question.requirements), "-c", write_list(run, "keeps", question.keeps), *question.sources.pip_arguments()]
    if question.reinstall:
        argv.append("--force-reinstall")
    code = run.execute(question.step, argv, environment={**question.sources.pip_variables(), "PIP_CONFIG_FILE": os.devnull}, timeout_s=_TIME_LIMIT_S)
    if code != 0 or not report.is_file():
        return None
    install: list[dict[str, Any]] = json.loads(report.read_bytes())["install"]
    return install
