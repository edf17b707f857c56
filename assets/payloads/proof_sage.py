"""SageAttention: does it load with the kernels for this card, is it right on the shapes that had bugs, is it faster?

Its import succeeds even when its compiled parts did not load: the flags of its core module tell. Arguments that it
does not know are swallowed silently, so only those are passed that every version has.
"""

import importlib
import importlib.metadata
import typing

import proof_events
import torch
from proof_events import Skipped, Wrong
from proof_measure import poison_free_memory, relative_error, report
from proof_speed import free_memory, timer, torch_attention, worst_of

MAX_RUN_MS = 250.0


def sage():
    """The module; Skipped if it is not installed, an error if it is there and does not load."""
    try:
        importlib.metadata.version("sageattention")
    except importlib.metadata.PackageNotFoundError:
        raise Skipped("sage-not-installed") from None
    return importlib.import_module("sageattention")


def path_for(capability):
    """The flag of the compiled kernels that this card uses, and whether they compute P x V in fp8."""
    if capability < (8, 0):
        return None, False
    if capability in ((8, 0), (8, 6), (8, 7)):
        return "SM80_ENABLED", False
    return ("SM90_ENABLED" if capability == (9, 0) else "SM89_ENABLED"), True


def sage_import():
    version = importlib.metadata.version("sageattention") if sage() else ""
    core = importlib.import_module("sageattention.core")
    flags = {name: getattr(core, name) for name in ("SM80_ENABLED", "SM89_ENABLED", "SM90_ENABLED") if hasattr(core, name)}
    numbers = {"version": version, **flags}
    needed, _ = path_for(torch.cuda.get_device_capability())
    if not flags or needed is None:
        return f"{version}, Triton kernels", {**numbers, "kernels": "triton"}
    if not flags.get(needed):
        raise RuntimeError(f"sageattention {version} is installed, but its compiled part for this card did not load ({needed} is False)")
    return f"{version}, {needed}", {**numbers, "kernels": "compiled"}


class Case(typing.NamedTuple):
    """One shape to check. `biased`: one channel of K is far from zero, which is what smooth_k exists for."""

    queries: int
    keys: int
    dim: int = 128
    causal: bool = False
    layout: str = "HND"
    dtype: torch.dtype = torch.float16
    smooth_k: bool = True
    biased: bool = False

    def name(self):
        words = [f"N{self.queries}x{self.keys} D{self.dim} {self.layout}"]
        words += ["causal"] * self.causal + ["bf16"] * (self.dtype is torch.bfloat16)
        words += ["without smooth_k"] * (not self.smooth_k) + ["biased"] * self.biased
        return " ".join(words)


def cases(first_generation):
    """Lengths around the block sizes, unequal lengths, head dimensions and layouts: the shapes that had bugs."""
    found = [Case(n, n) for n in (9, 12, 63, 64, 65, 503, 1001, 4352)]
    found += [Case(1001, 1001, 64, causal=True), Case(1001, 77, 64), Case(77, 1001)]
    found += [Case(1001, 1001, dim, layout=layout) for dim in (64, 96, 128) for layout in ("HND", "NHD")]
    # ComfyUI calls it without smoothing; the node of KJNodes leaves the default.
    found += [Case(4096, 4096, 64, smooth_k=False), Case(4096, 4096, dtype=torch.bfloat16), Case(4096, 4096, biased=True)]
    # The first generation takes three head dimensions only.
    return found if first_generation else found + [Case(1001, 1001, dim) for dim in (40, 80)]


def inputs_of(case):
    """q, k, v as [batch, heads, length, dim]."""
    q, k, v = (torch.randn(1, 4, n, case.dim, device="cuda") for n in (case.queries, case.keys, case.keys))
    if case.biased:
        k[..., 7] += 20
    return [t.to(case.dtype) for t in (q, k, v)]


def compare(result, exact):
    """Cosine similarity, relative L1 and RMSE, as SageAttention's authors define them, in fp32."""
    result, exact = result.float().flatten(), exact.float().flatten()
    cosine = torch.nn.functional.cosine_similarity(result, exact, dim=0).item()
    difference = result - exact
    return cosine, (difference.abs().sum() / exact.abs().sum()).item(), difference.square().mean().sqrt().item()


def sage_accuracy():
    attention = sage().sageattn
    version = importlib.metadata.version("sageattention")
    _, fp8 = path_for(torch.cuda.get_device_capability())
    least_cosine, most_l1 = (0.995, 0.10) if fp8 and not version.startswith("1.") else (0.998, 0.06)
    worst = {"cosine": 1.0, "relative_l1": 0.0, "rmse": 0.0}
    wrong, refused, count = [], [], 0
    for case in cases(version.startswith("1.")):
        q, k, v = inputs_of(case)
        exact = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=case.causal)
        # The other layout is a copy with heads behind the length, as models hold it.
        inputs = [t.transpose(1, 2).contiguous() if case.layout == "NHD" else t for t in (q, k, v)]
        try:
            poison_free_memory(q)
            result = attention(*inputs, tensor_layout=case.layout, is_causal=case.causal, smooth_k=case.smooth_k)
        except (AssertionError, ValueError) as error:
            refused.append(f"{case.name()}: {proof_events.describe(error)}")
            continue
        result = result.transpose(1, 2) if case.layout == "NHD" else result
        cosine, l1, rmse = compare(result, exact)
        count += 1
        worst = {"cosine": min(worst["cosine"], cosine), "relative_l1": max(worst["relative_l1"], l1), "rmse": max(worst["rmse"], rmse)}
        if not (cosine >= least_cosine and l1 <= most_l1):
            wrong.append(f"{case.name()} (cosine {cosine:.4f}, L1 {l1:.2f})")
    numbers = {
        **worst,
        "cosine_limit": least_cosine,
        "relative_l1_limit": most_l1,
        "shapes": count,
        "refused": len(refused),
        "refused_shapes": "; ".join(refused)[:300],
    }
    if wrong:
        raise Wrong(f"{len(wrong)} of {count} shapes differ: {', '.join(wrong[:4])}", **numbers)
    if not count:
        raise RuntimeError(f"every shape was refused: {refused[0]}")
    return f"{count} shapes", numbers


def error_limit():
    """The limits of SageAttention's own test: 0.05 for its int8 and fp16 kernels, 0.1 where it computes P x V in fp8."""
    fp8 = path_for(torch.cuda.get_device_capability())[1] and not importlib.metadata.version("sageattention").startswith("1.")
    return 0.1 if fp8 else 0.05


# Name: batch, heads, heads of keys, length, dim, causal. Attention of one layer as these models call it.
WORKLOADS = {
    "sdxl": (2, 10, 10, 4096, 64, False),
    "flux": (1, 24, 24, 4352, 128, False),
    "wan": (1, 40, 40, 32760, 128, False),
    "llm-prefill": (1, 32, 8, 8192, 128, True),
    "short": (2, 24, 24, 326, 128, False),
}


def sage_speed(name):
    def check():
        attention = sage().sageattn
        batch, heads, key_heads, length, dim, causal = WORKLOADS[name]
        needed = 2 * batch * length * dim * (8 * heads + 4 * key_heads)
        free = free_memory()
        if needed > 0.8 * free:
            raise Skipped("memory", needs_bytes=needed, free_bytes=free)
        q = torch.randn(batch, heads, length, dim, device="cuda", dtype=torch.float16)
        k, v = (torch.randn(batch, key_heads, length, dim, device="cuda", dtype=torch.float16) for _ in range(2))
        # torch's back ends do not all take fewer heads of keys: they get them repeated, outside the timed part.
        wide_k, wide_v = (t.repeat_interleave(heads // key_heads, dim=1) for t in (k, v))
        runs = {"sageattention": lambda: attention(q, k, v, tensor_layout="HND", is_causal=causal)}
        runs.update(torch_attention(q, wide_k, wide_v, causal))
        if len(runs) == 1:
            raise Skipped("no-backend")
        results = {}
        for label, run in runs.items():
            poison_free_memory(q)
            results[label] = run()
        sample = slice(0, min(length, 512))
        exact = torch.nn.functional.scaled_dot_product_attention(
            q[:1, :1].float(), wide_k[:1, :1].float(), wide_v[:1, :1].float(), is_causal=causal
        )[:, :, sample]  # fmt: skip
        errors = {label: worst_of(result, relative_error(result[:1, :1, sample], exact)) for label, result in results.items()}
        del results
        limit = error_limit()
        if not errors["sageattention"] <= limit:
            raise Wrong(f"sageattention on {name}: relative error {errors['sageattention']:.2e}", error=errors["sageattention"], error_limit=limit)
        times = timer().compare(runs, budget_ms=MAX_RUN_MS)
        best = min((label for label in runs if label.startswith("sdpa")), key=lambda label: sorted(times[label])[len(times[label]) // 2])
        work = 4 * batch * heads * length * length * dim // (2 if causal else 1)
        report(f"attention-{name}", f"B{batch} H{heads} N{length} D{dim}", "fp16", times, work, "TFLOP/s", best, errors, limit, timer().conditions)
        return f"against {best}", {"best": best}

    return check
