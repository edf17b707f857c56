"""Is it used: the start is the one of the planned start file, and what the log proves becomes a check of the proof."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from app.model.facts import Python
from app.model.plan import Attention, PlannedPython, RouteKind, Step, Where
from app.model.proof import AttentionUse, Check, ProofVerdict
from app.proof import USED, app_start, compare, judge, prometheus_text, proof_lines, read_comfyui_log, use_check, verdict_texts, with_check
from app.proof.used import OUTCOMES
from app.tables import load_tables
from app.texts import LANGUAGES, words
from tests.pages.samples import FACTS, PLAN, said
from tests.proof.samples import bench, good

APP = "/apps/ComfyUI"
PYTHON = f"{APP}/venv/bin/python"


def start(app: str = "comfyui", environment: dict | None = None, content: str = "", **changes):
    facts = replace(FACTS, pythons=(Python(PYTHON, "venv", "3.12.9", app=app, app_root=APP, packages={}),))
    step = Step("launcher", "write-launcher", said("x"), where=Where.FILE, arguments={"path": "x.bat", "content": content, "encoding": "ascii"})
    plan = replace(PLAN, python=PlannedPython(PYTHON, "venv", "3.12.9"), steps=(step,), **changes)
    return app_start(plan, facts, load_tables(), environment or {})


def test_it_starts_what_the_start_file_starts():
    found = start()
    assert found is not None
    assert (found.argv[0], found.argv[1], found.folder) == (PYTHON, "-s", APP)
    assert [Path(part).name for part in found.argv[3:]] == ["count_sage.py", "main.py", "--use-sage-attention"]
    portable = start("comfyui-portable")
    assert portable is not None
    assert portable.argv[4:] == (str(Path(APP, "ComfyUI", "main.py")), "--windows-standalone-build", "--use-sage-attention")


def test_variables_of_the_start_file_hold_here_too():
    content = '@echo off\r\nset "TEMP=%SystemDrive%\\TritonSetup\\temp"\r\nset "TRITON_CACHE_DIR=%NOWHERE%\\x"\r\nif not exist "C:\\x" mkdir "C:\\x"\r\n'
    found = start(content=content, environment={"SYSTEMDRIVE": "D:"})
    assert found is not None
    assert found.environment == {"TEMP": "D:\\TritonSetup\\temp", "TRITON_CACHE_DIR": "%NOWHERE%\\x"}


@pytest.mark.parametrize(
    "changes",
    [
        {"app": "stability-matrix"},
        {"app": "nobody-knows"},
        {"route": RouteKind.WSL2},
        {"choice": replace(PLAN.choice, attention=Attention.INT8)},
    ],
)
def test_what_is_not_started_by_a_file_of_ours_is_not_offered(changes: dict):
    assert start(**changes) is None


def test_nothing_known_nothing_offered():
    assert app_start(None, FACTS, load_tables(), {}) is None
    assert app_start(PLAN, None, load_tables(), {}) is None
    assert app_start(replace(PLAN, python=None), FACTS, load_tables(), {}) is None


@pytest.mark.parametrize("verdict", OUTCOMES)
def test_every_use_is_a_line_with_words_of_its_own(verdict):
    check = use_check(AttentionUse(verdict, 1024, 2, 3, (4, 6), 44, 40, "Using sage attention"))
    proof = with_check(good(), check)
    row = proof_lines(proof)[-1]
    assert (row.code, row.outcome, row.text.code) == ("used", OUTCOMES[verdict], f"proof.use.{verdict}")
    for language in LANGUAGES:
        assert all("{" not in words(text, language) for text in (row.text, *verdict_texts(proof)))
    failed = OUTCOMES[verdict] == "failed"
    assert proof.verdict is (ProofVerdict.SLOW if failed else ProofVerdict.FAST)
    assert proof.slow_because == ()
    assert verdict_texts(proof)[0].code == ("proof.verdict.slow-used" if failed else "proof.verdict.fast")
    assert (verdict_texts(proof)[-1].code == f"proof.use-next.{verdict}") == failed


def test_a_new_look_replaces_the_old_one_and_is_watched():
    before = with_check(good(), use_check(AttentionUse("used", 64)))
    now = with_check(before, use_check(AttentionUse("passed-by", 0, torch_calls=9)))
    assert [check.code for check in now.checks].count(USED) == 1
    assert {text.code for text in compare(now, before)} == {"proof.worse.verdict", "proof.worse.failed"}
    assert f'triton_setup_check_passed{{check="{USED}"}} 0.0' in prometheus_text(now)


def test_a_slow_card_is_told_before_how_it_is_used():
    slow = good(benchmarks=(bench("matmul", "triton", ratio=0.1), bench("matmul", "cublas")))
    proof = with_check(slow, use_check(AttentionUse("off")))
    assert (proof.verdict, proof.slow_because) == (ProofVerdict.SLOW, ("unknown",))
    codes = [text.code for text in verdict_texts(proof)]
    assert codes == ["proof.verdict.slow", "proof.broken", "proof.use-next.off", "proof.slow.unknown.text", "proof.slow.unknown.next"]


def test_a_wrong_kernel_weighs_more_than_how_it_is_used():
    proof = judge(good(checks=(*good().checks, Check("softmax", "failed", "", {"wrong": True}))))
    assert with_check(proof, use_check(AttentionUse("off"))).verdict is ProofVerdict.WRONG


@pytest.mark.parametrize(
    ("error", "because"),
    [
        ("CUDA error: no kernel image is available for execution on the device", "build"),
        ("SM89 kernel is not available. Make sure you GPUs with compute capability 8.9.", "build"),
        ("CUDA out of memory. Tried to allocate 748.00 MiB. GPU 0 has 113.56 MiB free", "memory"),
        ("Input tensors must be in dtype of torch.float16 or torch.bfloat16", "number-format"),
        ("Unsupported head_dim: 40", "head-size"),
        ("headdim should be in [64, 96, 128].", "head-size"),
        ("something nobody has seen", None),
    ],
)
def test_an_error_that_fell_back_gets_a_reason_and_a_next_step(error: str, because: str | None):
    log = f"Using sage attention\n[2026-07-12 02:10:24.500] Error running sage attention: {error}, using pytorch attention instead.\n"
    check = use_check(read_comfyui_log(io.BytesIO(log.encode())))
    assert (check.numbers["use"], check.numbers.get("because")) == ("fell-back", because)
    expected = f"proof.use-next.fell-back-{because}" if because else "proof.use-next.fell-back"
    assert verdict_texts(with_check(good(), check))[-1].code == expected


def test_why_is_asked_of_errors_only():
    assert "because" not in use_check(AttentionUse("used", 5, evidence="Using sage attention, dtype float16")).numbers
