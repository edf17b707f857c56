"""Flash attention, forward: softmax(Q K^T / sqrt(D)) V without ever writing the N x N matrix to memory.

Each program keeps BLOCK_M queries and walks over all keys in blocks of BLOCK_N. It carries along, for each
query, the largest score so far, the sum of exponentials and the unfinished output (acc). A larger
score found later only rescales what was summed before: the trick that makes one pass enough.

Two kernels: one with plain pointers for every card, shape and stride, and one with tensor descriptors for cards
from Hopper on, whose copy engine fetches the blocks.
"""

import math

import triton
import triton.language as tl
from kernel_matmul import constants_of, has_descriptors, options_of

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


@triton.jit
def walk(
    acc, total, largest, q, k_desc, v_desc, scale_log2, base, begin, end, rows,
    BLOCK_N: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Takes the keys from `begin` up to `end` into account; MASKED hides keys behind the query."""
    for start in tl.range(begin, end, BLOCK_N):
        scores = tl.dot(q, k_desc.load([base + start, 0]).T)
        if MASKED:
            columns = start + tl.arange(0, BLOCK_N)
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1) * scale_log2)
        p = tl.exp2(scores * scale_log2 - larger[:, None])
        rescale = tl.exp2(largest - larger)
        total = total * rescale + tl.sum(p, axis=1)
        v = v_desc.load([base + start, 0])
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None])
        largest = larger
    return acc, total, largest


@triton.jit
def attention_descriptor_kernel(
    q_desc, k_desc, v_desc, out_desc, scale_log2, length,
    DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HEADS_TOGETHER: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    # HEADS_TOGETHER heads are worked on at a time, so that their keys and values stay in the L2 cache;
    # within them the longest rows of a causal mask come first, so that no long one is left over at the end.
    blocks = length // BLOCK_M
    within = tl.program_id(0) % (HEADS_TOGETHER * blocks)
    head = tl.program_id(0) // (HEADS_TOGETHER * blocks) * HEADS_TOGETHER + within % HEADS_TOGETHER
    block = blocks - 1 - within // HEADS_TOGETHER
    base = head * length
    first = block * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    q = q_desc.load([base + first, 0])
    acc = tl.zeros((BLOCK_M, DIM), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    largest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    if CAUSAL:
        # Keys before the first query of this block are all visible; only the rest needs a mask.
        visible = first // BLOCK_N * BLOCK_N
        acc, total, largest = walk(acc, total, largest, q, k_desc, v_desc, scale_log2, base, 0, visible, rows, BLOCK_N, MASKED=False)
        acc, total, largest = walk(acc, total, largest, q, k_desc, v_desc, scale_log2, base, visible, first + BLOCK_M, rows, BLOCK_N, MASKED=True)
    else:
        acc, total, largest = walk(acc, total, largest, q, k_desc, v_desc, scale_log2, base, 0, length, rows, BLOCK_N, MASKED=False)
    out_desc.store([base + first, 0], (acc / total[:, None]).to(out_desc.dtype))


POINTERS = {"BLOCK_M": 64, "BLOCK_N": 64, "num_warps": 4, "num_stages": 3}
TURING = {"BLOCK_M": 32, "BLOCK_N": 32, "num_warps": 4, "num_stages": 2}
# No pipelining within a program: these blocks are small enough for three programs a multiprocessor (168 registers
# a thread), and while one waits or computes exponentials, the tensor cores work for another. On an H200 this beat
# every pipelined configuration with larger blocks.
DESCRIPTORS = {"BLOCK_M": 64, "BLOCK_N": 128, "HEADS_TOGETHER": 1, "num_warps": 4, "num_stages": 1, "maxnreg": 168}


def pointers(capability):
    """The configuration of the pointer kernel for a compute capability (75 means 7.5)."""
    return POINTERS if capability >= 80 else TURING


def attention(q, k, v, out, causal=False, config=POINTERS):
    """Attention over [batch, heads, length, dim] of any strides with a unit last one; causal needs equal lengths."""
    batch, heads, queries, dim = q.shape
    grid = (triton.cdiv(queries, config["BLOCK_M"]), batch * heads)
    strides = [t.stride(axis) for t in (q, k, v, out) for axis in range(3)]
    attention_kernel[grid](
        q, k, v, out, LOG2_E / math.sqrt(dim), heads, queries, k.shape[2], *strides,
        DIM=dim, DIM_BLOCK=max(16, triton.next_power_of_2(dim)), CAUSAL=causal, **config,
    )  # fmt: skip
    return out


def attention_descriptor(q, k, v, out, causal=False, config=DESCRIPTORS):
    """The same for contiguous tensors of one shape, length a multiple of both blocks, dim a power of two.

    Needs Triton 3.4 and compute capability 9.0.
    """
    from triton.tools.tensor_descriptor import TensorDescriptor

    batch, heads, length, dim = q.shape
    config = {**config, "HEADS_TOGETHER": math.gcd(batch * heads, config["HEADS_TOGETHER"])}
    blocks = (config["BLOCK_M"], config["BLOCK_N"], config["BLOCK_N"], config["BLOCK_M"])
    descriptors = [TensorDescriptor.from_tensor(t.view(-1, dim), [rows, dim]) for t, rows in zip((q, k, v, out), blocks)]  # noqa: B905 - Python 3.9
    grid = (length // config["BLOCK_M"] * batch * heads,)
    attention_descriptor_kernel[grid](*descriptors, LOG2_E / math.sqrt(dim), length, DIM=dim, CAUSAL=causal, **config)
    return out


def ahead(capability):
    types = dict.fromkeys(("q_ptr", "k_ptr", "v_ptr", "out_ptr"), "*fp16")
    types.update({"scale_log2": "fp32", "heads": "i32", "queries": "i32", "keys": "i32"})
    types.update({f"stride_{tensor}{axis}": "i32" for tensor in "qkvo" for axis in "bhn"})
    config = pointers(capability)
    for causal, dim in ((False, 64), (True, 128), (False, 80)):
        constants = {**constants_of(config), "DIM": dim, "DIM_BLOCK": max(16, triton.next_power_of_2(dim)), "CAUSAL": causal}
        yield f"attention fp16 {'causal' if causal else 'full'} {dim}", attention_kernel, types, constants, options_of(config)
    if has_descriptors(capability):
        rows, keys = f"tensordesc<fp16[{DESCRIPTORS['BLOCK_M']},128]>", f"tensordesc<fp16[{DESCRIPTORS['BLOCK_N']},128]>"
        types = {"q_desc": rows, "k_desc": keys, "v_desc": keys, "out_desc": rows, "scale_log2": "fp32", "length": "i32"}
        for causal in (False, True):
            constants = {**constants_of(DESCRIPTORS), "DIM": 128, "CAUSAL": causal}
            yield f"attention descriptors fp16 {'causal' if causal else 'full'}", attention_descriptor_kernel, types, constants, options_of(DESCRIPTORS)
