"""The proof on the report page: what was checked, what was measured, bars against PyTorch and the card's limit."""

import math
from collections.abc import Mapping
from typing import Final

from app.model.proof import BarGroup, Benchmark, Chart, Check, Proof
from app.model.report import Report
from app.model.text import Text
from app.report.html_parts import both, code, escaped, folded, item, number, rows, say, seconds, section, status, table
from app.texts import has

_CHECK_ICONS: Final = {"passed": "good", "failed": "bad", "skipped": "none"}
_BAR_WIDTH: Final = 320
_OVER: Final = 1.03
"""A bar never leaves its frame: what is beyond the limit is cut here."""

_HATCH: Final = (
    '<svg class="defs" width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/><rect class="hatch-line" width="2" height="6"/></pattern></defs></svg>'
)


def proof(report: Report) -> str:
    """What was checked and measured, with bars against PyTorch and the card's limit."""
    proven = report.proof
    if proven is None:
        return ""
    checks = "".join(_check(check) for check in proven.checks)
    times = rows(
        (
            (say("report.html.compile-cold"), seconds(proven.compile_cold_s) if proven.compile_cold_s is not None else ""),
            (say("report.html.compile-warm"), seconds(proven.compile_warm_s) if proven.compile_warm_s is not None else ""),
            (say("report.html.backend"), say(f"report.backend.{proven.backend}")),
            (say("report.html.slow-because"), ", ".join(code(reason) for reason in proven.slow_because)),
        )
    )
    device = _values(say("report.html.device"), proven.device or {})
    verdict = f'<div class="card"><p>{say(f"report.proof-verdict.{proven.verdict.value}")}</p><dl>{times}</dl>{device}</div>'
    listed = f'<ul class="card list">{checks}</ul>' if checks else ""
    charts, bars = _charts(report.charts), _bars(proven)
    shown = (folded(say("report.html.bars"), bars) if charts else bars) if bars else ""
    hatch = _HATCH if charts or bars else ""
    return section("proof", say("report.html.proof"), hatch + verdict + charts + listed + shown + _benchmark_table(proven))


def _check(check: Check) -> str:
    title = f"proof.check.{check.code}.title"
    name = both(Text(title)) if has(title) else code(check.code)
    body = f"<p><strong>{name}</strong> {escaped(check.detail)}</p>{_values(say('report.html.numbers'), check.numbers)}"
    return item(status(_CHECK_ICONS[check.outcome], f"report.check.{check.outcome}"), body)


def _values(title: str, values: Mapping[str, object]) -> str:
    shown = rows((code(name), escaped(value)) for name, value in values.items() if value is not None)
    return folded(title, f"<dl>{shown}</dl>") if shown else ""


def _charts(charts: tuple[Chart, ...]) -> str:
    """What the window shows at a glance: a few groups of bars, the card's limit as a line."""
    return "".join(_chart(chart) for chart in charts if chart.groups)


def _chart(chart: Chart) -> str:
    ours = next((bar.series for group in chart.groups for bar in group.bars if bar.series != "torch"), "triton")
    limit = (("limit", "page.proof.limit"),) if chart.limit is not None else ()
    kinds = (("triton", f"page.proof.series-{ours}"), ("other", "page.proof.series-torch"), *limit)
    legend = "".join(f"{_key(kind)}{say(name)}" for kind, name in kinds)
    groups = "".join(f'<div class="kernel"><p><strong>{both(group.label)}</strong></p>{_lines(group, chart.limit)}</div>' for group in chart.groups)
    return f'<h3>{both(chart.title)}</h3><div class="card bars"><p class="legend">{legend}</p>{groups}</div>'


def _lines(group: BarGroup, limit: float | None) -> str:
    return "".join(_line(bar.implementation, "other" if bar.series == "torch" else "triton", bar.share, limit, both(bar.text)) for bar in group.bars)


def _bars(proven: Proof) -> str:
    if not proven.benchmarks:
        return ""
    groups: dict[tuple[str, str, str], list[Benchmark]] = {}
    for benchmark in proven.benchmarks:
        groups.setdefault((benchmark.kernel, benchmark.shape, benchmark.dtype), []).append(benchmark)
    drawn = "".join(_bar_group(key, members) for key, members in groups.items())
    legend = "".join(f"{_key(kind)}{say(f'report.html.{name}')}" for kind, name in (("triton", "triton"), ("other", "reference"), ("limit", "limit")))
    return f'<h3>{say("report.html.bars")}</h3><div class="card bars"><p class="legend">{legend}</p>{drawn}</div>'


def _key(kind: str) -> str:
    width = 3 if kind == "limit" else 14
    return f'<svg class="key" width="14" height="14" aria-hidden="true"><rect class="bar-{kind}" width="{width}" height="14" rx="2"/></svg>'


def _bar_group(key: tuple[str, str, str], members: list[Benchmark]) -> str:
    kernel, shape, dtype = key
    ceiling = next((member.ceiling for member in members if member.ceiling), None)
    whole = ceiling or max((member.value for member in members), default=0) or 1.0
    lines = "".join(_bar(member, whole, ceiling is not None) for member in members)
    return f'<div class="kernel"><p><strong>{escaped(kernel)}</strong> <small>{escaped(shape)} {escaped(dtype)}</small></p>{lines}</div>'


def _bar(member: Benchmark, whole: float, has_limit: bool) -> str:
    kind = "triton" if "triton" in member.implementation.lower() or "sage" in member.implementation.lower() else "other"
    of_limit = f" · {member.value / whole:.0%}" if has_limit else ""
    label = f"{number(member.value)} {escaped(member.unit)}{of_limit}"
    return _line(member.implementation, kind, member.value / whole, 1.0 if has_limit else None, label)


def _line(name: str, kind: str, share: float, limit: float | None, label: str) -> str:
    """One bar; `share` and `limit` are parts of the axis, `label` is ready for the page."""
    width = round(min(max(share, 0.0), _OVER) / _OVER * _BAR_WIDTH, 1) if math.isfinite(share) else 0
    line = f'<rect class="bar-limit" x="{_BAR_WIDTH / _OVER:.1f}" width="2" height="16"/>' if limit is not None else ""
    drawn = (
        f'<svg width="{_BAR_WIDTH + 4}" height="16" aria-hidden="true"><rect class="bar-ground" width="{_BAR_WIDTH}" height="12" y="2" rx="3"/>'
        f'<rect class="bar-{kind}" width="{width}" height="12" y="2" rx="3"/>{line}</svg>'
    )
    return f'<div class="bar"><span>{escaped(name)}</span>{drawn}<span>{label}</span></div>'


def _benchmark_table(proven: Proof) -> str:
    lines = (
        (
            code(b.kernel),
            escaped(b.implementation),
            escaped(f"{b.shape} {b.dtype}"),
            f"{number(b.median_ms)} <small>({number(b.p20_ms)}–{number(b.p80_ms)})</small>",
            f"{number(b.value)} {escaped(b.unit)}",
            number(b.ratio_to_reference) if b.ratio_to_reference is not None else "–",
            f"{b.error:.2g} <small>≤ {b.error_limit:.2g}</small>" if b.error is not None and b.error_limit is not None else "–",
            escaped(b.reference),
        )
        for b in proven.benchmarks
    )
    head = tuple(say(f"report.html.{name}") for name in ("kernel", "implementation", "shape", "milliseconds", "value", "ratio", "error", "reference"))
    return folded(say("report.html.measured"), table(head, lines, say("report.html.measured")))
