"""One home for the tests of the line, so that what one fetched serves the next."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("line")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
