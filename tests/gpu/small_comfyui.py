"""A small diffusion transformer that calls attention as ComfyUI does: a stand-in for its main.py on a real card.

    python3 small_comfyui.py --use-sage-attention [--steps N] [--break]

As there, masked calls go to PyTorch, an error in SageAttention is logged and the call repeated in PyTorch, and torch is
imported by nobody before. `--break` hands one call with a head dimension that SageAttention does not take.
"""

import argparse
import logging
import sys

assert "torch" not in sys.modules, "the counter must not be the first to import torch"

import torch  # noqa: E402 - what is checked above must come first

parser = argparse.ArgumentParser()
parser.add_argument("--use-sage-attention", action="store_true")
parser.add_argument("--steps", type=int, default=8)
parser.add_argument("--layers", type=int, default=12)
parser.add_argument("--break", dest="breaks", action="store_true")
options = parser.parse_args()
logging.basicConfig(level=logging.INFO, format="%(message)s")


def attention_pytorch(q, k, v, mask=None):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


if options.use_sage_attention:
    from sageattention import sageattn

    logging.info("Using sage attention")

    def attention(q, k, v, mask=None):
        if mask is not None:
            return attention_pytorch(q, k, v, mask)
        try:
            return sageattn(q, k, v, is_causal=False, tensor_layout="HND")
        except Exception as error:
            logging.error("Error running sage attention: %s, using pytorch attention instead.", error)
            return attention_pytorch(q, k, v)
else:
    logging.info("Using pytorch attention")
    attention = attention_pytorch


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm = heads, torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)

    def forward(self, x, mask=None):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        return x + self.out(attention(q, k, v, mask).transpose(1, 2).reshape(batch, length, width))


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    text = Block(512, 8).half().cuda()
    model = torch.nn.ModuleList(Block(1280, 20) for _ in range(options.layers)).half().cuda()
    words = torch.randn(1, 77, 512, device="cuda", dtype=torch.float16)
    text(words, torch.ones(77, 77, device="cuda", dtype=torch.bool).tril())
    picture = torch.randn(2, 4096, 1280, device="cuda", dtype=torch.float16)
    for _ in range(options.steps):
        noise = picture
        for block in model:
            noise = block(noise)
        picture = picture - 0.1 * noise
    if options.breaks:
        odd = torch.randn(1, 4, 256, 80, device="cuda", dtype=torch.float16)
        attention(odd, odd, odd)
    logging.info("Prompt executed, %s", "finite" if bool(torch.isfinite(picture).all()) else "not finite")


main()
