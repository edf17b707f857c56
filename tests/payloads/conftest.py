"""The Python with torch and Triton of the proof's tests serves here too."""

from tests.proof.conftest import torch_python

__all__ = ["torch_python"]
