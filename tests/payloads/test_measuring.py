"""The measuring itself: what is unwritten, not finite or wrong must not pass. Runs in a Python with torch."""

import json
import os
import subprocess
from pathlib import Path

import pytest

PAYLOADS = Path(__file__).parents[2] / "assets" / "payloads"

pytestmark = [pytest.mark.network, pytest.mark.slow]

SCRIPT = """
import json, math, torch, triton, triton.language as tl
import kernel_matmul, kernel_softmax, proof_events, proof_kernels, proof_measure, proof_speed

answers = {}
exact = torch.randn(64, 64)
answers["same"] = proof_measure.relative_error(exact, exact)
answers["off by a thousandth"] = proof_measure.relative_error(exact * 1.001, exact)
unwritten = proof_measure.poisoned(64, 64, dtype=torch.float32, device="cpu")
unwritten[:63] = exact[:63]
answers["unwritten row counts"] = math.isinf(proof_measure.relative_error(unwritten, exact))
answers["unwritten row outside the sample counts"] = math.isinf(proof_speed.worst_of(unwritten, 0.0))
answers["written"] = proof_speed.worst_of(exact, 0.25)
limits = {(3, 1): (1, 26), (3, 6): (2, 3), (3, 7): (2, 4)}
answers["numpy that serves"] = [proof_kernels.numpy_limit(triton, numpy, True) for triton, numpy in limits.items()]
answers["numpy too new"] = [proof_kernels.numpy_limit(*case) for case in (((3, 1), (2, 0), False), ((3, 2), (2, 4), True), ((3, 6), (2, 4), False))]
answers["spread"] = proof_measure.spread([5.0, 1.0, 3.0, 2.0, 4.0])


@triton.jit
def last_row_forgotten(x_ptr, out_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + offsets, mask=offsets < columns, other=-float("inf"))
    y = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + offsets, y / tl.sum(y, axis=0), mask=(offsets < columns) & (row < tl.num_programs(0) - 1))


kernel_softmax.softmax_kernel = last_row_forgotten
try:
    proof_kernels.softmax()
    answers["a kernel that forgets a row"] = "passed"
except proof_events.Wrong as wrong:
    answers["a kernel that forgets a row"] = "wrong"


@triton.jit
def last_block_forgotten(a_ptr, b_ptr, c_ptr, m, n, k, sa, sb, sc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    block_m, block_n = kernel_matmul.block_of(tl.program_id(0), m, n, BLOCK_M, BLOCK_N, GROUP_M)
    rows, columns, inner = block_m * BLOCK_M + tl.arange(0, BLOCK_M), block_n * BLOCK_N + tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, k - BLOCK_K, BLOCK_K):
        a = tl.load(a_ptr + (rows % m)[:, None] * sa + start + inner[None, :])
        b = tl.load(b_ptr + (start + inner[:, None]) * sb + (columns % n)[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * sc + columns[None, :], total.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


kernel_matmul.matmul_kernel = last_block_forgotten
try:
    proof_kernels.dot_fp16()
    answers["a kernel that forgets the end of K"] = "passed"
except proof_events.Wrong as wrong:
    answers["a kernel that forgets the end of K"] = "wrong"
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(torch_python: str, tmp_path_factory: pytest.TempPathFactory) -> dict:
    # Triton reads kernels from their file, so the script needs one.
    script = tmp_path_factory.mktemp("measuring") / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {"PYTHONPATH": str(PAYLOADS), "TRITON_INTERPRET": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([torch_python, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_errors_are_relative_and_nan_is_infinite(answers: dict):
    assert answers["same"] == 0
    assert answers["off by a thousandth"] == pytest.approx(1e-3, rel=1e-3)
    assert answers["unwritten row counts"]
    assert answers["unwritten row outside the sample counts"]
    assert answers["written"] == 0.25


def test_a_numpy_that_breaks_the_interpreter_is_known(answers: dict):
    assert answers["numpy that serves"] == [None, None, None]
    assert answers["numpy too new"] == ["2.0", "2.4", None]


def test_median_and_spread(answers: dict):
    assert answers["spread"] == [3.0, 2.0, 4.0]


def test_broken_kernels_are_called_wrong(answers: dict):
    assert answers["a kernel that forgets a row"] == "wrong"
    assert answers["a kernel that forgets the end of K"] == "wrong"


def test_a_kernel_that_does_not_fit_into_shared_memory_is_refused(torch_python: str, tmp_path: Path):
    argv = [torch_python, PAYLOADS / "payload_ahead.py", "--checks", "compiles-sm90", "--few", "--shared", "90:1000"]
    done = subprocess.run(argv, env={"TRITON_CACHE_DIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=True)
    check = next(said for line in done.stdout.splitlines() if (said := json.loads(line))["proof"] == "check")
    assert check["outcome"] == "failed"
    assert "matmul fp16: wants" in check["detail"]


COMPILED = """
import torch, torch.nn.functional as F
from torch._dynamo.utils import counters
q = torch.randn(1, 2, 8, 16)
plain = F.scaled_dot_product_attention(q, q, q)
compiled = torch.compile(lambda q: F.scaled_dot_product_attention(q, q, q), backend="eager", fullgraph=True)
for _ in range(5): assert torch.equal(compiled(q), plain)
print(counters["stats"]["unique_graphs"])
"""


def test_counting_neither_breaks_torch_compile_nor_makes_it_compile_again(torch_python: str, tmp_path: Path):
    (tmp_path / "main.py").write_text(COMPILED, encoding="utf-8")
    argv = [torch_python, PAYLOADS / "count_sage.py", tmp_path / "main.py"]
    done = subprocess.run(argv, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "1"), done.stderr[-2000:]
    assert json.loads(done.stderr.splitlines()[-1])["torch_calls"] == 1
