"""What fits what: torch, Triton, SageAttention, Python, CUDA builds, cards, drivers. Rows with sources, and pure questions to them."""

from app.tables.load import Tables, load_tables

__all__ = ["Tables", "load_tables"]
