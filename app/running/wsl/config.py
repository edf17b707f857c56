"""Edits `.wslconfig` by key. The file belongs to the person: comments, order and foreign keys stay, and so do line ends.

Keys and meanings: learn.microsoft.com/windows/wsl/wsl-config.
"""

import re
from typing import Final

_SECTION: Final = re.compile(r"\s*\[([^\]]*)\]\s*(?:[#;].*)?$")
_KEY: Final = re.compile(r"(\s*)([A-Za-z0-9_.-]+)(\s*=\s*)([^#;]*?)(\s*(?:[#;].*)?)$")


def read_keys(content: str, section: str) -> dict[str, str]:
    """The keys of a section, lower-cased as WSL compares them, the last one winning."""
    found: dict[str, str] = {}
    current = ""
    for line in content.lstrip("\ufeff").splitlines():
        if match := _SECTION.match(line):
            current = match[1].strip().lower()
        elif current == section.lower() and (match := _KEY.match(line)):
            found[match[2].lower()] = match[4].strip()
    return found


def set_keys(content: str, section: str, values: dict[str, str]) -> str:
    """`content` with the keys of `section` set; adds the section at the end where it is missing."""
    newline = "\r\n" if "\r\n" in content or not content else "\n"
    lines = content.splitlines()
    missing = {key.lower(): (key, value) for key, value in values.items()}
    result: list[str] = []
    current, last_of_section = "", -1
    for line in lines:
        changed = line
        if match := _SECTION.match(line.lstrip("\ufeff")):
            current = match[1].strip().lower()
        elif current == section.lower() and (match := _KEY.match(line)):
            key = match[2].lower()
            if key in {name.lower() for name in values}:
                wanted = next(value for name, value in values.items() if name.lower() == key)
                changed = f"{match[1]}{match[2]}{match[3]}{wanted}{match[5]}"
                missing.pop(key, None)
        result.append(changed)
        if current == section.lower() and line.strip():
            last_of_section = len(result)
    added = [f"{key}={value}" for key, value in missing.values()]
    if added and last_of_section < 0:
        result += ([""] if result and result[-1].strip() else []) + [f"[{section}]", *added]
    else:
        result[last_of_section:last_of_section] = added
    return newline.join(result) + newline
