"""summary.md: a short block to paste into an issue. Foreign texts stand in code spans, so none of them is markup, a link or a mention."""

import re
from collections.abc import Iterable
from typing import Final

from app.model.events import Outcome
from app.model.report import Report
from app.model.text import Text
from app.model.unknown import known
from app.report.code import chosen_python, packages_now, support_code
from app.report.html_parts import seconds
from app.report.spoken import spoken
from app.report.story import Story, tell_story
from app.texts import Language

MAX_LINES: Final = 60
_TOLD_PACKAGES: Final = ("torch", "triton-windows", "triton", "sageattention", "sageattn3", "flash-attn", "xformers", "vllm", "numpy")
_MAX_FINDINGS: Final = 6
_MAX_LOG_LINES: Final = 14
_MAX_SIGNS: Final = 240


def summary_markdown(report: Report, language: Language = "en") -> str:
    """At most 60 lines: how it ended, why, what shows it, and the versions that decide."""
    story = tell_story(report)
    lines = [
        f"### Triton Setup {span(report.program_version)}: {plain(spoken(story.title, language))}",
        "",
        *_cause(story, language),
        *_table(report, language),
    ]
    lines += _findings(report, language)
    lines += _benchmarks(report, language)
    lines += _log(story, language)
    return "\n".join(lines[:MAX_LINES]) + "\n"


def span(value: object) -> str:
    """A foreign value as a code span; as many backticks around it as it needs."""
    text = re.sub(r"\s+", " ", str(value)).strip()[:_MAX_SIGNS]
    if not text:
        return "–"
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    gap = " " if longest else ""
    return f"{ticks}{gap}{text}{gap}{ticks}".replace("|", "\\|")


def plain(text: str) -> str:
    """A sentence of ours with its foreign parts: signs that mean something in Markdown or mention somebody are taken back."""
    text = re.sub(r"\s+", " ", text)[: 2 * _MAX_SIGNS]
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([`*_{}\[\]()#|~!])", r"\\\1", text)
    return re.sub(r"@(?=\w)|(?<=\w)://|(?i:www\.)", lambda match: match[0][0] + "\u200b" + match[0][1:], text)


def _cause(story: Story, language: Language) -> list[str]:
    lines = []
    if story.cause_text or story.cause:
        named = f" ({span(story.cause)})" if story.cause else ""
        lines.append(f"**{plain(spoken(story.cause_text, language))}**{named}" if story.cause_text else span(story.cause))
    if story.explanation:
        lines.append(plain(spoken(story.explanation, language)))
    lines += [f"{index}. {plain(spoken(step, language))}" for index, step in enumerate(story.remedies[:5], 1)]
    return [*lines, ""] if lines else []


def _table(report: Report, language: Language) -> list[str]:
    facts, python = report.facts, chosen_python(report.facts, report.plan)
    driver = known(facts.driver, None)

    def name(code: str) -> str:
        return plain(spoken(Text(f"report.fact.{code}"), language))

    pairs = [(name("gpu"), ", ".join(f"{span(gpu.name)} {span(known(gpu.compute_capability, None) or '?')}" for gpu in known(facts.gpus, ())[:4]) or "–")]
    if driver:
        pairs.append((name("driver"), f"{span(known(driver.version, '?'))}, CUDA {span(known(driver.cuda, None) or '?')}"))
    pairs.append((name("system"), f"{span(known(facts.os.name, facts.os.family))} {span(facts.os.version)}"))
    if python:
        pairs.append((name("python"), f"{span(python.version)} {span(python.kind)}"))
        packages = packages_now(report)
        pairs += [(span(package), span(packages[package])) for package in _TOLD_PACKAGES if package in packages]
    if report.plan:
        pairs.append((name("route"), f"{span(report.plan.route.value if report.plan.route else '–')} {span(report.plan.verdict.value)}"))
    if report.proof:
        pairs.append((name("proof"), f"{span(report.proof.verdict.value)} {span(report.proof.level.value)} {span(report.proof.backend)}"))
    pairs.append((name("support-code"), span(support_code("other", facts, report.plan, report.proof, report.diagnosis))))
    return ["| | |", "|---|---|", *(f"| {key} | {value} |" for key, value in pairs), ""]


def _findings(report: Report, language: Language) -> list[str]:
    findings = report.plan.findings if report.plan else ()
    lines = [f"- {span(finding.severity.value)} {span(finding.code)}: {plain(spoken(finding.text, language))}" for finding in findings[:_MAX_FINDINGS]]
    return [*lines, ""] if lines else []


def _benchmarks(report: Report, language: Language) -> list[str]:
    proof = report.proof
    failed = [check for check in (proof.checks if proof else ()) if check.outcome == "failed"]
    lines = [f"- {span(check.code)}: {span(check.detail)}" for check in failed[:4]]
    lines += [f"- {span(b.kernel)} {span(b.implementation)}: {b.value:.3g} {b.unit}" for b in (proof.benchmarks if proof else ())[:6]]
    return [*lines, ""] if lines else []


def _log(story: Story, language: Language) -> list[str]:
    failed = [step for step in story.steps if step.outcome is Outcome.FAILED]
    lines = [
        f"{plain(spoken(Text('report.markdown.failed-step'), language))} {span(step.id)} {seconds(step.seconds or 0)} {span(step.exit_code)}"
        for step in failed[:2]
    ]
    shown = [line for line in story.evidence if line.tells] or list(story.evidence)
    if shown:
        body = [f"{line.number:>5}  {line.text[:_MAX_SIGNS]}" for line in shown[-_MAX_LOG_LINES:]]
        fence = _fence(body)
        lines += ["", f"{fence}text", *body, fence]
    return lines


def _fence(body: Iterable[str]) -> str:
    longest = max((len(run) for line in body for run in re.findall(r"`+", line)), default=0)
    return "`" * max(3, longest + 1)
