"""The redactor: learns what is private from an identity and from the texts themselves, then replaces it everywhere."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

from app.report.redact.encoded import MAX_DEPTH, base64_runs, hex_runs, is_readable_base64, percent_runs
from app.report.redact.forms import encoded_bytes, short_names, writings
from app.report.redact.identity import Identity
from app.report.redact.matching import ANYWHERE, is_unlike_text, is_word, stands_alone
from app.report.redact.path_bounds import is_whole_path
from app.report.redact.places import Places
from app.report.redact.reading import text_of
from app.report.redact.shapes import Shapes, opaque_runs
from app.report.redact.tokens import Tokens, is_ideographic, is_token
from app.report.redact.words import is_common, is_distinctive_folder, is_public_host

LEFT_OUT: Final = "[line left out]"
SEPARATOR: Final = "\n\ue000\n"
_KIND_OF: Final = {
    "homes": "USER",
    "users": "USER",
    "people": "NAME",
    "organisations": "ORG",
    "domains": "DOMAIN",
    "hosts": "HOST",
    "emails": "EMAIL",
    "identifiers": "ID",
}
_CODE_KEYS: Final = frozenset(
    {
        "schema",
        "type",
        "code",
        "kind",
        "family",
        "arch",
        "vendor",
        "encoding",
        "failure",
        "source",
        "verdict",
        "route",
        "status",
        "severity",
        "outcome",
        "level",
    }
)
_CODE: Final = re.compile(r"^[a-z0-9][a-z0-9._/-]{0,80}$")
_FREE_NAMES: Final = frozenset({"packages", "user_site_packages", "imports", "tools"})
"""Mappings whose keys are names of packages and programs, never of private things."""

_VERSION_KEYS: Final = ("version", "runtime", "kernel", "release", "toolset", "windows_sdk", "cuda", "before", "after", "python", "driver")
_VERSION: Final = re.compile(r"^v?\d+(?:\.\d+)+[-+._ \w]*$")

_NAME: Final = re.compile(r"^[^:;|<>=\"\r\n\t]{1,120}$")
_INNER_ENDS: Final = frozenset({"local", "lan", "corp", "internal", "intern", "intra", "intranet", "home", "localdomain", "private", "ad"})
_INNER_HOST: Final = re.compile(
    r"^(?:nexus|artifact(?:ory|s)?|proxy|pypi|git(?:lab|ea)?|mirror|repo|registry|packages|vpn|dc\d*|srv\d*|ldap|wsus|devpi|cache)\d*$"
)
_MAX_SECRETS: Final = 2000
_MAX_FOLDERS: Final = 300
"""So many folder names are looked for outside paths too; in a path every one is replaced."""


class Redactor:
    """One for a report. `study` every text first, then rewrite: so a name seen in one place is replaced in all.

    `kept` are folder names (any case) that stay because packages, toolkits and compilers are called so.
    """

    def __init__(self, identity: Identity | None = None, kept: Iterable[str] = ()) -> None:
        self._tokens = Tokens()
        self._forms: dict[str, str] = {}
        self._bytes: dict[bytes, None] = {}
        self._short_bytes: dict[bytes, None] = {}
        self._secrets: dict[str, str] = {}
        self._known: set[tuple[str, str]] = set()
        self._kept = frozenset(name.casefold() for name in kept)
        self._places = Places(self._tokens, self._kept, self._learn)
        self._shapes = Shapes(self._tokens, self._learn)
        self._memory: dict[str, str] = {}
        self._is_frozen = False
        self._folders_left = _MAX_FOLDERS
        self._is_identifying = True
        self._identify(identity or Identity())
        self._is_identifying = False

    def study(self, texts: Iterable[str]) -> None:
        """Learns names from the places where they stand, and which tokens are taken already."""
        unique = dict.fromkeys(texts)
        for text in unique:
            self._tokens.reserve(text)
        unique = dict.fromkeys(self._places.whole(text) if is_whole_path(text) else text for text in unique)
        self._core(SEPARATOR.join(text.replace("\ue000", "") for text in unique), 0)
        self._memory.clear()

    def freeze(self) -> None:
        """Ends learning: from here on the same text gives the same result, whatever comes between."""
        self._is_frozen = True
        self._memory.clear()

    def text(self, text: str) -> str:
        """A text with everything private replaced. Doing it twice changes nothing more."""
        if not text or text.isspace():
            return text
        known = self._memory.get(text)
        if known is None:
            known = self._memory[text] = self._last_look(self._core(text.replace("\ue000", ""), 0))
        return known

    def _last_look(self, text: str) -> str:
        """The text without the lines that still hold a name, in whatever form it stands there."""
        if not self.holds_name(text.encode("utf-8", "surrogateescape")):
            return text
        lines = text.split("\n")
        return "\n".join(LEFT_OUT if self.holds_name(line.encode("utf-8", "surrogateescape")) else line for line in lines)

    def texts(self, texts: Iterable[str]) -> dict[str, str]:
        """Many texts at once, each to what it becomes and stays: a thousand short ones cost as much as one long one."""
        unique = [text for text in dict.fromkeys(texts) if "\ue000" not in text]
        originals = unique
        unique = [self._places.whole(text) if is_whole_path(text) else text for text in unique]
        changed = self._last_look(self._core(SEPARATOR.join(unique), 0)).split(SEPARATOR)
        if len(changed) != len(unique):
            return {text: self.text(text) for text in originals}
        shown = dict(zip(originals, changed, strict=True))
        self._memory |= shown
        return shown

    def document(self, document: Any) -> Any:
        """Parsed JSON with every text and every key replaced."""
        found: dict[str, None] = {}
        _collect(document, found)
        return self._rebuilt(document, "", "", self.texts(found))

    def file_name(self, name: str) -> str:
        """The name of a file in the report."""
        return re.sub(r"[^\w.+-]", "_", self.text(name))[:100].lstrip(".") or "file"

    def listed(self, folder: str, name: str) -> str:
        """A name that was listed in a folder."""
        return self._places.name(folder, name)

    def host(self, name: str) -> str:
        """The name of a server."""
        return self._places.host(name)

    def program(self, name: str) -> str:
        """The file name of a program that belongs to others."""
        return self._places.program(name)

    def relative(self, path: str) -> str:
        """A path without its beginning."""
        return self._places.relative(path)

    def hidden(self, value: str) -> str:
        """A value that is not shown at all; the same value is the same token."""
        return self._tokens.get("VALUE", value) if value else value

    def holds_name(self, content: bytes) -> bool:
        """Whether bytes hold one of the names or secrets in a common encoding."""
        low = content.lower()
        return any(form in low for form in self._bytes) or any(form in low and is_word(low, form) for form in self._short_bytes)

    # --- learning -------------------------------------------------------------------------------------------------

    def _identify(self, identity: Identity) -> None:
        for secret in sorted(identity.secrets, key=len, reverse=True):
            self._keep_secret(secret, self._tokens.get("SECRET", secret))
        for user in identity.users:
            self._learn("USER", user)
        for home in identity.homes:
            self._learn("USER", re.split(r"[\\/]", home.rstrip("\\/"))[-1])
        for field, kind in _KIND_OF.items():
            for value in () if field in {"homes", "users"} else getattr(identity, field):
                self._learn(kind, value)

    def _learn(self, kind: str, name: str) -> None:
        if self._is_frozen or (kind, name) in self._known:
            return
        name = name.strip()
        if not name or (kind, name) in self._known or is_token(name) or not _NAME.match(name):
            return
        self._known.add((kind, name))
        token = self._tokens.get(kind, name)
        if kind in {"SECRET", "ID"}:
            if is_unlike_text(name) and len(self._secrets) < _MAX_SECRETS:
                self._keep_secret(name, token)
            return
        if kind in {"USER", "PART", "ORG"}:
            self._places.stems |= {stem: token for stem in short_names(name) if stem not in self._places.stems}
        if kind == "PART":
            if is_distinctive_folder(name) and self._folders_left:
                self._folders_left -= 1
                self._add(name, token)
            return
        is_server = kind in {"HOST", "DOMAIN"}
        if (is_common(name) and not (is_server and "." in name.strip("."))) or (is_server and is_public_host(name)):
            return
        self._add(name, token)
        self._learn_parts(kind, name, token)

    def _keep_secret(self, secret: str, token: str) -> None:
        forms = (secret, quote(secret, safe=""), quote(secret), secret.encode("unicode_escape").decode(), json.dumps(secret)[1:-1])
        self._secrets |= dict.fromkeys(forms, token)
        self._bytes |= dict.fromkeys(encoded_bytes(secret))
        self._memory.clear()

    def _learn_parts(self, kind: str, name: str, token: str) -> None:
        if kind in {"USER", "NAME", "ORG"}:
            for part in re.split(r"[\s._-]+", name):
                if part != name and len(part) >= (2 if is_ideographic(part) else 4) and not is_common(part):
                    self._tokens.same(kind, part, token)
                    self._add(part, token)
        elif kind == "EMAIL":
            local, _, host = name.partition("@")
            self._learn("USER", local)
            if host and not is_public_host(host):
                self._learn("DOMAIN", host)
        elif kind in {"HOST", "DOMAIN"} and "." in name and not re.fullmatch(r"[\d.]+", name):
            labels = name.lower().split(".")
            # A host nobody told us of may be a project's home page, whose name is a package's too.
            if not self._is_identifying and labels[-1] not in _INNER_ENDS and not _INNER_HOST.match(labels[0]):
                return
            if len(labels) >= 3:
                self._learn("DOMAIN", ".".join(labels[1:]))
            if len(labels[-2]) >= 4 and not is_common(labels[-2]):
                self._learn("ORG", labels[-2])

    def _add(self, name: str, token: str) -> None:
        if name.casefold() in self._kept:
            return
        for form in writings(name):
            self._forms.setdefault(form.lower(), token)
        self._forms |= {f"{stem.lower()}~{number}": token for stem in short_names(name) for number in range(1, 5)}
        for encoded in encoded_bytes(name):
            (self._bytes if len(encoded) >= ANYWHERE or not encoded.isascii() else self._short_bytes)[encoded] = None
        self._memory.clear()

    # --- rewriting ------------------------------------------------------------------------------------------------

    def _core(self, text: str, depth: int) -> str:
        for secret, token in self._secrets.items():
            if secret in text:
                text = text.replace(secret, token)
        text = self._shapes.secrets(text)
        text = self._places.addresses(text)
        text = self._places.mailboxes(text)
        text = self._names(text)
        text = self._places.rewrite(text)
        text = self._shapes.identifiers(text)
        if depth < MAX_DEPTH:
            text = percent_runs(text, lambda plain: self._core(plain, depth + 1), depth)
            rewrite: Callable[[bytes], bytes] = lambda content: self._bytes_like(content, depth + 1)  # noqa: E731 - one line, used twice
            text = base64_runs(text, rewrite, self.holds_name, self._hide)
            text = hex_runs(text, rewrite, self.holds_name, self._hide)
        return self._opaque(text)

    def _hide(self, run: str) -> str:
        return self._tokens.get("SECRET", run)

    def _names(self, text: str) -> str:
        low = text.lower()
        present = [form for form in self._forms if form in low]
        if not present:
            return text
        if len(low) != len(text):  # a few letters have no lower-case form of one sign
            return "".join(self._names(sign) if sign.lower() == sign else sign for sign in re.split("([\u0130]+)", text)) if "\u0130" in text else text
        spans: dict[int, tuple[int, str]] = {}
        taken = bytearray(len(text))
        for form in sorted(present, key=lambda form: (-len(form), form)):
            at = low.find(form)
            while at != -1:
                end = at + len(form)
                if stands_alone(low, at, end, form) and not any(taken[at:end]):
                    spans[at] = (end, self._forms[form])
                    taken[at:end] = b"\1" * len(form)
                at = low.find(form, at + 1)
        out, position = [], 0
        for start in sorted(spans):
            end, token = spans[start]
            out += [text[position:start], token]
            position = end
        return "".join([*out, text[position:]])

    def _opaque(self, text: str) -> str:
        out, position = [], 0
        for match in opaque_runs(text, is_readable_base64):
            out += [text[position : match.start()], self._hide(match[0])]
            position = match.end()
        return "".join([*out, text[position:]])

    def _bytes_like(self, content: bytes, depth: int) -> bytes:
        text, encoding = text_of(content)
        changed = self._core(text, depth)
        if changed == text:
            return content
        return changed.encode("utf-8" if encoding == "mixed" else encoding, "surrogateescape" if encoding in {"utf-8", "mixed"} else "replace")

    def _rebuilt(self, value: Any, key: str, parent: str, changed: Mapping[str, str]) -> Any:
        if isinstance(value, str):
            if key in _CODE_KEYS and _CODE.match(value):
                return value
            if (parent in _FREE_NAMES or key.endswith(_VERSION_KEYS)) and _VERSION.match(value):
                return value
            named = None if parent in _FREE_NAMES else self._shapes.value_of(key, value)
            return named if named is not None else changed.get(value, value) if value in changed else self.text(value)
        if isinstance(value, list):
            return [self._rebuilt(item, key, parent, changed) for item in value]
        if isinstance(value, dict):
            return {changed.get(name, name) if name in changed else self.text(name): self._rebuilt(item, name, key, changed) for name, item in value.items()}
        return value


def _collect(value: Any, into: dict[str, None]) -> None:
    if isinstance(value, str):
        into[value] = None
    elif isinstance(value, list):
        for item in value:
            _collect(item, into)
    elif isinstance(value, dict):
        for name, item in value.items():
            into[name] = None
            _collect(item, into)
