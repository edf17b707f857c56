"""A proof as lines and bars. Pure; the page draws them."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Literal

from app.model.events import ProofArrived
from app.model.proof import Benchmark, Check, Proof, ProofVerdict
from app.proof.present import check_title, line_text, verdict_texts
from app.qt.parts.bar_chart import Bar, BarGroup
from app.qt.speaking import spoken
from app.texts import Language, has, say

Outcome = Literal["passed", "failed", "skipped", "running"]

LOOKS: Final[dict[Outcome, tuple[str, str]]] = {
    "passed": ("check-circle", "good"),
    "failed": ("octagon-x", "bad"),
    "skipped": ("minus-circle", "text_2"),
    "running": ("looking", "accent"),
}
VERDICT_LOOKS: Final = {
    ProofVerdict.FAST: ("check-circle", "good"),
    ProofVerdict.WORKS: ("check-circle", "good"),
    ProofVerdict.SLOW: ("warning", "warn"),
    ProofVerdict.WRONG: ("octagon-x", "bad"),
    ProofVerdict.FAILS: ("octagon-x", "bad"),
}
OURS: Final = ("triton", "sageattention")


@dataclass(frozen=True, slots=True)
class ProofLine:
    title: str
    sentence: str
    outcome: Outcome
    numbers: tuple[tuple[str, str], ...] = ()


def lines_of(proof: Proof, language: Language) -> tuple[ProofLine, ...]:
    """One line a check, as it was judged."""
    return tuple(_line(check, language) for check in proof.checks)


def lines_so_far(events: tuple[ProofArrived, ...], language: Language) -> tuple[ProofLine, ...]:
    """One line for each check that has begun or ended, in the order of its beginning."""
    newest: dict[str, ProofArrived] = {}
    for event in events:
        newest[event.code] = event
    return tuple(
        ProofLine(spoken(check_title(event.code), language), "" if event.outcome == "running" else event.detail, event.outcome) for event in newest.values()
    )


def verdict_words(proof: Proof, language: Language) -> tuple[str, str]:
    """The verdict, and what it means."""
    texts = [spoken(text, language) for text in verdict_texts(proof)]
    return texts[0], (" " if language == "en" else "").join(texts[1:])


def share_groups(proof: Proof, language: Language) -> tuple[tuple[BarGroup, ...], bool]:
    """Bars of the kernels that have a ceiling, else of those that have a reference; true: shares of the ceiling."""
    by_kernel: dict[str, list[Benchmark]] = defaultdict(list)
    for bench in proof.benchmarks:
        by_kernel[bench.kernel].append(bench)
    have_ceiling = any(bench.ceiling for bench in proof.benchmarks)
    groups = []
    for benches in by_kernel.values():
        if have_ceiling and not any(bench.ceiling for bench in benches):
            continue
        most = max(bench.value for bench in benches)
        bars = []
        for bench in sorted(benches, key=_series):
            whole = bench.ceiling or most
            value = f"{_figure(bench.value)} {bench.unit}"
            if bench.ceiling:
                value += f"  {bench.value / bench.ceiling * 100:.0f}%"
            bars.append(Bar(_series(bench), bench.value / whole if whole else 0.0, value))
        groups.append(BarGroup(kernel_name(benches[0], language), tuple(bars)))
    return tuple(groups), have_ceiling


def kernel_name(bench: Benchmark, language: Language) -> str:
    code = f"page.proof.kernel.{bench.kernel}"
    return say(code, language) if has(code) else f"{bench.kernel}, {bench.dtype}"


def bench_numbers(bench: Benchmark) -> tuple[tuple[str, str], ...]:
    """Everything that was measured of a kernel, for a supporter."""
    rows = [
        ("kernel", f"{bench.kernel} ({bench.implementation})"),
        ("shape", f"{bench.shape} {bench.dtype}"),
        ("median", f"{bench.median_ms:.4g} ms"),
        ("p20 – p80", f"{bench.p20_ms:.4g} – {bench.p80_ms:.4g} ms"),
        ("value", f"{_figure(bench.value)} {bench.unit}"),
        ("reference", bench.reference),
    ]
    if bench.error is not None:
        rows.append(("error", f"{bench.error:.3g} (limit {bench.error_limit:.3g})" if bench.error_limit is not None else f"{bench.error:.3g}"))
    if bench.ratio_to_reference is not None:
        rows.append(("ratio", f"{bench.ratio_to_reference:.3f}"))
    if bench.ceiling:
        rows.append(("ceiling", f"{_figure(bench.ceiling)} {bench.unit}"))
    return (*rows, *((name, str(value)) for name, value in bench.conditions.items() if value is not None))


def _line(check: Check, language: Language) -> ProofLine:
    numbers = tuple((name, str(value)) for name, value in check.numbers.items() if value is not None)
    return ProofLine(spoken(check_title(check.code), language), spoken(line_text(check), language), check.outcome, (("check", check.code), *numbers))


def _series(bench: Benchmark) -> int:
    return 0 if any(name in bench.implementation.lower() for name in OURS) else 1


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
