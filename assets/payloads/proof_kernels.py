"""Small kernels on awkward sizes, each checked against float64 or bit for bit.

With TRITON_INTERPRET=1 they run in Triton's interpreter on the CPU: that checks the language front end and
nothing about a graphics card.
"""

import importlib.metadata
import re
import time

import kernel_add
import kernel_attention
import kernel_matmul
import kernel_softmax
import torch
from proof_events import INTERPRETED, Skipped, Wrong
from proof_measure import poisoned, relative_error

FACTS = {"driver_s": 0.0}
DEVICE = "cpu" if INTERPRETED else "cuda"
FP8_ERROR, BF16_ERROR, FP16_ERROR = 1e-2, 8e-3, 2e-3
"""Limits for the relative error against float64 of the same rounded inputs: several times the rounding of the output."""


NUMPY_LIMITS = (((3, 2), "2.0", False), ((3, 7), "2.4", True))
"""Triton before this version, with numpy from this version on, interprets wrongly: 3.1 reads zeros and writes nothing, 3.2 to
3.6 stop in loops whose end is an argument. Tried with numpy 1.26, 2.0, 2.3 and 2.4; kernels that are compiled never meet numpy."""


def numpy_limit(triton, numpy, loops):
    """The version that numpy has to stay below for the interpreter of this Triton; None where it serves as it is."""
    for before, limit, in_loops_only in NUMPY_LIMITS:
        if triton < before and numpy >= tuple(map(int, limit.split("."))) and (loops or not in_loops_only):
            return limit
    return None


def require_interpreter(loops=False):
    """Skips a check whose failure would be numpy's: it says nothing about this Triton and this person's kernels."""
    if INTERPRETED:
        numpy = tuple(int(number) for number in re.findall(r"\d+", importlib.metadata.version("numpy"))[:2])
        limit = numpy_limit(kernel_matmul.TRITON, numpy, loops)
        if limit:
            raise Skipped("numpy-too-new", needs=limit, numpy=importlib.metadata.version("numpy"))


def capability():
    """The compute capability as one number (75 means 7.5); the interpreter computes like a card that has everything."""
    if INTERPRETED:
        return 90
    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


def require(error, limit, what, **numbers):
    numbers.update(error=error, error_limit=limit)
    if not error <= limit:
        raise Wrong(f"{what}: relative error {error:.2e}, limit {limit:.0e}", **numbers)
    return numbers


def driver_target():
    """Builds Triton's C launcher helpers with the C compiler it finds and asks the driver for the target."""
    if INTERPRETED:
        raise Skipped("interpreter")
    import triton

    torch.cuda.init()
    began = time.perf_counter()
    target = triton.runtime.driver.active.get_current_target()
    FACTS["driver_s"] = time.perf_counter() - began
    return f"{target.backend} {target.arch}", {"backend": target.backend, "arch": str(target.arch)}


def compile_cold():
    """The first launch with an empty cache: what a person waits for once, the C launcher included."""
    if INTERPRETED:
        raise Skipped("interpreter")
    return first_launch()


def compile_warm():
    """The same in a new process, with the cache that an earlier one filled: what a person waits for at every start."""
    return compile_cold()


def first_launch():
    """Seconds from the first call of a kernel to its result; Triton's own C module, if built just before, counts too."""
    x = torch.randn(4096, device=DEVICE)
    out = poisoned(4096, dtype=torch.float32, device=DEVICE)
    torch.cuda.synchronize()
    began = time.perf_counter()
    kernel_add.add(x, x, out)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - began + FACTS["driver_s"]
    if not torch.equal(out, x + x):
        raise Wrong("sums differ from torch")
    return f"{seconds:.2f} s", {"first_launch_s": round(seconds, 4)}


def add_odd():
    require_interpreter()
    lengths = (1, 3, 127, 1025, 98432, 1000003)[: 5 if INTERPRETED else 6]
    block = 32768 if INTERPRETED else 1024
    for n in lengths:
        x, y = torch.randn(n, device=DEVICE), torch.randn(n, device=DEVICE)
        out = kernel_add.add(x, y, poisoned(n, dtype=torch.float32, device=DEVICE), block=block)
        differing = int((out != x + y).sum())
        if differing:
            raise Wrong(f"{differing} of {n} sums differ from torch", length=n, differing=differing)
    return f"{len(lengths)} odd lengths, bit for bit", {"lengths": len(lengths), "largest": lengths[-1]}


def add_large():
    if INTERPRETED:
        raise Skipped("interpreter")
    free = torch.cuda.mem_get_info()[0]
    n = min((1 << 28) + 3, free // 20)
    x, y = torch.randn(n, device=DEVICE), torch.randn(n, device=DEVICE)
    out = kernel_add.add(x, y, poisoned(n, dtype=torch.float32, device=DEVICE))
    differing = int((out != x + y).sum())
    if differing:
        raise Wrong(f"{differing} of {n} sums differ from torch", length=n, differing=differing)
    return f"{n} elements, bit for bit", {"length": n}


def softmax():
    require_interpreter()
    shapes = ((5, 781), (3, 1), (2, 4096)) if INTERPRETED else ((1823, 781), (7, 1023), (33, 30011))
    worst = 0.0
    for rows, columns in shapes:
        # Large values: without the maximum taken out, these overflow.
        x = torch.randn(rows, columns, device=DEVICE) * 40
        out = kernel_softmax.softmax(x, poisoned(rows, columns, dtype=torch.float32, device=DEVICE))
        worst = max(worst, relative_error(out, torch.softmax(x.double(), dim=1)))
    return f"{len(shapes)} shapes", require(worst, 1e-5, "softmax", shapes=len(shapes))


def dot(dtype, limit, out_dtype=None):
    require_interpreter(loops=True)
    shapes = ((65, 33, 47),) if INTERPRETED else ((257, 191, 133), (65, 33, 1023), (1023, 511, 767))
    worst = 0.0
    for m, n, k in shapes:
        a = torch.randn(m, k, device=DEVICE).to(dtype)
        b = torch.randn(k, n, device=DEVICE).to(dtype)
        c = kernel_matmul.matmul(a, b, poisoned(m, n, dtype=out_dtype or dtype, device=DEVICE), kernel_matmul.pointers(capability()))
        worst = max(worst, relative_error(c, a.double() @ b.double()))
    return f"{len(shapes)} shapes", require(worst, limit, "tl.dot", shapes=len(shapes))


def dot_fp16():
    return dot(torch.float16, FP16_ERROR)


def dot_bf16():
    if INTERPRETED:  # numpy, which the interpreter computes with, has no bf16
        raise Skipped("interpreter")
    if capability() < 80:
        raise Skipped("card-lacks-type", needs="8.0")
    return dot(torch.bfloat16, BF16_ERROR)


def dot_fp8():
    if INTERPRETED:
        raise Skipped("interpreter")
    if capability() < 89:
        raise Skipped("card-lacks-type", needs="8.9")
    return dot(torch.float8_e4m3fn, FP8_ERROR, out_dtype=torch.float32)


def attention():
    require_interpreter(loops=True)
    # Lengths around the block size, unequal lengths, a head dimension that is no power of two, both memory layouts.
    cases = [(1, 2, 65, 65, 64, True), (1, 1, 33, 77, 80, False)]
    if not INTERPRETED:
        cases += [(2, 3, 1001, 1001, 128, True), (1, 4, 503, 77, 128, False), (1, 2, 9, 9, 128, False)]
    worst = 0.0
    for batch, heads, queries, keys, dim, causal in cases:
        q, k, v = (torch.randn(batch, n, heads, dim, device=DEVICE, dtype=torch.float16).transpose(1, 2) for n in (queries, keys, keys))
        out = kernel_attention.attention(
            q, k, v, poisoned(batch, heads, queries, dim, dtype=torch.float16, device=DEVICE), causal, kernel_attention.pointers(capability())
        )
        exact = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
        worst = max(worst, relative_error(out, exact))
    return f"{len(cases)} shapes", require(worst, FP16_ERROR, "attention", shapes=len(cases))
