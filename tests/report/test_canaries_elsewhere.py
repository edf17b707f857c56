"""Private things that nobody told of, each alone and then all together in one report; and texts that only look like them."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.model.events import LogLine
from app.model.facts import Disk, Gap, Network, Python
from app.model.plan import Choice
from app.model.report import Report
from app.model.unknown import known
from app.report import load_report, save_report
from app.report.redact.identity import Identity
from app.report.redact.redactor import Redactor
from app.report.redact.tokens import TOKEN
from tests.report import samples
from tests.report.canaries import Canary
from tests.report.canaries_elsewhere import DOMAINS_HERE, HOSTS_HERE, KEPT, MORE, USERS
from tests.report.test_canaries import disguises, everything_in, planted_logs, planted_recording, planted_report

MACHINE = Identity(users=USERS, hosts=HOSTS_HERE, domains=DOMAINS_HERE)


@pytest.mark.parametrize("canary", MORE, ids=lambda canary: canary.kind)
def test_it_is_known_by_its_place_alone(canary: Canary) -> None:
    """One text, and no other that could tell the name; where the machine tells it, nothing but that."""
    redactor = Redactor(MACHINE if canary.known else Identity())
    redactor.study([canary.text])
    redactor.freeze()
    shown = redactor.text(canary.text)
    assert not [secret for secret in canary.secrets if secret.lower() in shown.lower()], shown
    again = Redactor(Identity())
    again.study([shown])
    assert TOKEN.sub("#", again.text(shown)) == TOKEN.sub("#", shown)


def test_all_of_them_together_leave_no_byte(tmp_path: Path) -> None:
    target = tmp_path / "report.zip"
    save_report(planted_report(MORE, KEPT), planted_recording(MORE), planted_logs(MORE, KEPT), MACHINE, target)
    hay = b"\n\n".join(everything_in(target).values())
    left = {canary.kind: secret for canary in MORE for secret in canary.secrets if any(len(form) >= 5 and form in hay for form in disguises(secret))}
    assert not left
    loaded = load_report(target)
    lines = {event.line for event in loaded.report.events if isinstance(event, LogLine)}
    assert [line for line in KEPT if line not in lines] == []


@pytest.mark.parametrize("line", KEPT)
def test_what_only_looks_like_it_survives(line: str) -> None:
    redactor = Redactor(MACHINE)
    redactor.study([line])
    assert redactor.text(line) == line


HOME = "C:\\Users\\Kasimir Wölfflin"
PRIVATE = (
    *("Kasimir", "Wölfflin", "KASIMI~1", "Blumenkohl", "nasgeheim", "Gurke99", "proxyhaus", "geheim77", "Scheidung", "gurkensalat", "Kummerkasten"),
    *("BLUMENPC77", "BLUMENDOM", "hf_abc", "Lieblingsfarbe", "192.168.7.9", "PF9Q8W7E", "8f6d1d9a"),
)


def test_every_field_of_facts_is_free_of_it(tmp_path: Path) -> None:
    """Nothing but the facts tells who this is: a facts document of another PC, saved as a report."""
    facts = samples.machine_facts("Kasimir Wölfflin")
    python = Python(
        rf"{HOME}\Projekte\Scheidung\venv\Scripts\python.exe",
        "venv",
        "3.12.8",
        in_use_by=(rf"python.exe {HOME}\main.py (pid 77)", "gurkensalat.exe (pid 12)"),
        packages={"torch": "2.8.0+cu128"},
    )
    facts = replace(
        facts,
        os=replace(facts.os, temp="C:\\Users\\KASIMI~1\\AppData\\Local\\Temp", cloud_roots=(rf"{HOME}\OneDrive - Blumenkohl AG", "D:\\Dropbox (Blumenkohl)")),
        disks=(*known(facts.disks, ()), Disk("\\\\nasgeheim\\modelle\\", 1)),
        network=Network(
            True,
            "kasimir:Gurke99@proxyhaus.blumenkohl.example:3128",
            "https://kasimir:Gurke99@pypi.blumenkohl.example/t/geheim77/simple",
            {"pypi.blumenkohl.example": True, "python.org": True},
            True,
        ),
        pythons=(*known(facts.pythons, ()), python),
        environment_variables={
            "PATH": rf"{HOME}\bin;C:\Tools\Kummerkasten;C:\Windows",
            "USERNAME": "Kasimir Wölfflin",
            "COMPUTERNAME": "BLUMENPC77",
            "USERDOMAIN": "BLUMENDOM",
            "HF_TOKEN": "hf_abcdefghijklmnopqrstuv123456",
            "PIP_INDEX_URL": "https://kasimir:Gurke99@pypi.blumenkohl.example/simple",
            "SOMETHING": "Lieblingsfarbe blau",
            "UV_INDEX": "intern=https://x:Gurke99@pypi.blumenkohl.example/simple",
        },
        gaps=(
            Gap(
                "wsl",
                "failed",
                "Zugriff verweigert: BLUMENDOM\\kasimirw auf BLUMENPC77, 192.168.7.9, Seriennummer: PF9Q8W7E, GPU-8f6d1d9a-3c21-9f0e-7b6a-0a1b2c3d4e5f",
            ),
        ),
    )
    save_report(Report("2026-11-30T10:00:00+00:00", "1", facts, Choice(python=python.executable)), None, {}, Identity(), tmp_path / "report.zip")
    hay = b"\n\n".join(everything_in(tmp_path / "report.zip").values())
    assert [name for name in PRIVATE if any(len(form) >= 5 and form in hay for form in disguises(name))] == []
    shown = load_report(tmp_path / "report.zip").report.facts
    assert [python.version for python in known(shown.pythons, ())] == [python.version for python in known(facts.pythons, ())]
    assert known(shown.pythons, ())[0].executable == samples.PORTABLE


def test_there_are_two_hundred_more_kinds() -> None:
    assert len({canary.kind for canary in MORE}) == len(MORE) >= 200
