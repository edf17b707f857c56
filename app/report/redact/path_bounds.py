"""Where paths begin and end inside a text that is no path: nothing but their surroundings tells."""

import re
from typing import Final

from app.report.redact.tokens import TOKEN

_SCHEME: Final = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:$")
_ROOTS: Final = (
    "home|root|mnt|media|opt|srv|var|usr|etc|tmp|run|Users|Volumes|Library|Applications|data|workspace|work|content|app|snap|nix|export|net"
    "|storage|scratch|projects"
)
_ROOT: Final = re.compile(rf"(?:{_ROOTS}|cygdrive)(?=/)|[A-Za-z](?=/(?i:users)/)")
_DEVICE: Final = re.compile(r"[?.]\\{1,4}(?=UNC\\|[A-Za-z]:)")
_SHARE: Final = re.compile(r"[\w$.-]{1,64}[\\/]+[\w$]")
_HOME: Final = re.compile(r"(?i)(?:Users|home|Documents and Settings|Benutzer|Utilisateurs|Usuarios|用户|用戶)[\\/]+[^\\/\s]")
_ENDS: Final = re.compile(r"[:*?\"<>|\r\n\t;\x00-\x08\x0b-\x1f，。；：、（）「」“”《》\ue000]")
_INFLECTED: Final = frozenset(
    re.findall(r"\w+", "and or to in into from with is are was not the of on at for as by a an it that because does did has could cannot")
)
_SYSTEM_ROOTS: Final = frozenset({"windows", "usr", "etc", "sys", "proc", "dev", "lib", "lib64", "bin", "sbin", "boot", "run"})
_SEPARATOR: Final = re.compile(r"[\\/]+")


def is_system_folder(names: list[str]) -> bool:
    """Whether a path leads into what every installation of the system has."""
    folders = [name.casefold() for name in (names[1:] if names[0] == "" or names[0].endswith(":") else names)]
    return bool(folders) and folders[0] in _SYSTEM_ROOTS and folders[:2] != ["usr", "local"]


def kind_of_path(text: str, at: re.Match[str], least: int) -> tuple[str | None, int]:
    """What begins at these separators, seen by what stands before and behind them, and where its names begin."""
    start, end, run = at.start(), at.end(), at[0]
    before = text[max(start - 24, least) : start]
    last = before[-1:]
    if last == ":":
        if len(run) >= 2 and run.replace("\\", "").startswith("//") and _SCHEME.search(before):
            return "url", start + (2 if run.startswith("//") else len(run))
        if before[-2:-1].isalpha() and before[-2:-1].isascii() and not before[-3:-2].isalnum():
            return "drive", end
        if _SCHEME.search(before):
            return None, end
    if len(run) >= 2 and run[0] == "\\" and _DEVICE.match(text, end) and not last.isalnum():
        device = _DEVICE.match(text, end)
        return "device", device.end() if device else end
    if len(run) >= 2 and run[0] == run[1] and not (last.isalnum() or (last and last in "_:/.")) and _SHARE.match(text, end):
        return "share", end
    if run == "/" and not (last.isalnum() or (last and last in "_.~)]}>*-")) and _ROOT.match(text, end):
        return "slash", end
    if _HOME.match(text, end) and not (last.isalnum() or (last and last in "_.")):
        return "named", end
    return None, end


def end_of_path(text: str, start: int, begin: int) -> int:
    """Where a path ends: at its closing quote, else where its names stop looking like names of folders."""
    stop = _ENDS.search(text, _after_drive(text, begin))
    limit = min(stop.start() if stop else len(text), begin + 1000)
    opening = _opening(text, start)
    if opening and (closing := text.find(opening, begin, limit + 1)) != -1 and not (opening == "'" and text[closing + 1 : closing + 2].islower()):
        return closing
    position = begin
    while position < limit:
        separator = _SEPARATOR.match(text, position)
        position = separator.end() if separator else position
        following = _SEPARATOR.search(text, position, limit)
        end = following.start() if following else limit
        name = text[position:end]
        token = TOKEN.match(name)
        if token and token.end() == len(name):
            position = end
            continue
        if not following:
            return position + _end_of_name(name, is_whole=stop is not None and stop.start() == limit and text[limit] in '"<|')
        if re.search(r"\s", name) and not _is_folder_of_words(name, text[following.start()] == "\\"):
            return position + _end_of_name(name, is_whole=False)
        position = end
    return limit


def is_whole_path(text: str) -> bool:
    """Whether a text of its own is a path from its first sign to its last, blanks included."""
    if len(text) > 400 or not _WHOLE.match(text):
        return False
    parts = _SEPARATOR.split(text)[1:]
    return all(" " not in part or _is_folder_of_words(part, is_backslash=True) or _NAMED_FILE.match(part) for part in parts)


_WHOLE: Final = re.compile(
    r"^(?:[A-Za-z]:[\\/]|\\\\[\w?.$-]|/(?:home|root|mnt|media|opt|srv|usr|etc|tmp|Users|Volumes|data|work|workspace)/)[^:*?\"<>|\r\n\t;]*$"
)
_NAMED_FILE: Final = re.compile(r"^[^ ]+(?: [^ ]+){1,4}\.\w{2,11}$")


def _after_drive(text: str, begin: int) -> int:
    """Past a drive letter that stands behind a device prefix, whose colon ends no path."""
    return begin + 2 if text[begin + 1 : begin + 2] == ":" else begin


def _opening(text: str, start: int) -> str:
    """The quote before a path that begins with a drive letter or a separator at `start`; empty where there is none."""
    before = text[max(start - 3, 0) : start]
    if before.endswith(":"):
        before = before[:-2]
    return before[-1:] if before[-1:] in ('"', "'", "`") else ""


def _is_folder_of_words(name: str, is_backslash: bool) -> bool:
    words = name.split(" ")
    if len(name) > 64 or len(words) > 7 or "" in words[:1] or name != name.strip():
        return False
    if name.casefold() in {"program files", "program files (x86)", "documents and settings"}:
        return True
    if any(word.startswith("-") and len(word) > 1 for word in words) or re.search(r"(?:\.\w{2,4}|,)\s", name) or "=" in name:
        return False
    return is_backslash and not any(word in _INFLECTED for word in words[1:])


def _end_of_name(name: str, is_whole: bool) -> int:
    """Where the last name ends inside the text that follows the last separator."""
    token = TOKEN.match(name)
    if token:
        name = name[token.end() :]
        blank = re.search(r"[\s'\"`,]", name)
        return token.end() + (blank.start() if blank else len(name.rstrip(".,)]}'\"")))
    if (
        is_whole
        and len(name) <= 80
        and (re.search(r"\.\w{1,11}$", name) or _is_folder_of_words(name, True))
        and not any(word in _INFLECTED for word in name.split())
    ):
        return len(name)
    spaced = re.match(r"^(?=[^\s]+ )[\w .&()'+-]{3,60}?\.(?:exe|msi|bat|lnk|safetensors|ckpt|gguf|png|docx?|pdf|zip)\b", name)
    if spaced and not any(word in _INFLECTED or word.startswith("-") for word in spaced[0].split()) and not re.search(r"\.\w{2,4} ", spaced[0]):
        return spaced.end()
    blank = re.search(r"[\s'`,]", name)
    return len((name[: blank.start()] if blank else name).rstrip(".,)]}'\""))
