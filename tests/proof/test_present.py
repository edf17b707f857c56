"""Sentences, rows and charts: every code has words in both languages, and no bar lies."""

import re
import tomllib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.proof import Benchmark, Check, Level, Proof, ProofVerdict
from app.model.text import Text
from app.proof import check_title, judge, line_text, proof_charts, proof_lines, proof_text, verdict_texts
from app.proof.cards import ahead_targets
from app.proof.prove import AGAIN, BENCHMARKS, IMPORTS, KERNELS, LIBRARIES
from app.resources import assets
from app.texts import LANGUAGES, words
from tests.proof.samples import DEVICE, bench, good

CODES = (*IMPORTS, *KERNELS, *AGAIN, *LIBRARIES, *BENCHMARKS, *ahead_targets(None), "launcher")


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_check_has_a_title_of_its_own(code: str, language: str):
    title = words(check_title(code), language)
    assert title
    assert code not in title
    assert "{" not in title


def test_a_check_of_a_newer_version_is_shown_by_its_code():
    assert words(check_title("quantum-leap"), "en") == "quantum-leap"
    assert words(check_title("compiles-sm130"), "en") == "Compiles for compute capability 13.0"


REASONS = sorted(
    set(re.findall(r'Skipped\("([a-z-]+)"', "".join(path.read_text(encoding="utf-8") for path in (assets() / "payloads").glob("*.py"))))
    | {"interpreter", "not-started", "not-offered", "no-gpu", "needs-numpy"}
)


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_to_skip_has_a_sentence(reason: str):
    assert line_text(Check("softmax", "skipped", "", {"reason": reason})).code == f"proof.skipped.{reason}"


@pytest.mark.parametrize("verdict", ProofVerdict)
def test_every_verdict_has_words(verdict: ProofVerdict):
    for language in LANGUAGES:
        assert all(words(text, language) for text in verdict_texts(good(verdict=verdict)))


@pytest.mark.parametrize("reason", ["power-limited", "battery", "other-program", "pcie", "thermal", "wrong-build", "no-tensor-cores", "unknown"])
def test_a_reason_comes_with_a_next_step(reason: str):
    texts = verdict_texts(good(verdict=ProofVerdict.SLOW, slow_because=(reason,)))
    assert [text.code for text in texts[1:]] == [f"proof.slow.{reason}.text", f"proof.slow.{reason}.next"]
    assert "{" not in "".join(words(text, "zh_CN") for text in texts)


def test_without_a_card_it_is_said_that_no_card_was_proved():
    texts = verdict_texts(Proof(Level.KERNEL, ProofVerdict.WORKS, (Check("softmax", "passed", ""),), backend="interpreter"))
    assert [text.code for text in texts] == ["proof.verdict.works-without-card", "proof.interpreter"]


def test_a_fault_of_sageattention_is_not_called_a_fault_of_triton():
    wrong = Check("sage-accuracy", "failed", "", {"wrong": True})
    texts = verdict_texts(judge(good(checks=(*good().checks, wrong))))
    assert texts[0].code == "proof.verdict.wrong-sage"
    assert texts[2].code == "proof.next.wrong-sage"
    both = judge(good(checks=(*good().checks, wrong, Check("softmax", "failed", "", {"wrong": True}))))
    assert verdict_texts(both)[0].code == "proof.verdict.wrong"


def test_rows_gather_their_checks_and_can_run_again():
    rows = {row.code: row for row in proof_lines(good())}
    assert list(rows) == ["loads", "right", "speed", "sage", "sage-speed-flux"]
    assert rows["loads"].checks == ("import-torch", "import-triton")
    assert words(rows["speed"].text, "en") == "90% of the card’s memory speed"
    assert words(rows["sage-speed-flux"].text, "en") == "2.05 × as fast as PyTorch (sdpa flash)"
    assert any("450" in words(detail.text, "en") or "455" in words(detail.text, "en") for detail in rows["speed"].details)


def test_a_gain_that_is_none_is_not_praised():
    plain = (bench("attention-short", "sageattention", ratio=1.04, reference="sdpa flash"), bench("attention-short", "sdpa flash", reference="sdpa flash"))
    row = next(row for row in proof_lines(good(checks=(Check("sage-speed-short", "passed", ""),), benchmarks=plain)) if row.code == "sage-speed-short")
    assert row.text.code == "proof.line.sage-speed.not-faster"


def test_one_failed_check_fails_its_row_and_speaks_for_it():
    checks = (Check("softmax", "passed", ""), Check("dot-fp16", "failed", "PassManager::run failed", {"error_type": "RuntimeError"}))
    row = proof_lines(Proof(Level.KERNEL, ProofVerdict.FAILS, checks))[0]
    assert (row.outcome, words(row.text, "en")) == ("failed", "It failed: PassManager::run failed")


def test_charts_have_bars_within_the_axis_and_numbers_as_measured():
    limits, workloads = proof_charts(good())
    assert [len(group.bars) for group in limits.groups] == [2, 1, 2, 2]
    assert words(limits.groups[0].bars[0].text, "en") == "455 GB/s  90%"
    assert words(limits.groups[2].bars[1].text, "en") == "54 TFLOP/s  93%"
    assert [bar.share for bar in workloads.groups[0].bars] == [pytest.approx(0.6 / 1.23), 1.0]


def test_a_card_that_boosts_above_its_peak_fills_the_bar_and_keeps_its_number():
    chart = proof_charts(good(benchmarks=(bench("add", "triton", 540),)))[0]
    assert (chart.groups[0].bars[0].share, words(chart.groups[0].bars[0].text, "en")) == (1.0, "540 GB/s  107%")


def test_no_benchmarks_no_charts():
    assert proof_charts(good(benchmarks=())) == ()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.builds(
            bench,
            st.sampled_from(["add", "copy", "softmax", "matmul", "attention", "attention-wan", "transfer", "new-kernel"]),
            st.sampled_from(["triton", "triton descriptors", "torch", "cublas", "sdpa cudnn", "sageattention"]),
            st.floats(0, 1e6),
            st.one_of(st.none(), st.floats(0, 100)),
            ceiling=st.one_of(st.none(), st.floats(1, 1e6)),
            median_ms=st.floats(1e-4, 1e4),
        ),
        max_size=8,
    )
)
def test_any_measurements_can_be_shown(benchmarks: list[Benchmark]):
    proof = judge(good(benchmarks=tuple(benchmarks)))
    assert all(0 <= bar.share <= 1 for chart in proof_charts(proof) for group in chart.groups for bar in group.bars)
    for language in LANGUAGES:
        assert "{" not in proof_text(proof, language)


def test_the_text_to_copy_holds_verdict_rows_and_card():
    text = proof_text(good(), "en")
    assert text.startswith("Works, and it is fast\n")
    assert "name=NVIDIA GeForce RTX 4070" in text
    assert "+ SageAttention is right: " in text


def test_sentences_are_short_and_calm():
    def sentences(table: dict, path: str = "") -> list[tuple[str, dict]]:
        return (
            [(path, table)]
            if all(isinstance(v, str) for v in table.values())
            else [pair for key, value in table.items() for pair in sentences(value, f"{path}.{key}")]
        )

    for code, sentence in sentences(tomllib.loads((assets() / "i18n" / "proof.toml").read_text(encoding="utf-8"))):
        assert set(sentence) == {"en", "zh_CN"}, code
        assert "!" not in sentence["en"] + sentence["zh_CN"], code
        assert all(len(part.split()) <= 16 for part in re.split(r"[.:] ", sentence["en"])), code
        assert sorted(re.findall(r"\{(\w+)\}", sentence["en"])) == sorted(re.findall(r"\{(\w+)\}", sentence["zh_CN"])), code


def test_params_that_look_like_codes_are_only_ours():
    assert words(Text("proof.failed.error", {"detail": "{seconds}"}), "en") == "It failed: {seconds}"


def test_device_numbers_stand_in_the_reason():
    text = verdict_texts(good(verdict=ProofVerdict.SLOW, slow_because=("other-program",), device={**DEVICE, "busy_before_percent": 63}))[1]
    assert "63%" in words(text, "en")


def failing(capability: str, triton: str, *, wrong: bool = False) -> Proof:
    checks = (Check("import-triton", "passed", "", {"triton": triton}), Check("dot-fp16", "failed", "PassManager::run failed", {"wrong": wrong}))
    return judge(good(checks=checks, benchmarks=(), device={**DEVICE, "compute_capability": capability}))


@pytest.mark.parametrize(("capability", "triton", "code"), [("7.5", "3.3.1", "does-not-compile"), ("12.0", "3.2.0", "too-old")])
def test_a_triton_that_does_not_fit_the_card_is_named(capability: str, triton: str, code: str):
    assert [text.code for text in verdict_texts(failing(capability, triton))[1:]] == [f"proof.card.{code}.text", f"proof.card.{code}.next"]


def test_what_fails_without_a_known_reason_is_named_with_a_next_step():
    texts = verdict_texts(failing("8.9", "3.8.0"))
    assert [words(text, "en") for text in texts] == [
        "It does not run",
        "The check that failed: Matrix multiplication, fp16.",
        "Save the log and let this program find the cause.",
    ]
    assert verdict_texts(failing("8.9", "3.8.0", wrong=True))[2].code == "proof.next.wrong"


def test_a_card_that_lost_its_tensor_cores_is_told_so():
    slow = (bench("matmul", "triton", ratio=0.1), bench("matmul", "cublas"))
    proof = judge(good(checks=(Check("import-triton", "passed", "", {"triton": "3.6.0"}),), benchmarks=slow, device={**DEVICE, "compute_capability": "7.5"}))
    assert proof.slow_because[0] == "no-tensor-cores"


def rows_of(*checks: Check) -> dict[str, str]:
    return {row.code: words(row.text, "en") for row in proof_lines(judge(Proof(Level.KERNEL, ProofVerdict.FAILS, checks, backend="interpreter")))}


def test_one_card_is_not_called_kinds_of_cards():
    one = Check("compiles-sm89", "passed", "", {"kernels": 8, "compile_s": 5.0})
    launcher = Check("launcher", "passed", "", {"size_bytes": 12345})
    assert rows_of(one, launcher) == {"compiles": "8 kernels in 5.0 s"}
    assert rows_of(one, replace(one, code="compiles-sm120"), launcher) == {"compiles": "Compiles for 2 kinds of cards"}
    assert rows_of(launcher) == {"compiles": "The launcher builds: 12,345 bytes"}


def test_what_cannot_run_here_needs_one_row():
    codes = ("sage-import", "sage-accuracy", "sage-speed-sdxl", "sage-speed-wan")
    assert list(rows_of(*(Check(code, "skipped", "", {"reason": "interpreter"}) for code in codes))) == ["sage"]
    assert list(rows_of(Check("sage-import", "passed", "", {"version": "2.2.0"}), *(Check(code, "passed", "") for code in codes[1:])))[1:] == list(codes[2:])


def test_long_evidence_is_short_in_the_row_and_whole_in_the_fold():
    wrong = Check("sage-accuracy", "failed", "4 of 20 shapes differ: " + ", ".join(f"N{n}x{n} D128 (cosine 0.98)" for n in range(9)), {"wrong": True})
    row = proof_lines(judge(good(checks=(*good().checks[:2], wrong))))[-1]
    assert len(words(row.text, "en")) < 110
    assert words(row.text, "en").endswith("…")
    assert row.details[-1].evidence == wrong.detail
