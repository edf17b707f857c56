"""Private things as they lie about on real machines, each where it really stands, with the letters that must not leave the machine."""

import base64
import json
import zlib
from dataclasses import dataclass

USER = "Jöhn Dœvaril"
SHORT_USER = "vk"
WSL_USER = "zebulonq"
HOST = "KESTREL-QX7Z"
DOMAIN = "ZORBAFIN"
DNS_DOMAIN = "corp.zorbafin.example"
PERSON = "Wilhelmina Quastenbrink"
ORGANISATION = "Quibblethorpe Maschinenbau GmbH"
CHINESE_USER = "诸葛钱塘"
CYRILLIC_USER = "Богданчик"

HOME = f"C:\\Users\\{USER}"


@dataclass(frozen=True)
class Canary:
    """`text` is planted, none of `secrets` may be found afterwards. `known`: the identity of the machine tells it."""

    kind: str
    text: str
    secrets: tuple[str, ...]
    known: bool = False


def b64(text: str, encoding: str = "utf-8") -> str:
    return base64.b64encode(text.encode(encoding)).decode()


NAMES = (
    Canary("user in a path", rf'File "{HOME}\AppData\Local\Temp\x.py", line 3', (USER, "Dœvaril"), True),
    Canary("user, upper case", rf"{HOME.upper()}\APPDATA\LOCAL", (USER,), True),
    Canary("user, forward slashes", f"C:/Users/{USER}/AppData/Local/pip/cache", (USER,), True),
    Canary("user, doubled backslashes", HOME.replace("\\", "\\\\") + "\\\\x", (USER,), True),
    Canary("user, four backslashes", HOME.replace("\\", "\\" * 4), (USER,), True),
    Canary("user, JSON escapes", json.dumps({"p": HOME}), (USER, "J\\u00f6hn", "D\\u0153varil"), True),
    Canary("user, Python repr in ASCII", ascii(HOME), (USER, "J\\xf6hn", "D\\u0153varil"), True),
    Canary("user, percent signs", "file:///C:/Users/J%C3%B6hn%20D%C5%93varil/notes.html", (USER, "J%C3%B6hn", "D%C5%93varil"), True),
    Canary("user, percent signs twice", "next=J%25C3%25B6hn%2520D%25C5%2593varil", ("J%25C3%25B6hn", "D%25C5%2593varil"), True),
    Canary("user, HTML entities", "J&#246;hn D&#339;varil and J&ouml;hn D&oelig;varil", ("J&#246;hn", "D&#339;varil", "J&ouml;hn", "D&oelig;varil"), True),
    Canary("user, quoted-printable", "J=C3=B6hn D=C5=93varil", ("J=C3=B6hn", "D=C5=93varil"), True),
    Canary("user, octal escapes", r"'J\303\266hn D\305\223varil'", (r"J\303\266hn", r"D\305\223varil"), True),
    Canary("user, shell escape", r"cd /mnt/c/Users/Jöhn\ Dœvaril/ComfyUI", ("Dœvaril", "Jöhn"), True),
    Canary("user, decomposed letters", "Jo\u0308hn Dœvaril", ("Jo\u0308hn",), True),
    Canary("user, without accents", "John Doevaril logged in", ("Doevaril",), True),
    Canary("user, read as cp1252", "C:\\Users\\" + USER.encode().decode("cp1252") + "\\x", (USER.encode().decode("cp1252"),), True),
    Canary("user, read as cp850", USER.encode("cp1252").decode("cp850"), (USER.encode("cp1252").decode("cp850"),), True),
    Canary("user, letters lost", "C:\\Users\\J?hn D?varil\\x", ("D?varil",), True),
    Canary("user, replacement signs", "C:\\Users\\J\ufffdhn D\ufffdvaril\\x", ("D\ufffdvaril",), True),
    Canary("user, joined by an underscore", r"torchinductor_Jöhn_Dœvaril", ("Dœvaril",), True),
    Canary("user, base64", f"payload {b64(HOME)}", (b64(HOME)[12:], USER), True),
    Canary("user, base64 of UTF-16", f"-EncodedCommand {b64(f'cd {HOME}', 'utf-16-le')}", (USER,), True),
    Canary("user, base64 cut at its start", "..." + b64(f"xx{HOME}\\AppData")[3:], (USER, b64(f"xx{HOME}\\AppData")[5:40]), True),
    Canary("user, base64 for URLs", base64.urlsafe_b64encode(f"??>{HOME}".encode()).decode(), (USER,), True),
    Canary("user, base64 twice", b64(b64(HOME)), (USER, b64(HOME)), True),
    Canary("user, packed then base64", base64.b64encode(zlib.compress(f"hello {HOME} and more words".encode())).decode(), (USER,), True),
    Canary("user, hexadecimal", f"hex: {HOME.encode().hex()}", (USER, USER.encode().hex()), True),
    Canary("user, hexadecimal of UTF-16", f"REG_BINARY {HOME.encode('utf-16-le').hex()}", (USER, USER.encode("utf-16-le").hex()), True),
    Canary("user, hex with gaps", " ".join(f"{byte:02x}" for byte in HOME.encode()), (" ".join(f"{byte:02x}" for byte in USER.encode()),), True),
    Canary("user, list of byte values", str(list(HOME.encode())), (str(list(USER.encode()))[1:-1],), True),
    Canary("user, UTF-16 read byte by byte", "\0".join(USER), ("\0".join(USER),), True),
    Canary("user, signs set apart", " ".join("Dœvaril"), (" ".join("Dœvaril"),), True),
    Canary("user, short name", r"C:\Users\JÖHNDŒ~1\AppData\Local\Temp\tmp1", ("JÖHNDŒ~1",), True),
    Canary("user, in a WSL share", rf"\\wsl.localhost\Ubuntu\home\{WSL_USER}\comfy", (WSL_USER,)),
    Canary("user, in a Linux home", f"/home/{WSL_USER}/.cache/pip/wheels: permission denied", (WSL_USER,)),
    Canary("user, in a shell prompt", f"{WSL_USER}@{HOST}:~$ python -m pip list", (WSL_USER, HOST)),
    Canary("user, Chinese", rf"C:\Users\{CHINESE_USER}\AppData\Local\Temp", (CHINESE_USER,)),
    Canary("user, Chinese inside a sentence", f"无法打开{CHINESE_USER}的文件夹", (CHINESE_USER,)),
    Canary("user, Cyrillic", rf"c:\users\{CYRILLIC_USER.lower()}\.triton\cache", (CYRILLIC_USER, CYRILLIC_USER.lower())),
    Canary("user of two letters, by its place", rf"C:\Users\{SHORT_USER}\AppData", (rf"Users\{SHORT_USER}",)),
    Canary("user in a variable", "USERNAME=Pellegrina", ("Pellegrina",)),
    Canary("user after a domain", r"runas /user:ZORBAFIN\pellegrinaz cmd", ("pellegrinaz", "ZORBAFIN")),
    Canary("user in whoami", "zorbafin\\pellegrinaw", ("pellegrinaw", "zorbafin")),
    Canary("other users of the machine", r"D:\Backup\Users\Ottokarius\Desktop", ("Ottokarius",)),
    Canary("registered owner", "Registered Owner:              Wilhelmina Quastenbrink", (PERSON, "Quastenbrink")),
    Canary("registered owner in Chinese", "注册的所有人:      欧阳冰清", ("欧阳冰清",)),
    Canary("organisation", f"RegisteredOrganization    REG_SZ    {ORGANISATION}", (ORGANISATION, "Quibblethorpe")),
    Canary("employer in a OneDrive folder", rf"{HOME}\OneDrive - {ORGANISATION}\ComfyUI", (ORGANISATION, "Quibblethorpe"), True),
    Canary("git author", "user.name=Wilhelmina Quastenbrink\nuser.email=w.quastenbrink@zorbafin.example", ("Quastenbrink", "w.quastenbrink@")),
)

MACHINES = (
    Canary("host name", f"Host Name:                 {HOST}", (HOST,), True),
    Canary("host name, lower case", f"nameserver for {HOST.lower()} not found", (HOST.lower(),), True),
    Canary("host name in a share", rf"\\{HOST}\scratch\wheels", (HOST,), True),
    Canary("host name, full", f"{HOST.lower()}.{DNS_DOMAIN}", (HOST.lower(), DNS_DOMAIN, "zorbafin"), True),
    Canary("host name in uname", "Linux falconnest77 5.15.167.4-microsoft-standard-WSL2 #1 SMP x86_64", ("falconnest77",)),
    Canary("other machine's share", r"net use z: \\archivtower\privat geheimnis77", ("archivtower",)),
    Canary("domain", "LOGONSERVER=\\\\DCZORBA01\nUSERDNSDOMAIN=CORP.ZORBAFIN.EXAMPLE", ("DCZORBA01", "CORP.ZORBAFIN.EXAMPLE")),
    Canary("workgroup", "Workgroup: SCHNABELWERK", ("SCHNABELWERK",)),
    Canary("IPv4 of a home", "inet 192.168.77.23/24 brd 192.168.77.255", ("192.168.77.23", "192.168.77.255")),
    Canary("IPv4 of a company", "Connection to 10.44.91.7:3128 timed out", ("10.44.91.7",)),
    Canary("IPv4, public", "peer address 203.0.113.84 refused", ("203.0.113.84",)),
    Canary("IPv4 in a URL", "http://172.29.14.201:8188/queue", ("172.29.14.201",)),
    Canary("IPv6, link-local", "fe80::5054:ff:fe12:3456%eth0", ("fe80::5054:ff:fe12:3456",)),
    Canary("IPv6, public", "connect to [2001:db8:85a3::8a2e:370:7334]:443", ("2001:db8:85a3::8a2e:370:7334",)),
    Canary("MAC address", "Physical Address. . . : 3C-7C-3F-AA-91-0E", ("3C-7C-3F-AA-91-0E",)),
    Canary("MAC address, colons", "link/ether 00:15:5d:8a:f3:21 brd", ("00:15:5d:8a:f3:21",)),
    Canary("wireless network", "    SSID                   : Rumpelkammer5G", ("Rumpelkammer5G",)),
    Canary("GPU UUID", "GPU 0: NVIDIA GeForce RTX 4070 (UUID: GPU-6c3f9a17-88b2-4e0d-9f61-2ad5c07be914)", ("6c3f9a17-88b2-4e0d-9f61-2ad5c07be914",)),
    Canary("MIG UUID", "MIG-77aa31c4-02be-5f9c-8a40-6d3be9f1c2d8", ("77aa31c4-02be-5f9c-8a40-6d3be9f1c2d8",)),
    Canary("GPU serial", "    Serial Number                         : 1324720188441", ("1324720188441",)),
    Canary("BIOS serial in a column", "SerialNumber\nPF3XQ9L7\n", ("PF3XQ9L7",)),
    Canary("disk serial", "Volume Serial Number is 9C31-E7B2", ("9C31-E7B2",)),
    Canary("disk serial in German", "Volumeseriennummer: 4A7F-0D12", ("4A7F-0D12",)),
    Canary("machine GUID", "    MachineGuid    REG_SZ    1b0c8f53-2a77-4a6c-9e0d-55f0a8c4e7d1", ("1b0c8f53-2a77-4a6c-9e0d-55f0a8c4e7d1",)),
    Canary("volume GUID", r"\\?\Volume{5d9e1c42-0f3b-11ee-a1d2-806e6f6e6963}\ ", ("5d9e1c42-0f3b-11ee-a1d2-806e6f6e6963",)),
    Canary("SID", "S-1-5-21-3623811015-3361044348-30300820-1013", ("3623811015-3361044348-30300820",)),
    Canary("product key", "Key: VK7JG-NPHTM-C97JM-9MPGT-3V66T", ("VK7JG-NPHTM-C97JM-9MPGT-3V66T",)),
    Canary("product id", "Product ID:                00330-80112-18556-AA273", ("00330-80112-18556-AA273",)),
    Canary("e-mail", "Maintainer: wilma.zitterbart@mailbox.example wrote", ("wilma.zitterbart", "mailbox.example")),
    Canary("e-mail, percent sign", "login_hint=wilma.zitterbart%40mailbox.example", ("wilma.zitterbart",)),
)

SECRETS = (
    Canary("proxy login", "HTTPS_PROXY=http://kolibri:S3hrGeh3im@proxy.zorbafin.example:8080", ("kolibri", "S3hrGeh3im", "proxy.zorbafin.example")),
    Canary("proxy password with signs", "http://kolibri:p%40ss%2Fw0rd!@proxy.zorbafin.example", ("p%40ss%2Fw0rd", "p@ss/w0rd")),
    Canary(
        "index login",
        "index-url = https://deploy:tok3nGlimmer@nexus.zorbafin.example/repository/geheimprojekt/simple",
        ("tok3nGlimmer", "nexus.zorbafin", "geheimprojekt"),
    ),
    Canary(
        "index in a pip log",
        "Looking in indexes: https://packages.example.org/simple, https://artifacts.zorbafin.example/api/pypi/knuspermaus/simple",
        ("artifacts.zorbafin", "knuspermaus"),
    ),
    Canary(
        "signed link",
        "https://dl.zorbafin.example/x.whl?X-Amz-Signature=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b&X-Amz-Credential=AKIAQ3EGRZZQTFVXYZAB",
        ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "AKIAQ3EGRZZQTFVXYZAB"),
    ),
    Canary("Hugging Face token", "HF_TOKEN=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", ("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",)),
    Canary("GitHub token", "remote: ghp_16C7e42F292c6912E7710c838347Ae178B4a", ("ghp_16C7e42F292c6912E7710c838347Ae178B4a",)),
    Canary("GitHub token, fine-grained", "github_pat_11ABCDEFG0abcdefghijkl_MNOPQRSTUVWXYZ0123456789", ("github_pat_11ABCDEFG0abcdefghijkl",)),
    Canary("GitLab token", "glpat-Xy7zQ_kM2nB4vC6xZ8aS", ("glpat-Xy7zQ_kM2nB4vC6xZ8aS",)),
    Canary("upload token", "pypi-AgEIcHlwaS5vcmcCJDU2MDk3YzQxLTRkZjYtNGI4YS1iZTY4", ("AgEIcHlwaS5vcmcCJDU2MDk3YzQx",)),
    Canary("OpenAI key", "openai.api_key = sk-proj-T9xQ2mL7vB4nC8kZ1pW5rY3dF6gH0jS", ("sk-proj-T9xQ2mL7vB4nC8kZ1pW5rY3dF6gH0jS",)),
    Canary("AWS keys", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYQUETSCHKEY", ("wJalrXUtnFEMI", "bPxRfiCYQUETSCHKEY")),
    Canary("Google key", "key=AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", ("AIzaSyD-9tSrke72PouQMnMX",)),
    Canary("Slack token", "xoxb-263594206564-2343594206564-FGqddMF8t08v8N7Oq4i57vs1", ("FGqddMF8t08v8N7Oq4i57vs1",)),
    Canary("NGC key", "NGC_API_KEY: nvapi-8fJq2LmX9vB4nC7kZ1pW5rY3", ("nvapi-8fJq2LmX9vB4nC7kZ1pW5rY3",)),
    Canary("Civitai key", "CIVITAI_API_KEY=4f9b2c81d07e63a5b8f1c2d3e4a50697", ("4f9b2c81d07e63a5b8f1c2d3e4a50697",)),
    Canary(
        "JSON web token",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJxdWFzdGVuYnJpbmsifQ.dBjftJeZ4CVPmB92K27uhbUJU1p1r",
        ("eyJzdWIiOiJxdWFzdGVuYnJpbmsifQ", "dBjftJeZ4CVPmB92K27uhbUJU1p1r"),
    ),
    Canary("authorization header", "> Authorization: Basic a29saWJyaTpTM2hyR2VoM2lt", ("a29saWJyaTpTM2hyR2VoM2lt",)),
    Canary("bearer header in JSON", '{"Authorization": "Bearer Zm9vYmFyYmF6cXV4"}', ("Zm9vYmFyYmF6cXV4",)),
    Canary("cookie", "Cookie: session=QmlyZHNOZXN0; theme=dark", ("QmlyZHNOZXN0",)),
    Canary("password in a configuration", "password = Kr4ut&R0ben", ("Kr4ut&R0ben", "Kr4ut")),
    Canary("password in JSON", '{"password": "Mohnblume 1987!"}', ("Mohnblume",)),
    Canary("password in a German sentence", 'Kennwort: "Feldhamster#3"', ("Feldhamster",)),
    Canary("password on a command line", "curl -u kolibri:Tannenzapfen8 https://packages.example.org/simple", ("Tannenzapfen8",)),
    Canary("password of net use", r"net use z: \\archivtower\x /user:ZORBAFIN\kolibri Winterstiefel5", ("Winterstiefel5",)),
    Canary("token option", "huggingface-cli login --token Q7x9mL2vB8nK4zW1", ("Q7x9mL2vB8nK4zW1",)),
    Canary("netrc", "machine nexus.zorbafin.example login kolibri password Gurkensalat3", ("Gurkensalat3",)),
    Canary("uv index password", "UV_INDEX_INTERN_PASSWORD=Blaubeere77", ("Blaubeere77",)),
    Canary(
        "private key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n"
        "AAAAtzc2gtZWQyNTUxOQAAACBqRsTuVwXyZ\n-----END OPENSSH PRIVATE KEY-----",
        ("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ", "AAAAtzc2gtZWQyNTUxOQAAACBqRsTuVwXyZ"),
    ),
    Canary(
        "private key on one line",
        '"key": "-----BEGIN RSA PRIVATE KEY-----\\nMIIEowIBAAKCAQEAtEsTkEyLiNe0001\\n-----END RSA PRIVATE KEY-----\\n"',
        ("MIIEowIBAAKCAQEAtEsTkEyLiNe0001",),
    ),
    Canary(
        "private key without an end",
        "-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8\nAgEAAkEAq7BFUpkGp3zzCANARYabc\n",
        ("MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8", "AgEAAkEAq7BFUpkGp3zzCANARYabc"),
    ),
    Canary("ssh key with a comment", f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKgNdOqXzVt8 {WSL_USER}@nest", ("AAAAC3NzaC1lZDI1NTE5AAAAIKgNdOqXzVt8",)),
    Canary("git remote with a token", "origin https://oauth2:Zk9pQ2xV7mBn@git.zorbafin.example/team/schatzkiste.git (fetch)", ("Zk9pQ2xV7mBn", "schatzkiste")),
    Canary("secret of no known shape", "trace id Xk9Lm2Qp7Rt4Vw8Yz1Bc5Df3Gh6Jn", ("Xk9Lm2Qp7Rt4Vw8Yz1Bc5Df3Gh6Jn",)),
    Canary("secret of a variable, elsewhere", "sent Löwenzahn-Tee-42 to the server", ("Löwenzahn-Tee-42",), True),
    Canary("secret of a variable, for URLs", "x=L%C3%B6wenzahn-Tee-42", ("L%C3%B6wenzahn-Tee-42",), True),
)

OTHERS = (
    Canary("other program's folder", r"C:\Program Files\Finanzamt Elsterbude\bin\steuer.exe crashed", ("Elsterbude",)),
    Canary("other program's library", r"loaded C:\Program Files (x86)\Glimmerware Suite\hook\inject.dll", ("Glimmerware",)),
    Canary("other program on the PATH", r"PATH=C:\Windows;D:\Tools\Wackelpudding\bin;C:\Windows\System32", ("Wackelpudding",)),
    Canary("a person's project", r"D:\Projekte\Scheidung Meier 2026\ComfyUI\main.py", ("Scheidung Meier",)),
    Canary("a person's model", r"E:\models\loras\meine_exfrau_v3.safetensors not found", ("meine_exfrau",)),
    Canary("a person's picture", "saved /home/zebulonq/ComfyUI/output/geburtstagsfeier.png", ("geburtstagsfeier",)),
    Canary("other program on Linux", "/opt/wundertuete/bin/agentd", ("wundertuete",)),
    Canary("folder in a file URL", "file:///D:/Lieblingsrezepte/Apfelkuchen/x.html", ("Lieblingsrezepte", "Apfelkuchen")),
)

ALL = NAMES + MACHINES + SECRETS + OTHERS

SURVIVORS = (
    "torch 2.8.0+cu128 with triton-windows 3.4.0.post21 on Python 3.12.10",
    "nvidia-curand-cu12==10.3.9.90",
    "nvidia-cublas-cu12        12.8.4.1",
    "WSL version: 2.6.3.0",
    "Driver Version: 572.16       CUDA Version: 12.8",
    "msvcp140.dll 14.29.30139.0, vcruntime140.dll 14.44.35211.0",
    "ImportError: DLL load failed while importing libtriton: A dynamic link library (DLL) initialization routine failed.",
    "ImportError: DLL load failed while importing libtriton: 动态链接库(DLL)初始化例程失败。",
    "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    "torch._inductor.exc.InductorError: RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
    "fatal error C1083: Cannot open include file: 'Python.h': No such file or directory",
    "LINK : fatal error LNK1104: cannot open file 'python312.lib'",
    "PermissionError: [WinError 5] Access is denied",
    "OSError: [WinError 1455] The paging file is too small for this operation to complete.",
    "ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'",
    "ERROR: triton-windows-3.4.0.post21-cp312-cp312-win_amd64.whl is not a supported wheel on this platform.",
    "Error code: Wsl/Service/CreateInstance/CreateVm/HCS/0x80370102",
    "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<c10::Half> >",
    "_ZN3c104cuda20CUDACachingAllocator9allocatorE",
    "pad_token_id=0 eos_token=2 max_new_tokens=512 tokens: 1024",
    "2026-11-29 14:03:41.125 INFO step test finished in 1.8 s",
    "https://download.pytorch.org/whl/cu128/torch-2.8.0%2Bcu128-cp312-cp312-win_amd64.whl",
    "https://pypi.tuna.tsinghua.edu.cn/simple",
    r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.8\bin\nvcc.exe",
    r"C:\Program Files (x86)\Windows Kits\10\Include\10.0.26100.0\ucrt\corecrt.h",
    r"C:\Program Files\Microsoft Visual Studio\2022\BuildTools\VC\Tools\MSVC\14.44.35207\bin\Hostx64\x64\cl.exe",
    r'File "D:\AI\ComfyUI_windows_portable\python_embeded\Lib\site-packages\triton\runtime\build.py", line 123, in _build',
    r"C:\Windows\System32\nvcuda.dll",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "cl.exe /nologo /O2 /LD main.c /link /OUT:cuda_utils.pyd",
    "GPU 0: NVIDIA GeForce RTX 4070, compute capability 8.9, 12 GB",
    "{4d36e968-e325-11ce-bfc1-08002be10318}",
)
