"""Paths and addresses inside a text: names of persons, servers and other programs in them are replaced, their shape stays."""

import ipaddress
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote

from app.report.redact.path_bounds import end_of_path, is_system_folder, kind_of_path
from app.report.redact.tokens import TOKEN, Tokens, is_token
from app.report.redact.words import (
    is_code_file,
    is_known_folder,
    is_personal,
    is_private_file,
    is_public_host,
    reveals_below,
)

_SEPARATOR: Final = re.compile(r"[\\/]+")
_AFTER_SCHEME: Final = re.compile(r"(?<=:)[\\/]{2,}")
_SEPARATORS: Final = re.compile(r"([\\/]+)")
_USERS: Final = frozenset({"users", "home", "documents and settings", "benutzer", "utilisateurs", "usuarios", "用户", "用戶"})
_NOBODY: Final = frozenset({"public", "default", "all users", "default user", "shared", "linuxbrew", "defaultapppool"})
_SHORT: Final = re.compile(r"^(?P<stem>[^~\s.]{1,8})~\d{1,2}(?:\.\w{1,3})?$")
_CLOUD: Final = re.compile(r"(?i)^(onedrive|sharepoint|dropbox|google drive|box)\s*-\s*(.+)$")
_SUFFIX: Final = re.compile(r"(?<=.)\.[A-Za-z]\w{0,10}$")
_URL_REST: Final = re.compile(
    r"(?P<login>(?:[^\s\"'<>/?#]|/(?=[^\s\"'<>@/]*@))*@)?(?P<server>\[[0-9A-Fa-f:.%]+\]|[^\s\"'<>/\\?#"
    r"|^`{}\[\](),;:]*)(?P<port>:\d{1,5})?(?P<rest>[^\s\"'<>\\|^`{}]*)"
)
_PART_KEPT: Final = re.compile(
    r"(?i)^(?:\+?simple|pypi|whl|wheels?|packages?|cu\d+|cpu|rocm[\d.]*|nightly|v?\d[\w.+-]*|[\w.+-]+\.(?:whl|zip|tar\.gz|exe|msi|json"
    r"|metadata)|api|repository|artifactory|index|root|pub|)$"
)
_QUERY_VALUE: Final = re.compile(r"(?P<key>[?&;][^=&\s#]{1,60}=)(?P<value>[^&;#\s]{1,4000})")
_QUERY_KEPT: Final = re.compile(r"^(?:\d{1,8}|true|false|[a-z]{1,8}|v?\d[\w.+-]{0,16})$")
_MAIL: Final = re.compile(r"(?<![\w.+:/-])[\w.+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_PROMPT: Final = re.compile(r"(?<![\w.@/-])(?P<user>[A-Za-z_][\w.-]{0,31})@(?P<host>[A-Za-z0-9][\w.-]{0,62})(?=[:~#$\s]|$)", re.MULTILINE)

Term = Callable[[str, str], None]


class Places:
    """Rewrites the paths, addresses and mailboxes of a text.

    `kept` are folder names that stay because packages, toolkits and compilers are called so (lower-case).
    `learn(kind, name)` is told every name that was recognised by its place.
    """

    def __init__(self, tokens: Tokens, kept: frozenset[str], learn: Term) -> None:
        self._tokens = tokens
        self._kept = kept
        self._learn = learn
        self._seen: dict[tuple[str, ...], list[str]] = {}
        self.stems: dict[str, str] = {}
        """What stands before the tilde of a short name, upper-case, to the token of the whole name."""

    def mailboxes(self, text: str) -> str:
        """Mail addresses, outside URLs, where the part before the sign is a login."""
        return _MAIL.sub(self._mail, text) if "@" in text else text

    def addresses(self, text: str) -> str:
        """Addresses alone. They come before names: a token for a part of a host or a login, with a blank in it, would end them."""
        return self._all_paths(text, _AFTER_SCHEME) if "//" in text or "\\/" in text else text

    def rewrite(self, text: str) -> str:
        if "/" in text or "\\" in text:
            text = self._all_paths(text)
        return _PROMPT.sub(self._prompt, text) if "@" in text else text

    def _all_paths(self, text: str, separator: re.Pattern[str] = _SEPARATOR) -> str:
        out, position = [], 0
        at = separator.search(text, position)
        while at:
            kind, begin = kind_of_path(text, at, position)
            if kind is None or (separator is _AFTER_SCHEME and kind != "url"):
                at = separator.search(text, at.end())
                continue
            out.append(text[position:begin])
            changed, position = self._address(text, at, begin) if kind == "url" else self._path(text, at.start(), begin, kind)
            out.append(changed)
            at = separator.search(text, position)
        out.append(text[position:])
        return "".join(out)

    def name(self, folder: str, name: str) -> str:
        """One name that was listed in a folder; a separator at its end says that it is a folder itself."""
        plain = name.rstrip("\\/")
        shown = self._parts([*_SEPARATOR.split(folder.rstrip("\\/")), plain], ends_in_folder=plain != name)[-1]
        return shown + name[len(plain) :]

    def whole(self, path: str) -> str:
        """A text that is a path from its first sign to its last."""
        pieces = _SEPARATORS.split(path)
        names, separators = pieces[0::2], pieces[1::2]
        if path.startswith("\\\\"):
            names = ["", self._server(names[1]) if re.match(r"[\w$-]", names[1]) else names[1], *self._share_rest(names[1:])] if len(names) > 2 else names
        else:
            names = [names[0], *self._parts(names[1:])]
        return "".join(piece for pair in zip(names, [*separators, ""], strict=True) for piece in pair)

    def relative(self, path: str) -> str:
        """A path without its beginning."""
        pieces = _SEPARATORS.split(path)
        # A folder in front, so that what comes first is not taken for the root of a system.
        names = self._parts([".", *pieces[0::2]])[1:]
        return "".join(piece for pair in zip(names, [*pieces[1::2], ""], strict=True) for piece in pair)

    def program(self, name: str) -> str:
        """The file name of a program, by itself."""
        return self._last(name, revealed=False) if "." in name.strip(".") else self._folder(name, revealed=False)

    def _mail(self, match: re.Match[str]) -> str:
        address = match[0]
        name, _, host = address.partition("@")
        if name in {"git", "hg", "svn"} or TOKEN.fullmatch(name) or is_code_file("." + host.rpartition(".")[2]):
            return address
        return self._tokens.get("EMAIL", address)

    def _prompt(self, match: re.Match[str]) -> str:
        user, host = match["user"], match["host"]
        if user == "git" or is_public_host(host) or re.fullmatch(r"v?\d[\w.+-]*", host) or is_code_file(host) or "." in host.strip(".") or is_token(user):
            return match[0]
        if user in {"root"} or len(host) > 1:
            shown = user if user == "root" else self._user(user)
            if not is_token(host):
                self._learn("HOST", host)
                host = self._tokens.get("HOST", host)
            return f"{shown}@{host}"
        return match[0]

    # --- paths ----------------------------------------------------------------------------------------------------

    def _path(self, text: str, start: int, begin: int, kind: str) -> tuple[str, int]:
        end = end_of_path(text, start, begin)
        raw = text[begin:end]
        pieces = _SEPARATORS.split(raw)
        names, separators = pieces[0::2], pieces[1::2]
        if kind == "share":
            names = [self._server(names[0]), *self._share_rest(names)]
        elif kind == "device" and names[0].upper() == "UNC":
            names = ["UNC", *([self._server(names[1])] if len(names) > 1 else []), *self._parts(names[2:])]
        elif kind == "device":
            names = [names[0], *self._parts(names[1:])]
        else:
            names = self._parts(names)
        return "".join(piece for pair in zip(names, [*separators, ""], strict=True) for piece in pair), end

    def _share_rest(self, names: list[str]) -> list[str]:
        if names[0].casefold() in {"wsl$", "wsl.localhost"} and len(names) > 1:
            return [names[1], *self._parts(names[2:])]
        return self._parts(names[1:])

    def _server(self, name: str) -> str:
        if name.casefold() in {"wsl$", "wsl.localhost", "localhost", "."} or is_token(name):
            return name
        self._learn("HOST", name)
        return self._tokens.get("HOST", name)

    def _parts(self, names: list[str], ends_in_folder: bool = False) -> list[str]:
        """The names of a path from its root on, replaced where they tell something."""
        key = (*names, "/" if ends_in_folder else "")
        known = self._seen.get(key)
        if known is None:
            known = self._replaced_parts(names, ends_in_folder)
            if not any("~" in name for name in names):  # what a short name stands for may be learned later
                self._seen[key] = known
        return known

    def _replaced_parts(self, names: list[str], ends_in_folder: bool) -> list[str]:
        out: list[str] = []
        revealed = is_system_folder(names)
        user_at = -1
        for index, name in enumerate(names):
            before = names[index - 1].casefold() if index and index - 1 != user_at else ""
            is_last = index == len(names) - 1
            if before in _USERS and index <= 5 and name and name not in {".", ".."} and name.casefold() not in _NOBODY:
                out.append(self._user(name))
                user_at = index
                continue
            if is_personal(name):
                revealed = False
            elif reveals_below(name):
                revealed = True
            out.append(self._last(name, revealed) if is_last and "." in name.strip(".") and not ends_in_folder else self._folder(name, revealed))
        return out

    def _user(self, name: str) -> str:
        if is_token(name) or not name.strip(". "):
            return name
        short = _SHORT.match(name) if "~" in name else None
        if short and (token := self.stems.get(short["stem"].upper())):
            return token
        self._learn("USER", name)
        return self._tokens.get("USER", name)

    def _folder(self, name: str, revealed: bool) -> str:
        low = name.casefold()
        cloud = _CLOUD.match(name) if "-" in name else None
        if cloud and not is_token(cloud[2]):
            self._learn("ORG", cloud[2])
            return name[: cloud.start(2)] + self._tokens.get("ORG", cloud[2])
        if not name or cloud or is_token(name) or revealed or low in self._kept or is_known_folder(name):
            return self._inductor(name)
        short = _SHORT.match(name) if "~" in name else None
        if short and (short["stem"].upper() in self.stems or low.startswith(("progra~", "docume~", "micros~"))):
            return self.stems.get(short["stem"].upper(), name)
        return self._part(name)

    def _inductor(self, name: str) -> str:
        if not name.casefold().startswith("torchinductor_"):
            return name
        user = name[len("torchinductor_") :]
        return name[: len("torchinductor_")] + (self._user(user) if user else "")

    def _last(self, name: str, revealed: bool) -> str:
        """A file name: code files stay, since error texts name them."""
        low = name.casefold()
        if is_token(name) or low in self._kept:
            return name
        if revealed or is_known_folder(name) or (is_code_file(name) and not is_private_file(name)):
            return name
        return self._file(name)

    def _file(self, name: str) -> str:
        stem = _SUFFIX.sub("", name)
        return name if is_known_folder(stem) or is_token(stem) else self._part(name)

    def _part(self, name: str) -> str:
        """A name that is replaced; a suffix stays, of a folder as of a file, since from afar nobody can tell them apart."""
        stem = _SUFFIX.sub("", name)
        self._learn("PART", stem)
        return self._tokens.get("PART", stem) + name[len(stem) :]

    # --- addresses ------------------------------------------------------------------------------------------------

    def _address(self, text: str, at: re.Match[str], begin: int) -> tuple[str, int]:
        rest = _URL_REST.match(text, begin)
        if rest is None:
            return "", begin
        if text[: at.start()].endswith(("file:", "FILE:", "File:")):
            end = rest.end()
            inner = text[begin:end]
            lead = re.match(r"/*", inner)
            start = lead.end() if lead else 0
            drive = re.match(r"[A-Za-z][:|]", inner[start:])
            start += drive.end() if drive else 0
            names = inner[start:].split("/")
            plain = [unquote(name) for name in names]
            shown = self._parts(plain)
            return inner[:start] + "/".join(name if new == old else new for name, old, new in zip(names, plain, shown, strict=True)), end
        whole = rest[0].rstrip(".,;:!?)]}")
        closing = rest[0][len(whole) :]
        if closing.startswith(")") and whole.count("(") > whole.count(")"):
            whole += ")"
        cut = len(rest[0]) - len(whole)
        tail = rest["rest"][: len(rest["rest"]) - cut] if cut <= len(rest["rest"]) else ""
        server = rest["server"] if cut <= len(rest["rest"]) else rest["server"].rstrip(".,;:!?)]}")
        public = is_public_host(server.strip("[]")) or not server
        changed = self._login(rest["login"] or "") + self.host(server) + (rest["port"] or "") + self._target(tail, public)
        return changed, rest.end() - (cut if cut <= len(rest["rest"]) else len(rest["server"]) - len(server))

    def _login(self, login: str) -> str:
        if not login or login in {"git@", "***@", "***:***@"}:
            return login
        name, colon, password = login[:-1].partition(":")
        shown = name if not name or TOKEN.fullmatch(name) else self._tokens.get("LOGIN", name)
        hidden = password if not password or TOKEN.fullmatch(password) or not password.strip("*") else self._hide_password(password)
        return f"{shown}{colon}{hidden}@"

    def _hide_password(self, password: str) -> str:
        self._learn("SECRET", password)
        return self._tokens.get("SECRET", password)

    def host(self, name: str) -> str:
        """A server's name as it may be shown."""
        bare = name.strip("[]")
        if not bare or is_public_host(bare) or is_token(bare) or (not re.search(r"\w", bare)):
            return name
        try:
            address = ipaddress.ip_address(bare.partition("%")[0])
        except ValueError:
            if is_known_folder(bare) and "." not in bare:
                return name
            self._learn("HOST", bare)
            return self._tokens.get("HOST", bare)
        return name if address.is_loopback or address.is_unspecified else self._tokens.get("IP", bare)

    def _target(self, tail: str, public: bool) -> str:
        """Path, query and fragment of an address. Below a private server only what names packages stays."""
        path, mark, rest = tail, "", ""
        cut = re.search(r"[?#]", tail)
        if cut:
            path, mark, rest = tail[: cut.start()], cut[0], tail[cut.end() :]
        if not public:
            path = "/".join(part if _PART_KEPT.match(part) or is_token(part) else "…" for part in path.split("/"))
        if not mark:
            return path
        return path + _QUERY_VALUE.sub(self._query, mark + rest)

    def _query(self, match: re.Match[str]) -> str:
        value = match["value"]
        if _QUERY_KEPT.match(value) or is_token(value) or value == "***" or match["key"].casefold().startswith(("?sha256", "&sha256")):
            return match[0]
        return match["key"] + self._tokens.get("SECRET", value)
