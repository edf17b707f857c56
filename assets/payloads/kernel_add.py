"""The first kernel anybody writes: z = x + y. Limited by memory: it moves 12 bytes for each fp32 addition."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Each program adds BLOCK neighbouring elements. Offsets are 64 bits wide, so n may pass 2**31.
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n  # the last block sticks out over the end
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


def add(x, y, out, block=1024, num_warps=4):
    """out = x + y for contiguous tensors of one shape."""
    n = out.numel()
    add_kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block, num_warps=num_warps)
    return out


def ahead(capability):
    """What is compiled ahead of time: name, kernel, argument types, constants, options; see payload_ahead.py."""
    types = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}
    yield "add fp32", add_kernel, types, {"BLOCK": 1024}, {"num_warps": 4}
