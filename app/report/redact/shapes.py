"""Secrets and identifiers by their shape, or by what stands before them: no list of known values is needed."""

import ipaddress
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from app.report.redact import outputs, patterns
from app.report.redact.lines import on_lines
from app.report.redact.tokens import TOKEN, Tokens
from app.report.redact.words import is_known_folder, is_public_host

_Rules = tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[[re.Match[str]], str]], ...]


class Shapes:
    """Replaces secrets and identifiers of a text. `learn(kind, name)` is told names that a label showed."""

    def __init__(self, tokens: Tokens, learn: Callable[[str, str], None]) -> None:
        self._tokens = tokens
        self._learn = learn
        # What must stand in a text (lower-case) before a slower pattern is worth trying, the pattern, and what it does.
        self._spoken_secrets: _Rules = (
            (("ssh-", "ecdsa-"), patterns.PUBLIC_KEY, self._whole("SECRET")),
            (("authorization", "cookie", "x-", "private-token"), patterns.HEADER, lambda m: m["key"] + m["between"] + self._secret(m["value"])),
            (("machine",), patterns.NETRC, self._netrc),
            (("pass", "kennwort", "contras", "密码", "パスワード"), patterns.SPOKEN, lambda m: m["key"] + self._secret(m["value"])),
            (
                ("-pass", "-token", "key", "-secret", "-auth", "-access", "-hf", "-private", "-client", "-proxy", "-user", "-login"),
                patterns.ARGUMENT,
                self._argument,
            ),
            (("/user:", "net use", "/pass", "sshpass", "cmdkey"), patterns.NET_USE, lambda m: m["key"] + self._secret(m["value"])),
            (("curl",), patterns.CURL_USER, lambda m: m["key"] + self._secret(m["value"])),
        )
        self._spoken_identifiers: _Rules = (
            (("reg_",), patterns.REGISTRY, self._label),
            (("serial", "uuid", "identifying", "machineguid", "processorid", "pnpdevice"), patterns.COLUMN, lambda m: m["head"] + self._id(m["value"])),
            (("seri", "série", "卷的", "序列", "シリアル", "серийн"), patterns.VOLUME, lambda m: m["key"] + self._id(m["value"])),
            (("linux ",), patterns.UNAME, lambda m: f"Linux {self._named('HOST', m['host'])} "),
            (("\\",), patterns.ACCOUNT, self._account),
            (("\\",), patterns.WHOAMI, self._whoami),
            (("-",), patterns.GUID, self._guid),
            (("gpu-", "mig-"), patterns.GPU_SHORT, self._whole("ID")),
            (("s-1-",), patterns.SID, self._whole("ID")),
            (("-",), patterns.PRODUCT, self._whole("ID")),
            ((":", "-", "."), patterns.MAC, self._mac),
            ((".",), patterns.IPV4, self._ipv4),
        )

    def secrets(self, text: str) -> str:
        low = text.lower()
        if "-----begin" in low:
            text = self._blocks(text)
        text = patterns.SECRET_SHAPE.sub(self._whole("SECRET"), text)
        text = outputs.rewrite(outputs.SECRET_RULES, text, self._by_kind)
        for hints, pattern, change in self._spoken_secrets:
            if any(hint in low for hint in hints):
                text = pattern.sub(change, text)
        return on_lines(patterns.SECRET_HINTS, text, text.lower(), lambda line: patterns.PAIR.sub(self._pair, line))

    def identifiers(self, text: str) -> str:
        low = text.lower()
        text = patterns.LABEL.sub(self._label, text)
        for hints, pattern, change in self._spoken_identifiers:
            if any(hint in low for hint in hints):
                text = pattern.sub(change, text)
        return outputs.rewrite(outputs.RULES, self._ipv6(text), self._by_kind)

    def value_of(self, key: str, value: str) -> str | None:
        """The whole value of a named key, replaced; None where its name says nothing private."""
        if not value or patterns.NOTHING.match(value) or TOKEN.fullmatch(value):
            return None
        kind = _kind_of_key(key)
        if kind is None:
            return None
        if kind in {"SECRET", "ID"}:
            return self._secret(value) if kind == "SECRET" else self._id(value)
        # No name holds a separator, and none of a machine a blank.
        strange = r"[\\/\s]" if kind in {"HOST", "DOMAIN"} else r"[\\/]"
        return self._named(kind, value) if len(value) <= 120 and not re.search(strange, value.strip("\\ \t")) else None

    # --- one replacement --------------------------------------------------------------------------------------------

    def _secret(self, value: str) -> str:
        stripped = value.strip()
        if TOKEN.fullmatch(stripped) or patterns.NOTHING.match(stripped):
            return value
        self._learn("SECRET", stripped)
        return self._tokens.get("SECRET", stripped)

    def _id(self, value: str) -> str:
        stripped = value.strip()
        if TOKEN.match(stripped) or patterns.NOTHING.match(stripped):
            return value
        self._learn("ID", stripped)
        return value.replace(stripped, self._tokens.get("ID", stripped))

    def _named(self, kind: str, value: str) -> str:
        name = value.strip().strip("\\\"'")
        if not name or TOKEN.fullmatch(name) or patterns.NOTHING.match(name) or (kind == "HOST" and is_public_host(name)):
            return value
        self._learn(kind, name)
        return value.replace(name, self._tokens.get(kind, name))

    def _by_kind(self, kind: str, value: str) -> str:
        if kind == "SECRET":
            return self._secret(value)
        if kind in {"ID", "LOGIN", "PART"}:
            self._learn(kind if kind != "LOGIN" else "USER", value)
            return self._tokens.get(kind, value)
        return self._named(kind, value)

    def _whole(self, kind: str) -> Callable[[re.Match[str]], str]:
        return lambda match: self._tokens.get(kind, match[0])

    def _blocks(self, text: str) -> str:
        """Keys in armour, to the end of the armour or of what looks like it. Lines stay lines: each may be a text of its own."""
        out, position = [], 0
        while begin := patterns.BLOCK.search(text, position):
            end = text.find(f"-----END {begin['kind']}-----", begin.end(), begin.end() + 30_000)
            stop = end if end != -1 else _end_of_block(text, begin.end())
            body = text[begin.end() : stop]
            out.append(text[position : begin.end()])
            if patterns.BLOCK_LINE.search(body):
                token = self._tokens.get("SECRET", _NO_KEY.sub("", body))
                out.append(
                    "".join(f"{token}{line[len(line.rstrip()) :]}" if patterns.BLOCK_LINE.search(line) else line for line in body.splitlines(keepends=True))
                )
            else:
                out.append(body)
            position = stop
        return "".join([*out, text[position:]])

    def _netrc(self, match: re.Match[str]) -> str:
        return f"{match['a']}{match['host']}{match['b']}{self._tokens.get('LOGIN', match['user'])}{match['c']}{self._secret(match['password'])}"

    def _whoami(self, match: re.Match[str]) -> str:
        if is_known_folder(match["domain"]) or is_known_folder(match["user"]) or re.search(r"\.\w{1,6}$", match["user"]):
            return match[0]
        return f"{self._named('DOMAIN', match['domain'])}\\{self._named('USER', match['user'])}"

    def _account(self, match: re.Match[str]) -> str:
        return f"{match['before']}{self._named('DOMAIN', match['domain'])}\\{self._named('USER', match['user'])}"

    def _argument(self, match: re.Match[str]) -> str:
        value = match["value"]
        if value.startswith("-") or patterns.NOTHING.match(value):
            return match[0]
        kind = "USER" if re.match(r"(?i)--?(?:user|username|login)\b", match["key"]) and ":" not in value else "SECRET"
        return match["key"] + (self._named(kind, value) if kind == "USER" else self._secret(value))

    def _pair(self, match: re.Match[str]) -> str:
        key, quote = match["key"], match["quote"] or ""
        if not _is_secret_name(key):
            return match[0]
        value, rest = (match["quoted"], "") if quote else _whole_value(key, match["bare"])
        if not _looks_secret(key, value):
            return match[0]
        return f"{key}{match['between']}{quote}{self._secret(value)}{quote}{rest}"

    def _label(self, match: re.Match[str]) -> str:
        if not patterns.LABEL_HINT.search(match["key"]):
            return match[0]
        key, value = match["key"].strip(" .\"'"), match["value"].strip().rstrip(",")
        bare = value.strip("\"'")
        if len(key) > 48 or not bare or "://" in bare:
            return match[0]
        if patterns.ID_NAME.search(key):
            changed: str | None = self._id(bare) if _is_identifier(bare) else None
        elif len(bare) <= 64 and not re.search(r"[\\/:{}()<>=]", bare.lstrip("\\")):
            changed = self.value_of(key, bare) if not _is_secret_name(key) else None
        else:
            changed = None
        return match[0] if changed is None or changed == bare else match[0][: match.start("value") - match.start()] + match["value"].replace(bare, changed)

    def _mac(self, match: re.Match[str]) -> str:
        if _before(match, 1) and _before(match, 1) in "0123456789abcdefABCDEF:.-":
            return match[0]
        return self._tokens.get("MAC", match[0].replace("-", ":").casefold())

    def _guid(self, match: re.Match[str]) -> str:
        return match[0] if patterns.PUBLIC_GUID.match(match["value"]) else (match["prefix"] or "") + self._tokens.get("ID", match["value"])

    def _ipv6(self, text: str) -> str:
        out, position = [], 0
        while found := patterns.IPV6_HINT.search(text, position):
            start, end = found.start(), found.end()
            while start > position and text[start - 1] in patterns.IPV6_SIGNS:
                start -= 1
            while end < len(text) and text[end] in patterns.IPV6_SIGNS:
                end += 1
            address = text[start:end]
            beside = text[max(start - 1, 0) : start] + text[end : end + 1]
            hidden = self._tokens.get("IP", address) if not re.search(r"[\w.]", beside) and _is_private_ipv6(address) else address
            out += [text[position:start], hidden]
            position = end
        return "".join([*out, text[position:]])

    def _ipv4(self, match: re.Match[str]) -> str:
        if re.search(r"[\w.]\Z|\d-\Z", _before(match, 2)):
            return match[0]
        parts = [int(part) for part in match[0].split(".")]
        if max(parts) > 255 or any(len(part) > 1 and part.startswith("0") for part in match[0].split(".")):
            return match[0]
        address = ipaddress.IPv4Address(match[0])
        if address.is_loopback or address.is_unspecified or parts[0] == 255:
            return match[0]
        line = match.string[max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - 80) : match.start()]
        if (
            patterns.VERSION_BEFORE.search(line)
            or ((package := patterns.PACKAGE_BEFORE.search(line)) and not TOKEN.match(package["name"]))
            or re.match(r"(?:\.post|\.dev|\+|rc\d|-cp|-py|-\d|-[a-z])", match.string[match.end() : match.end() + 5])
        ):
            return match[0]
        if parts[0] <= 3 and not patterns.ADDRESS_BEFORE.search(line):
            return match[0]
        return self._tokens.get("IP", match[0])


_NO_KEY: Final = re.compile(r"[^A-Za-z0-9+/=]")


def _end_of_block(text: str, start: int) -> int:
    """Where a key without an end stops: at the second line in a row that has nothing of a key in it."""
    position, misses = start, 0
    while position < len(text) and misses < 3:
        newline = text.find("\n", position)
        line_end = len(text) if newline == -1 else newline + 1
        misses = 0 if patterns.BLOCK_LINE.search(text, position, line_end) else misses + 1
        position = line_end
    return position


def _is_private_ipv6(address: str) -> bool:
    """Whether this is an address of a machine, not of a loop, and no scope of C++ or a time that looks like one."""
    if len(address) > 39:
        return False
    try:
        parsed = ipaddress.IPv6Address(address)
    except ValueError:
        return False
    groups = sum(bool(group) for group in address.split(":"))
    first = f"{int(parsed):032x}"
    return not parsed.is_loopback and not parsed.is_unspecified and (groups >= 4 or (groups >= 2 and first.startswith(("fc", "fd", "fe", "ff", "2", "3"))))


def _before(match: re.Match[str], count: int) -> str:
    return match.string[max(match.start() - count, 0) : match.start()]


_KINDS_OF_KEYS: Final = (
    (patterns.USER_NAME, "USER"),
    (patterns.HOST_NAME, "HOST"),
    (patterns.DOMAIN_NAME, "DOMAIN"),
    (patterns.ORG_NAME, "ORG"),
    (patterns.MAIL_NAME, "EMAIL"),
    (patterns.PERSON_NAME, "NAME"),
)


@lru_cache(5_000)
def _kind_of_key(key: str) -> str | None:
    """The kind of what stands behind a key or a label; None where its name says nothing private."""
    if _is_secret_name(key):
        return "SECRET"
    if patterns.ID_NAME.search(key):
        return "ID"
    return next((kind for pattern, kind in _KINDS_OF_KEYS if pattern.match(key)), None)


def _is_secret_name(key: str) -> bool:
    return patterns.SECRET_NAME.search(key) is not None and not patterns.MODEL_TOKEN.search(key) and not TOKEN.search(key)


def _whole_value(key: str, bare: str) -> tuple[str, str]:
    """A value without quotes, and what follows it: a password may hold any sign, other values end where lists and calls do."""
    if re.search(_STRONG, key):
        value = bare.rstrip(",;)}]")
    else:
        end = re.search(r"[,;&<>(){}\[\]|]", bare)
        value = bare[: end.start()] if end else bare
    return value, bare[len(value) :]


_STRONG: Final = re.compile(r"(?i)pass|secret|credential|kennwort|密码|口令|パスワード|api[_.-]?key|connection")


def _looks_secret(key: str, value: str) -> bool:
    if patterns.NOTHING.match(value) or TOKEN.match(value) or len(value) < 3:
        return False
    if re.search(_STRONG, key):
        return True
    if re.fullmatch(r"(?i)pwd", key):
        return not re.match(r"[\\/~]|[A-Za-z]:", value)
    if re.search(r"[_-]", key):
        return not re.fullmatch(r"\d{1,5}|[a-z]{1,5}", value)
    # A bare "key", "token" or "auth": only what no word and no number is.
    return len(value) >= 8 and bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value)) and not re.search(r"[\\/]|\.\w{1,4}$", value)


def _is_identifier(value: str) -> bool:
    return value.isalnum() or (bool(re.search(r"\d", value)) and bool(re.fullmatch(r"(?:\S+ ?){1,4}", value)))


def opaque_runs(text: str, is_readable: Callable[[str], bool]) -> Iterator[re.Match[str]]:
    """Long runs that look drawn at random: letters and digits change all the time, as in no word and no hash of a file."""
    for match in _OPAQUE.finditer(text):
        run = match[0]
        kinds = [0 if sign.islower() else 1 if sign.isupper() else 2 for sign in run if sign.isalnum()]
        if len(kinds) < 20 or re.fullmatch(r"[0-9a-f]+|[0-9A-F]+|[0-9-]+|[A-Z2-7]+=*", run):
            continue
        changes = sum(a != b for a, b in pairwise(kinds)) / len(kinds)
        if changes >= 0.42 and len(set(kinds)) == 3 and not is_readable(run):
            yield match


_OPAQUE: Final = re.compile(r"(?<![\w+/=.\\-])(?<!sha256[=:-])(?<!sha512[=:-])(?<!sha384[=:-])(?!_Z|\?)[A-Za-z0-9_-]{24,512}={0,2}(?![\w+/\\-]|\.\w)")
