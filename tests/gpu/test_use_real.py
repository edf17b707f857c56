"""Calls of the real SageAttention on a real card, counted while a program runs that calls it as ComfyUI does."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from app.host.live import LiveHost
from app.model.cancel import Cancel
from app.proof.payloads import Target
from app.proof.used import AppStart, watch_use
from app.resources import assets

PYTHON = os.environ.get("TRITON_SETUP_TORCH_PYTHON", sys.executable)
HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.executable == PYTHON and importlib.util.find_spec("sageattention") is None, reason="SageAttention is not installed here"),
]


def watch(*options: str):
    argv = (PYTHON, "-u", str(assets() / "payloads" / "count_sage.py"), str(HERE / "small_comfyui.py"), *options)
    site = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return watch_use(Target(PYTHON, LiveHost(), lambda _: None, Cancel()), AppStart(argv, str(HERE), site))


def test_every_call_of_a_run_is_counted():
    check = watch("--use-sage-attention", "--steps", "8", "--layers", "12")
    assert (check.outcome, check.numbers["use"], check.numbers["calls"], check.numbers["errors"]) == ("passed", "used", 96, 0)
    assert (check.numbers["torch_calls"], check.numbers["torch_masked_calls"]) == (1, 1)


def test_an_error_in_one_call_is_a_fall_back():
    check = watch("--use-sage-attention", "--steps", "1", "--break")
    assert (check.outcome, check.numbers["use"], check.numbers["errors"]) == ("failed", "fell-back", 1)
    assert check.detail.startswith("Error running sage attention")


def test_without_the_option_it_is_off():
    check = watch("--steps", "1")
    assert (check.outcome, check.numbers["use"]) == ("failed", "off")
