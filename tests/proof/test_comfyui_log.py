"""Is it really used? Logs as ComfyUI writes them, in every state."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.proof import read_comfyui_log
from app.texts import LANGUAGES, say

START = "Checkpoint files will always be loaded safely.\nTotal VRAM 12282 MB, total RAM 32560 MB\nDevice: cuda:0 NVIDIA GeForce RTX 4070 : native\n"
ERROR = "Error running sage attention: Input tensors must be in dtype of torch.float16 or torch.bfloat16, using pytorch attention instead.\n"


def read(text: str):
    return read_comfyui_log(io.BytesIO(text.encode()))


def test_switched_on_is_not_yet_used():
    use = read(START + "Using sage attention\nStarting server\n")
    assert (use.verdict, use.lines, use.calls) == ("chosen", (4,), None)


def test_counted_calls_prove_it():
    use = read(START + "Using sage attention\n" + '{"sage_calls": 1, "masked_calls": 0}\n{"sage_calls": 512, "masked_calls": 3}\n')
    assert (use.verdict, use.calls, use.masked_calls, use.lines) == ("used", 512, 3, (4, 6))


def test_one_error_is_a_fall_back_even_if_calls_were_counted():
    use = read(START + "Using sage attention\n" + '{"sage_calls": 512, "masked_calls": 0}\n' + ERROR * 2)
    assert (use.verdict, use.errors, use.lines) == ("fell-back", 2, (6, 7))


@pytest.mark.parametrize(
    "line",
    [
        "Using pytorch attention",
        "Using xformers attention",
        "Using sub quadratic optimization for attention, if you have memory",
        "Using Flash Attention",
        "Using Comfy Kitchen attention",
        "Using split optimization for attention",
    ],
)
def test_another_attention_is_off(line: str):
    use = read(START + line + "\n")
    assert (use.verdict, use.lines) == ("off", (4,))


def test_asked_for_and_missing():
    text = (
        "\nTo use the `--use-sage-attention` feature, the `sageattention` package must be installed first.\ncommand:\n\tpython -m pip install sageattention\n"
    )
    assert read(START + text).verdict == "missing"


def test_the_message_of_the_kj_node_proves_nothing():
    assert read(START + "Using pytorch attention\nUsing sage attention mode: auto\n").verdict == "off"
    assert read(START + "Using sage attention mode: auto\n").verdict == "unknown"


def test_the_last_start_in_a_log_counts():
    assert read(START + "Using sage attention\n" + ERROR + START + "Using sage attention\n").verdict == "chosen"
    assert read(START + "Using sage attention\n" + ERROR + START + "Using pytorch attention\n").verdict == "off"
    assert read(START + "Using pytorch attention\n" + START + "Using sage attention\n").verdict == "chosen"


def test_the_kernels_of_the_node_count_without_the_flag():
    assert read(START + "Using pytorch attention\nUsing sage attention mode: auto\n" + '{"sage_calls": 64, "masked_calls": 0}\n').verdict == "used"


def test_a_log_of_something_else_is_unknown():
    assert read("hello\n").verdict == "unknown"


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=3000), st.sampled_from([b'{"sage_calls": "many"}\n', b'{"sage_calls"', b'{"sage_calls": true}\n', b""]))
def test_any_bytes_give_an_answer(junk: bytes, count: bytes):
    assert read_comfyui_log(io.BytesIO(count + junk)).calls is None


@pytest.mark.parametrize("verdict", ["used", "fell-back", "chosen", "off", "missing", "unknown"])
def test_every_verdict_has_words(verdict: str):
    for language in LANGUAGES:
        assert "{" not in say(f"proof.use.{verdict}", language, calls=5, errors=2)


def test_only_calls_of_torch_are_a_model_that_passes_it_by():
    counts = '{"sage_calls": 0, "masked_calls": 0, "torch_calls": 640, "torch_masked_calls": 12}\n'
    use = read(START + "Using sage attention\n" + counts)
    assert (use.verdict, use.torch_calls, use.torch_masked_calls, use.lines) == ("passed-by", 640, 12, (4, 5))
    assert read(START + "Using pytorch attention\n" + counts).verdict == "off"


def test_the_error_is_the_evidence_whatever_comes_after():
    use = read(START + "Using sage attention\n" + ERROR + '{"sage_calls": 8, "masked_calls": 0}\n')
    assert use.evidence == ERROR.strip()
