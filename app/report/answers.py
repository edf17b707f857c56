"""The answer file: what a supporter decided on a replay, for the customer's own program to take over.

An answer file comes from outside. It holds a choice and nothing else, is shown before it is used, and the plan is made anew.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from app.model import codec
from app.model.facts import MachineFacts
from app.model.plan import Choice
from app.model.problem import ExitCode, Problem
from app.model.report import Report
from app.model.text import Text
from app.model.unknown import known
from app.report.assemble import redactor_for, write_file
from app.report.load import read_document
from app.report.redact.identity import Identity
from app.report.redact.tokens import TOKEN

ANSWERS_SCHEMA: Final = "answers/1"
MAX_ANSWERS_BYTES: Final = 1 << 16
_PATHS: Final = ("python", "new_env", "comfyui", "wheelhouse")
_ABSOLUTE: Final = re.compile(r"^(?:[A-Za-z]:[\\/]|/(?!/))")
"""On this machine itself: no server, nothing that depends on where the program was started."""

_PLAIN: Final = re.compile(r"^[^\x00-\x1f\x7f\"<>|*?]{1,1000}$")
_NAME: Final = re.compile(r"^(?!-)[\w .+/:-]{1,200}$")
_TORCH: Final = re.compile(r"^\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:\+[a-z]{2,4}[\d.]{0,8})?$", re.ASCII)
_ADDRESS: Final = re.compile(r"^https://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::\d{1,5})?(?:/[\w./~+%-]*)?$")
_LOCAL_ADDRESS: Final = re.compile(r"^http://(?:localhost|127\.0\.0\.1)(?::\d{1,5})?(?:/[\w./~+%-]*)?$")


@dataclass(frozen=True, slots=True)
class Answers:
    """`made_for` is when the report was saved that the answers belong to."""

    choice: Choice
    made_for: str = ""
    program_version: str = ""
    schema: str = ANSWERS_SCHEMA


def save_answers(choice: Choice, report: Report | None, target: Path) -> Path:
    """Writes the answer file. Problem if it cannot be written, or if the choice holds what no answer file may."""
    _check(choice, target.name)
    answers = Answers(choice, report.created_at if report else "", report.program_version if report else "")
    write_file(target, (codec.dumps(answers) + "\n").encode())
    return target


def load_answers(path: Path) -> Choice:
    """The choice of an answer file. Problem (exit code 2) says what in it cannot be used."""
    return read_answers(path).choice


def read_answers(path: Path) -> Answers:
    """The whole answer file, checked."""
    document = read_document(path, MAX_ANSWERS_BYTES)
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str) or not schema.startswith("answers/"):
        raise _refused("report.answers.not-answers", path.name)
    if schema != ANSWERS_SCHEMA:
        raise _refused("report.newer", path.name, schema=schema[:40])
    answers = codec.load(document, Answers, path.name)
    _check(answers.choice, path.name)
    return answers


def describe_answers(answers: Answers) -> tuple[Text, ...]:
    """What the person confirms before it is used: which report was answered, and every decision as a sentence."""
    made_for = (Text("report.answers.made-for", {"time": answers.made_for[:40]}),) if answers.made_for else ()
    return (*made_for, *describe_choice(answers.choice))


def describe_choice(choice: Choice) -> tuple[Text, ...]:
    """Every decision of a choice as a sentence."""
    found = [Text(f"report.answers.goal.{goal.value}") for goal in choice.goals]
    if choice.route:
        found.append(Text(f"report.answers.route.{choice.route.value}"))
    found += [Text(f"report.answers.{name}", {"value": value}) for name in (*_PATHS, "distro", "index_url", "model") if (value := getattr(choice, name))]
    if choice.attention:
        found.append(Text(f"report.answers.attention.{choice.attention.value}"))
    if choice.models:
        found.append(Text(f"report.answers.models.{choice.models.value}"))
    if choice.torch_version:
        found.append(Text("report.answers.torch-version", {"version": choice.torch_version}))
    return (*found, Text(f"report.answers.torch.{choice.torch_change.value}"))


def fit_choice(choice: Choice, facts: MachineFacts, identity: Identity) -> Choice:
    """A choice made on the redacted report, with the paths of this machine in place of its tokens.

    Problem (exit code 2) names the path that is not found here.
    """
    texts = {name: value for name in _PATHS if (value := getattr(choice, name)) and TOKEN.search(value)}
    if not texts:
        return choice
    report = Report(created_at="", program_version="", facts=facts, choice=Choice())
    redactor = redactor_for(report, identity)
    ours = {redactor.text(path): path for path in _paths_of(facts)}
    restored = {name: _restored(value, ours, name) for name, value in texts.items()}
    return replace(
        choice,
        python=restored.get("python", choice.python),
        new_env=restored.get("new_env", choice.new_env),
        comfyui=restored.get("comfyui", choice.comfyui),
        wheelhouse=restored.get("wheelhouse", choice.wheelhouse),
    )


def _paths_of(facts: MachineFacts) -> list[str]:
    found = [path for python in known(facts.pythons, ()) for path in (python.executable, known(python.app_root, None)) if path]
    return [*found, *(path for path in (known(facts.os.user_profile, None), known(facts.os.temp, None)) if path)]


def _restored(value: str, ours: Mapping[str, str], name: str) -> str:
    """A path of ours that is redacted to `value`, or whose beginning is; numbers of tokens may differ between two scans."""
    if value in ours:
        return ours[value]
    alike = [path for shown, path in ours.items() if _shape(shown) == _shape(value)]
    if len(alike) == 1:
        return alike[0]
    for shown in sorted(ours, key=len, reverse=True):
        for depth in range(len(re.split(r"[\\/]", shown)), 1, -1):
            beginning, own = _first_parts(shown, depth), _first_parts(ours[shown], depth)
            if TOKEN.search(beginning) and value.startswith(beginning) and not TOKEN.search(value[len(beginning) :]):
                return own + value[len(beginning) :]
    raise _refused("report.answers.not-here", name, value=value)


def _shape(path: str) -> str:
    return TOKEN.sub(lambda match: match["kind"], path).casefold()


def _first_parts(path: str, count: int) -> str:
    parts = re.split(r"([\\/])", path)
    return "".join(parts[: 2 * count - 1])


def _check(choice: Choice, file: str) -> None:
    """An answer file must not lead to a server, smuggle an option or name what no person would type."""
    for name in _PATHS:
        value = getattr(choice, name)
        if value and (not _PLAIN.match(value) or not _ABSOLUTE.match(value) or ".." in re.split(r"[\\/]", value)):
            raise _refused("report.answers.unusable", file, name=name)
    for name in ("distro", "model"):
        value = getattr(choice, name)
        if value and not _NAME.match(value):
            raise _refused("report.answers.unusable", file, name=name)
    if choice.torch_version and not _TORCH.match(choice.torch_version):
        raise _refused("report.answers.unusable", file, name="torch_version")
    if choice.python and choice.new_env:
        raise _refused("report.answers.two-places", file)
    address = choice.index_url
    if address and not (_ADDRESS.match(address) or _LOCAL_ADDRESS.match(address)):
        raise _refused("report.answers.unusable", file, name="index_url")
    if len(set(choice.goals)) != len(choice.goals):
        raise _refused("report.answers.unusable", file, name="goals")


def _refused(code: str, file: str, **more: str) -> Problem:
    return Problem(Text(code, {"file": file, **more}), ExitCode.BAD_INPUT)
