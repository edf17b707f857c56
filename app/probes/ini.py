"""Settings files of the form `[section]` and `key = value`, read line by line: a damaged line costs itself only.

The standard library's parser refuses the whole file for one bad line, and fails on some spoiled ones.
"""

from collections.abc import Iterator


def settings_of(text: str) -> Iterator[tuple[str, str, str]]:
    """Section, key in lower case, value; comments (# and ;) are left out, also behind a value."""
    section = ""
    for line in text.lstrip("\ufeff").splitlines():
        plain = line.split(" #")[0].strip()
        if plain.startswith("[") and plain.endswith("]"):
            section = plain[1:-1].strip().lower()
        elif plain and plain[0] not in "#;":
            key, equals, value = plain.partition("=")
            if equals:
                yield section, key.strip().lower(), value.strip()
