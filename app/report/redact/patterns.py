"""What secrets and identifiers look like, and what stands before them."""

import re
from typing import Final

SECRET_NAME: Final = re.compile(
    r"(?i)(?:^|[_.\-\s]|(?<=[a-z])(?=[A-Z]))?(?:pass(?:word|wd|phrase|wort)|passwd|pwd|kennwort|secret|credential|api[_.-]?key"
    r"|(?:access|account|auth|private|license|storage|subscription|shared|master|deploy|host)[_.-]?key"
    r"|signing[_.-]?key|encryption[_.-]?key|session[_.-]?(?:key|id)|client[_.-]?secret|(?:^|[_.-])(?:key|pat|auth|sas|token|cookie"
    r"|bearer)$|[a-z]token$|token[_.-]?(?:id|value|secret|b64|base64|hex)$"
    r"|connection[_.-]?string|密码|密碼|口令|令牌|密钥|パスワード|비밀번호|암호|пароль|contrase[nñ]a|mot de passe|wachtwoord|senha|hasło)"
)
"""Names of variables and keys whose value is a secret."""

SECRET_HINTS: Final = (
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "sas",
    "cookie",
    "bearer",
    "pat",
    "kennwort",
    "session",
    "connection",
    "密",
    "口令",
    "令牌",
    "パス",
    "비밀",
    "암호",
    "парол",
    "contrase",
    "wachtwoord",
    "senha",
    "hasło",
)

MODEL_TOKEN: Final = re.compile(
    r"(?i)(?:bos|eos|pad|unk|sep|cls|mask|image|video|audio|vision|special|added|next|first|last|per|stop|prompt|num|max|min|new|end|start"
    r"|text|unexpected|of)[_ -]?token"
)
ID_NAME: Final = re.compile(
    r"(?i)(?:^|[_.\-\s])(?:serial(?:[_ .-]?(?:number|no|num))?|serien?nummer|num[eé]ro de s[eé]rie|uuid|guid|machine[_ -]?(?:guid|id)|sid"
    r"|ssid|bssid|mac(?:[_ -]?addr(?:ess)?)?|imei|asset[_ -]?tag"
    r"|product[_ -]?(?:id|key)|installation[_ -]?id|hardware[_ -]?(?:id|hash)|board[_ -]?(?:serial|id)|device[_ -]?id|volume[_ -]?serial"
    r"|hostid|boot[_ -]?id|序列号|シリアル番号|серийный номер)$"
)
USER_NAME: Final = re.compile(
    r"(?i)^(?:.*[_.\- ])?(?:user(?:[_ ]?name)?|username|login(?:[_ ]?name)?|logname|account(?:[_ ]?name)?|owner|registered ?owner|benutzername|用户名"
    r"|注册的所有人|所有者|当前用户(?:名)?|登录用户|使用者名稱|註冊的擁有者"
    r"|帐户|账户|benutzer|registrierter (?:benutzer|eigentümer|besitzer)|nom d.utilisateur|utilisateur|propriétaire enregistré|nombre de usuario|usuario"
    r"|propiedad de|nome utente|nome de usuário|gebruikersnaam|nazwa użytkownika|zarejestrowany właściciel|имя пользователя|пользователь"
    r"|зарегистрированный владелец|ユーザー ?名|登録されている所有者|사용자 ?(?:이름)?|등록된 소유자)$"
)
HOST_NAME: Final = re.compile(
    r"(?i)^(?:.*[_.\- ])?(?:computer(?:[_ ]?name)?|host[_ ]?name|hostname|nodename|node[_ ]?name|machine[_ ]?name|logon ?server|computername"
    r"|rechnername|hostrechner|anmeldeserver|nom de l.hôte|serveur d.ouverture de session|nombre de host|nome host|имя (?:узла|компьютера)|сервер входа в сеть"
    r"|计算机名|主机名|登录服务器|主機名稱|登入伺服器|ホスト ?名|コンピューター ?名|ログオン サーバー|호스트 이름|컴퓨터 이름)$"
)
DOMAIN_NAME: Final = re.compile(
    r"(?i)^(?:user(?:dns)?domain(?:_roamingprofile)?|domain|dns[_ ]?(?:domain|suffix)|workgroup|realm|nv domain"
    r"|domäne|arbeitsgruppe|domaine|dominio|домен|域|工作组|網域|ドメイン|도메인)$"
)
ORG_NAME: Final = re.compile(
    r"(?i)^(?:organi[sz]ation|registered ?organi[sz]ation|registrierte organisation|organisation enregistrée|注册的组织|註冊的組織"
    r"|company|tenant(?:[_ ]?(?:id|name))?)$"
)
MAIL_NAME: Final = re.compile(r"(?i)^(?:e-?mail|user\.email|mail|upn)$")
PERSON_NAME: Final = re.compile(r"(?i)^(?:full ?name|real ?name|display ?name|user\.name|author|gecos)$")

NOTHING: Final = re.compile(
    r"(?i)^(?:none|null|nil|true|false|yes|no|unknown|n/?a|\[n/a\]|not (?:set|specified|available|found)|undefined|default|system|auto"
    r"|unset|empty|missing|required|\*{2,}|x{3,}|\.{2,}|0+|-+|<[^>]*>|\$\{?\w*\}?|%\w*%|)$"
)

BLOCK: Final = re.compile(r"-----BEGIN (?P<kind>[A-Z0-9 ]{3,40})-----")
BLOCK_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{4,}={1,2}(?=\W|$)")
PUBLIC_KEY: Final = re.compile(r"\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-ssh-ed25519@openssh\.com) AAAA[\w+/=]{20,}(?: [^\s]+)?")
HEADER: Final = re.compile(
    r"(?im)\b(?P<key>(?:proxy-)?authorization|(?:set-)?cookie|x-(?:api-key|auth-token|amz-security-token|csrf-token|goog-api-key)"
    r"|private-token)(?P<between>[\"']?\s*[:=]\s*[\"']?)(?P<value>(?:(?:basic|bearer|digest|negotiate|ntlm"
    r"|token) +)?[^\r\n\"'\ue000]{3,2000})"
)
SHAPES: Final = (
    r"gh[pousr]_\w{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{16,}|api_org_[A-Za-z0-9]{16,}|pypi-[\w-]{16,}"
    r"|npm_[A-Za-z0-9]{20,}|nvapi-[\w-]{16,}|sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}"
    r"|pk_(?:live|test)_\w{10,}|(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{12,20}|AIza[\w-]{20,}|ya29\.[\w.-]{16,}|xox[abeoprs]-[\w-]{8,}"
    r"|xapp-[\w-]{8,}|dop_v1_\w{20,}|r8_\w{20,}|gsk_\w{16,}|lin_api_\w{16,}|shpat_\w{16,}|sq0\w{3}-[\w-]{16,}"
    r"|SG\.[\w-]{10,}\.[\w-]{10,}|AC[0-9a-f]{32}|eyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*)?|\d{8,10}:AA[\w-]{30,}"
    r"|https://hooks\.slack\.com/services/[\w/]+|https://discord(?:app)?\.com/api/webhooks/[\w/-]+|AGE-SECRET-KEY-1[A-Z0-9]{20,}"
    r"|tskey-[\w-]{12,}|dckr_pat_[\w-]{16,}|ATATT[\w=-]{20,}|civitai_\w{16,}"
)
SECRET_SHAPE: Final = re.compile(rf"(?<![A-Za-z0-9_-])(?:{SHAPES})")
PAIR: Final = re.compile(
    r"(?i)(?P<key>[\w.\-]{0,40}?(?:mot de passe|pass|pwd|secret|token|key|cred|auth|sas|cookie|bearer|pat|kennwort"
    r"|session|connection|密码|密碼|口令|令牌|密钥|パスワード"
    r"|비밀번호|암호|пароль|contrase[nñ]a|wachtwoord|senha|hasło)[\w.\-]{0,30})"
    r"(?P<between>[\\]?[\"']?[ \t]*(?:=>|:=|[:=：])[ \t]*)"
    r"(?:(?P<quote>\\?[\"'])(?P<quoted>[^\"'\r\n]{1,2000}?)(?P=quote)|(?P<bare>[^\s\"'\ue000\\]{1,2000}))"
)
ARGUMENT: Final = re.compile(
    r"(?i)(?P<key>(?<![\w-])--?(?:password|passwd|pass|token|api-?key|secret|auth|access-token|hf-token|private-key|client-secret"
    r"|proxy-user|user|username|login)(?:=|[ ]+)[\"']?)(?P<value>[^\s\"']{3,500})"
)
NET_USE: Final = re.compile(
    r"(?i)(?P<key>/user:\S{1,100}[ ]+|\bnet use \S+ \S+ (?=[^/\s]+ /user:)|/pass(?:word)?:|\bsshpass -p[ ]*"
    r"|\bcmdkey\b[^\r\n]{0,200}?/p:)(?P<value>[^\s/][^\s]{2,200})"
)
CURL_USER: Final = re.compile(r"(?P<key>\bcurl\b[^\r\n]{0,400}?[ ]-[uU][ ]+[\"']?)(?P<value>[^\s\"']{3,300})")
NETRC: Final = re.compile(r"(?i)\b(?P<a>machine[ \t]+)(?P<host>\S+)(?P<b>\s+login[ \t]+)(?P<user>\S+)(?P<c>\s+password[ \t]+)(?P<password>\S+)")
SPOKEN: Final = re.compile(
    r"(?i)\b(?P<key>(?:password|passphrase|passwort|kennwort|mot de passe|contraseña|密码|パスワード)(?: is| was| ist| für \S+| for \S+|为"
    r"|是)?[ ]*[:：]?[ ]+[\"'“])(?P<value>[^\"'”\r\n]{3,200})(?=[\"'”])"
)
LABEL: Final = re.compile(
    r"(?m)^(?P<indent>[ \t>|*#-]*(?:[\d:.,TZ/\[\]+ -]{8,40}[ "
    r"|]+)?)(?P<key>[^\W\d][^\r\n:：=\ue000\t]{1,60})(?P<between>[:：=][ \t]*)(?P<value>[^\r\n\ue000]{1,300})(?=\r?$)"
)
REGISTRY: Final = re.compile(
    r"(?m)^(?P<indent>[ \t]+)(?P<key>\S[^\t\r\n\ue000]{0,60}?)(?P<between>[ \t]{2,}REG_[A-Z_]{2,12}[ \t]+)(?P<value>[^\r\n\ue000]{1,300})(?=\r?$)"
)
LABEL_HINT: Final = re.compile(
    r"(?i)serial|serien|s[eé]rie|uuid|guid|machine|sid|mac|imei|tag|product|installation|hardware|board|device|volume|id\b|user|login|name"
    r"|account|owner|benutzer|computer|host|server|rechner"
    r"|所有|擁有|utilisateur|usu[aá]rio|utente|propri|gebruiker|użytkownik|пользовател|владелец|ユーザー|사용자|소유자|anmelde|serveur|hôte|узла|компьютер|сервер"
    r"|登录|登入|使用者|ホスト|コンピュ|ログオン|호스트|컴퓨터|domän|arbeitsgruppe|domin|домен|網域|ドメイン|도메인|组织|組織|域|domain|suffix|workgroup|realm|organi|company|tenant|mail|upn|author|gecos|序列|シリアル|серий|用户|帐户|账户|计算机|主机|域|工作组"
)
COLUMN: Final = re.compile(
    r"(?im)^(?P<head>[ \t]*(?:serial ?number|uuid|identifyingnumber|machineguid|processorid"
    r"|pnpdeviceid)[ \t]*\r?\n+(?:\ue000\n)?(?:[- \t]+\r?\n)?)(?P<value>[^\r\n\ue000]{2,100})(?=\r?$)"
)
VOLUME: Final = re.compile(
    r"(?i)(?P<key>(?:volume serial number is|volumeseriennummer(?: ist)?|seriennummer|n[uú]mero de s[eé]rie[^:\r\n]{0,30}"
    r"|numéro de série[^:\r\n]{0,30}|卷的序列号是|序列号|シリアル番号は|серийный номер тома)[: ]*)(?P<value>[0-9A-F]{4}-[0-9A-F]{4})\b"
)
UNAME: Final = re.compile(r"\bLinux (?P<host>[\w.-]{1,63}) (?=\d+\.\d+\.\d+\S* #)")
WHOAMI: Final = re.compile(r"(?m)^(?P<domain>[A-Za-z][\w.-]{1,30})\\(?P<user>[\w.$ -]{1,40})(?=\r?$)")
ACCOUNT: Final = re.compile(
    r"(?P<before>(?:\b(?:user(?: ?name)?|account(?: ?name)?|owner|runas|as|by|benutzer(?:name)?|用户名?)\b|/user)[ :=\"']{1,3})"
    r"(?P<domain>[A-Za-z][\w.-]{1,30})\\{1,2}(?P<user>[\w.$-]{1,40})",
    re.IGNORECASE,
)

GUID: Final = re.compile(r"(?P<prefix>(?:GPU|MIG|VGPU)-)?(?P<value>[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})(?![0-9A-Za-z])")
PUBLIC_GUID: Final = re.compile(
    r"(?i)^(?:4d36e9[0-9a-f]{2}-e325-11ce-bfc1-08002be10318|[0-9a-f]{8}-0000-0000-c000-000000000046|00000000-0000-0000-0000-000000000000"
    r"|ffffffff-ffff-ffff-ffff-ffffffffffff)$"
)
GPU_SHORT: Final = re.compile(r"\b(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}\b")
SID: Final = re.compile(r"\bS-1-(?:5-21|12-1|15-[23])(?:-\d{1,10}){2,12}\b")
PRODUCT: Final = re.compile(r"\b(?:[0-9A-Z]{5}-){4}[0-9A-Z]{5}\b|\b\d{5}-\d{3,5}-[\dA-Z]{5,7}-[\dA-Z]{5}\b")
# These begin with a class of signs, which the search is fast for; what stands before them is looked at only once they fit.
MAC: Final = re.compile(
    r"[0-9A-Fa-f][0-9A-Fa-f](?::(?:[0-9A-Fa-f]{2}:){4}|-(?:[0-9A-Fa-f]{2}-){4})[0-9A-Fa-f]{2}(?![0-9A-Fa-f:-])"
    r"|[0-9a-f][0-9a-f]{3}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![\w.])"
)
IPV6_HINT: Final = re.compile(":[0-9A-Fa-f]{0,4}:")
IPV6_SIGNS: Final = frozenset("0123456789abcdefABCDEF:")
IPV4: Final = re.compile(r"[0-9][0-9]{0,2}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?!\w|\.\d)")
VERSION_BEFORE: Final = re.compile(
    r"(?i)(?:[=~<>!]=?=?\s?|\bv|\bver(?:sions?)?\.?[\"')\]]?\s*(?:wsl|is|of)?\s*[:：=]?\s*[\"']?|versi[oó]n[^\s]*\s*[:：]?\s*|版本[^\d]{0,4}"
    r"|バージョン\s*[:：]?\s*|верси\w+\s*[:：]?\s*|\b[\w+]*[a-z][\w+]*(?<!ip)(?<!v4)(?<!host)(?<!addr)[-_/]|cu\d+[-_ ]+|driver |release |build "
    r"|toolkit |runtime |kernel |linux |\b(?:dll|exe|pyd)[ :(]+)$"
)
PACKAGE_BEFORE: Final = re.compile(
    r"(?i)(?:^|[\"'\s,{(\[])(?P<name>[a-z][\w.]*[-_][\w.-]+|cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|nccl|nvrtc|nvjitlink|wsl|wslg"
    r"|torch|triton|msvcp\w*|vcruntime\w*|vc_redist\w*|[\w.-]+\.(?:dll|exe|pyd|sys))[\"']?\s*(?:[:(=,]|\s)\s*[\"'(]?$"
)
ADDRESS_BEFORE: Final = re.compile(
    r"(?i)(?:ip(?:v4)?|inet6?|addr(?:ess(?:e|es)?)?|host|peer|gateway|gw|dns|nameserver|server|proxy|ping|from|to|via|src|dst|remote|local"
    r"|connect(?:ed|ing|ion)?|listen(?:ing)?|bind|@|://|地址|网关|主机)[^\d\r\n]{0,24}$"
)
