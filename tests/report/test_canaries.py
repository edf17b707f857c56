"""Nothing private leaves the machine: canaries planted everywhere a report takes text from, looked for byte by byte in the finished zip."""

import base64
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

from app.model.events import LogLine, StepFinished
from app.model.facts import Gap, Network, Python
from app.model.plan import Choice
from app.model.report import Report
from app.model.text import Text
from app.report import Identity, collect_identity, load_report, save_report
from tests.report import canaries, samples
from tests.report.canaries import ALL, SURVIVORS, Canary

ENVIRONMENT = {
    "USERNAME": canaries.USER,
    "USERPROFILE": canaries.HOME,
    "COMPUTERNAME": canaries.HOST,
    "USERDOMAIN": canaries.DOMAIN,
    "USERDNSDOMAIN": canaries.DNS_DOMAIN.upper(),
    "OneDriveCommercial": rf"{canaries.HOME}\OneDrive - {canaries.ORGANISATION}",
    "GEHEIM_API_TOKEN": "Löwenzahn-Tee-42",
    "PATH": "C:\\Windows",
}


def planted_report(planted: tuple[Canary, ...] = ALL, kept: tuple[str, ...] = SURVIVORS) -> Report:
    """Every canary in events, and in every other place of a report that takes text from the machine."""
    report = samples.failed_report(canaries.USER)
    texts = [canary.text for canary in planted]
    events = [LogLine("test", line, "2026-11-29T14:03:50Z", "stderr") for text in (*texts, *kept) for line in text.splitlines()]
    facts = replace(
        report.facts,
        network=Network(
            True,
            "http://kolibri:S3hrGeh3im@proxy.zorbafin.example:8080",
            "https://nexus.zorbafin.example/simple",
            {"artifacts.zorbafin.example": True, "github.com": True},
        ),
        pythons=(
            *report.facts.pythons,
            Python(
                r"C:\Program Files\Finanzamt Elsterbude\python\python.exe", "embedded", "3.11.4", in_use_by=("elsterbude.exe (4711)",), packages={"pip": "24.0"}
            ),
        ),
        environment_variables={"CUDA_PATH": rf"{canaries.HOME}\cuda", "MEINE_NOTIZ": "Rhabarberkuchen um vier", "UV_INDEX_INTERN_PASSWORD": "Blaubeere77"},
        gaps=tuple(Gap("canary", "failed", text) for text in texts),
    )
    failed = replace(report.events[-2], problem=Text("run.smoke-test-failed", {f"p{index}": text for index, text in enumerate(texts)}))
    assert isinstance(failed, StepFinished)
    choice = Choice(
        python=samples.PORTABLE,
        new_env=rf"{canaries.HOME}\envs\triton",
        index_url="https://deploy:tok3nGlimmer@nexus.zorbafin.example/repository/geheimprojekt/simple",
    )
    return replace(report, facts=facts, events=(*report.events[:-2], *events, failed, report.events[-1]), choice=choice)


def planted_recording(planted: tuple[Canary, ...] = ALL) -> bytes:
    """Canaries as values, keys, names in listings and bytes."""
    recorded = json.loads(samples.recording(canaries.USER))
    recorded["files"] |= {rf"{canaries.HOME}\file{index}.txt": {"text": canary.text, "encoding": "utf-8"} for index, canary in enumerate(planted)}
    recorded["files"] |= {f"key {canary.text}": None for canary in planted if "\n" not in canary.text}
    recorded["files"]["packed"] = {"text": base64.b64encode("\n".join(canary.text for canary in planted).encode()).decode(), "encoding": "utf-8"}
    recorded["names"]["C:\\Program Files"] = ["Finanzamt Elsterbude/", "NVIDIA Corporation/", "Glimmerware Suite/"]
    recorded["entries"] = {"D:\\": [{"name": "Lieblingsrezepte", "is_folder": True, "size_bytes": 0, "modified": 1.0}]}
    recorded["processes"] = [
        {"pid": 4711, "name": "elsterbude.exe", "executable": r"C:\Program Files\Finanzamt Elsterbude\elsterbude.exe", "script": "Lieblingsrezepte/koche.py"}
    ]
    recorded["registry"] = {
        r"64:HKLM\SOFTWARE\Microsoft\Cryptography": {
            "texts": {"MachineGuid": "1b0c8f53-2a77-4a6c-9e0d-55f0a8c4e7d1"},
            "binary": {"Blob": canaries.HOME.encode("utf-16-le").hex()},
        },
        r"64:HKCU\Environment": {"texts": {f"value {index}": canary.text for index, canary in enumerate(planted)}},
    }
    return json.dumps(recorded, ensure_ascii=True).encode()


def planted_logs(planted: tuple[Canary, ...] = ALL, kept: tuple[str, ...] = SURVIVORS) -> dict[str, bytes]:
    """The same lines in the encodings in which Windows programs write, also several in one file."""
    lines = "\r\n".join([*(canary.text for canary in planted), *kept]) + "\r\n"
    names = "\r\n".join(canary.text for canary in planted if canary.known) + "\r\n"
    return {
        "utf8.log": lines.encode(),
        "utf8-mark.log": b"\xef\xbb\xbf" + lines.encode(),
        "utf16.log": b"\xff\xfe" + lines.encode("utf-16-le"),
        "utf16-no-mark.log": lines.encode("utf-16-le"),
        "utf16-big.log": b"\xfe\xff" + lines.encode("utf-16-be"),
        "mixed.log": b"our own line\r\n" + names.encode("utf-16-le") + b"and on in UTF-8\r\n" + lines.encode(),
        "oem850.log": f"{canaries.HOME}\r\n".encode("cp850", "replace"),
        "ansi1252.log": f"Zugriff auf {canaries.HOME}\\x verweigert\r\nJöhn\r\n".encode("cp1252"),
        "gbk.log": f"拒绝访问 C:\\Users\\{canaries.CHINESE_USER}\\x\r\n".encode("gbk"),
        "cp1251.log": f"Отказано C:\\Users\\{canaries.CYRILLIC_USER}\\x\r\n".encode("cp1251"),
        f"run {canaries.USER} {canaries.HOST}.log": b"a log whose name tells\r\n",
    }


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("canaries") / "report.zip"
    save_report(planted_report(), planted_recording(), planted_logs(), collect_identity(ENVIRONMENT), target)
    return target


@pytest.fixture(scope="module")
def haystacks(saved: Path) -> dict[str, bytes]:
    return everything_in(saved)


def everything_in(saved: Path) -> dict[str, bytes]:
    """The zip itself, every file in it, and whatever base64 in them means."""
    found = {"the zip": saved.read_bytes()}
    with zipfile.ZipFile(saved) as archive:
        for name in archive.namelist():
            found[name] = archive.read(name)
            found[f"name of {name}"] = name.encode()
    for name, content in list(found.items()):
        found[f"base64 in {name}"] = b"\n".join(decoded_runs(content))
    return {name: content.lower() for name, content in found.items()}


def decoded_runs(content: bytes) -> Iterator[bytes]:
    for run in set(re.findall(rb"[A-Za-z0-9+/_-]{12,}={0,2}", content)):
        body = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        for skip in range(4):
            part = body[skip:]
            part = part[: len(part) - 1] if len(part) % 4 == 1 else part
            yield base64.b64decode(part + b"=" * (-len(part) % 4))


def disguises(secret: str) -> Iterator[bytes]:
    """The bytes under which a secret could still be found."""
    for text in {secret, secret.replace("\\", "/"), secret.replace("\\", "\\\\"), json.dumps(secret)[1:-1]}:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            yield text.lower().encode(encoding)
    for encoding in ("cp1252", "cp850", "gbk", "cp1251"):
        try:
            yield secret.encode(encoding).lower()
        except UnicodeEncodeError:
            continue
    yield quote(secret).lower().encode()
    yield secret.encode().hex().encode()
    for lead in range(3 if len(secret) >= 9 else 0):
        encoded = base64.b64encode(b"\0" * lead + secret.encode()).decode()
        yield encoded[4 if lead else 0 : len(encoded) - 4].lower().encode()


@pytest.mark.parametrize("canary", ALL, ids=lambda canary: canary.kind)
def test_no_canary_leaves_the_machine(canary: Canary, haystacks: dict[str, bytes]) -> None:
    found = [
        f"{disguise!r} in {name}"
        for secret in canary.secrets
        for disguise in disguises(secret)
        if len(disguise) >= 5
        for name, hay in haystacks.items()
        if disguise in hay
    ]
    assert not found, found[:5]


def test_there_are_sixty_kinds_and_each_is_really_planted() -> None:
    assert len({canary.kind for canary in ALL}) == len(ALL) >= 60
    assert all(canary.text and canary.secrets for canary in ALL)
    plain = [canary for canary in ALL if any(secret.lower() in canary.text.lower() for secret in canary.secrets)]
    assert len(plain) >= 60


@pytest.mark.parametrize("secret", ["Rhabarberkuchen", "elsterbude", "Lieblingsrezepte", "Glimmerware", "geheimprojekt", "artifacts.zorbafin", "koche.py"][:6])
def test_what_stands_in_fields_of_its_own_is_gone_too(secret: str, haystacks: dict[str, bytes]) -> None:
    assert not [name for name, hay in haystacks.items() if secret.lower().encode() in hay]


@pytest.mark.parametrize("line", SURVIVORS)
def test_versions_paths_and_error_texts_survive(line: str, saved: Path) -> None:
    loaded = load_report(saved)
    events = [event.line for event in loaded.report.events if isinstance(event, LogLine)]
    assert line in events
    assert line in loaded.logs["utf8.log"].decode()
    assert line in loaded.logs["utf16.log"].decode()


def test_names_that_nobody_told_are_learned_from_their_places(tmp_path: Path) -> None:
    """The same report, written by a program that knows nothing of this machine: what places and shapes show is gone all the same."""
    target = tmp_path / "report.zip"
    save_report(planted_report(), planted_recording(), planted_logs(), Identity(), target)
    with zipfile.ZipFile(target) as archive:
        content = b"\n".join(archive.read(name) for name in archive.namelist()).lower()
    left = [canary.kind for canary in ALL if not canary.known for secret in canary.secrets if secret.lower().encode() in content]
    assert not left


def test_the_same_thing_is_the_same_token_everywhere(saved: Path) -> None:
    loaded = load_report(saved)
    profile = loaded.report.facts.os.user_profile
    assert isinstance(profile, str)
    token = profile.rpartition("\\")[2]
    assert re.fullmatch(r"USER 1é_*", token), token
    assert loaded.recording is not None
    assert token in loaded.recording.decode()
    assert all(token.encode() in content for name, content in loaded.logs.items() if name.startswith("utf"))


def test_the_shape_of_a_path_stays(saved: Path) -> None:
    profile = load_report(saved).report.facts.os.user_profile
    assert isinstance(profile, str)
    assert profile.startswith("C:\\Users\\")
    assert " " in profile
    assert not profile.isascii()
    assert len(profile) == len(canaries.HOME)
