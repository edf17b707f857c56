"""Comparing and timing."""

import torch


def relative_error(result, reference):
    """||result - reference|| / ||reference|| in float64; NaN and infinity give infinity."""
    result, reference = result.double(), reference.double()
    error = (torch.linalg.vector_norm(result - reference) / torch.linalg.vector_norm(reference)).item()
    return error if error == error else float("inf")


def poisoned(*shape, dtype, device):
    """An output filled with NaN: an element that no program writes cannot pass."""
    return torch.full(shape, float("nan"), dtype=dtype, device=device)
