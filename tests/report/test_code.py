"""The support code and the QR text: what is put in comes out, and what was misheard or miscopied is noticed."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.model.facts import Gpu, MachineFacts
from app.model.findings import Finding, Severity
from app.model.plan import Verdict
from app.model.problem import ExitCode, Problem
from app.model.text import Text
from app.report.code import ALPHABET, LENGTH, CodeMeaning, _numbers, cause_text, explain_code, gpu_generation, packages_now, support_code, system_name
from app.report.compact import PREFIX, make_compact, qr_matrix, qr_svg, read_compact, read_picture, read_text, write_compact
from app.texts import LANGUAGES, has, words
from tests.report import samples

LOOK_ALIKES = ("0O", "1I", "1L", "IL", "2Z", "5S", "8B", "UV")


def code_of() -> str:
    failed = samples.failed_report()
    return support_code("failed", failed.facts, failed.plan, failed.proof, failed.diagnosis)


def test_a_code_says_what_was_put_in() -> None:
    code = code_of()
    assert len(code) == 14
    assert code[4] == code[9] == "-"
    meaning = explain_code(code)
    assert meaning == CodeMeaning(
        page="failed",
        verdict="ready",
        proof=None,
        finding="vc-runtime-stale",
        gpu="ada-8.9",
        torch="2.8",
        torch_is_cpu=False,
        triton="3.4",
        system="windows-11",
        python="3.12",
        route="native",
    )


def test_no_two_signs_look_alike() -> None:
    assert len(set(ALPHABET)) == len(ALPHABET) == 23
    assert not [pair for pair in LOOK_ALIKES if set(pair) <= set(ALPHABET)]
    assert not set("0O1IL2Z5S8BUV") & set(ALPHABET)


def test_every_wrong_sign_and_every_swap_is_noticed() -> None:
    chance = random.Random(7)
    for code in [code_of(), support_code("start"), *(support_code(page) for page in _numbers()["pages"])]:
        signs = code.replace("-", "")
        for position in range(LENGTH):
            for sign in ALPHABET.replace(signs[position], ""):
                with pytest.raises(Problem) as caught:
                    explain_code(signs[:position] + sign + signs[position + 1 :])
                assert caught.value.text.code == "code.wrong-sign"
        for _ in range(40):
            first, second = chance.sample(range(LENGTH), 2)
            if signs[first] == signs[second]:
                continue
            swapped = list(signs)
            swapped[first], swapped[second] = swapped[second], swapped[first]
            with pytest.raises(Problem):
                explain_code("".join(swapped))


@pytest.mark.parametrize(
    "change",
    [
        str.lower,
        lambda code: code.replace("-", " "),
        lambda code: code.replace("-", ""),
        lambda code: f"  {code}\n",
        lambda code: "".join(chr(ord(sign) + 0xFEE0) if sign != "-" else sign for sign in code),
    ],
)
def test_a_code_is_read_however_it_is_typed(change: object) -> None:
    assert explain_code(change(code_of())) == explain_code(code_of())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "12 signs"),
        ("K7QM", "12 signs"),
        ("K7QM-3TX9-4HW0", "0 never"),
        ("K7QM-3TX9-4HWD-9", "12 signs"),
        ("K7QM-3TX9-4HW!", "! never"),
        ("K7QM 3TX9 4HWÜ", "Ü never"),
    ],
)
def test_what_is_no_code_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(Problem) as caught:
        explain_code(text)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    assert said in words(caught.value.text)


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=40) | st.text(alphabet=ALPHABET, min_size=LENGTH, max_size=LENGTH))
def test_any_text_is_explained_or_refused(text: str) -> None:
    try:
        meaning = explain_code(text)
    except Problem as problem:
        said = words(problem.text)
        refused = problem.exit_code
        if refused is not ExitCode.BAD_INPUT or not said:
            raise
    else:
        assert all(words(line, language) for line in meaning.lines() for language in LANGUAGES)


def test_every_page_card_and_cause_can_be_said() -> None:
    numbers = _numbers()
    for page in numbers["pages"]:
        assert explain_code(support_code(page)).page == page
    for code in numbers["findings"]:
        if code and code != "other":
            assert has(f"cause.{code}.title"), code
            assert code in words(cause_text(code))
    for gpu in numbers["gpus"]:
        assert has(f"code.gpu.{gpu.partition('-')[0]}")
    for system in numbers["systems"]:
        assert has(f"code.system.{system}")
    assert explain_code(support_code("no-such-page")).page == "other"
    assert len(numbers["findings"]) <= 512
    assert len(numbers["pages"]) <= 32
    assert len(numbers["gpus"]) <= 32


def test_numbers_never_move() -> None:
    """Codes are spoken between versions: what stands at a place stays there. Add to the end, then to this test."""
    numbers = _numbers()
    assert numbers["pages"][:4] == ["other", "start", "machine", "goal"]
    assert numbers["findings"].index("driver-too-old") == 10
    assert numbers["findings"].index("vc-runtime-stale") == 41
    assert numbers["findings"].index("not-windows") == 121
    assert numbers["gpus"].index("blackwell-12.0") == 17


@pytest.mark.parametrize(
    ("gpus", "generation"),
    [
        ((), "none"),
        ((Gpu("amd", "RX 7900"),), "amd"),
        ((Gpu("intel", "Arc"),), "intel"),
        ((Gpu("other", "Virtual"),), "other"),
        ((Gpu("nvidia", "RTX", compute_capability=None),), "nvidia-unknown"),
        ((Gpu("nvidia", "GTX 980", compute_capability="5.2"),), "maxwell"),
        ((Gpu("nvidia", "GTX 1080", compute_capability="6.1"),), "pascal"),
        ((Gpu("nvidia", "V100", compute_capability="7.0"),), "volta"),
        ((Gpu("nvidia", "2080", compute_capability="7.5"),), "turing"),
        ((Gpu("nvidia", "A100", compute_capability="8.0"),), "ampere-8.0"),
        ((Gpu("nvidia", "3060", compute_capability="8.6"),), "ampere-8.6"),
        ((Gpu("nvidia", "4070", compute_capability="8.9"),), "ada-8.9"),
        ((Gpu("nvidia", "H200", compute_capability="9.0"),), "hopper-9.0"),
        ((Gpu("nvidia", "B200", compute_capability="10.0"),), "blackwell-10.0"),
        ((Gpu("intel", "UHD"), Gpu("nvidia", "2080", compute_capability="7.5"), Gpu("nvidia", "5090", compute_capability="12.0")), "blackwell-12.0"),
        ((Gpu("nvidia", "next", compute_capability="13.0"),), "newer"),
        ((Gpu("nvidia", "odd", compute_capability="x"),), "nvidia-unknown"),
    ],
)
def test_generations_of_cards(gpus: tuple[Gpu, ...], generation: str) -> None:
    facts = samples.machine_facts(gpus=gpus)
    assert gpu_generation(facts) == generation
    assert explain_code(support_code("machine", facts)).gpu == generation


@pytest.mark.parametrize(
    ("name", "version", "system"),
    [
        ("Windows 11 Pro", "10.0.22631", "windows-11"),
        ("Windows 10", "10.0.19045", "windows-10"),
        ("Windows Server 2022", "10.0.20348", "windows-server"),
        ("x", "6.1", "other"),
    ],
)
def test_systems(name: str, version: str, system: str) -> None:
    facts = samples.machine_facts()
    assert system_name(replace(facts, os=replace(facts.os, name=name, version=version))) == system
    assert system_name(None) == "other"


@pytest.mark.parametrize(
    ("torch", "triton", "said"),
    [
        ("2.8.0+cpu", "3.4.0", ("2.8", True, "3.4")),
        ("1.13.1", "2.0.0", ("1.13", False, "2.0")),
        ("3.0.0", "9.9", ("?", False, "?")),
        ("nightly", "", ("?", False, None)),
    ],
)
def test_versions(torch: str, triton: str, said: tuple[str | None, bool, str | None]) -> None:
    facts = samples.machine_facts()
    python = replace(facts.pythons[0], packages={"torch": torch, "triton": triton})
    meaning = explain_code(support_code("machine", replace(facts, pythons=(python,))))
    assert (meaning.torch, meaning.torch_is_cpu, meaning.triton) == said


def test_the_gravest_finding_is_the_chief_one() -> None:
    findings = (
        Finding("long-path", Severity.NOTE, Text("x.y")),
        Finding("wsl-disk", Severity.WARNING, Text("x.y")),
        Finding("driver-missing", Severity.BLOCKER, Text("x.y")),
    )
    plan = replace(samples.plan(verdict=Verdict.BLOCKED), findings=findings)
    assert explain_code(support_code("review", samples.machine_facts(), plan)).finding == "driver-missing"
    assert explain_code(support_code("review", samples.machine_facts(), replace(plan, findings=findings[:1]))).finding is None
    assert explain_code(support_code("review", None, replace(plan, findings=(Finding("invented", Severity.BLOCKER, Text("x.y")),)))).finding == "other"


def test_after_a_run_that_went_well_the_planned_packages_are_there() -> None:
    assert packages_now(samples.good_report())["triton-windows"] == "3.4.0.post21"
    assert "triton-windows" not in packages_now(samples.failed_report())


@pytest.mark.parametrize("report", [samples.failed_report(), samples.good_report(), samples.facts_report()], ids=["failed", "good", "facts"])
def test_the_picture_comes_back_as_it_was(report: object) -> None:
    text = write_compact(report)
    assert text.startswith(PREFIX)
    for pasted in (text, f"scanned:\n{text}\nthanks", "\r\n".join(text[index : index + 40] for index in range(0, len(text), 40)), text.rstrip()):
        assert read_compact(pasted) == make_compact(report)
    assert all(words(line, language) for line in read_compact(text).lines() for language in LANGUAGES)


def test_the_picture_is_small_enough_for_a_photo() -> None:
    matrix = qr_matrix(samples.failed_report())
    assert len(matrix) == len(matrix[0]) <= 57
    assert matrix[0][:8] == (True,) * 7 + (False,)
    svg = qr_svg(samples.failed_report())
    assert svg.startswith("<svg")
    assert "#fff" in svg


def photo(scale: int, *, turned: bool = False, dim: int = 0) -> tuple[bytes, int]:
    """The picture as a camera sees it: enlarged, perhaps turned by a quarter, perhaps grey."""
    matrix = qr_matrix(samples.failed_report())
    rows = [tuple(column) for column in zip(*matrix[::-1], strict=True)] if turned else list(matrix)
    side = (len(rows) + 8) * scale
    light, dark = 255 - dim, dim
    pixels = bytearray([light]) * (side * side)
    for y, row in enumerate(rows):
        for x, is_dark in enumerate(row):
            for line in range((y + 4) * scale, (y + 5) * scale) if is_dark else ():
                start = line * side + (x + 4) * scale
                pixels[start : start + scale] = bytes([dark]) * scale
    return bytes(pixels), side


@pytest.mark.parametrize(("scale", "turned", "dim"), [(2, False, 0), (3, True, 40), (7, False, 90)])
def test_a_photo_of_the_picture_is_read_by_an_independent_reader(scale: int, turned: bool, dim: int) -> None:
    pixels, side = photo(scale, turned=turned, dim=dim)
    assert read_picture(pixels, side, side) == make_compact(samples.failed_report())


@pytest.mark.parametrize(
    ("pixels", "width", "height"), [(b"", 0, 0), (b"\xff" * 100, 10, 10), (b"\xff" * 100, 50, 10), (bytes(range(256)) * 16, 64, 64), (b"x", -1, -1)]
)
def test_a_photo_without_a_picture_is_refused(pixels: bytes, width: int, height: int) -> None:
    with pytest.raises(Problem) as caught:
        read_picture(pixels, width, height)
    assert caught.value.text.code == "code.no-picture"


def test_the_picture_holds_no_names() -> None:
    facts = samples.machine_facts("anneliese")
    text = write_compact(replace(samples.failed_report("anneliese"), facts=facts))
    compact = str(read_compact(text))
    assert "anneliese" not in compact
    assert "\\" not in compact.replace("\\\\", "\\") or "Users" not in compact


@pytest.mark.parametrize("text", ["", "TS1:", "TS1:0", "TS1:A B", "hello", "TS1:" + "9" * 3000, "TS2:ABC", "x" * 100_000])
def test_pasted_text_that_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(Problem) as caught:
        read_compact(text)
    assert caught.value.exit_code is ExitCode.BAD_INPUT


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_one_wrong_sign_in_the_text_is_noticed(data: st.DataObject) -> None:
    text = write_compact(samples.failed_report())
    at = data.draw(st.integers(len(PREFIX), len(text) - 1))
    sign = data.draw(st.sampled_from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ$%*+-./:"))
    changed = text[:at] + sign + text[at + 1 :]
    try:
        read = read_compact(changed)
    except Problem:
        return
    # Bits that fill up the last byte mean nothing; everything else is proven by the check sum.
    assert read == make_compact(samples.failed_report())


def test_a_code_and_a_pasted_text_are_told_apart() -> None:
    assert read_text(code_of()) == explain_code(code_of())
    assert read_text(f"see {write_compact(samples.failed_report())}") == make_compact(samples.failed_report())


def test_a_machine_of_which_nothing_is_known_has_a_code_and_a_picture() -> None:
    facts = MachineFacts("machine/1", samples.machine_facts().os)
    report = replace(samples.facts_report(), facts=facts)
    assert explain_code(support_code("machine", facts)).gpu == "unknown"
    assert read_compact(write_compact(report)).gpus == ()
