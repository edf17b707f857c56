"""Flash attention, forward: softmax(Q K^T / sqrt(D)) V without ever writing the N x N matrix to memory.

Each program keeps BLOCK_M queries and walks over all keys in blocks of BLOCK_N. It carries along, for each
query, the largest score so far, the sum of exponentials and the unfinished output (acc). A larger
score found later only rescales what was summed before: the trick that makes one pass enough.
"""

import math

import triton
import triton.language as tl

LOG2_E = 1.4426950408889634


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, scale_log2, heads, queries, keys,
    stride_qb, stride_qh, stride_qn, stride_kb, stride_kh, stride_kn,
    stride_vb, stride_vh, stride_vn, stride_ob, stride_oh, stride_on,
    DIM: tl.constexpr, DIM_BLOCK: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, DIM_BLOCK)
    dim_inside = dims < DIM
    q = tl.load(
        q_ptr + batch * stride_qb + head * stride_qh + rows[:, None] * stride_qn + dims[None, :],
        mask=(rows[:, None] < queries) & dim_inside[None, :], other=0.0,
    )  # fmt: skip
    k_base = k_ptr + batch * stride_kb + head * stride_kh
    v_base = v_ptr + batch * stride_vb + head * stride_vh
    largest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, DIM_BLOCK), dtype=tl.float32)
    end = keys
    if CAUSAL:  # keys behind the last query of this block are all masked
        end = min(keys, (tl.program_id(0) + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        inside = columns < keys
        k = tl.load(k_base + columns[None, :] * stride_kn + dims[:, None], mask=inside[None, :] & dim_inside[:, None], other=0.0)
        # Powers of two are what the hardware has: log2(e) sits in the scale.
        scores = tl.dot(q, k) * scale_log2
        visible = inside[None, :]
        if CAUSAL:
            visible = visible & (rows[:, None] >= columns[None, :])
        scores = tl.where(visible, scores, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp2(scores - larger[:, None])
        rescale = tl.exp2(largest - larger)
        total = total * rescale + tl.sum(p, axis=1)
        v = tl.load(v_base + columns[:, None] * stride_vn + dims[None, :], mask=inside[:, None] & dim_inside[None, :], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None])
        largest = larger
    out = acc / total[:, None]
    tl.store(
        out_ptr + batch * stride_ob + head * stride_oh + rows[:, None] * stride_on + dims[None, :],
        out.to(out_ptr.dtype.element_ty), mask=(rows[:, None] < queries) & dim_inside[None, :],
    )  # fmt: skip


POINTERS = {"BLOCK_M": 64, "BLOCK_N": 32, "num_warps": 4, "num_stages": 2}


def attention(q, k, v, out, causal=False, config=None):
    """Attention over [batch, heads, length, dim] of any strides with a unit last one; causal needs equal lengths."""
    batch, heads, queries, dim = q.shape
    config = config or POINTERS
    grid = (triton.cdiv(queries, config["BLOCK_M"]), batch * heads)
    strides = [t.stride(axis) for t in (q, k, v, out) for axis in range(3)]
    attention_kernel[grid](
        q, k, v, out, LOG2_E / math.sqrt(dim), heads, queries, k.shape[2], *strides,
        DIM=dim, DIM_BLOCK=max(16, triton.next_power_of_2(dim)), CAUSAL=causal, **config,
    )  # fmt: skip
    return out


_TYPES = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr", "out_ptr"), "*fp16")
_TYPES.update({"scale_log2": "fp32", "heads": "i32", "queries": "i32", "keys": "i32"})
_TYPES.update({f"stride_{tensor}{axis}": "i32" for tensor in "qkvo" for axis in "bhn"})

AHEAD = [
    (
        f"attention fp16 {'causal' if causal else 'full'} {dim}",
        attention_kernel,
        _TYPES,
        {"DIM": dim, "DIM_BLOCK": max(16, triton.next_power_of_2(dim)), "BLOCK_M": 64, "BLOCK_N": 32, "CAUSAL": causal},
        {"num_warps": 4, "num_stages": 2},
        {},
    )
    for causal, dim in ((False, 64), (True, 128), (False, 80))
]
