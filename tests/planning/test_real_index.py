"""Plans against the real package index: the real resolver finds the planned versions for Windows, and their wheels are what the tables say.

torch for CUDA is on PyTorch's own index, which is not asked here: the CPU build of the same version stands in for it.
"""

import functools
import io
import re
import subprocess
import sys
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from email.parser import Parser
from typing import Any

import httpx
import pytest
import uv
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from pip._internal.models.index import PyPI

from app.model.plan import Goal, Plan, TorchChange, Verdict
from app.tables.builds import minor_of
from app.tables.rows import TritonRow
from tests.planning.build import TABLES, machine, plan, python

pytestmark = [pytest.mark.network, pytest.mark.timeout(600)]

PATCHES = {"3.9": "3.9.21", "3.10": "3.10.11", "3.11": "3.11.9", "3.12": "3.12.10", "3.13": "3.13.9", "3.14": "3.14.2"}
UV = uv.find_uv_bin()
CARDS = ("7.5", "8.6", "8.9", "12.0")


def combinations() -> list[tuple[str, str, str]]:
    """Python × installed torch × card, cards dealt out in turn so that each meets every Python."""
    found = []
    for row in TABLES.torch:
        for place, minor in enumerate(one for one in PATCHES if one in row.pythons):
            for card in (CARDS[place % 4], *((CARDS[(place + 2) % 4],) if place % 3 == 0 else ())):
                found.append((minor, f"{row.newest}+{row.windows[-1]}", card))
    return found


def named(combination: tuple[str, str, str]) -> str:
    minor, torch, card = combination
    return f"py{minor}-torch{torch}-with-its-cpu-build-standing-in-sm{card.replace('.', '')}"


Asked = tuple[str, frozenset[str]]
"""A minor version of Python, and exact versions."""


def resolve(asked: Asked) -> tuple[str, ...]:
    """The lines that uv answers with for Windows."""
    minor, pins = asked
    argv = [UV, "--no-config", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--only-binary", ":all:"]
    argv += ["--python", sys.executable, "--no-python-downloads", "--python-platform", "windows", "--python-version", minor, "-"]
    done = subprocess.run(argv, input="\n".join(sorted(pins)), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
    return tuple(line for line in done.stdout.splitlines() if line)


def planned_for(combination: tuple[str, str, str]) -> Plan:
    minor, torch, card = combination
    return plan(machine(python(torch, version=PATCHES[minor]), capability=card), Goal.TRITON, Goal.SAGEATTENTION, torch_change=TorchChange.REPLACE)


def versions_of(made: Plan) -> dict[str, str]:
    """The planned versions without their builds; SageAttention is on no index."""
    return {name: version.partition("+")[0] for name, version in made.packages.items() if name != "sageattention"}


def asked_for(combination: tuple[str, str, str], made: Plan) -> Asked:
    return combination[0], frozenset(f"{name}=={version}" for name, version in versions_of(made).items())


@functools.cache
def answers() -> dict[Asked, Future[tuple[str, ...]]]:
    """All that the combinations ask, each once. uv waits for the index nearly all the time, so that eight wait side by side."""
    plans = [(combination, planned_for(combination)) for combination in combinations()]
    asked = {asked_for(combination, made) for combination, made in plans if made.verdict is Verdict.READY}
    pool = ThreadPoolExecutor(8)
    return {one: pool.submit(resolve, one) for one in sorted(asked, key=str)}


def test_there_are_enough_combinations() -> None:
    assert len(combinations()) >= 60


@pytest.mark.parametrize("combination", combinations(), ids=named)
def test_the_real_resolver_finds_the_plan_for_windows(combination: tuple[str, str, str]) -> None:
    made = planned_for(combination)
    if made.verdict is not Verdict.READY:
        # No build of torch for this card has wheels for this Python: said by the plan, nothing to resolve.
        assert not made.steps
        return
    answer = answers()[asked_for(combination, made)].result()
    for name, version in versions_of(made).items():
        assert f"{name}=={version}" in answer
    assert not [line for line in answer if re.match(r"triton==", line)]


class Ranges(io.RawIOBase):
    """A file on a server, read by byte ranges."""

    def __init__(self, client: httpx.Client, url: str, size: int) -> None:
        self._client, self._url, self._size, self._at = client, url, size, 0
        self._first, self._block = size, b""

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._size - self._at)
        if not (self._first <= self._at and self._at + wanted <= self._first + len(self._block)):
            first = max(0, self._at - 32_768)
            last = min(self._size, max(self._at + wanted, first + 262_144)) - 1
            answer = self._client.get(self._url, headers={"Range": f"bytes={first}-{last}"}).raise_for_status()
            self._first, self._block = first, answer.content
        start = self._at - self._first
        buffer[:wanted] = self._block[start : start + wanted]
        self._at += wanted
        return wanted


@functools.cache
def pages(name: str) -> dict[str, dict[str, Any]]:
    headers = {"Accept": "application/vnd.pypi.simple.v1+json"}
    answer = httpx.get(f"{PyPI.simple_url}/{name}/", headers=headers, follow_redirects=True, timeout=60).raise_for_status()
    return {file["filename"]: file for file in answer.json()["files"]}


@pytest.mark.parametrize("row", TABLES.triton_windows, ids=lambda row: f"triton-windows-{row.newest}")
def test_a_chosen_triton_wheel_is_what_its_row_says(row: TritonRow) -> None:
    tag = f"cp{row.pythons[-1].replace('.', '')}"
    file = pages("triton-windows")[f"triton_windows-{row.newest}-{tag}-{tag}-win_amd64.whl"]
    with httpx.Client(follow_redirects=True, timeout=60) as client:
        wheel = zipfile.ZipFile(io.BufferedReader(Ranges(client, file["url"], file["size"]), 65_536))
        names = wheel.namelist()
        metadata = Parser().parsestr(wheel.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode())
    assert metadata["Name"] == "triton-windows"
    assert metadata["Version"] == row.newest
    assert all(python in SpecifierSet(metadata["Requires-Python"] or "") for python in row.pythons)
    wanted = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    needed = {one.name for one in wanted if one.marker is None or one.marker.evaluate({"python_version": row.pythons[-1], "extra": ""})}
    assert needed == {pin.partition("==")[0] for pin in row.requires}
    for pin in row.requires:
        assert any(one.specifier.contains(pin.partition("==")[2]) for one in wanted if one.name == pin.partition("==")[0])
    assert any(name.endswith("_C/libtriton.pyd") for name in names)
    assert any(name.endswith("ptxas.exe") for name in names)
    assert not any(name.lower().endswith("/python.h") for name in names)
    assert minor_of(row.newest) == row.minor
