"""A plan as a script to read, or to run by hand where the program itself may not: its commands, with what each does above it."""

import re
import shlex
from collections.abc import Callable
from typing import Final

from app.model.plan import Plan, Step
from app.planning.steps import WHEELHOUSE
from app.texts import words

_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:\\=+@,~-]+")


def plan_script(plan: Plan, suffix: str) -> str:
    """The text of a `.cmd` or `.sh` script. Steps that have no command are told in a comment: the program does them itself."""
    is_batch = suffix.lower() in {".cmd", ".bat"}
    if is_batch:
        steps = [line for step in plan.steps for line in _lines(step, "rem", _batch_word, " || exit /b 1")]
        head = ["@echo off", "chcp 65001 >nul", "setlocal", 'set "WHEELHOUSE=%TEMP%\\triton-setup-wheels"', "set PYTHONNOUSERSITE=1"]
        return "\r\n".join([*head, *steps, "endlocal", ""])
    steps = [line for step in plan.steps for line in _lines(step, "#", _shell_word, "")]
    head = ["#!/bin/sh", "set -eu", 'WHEELHOUSE="${TMPDIR:-/tmp}/triton-setup-wheels"', "export PYTHONNOUSERSITE=1"]
    return "\n".join([*head, *steps, ""])


def _lines(step: Step, comment: str, quote: Callable[[str], str], on_failure: str) -> list[str]:
    title = words(step.title).replace("\r", " ").replace("\n", " ")
    lines = ["", f"{comment} {title}" + (" (administrator)" if step.needs_admin else "")]
    if not step.argv:
        return [*lines, f"{comment} (done by the program itself: {step.kind})"]
    command: list[str] = []
    for word in (*step.argv, "&&"):
        if word == "&&":
            lines.append(" ".join(map(quote, command)) + on_failure)
            command = []
        else:
            command.append(word)
    return lines


def _batch_word(word: str) -> str:
    """Quoted for cmd, where percent signs are live even inside quotes."""
    if word == WHEELHOUSE:
        return '"%WHEELHOUSE%"'
    if _PLAIN.fullmatch(word):
        return word
    return '"' + word.replace("%", "%%").replace('"', '\\"') + '"'


def _shell_word(word: str) -> str:
    return '"$WHEELHOUSE"' if word == WHEELHOUSE else shlex.quote(word)
