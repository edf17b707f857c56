"""Every fact, gap and probe has a name in both languages."""

import ast
import dataclasses
from pathlib import Path

import pytest

from app.model import facts
from app.probes.all_probes import all_probes
from app.probes.scanning import paths_of_facts
from app.texts import has

SOURCES = sorted((Path(__file__).resolve().parents[2] / "app" / "probes").rglob("*.py"))
LISTS = {"disks": facts.Disk, "gpus": facts.Gpu, "driver": facts.Driver, "toolkits": facts.Toolkit, "compilers": facts.Compiler, "wsl": facts.Wsl}
INNER = {**LISTS, "wsl.distros": facts.Distro, "pythons": facts.Python}
PATHS = (*paths_of_facts(), *(f"{path}.{field.name}" for path, cls in INNER.items() for field in dataclasses.fields(cls)))


def test_facts_have_names() -> None:
    assert [path for path in PATHS if not has(f"fact.{path}")] == []


def test_probes_have_names() -> None:
    assert [probe.name for probe in all_probes() if not has(f"probe.{probe.name}")] == []


def codes_of_gaps() -> set[str]:
    found = {"failed", "timed-out", "cancelled", "no-answer", "not-recorded", "cannot-start", "not-found"}
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "gap" and len(node.args) > 1:
                found |= {inner.value for inner in ast.walk(node.args[1]) if isinstance(inner, ast.Constant) and isinstance(inner.value, str)}
    return {code for code in found if code}


def test_gaps_have_names() -> None:
    assert [code for code in sorted(codes_of_gaps()) if not has(f"gap.{code}")] == []


@pytest.mark.parametrize("family", ["windows", "linux", "wsl"])
def test_every_fact_has_a_probe(family: str) -> None:
    """What a family cannot have is put as absent; no fact of the model is left without anyone who asks for it."""
    declared = {path for probe in all_probes() if family in probe.families for path in probe.facts}
    # Put by probes that have nothing to say about them elsewhere.
    put = {"os.ansi_code_page", "os.temp", "os.edition", "os.long_paths", "os.pending_restart", "os.app_control", "os.antivirus", "os.cloud_roots"}
    assert set(paths_of_facts()) - declared - (put if family != "windows" else set()) == set()
