"""What the proof page, the terminal and the report show: a title, rows that unfold, charts. Pure, texts by code."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from app.model.proof import Bar, BarGroup, Benchmark, Chart, Check, CheckOutcome, LineDetail, Number, Proof, ProofLine, ProofVerdict
from app.model.text import Param, Text
from app.proof.cards import card_of
from app.proof.judge import USED, card_limit, is_wrong, peak
from app.texts import has, say

ROWS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("loads", ("import-torch", "import-triton")),
    ("card", ("torch-sees-gpu", "driver-target")),
    ("compiles", ("compiles-", "launcher", "compile-cold", "compile-warm")),
    ("right", ("add-", "softmax", "dot-", "attention")),
    ("torch-compile", ("torch-compile",)),
    ("speed", ("speed-",)),
    ("sage", ("sage-import", "sage-accuracy")),
)
"""Rows of the page and the checks below them; a name that ends in a dash stands for all that begin so."""

CHARTED: Final = ("add", "softmax", "matmul", "attention", "attention-causal")
SAGE: Final = "sageattention"
ROW_DETAIL: Final = 72


def check_title(code: str) -> Text:
    """The name of a check; its code where the catalogue has none (a proof of a newer version)."""
    found = card_of(code)
    if found:
        capability, row = found
        if not row:
            return Text("proof.check.compiles-new.title", {"capability": capability})
        return Text("proof.check.compiles.title", {"capability": capability, "generation": str(row["generation"])})
    known = Text(f"proof.check.{code}.title")
    return known if has(known.code) else Text("proof.check.other.title", {"name": code})


def kernel_title(kernel: str) -> Text:
    """The name of a measured kernel."""
    known = Text(f"proof.kernel.{kernel}")
    return known if has(known.code) else Text("proof.kernel.other", {"name": kernel})


def line_text(check: Check) -> Text:
    """One sentence for a check: what was found, how it failed, or why it was left out."""
    params = {**_params(check.numbers), "detail": check.detail}
    use = f"proof.use.{check.numbers.get('use')}"
    if check.code == USED and has(use) and _fills(use, params):
        return Text(use, params)
    if check.outcome == "skipped":
        code = f"proof.skipped.{check.numbers.get('reason')}"
        return Text(code if has(code) else "proof.skipped.other", params)
    if check.outcome == "failed":
        numbers = check.numbers
        kind = "wrong" if numbers.get("wrong") is True else "missing" if numbers.get("missing") else str(numbers.get("ended", "error"))
        code = f"proof.failed.{kind}"
        return Text(code if has(code) else "proof.failed.error", params)
    code = f"proof.check.{'compiles' if card_of(check.code) else check.code}.passed"
    return Text(code if has(code) and _fills(code, params) else "proof.passed", params)


def _fills(code: str, params: Mapping[str, Param]) -> bool:
    """Whether a sentence gets all it asks for: a proof of another version may hold other numbers."""
    return "{" not in say(code, "en", **params)


def verdict_texts(proof: Proof) -> tuple[Text, ...]:
    """The verdict as a title, what it means, and where it is slow the reasons, each with its next step."""
    return tuple(_verdict_texts(proof))


def _verdict_texts(proof: Proof) -> Iterator[Text]:
    broken = [check for check in proof.checks if check.outcome == "failed"]
    kind = proof.verdict.value
    if proof.backend == "interpreter" and proof.verdict is ProofVerdict.WORKS:
        kind = "works-without-card"
    elif broken and all(check.code == USED for check in broken):
        kind = "slow" if proof.slow_because else "slow-used"
    elif broken and all(check.code.startswith("sage-") for check in broken):
        kind = f"{kind}-sage"
    elif broken and all(check.code == "torch-compile" for check in broken):
        kind = f"{kind}-torch-compile"
    yield Text(f"proof.verdict.{kind}")
    if proof.backend == "interpreter" and proof.verdict is not ProofVerdict.FAILS:
        yield Text("proof.interpreter")
    if broken:
        limit = card_limit(proof)
        if limit in ("too-old", "does-not-compile"):
            yield Text(f"proof.card.{limit}.text")
            yield Text(f"proof.card.{limit}.next")
        else:
            yield Text("proof.broken", {"check": f"@{check_title(broken[0].code).code}", **check_title(broken[0].code).params})
            use, because = (broken[0].numbers.get(name) for name in ("use", "because"))
            kind = "missing" if broken[0].numbers.get("missing") else kind
            known = (f"proof.use-next.{use}-{because}", f"proof.use-next.{use}", f"proof.next.{kind}")
            yield Text(next((code for code in known if has(code)), "proof.next.fails"))
    for code in proof.slow_because:
        yield Text(f"proof.slow.{code}.text", _params(proof.device or {}))
        yield Text(f"proof.slow.{code}.next")


def proof_lines(proof: Proof) -> tuple[ProofLine, ...]:
    """The rows of the page, in order: a few groups, and one row for each workload of SageAttention."""
    workloads = list(dict.fromkeys(check.code for check in proof.checks if check.code.startswith("sage-speed-")))
    if all(check.outcome == "skipped" for check in proof.checks if check.code.startswith("sage-") and check.code != USED):
        # What is not there, or cannot run here, needs one row, not six.
        rows = [*((code, (*names, *workloads) if code == "sage" else names) for code, names in ROWS), ("used", (USED,))]
    else:
        rows = [*ROWS, *((code, (code,)) for code in workloads), ("used", (USED,))]
    found = ((code, [check for check in proof.checks if _belongs(check.code, names)]) for code, names in rows)
    return tuple(_row(code, checks, proof) for code, checks in found if checks)


def _belongs(code: str, names: Sequence[str]) -> bool:
    return any(code.startswith(name) if name.endswith("-") else code == name for name in names)


def _row(code: str, checks: Sequence[Check], proof: Proof) -> ProofLine:
    outcomes = [check.outcome for check in checks]
    outcome: CheckOutcome = "failed" if "failed" in outcomes else "passed" if "passed" in outcomes else "skipped"
    deciding = next(check for check in checks if check.outcome == outcome)
    benchmarks = [
        bench for bench in proof.benchmarks if (code == "speed" and bench.kernel in (*CHARTED, "copy", "transfer")) or code == f"sage-speed-{_workload(bench)}"
    ]
    text = _summary(code, checks, benchmarks, proof) if outcome == "passed" else None
    kind = "compiles-kinds" if code == "compiles" and sum(card_of(check.code) is not None for check in checks) > 1 else code
    title = Text(f"proof.line.{kind}.title") if has(f"proof.line.{kind}.title") else check_title(code)
    details = (*(_detail(check) for check in checks), *(_measurement(bench) for bench in benchmarks))
    return ProofLine(code, outcome, title, text or line_text(_in_short(deciding)), tuple(check.code for check in checks), details)


def _in_short(check: Check) -> Check:
    """A check whose evidence fits into a row; the fold holds all of it."""
    return check if len(check.detail) <= ROW_DETAIL else replace(check, detail=check.detail[:ROW_DETAIL].rsplit(" ", 1)[0].rstrip(",;:(") + " …")


def _workload(bench: Benchmark) -> str:
    return bench.kernel.removeprefix("attention-")


def _summary(code: str, checks: Sequence[Check], benchmarks: Sequence[Benchmark], proof: Proof) -> Text | None:
    """The sentence of a row that passed, where it says more than its first check; None where it does not."""
    passed = [check for check in checks if check.outcome == "passed"]
    if code == "compiles" and proof.compile_cold_s is not None and proof.compile_warm_s is not None:
        return Text("proof.line.compiles.passed", {"cold": _short(proof.compile_cold_s), "warm": _short(proof.compile_warm_s)})
    kinds = sum(card_of(check.code) is not None for check in passed)
    if code == "compiles" and kinds > 1:
        return Text("proof.line.compiles.ahead", {"count": kinds})
    if code == "compiles" and kinds:
        return line_text(next(check for check in passed if card_of(check.code)))
    if code == "right" and len(passed) > 1:
        return Text("proof.line.right.passed", {"count": len(passed)})
    if code == "speed":
        return _speed_text(proof)
    if code.startswith("sage-speed-") and benchmarks:
        gain = next((bench.ratio_to_reference for bench in benchmarks if bench.implementation == SAGE), None)
        if gain is not None:
            return Text(
                "proof.line.sage-speed.faster" if gain >= 1.05 else "proof.line.sage-speed.not-faster",
                {"gain": f"{gain:.2f}", "against": benchmarks[0].reference},
            )
    return line_text(passed[-1])


def _speed_text(proof: Proof) -> Text | None:
    shares = [_share(bench, proof) for bench in proof.benchmarks if bench.kernel == "add" and bench.implementation == "triton"]
    ratio = next((bench.ratio_to_reference for bench in proof.benchmarks if bench.kernel == "add" and bench.implementation == "triton"), None)
    if shares and shares[0] is not None:
        return Text("proof.line.speed.of-memory", {"percent": round(100 * min(shares[0], 1.0))})
    return Text("proof.line.speed.of-copy", {"percent": round(100 * ratio)}) if ratio is not None else None


def _detail(check: Check) -> LineDetail:
    return LineDetail(check_title(check.code), line_text(check), check.outcome, check.detail, check.numbers)


def _measurement(bench: Benchmark) -> LineDetail:
    params: dict[str, Param] = {
        "implementation": bench.implementation,
        "shape": bench.shape,
        "dtype": bench.dtype,
        "median": f"{bench.median_ms:.3f}",
        "low": f"{bench.p20_ms:.3f}",
        "high": f"{bench.p80_ms:.3f}",
        "value": f"{bench.value:.0f}",
        "unit": bench.unit,
        "ratio": f"{bench.ratio_to_reference:.2f}" if bench.ratio_to_reference is not None else "-",
        "reference": bench.reference,
    }
    numbers: dict[str, Number] = {"error": bench.error, "error_limit": bench.error_limit, "ceiling": bench.ceiling, **bench.conditions}
    return LineDetail(kernel_title(bench.kernel), Text("proof.measured", params), "failed" if is_wrong(bench) else "passed", bench.implementation, numbers)


def proof_charts(proof: Proof) -> tuple[Chart, ...]:
    """Two charts: what share of the card's limit is reached, and how long attention takes in named models."""
    limits = tuple(_limit_group(kernel, proof) for kernel in CHARTED if any(bench.kernel == kernel for bench in proof.benchmarks))
    workloads = list(dict.fromkeys(_workload(bench) for bench in proof.benchmarks if bench.implementation == SAGE))
    charts = []
    if limits:
        charts.append(Chart("limits", Text("proof.chart.limits"), limits, limit=1.0))
    if workloads:
        charts.append(Chart("workloads", Text("proof.chart.workloads"), tuple(_workload_group(name, proof) for name in workloads)))
    return tuple(charts)


def _limit_group(kernel: str, proof: Proof) -> BarGroup:
    found = [bench for bench in proof.benchmarks if bench.kernel == kernel]
    bars = []
    for series in ("triton", "torch"):
        best = max((bench for bench in found if _series(bench) == series), key=lambda bench: bench.value, default=None)
        if best is not None:
            share = _share(best, proof)
            code = "proof.chart.value" if share is None else "proof.chart.share"
            params: dict[str, Param] = {
                "value": f"{best.value:.3g}" if best.value < 100 else f"{best.value:.0f}",
                "unit": best.unit,
                "percent": round(100 * (share or 0)),
            }
            # A card that boosts above its nominal clock passes its own peak: the bar ends at the line, the number does not lie.
            bars.append(Bar(series, best.implementation, min(share or 1.0, 1.0), Text(code, params)))
    return BarGroup(kernel_title(kernel), tuple(bars))


def _series(bench: Benchmark) -> Literal["triton", "torch", "sageattention"]:
    return "sageattention" if bench.implementation == SAGE else "triton" if bench.implementation.startswith("triton") else "torch"


def _share(bench: Benchmark, proof: Proof) -> float | None:
    """Of the theoretical peak for memory; of the peak or, where that is unknown, of the fastest for arithmetic."""
    same = [other for other in proof.benchmarks if other.kernel == bench.kernel]
    limit = peak(same, proof.device)
    if limit is None and bench.unit == "TFLOP/s":
        limit = max(other.value for other in same)
    return bench.value / limit if limit else None


def _workload_group(name: str, proof: Proof) -> BarGroup:
    found = [bench for bench in proof.benchmarks if _workload(bench) == name]
    sage = next(bench for bench in found if bench.implementation == SAGE)
    others = [bench for bench in found if bench.implementation != SAGE]
    best = min(others, key=lambda bench: bench.median_ms, default=None)
    longest = max(bench.median_ms for bench in (sage, best) if bench is not None)
    bars = tuple(
        Bar(_series(bench), bench.implementation, bench.median_ms / longest, Text("proof.chart.time", {"ms": f"{bench.median_ms:.2f}"}))
        for bench in (sage, best)
        if bench is not None
    )
    return BarGroup(kernel_title(f"attention-{name}"), bars)


def _params(numbers: Mapping[str, Number]) -> dict[str, Param]:
    """Numbers as they stand in sentences: three digits, thousands apart, bytes in GB."""
    params: dict[str, Param] = {}
    for name, value in numbers.items():
        if isinstance(value, bool) or value is None:
            continue
        if name.endswith("_bytes") and isinstance(value, (int, float)):
            params[name.removesuffix("_bytes") + "_gb"] = f"{value / 1e9:.1f}"
        params[name] = f"{value:,}" if isinstance(value, int) else _short(value) if isinstance(value, float) else value
    return params


def _short(value: float) -> str:
    return f"{value:.1f}" if 0.1 <= abs(value) < 1000 else f"{value:.3g}"
