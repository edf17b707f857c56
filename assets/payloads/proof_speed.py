"""How fast is Triton on this card? Against what the same card does in the same run: copy, cuBLAS, torch's attention.

Every implementation is checked on the very inputs that are timed, with outputs that were poisoned before.
"""

import contextlib
import functools

import kernel_add
import kernel_attention
import kernel_matmul
import kernel_softmax
import proof_device
import torch
from proof_events import Skipped, Wrong
from proof_kernels import capability
from proof_measure import Timer, poison_free_memory, poisoned, relative_error, report
from torch.nn.attention import SDPBackend, sdpa_kernel

SLOWEST_RUN_MS = 60.0
"""Sizes shrink until one run takes less: the whole benchmark must stay pleasant on a small card."""

FACTS = {}


@functools.lru_cache(maxsize=1)
def timer():
    proof_device.cuda_driver()
    return Timer(proof_device.describe_device()["l2_bytes"])


def fitting(sizes, bytes_of, share=0.6):
    """The first of `sizes` whose tensors fit into the free memory; Skipped if none does."""
    free = free_memory() * share
    for size in sizes:
        if bytes_of(size) <= free:
            return size
    raise Skipped("memory", needs_bytes=bytes_of(sizes[-1]), free_bytes=int(free))


def free_memory():
    """Bytes that are free on the card once torch has given back what earlier checks left behind."""
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info()[0]


def demand(errors, limit, kernel):
    """Every implementation within the limit, else Wrong names those that are not. A kernel of torch's own counts too."""
    wrong = {name: error for name, error in errors.items() if not error <= limit}
    if wrong:
        raise Wrong(f"{kernel}: " + ", ".join(f"{name} {error:.2e}" for name, error in wrong.items()), error_limit=limit)


def transfer():
    """From the PC's memory to the card's: shows a slot with too few lanes. The most common reason for slow loading."""
    size = fitting([256 << 20, 64 << 20], lambda size: 2 * size)
    here = torch.randint(256, (size,), dtype=torch.uint8).pin_memory()
    there = torch.empty(size, dtype=torch.uint8, device="cuda")
    there.copy_(here)
    differing = int((there.cpu() != here).sum())
    if differing:
        raise Wrong(f"{differing} of {size} bytes differ after the transfer", differing=differing)
    times = timer().compare({"copy": lambda: there.copy_(here, non_blocking=True)}, budget_ms=60)
    report("transfer", f"{size}", "uint8", times, size, "GB/s", "copy", {}, None, timer().conditions)
    return f"{size} bytes", {"size_bytes": size}


def add():
    n = fitting([1 << 28, 1 << 27, 1 << 26, 1 << 25], lambda n: 16 * n)
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    exact, out = x + y, poisoned(n, dtype=torch.float32, device="cuda")
    kernel_add.add(x, y, out)
    errors = {"triton": error_in_parts(out, exact)}
    out.fill_(float("nan"))
    torch.add(x, y, out=out)
    errors["torch"] = error_in_parts(out, exact)
    demand(errors, 0.0, "add")
    del exact
    times = timer().compare({"triton": lambda: kernel_add.add(x, y, out), "torch": lambda: torch.add(x, y, out=out), "copy": lambda: out.copy_(x)})
    # A copy moves two thirds of the bytes of an addition; its line is measured for itself.
    copy = {"copy": times.pop("copy")}
    report("copy", f"{n}", "fp32", copy, 8 * n, "GB/s", "copy", {}, None, timer().conditions)
    FACTS["copy_gb_s"] = 8 * n / sorted(copy["copy"])[len(copy["copy"]) // 2] / 1e6
    relate("add", f"{n}", "fp32", times, 12 * n, errors, 0.0)
    return f"{n} elements", {"length": n}


def relate(kernel, shape, dtype, times, work, errors, limit):
    """Reports a kernel that is limited by memory, with ratios to the measured speed of a copy."""
    if "copy_gb_s" not in FACTS:
        raise Skipped("needs-copy")
    at_copy_speed = work / FACTS["copy_gb_s"] / 1e6
    report(kernel, shape, dtype, {**times, "copy": [at_copy_speed]}, work, "GB/s", "copy", errors, limit, timer().conditions, silent=("copy",))


def softmax():
    rows = fitting([32768, 16384, 8192, 4096], lambda rows: rows * 8192 * 8)
    x = torch.randn(rows, 8192, device="cuda", dtype=torch.float16)
    out = poisoned(rows, 8192, dtype=torch.float16, device="cuda")
    some = torch.randint(rows, (64,), device="cuda")
    kernel_softmax.softmax(x, out)
    exact = torch.softmax(x[some].double(), dim=1)
    errors = {"triton": worst_of(out, relative_error(out[some], exact))}
    errors["torch"] = relative_error(torch.softmax(x[some], dim=1), exact)
    demand(errors, 2e-3, "softmax")
    times = timer().compare({"triton": lambda: kernel_softmax.softmax(x, out), "torch": lambda: torch.softmax(x, dim=1)})
    relate("softmax", f"{rows}x8192", "fp16", times, 4 * rows * 8192, errors, 2e-3)
    return f"{rows} rows", {"rows": rows}


def error_in_parts(out, exact, length=1 << 24):
    """The largest relative error of any part: float64 copies of the whole would not fit on a small card."""
    return max(relative_error(part, right) for part, right in zip(out.split(length), exact.split(length)))  # noqa: B905 - Python 3.9


def worst_of(out, error):
    """The error of the checked part, infinite if any element of the whole was never written or is not finite."""
    return error if bool(torch.isfinite(out).all()) else float("inf")


def matmul():
    probe = torch.randn(2048, 2048, device="cuda", dtype=torch.float16)
    one = sorted(timer().compare({"probe": lambda: probe @ probe}, budget_ms=20)["probe"])[0]
    affordable = [n for n in (8192, 4096, 2048) if one * (n / 2048) ** 3 < SLOWEST_RUN_MS] or [2048]
    n = fitting(affordable, lambda n: 14 * n * n)
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.float16) for _ in range(2))
    some = torch.randint(n, (32,), device="cuda")
    exact = a[some].double() @ b.double()
    runs = {"triton": lambda a, b, c: kernel_matmul.matmul(a, b, c, kernel_matmul.pointers(capability()))}
    if kernel_matmul.has_descriptors(capability()):
        runs["triton descriptors"] = kernel_matmul.matmul_descriptor
    runs["cublas"] = lambda a, b, c: torch.matmul(a, b, out=c)
    c, errors = poisoned(n, n, dtype=torch.float16, device="cuda"), {}
    for name, run in runs.items():
        run(a, b, c.fill_(float("nan")))
        errors[name] = worst_of(c, relative_error(c[some], exact))
    demand(errors, 2e-3, "matmul")
    times = timer().compare({name: (lambda run=run: run(a, b, c)) for name, run in runs.items()})
    report("matmul", f"{n}x{n}x{n}", "fp16", times, 2 * n**3, "TFLOP/s", "cublas", errors, 2e-3, timer().conditions)
    return f"{n} cubed", {"size": n}


BACKENDS = {
    "sdpa flash": ["FLASH_ATTENTION"],
    "sdpa cudnn": ["CUDNN_ATTENTION"],
    "sdpa efficient": ["EFFICIENT_ATTENTION"],
    "sdpa math": ["MATH"],
    "sdpa any": [],
}
"""torch's back ends by the name in our results; `sdpa any` is what torch chooses itself, where none of them takes the shape."""

MATH_BYTES = 12
"""What the plain back end holds for each pair of query and key: scores, their softmax and a copy, in fp32."""


def torch_attention(q, k, v, causal):
    """Each back end of torch's attention that this build has and that takes these shapes, by name."""
    runs = {}
    pairs = q.shape[0] * q.shape[1] * q.shape[2] * k.shape[2]
    for name, constants in BACKENDS.items():
        if name == "sdpa math" and MATH_BYTES * pairs > 0.6 * free_memory():
            continue
        backends = [getattr(SDPBackend, constant) for constant in constants if hasattr(SDPBackend, constant)]
        if len(backends) < len(constants) or (runs and not constants):
            continue

        def run(backends=backends):
            with sdpa_kernel(backends) if backends else contextlib.nullcontext():
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        try:
            run()
        except RuntimeError:
            continue
        runs[name] = run
    return runs


def attention(causal):
    def check():
        batch, heads, dim = 4, 32, 128
        length = fitting([4096, 2048, 1024], lambda length: 10 * batch * heads * length * dim)
        if not affordable_attention():
            length = min(length, 1024)
        q, k, v = (torch.randn(batch, heads, length, dim, device="cuda", dtype=torch.float16) for _ in range(3))
        out = torch.empty_like(q)
        runs = {"triton": lambda: kernel_attention.attention(q, k, v, out, causal, kernel_attention.pointers(capability()))}
        if kernel_matmul.has_descriptors(capability()):
            runs["triton descriptors"] = lambda: kernel_attention.attention_descriptor(q, k, v, out, causal)
        compared = torch_attention(q, k, v, causal)
        if not compared:
            raise Skipped("no-backend")
        runs.update(compared)
        some = [(0, 0), (batch - 1, heads - 1), (batch // 2, 5)]
        exact = torch.stack([exact_attention(q[at], k[at], v[at], causal) for at in some])
        errors = {}
        for name, run in runs.items():
            out.fill_(float("nan"))
            poison_free_memory(out)
            result = run()
            result = out if result is None or name.startswith("triton") else result
            errors[name] = worst_of(result, relative_error(torch.stack([result[at] for at in some]), exact))
        demand(errors, 2e-3, "attention")
        times = timer().compare(runs)
        best = min((name for name in runs if name.startswith("sdpa")), key=lambda name: sorted(times[name])[len(times[name]) // 2])
        work = 4 * batch * heads * length * length * dim // (2 if causal else 1)
        kind = "attention-causal" if causal else "attention"
        report(kind, f"B{batch} H{heads} N{length} D{dim}", "fp16", times, work, "TFLOP/s", best, errors, 2e-3, timer().conditions)
        return f"best of torch: {best}", {"best": best, "length": length}

    return check


def exact_attention(q, k, v, causal):
    """One head in float64: [length, dim]."""
    scores = q.double() @ k.double().T / q.shape[-1] ** 0.5
    if causal:
        scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu_(1), -float("inf"))
    return torch.softmax(scores, dim=1) @ v.double()


def affordable_attention():
    probe = torch.randn(1, 8, 1024, 128, device="cuda", dtype=torch.float16)
    run = lambda: torch.nn.functional.scaled_dot_product_attention(probe, probe, probe)  # noqa: E731
    return sorted(timer().compare({"probe": run}, budget_ms=10)["probe"])[0] * 256 < 4 * SLOWEST_RUN_MS
