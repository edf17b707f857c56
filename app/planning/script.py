"""A plan as a script for build servers and administrators: the same steps, the same checks, the same exit codes, readable.

`.cmd` holds the steps of Windows, those inside WSL through wsl.exe; `.sh` those of Linux, of a WSL plan to be run in the distro.
Exit codes: 0 done, 1 a step or a check failed, 3 it cannot go on without the person (the plan is not ready, rights, a restart).
"""

from typing import Final

from app.model.plan import Plan, RouteKind, Verdict, Where
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.planning.script_batch import BatchScript
from app.planning.script_shell import ShellScript
from app.planning.script_words import check_words
from app.texts import Language, words

BATCH: Final = frozenset({".cmd", ".bat"})

BY_ITSELF: Final = frozenset({"wsl-config"})
"""Kinds that only the program can do: it edits a file of the person by key. It alone also knows whether a hypervisor waits for a restart."""

BY_HAND: Final = frozenset({"vllm-configure", "vllm-start", "wsl-serve-once"})
"""Kinds that prove a server once. A script shows how it is started: who runs the script keeps the key and decides when."""


def plan_script(plan: Plan, suffix: str, language: Language = "en") -> str:
    """The text of the script. Problem (exit code 2) where the plan has no steps for such a script, or names no script may hold."""
    is_batch = suffix.lower() in BATCH
    if is_batch and plan.route is RouteKind.LINUX:
        raise Problem(Text("plan.script-linux", {"suffix": suffix}), ExitCode.BAD_INPUT)
    if not is_batch and plan.route in {RouteKind.NATIVE, RouteKind.SOURCE} and plan.steps:
        raise Problem(Text("plan.script-windows", {"suffix": suffix}), ExitCode.BAD_INPUT)
    for step in plan.steps:
        check_words(step, is_batch=is_batch)
    script: BatchScript | ShellScript = BatchScript() if is_batch else ShellScript()
    script.begin()
    alone = [step for step in plan.steps if step.kind in BY_ITSELF or step.arguments.get("start_hypervisor") is True]
    if plan.verdict is not Verdict.READY:
        script.stop(words(plan.summary or Text("run.plan-not-ready"), language))
    for step in alone:
        script.stop(words(Text("plan.script-not-this", {"title": words(step.title, language)}), language))
    for number, step in enumerate(plan.steps, 1):
        script.title(f"{number}/{len(plan.steps)} {words(step.title, language)}", step.needs_admin)
        if not is_batch and plan.route is RouteKind.WSL2 and step.where is not Where.WSL:
            script.remark(words(Text("plan.script-on-windows"), language))
        elif step.kind in BY_HAND:
            script.shown(step)
        else:
            script.do(step)
    script.end()
    return script.text()
