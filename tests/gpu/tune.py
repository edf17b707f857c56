"""Tries configurations of the matmul, attention and softmax kernels on this card, each checked before it is timed.

    python3 tests/gpu/tune.py [matmul] [attention] [softmax] > tune.jsonl

One JSON object a line, fastest last. This is how the configurations in assets/payloads were found.
"""

import itertools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "assets" / "payloads"))

import kernel_attention
import kernel_matmul
import kernel_softmax
import proof_measure
import proof_speed as benchmark
import torch


def try_all(kernel, candidates, limit, work, references):
    """Checks and times each candidate {name: (run, error)}; prints all with their share of the best reference."""
    timer = proof_measure.Timer(60 << 20)
    good = dict(references)
    for name, (run, error_of) in candidates.items():
        try:
            run()
            error = error_of()
        except Exception as failure:
            print(json.dumps({"kernel": kernel, "config": name, "failed": f"{type(failure).__name__}: {failure}"[:160]}), flush=True)
            continue
        if not error <= limit:
            print(json.dumps({"kernel": kernel, "config": name, "wrong": str(error)}), flush=True)
            continue
        good[name] = run
    medians = {name: proof_measure.spread(times)[0] for name, times in timer.compare(good, budget_ms=60).items()}
    best = min(medians[name] for name in references)
    for name, median in sorted(medians.items(), key=lambda pair: -pair[1]):
        print(
            json.dumps({"kernel": kernel, "config": name, "ms": round(median, 4), "rate": round(work / median / 1e9, 1), "ratio": round(best / median, 4)}),
            flush=True,
        )


def matmul(n=8192):
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    some = torch.randint(n, (32,), device="cuda")
    exact = a[some].double() @ b.double()
    candidates = {}
    spaces = {"matmul": ((128, 128, 64), (128, 256, 64)), "matmul_descriptor": ((128, 256, 64), (256, 128, 64), (128, 128, 64), (128, 256, 32), (256, 128, 32))}
    for launcher, blocks in spaces.items():
        for (m, width, k), group, warps, stages in itertools.product(blocks, (4, 8, 16), (4, 8), (3, 4)):
            config = {"BLOCK_M": m, "BLOCK_N": width, "BLOCK_K": k, "GROUP_M": group, "num_warps": warps, "num_stages": stages}
            if (m * width > 16384 and warps == 4) or (launcher == "matmul" and group != 8):
                continue
            run = lambda launcher=launcher, config=config: getattr(kernel_matmul, launcher)(a, b, c, config)  # noqa: E731

            def error_of(run=run):
                c.fill_(float("nan"))
                run()
                return benchmark.worst_of(c, proof_measure.relative_error(c[some], exact))

            candidates[f"{launcher} {m}x{width}x{k} group {group} warps {warps} stages {stages}"] = (run, error_of)
    try_all("matmul", candidates, 2e-3, 2 * n**3, {"cublas": lambda: torch.matmul(a, b, out=c)})


def attention(length=4096, batch=4, heads=32, dim=128):
    q, k, v = (torch.randn(batch, heads, length, dim, device="cuda", dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    for causal in (False, True):
        some = [(0, 0), (batch - 1, heads - 1)]
        exact = torch.stack([benchmark.exact_attention(q[at], k[at], v[at], causal) for at in some])
        candidates = {}
        for (m, width, warps), together, stages in itertools.product(((64, 128, 4), (64, 64, 4), (128, 64, 4), (64, 256, 4), (128, 128, 8)), (1, 2, 4), (1, 2)):
            config = {"BLOCK_M": m, "BLOCK_N": width, "HEADS_TOGETHER": together, "num_warps": warps, "num_stages": stages}
            run = lambda config=config, causal=causal: kernel_attention.attention_descriptor(q, k, v, out, causal, config)  # noqa: E731
            candidates[f"descriptors {m}x{width} heads {together} warps {warps} stages {stages}"] = (run, error_for(run, out, some, exact))
        for (m, width, warps), stages in itertools.product(((128, 64, 8), (128, 64, 4), (64, 64, 4), (128, 128, 8)), (2, 3)):
            config = {"BLOCK_M": m, "BLOCK_N": width, "num_warps": warps, "num_stages": stages}
            run = lambda config=config, causal=causal: kernel_attention.attention(q, k, v, out, causal, config)  # noqa: E731
            candidates[f"pointers {m}x{width} warps {warps} stages {stages}"] = (run, error_for(run, out, some, exact))
        work = 4 * batch * heads * length * length * dim // (2 if causal else 1)
        try_all("attention-causal" if causal else "attention", candidates, 2e-3, work, benchmark.torch_attention(q, k, v, causal))


def error_for(run, out, some, exact):
    def error_of():
        out.fill_(float("nan"))
        run()
        return benchmark.worst_of(out, proof_measure.relative_error(torch.stack([out[at] for at in some]), exact))

    return error_of


def softmax(rows=32768, columns=8192):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    out = torch.empty_like(x)
    some = torch.randint(rows, (64,), device="cuda")
    exact = torch.softmax(x[some].double(), dim=1)
    candidates = {}
    for warps in (2, 4, 8, 16):
        run = lambda warps=warps: kernel_softmax.softmax(x, out, warps)  # noqa: E731
        candidates[f"warps {warps}"] = (
            run,
            lambda run=run: (out.fill_(float("nan")), run(), benchmark.worst_of(out, proof_measure.relative_error(out[some], exact)))[2],
        )
    try_all("softmax", candidates, 2e-3, 4 * rows * columns, {"copy": lambda: out.copy_(x)})


if __name__ == "__main__":
    for name in sys.argv[1:] or ("softmax", "matmul", "attention"):
        {"softmax": softmax, "matmul": matmul, "attention": attention}[name]()
