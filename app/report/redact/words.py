"""What is no secret: words that technical texts are made of, folder names everybody has, hosts everybody knows."""

import re
import sys
import unicodedata
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import Final

from app.host import answers, recording_values
from app.model import events, facts, findings, plan, proof, report
from app.resources import assets

SHORT_NAME: Final = 4
"""A name of fewer ASCII letters is replaced only where its place shows that it is a name."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_PLACE: Final = re.compile(r"\(\d+(?:,\d+)?\)?$")
"""A line number as compilers write it behind a file name."""

_CODE_SUFFIX: Final = re.compile(
    r"(?i)\.(?:py|pyi|pyc|pyd|dll|so(?:\.\d+)*|c|cc|cpp|cxx|cu|cuh|h|hpp|inl|def|lib|exp|a|o|obj|ptx|cubin|ttir|ttgir|llir|ll|whl|tar\.gz|metadata"
    r"|toml|cfg|ini|pth|_pth|bat|cmd|ps1|sh|yaml|yml|lock|ninja|cmake|rsp|log|sys|inf|ttf|jsonl)$"
)
_PRIVATE_SUFFIX: Final = re.compile(
    r"(?i)\.(?:safetensors|ckpt|pt|pth|gguf|bin|onnx|png|jpe?g|webp|gif|mp4|mov|mkv|wav|mp3|docx?|xlsx?|pptx?|pdf|txt|csv|zip|7z|rar|psd|blend|json)$"
)
_GENERIC_FOLDER: Final = re.compile(
    r"(?i)^(?:(?:c?python|pypy|py)[-_ ]?\d[\w.+-]*|[\w.]+_8wekyb3d8bbwe|microsoft\.[\w.]+|pythonsoftwarefoundation\.[\w.]+"
    r"|v?\d[\d.,_-]*[a-z]{0,6}\d*|cp\d+\w*|tmp\w{4,12}|pip-[a-z-]+-\w{6,10}|pip-[.…]+-\w+|_mei\d+|[0-9a-f]{8,}|[a-z2-7]{40,}"
    r"|.+\.(?:dist-info|egg-info|egg-link|data)|(?:lib|temp|bdist)\.[a-z0-9_]+[\w.-]*|cu(?:da)?[-_]?v?\d[\w.]*|sm_?\d+\w?"
    r"|\.?[a-z0-9]{1,3}|~[a-z]+|lib(?:cuda|nv|cu|torch|c|stdc|python)[\w.+-]*|\*[\w.*-]*|[~.]+)$"
)


def _lines(name: str) -> list[str]:
    text = (assets() / "report" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def common_words() -> frozenset[str]:
    """Lower-case words of technical texts, of Python's own modules, and of our sentences and codes, so that none of them breaks."""
    modules = {part for name in sys.stdlib_module_names for part in name.casefold().split("_")}
    catalogue = {word for area in (assets() / "i18n").glob("*.toml") for word in re.findall(r"[a-z]{3,}", area.read_text(encoding="utf-8").casefold())}
    return frozenset(word for line in _lines("common_words.txt") for word in line.split()) | modules | catalogue | _model_words()


def _model_words() -> frozenset[str]:
    """Names of fields and of the words our own documents are made of: a person called like one must not break a document."""
    found: set[str] = set()
    for module in (answers, recording_values, events, facts, findings, plan, proof, report):
        for value in vars(module).values():
            if isinstance(value, type) and is_dataclass(value):
                found.update(field.name for field in fields(value))
                found.update(word for field in fields(value) for word in re.findall(r"'([a-z][\w-]*)'", str(field.type)))
            elif isinstance(value, type) and issubclass(value, Enum):
                found.update(str(member.value) for member in value)
    return frozenset(part for name in found for part in re.split(r"[_-]", name.casefold()))


@cache
def _folders() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    known, revealing, personal = set[str](), set[str](), set[str]()
    for line in _lines("folders.txt"):
        names = line.lstrip("<>").split("|")
        known.update(names)
        if line.startswith(">"):
            revealing.update(names)
        if line.startswith("<"):
            personal.update(names)
    return frozenset(known), frozenset(revealing), frozenset(personal)


@cache
def _folder_words() -> tuple[frozenset[str], frozenset[str]]:
    """Words that mark a folder as one of ours to look at, and words that may stand beside them."""
    telling, beside = (frozenset(line.split()) for line in _lines("folder_words.txt"))
    return telling, beside


@cache
def _public_hosts() -> frozenset[str]:
    return frozenset(host for line in _lines("public_hosts.txt") for host in line.split())


def is_common(name: str) -> bool:
    """Whether replacing this name wherever its letters stand would destroy technical text."""
    runs = _LETTERS.findall(unicodedata.normalize("NFC", name).casefold())
    if not runs or (name.isascii() and sum(map(len, runs)) < SHORT_NAME) or len(name) < 2:
        return True
    return all(run in common_words() or len(run) == 1 for run in runs)


def is_distinctive_folder(name: str) -> bool:
    """Whether a folder's name is unlike any word, so that it can be replaced outside paths too."""
    if is_common(name) or len(name) < 6:
        return False
    return not name.isascii() or bool(re.search(r"[a-z][A-Z]|[A-Za-z]{3}\d|\d[A-Za-z]{3}|[A-Za-z]{3}[-_ .&'][A-Za-z]{3}", name))


@lru_cache(20_000)
def is_known_folder(name: str) -> bool:
    """Whether a name inside a path says nothing about a person or another program."""
    low = name.casefold()
    if low in _folders()[0] or _GENERIC_FOLDER.match(low):
        return True
    runs = _LETTERS.findall(low)
    telling, beside = _folder_words()
    return any(run in telling for run in runs) and all(run in telling or run in beside or len(run) < 3 for run in runs)


@lru_cache(20_000)
def reveals_below(name: str) -> bool:
    """Whether all that lies below this folder belongs to Python, Triton, a compiler or Windows."""
    low = name.casefold()
    return low in _folders()[1] or low.startswith("torchinductor_") or re.match(r"python\d", low) is not None


@lru_cache(20_000)
def is_personal(name: str) -> bool:
    """Whether a person's own files lie below this folder."""
    return name.casefold() in _folders()[2]


def is_code_file(name: str) -> bool:
    """Whether a file name is of the kind that error texts need."""
    return _CODE_SUFFIX.search(_PLACE.sub("", name)) is not None


def is_private_file(name: str) -> bool:
    """Whether a file of this kind is a person's own work, a model or a document, wherever it lies."""
    return _PRIVATE_SUFFIX.search(name) is not None


def is_public_host(host: str) -> bool:
    """Whether the host, or a domain it belongs to, is one that everybody knows."""
    low = host.casefold().rstrip(".")
    labels = low.split(".")
    return any(".".join(labels[i:]) in _public_hosts() for i in range(len(labels)))
