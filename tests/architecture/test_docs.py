"""Documents keep their word: commands parse, links lead somewhere."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.arguments import parse_arguments

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
OURS = re.compile(r"^(?:triton-setup|TritonSetup\.exe|start \"\" /wait TritonSetup\.exe|(?:python3|py) dev\.py run) *(.*)$")
DEV = re.compile(r"^(?:python3|py) dev\.py (\w+)")


def commands(text: str) -> Iterator[str]:
    """Lines of fenced blocks of commands."""
    for block in re.findall(r"```(?:sh|bat|console)\n(.*?)```", text, re.DOTALL):
        yield from (line for line in block.splitlines() if line.strip())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_parse(document: Path) -> None:
    source = (ROOT / "dev.py").read_text()
    for line in commands(document.read_text(encoding="utf-8")):
        if ours := OURS.match(line):
            parse_arguments([word for word in shlex.split(ours[1]) if word != "--help"])
        elif dev := DEV.match(line):
            assert f'"{dev[1]}": {dev[1]}' in source, line
        else:
            assert (ROOT / line.split()[0]).is_file(), f"{document.name}: what starts {line!r}?"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    lost = [target for target in targets if not target.startswith(("http://", "https://")) and not (document.parent / target).exists()]
    assert not lost
