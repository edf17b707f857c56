"""The page on containers keeps its word: every message it shows is recognised as the cause it names."""

import io
import re
from pathlib import Path

import pytest

from app.diagnosis.logs import diagnose

PAGE = Path(__file__).parents[3] / "docs" / "containers.md"
ROWS = re.findall(r"^\| `(.+?)` \| `([a-z-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_has_messages() -> None:
    assert len(ROWS) >= 5


@pytest.mark.parametrize(("message", "code"), ROWS)
def test_a_message_is_recognised_as_the_cause_the_page_names(message: str, code: str) -> None:
    found = diagnose(io.BytesIO(message.encode()))
    assert (found.findings[0].code, found.findings[0].confidence > 0.5) == (code, True)
