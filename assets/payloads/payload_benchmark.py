"""How fast is Triton on this card, and how fast is what builds on it? The long measurements."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import proof_conditions
import proof_events
import proof_sage
import proof_speed
import torch

CHECKS = {
    "speed-transfer": proof_speed.transfer,
    "speed-add": proof_speed.add,
    "speed-softmax": proof_speed.softmax,
    "speed-matmul": proof_speed.matmul,
    "speed-attention": proof_speed.attention(causal=False),
    "speed-attention-causal": proof_speed.attention(causal=True),
    **{f"sage-speed-{name}": proof_sage.sage_speed(name) for name in proof_sage.WORKLOADS},
}


def built_for_card():
    """Whether this torch holds machine code for this card: of its own number, or of an older one of the same generation."""
    major, minor = torch.cuda.get_device_capability()
    built = [name[3:].rstrip("af") for name in torch.cuda.get_arch_list() if name.startswith("sm_")]
    return any(int(number[:-1]) == major and int(number[-1]) <= minor for number in built)


def main():
    proof_events.say("limits", numbers={**proof_conditions.limits(), "torch_built_for_card": built_for_card()})
    proof_events.run_checks(CHECKS, proof_events.chosen())
    proof_events.finish()


if __name__ == "__main__":
    main()
