"""C = A @ B, two ways: with plain pointers for every card, with tensor descriptors for cards from Hopper on.

Both walk over K in blocks and keep a BLOCK_M x BLOCK_N piece of C in registers, in fp32.
Neighbouring programs work on neighbouring pieces (GROUP_M rows of blocks at a time), so that what one
has read lies in the L2 cache when the next one needs it.
"""

import re

import triton
import triton.language as tl

TRITON = tuple(int(number) for number in re.findall(r"\d+", triton.__version__)[:2])


@triton.jit
def block_of(tile, m, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Row and column of a tile of C: down GROUP_M rows, then one column to the right."""
    tiles_m = tl.cdiv(m, BLOCK_M)
    tiles_n = tl.cdiv(n, BLOCK_N)
    tiles_in_group = GROUP_M * tiles_n
    first_m = (tile // tiles_in_group) * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    within = tile % tiles_in_group
    return first_m + within % rows, within // rows


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):  # fmt: skip
    block_m, block_n = block_of(tl.program_id(0), m, n, BLOCK_M, BLOCK_N, GROUP_M)
    rows = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    # Rows and columns that stick out wrap round: they are read, computed and never stored.
    a_ptrs = a_ptr + (rows % m)[:, None].to(tl.int64) * stride_am + inner[None, :]
    b_ptrs = b_ptr + inner[:, None].to(tl.int64) * stride_bk + (columns % n)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, k, BLOCK_K):
        # K that sticks out must count as zero: it would be added to real results.
        a = tl.load(a_ptrs, mask=inner[None, :] < k - start, other=0.0)
        b = tl.load(b_ptrs, mask=inner[:, None] < k - start, other=0.0)
        total = tl.dot(a, b, total)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + rows[:, None].to(tl.int64) * stride_cm + columns[None, :]
    tl.store(c_ptrs, total.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def matmul_descriptor_kernel(
    a_desc, b_desc, c_desc, m, n, k,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    # A descriptor lets the card's copy engine (TMA) fetch whole blocks; what sticks out reads as zero.
    # One program for each multiprocessor takes every PROGRAMS-th tile. Flattened into one loop, the blocks of the
    # next tile are already on their way while this one is stored.
    tiles = tl.cdiv(m, BLOCK_M) * tl.cdiv(n, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
        block_m, block_n = block_of(tile, m, n, BLOCK_M, BLOCK_N, GROUP_M)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for start in range(0, k, BLOCK_K):
            a = a_desc.load([block_m * BLOCK_M, start])
            b = b_desc.load([start, block_n * BLOCK_N])
            total = tl.dot(a, b, total)
        c_desc.store([block_m * BLOCK_M, block_n * BLOCK_N], total.to(c_desc.dtype))


POINTERS = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8, "num_warps": 4, "num_stages": 3}
# Triton 3.4 and newer no longer use Turing's tensor cores: small blocks keep compilation and registers bearable.
TURING = {"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 32, "GROUP_M": 8, "num_warps": 4, "num_stages": 2}
DESCRIPTORS = {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP_M": 8, "num_warps": 8, "num_stages": 3}


def pointers(capability):
    """The configuration of the pointer kernel for a compute capability (75 means 7.5)."""
    return POINTERS if capability >= 80 else TURING


def matmul(a, b, c, config=POINTERS):
    """C = A @ B with plain pointers; A [m, k], B [k, n], C [m, n], each with unit stride in its last dimension."""
    (m, k), n = a.shape, b.shape[1]
    grid = (triton.cdiv(m, config["BLOCK_M"]) * triton.cdiv(n, config["BLOCK_N"]),)
    matmul_kernel[grid](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0), **config)
    return c


def matmul_descriptor(a, b, c, config=DESCRIPTORS):
    """The same through tensor descriptors: Triton 3.4 and newer, compute capability 9.0 and newer, rows aligned to 16 bytes."""
    import torch
    from triton.tools.tensor_descriptor import TensorDescriptor

    (m, k), n = a.shape, b.shape[1]
    block_m, block_n, block_k = config["BLOCK_M"], config["BLOCK_N"], config["BLOCK_K"]
    a_desc = TensorDescriptor.from_tensor(a, [block_m, block_k])
    b_desc = TensorDescriptor.from_tensor(b, [block_k, block_n])
    c_desc = TensorDescriptor.from_tensor(c, [block_m, block_n])
    programs = min(torch.cuda.get_device_properties(a.device).multi_processor_count, triton.cdiv(m, block_m) * triton.cdiv(n, block_n))
    matmul_descriptor_kernel[(programs,)](a_desc, b_desc, c_desc, m, n, k, PROGRAMS=programs, **config)
    return c


def has_descriptors(capability):
    """Tensor descriptors came with Triton 3.4; they pay on Hopper, whose tensor cores read what the copy engine fetched."""
    return TRITON >= (3, 4) and capability == 90


def ahead(capability):
    config = pointers(capability)
    for dtype, least in (("fp16", 75), ("bf16", 80), ("fp8e4nv", 89)):
        if capability >= least:
            types = {"a_ptr": f"*{dtype}", "b_ptr": f"*{dtype}", "c_ptr": "*fp32" if dtype == "fp8e4nv" else f"*{dtype}"}
            types.update(dict.fromkeys(("m", "n", "k", "stride_am", "stride_bk", "stride_cm"), "i32"))
            yield f"matmul {dtype}", matmul_kernel, types, constants_of(config), options_of(config)
    if has_descriptors(capability):
        m, n, k = (DESCRIPTORS[name] for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K"))
        types = {"a_desc": f"tensordesc<fp16[{m},{k}]>", "b_desc": f"tensordesc<fp16[{k},{n}]>", "c_desc": f"tensordesc<fp16[{m},{n}]>"}
        types.update(dict.fromkeys("mnk", "i32"))
        yield "matmul descriptors fp16", matmul_descriptor_kernel, types, {**constants_of(DESCRIPTORS), "PROGRAMS": 132}, options_of(DESCRIPTORS)


def constants_of(config):
    return {name: value for name, value in config.items() if name.isupper()}


def options_of(config):
    return {name: value for name, value in config.items() if name.islower()}
