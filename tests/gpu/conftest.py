"""Tests for a machine with an NVIDIA card; elsewhere they skip themselves."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "assets" / "payloads"))

import proof_device  # noqa: E402 - the folder has to be on the path first


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if proof_device.cuda_driver()["devices"]:
        return
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="no NVIDIA card here"))
