"""Names and secrets that programs print at places of their own: user lists, prompts, certificates, configurations, markup."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from app.report.redact.lines import on_lines
from app.report.redact.tokens import TOKEN
from app.report.redact.words import is_code_file, is_common, is_known_folder, is_public_host

_KINDS: Final = {
    "user": "USER",
    "host": "HOST",
    "domain": "DOMAIN",
    "person": "NAME",
    "org": "ORG",
    "id": "ID",
    "part": "PART",
    "secret": "SECRET",
    "login": "LOGIN",
}
_NOBODY: Final = re.compile(
    r"(?i)^(?:root|nobody|daemon|system|administrators?|administratoren|everyone|users|none|null|true|false|public|default|localhost|\*+|\w|git|__token__|sudo|docker)$"
)
_PORTS: Final = ":80|:443|:8443|:3128|:8888|:1080|:9000|:5000"
_PORT: Final = r"(?=:(?:80|443|8080|8443|3128|8888|1080|8000|8081|9000|5000)\b)"
_DOTTED: Final = r"[A-Za-z0-9][\w-]{0,62}(?:\.[A-Za-z0-9][\w-]{0,62})+"
_TOPS: Final = (
    ".com|.org|.de|.cn|.fr|.uk|.ru|.jp|.kr|.eu|.gov|.edu|.mil|.example|.invalid|.biz|.nl|.pl|.dk|.cz|.tw|.hk|.au|.br"
    "|.local|.lan|.intra|.intern|.corp|.home.arpa|.box"
)
_TOP: Final = (
    r"(?:com|org|de|cn|fr|uk|ru|jp|kr|eu|gov|edu|mil|example|invalid|biz|nl|pl|dk|cz|tw|hk|au|br"
    r"|local|localdomain|lan|intra|intranet|intern|internal|corp|home\.arpa|box)"
)


class Rule(NamedTuple):
    """`hints` (lower-case): one of them must stand in a line before the pattern is tried on it.

    The pattern's groups are named by what they hold, with a number where there are several; `maybe_`: only if it is no common word;
    `file`: what stands before a suffix.
    """

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    spans_lines: bool = False


def _rule(hints: str, pattern: str, *, spans_lines: bool = False) -> Rule:
    return Rule(tuple(hints.split("|")), re.compile(pattern), spans_lines)


SECRET_RULES: Final = (
    _rule("bearer |basic |token ", r"(?i)\b(?:bearer|basic|token) +(?P<secret>(?=[^\s\"']*\d)(?=[^\s\"']*[a-z])[A-Za-z0-9+/_.~-]{12,2000}={0,2})(?![\w\\/])"),
    _rule("login", r"(?i)\b(?:default|machine[ \t]+(?P<host>\S+))\s+login\s+(?P<login>\S+)\s+password\s+(?P<secret>\S+)", spans_lines=True),
    _rule("/t/", r"(?i)://[^\s/\"']+/t/(?P<secret>[\w-]{6,200})(?=/)"),
    _rule("@", r"(?<![\w/@:.%+-])(?P<login>[\w.%+\\-]{2,64}):(?P<secret>[^\s@:/\"']{3,200})@(?=[\w.-]+:\d{2,5}\b)"),
    _rule("private-lines", r"(?i)private-lines: \d+\r?\n(?P<secret>(?:[A-Za-z0-9+/=]{10,}(?:\r?\n|$)){1,60})", spans_lines=True),
    _rule("pass|kennwort", r"(?i)\b(?:password|passphrase|passwort|kennwort) (?:is|was|ist|lautet|war) (?P<secret>(?=\S*\d)(?=\S*[a-z])[^\s\"']{6,200})"),
    _rule("-", r"(?<![\d-])(?P<secret>(?:\d{6}-){7}\d{6})(?![\d-])"),
    _rule(
        "</",
        r"(?i)<(?:[\w.-]+:)?(?:\w*password|passwd|pwd|secret|api[_-]?key|\w*token|passphrase)(?:\s[^<>]{0,200})?>(?P<secret>[^<>\r\n]{3,300})</",
    ),
    _rule("password", r"(?i)\b(?:key|name)=[\"'][^\"']{0,60}password[\"']\s+value=[\"'](?P<secret>[^\"'\r\n]{2,300})[\"']"),
)
RULES: Final = (
    _rule("hostname", r"(?i)\b(?:static |transient |pretty )?hostname[ .]*[:：] ?(?P<maybe_host>[\w.-]{2,63})"),
    _rule("dns suffix|dns-suffix", r"(?i)\bdns[ -]suffix(?: search list)?[ .]*:[ \t]*(?P<domain>[\w.-]{2,120})"),
    _rule("-", r"(?<![\w-])(?P<id>(?:[0-9A-Fa-f]{2}-){7,}[0-9A-Fa-f]{2})(?![\w-])"),
    _rule("reg_sz", r"(?i)\b(?:USERNAME|LOGNAME)\s+REG_SZ\s+(?P<user>\S+)|\b(?:COMPUTERNAME|HOSTNAME|LOGONSERVER)\s+REG_SZ\s+\\{0,2}(?P<host>[\w.-]+)"),
    _rule("$", r"\b(?:on|for|host|computer) (?P<host>[A-Z][A-Z0-9-]{2,14})(?=\$(?:[\s\"',;)]|$))"),
    _rule("uid=", r"\buid=\d+\((?P<user>[^()\s]+)\) gid=\d+\((?P<user2>[^()\s]+)\)"),
    _rule("rw-|rwx|r-x|r--", r"(?m)^[ \t]*[dlcbps-](?:[r-][w-][xsStT-]){3}[.+@]? +\d+ +(?P<user>[\w.$-]+) +(?P<user2>[\w.$-]+) +\d+ "),
    _rule("python", r"(?m)^(?P<user>[a-z_][\w-]{0,31}\+?) +\d{1,7} +\d{1,3}\.\d +\d{1,3}\.\d +\S"),
    _rule("</", r"(?i)<(?:[\w.-]+:)?(?:serial|uuid|\w*guid|sid|serial_?number)(?:\s[^<>]{0,200})?>(?P<id>[^<>\s]{3,80})</"),
    _rule("</", r"(?i)<(?:[\w.-]+:)?(?:user(?:name)?|author|owner)(?:\s[^<>]{0,200})?>(?P<user>[^<>\r\n]{2,80})</"),
    _rule("</", r"(?i)<(?:[\w.-]+:)?(?:computer(?:name)?|host(?:name)?|machinename)(?:\s[^<>]{0,200})?>(?P<host>[^<>\r\n]{2,80})</"),
    _rule("console|rdp-tcp|services", r"(?m)^[> ](?P<user>[\w.$-]+) {2,}(?:console|rdp-tcp#\d+|services)\b"),
    _rule("/bin/|/sbin/|nologin", r"(?m)^(?P<user>[\w.-]+):[x*!]?:[1-9]\d{3,}:\d+:(?P<person>[^:,\r\n]*)[^:\r\n]*:"),
    _rule("[sudo]", r"\[sudo\] [^:\r\n]{0,30}?(?:for|für|de|para|di|voor|для|的) ?(?P<user>[\w.-]+)"),
    _rule("sudoers", r"(?m)^(?P<user>[\w.-]+) is not in the sudoers"),
    _rule(
        "user '|user \"|user “|user ‘|user «|account '|account \"|account “|benutzer|用户|utilisateur|usuario|пользовател",
        r"(?i)\b(?:user|account|benutzers?|utilisateur|usuario|пользовател\w*)\s+[\"'“‘«„](?P<user>[^\"'”’»“\\/\s]{2,40})[\"'”’»“]|用户\s?[\"'“‘](?P<user2>[^\"'”’\\/\s]{2,40})[\"'”’]",
    ),
    _rule("for user ", r"(?im)\bfor user:? (?P<maybe_user>[\w.$-]{2,40})(?=\s*$|[:;,!])"),
    _rule("logged in as|login successful", r"(?i)\blogged in as:?\s+[\"']?(?P<user>[\w.@-]+)[\"']?(?:\s+\((?P<org>[^()\r\n]{2,60})\))?"),
    _rule("getuser|getlogin", r"(?i)\bget(?:user|login)\(\)\W{1,8}(?P<user>[\w.-]+)"),
    _rule("node()|gethostname|getfqdn", r"(?i)(?:platform\.node|gethostname|getfqdn)\(\)\W{1,8}(?P<host>[\w.-]+)"),
    _rule("whoami", r"(?im)^.{0,120}[>$#] ?whoami[ \t]*\r?\n(?:\S+\\)?(?P<user>[\w.$-]+)[ \t]*\r?$", spans_lines=True),
    _rule("hostname", r"(?im)^.{0,120}[>$#%] ?hostname[ \t]*\r?\n(?P<host>[\w.-]+)[ \t]*\r?$", spans_lines=True),
    _rule("~", r"(?<![\w/\\~.-])~(?P<maybe_user>[A-Za-z_][\w.-]{3,31})(?=/)"),
    _rule(
        "username|logname|sudo_user|user=|user'|user\"|user:|user =|computername|hostname|logonserver|userdomain|userdnsdomain",
        r"(?<![\w.-])(?:\$env:)?(?:USERNAME|LOGNAME|SUDO_USER|USER)b?[\"']?\s*[=:]\s*b?[\"']?(?P<user>[^\s\"'`;,&|()<>{}\[\]$%\\/:=]{2,64})"
        r"|(?<![\w.-])(?:\$env:)?(?:COMPUTERNAME|HOSTNAME|LOGONSERVER)b?[\"']?\s*[=:]\s*b?[\"']?\\{0,4}(?P<host>[^\s\"'`;,&|()<>{}\[\]$%\\/:=]{2,64})"
        r"|(?<![\w.-])(?:\$env:)?(?:USERDOMAIN|USERDNSDOMAIN|USERDOMAIN_ROAMINGPROFILE)b?[\"']?\s*[=:]\s*b?[\"']?(?P<domain>[^\s\"'`;,&|()<>{}\[\]$%\\/:=]{2,64})",
    ),
    _rule(
        "name|domain|server|benutzer",
        r"(?im)^(?:USERNAME|LOGNAME|User name|Benutzername|Nom d.utilisateur|Nombre de usuario)[ \t]{2,}(?P<user>\S[^\r\n\t]{0,60}?)[ \t]*\r?$"
        r"|^(?:Full name|Vollständiger Name|Nom complet|Nombre completo)[ \t]{2,}(?P<person>\S[^\r\n\t]{0,60}?)[ \t]*\r?$"
        r"|^(?:COMPUTERNAME|LOGONSERVER|HOSTNAME)[ \t]{2,}\\{0,2}(?P<host>\S[^\r\n\t]{0,60}?)[ \t]*\r?$"
        r"|^(?:USERDOMAIN|USERDNSDOMAIN)[ \t]{2,}(?P<domain>\S[^\r\n\t]{0,60}?)[ \t]*\r?$",
    ),
    _rule("<", r"(?im)^\s*(?:author|commit(?:ter)?|signed-off-by|co-authored-by|maintainer|tagger):[ \t]*(?P<person>[^<>\r\n]{2,60}?)[ \t]*<"),
    _rule("[user]", r"(?i)\[user\][ \t]*\r?\n(?:[ \t]+\w+[ \t]*=[^\r\n]*\r?\n){0,3}?[ \t]+name[ \t]*=[ \t]*(?P<person>[^\r\n]{2,80})", spans_lines=True),
    _rule("git@", r"git@[\w.-]+:(?P<user>[\w.-]+)/(?P<part>[\w.-]+?)(?=\.git\b|[\s\"')]|$)"),
    _rule("cn=|cn = |o=|o = ", r"(?<![\w.])(?:CN|OU?) ?= ?\"?(?P<org>[^,/\r\n\"=@+*()\[\]]{3,80}?)\"?(?=\s*[,/\r\n\"]|$)"),
    _rule(
        "ssid|profil",
        r"(?im)^\s*B?SSID(?:[ _-]?name)?(?: \d+)?\s*[:：]\s*(?P<id>\S[^\r\n]{0,60}?)\s*$"
        r"|^\s*(?:(?:all|current) user profile|profil für alle benutzer|所有用户配置文件)\s*[:：]\s*(?P<id2>\S[^\r\n]{0,60}?)\s*$",
    ),
    _rule(
        "volume in|laufwerk|驱动器|volume dans|volumen de|том в|ドライブ",
        r"(?im)\bvolume in drive \w:? is (?P<part>\S[^\r\n]{0,60}?)\s*$|datenträger in laufwerk \w:? ist (?P<part2>\S[^\r\n]{0,60}?)\s*$"
        r"|驱动器 \w 中的卷是 (?P<part3>\S[^\r\n]{0,60}?)\s*$|volume dans le lecteur \w s.appelle (?P<part4>\S[^\r\n]{0,60}?)\s*$",
    ),
    _rule("tel|phone|mobil|handy|电话|手机", r"(?i)(?:\b(?:tel|telefon|phone|mobile?|handy)\b|电话|手机)[.:： ]{1,3}(?P<id>\+?\d[\d ()/-]{6,20}\d)"),
    _rule(
        "seri|s/n|série|序列号|シリアル",
        r"(?i)(?:\b(?:serial(?:[ _-]?(?:number|no\.?))?|seriennummer|s/n|numéro de série)|序列号|シリアル番号)[ \"']{0,2}[:：#=][ \"']{0,3}"
        r"(?P<id>(?=[\w-]*\d)[A-Za-z0-9][A-Za-z0-9-]{4,40})",
    ),
    _rule(
        "desktop-|laptop-|win-", r"(?<![\w.-])(?P<host>(?i:desktop|laptop)-(?=[A-Z0-9]{7,8}\b|[a-z0-9]*\d)[A-Za-z0-9]{7,8}|(?i:win)-[A-Za-z0-9]{11})(?![\w])"
    ),
    _rule("/personal/", r"(?i)(?<=/personal/)(?P<user>[\w.-]{3,})"),
    _rule("ip-", r"(?<![\w.-])(?P<host>ip-\d{1,3}(?:-\d{1,3}){3}(?:\.[\w-]+)*)"),
    _rule("onmicrosoft", r"(?i)(?<![\w.-])(?P<org>[\w-]{3,})(?=\.onmicrosoft\.com)"),
    _rule("arpa", r"(?<![\w.])(?P<id>\d{1,3}(?:\.\d{1,3}){3})(?=\.in-addr\.arpa)"),
    _rule(
        "host=|hostname=|node=|server=|user=|username=|login=",
        r"(?i)(?<![\w.])(?:host|hostname|node|server)=b?[\"'](?P<host>[\w.-]+)[\"']|(?<![\w.])(?:user|username|login)=b?[\"'](?P<user>[^\"'\r\n]{2,64})[\"']",
    ),
    _rule(
        "resolve|getaddrinfo|name resolution",
        r"(?i)(?:resolve(?: (?:host(?: ?name)?|address|proxy))?|getaddrinfo[^\r\n]{0,40}? for|name resolution[^\r\n]{0,20})\s*[:=]?\s*[\"'(]?"
        rf"(?P<maybe_host>{_DOTTED}|(?<=host: )[\w-]{{4,63}})",
    ),
    _rule(
        "connect|ping",
        rf"(?i)(?:connect(?:ion|ed|ing)?(?: to)?(?: host)?|ping(?:ing)?|establish[^\r\n]{{0,40}}? to)\s*[:=]?\s*[\"'(]?(?P<maybe_host>{_DOTTED})",
    ),
    _rule(_PORTS, rf"(?<![\w@/.\\-])(?P<maybe_host>{_DOTTED}){_PORT}"),
    _rule(_TOPS, rf"(?i)(?<![\w@/\\-])(?P<maybe_host>(?:[a-z0-9_][\w-]{{0,62}}\.)+{_TOP})(?!\w|\.\w|\(|-\w|/\w*\()"),
    _rule(
        ".safetensors|.ckpt|.gguf|.png|.jpg|.jpeg|.webp|.mp4|.docx|.pdf|.xlsx|.sft",
        r"(?i)(?<![\w\\/.~*=-])(?P<file>[\w&(+-][\w.&()+-]{1,120}(?=\.(?:safetensors|sft|ckpt|gguf|png|jpe?g|webp|mp4|docx|pdf|xlsx)\b))",
    ),
)

Replace = Callable[[str, str], str]


def rewrite(rules: tuple[Rule, ...], text: str, replace: Replace) -> str:
    """The text with every named group of the rules replaced; `replace(kind, value)` gives what stands there instead."""
    low = text.lower()
    for rule in rules:

        def change(part: str, pattern: re.Pattern[str] = rule.pattern) -> str:
            return pattern.sub(lambda match: _replaced(match, replace), part)

        if rule.spans_lines and not any(hint in low for hint in rule.hints):
            continue
        changed = change(text) if rule.spans_lines else on_lines(rule.hints, text, low, change)
        if changed != text:
            text, low = changed, changed.lower()
    return text


def _replaced(match: re.Match[str], replace: Replace) -> str:
    out, position = [], match.start()
    for name, start, end in sorted(((name, *match.span(name)) for name in match.groupdict() if match[name]), key=lambda span: span[1]):
        value = match.string[start:end]
        out += [match.string[position:start], _shown(name.rstrip("0123456789"), value, match.string, start, replace)]
        position = end
    return "".join([*out, match.string[position : match.end()]])


def _shown(group: str, value: str, text: str, start: int, replace: Replace) -> str:
    if TOKEN.match(text, start) or _NOBODY.match(value):
        return value
    if group == "file":
        return value if is_known_folder(value) or is_common(value) else replace("PART", value)
    if group.startswith("maybe_"):
        group = group.removeprefix("maybe_")
        if is_common(value) or (group == "host" and not _is_private_host(value)):
            return value
    # A bare address is judged where addresses are: that of this very machine stays.
    if group == "host" and (is_public_host(value) or re.fullmatch(r"[\d.]+", value)):
        return value
    return replace(_KINDS[group], value)


def _is_private_host(name: str) -> bool:
    """Whether a dotted name can be a server's: neither a public one, nor a module, a file or a version."""
    labels = name.split(".")
    if is_public_host(name) or is_code_file(name) or re.fullmatch(r"v?\d[\d.]*\w*", name):
        return False
    return len(labels) == 1 or not is_common(labels[-2]) or any(not is_common(label) for label in labels[:-2])
