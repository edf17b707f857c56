"""What several tests of report files start from."""

from pathlib import Path

import pytest

from app.report import Identity, save_report
from tests.report import samples


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("good") / "report.zip"
    save_report(samples.failed_report(), samples.recording(), {"run.log": b"line\n"}, Identity(), target)
    return target
