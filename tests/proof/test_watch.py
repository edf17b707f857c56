"""Metrics for a collector, and what got worse."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from app.model.proof import Check, ProofVerdict
from app.proof import compare, judge, prometheus_text
from app.proof.watch import LAST_GOOD
from app.texts import LANGUAGES, words
from tests.proof.samples import DEVICE, GOOD_BENCHMARKS, bench, good


def samples(text: str) -> dict[tuple[str, frozenset], float]:
    return {(sample.name, frozenset(sample.labels.items())): sample.value for family in text_string_to_metric_families(text) for sample in family.samples}


def value(text: str, name: str, **labels: str) -> float | None:
    found = [number for (sample, has), number in samples(text).items() if sample == f"triton_setup_{name}" and labels.items() <= dict(has).items()]
    assert len(found) <= 1
    return found[0] if found else None


def test_latency_ratio_accuracy_and_time_in_base_units():
    text = prometheus_text(good())
    add = {"kernel": "add", "implementation": "triton"}
    assert value(text, "kernel_seconds", **add, quantile="0.5") == pytest.approx(1e-3)
    assert value(text, "kernel_seconds", **add, quantile="0.8") == pytest.approx(1.03e-3)
    assert value(text, "kernel_rate", **add, unit="bytes") == pytest.approx(455e9)
    assert value(text, "kernel_rate", kernel="matmul", implementation="cublas", unit="operations") == pytest.approx(54e12)
    assert value(text, "kernel_ratio", **add, reference="copy") == 1.02
    assert value(text, "kernel_error", **add) == 0.0
    assert value(text, "compile_seconds", cache="cold") == 3.1
    assert value(text, "proof_verdict", verdict="fast") == 1
    assert value(text, "proof_verdict", verdict="wrong") == 0
    assert value(text, "last_good_proof_timestamp_seconds") == 1796040000


def test_skipped_checks_are_neither_passed_nor_failed():
    text = prometheus_text(good(checks=(Check("softmax", "failed", ""), Check("dot-fp8", "skipped", ""))))
    assert value(text, "check_passed", check="softmax") == 0
    assert value(text, "check_passed", check="dot-fp8") is None


def test_the_time_of_the_last_good_proof_survives_a_bad_one():
    before = prometheus_text(good())
    bad = judge(good(checks=(Check("softmax", "failed", ""),), measured_at="2026-12-24T12:00:00+00:00"))
    text = prometheus_text(bad, before)
    assert value(text, "last_good_proof_timestamp_seconds") == 1796040000
    assert value(text, "proof_timestamp_seconds") == 1798113600
    assert value(prometheus_text(bad), "last_good_proof_timestamp_seconds") is None


@settings(deadline=None, max_examples=50)
@given(st.one_of(st.text(), st.just(f"{LAST_GOOD} cut o"), st.just(f"# TYPE {LAST_GOOD} gauge\n{LAST_GOOD} 1e")))
def test_any_text_before_does_no_harm(previous: str):
    assert "triton_setup_proof_verdict" in prometheus_text(good(verdict=ProofVerdict.FAILS), previous)


def test_names_from_outside_cannot_break_the_format():
    text = prometheus_text(good(checks=(Check('x"} 1\nevil 1 #', "passed", ""),), benchmarks=(bench("add", 'a"\\\n', error=None),)))
    assert not any(name == "evil" for name, _ in samples(text))


def test_nothing_worse_says_nothing():
    assert compare(good(), good()) == ()


def slower(factor: float):
    return tuple(replace(one, median_ms=one.median_ms * factor, p20_ms=one.p20_ms * factor, p80_ms=one.p80_ms * factor) for one in GOOD_BENCHMARKS)


def test_slower_beyond_the_spread_is_worse_and_faster_is_not():
    worse = compare(good(benchmarks=slower(1.2)), good())
    assert {text.code for text in worse} == {"proof.worse.slower"}
    assert len(worse) == len(GOOD_BENCHMARKS)
    assert compare(good(benchmarks=slower(1.05)), good()) == ()
    assert compare(good(benchmarks=slower(0.5)), good()) == ()


def test_a_noisy_measurement_is_not_called_slower():
    noisy = tuple(replace(one, p80_ms=one.p80_ms * 2) for one in GOOD_BENCHMARKS)
    assert compare(good(benchmarks=slower(1.2)), good(benchmarks=noisy)) == ()


def test_a_check_that_fails_or_vanished_is_worse():
    now = judge(
        good(
            checks=(Check("add-odd", "failed", "boom"), Check("sage-accuracy", "skipped", "", {"reason": "sage-not-installed"}), Check("softmax", "failed", ""))
        )
    )
    codes = [text.code for text in compare(now, good())]
    assert codes == ["proof.worse.verdict", "proof.worse.failed", "proof.worse.skipped"]


def test_slower_starts_and_larger_errors_are_worse():
    less_exact = tuple(replace(one, error=5e-4) for one in GOOD_BENCHMARKS)
    exact = tuple(replace(one, error=2e-4) for one in GOOD_BENCHMARKS)
    assert {text.code for text in compare(good(benchmarks=less_exact), good(benchmarks=exact))} == {"proof.worse.less-exact"}
    assert [text.code for text in compare(good(compile_warm_s=3.0), good())] == ["proof.worse.start-warm"]


def test_times_of_another_card_are_not_compared():
    codes = [text.code for text in compare(good(benchmarks=slower(3), device={**DEVICE, "name": "NVIDIA GeForce RTX 3050"}), good())]
    assert codes == ["proof.worse.other-card"]


def test_works_and_fast_are_both_good():
    assert compare(good(verdict=ProofVerdict.WORKS), good()) == ()


def test_every_sentence_can_be_said():
    now = judge(good(checks=(Check("add-odd", "failed", "boom"),), benchmarks=slower(2), compile_cold_s=9.0, compile_warm_s=4.0))
    for language in LANGUAGES:
        said = [words(text, language) for text in compare(now, good())]
        assert len(said) >= 5
        assert not any("{" in sentence or "@" in sentence for sentence in said)
