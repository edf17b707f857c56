"""Private things that nobody told of, each alone and then all together in one report; and texts that only look like them."""

from pathlib import Path

import pytest

from app.model.events import LogLine
from app.report import load_report, save_report
from app.report.redact.identity import Identity
from app.report.redact.redactor import Redactor
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
    assert again.text(shown).count("-") >= shown.count("-")


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


def test_there_are_two_hundred_more_kinds() -> None:
    assert len({canary.kind for canary in MORE}) == len(MORE) >= 200
