"""Reads a machine: every fact of machine/1, side by side, without changing or starting anything it need not.

To add a fact: a field in app.model.facts, a function that puts it, and its path in a Probe of the list in `app.probes.all_probes`.
"""

from app.probes.all_probes import scan
from app.probes.completions import read_completions

__all__ = ["read_completions", "scan"]
