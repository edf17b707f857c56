"""Is it really used? Starts ComfyUI as its start file does, counts calls of attention while it runs, reads what it says.

The start is the one of the planned start file: the same Python, options and variables, with the counter of the
payloads between them. It ends when ComfyUI is closed or the token is set; both are a result.
"""

import contextlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from app.host.protocol import OutputLine
from app.model.events import LogLine, ProofArrived
from app.model.facts import MachineFacts
from app.model.plan import Attention, Plan, RouteKind
from app.model.problem import Cancelled, Problem
from app.model.proof import AttentionUse, Check, CheckOutcome, Number, Proof
from app.model.unknown import known
from app.proof.comfyui_log import AttentionReading, Verdict
from app.proof.judge import USED, judge
from app.proof.payloads import Target
from app.resources import assets
from app.tables import Tables
from app.texts import words

OUTCOMES: Final[Mapping[Verdict, CheckOutcome]] = {
    "used": "passed",
    "fell-back": "failed",
    "passed-by": "failed",
    "off": "failed",
    "missing": "failed",
    "chosen": "skipped",
    "unknown": "skipped",
}
"""A start in which no picture was made proves nothing, and is no fault either."""

WHY: Final = (
    ("memory", re.compile(r"out of memory", re.IGNORECASE)),
    ("build", re.compile(r"no kernel image|kernels? (?:is|are) not available|not compiled (?:with|for)", re.IGNORECASE)),
    ("number-format", re.compile(r"\bdtype\b|must be (?:in )?(?:float|fp|bf)16", re.IGNORECASE)),
    ("head-size", re.compile(r"head_?dim|head dim", re.IGNORECASE)),
)
"""What SageAttention or CUDA said in the line of the error, the first that fits."""

OCCUPIED: Final = re.compile(r"Errno (?:98|10048)\]|address already in use|only one usage of each socket", re.IGNORECASE)
"""How asyncio says that another program, as a rule the same app, already listens there."""

_SET: Final = re.compile(r'^set "(\w+)=([^"]*)"\r?$', re.MULTILINE)
_NAMED: Final = re.compile(r"%(\w+)%")


@dataclass(frozen=True, slots=True)
class AppStart:
    """How an app is started so that its calls are counted. `environment` is added to that of a child."""

    argv: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]


def app_start(plan: Plan | None, facts: MachineFacts | None, tables: Tables, environment: Mapping[str, str]) -> AppStart | None:
    """The start of the ComfyUI that the plan's Python belongs to; `environment` is this machine's.

    None where it is not started by a file of its own, uses another attention, or lies in a distro.
    """
    if plan is None or facts is None or plan.python is None or plan.route is RouteKind.WSL2 or plan.choice.attention is Attention.INT8:
        return None
    python = next((one for one in known(facts.pythons, ()) if one.executable == plan.python.executable), None)
    root = known(python.app_root, None) if python else None
    layout = next((row for row in tables.layouts if python and row.app == known(python.app, None) and row.way == "launcher"), None)
    if python is None or root is None or layout is None:
        return None
    # Both kinds of slashes: the table is written for Windows, the app may lie on Linux.
    main = Path(root, *layout.main.split("\\"))
    counter = assets() / "payloads" / "count_sage.py"
    argv = (python.executable, "-s", "-u", str(counter), str(main), *layout.options, tables.comfyui.sage_flag)
    return AppStart(argv, root, _variables(plan, {name.upper(): value for name, value in environment.items()}))


def _variables(plan: Plan, environment: Mapping[str, str]) -> dict[str, str]:
    """What the plan's start file sets before it starts the app, with names between percent signs filled in."""
    contents = [str(step.arguments.get("content", "")) for step in plan.steps if step.kind == "write-launcher"]
    found = {name: value for content in contents for name, value in _SET.findall(content)}
    return {name: _NAMED.sub(lambda match: environment.get(match[1].upper(), match[0]), value) for name, value in found.items()}


def watch_use(target: Target, start: AppStart) -> Check:
    """Runs the app until it is closed or `target.cancel` is set. Its output is emitted as log lines, news as ProofArrived."""
    reading, last, calls, occupied = AttentionReading(), "", -1, False

    def hear(line: OutputLine) -> None:
        nonlocal last, calls, occupied
        target.emit(LogLine("comfyui", line.text, time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime()), line.stream, line.replaces))
        last = line.text.strip() or last
        occupied = occupied or OCCUPIED.search(line.text) is not None
        reading.read(line.text)
        now = reading.use().calls or 0
        if now != calls:
            calls = now
            target.emit(ProofArrived(USED, "running", str(now)))

    for name in ("TEMP", "TMP"):
        if name in start.environment:
            with contextlib.suppress(OSError):  # the app then takes another place, as it would without the variable
                Path(start.environment[name]).mkdir(parents=True, exist_ok=True)
    ended: dict[str, Number] = {}
    try:
        target.emit(ProofArrived(USED, "running", "0"))
        code = target.host.execute(start.argv, hear, target.cancel, cwd=start.folder, environment=start.environment)
        ended = {"ended": "crash", "exit_code": code} if code else {}
    except Cancelled:
        pass  # the person has seen enough
    except Problem as problem:
        ended, last = {"ended": "cannot-start"}, words(problem.text)
    check = use_check(reading.use())
    if check.outcome == "skipped" and ended:
        because: dict[str, Number] = {"because": "already-running"} if occupied else {}
        check = Check(USED, "failed", last[:400], {"use": "not-started", **ended, **because})
    target.emit(ProofArrived(USED, check.outcome, check.detail))
    return check


def use_check(use: AttentionUse) -> Check:
    """What a log proves, as a check of the proof."""
    numbers: dict[str, Number] = {
        "use": use.verdict,
        "calls": use.calls,
        "errors": use.errors,
        "masked_calls": use.masked_calls,
        "torch_calls": use.torch_calls,
        "torch_masked_calls": use.torch_masked_calls,
        "lines": ", ".join(map(str, use.lines)) or None,
        "because": next((code for code, said in WHY if use.errors and said.search(use.evidence)), None),
    }
    return Check(USED, OUTCOMES[use.verdict], use.evidence, {name: value for name, value in numbers.items() if value is not None})


def with_check(proof: Proof, check: Check) -> Proof:
    """The proof with this check in place of an earlier one of its name, judged anew."""
    kept = tuple(one for one in proof.checks if one.code != check.code)
    return judge(replace(proof, checks=(*kept, check)))
