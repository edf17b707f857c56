"""For administrators: results for a metrics collector, and what got worse since an earlier proof."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from app.model.proof import Benchmark, Check, Proof, ProofVerdict
from app.model.text import Text
from app.proof.present import check_title, kernel_title

GOOD: Final = (ProofVerdict.FAST, ProofVerdict.WORKS)
LAST_GOOD: Final = "triton_setup_last_good_proof_timestamp_seconds"

SLOWER: Final = 1.07
"""A benchmark got worse if its median grew by more than this and the spreads no longer overlap."""
LESS_EXACT: Final = 2.0
STARTS_SLOWER: Final = 1.5
STARTS_SLOWER_S: Final = 1.0

ORDER: Final = (ProofVerdict.FAST, ProofVerdict.WORKS, ProofVerdict.SLOW, ProofVerdict.WRONG, ProofVerdict.FAILS)


def prometheus_text(proof: Proof, previous: str = "") -> str:
    """The proof in the Prometheus text exposition format, base units (seconds, bytes, operations).

    `previous` is the text written before, if any: the time of the last good proof survives a bad one.
    """
    registry = CollectorRegistry()

    def gauge(name: str, text: str, labels: tuple[str, ...] = ()) -> Gauge:
        return Gauge(f"triton_setup_{name}", text, labels, registry=registry)

    verdict = gauge("proof_verdict", "1 for the verdict of the last proof, 0 for the others.", ("verdict", "backend"))
    for one in ORDER:
        verdict.labels(one.value, proof.backend).set(one is proof.verdict)
    check = gauge("check_passed", "1 for a check that passed, 0 for one that failed; skipped ones are left out.", ("check",))
    for found in proof.checks:
        if found.outcome != "skipped":
            check.labels(found.code).set(found.outcome == "passed")
    _benchmarks(proof, gauge("kernel_seconds", "Time of one run.", (*KEY, "quantile")), gauge("kernel_rate", "Bytes or operations a second.", (*KEY, "unit")))
    ratio = gauge("kernel_ratio", "Speed over the reference of the same run.", (*KEY, "reference"))
    error = gauge("kernel_error", "Relative error against float64.", KEY)
    for bench in proof.benchmarks:
        if bench.ratio_to_reference is not None:
            ratio.labels(*_key(bench), bench.reference).set(bench.ratio_to_reference)
        if bench.error is not None:
            error.labels(*_key(bench)).set(bench.error)
    compiling = gauge("compile_seconds", "First launch of a kernel, without and with the compile cache.", ("cache",))
    for cache, seconds in (("cold", proof.compile_cold_s), ("warm", proof.compile_warm_s)):
        if seconds is not None:
            compiling.labels(cache).set(seconds)
    measured = _timestamp(proof)
    if measured is not None:
        gauge("proof_timestamp_seconds", "When the last proof was made.").set(measured)
    good = measured if proof.verdict in GOOD else _last_good(previous)
    if good is not None:
        gauge(LAST_GOOD.removeprefix("triton_setup_"), "When the last proof with a good verdict was made.").set(good)
    return generate_latest(registry).decode()


KEY: Final = ("kernel", "implementation", "shape", "dtype")


def _key(bench: Benchmark) -> tuple[str, str, str, str]:
    return bench.kernel, bench.implementation, bench.shape, bench.dtype


def _benchmarks(proof: Proof, seconds: Gauge, rate: Gauge) -> None:
    for bench in proof.benchmarks:
        for quantile, ms in (("0.2", bench.p20_ms), ("0.5", bench.median_ms), ("0.8", bench.p80_ms)):
            seconds.labels(*_key(bench), quantile).set(ms / 1e3)
        unit, factor = ("bytes", 1e9) if bench.unit == "GB/s" else ("operations", 1e12)
        rate.labels(*_key(bench), unit).set(bench.value * factor)


def _timestamp(proof: Proof) -> float | None:
    try:
        return datetime.fromisoformat(proof.measured_at).timestamp() if proof.measured_at else None
    except ValueError:
        return None


def _last_good(previous: str) -> float | None:
    try:
        families = list(text_string_to_metric_families(previous))
    except ValueError:  # not our file, or cut off: nothing to carry on
        return None
    return next((sample.value for family in families for sample in family.samples if sample.name == LAST_GOOD), None)


def compare(proof: Proof, earlier: Proof) -> tuple[Text, ...]:
    """What got worse since `earlier`, one sentence each; empty if nothing did."""
    return tuple(_worse(proof, earlier))


def _worse(proof: Proof, earlier: Proof) -> Iterator[Text]:
    now, before = (str((one.device or {}).get("name", "-")) for one in (proof, earlier))
    if now != before:
        yield Text("proof.worse.other-card", {"now": now, "before": before})
    if ORDER.index(proof.verdict) > ORDER.index(earlier.verdict) and not {proof.verdict, earlier.verdict} <= set(GOOD):
        yield Text("proof.worse.verdict", {"now": f"@proof.verdict.{proof.verdict.value}", "before": f"@proof.verdict.{earlier.verdict.value}"})
    passed = {check.code for check in earlier.checks if check.outcome == "passed"}
    yield from (_lost(check) for check in proof.checks if check.code in passed and check.outcome != "passed")
    old = {_key(bench): bench for bench in earlier.benchmarks}
    for bench in proof.benchmarks:
        if _key(bench) in old and now == before:
            yield from _worse_benchmark(bench, old[_key(bench)])
    for kind, seconds, was in (("cold", proof.compile_cold_s, earlier.compile_cold_s), ("warm", proof.compile_warm_s, earlier.compile_warm_s)):
        if seconds and was and seconds > was * STARTS_SLOWER and seconds - was > STARTS_SLOWER_S:
            yield Text(f"proof.worse.start-{kind}", {"now": f"{seconds:.1f}", "before": f"{was:.1f}"})


def _lost(check: Check) -> Text:
    return Text(f"proof.worse.{check.outcome}", {"check": f"@{check_title(check.code).code}", "detail": check.detail})


def _worse_benchmark(bench: Benchmark, old: Benchmark) -> Iterator[Text]:
    params = {"kernel": f"@{kernel_title(bench.kernel).code}", "implementation": bench.implementation, "shape": bench.shape}
    if bench.median_ms > old.median_ms * SLOWER and bench.p20_ms > old.p80_ms:
        yield Text("proof.worse.slower", {**params, "now": f"{bench.median_ms:.3f}", "before": f"{old.median_ms:.3f}"})
    if bench.error is not None and old.error is not None and bench.error > old.error * LESS_EXACT:
        yield Text("proof.worse.less-exact", {**params, "now": f"{bench.error:.1e}", "before": f"{old.error:.1e}"})
