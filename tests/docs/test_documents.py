"""What the documents say is tried: commands are parsed or run, buttons are looked up, links and pictures are there."""

import hashlib
import io
import json
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli.arguments import parse_arguments
from app.cli.front import run
from app.model import codec
from app.model.plan import Choice
from app.model.problem import ExitCode
from app.qt.tour import pages_of
from app.report import Identity, save_report
from app.report.answers import load_answers, save_answers
from app.report.compact import write_compact
from app.resources import assets
from app.session import Session
from tests.cli.test_explaining import photo
from tests.report import samples
from tests.report.canaries import ALL
from tests.report.canaries_elsewhere import MORE
from tests.upkeep.draw_pictures import PAGES, few_colours, recorded_pc

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDES = [ROOT / "docs" / f"guide.{language}.md" for language in ("en", "zh_CN")]
OF_OTHERS = {"More info", "Run anyway", "更多信息", "仍要运行", "Patch Sage Attention KJ"}
"""Buttons of Windows, nodes of ComfyUI."""


def commands_of(document: Path) -> list[str]:
    """Commands in fenced blocks and in spans of code; a command that goes on in words is none."""
    text = document.read_text(encoding="utf-8")
    blocks = [line for block in re.findall(r"```(?:sh|bat|powershell)\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    spans = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    found = [re.sub(r'^start "" /wait ', "", command.strip()) for command in (*blocks, *spans)]
    return [command for command in found if re.match(r"(?:triton-setup(?:\.exe)?|TritonSetup\.exe|(?:python3|py) dev\.py) [\w-]", command)]


COMMANDS = [(document.name, command) for document in DOCUMENTS for command in dict.fromkeys(commands_of(document))]


@pytest.mark.parametrize(("document", "command"), COMMANDS)
def test_a_command_of_a_document_is_one(document: str, command: str) -> None:
    program, *arguments = shlex.split(command, posix=True)
    if program in {"python3", "py"}:
        known = runpy.run_path(str(ROOT / "dev.py"))["COMMANDS"]
        assert arguments[1] in known, document
        if arguments[1] != "run":
            return
        arguments = arguments[2:]
    if len(arguments) == 1:
        # A command's name alone: there must be one.
        with pytest.raises(SystemExit) as ended:
            parse_arguments([*arguments, "--help"])
        assert ended.value.code == 0
    else:
        assert parse_arguments(arguments)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the documents name."""
    tmp_path = tmp_path_factory.mktemp("desk")
    for name in ("report.zip", "A.zip", "before.zip"):
        save_report(samples.failed_report(), None, {}, Identity(), tmp_path / name)
    for name in ("B.zip", "after.zip"):
        save_report(samples.good_report(), None, {}, Identity(), tmp_path / name)
    (tmp_path / "error.log").write_text("ImportError: DLL load failed while importing libtriton: x\n", encoding="utf-8")
    (tmp_path / "comfyui.log").write_text("Total VRAM 12282 MB, total RAM 32463 MB\nUsing sage attention\n", encoding="utf-8")
    (tmp_path / "pc.json").write_text(codec.dumps(recorded_pc()[1]), encoding="utf-8")
    for name in ("before.json", "earlier.json"):
        (tmp_path / name).write_bytes((ROOT / "docs" / "benchmarks" / "h200.json").read_bytes())
    save_answers(Choice(), None, tmp_path / "answers.json")
    photo(tmp_path / "photo.png")
    pack = [sys.executable, "-m", "tests.upkeep.compare_tables", "--pack", str(tmp_path / "tables.zip")]
    subprocess.run(pack, cwd=ROOT, check=True, capture_output=True, timeout=60)
    return tmp_path


NOT_RUN = re.compile(
    r"triton-setup (?:bundle |vllm |install --resume"  # loads gigabytes, serves until it is stopped, wants an interrupted run
    r"|--machine |--answers |--help"  # opens a window, ends the interpreter
    r"|tables --take FILE|[\w-]+$)"  # a form or a name, no command
)
RUN = sorted({re.sub(r"^(?:python3 dev\.py run|TritonSetup\.exe)", "triton-setup", command) for _, command in COMMANDS})
RUN = [command for command in RUN if command.startswith("triton-setup ") and not NOT_RUN.match(command)]


@pytest.mark.parametrize("command", RUN)
def test_a_command_does_what_it_says(command: str, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything that is safe, on a recorded PC where a plan is made; an install goes through its steps and changes nothing."""
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(write_compact(samples.failed_report()).encode()), isatty=lambda: False))
    words = {"DIR": "D:\\ai\\triton", "EXE": sys.executable, "HASH": hashlib.sha256((files / "tables.zip").read_bytes()).hexdigest()}
    words["TS1:…"] = write_compact(samples.failed_report())
    arguments = [words.get(word, word) for word in shlex.split(command)[1:]]
    if arguments[0] in {"plan", "install"} and "--machine" not in arguments:
        arguments += ["--machine", "pc.json"]
    if arguments[0] == "install" and "--dry-run" not in arguments:
        arguments.append("--dry-run")
    if arguments[0] == "prove" and "--python" not in arguments:
        arguments += ["--python", sys.executable]
    code = run(arguments)
    said = capsys.readouterr()
    assert code in {ExitCode.DONE, ExitCode.BLOCKED} or (arguments[0] == "prove" and code == ExitCode.FAILED), said.err
    assert said.out or (code == ExitCode.BLOCKED and said.err.count("\n") == 1)
    for line in said.out.splitlines() if "--json" in arguments and arguments[0] == "install" else ():
        assert json.loads(line)["type"]
    if "--json" in arguments and arguments[0] != "install":
        assert json.loads(said.out)["schema"]
    for option in ("-o", "--script", "--prometheus"):
        if option in arguments:
            assert (files / arguments[arguments.index(option) + 1]).stat().st_size > 0


def test_there_are_commands_to_try() -> None:
    assert len(RUN) >= 35
    assert len(COMMANDS) >= 25


def test_pasted_text_is_read_as_the_handbook_says(capsys: pytest.CaptureFixture[str]) -> None:
    text = write_compact(samples.failed_report())
    assert text.startswith("TS1:")
    assert run(["code", text]) == ExitCode.DONE


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_and_named_paths_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) if "://" not in link]
    missing = [link for link in links if not (document.parent / link).exists()]
    named = re.findall(r"`((?:app|assets|tests|tools|docs|requirements|wizard_pages)/[\w./-]+)`", text)
    missing += [path for path in named if not (ROOT / path).exists() and not re.search(r"\b[A-Z]{3,}\b", path)]
    assert missing == []


def test_every_picture_is_shown_and_drawn_by_one_command() -> None:
    shown = {name for document in DOCUMENTS for name in re.findall(r"images/([\w-]+\.png)", document.read_text(encoding="utf-8"))}
    drawn = {f"{page}-light-{language}.png" for page in PAGES for language in ("en", "zh_CN")}
    there = {picture.name for picture in (ROOT / "docs" / "images").glob("*.png")}
    assert shown == drawn == there
    assert sum(picture.stat().st_size for picture in (ROOT / "docs" / "images").glob("*.png")) < 1_500_000


def sentences() -> set[str]:
    """Everything the window can say, without the marks of its keys."""
    found: set[str] = set()

    def collect(table: object) -> None:
        for value in table.values() if isinstance(table, dict) else ():
            found.add(re.sub(r"\(&\w\)|&", "", value)) if isinstance(value, str) else collect(value)

    for area in ("page", "ui", "cli"):
        collect(tomllib.loads((assets() / "i18n" / f"{area}.toml").read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_what_a_guide_quotes_stands_on_a_page(guide: Path) -> None:
    quoted = set(re.findall(r"[\"“]([^\"“”\n]{2,60})[\"”]", guide.read_text(encoding="utf-8")))
    said = sentences() | OF_OTHERS
    assert quoted
    assert {words for words in quoted if words not in said} == set()


def test_both_guides_say_the_same_things() -> None:
    def shape(guide: Path) -> list[str]:
        text = guide.read_text(encoding="utf-8").replace("zh_CN", "en")
        return re.findall(r"^#+(?= )|^triton-setup .*$|images/[\w-]+\.png|^\*\*", text, re.MULTILINE)

    assert shape(GUIDES[0]) == shape(GUIDES[1])


def test_the_exit_codes_of_the_page_for_administrators_are_those_of_the_program() -> None:
    text = (ROOT / "docs" / "administrators.md").read_text(encoding="utf-8")
    assert {int(number) for number in re.findall(r"^\| (\d) \|", text, re.MULTILINE)} == {int(code) for code in ExitCode}


def test_the_handbook_counts_right() -> None:
    text = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    assert "more than three hundred kinds" in text
    assert len(ALL) + len(MORE) > 300


def test_the_answer_file_of_the_page_for_administrators_is_one(tmp_path: Path) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "administrators.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "answers.json").write_text(example, encoding="utf-8")
    choice = load_answers(tmp_path / "answers.json")
    assert choice.new_env == "D:\\ai\\triton"
    assert choice.index_url == "https://mirror.example/simple"


def test_the_pictures_are_pages_of_the_tour_in_few_colours(own_home: Path) -> None:
    from PySide6.QtGui import QColor, QImage, QPainter

    session = Session(str(own_home))
    assert {page.replace("-", "_") for page in PAGES} <= set(pages_of(session))
    picture = QImage(64, 64, QImage.Format.Format_ARGB32)
    picture.fill(QColor("#f4f6fb"))
    painter = QPainter(picture)
    for x in range(32):
        for y in range(32):
            painter.fillRect(x, y, 1, 1, QColor(8 * x, 8 * y, 4 * (x + y)))
    painter.end()
    small = few_colours(picture)
    assert small.colorCount() == 256
    assert small.pixelColor(60, 60) == QColor("#f4f6fb")
    assert small.pixelColor(3, 0) == QColor(24, 0, 12)
    assert small.pixelColor(31, 31).lightness() > 80
