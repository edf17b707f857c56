"""Any text: encodings, long files, single lines, pipes; the right line numbers, little memory."""

import io
import random
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.diagnosis.logs import diagnose
from app.diagnosis.logs.decoding import best_page, decode_lines, is_text, text_lines, wide_codec
from app.diagnosis.logs.reading import NumberedLine, read_excerpt
from app.diagnosis.logs.repair import read_again
from app.diagnosis.logs.signatures import GATES
from app.diagnosis.logs.wording import plain_lines, rejoined

ERROR = "ImportError: DLL load failed while importing _fused: The specified procedure could not be found."


class Trickle(io.RawIOBase):
    """A pipe: gives a few bytes at a time."""

    def __init__(self, raw: bytes) -> None:
        self._raw = io.BytesIO(raw)

    def read(self, size: int = -1) -> bytes:
        return self._raw.read(min(size, 777) if size > 0 else -1)


def lines_of(number: int, seed: int = 1) -> list[str]:
    chance = random.Random(seed)
    return [f"2026-11-30 12:00:{chance.randrange(60):02d},{chance.randrange(1000):03d} - INFO - step {at} loss {chance.random():.5f}" for at in range(number)]


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("找不到指定的模块。请重新安装程序，然后重试。", "gb18030"),
        ("指定されたモジュールが見つかりません。ファイルを開けません。", "cp932"),
        ("지정된 모듈을 찾을 수 없습니다. 다시 시도하십시오.", "cp949"),
        ("Не удается открыть файл включение. Не найден указанный модуль.", "cp1251"),
        ("Das angegebene Modul wurde nicht gefunden: für die geöffnete Datei, überprüfen", "cp1252"),
    ],
)
def test_old_code_pages(text: str, page: str) -> None:
    raw = text.encode(page)
    assert best_page(raw) == page
    assert decode_lines([raw]) == [text]


def test_a_line_of_another_encoding_in_utf_8() -> None:
    assert decode_lines(["错误".encode(), "找不到指定的模块，请重试".encode("gb18030")]) == ["错误", "找不到指定的模块，请重试"]


@pytest.mark.parametrize("wrong", ["cp1252", "latin-1"])
def test_utf_8_that_was_read_as_latin(wrong: str) -> None:
    text = "módulo não pôde"
    assert decode_lines([text.encode().decode(wrong).encode()]) == [text]


def test_gbk_that_was_read_as_latin() -> None:
    text = "找不到指定的模块。"
    assert decode_lines([text.encode("gb18030").decode("latin-1").encode()]) == [text]


def test_utf_16_within_another_text() -> None:
    raw = b"C:\\> wsl\n" + "Error code: Wsl/Service/0x80070422".encode("utf-16-le") + b"\n"
    found = diagnose(io.BytesIO(raw)).findings
    assert found[0].code == "wsl-service-failed"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark(codec: str) -> None:
    assert wide_codec("Default Version: 2\r\n默认分发: Ubuntu\r\n".encode(codec)) == (codec, 0)
    assert wide_codec(b"plain text, nothing else\n" * 3) is None
    assert wide_codec(bytes(range(256)) * 8) is None


@pytest.mark.parametrize("place", [0, 150, 30_000, 59_999])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-8-sig"])
def test_the_line_is_found_in_a_long_text(place: int, encoding: str) -> None:
    lines = lines_of(60_000)
    lines[place] = ERROR
    found = diagnose(io.BytesIO("\n".join(lines).encode(encoding))).findings
    assert found[0].code == "wheel-torch-mismatch"
    assert found[0].lines == ((place + 1, place + 1),)


def test_the_line_is_found_where_no_line_repeats_itself() -> None:
    chance = random.Random(5)
    lines = [" ".join("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(9)) for _ in range(40_000)]
    lines[31_000] = ERROR
    found = diagnose(io.BytesIO("\n".join(lines).encode())).findings
    assert found[0].lines == ((31_001, 31_001),)


def test_a_flood_of_errors_does_not_hide_the_first_cause() -> None:
    chance = random.Random(6)
    flood = [f"ERROR: could not load thing {chance.random()} error {''.join(chance.choices('abcdef', k=9))} failed" for _ in range(40_000)]
    flood[12] = ERROR
    flood[20_000] = "OSError: [WinError 1455] The paging file is too small for this operation to complete."
    codes = {finding.code for finding in diagnose(io.BytesIO("\n".join(flood).encode())).findings if finding.confidence > 0.5}
    assert "wheel-torch-mismatch" in codes


def test_a_single_line_of_many_megabytes() -> None:
    raw = b"x y z " * 500_000 + ERROR.encode() + b" tail" * 500_000
    found = diagnose(io.BytesIO(raw)).findings
    assert found[0].code == "wheel-torch-mismatch"
    assert found[0].lines == ((1, 1),)


def test_a_pipe_gives_the_same_answer() -> None:
    raw = "\n".join([*lines_of(6000), ERROR]).encode()
    assert diagnose(Trickle(raw)) == diagnose(io.BytesIO(raw))


def test_rubbish_has_an_answer_in_bounded_time_and_memory() -> None:
    chance = random.Random(7)
    raw = chance.randbytes(3 << 20)
    tracemalloc.start()
    diagnose(io.BytesIO(raw))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 << 20


def test_memory_does_not_grow_with_the_text() -> None:
    class Endless(io.RawIOBase):
        """24 MB made on the fly."""

        def __init__(self) -> None:
            self._left = 24
            self._block = ("\n".join(lines_of(14_000)) + "\n").encode()[: 1 << 20]

        def read(self, size: int = -1) -> bytes:
            self._left -= 1
            return self._block[:size] if self._left >= 0 else b""

    tracemalloc.start()
    diagnose(Endless())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 << 20


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=60), max_size=30))
def test_a_short_text_is_read_whole(lines: list[str]) -> None:
    raw = "\n".join(lines).encode()
    if is_text(raw) and wide_codec(raw) is None and b"\x00" not in raw:
        assert [line.number for line in read_excerpt(io.BytesIO(raw), GATES).lines] == list(range(1, max(1, len(lines)) + 1))


def numbered(*texts: str) -> list[NumberedLine]:
    return [NumberedLine(number, text) for number, text in enumerate(texts, 1)]


def test_what_a_carriage_return_overwrote_keeps_its_line_number() -> None:
    assert plain_lines(numbered("10%\r20%\rdone", "next")) == [NumberedLine(1, "10%"), NumberedLine(1, "20%"), NumberedLine(1, "done"), NumberedLine(2, "next")]


def test_a_narrow_window_is_undone() -> None:
    wide = "ImportError: DLL load failed while importing flash_attn_2_cuda: The specified procedure could not be found."
    parts = [wide[at : at + 50] for at in range(0, len(wide), 50)]
    assert rejoined(numbered(*parts)) == [NumberedLine(1, wide)]
    assert rejoined(numbered("short", "lines", "only")) is None


@pytest.mark.parametrize(
    ("damaged", "meant"),
    [
        ("DLL load fai1ed: no modu1e", "DLL load failed: no module"),
        ("DLL load fai led: no mod ule", "DLL load failed: no module"),
        ("Error code: Ox8OO7O422", "Error code: 0x80070422"),
        ("Error code: 0x8007 0422", "Error code: 0x80070422"),
        ("[WinError l455] LNKllO4 smtp sm_l2O", "[WinError 1455] LNK1104 smtp sm_120"),
        ("nothing known here, 5 of 10 C1083", "nothing known here, 5 of 10 C1083"),
    ],
)
def test_a_damaged_word_is_read_as_the_known_one_it_looks_like(damaged: str, meant: str) -> None:
    assert read_again(numbered(damaged), frozenset({"failed", "module"})) == numbered(meant)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16", "gb18030"])
def test_lines_to_show_are_numbered_as_findings_are(encoding: str) -> None:
    """A progress bar overwrites its line many times and stays one line."""
    text = "开始加载模型，请稍候\r\n 10%|# \r 50%|##### \r100%|##########\r\n\x0b找不到指定的模块\n" + ERROR
    shown = text_lines(text.encode(encoding))
    assert [shown[number - 1] for number, _ in diagnose(io.BytesIO(text.encode(encoding))).findings[0].lines] == [ERROR]


def test_packed_bytes_are_no_text_whatever_their_name() -> None:
    packed = random.Random(5).randbytes(40_000)
    assert not is_text(packed)
    assert not is_text(zlib.compress(b"ERROR: something failed\n" * 9000 + packed))
    assert not is_text(b"PK\x03\x04" + b"report.json: error\n" * 50)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-16-le", "gb18030", "cp932", "cp1251"])
def test_text_is_text_in_every_encoding_and_with_rubbish_in_it(codec: str) -> None:
    text = ("Ошибка\n" if codec == "cp1251" else "错误 失败\n" if codec in {"utf-8", "gb18030"} else "error\n") + "\x1b[31mERROR\x1b[0m: it failed\r\n" * 40
    raw = text.encode(codec)
    assert is_text(raw)
    if codec == "utf-8":
        assert is_text(bytes(70_000) + raw)
        assert is_text(raw + random.Random(6).randbytes(2 * len(raw)) + raw)
