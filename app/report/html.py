"""report.html: one self-contained page on which a maintainer finds the answer in ten seconds.

No script, no link outwards, nothing loaded: the content security policy allows the one style sheet by its hash and nothing else.
"""

import base64
import hashlib
from collections import Counter
from functools import cache

from app.model.events import Outcome
from app.model.report import Report
from app.model.unknown import UNKNOWN, known
from app.report.code import chosen_python, packages_now, support_code
from app.report.compact import qr_svg
from app.report.html_machine import environments, gaps, machine, shown
from app.report.html_parts import both, chip, code, escaped, icon, rows, say, seconds
from app.report.html_proof import proof
from app.report.html_work import findings, log, plan, replaced
from app.report.story import Story, tell_story
from app.resources import assets
from app.texts import Language

_TOLD_PACKAGES = ("torch", "triton-windows", "triton", "sageattention", "flash-attn", "xformers", "vllm")


def render_html(report: Report, language: Language = "en") -> str:
    """The whole page. `language` is the one shown first; the other is one click away."""
    story = tell_story(report)
    body = "".join(
        (
            _answer(report, story),
            findings(report),
            plan(report, story),
            proof(report),
            environments(report),
            machine(report),
            gaps(report),
            log(report),
            replaced(report),
        )
    )
    return _page(report, language, body)


@cache
def style() -> str:
    """The style sheet, as it stands in the page."""
    return (assets() / "report" / "report.css").read_text(encoding="utf-8")


@cache
def policy() -> str:
    """The content security policy: this style sheet and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _page(report: Report, language: Language, body: str) -> str:
    chinese = language == "zh_CN"
    checked = {"en": "" if chinese else " checked", "zh": " checked" if chinese else ""}
    title = escaped(f"Triton Setup {report.program_version} · {report.created_at[:10]}")
    subtitle = f"{say('report.html.title')} · {escaped(report.program_version)} · {escaped(report.created_at)}"
    return f"""<!doctype html>
<html lang="{"zh-Hans" if chinese else "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy()}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style()}</style>
</head>
<body>
<input class="switch" type="radio" name="language" id="show-en" aria-label="English"{checked["en"]}>
<input class="switch" type="radio" name="language" id="show-zh" aria-label="简体中文"{checked["zh"]}>
<div class="page">
<header>
<div class="brand">{_mark()}<div><strong>Triton Setup</strong><span>{subtitle}</span></div></div>
<nav aria-label="Language"><label for="show-en">English</label><label for="show-zh">简体中文</label></nav>
</header>
<main>{body}</main>
</div>
</body>
</html>
"""


def _mark() -> str:
    return (
        '<svg class="mark" width="36" height="36" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="5"/>'
        '<path d="M12 5v14M8.5 7v4.2a3.5 3.5 0 0 0 7 0V7M7 8.6 8.5 7 10 8.6m4 0L15.5 7 17 8.6M10.5 6.4 12 5l1.5 1.4M9.7 17h4.6"/></svg>'
    )


def _answer(report: Report, story: Story) -> str:
    title = f"<h1>{icon(story.state, 30)}<span>{both(story.title)}</span></h1>"
    parts = [title, _cause(story), _remedies(story), _evidence(story), _highlights(report, story)]
    return f'<div class="answer"><div class="verdict {story.state}">{"".join(parts)}</div><aside>{_key_facts(report)}</aside></div>'


def _cause(story: Story) -> str:
    if story.cause_text is None and story.cause is None:
        return ""
    title = both(story.cause_text) if story.cause_text else ""
    sure = chip(say(f"report.html.sure.{_sureness(story.confidence)}")) if story.confidence is not None else ""
    shown = chip(code(story.cause)) if story.cause else ""
    explained = f"<p>{both(story.explanation)}</p>" if story.explanation else ""
    return f'<div class="cause"><p class="strong">{title}</p><p class="chips">{shown}{sure}</p>{explained}</div>'


def _sureness(confidence: float) -> str:
    return "very" if confidence >= 0.85 else "likely" if confidence > 0.5 else "maybe"


def _remedies(story: Story) -> str:
    if not story.remedies:
        return ""
    return f"<h2>{say('report.html.remedy')}</h2><ol>{''.join(f'<li>{both(step)}</li>' for step in story.remedies)}</ol>"


def _evidence(story: Story) -> str:
    if not story.evidence:
        return ""
    lines = "".join(f'<span class="line{" tells" if line.tells else ""}"><b>{line.number}</b>{escaped(line.text)}</span>' for line in story.evidence)
    kind = "report.html.shows-it" if any(line.tells for line in story.evidence) else "report.html.last-lines"
    return f'<h2>{say(kind)} <small>{say("report.html.of-lines", count=story.line_count)}</small></h2><pre class="log" tabindex="0">{lines}</pre>'


def _highlights(report: Report, story: Story) -> str:
    """What is there now, where nothing went wrong: what changed, what was proved, what was left alone."""
    if story.cause or story.cause_text or story.evidence:
        return ""
    lines = []
    done = [step for step in story.steps if step.outcome is Outcome.DONE]
    if done:
        total = seconds(sum(step.seconds or 0 for step in done))
        lines.append(("good", say("report.html.steps-done", count=len(done), total=len(story.steps), time=total)))
    changed = report.plan.changes if report.plan else ()
    name = "report.html.was-changed" if done else "report.html.would-change"
    lines += [("good" if done else "info", say(name, package=change.name, before=change.before or "–", after=change.after or "–")) for change in changed[:4]]
    if report.proof:
        outcomes = Counter(check.outcome for check in report.proof.checks)
        lines.append((story.state, say("report.html.checks-passed", passed=outcomes["passed"], failed=outcomes["failed"], skipped=outcomes["skipped"])))
        best = max((b.value / b.ceiling for b in report.proof.benchmarks if b.ceiling), default=None)
        if best is not None:
            lines.append((story.state, say("report.html.best-share", share=f"{min(best, 9.99):.0%}")))
    if report.plan and report.plan.keeps:
        lines.append(("good", say("report.html.kept", packages=", ".join(report.plan.keeps[:6]))))
    return f'<ul class="highlights">{"".join(f"<li>{icon(kind)}<span>{words}</span></li>" for kind, words in lines)}</ul>' if lines else ""


def _key_facts(report: Report) -> str:
    facts, python = report.facts, chosen_python(report.facts, report.plan)
    driver = known(facts.driver, None)
    pairs = [
        (
            say("report.fact.gpu"),
            "<br>".join(f"{escaped(gpu.name)} {chip(escaped(known(gpu.compute_capability, None) or '?'))}" for gpu in known(facts.gpus, ())[:4]),
        )
    ]
    if driver:
        pairs.append((say("report.fact.driver"), say("report.fact.driver-value", version=known(driver.version, "?"), cuda=known(driver.cuda, None) or "?")))
    pairs.append((say("report.fact.system"), f"{escaped(known(facts.os.name, facts.os.family))} <small>{escaped(facts.os.version)}</small>"))
    if python:
        pairs.append((say("report.fact.python"), f"{escaped(python.version)} {chip(escaped(python.kind))}"))
        packages = packages_now(report)
        pairs += [(code(name), escaped(packages[name])) for name in _TOLD_PACKAGES if name in packages]
        if packages and not {"triton", "triton-windows"} & set(packages):
            pairs.append(("Triton", shown(None)))
        pairs.append((say("report.fact.bundled-vc-runtime"), shown(python.bundled_vc_runtime) if known(python.bundled_vc_runtime, None) else ""))
    pairs.append((say("report.fact.vc-runtime"), shown(facts.vc_runtime) if facts.os.family == "windows" else ""))
    if facts.compilers is not UNKNOWN:
        compilers = ", ".join(escaped(f"{compiler.kind} {known(compiler.version, '')}".strip()) for compiler in known(facts.compilers, ()))
        pairs.append((say("report.fact.compiler"), compilers or shown(None)))
    if report.plan and report.plan.route:
        pairs.append((say("report.fact.route"), say(f"report.route.{report.plan.route.value}")))
    spoken = support_code("finish" if tell_story(report).state == "good" else "failed", facts, report.plan, report.proof, report.diagnosis)
    code_box = f'<div class="code"><span>{say("report.html.support-code")}</span><strong>{spoken}</strong>{qr_svg(report)}</div>'
    return f"<h2>{say('report.html.key-facts')}</h2><dl>{rows(pairs)}</dl>{code_box}"
