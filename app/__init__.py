"""Triton Setup: sets up Triton on Windows, proves that it works, undoes what it did."""

__version__ = "0.1.0"
