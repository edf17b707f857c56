"""What was decided and done, on the report page: findings, plan, steps, log."""

from collections.abc import Iterator
from typing import Final

from app.model.events import LogLine, Outcome
from app.model.findings import Severity
from app.model.plan import Plan, RouteStatus
from app.model.report import Report
from app.model.text import Text
from app.report.html_parts import both, chip, code, escaped, folded, icon, item, rows, say, seconds, section, size, status, table
from app.report.redact.tokens import KINDS
from app.report.story import StepRun, Story, log_lines

MAX_LOG_LINES: Final = 4000
"""On the page; the whole log lies beside it in the report."""

_SEVERITY_ICONS: Final = {Severity.BLOCKER: "bad", Severity.WARNING: "warn", Severity.NOTE: "info"}
_ROUTE_ICONS: Final = {RouteStatus.READY: "good", RouteStatus.NEEDS_ACTION: "warn", RouteStatus.IMPOSSIBLE: "none"}
_OUTCOME_ICONS: Final = {Outcome.DONE: "good", Outcome.SKIPPED: "none", Outcome.FAILED: "bad", Outcome.CANCELLED: "warn", Outcome.RESTART_NEEDED: "warn"}


def findings(report: Report) -> str:
    """All findings, the gravest first; further causes of a log under them."""
    if report.plan is None and report.diagnosis is None:
        return ""
    items = []
    order = (Severity.BLOCKER, Severity.WARNING, Severity.NOTE)
    for finding in sorted(report.plan.findings if report.plan else (), key=lambda finding: order.index(finding.severity)):
        remedy = f'<p class="note">{say("report.html.cure")} {both(finding.remedy.text)}</p>' if finding.remedy else ""
        evidence = f'<p class="path">{" ".join(code(path) for path in finding.evidence)}</p>' if finding.evidence else ""
        kind = finding.severity.value
        body = f"<p>{both(finding.text)} {chip(code(finding.code))}</p>{remedy}{evidence}"
        items.append(item(status(_SEVERITY_ICONS[finding.severity], f"report.severity.{kind}"), body))
    for found in report.diagnosis.findings if report.diagnosis else ():
        steps = "".join(f"<li>{both(step)}</li>" for step in found.remedy.steps)
        where = ", ".join(f"{first}–{last}" if last != first else str(first) for first, last in found.lines)
        body = (
            f'<p>{both(found.title)} {chip(code(found.code))} {chip(f"{found.confidence:.0%}")}</p><p class="note">{both(found.explanation)}</p>'
            f'<p class="note">{say("report.html.log-lines")} {escaped(where)} · {both(found.verify)}</p>'
            + (folded(say("report.html.remedy"), f"<ol>{steps}</ol>") if steps else "")
        )
        items.append(item(status("info", "report.severity.log"), body))
    body = f'<ul class="card list">{"".join(items)}</ul>' if items else f'<p class="card quiet">{icon("good")}{say("report.html.no-findings")}</p>'
    return section("findings", say("report.html.findings"), body)


def plan(report: Report, story: Story) -> str:
    """What was planned and why, and how each step went."""
    planned = report.plan
    steps = _steps(report, story)
    if planned is None:
        return section("plan", say("report.html.steps"), steps)
    summary = f"<p>{both(planned.summary)}</p>" if planned.summary else ""
    facts = rows(
        (
            (say("report.html.verdict"), say(f"report.verdict.{planned.verdict.value}")),
            (say("report.fact.python"), code(planned.python.executable) if planned.python else ""),
            (say("report.html.download"), both(Text(f"plan.download-{planned.download.wording}", {"size": size(planned.download.bytes)}))),
            (say("report.html.disk"), size(planned.disk_bytes) if planned.disk_bytes else ""),
            (say("report.html.keeps"), ", ".join(code(name) for name in planned.keeps)),
        )
    )
    return section("plan", say("report.html.plan"), f'<div class="card">{summary}<dl>{facts}</dl></div>{_routes(planned)}{_changes(planned)}{steps}')


def _routes(planned: Plan) -> str:
    items = []
    for route in planned.routes:
        reasons = "".join(f'<p class="note">{both(reason.text)} {code(reason.code)}</p>' for reason in route.reasons)
        is_chosen = chip(say("report.html.chosen"), "accent") if route.route is planned.route else ""
        name = say(f"report.route.{route.route.value}")
        items.append(item(status(_ROUTE_ICONS[route.status], f"report.status.{route.status.value}"), f"<p><strong>{name}</strong> {is_chosen}</p>{reasons}"))
    return f'<h3>{say("report.html.routes")}</h3><ul class="card list">{"".join(items)}</ul>' if items else ""


def _changes(planned: Plan) -> str:
    lines = [(code(c.name), escaped(c.before or "–"), escaped(c.after or "–"), both(c.reason)) for c in planned.changes]
    if not lines:
        lines = [(code(name), "", escaped(version), "") for name, version in planned.packages.items()]
    head = (say("report.html.package"), say("report.html.before"), say("report.html.after"), say("report.html.why"))
    return table(head, lines, say("report.html.changes"))


def _steps(report: Report, story: Story) -> str:
    argv = {step.id: step.argv for step in report.plan.steps} if report.plan else {}
    lines = (
        (
            escaped(str(index)),
            f"{both(step.title)}<br>{code(step.id)}",
            _outcome(step),
            _time(step),
            _ended(step, argv.get(step.id, ())),
        )
        for index, step in enumerate(story.steps, 1)
    )
    head = ("", say("report.html.step"), say("report.html.outcome"), say("report.html.time"), say("report.html.detail"))
    return table(head, lines, say("report.html.steps"))


def _time(step: StepRun) -> str:
    return f'<span class="nowrap">{seconds(step.seconds)}</span>' if step.seconds is not None else ""


def _outcome(step: StepRun) -> str:
    return status(_OUTCOME_ICONS[step.outcome], f"report.outcome.{step.outcome.value}") if step.outcome else status("wait", "report.outcome.planned")


def _ended(step: StepRun, argv: tuple[str, ...]) -> str:
    problem = f"<p>{both(step.problem)}</p>" if step.problem else ""
    exit_code = ""
    if step.exit_code:
        exit_code = f"<p>{say('report.html.exit-code')} {code(step.exit_code)} {code(hex(step.exit_code & 0xFFFFFFFF))}</p>"
    command = f'<span class="path">{escaped(" ".join(argv))}</span>' if argv else ""
    return problem + exit_code + command


def log(report: Report) -> str:
    """The log as it was shown, folded; lines of the failed step stand out."""
    lines = log_lines(report)
    if not lines:
        return ""
    left_out = max(len(lines) - MAX_LOG_LINES, 0)
    note = say("report.html.log-cut", count=left_out) if left_out else ""
    shown = "".join(_log_rows(lines[left_out:], left_out + 1))
    return section(
        "log", say("report.html.log"), folded(say("report.html.log-all", count=len(lines)), f'<pre class="log whole" tabindex="0">{shown}</pre>'), note
    )


def _log_rows(lines: tuple[LogLine, ...], first: int) -> Iterator[str]:
    for number_, line in enumerate(lines, first):
        kind = " err" if line.source == "stderr" else " ours" if line.source == "ours" else ""
        yield f'<span class="line{kind}"><b>{number_}</b>{escaped(line.line)}</span>'


def replaced(report: Report) -> str:
    """What was taken out of the report, by kind, and how to read what stands in its place."""
    pairs = ((_kind(kind, count), code(f"{kind}-1")) for kind, count in report.redactions.items())
    body = f'<div class="card"><dl class="counts">{rows(pairs)}</dl></div>'
    return section("replaced", say("report.html.replaced"), body, say("report.html.replaced-note"))


def _kind(kind: str, count: int) -> str:
    return say(f"report.hidden.{kind.lower()}", count=count) if kind in KINDS else escaped(f"{kind} {count}")
