"""Every Python on the machine, found and read without being started where files can tell."""

from app.probes.pythons.probe import pythons_probe

__all__ = ["pythons_probe"]
