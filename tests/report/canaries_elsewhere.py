"""More private things, on machines of other people: names of many scripts, what programs print of users, tokens and devices.

`told` ones belong to people whose names the machine tells; the `seen` must be known by the place where they stand.
"""

import base64
import json
import unicodedata
from urllib.parse import quote

from tests.report.canaries import Canary

CHINESE = "欧阳静怡"
POLISH = "Łucja Wójcik"
VIETNAMESE = "Ngô Thị Bích"
JAPANESE = "佐藤 美咲"
KOREAN = "김민준"
ARABIC = "فاطمة"
GREEK = "Ελευθερία"
PLAIN = "mlange"
DOTTED = "j.pemberton"
SPECIAL = "Tom&Zoë"
LONG = "Wilhelmina-Rosamunde.Quastenbrink"
USERS = (CHINESE, POLISH, VIETNAMESE, JAPANESE, KOREAN, ARABIC, GREEK, PLAIN, DOTTED, SPECIAL, LONG)
HOSTS_HERE = ("DESKTOP-Q7XKPLM", "LAPTOP-9JH2KF", "srv-quendolin")
DOMAINS_HERE = ("BRZOZA", "brzoza.example")


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def seen(kind: str, text: str, *secrets: str) -> Canary:
    """Known by its place alone."""
    return Canary(kind, text, secrets)


def told(kind: str, text: str, *secrets: str) -> Canary:
    """The machine tells this name."""
    return Canary(kind, text, secrets, known=True)


PEOPLE = (
    told("zh path", rf"C:\Users\{CHINESE}\AppData\Local\Programs\Python", CHINESE),
    told("zh in chinese path", rf"D:\软件\{CHINESE}的文件\ComfyUI\main.py", CHINESE),
    told("zh in chinese sentence", f"系统找不到用户“{CHINESE}”的配置文件", CHINESE),
    told("pl upper", POLISH.upper(), "WÓJCIK", "ŁUCJA"),
    told("pl 8.3", r"C:\Users\UCJAWJ~1\AppData\Local\Temp", "UCJAWJ~1"),
    told("pl 8.3 b", r"C:\Users\ŁUCJAW~1\AppData\Local\Temp", "ŁUCJAW~1"),
    told("pl ascii", "Lucja Wojcik", "Wojcik", "Lucja"),
    told("vn decomposed", nfd(VIETNAMESE), nfd("Bích")),
    told("vn ascii joined", r"/mnt/c/Users/NgoThiBich/x", "NgoThiBich"),
    told("jp fullwidth space", "C:\\Users\\佐藤　美咲\\Desktop", "佐藤", "美咲"),
    told("jp surname", "佐藤様のパソコン", "佐藤"),
    told("ko json", json.dumps({"path": f"C:\\Users\\{KOREAN}\\x"}), KOREAN, "\\uae40\\ubbfc\\uc900"),
    told("ko nfd", nfd(f"C:/Users/{KOREAN}/x"), nfd(KOREAN)),
    told("ar percent", "file:///C:/Users/" + quote(ARABIC) + "/x", quote(ARABIC)),
    told("gr upper no accents", "ΕΛΕΥΘΕΡΙΑ", "ΕΛΕΥΘΕΡΙΑ"),
    told("gr cp1253 mojibake", GREEK.encode("cp1253").decode("cp1252", "replace"), GREEK.encode("cp1253").decode("cp1252", "replace")),
    told("ascii in email", f"{PLAIN}@corp.brzoza.example", PLAIN),
    told("ascii in module", "torchinductor_mlange/ab/cabc.py", "mlange"),
    told("user possessive", "mlange's environment", "mlange"),
    told("user env", "C:\\Users\\mlange.BRZOZA\\AppData", "mlange", "BRZOZA"),
    told("user env 000", "C:\\Users\\mlange.BRZOZA.000\\AppData", "mlange", "BRZOZA"),
    told("dotted user", "C:/Users/j.pemberton/AppData", "pemberton"),
    told("dotted user last", "Owner: Pemberton", "Pemberton"),
    told("amp html", "C:\\Users\\Tom&amp;Zo&euml;\\x", "Tom&amp;", "Zo&euml;"),
    told("amp cmd", "cd C:\\Users\\Tom^&Zoë", "Tom^&Zo"),
    told("amp quoted url", "u=Tom%26Zo%C3%AB", "Tom%26Zo"),
    told("long truncated", r"C:\Users\Wilhelmina-Rosamunde.Quas...\x", "Wilhelmina", "Rosamunde"),
    told("long 8.3", r"C:\PROGRA~1\..\Users\WILHEL~1.QUA\x", "WILHEL~1"),
    told("device path", rf"\\?\C:\Users\{PLAIN}\x", PLAIN),
    told("device unc", rf"\\?\UNC\srv-quendolin\homes${PLAIN}\x".replace("homes$", "homes$\\"), PLAIN, "quendolin"),
    told("dot device", rf"\\.\C:\Users\{PLAIN}\x", PLAIN),
    told("nt path", rf"\??\C:\Users\{PLAIN}\x", PLAIN),
    told("nt device path", rf"\Device\HarddiskVolume3\Users\{PLAIN}\x", PLAIN),
    seen("wsl localhost", r"\\wsl.localhost\Ubuntu-24.04\home\quentissimo\x", "quentissimo"),
    seen("wsl$", r"\\wsl$\Debian\home\quentissimo\.cache", "quentissimo"),
    seen("wsl$ doubled", r"\\\\wsl$\\Debian\\home\\quentissimo\\.cache", "quentissimo"),
    seen("mnt c", "/mnt/c/Users/quentissimo/AppData/Local", "quentissimo"),
    seen("mnt d caps", "/mnt/d/USERS/Quentissimo/x", "Quentissimo"),
    seen("cygwin", "/cygdrive/c/Users/quentissimo/x", "quentissimo"),
    seen("msys", "/c/Users/quentissimo/x", "quentissimo"),
    seen("mac", "/Users/quentissimo/Library", "quentissimo"),
    seen("tilde user", "~quentissimo/.cache/pip", "quentissimo"),
    seen("file url pipe", "file:///C|/Users/quentissimo/x", "quentissimo"),
    seen("file url host", "file://srvfranzi/Users/quentissimo/x.whl", "quentissimo", "srvfranzi"),
    seen("vscode url", "vscode://file/C:/Users/quentissimo/x.py:10", "quentissimo"),
    seen("jar url", "zip:C:/Users/quentissimo/a.zip!/x", "quentissimo"),
    seen("drive letter only in url enc", "path=C%3A%5CUsers%5Cquentissimo%5Cx", "quentissimo"),
    seen("double json", json.dumps(json.dumps({"p": r"C:\Users\quentissimo\x"})), "quentissimo"),
    seen("triple json", json.dumps(json.dumps(json.dumps({"p": r"C:\Users\quentissimo\x"}))), "quentissimo"),
    seen("env percent", r"USERPROFILE=C:\Users\quentissimo", "quentissimo"),
    seen("set output", "HOMEPATH=\\Users\\quentissimo", "quentissimo"),
    seen("ps env", "$env:USERNAME = 'quentissimo'", "quentissimo"),
    seen("ps table", "Name            Value\n----            -----\nUSERNAME            quentissimo", "quentissimo"),
    seen("env repr", "environ({'USERNAME': 'quentissimo', 'COMPUTERNAME': 'FRANZILAPTOP'})", "quentissimo", "FRANZILAPTOP"),
    seen("env repr bytes", "environ({b'USER': b'quentissimo'})", "quentissimo"),
    seen("LOGNAME export", 'declare -x LOGNAME="quentissimo"', "quentissimo"),
    seen("getpass", "getpass.getuser() -> 'quentissimo'", "quentissimo"),
    seen("id", "uid=1000(quentissimo) gid=1000(quentissimo) groups=1000(quentissimo),27(sudo)", "quentissimo"),
    seen("ls -l", "drwxr-xr-x 2 quentissimo quentissimo 4096 Nov 30 10:00 ComfyUI", "quentissimo"),
    seen("ps aux", "quentis+  4711  0.0  0.1  python main.py", "quentis+"),
    seen("icacls", r"C:\ComfyUI FRANZILAPTOP\quentissimo:(OI)(CI)(F)", "quentissimo", "FRANZILAPTOP"),
    seen("net user", "User name            quentissimo\nFull Name            Quentin Issimowitsch", "quentissimo", "Issimowitsch"),
    seen("query user", " USERNAME              SESSIONNAME        ID  STATE\n>quentissimo           console             1  Active", "quentissimo"),
    seen("passwd", "quentissimo:x:1000:1000:Quentin Issimowitsch,,,:/home/quentissimo:/bin/bash", "quentissimo", "Issimowitsch"),
    seen("sudo", "[sudo] password for quentissimo:", "quentissimo"),
    seen("sudoers", "quentissimo is not in the sudoers file.", "quentissimo"),
    seen("su", "Permission denied for user quentissimo", "quentissimo"),
    seen("user quoted", "The user 'quentissimo' does not have access", "quentissimo"),
    seen("chinese user label", "用户名: 司马青衫", "司马青衫"),
    seen("chinese user label2", "当前用户：司马青衫", "司马青衫"),
    seen("german user", "Benutzer: quentissimo", "quentissimo"),
    seen("french user", "Nom d'utilisateur : quentissimo", "quentissimo"),
    seen("russian user", "Имя пользователя: Добрыняша", "Добрыняша"),
    seen("japanese user", "ユーザー名: 早乙女乱馬", "早乙女乱馬"),
    seen("spanish user", "Nombre de usuario: quentissimo", "quentissimo"),
    seen("german home", r"C:\Benutzer\quentissimo\Desktop", "quentissimo"),
    seen("french home", r"C:\Utilisateurs\quentissimo\Bureau", "quentissimo"),
    seen("zh home", r"C:\用户\司马青衫\桌面", "司马青衫"),
    seen("docs and settings", r"C:\Documents and Settings\quentissimo\Desktop", "quentissimo"),
    seen("8.3 unknown user", r"C:\Users\QUENTI~1\AppData\Local\Temp", "QUENTI~1"),
    seen("8.3 docume", r"C:\DOCUME~1\QUENTI~1\LOCALS~1\Temp", "QUENTI~1"),
    seen("onedrive", r"C:\Users\x\OneDrive - Quibblethorpe GmbH\Dokumente", "Quibblethorpe"),
    seen("onedrive 2", r"D:\OneDrive - Quibblethorpe GmbH\ComfyUI", "Quibblethorpe"),
    seen("sharepoint", r"C:\Users\x\Quibblethorpe GmbH\Team - Dokumente\x", "Quibblethorpe"),
    seen("onedrive url", "https://quibblethorpe-my.sharepoint.com/personal/q_issimo_quibblethorpe_onmicrosoft_com", "quibblethorpe", "q_issimo"),
    seen("onmicrosoft", "tenant quibblethorpe.onmicrosoft.com", "quibblethorpe"),
)

HOSTS = (
    told("host", "DESKTOP-Q7XKPLM", "Q7XKPLM"),
    seen("host unknown desktop", "connected to DESKTOP-ZZ81KQM", "ZZ81KQM"),
    seen("host unknown laptop", "node LAPTOP-7QK2J9PD joined", "7QK2J9PD"),
    seen("host win", "WIN-ABC123DEF45 rebooted", "ABC123DEF45"),
    seen("prompt bash", "(base) quentissimo@franzilaptop:~/comfy$ ls", "quentissimo", "franzilaptop"),
    seen("prompt brackets", "[quentissimo@franzilaptop comfy]$ ls", "quentissimo", "franzilaptop"),
    seen("prompt zsh", "quentissimo@franzilaptop ~ %", "quentissimo", "franzilaptop"),
    seen("ssh", "ssh quentissimo@franzilaptop.fritz.box", "quentissimo", "franzilaptop"),
    seen("mdns", "franzilaptop.local resolved", "franzilaptop"),
    seen("fritz", "Could not resolve host franzilaptop.fritz.box", "franzilaptop"),
    seen("resolve", "Could not resolve host: nexus.quibblethorpe.example", "quibblethorpe"),
    seen("requests err", "HTTPSConnectionPool(host='nexus.quibblethorpe.example', port=443): Max retries exceeded with url: /simple/torch/", "quibblethorpe"),
    seen("getaddrinfo", "getaddrinfo failed for artifactory.quibblethorpe.example:443", "quibblethorpe"),
    seen("trusted-host", "trusted-host = nexus.quibblethorpe.example", "quibblethorpe"),
    seen("no_proxy", "NO_PROXY=localhost,127.0.0.1,.quibblethorpe.example,10.20.30.0/24", "quibblethorpe", "10.20.30.0"),
    seen("cert issuer", "issuer: CN=Quibblethorpe Root CA, O=Quibblethorpe GmbH, C=DE", "Quibblethorpe"),
    seen("cert subject", "subject=/C=DE/O=Quibblethorpe GmbH/CN=proxy.quibblethorpe.example", "Quibblethorpe"),
    seen(
        "systeminfo",
        "Host Name:                 FRANZIPC\nDomain:            quibblethorpe.example\nLogon Server:              \\\\DC07",
        "FRANZIPC",
        "quibblethorpe",
        "DC07",
    ),
    seen(
        "systeminfo zh",
        "主机名:           FRANZIPC\n域:               quibblethorpe.example\n登录服务器:       \\\\DCSEVEN",
        "FRANZIPC",
        "quibblethorpe",
        "DCSEVEN",
    ),
    seen(
        "systeminfo de",
        "Hostname:            FRANZIPC\nRegistrierter Benutzer:            Quentin Issimowitsch\nDomäne:            QUIBBLEDOM",
        "FRANZIPC",
        "Issimowitsch",
        "QUIBBLEDOM",
    ),
    seen("hostname cmd", "> hostname\nfranzilaptop\n", "franzilaptop"),
    seen("platform node", "platform.node(): franzilaptop", "franzilaptop"),
    seen("uname_result", "uname_result(system='Windows', node='FRANZIPC', release='11', version='10.0.26100', machine='AMD64')", "FRANZIPC"),
    seen("nslookup", "Server:  fritz.box\nAddress:  192.168.178.1\n\nName:    franzilaptop.fritz.box", "franzilaptop", "192.168.178.1"),
    seen("smb", "smb://franzinas/models/x", "franzinas"),
    seen("unc fwd", "//franzinas/share/models/x", "franzinas"),
    seen("net view", r"Z:        \\franzinas\modelle          Microsoft Windows Network", "franzinas"),
)

CREDENTIALS = (
    told("login that is part of a known name", "https://lucja:Gurke99@pypi.brzoza.example/simple", "Gurke99", "lucja"),
    told("proxy of a known domain", "HTTPS_PROXY=http://wójcik:Gurke99@proxyhaus.brzoza.example:3128", "Gurke99", "proxyhaus", "wójcik"),
    seen("serial number in a sentence", "card replaced, serial: PF9Q8W7E, tested", "PF9Q8W7E"),
    seen("address behind a token", "refused by DESKTOP-ZZ81KQM, 192.168.7.9, gave up", "192.168.7.9", "ZZ81KQM"),
    seen("hf", "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "hf_abcdefghijkl"),
    seen("hf url", "https://user:hf_abcdefghijklmnopqrstuvwxyzABCDEFGH@huggingface.co/x", "hf_abcdef", "user:hf"),
    seen("ghp short", "ghp_abcdefghijklmnopqrst1234", "ghp_abcdefg"),
    seen("ghs", "ghs_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F"),
    seen("gh remote", "https://x-access-token:ghs_16C7e42F292c6912E7710c838347Ae178B4a@github.com/me/x.git", "16C7e42F"),
    seen("git remote user", "git@github.com:quentissimo/secretproject.git", "quentissimo", "secretproject"),
    seen("aws key id", "AKIAIOSFODNN7EXAMPLQ", "AKIAIOSFODNN7"),
    seen("aws session", "aws_session_token=FwoGZXIvYXdzEBYaDHhBTEXAMPLETOKEN123==", "FwoGZXIvYXdz"),
    seen("azure sas", "https://x.blob.core.windows.net/c?sv=2022&sig=abc%2Bdef123456789%3D&se=2026", "abc%2Bdef123456789"),
    seen(
        "azure conn",
        "DefaultEndpointsProtocol=https;AccountName=quibbleacct;AccountKey=Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4==;EndpointSuffix=core.windows.net",
        "Zm9vYmFyYmF6",
    ),
    seen("jwt", "token eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ1c2VyIjoiYSJ9.c2lnbmF0dXJlLXZhbHVl", "c2lnbmF0dXJl"),
    seen("bearer lower", "authorization: bearer abcdEFGH1234ijklMNOP", "abcdEFGH1234"),
    seen("bearer python", "headers={'Authorization': 'Bearer abcdEFGH1234ijklMNOP', 'User-Agent': 'pip/25.3'}", "abcdEFGH1234"),
    seen("bearer curl", "curl -H 'Authorization: Bearer abcdEFGH1234ijklMNOP' https://x", "abcdEFGH1234"),
    seen("bearer bare", "sending Bearer abcdEFGH1234ijklMNOP", "abcdEFGH1234"),
    seen("basic b64", "Proxy-Authorization: Basic " + b64("quentissimo:Str0ngPass"), b64("quentissimo:Str0ngPass")),
    seen("basic bare", "Basic " + b64("quentissimo:Str0ngPass"), b64("quentissimo:Str0ngPass")),
    seen("cookie", "Set-Cookie: sid=Ab12Cd34Ef56; Path=/; HttpOnly", "Ab12Cd34Ef56"),
    seen("pip url", "--extra-index-url https://quentissimo:Str0ngPass@pypi.quibblethorpe.example/simple", "Str0ngPass", "quentissimo", "quibblethorpe"),
    seen("pip url token only", "--index-url https://Str0ngTokenXy@pypi.org/simple", "Str0ngTokenXy"),
    seen("pip masked", "Looking in indexes: https://quentissimo:****@pypi.org/simple", "quentissimo"),
    seen("pip percent", "https://quentissimo%40quibblethorpe.example:Str0ng%21Pass@pypi.org/simple", "Str0ng%21Pass", "quentissimo"),
    seen("pip at in pw", "https://bob:pa@ss@w0rd@pypi.org/simple", "pa@ss", "w0rd"),
    seen("netrc lines", "machine pypi.quibblethorpe.example\n  login quentissimo\n  password Str0ngPass\n", "Str0ngPass", "quentissimo", "quibblethorpe"),
    seen("netrc default", "default login quentissimo password Str0ngPass", "Str0ngPass", "quentissimo"),
    seen("pypirc", "[pypi]\nusername = __token__\npassword = pypi-AgEIcHlwaS5vcmcCJGFiY2Q", "AgEIcHlwaS5vcmc"),
    seen(
        "pypirc2",
        "[server]\nrepository: https://up.quibblethorpe.example\nusername: quentissimo\npassword: Str0ngPass",
        "Str0ngPass",
        "quentissimo",
        "quibblethorpe",
    ),
    seen("condarc", "channels:\n  - https://conda.anaconda.org/t/qu-1a2b3c4d-5e6f-7a8b/quibblethorpe", "qu-1a2b3c4d"),
    seen("conda t", "https://repo.quibblethorpe.example/t/tk-9f8e7d6c/get/main", "tk-9f8e7d6c", "quibblethorpe"),
    seen("git-credentials", "https://quentissimo:Str0ngPass@github.com", "Str0ngPass", "quentissimo"),
    seen("uv toml", '[[index]]\nurl = "https://quentissimo:Str0ngPass@pkgs.quibblethorpe.example/simple"', "Str0ngPass", "quibblethorpe"),
    seen("uv env", "UV_INDEX_PRIVATE_USERNAME=quentissimo", "quentissimo"),
    seen("proxy env", "https_proxy=quentissimo:Str0ngPass@10.1.2.3:3128", "Str0ngPass", "10.1.2.3", "quentissimo"),
    seen("proxy env2", "ALL_PROXY=socks5h://quentissimo:Str0ngPass@gw.quibblethorpe.example:1080", "Str0ngPass", "quibblethorpe"),
    seen("proxy registry", "ProxyServer    REG_SZ    http=gw.quibblethorpe.example:8080;https=gw.quibblethorpe.example:8080", "quibblethorpe"),
    seen("proxy winhttp", "    Proxy Server(s) :  gw.quibblethorpe.example:8080\n    Bypass List     :  *.quibblethorpe.example;10.*", "quibblethorpe"),
    seen("pac", "AutoConfigURL    REG_SZ    http://wpad.quibblethorpe.example/proxy.pac", "quibblethorpe"),
    seen("password cli", "python x.py --password=Str0ngPass", "Str0ngPass"),
    seen("password json esc", r"{\"password\": \"Str0ngPass\"}", "Str0ngPass"),
    seen("password yaml", "password: 'Str0ng Pass'", "Str0ng Pass"),
    seen("password xml", "<password>Str0ngPass</password>", "Str0ngPass"),
    seen("password xml attr", '<add key="ClearTextPassword" value="Str0ngPass" />', "Str0ngPass"),
    seen("password zh", "密码：Str0ngPass", "Str0ngPass"),
    seen("password fr", "Mot de passe : Str0ngPass", "Str0ngPass"),
    seen("pwd conn string", "Server=db.quibblethorpe.example;User Id=sa;Password=Str0ngPass;", "Str0ngPass"),
    seen("openai", "OPENAI_API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789", "sk-abcdef"),
    seen("anthropic", "sk-ant-api03-abcdefghijklmnop-qrstuv_wxyz", "sk-ant-api03"),
    seen("wandb", "WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01234567"),
    seen("wandb log", "wandb: Currently logged in as: quentissimo (quibblethorpe). Use `wandb login --relogin`", "quentissimo", "quibblethorpe"),
    seen(
        "hf whoami",
        "Token is valid. Your token has been saved to C:\\Users\\quentissimo\\.cache\\huggingface\\token\nLogin successful. user: quentissimo",
        "quentissimo",
    ),
    seen("civitai url", "https://civitai.com/api/download/models/1?token=abcdef0123456789", "abcdef0123456789"),
    seen("replicate", "r8_abcdefghijklmnopqrstuvwxyz", "r8_abcdef"),
    seen("telegram", "https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz123456/send", "AAabcdefghij"),
    seen(
        "pem",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
        "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUF",
    ),
    seen(
        "putty",
        "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAAAgQCq7BFUpkGp3zzCANARYabc1234567890\nPrivate-MAC: 0123456789abcdef0123",
        "AAAAgQCq7BFUpkGp3zz",
    ),
    seen("ssh fingerprint", "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8 quentissimo@franzilaptop (ED25519)", "nThbg6kXUpJWGl7E1IGOCsp", "franzilaptop"),
    seen("base64 env", "TOKEN_B64=" + b64("Str0ngPassphrase42"), b64("Str0ngPassphrase42")),
)

IDENTIFIERS = (
    seen("ipv4", "192.168.178.44", "192.168.178.44"),
    seen("ipv4 port", "10.0.0.17:8188", "10.0.0.17"),
    seen("ipv4 to see gui", "To see the GUI go to: http://192.168.178.44:8188", "192.168.178.44"),
    seen("ipv4 public", "Your IP is 87.123.45.67", "87.123.45.67"),
    seen("ipv4 dash", "ip-10-1-2-3.eu-central-1.compute.internal", "10-1-2-3"),
    seen("ipv4 mapped", "::ffff:192.168.178.44", "192.168.178.44"),
    seen("ipv4 arpa", "44.178.168.192.in-addr.arpa", "44.178.168.192"),
    seen("ipv4 json", '{"host": "10.9.8.7"}', "10.9.8.7"),
    seen("ipv4 100.64", "tailscale 100.101.102.103", "100.101.102.103"),
    seen("ipv6", "2a02:8108:1234:5678:9abc:def0:1234:5678", "2a02:8108:1234"),
    seen("ipv6 short", "fe80::1ff:fe23:4567:890a%4", "fe80::1ff:fe23"),
    seen("ipv6 bracket", "http://[2a02:8108::1]:8188/", "2a02:8108"),
    seen("ipv6 ula", "fd12:3456:789a::1", "fd12:3456"),
    seen("mac plain", "MACAddress: 3C7C3FAA910E", "3C7C3FAA910E"),
    seen("mac cisco", "3c7c.3faa.910e", "3c7c.3faa.910e"),
    seen("mac getmac", "3C-7C-3F-AA-91-0E   \\Device\\Tcpip_{5D9E1C42-0F3B-11EE-A1D2-806E6F6E6963}", "3C-7C-3F-AA-91-0E", "5D9E1C42"),
    seen("gpu uuid", "GPU-8f6d1d9a-3c21-9f0e-7b6a-0a1b2c3d4e5f", "8f6d1d9a-3c21"),
    seen("gpu uuid trunc", "GPU-8f6d1d9a", "8f6d1d9a"),
    seen("gpu uuid cvd", "CUDA_VISIBLE_DEVICES=GPU-8f6d1d9a-3c21", "8f6d1d9a"),
    seen("gpu uuid smi csv", "index, uuid, name\n0, GPU-8f6d1d9a-3c21-9f0e-7b6a-0a1b2c3d4e5f, NVIDIA GeForce RTX 4090", "8f6d1d9a"),
    seen(
        "smi xml",
        "<uuid>GPU-8f6d1d9a-3c21-9f0e-7b6a-0a1b2c3d4e5f</uuid>\n<serial>1324720188441</serial>\n<board_id>0x100</board_id>",
        "8f6d1d9a",
        "1324720188441",
    ),
    seen(
        "smi part",
        "    VBIOS Version            : 95.02.18.80.C1\n    GPU Part Number            : 2684-300-A1\n    Serial Number            : 1651922013945",
        "1651922013945",
    ),
    seen("wmic serial", "SerialNumber=PF3XQ9L7", "PF3XQ9L7"),
    seen("bios", "Seriennummer                  : PF3XQ9L7", "PF3XQ9L7"),
    seen("disk sn", "Serial Number: WD-WX12A3456789", "WX12A3456789"),
    seen("sid", "S-1-5-21-1004336348-1177238915-682003330-512", "1004336348"),
    seen("sid reg", r"HKEY_USERS\S-1-5-21-1004336348-1177238915-682003330-1001\Software", "1004336348"),
    seen("sid azure", "S-1-12-1-1234567890-1234567890-1234567890-1234567890", "1-1234567890-1234"),
    told("domain user", r"BRZOZA\mlange", "BRZOZA", "mlange"),
    seen("domain user unknown", r"Running as QUIBBLEDOM\quentissimo", "QUIBBLEDOM", "quentissimo"),
    seen("machine acct", r"QUIBBLEDOM\FRANZIPC$", "QUIBBLEDOM", "FRANZIPC"),
    seen("azuread", r"AzureAD\QuentinIssimowitsch", "QuentinIssimowitsch"),
    seen("msa", r"MicrosoftAccount\quentin@quibblethorpe.example", "quentin@", "quibblethorpe"),
    seen("email odd", "quentin.issimo+ai@quibblethorpe.co.uk", "quentin.issimo", "quibblethorpe"),
    seen("email obf", "<quentin@quibblethorpe.example>", "quentin@"),
    seen("email zh", "联系：qingshan@163.com", "qingshan@163"),
    seen("git author", "Author: Quentin Issimowitsch <quentin@quibblethorpe.example>", "Issimowitsch", "quentin@"),
    seen("gitconfig", "[user]\n\tname = Quentin Issimowitsch\n\temail = quentin@quibblethorpe.example", "Issimowitsch", "quentin@"),
    seen("ssid", "    SSID name : Franzis WLAN 5GHz", "Franzis WLAN"),
    seen("ssid zh", "    SSID                   : 青衫的无线", "青衫的无线"),
    seen("uuid wmic", "UUID\n4C4C4544-0042-3510-8053-B4C04F4E5A32\n", "4C4C4544-0042-3510"),
    seen("volume", "\\\\?\\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\\", "4c1b02c1-d990"),
    seen("serial vol", " Volume Serial Number is 1A2B-3C4D", "1A2B-3C4D"),
    seen("zh vol", " 卷的序列号是 1A2B-3C4D", "1A2B-3C4D"),
    seen("bitlocker", "Recovery key 123456-234567-345678-456789-567890-678901-789012-890123", "234567-345678"),
    seen("wu id", "SusClientId    REG_SZ    5a1b0e3c-9f0e-4b5e-8c57-1a2b3c4d5e6f", "5a1b0e3c"),
    seen("phone", "Tel: +49 170 1234567", "170 1234567"),
)

POSSESSIONS = (
    seen("other prog", r"C:\Program Files\Quibble Steuer 2026\quibble.exe", "Quibble Steuer"),
    seen("other appdata", r"C:\Users\x\AppData\Roaming\Kummerkasten\config.ini", "Kummerkasten"),
    seen("desktop file", r"C:\Users\x\Desktop\Scheidungsvertrag.docx", "Scheidungsvertrag"),
    seen("comfy input", r"D:\ComfyUI\input\meinefrau_nackt.png", "meinefrau"),
    seen("lora", "Requested to load lora: freundin_lena_v2.safetensors", "freundin_lena"),
    seen("drive label", "Volume in drive D is Franzis Platte", "Franzis Platte"),
    seen("drive label zh", " 驱动器 D 中的卷是 青衫资料", "青衫资料"),
)

MORE = PEOPLE + HOSTS + CREDENTIALS + IDENTIFIERS + POSSESSIONS

KEPT = (
    "import os.path, torch.nn.functional, torch._inductor.config, triton.language.extra.libdevice",
    "torch 2.8.0.1 and CUDA 12.8.1.0 with cuDNN 9.10.2.21",
    "cudart64_12.dll 12.8.57.0 loaded beside nvcuda.dll 32.0.15.7216",
    "Collecting torch from https://download.pytorch.org/whl/cu128",
    "see https://github.com/woct0rdho/triton-windows/issues/12 and docs.nvidia.com/cuda",
    "AttributeError: 'CompiledKernel' object has no attribute 'num_warps'",
    "threading.local() and logging.info() and self.model.eval()",
    "RuntimeError: The size of tensor a (512) must match the size of tensor b (256) at non-singleton dimension 1",
    "host compiler targets unsupported OS; user code at line 5 of the user function",
    "for user site packages see PEP 370",
    "the owner of the lock is process 4711, the account of it is not known",
    "Failed to resolve symbol 'cuda.h' and could not resolve type torch.Tensor",
    "connection to the server was lost after 30.0 s",
    "connected to pypi.org:443",
    "127.0.0.1:8188 - - [30/Nov/2026 10:00:00] GET /queue HTTP/1.1 200",
    "To see the GUI go to: http://127.0.0.1:8188",
    "WARNING: Ignoring invalid distribution ~orch (d:\\ai\\venv\\lib\\site-packages)",
    "volume mounts, a host machine, the node of a graph, a user of the kernel",
    "Basic usage: token 128 of 512, bearer of news",
    "CN tuning table, O = A @ B + C, ou",
    "tokenizer.model_max_length=77, pad_token='<|endoftext|>'",
    "total VRAM 12282 MB, total RAM 32560 MB, pytorch version: 2.8.0+cu128, xformers version: 0.0.32.post2",
    "Device: cuda:0 NVIDIA GeForce RTX 4070 : cudaMallocAsync",
    "E0000 00:00:1732960000.123456 4711 cuda_dnn.cc:8310] Unable to register cuDNN factory",
    "-rwxr-xr-x 1 root root 1234 Nov 30 10:00 ptxas",
    "ptxas info    : Used 255 registers, 48 bytes cumulative stack size",
    "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.",
    "uv 0.9.7 (0adb44480 2025-10-30), git version 2.50.1.windows.1, cmake version 4.1.2",
    "Windows 11 Pro 25H2, 10.0.26200.7171, build 26200.7171",
    "WSL version: 2.6.3.0, kernel 6.6.87.2-1, WSLg version: 1.0.71, MSRDC version: 1.2.6353, Direct3D 1.611.1-81528511",
    "win-amd64 wheel: triton_windows-3.4.0.post21-cp312-cp312-win_amd64.whl",
    "win-arm64-cross-compile, desktop-windows, laptop-nvidia",
    "key: value, sort_key=name, primary_key: id, host_key_algorithms",
    "triton/runtime/driver.py:8: UserWarning, see cuda_utils.c:443 and build.py:443",
    "Namespace(share=False, server='0.0.0.0', port=None)",
    "Running on local URL:  http://0.0.0.0:7860",
    "ConnectionError: HTTPConnectionPool(host='127.0.0.1', port=8188)",
    "microsoft.com, python.org and pytorch.org answer",
)
"""What looks like one of these and is none."""
