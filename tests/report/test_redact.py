"""The redactor: consistent, idempotent, and careful with names that are words."""

import base64
import json
import re
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.report.redact.forms import short_names, writings
from app.report.redact.identity import Identity, collect_identity, identify
from app.report.redact.reading import readable, text_of
from app.report.redact.redactor import Redactor
from app.report.redact.tokens import TOKEN, Tokens
from app.report.redact.words import is_common, is_known_folder, is_public_host
from tests.report.canaries import SURVIVORS

LOG = "\n".join(
    (
        *SURVIVORS,
        "Collecting triton-windows==3.4.0.post21",
        "  Using cached triton_windows-3.4.0.post21-cp312-cp312-win_amd64.whl (41.2 MB)",
        "Requirement already satisfied: setuptools>=40.8.0 in d:\\ai\\venv\\lib\\site-packages (from triton-windows) (80.9.0)",
        "Installing collected packages: triton-windows, sageattention",
        "python.exe: No module named pip",
        "the user site is enabled, an administrator can disable it for all users of this pc",
        "Python was not found; run without arguments to install from the Microsoft Store",
        "WARNING: Running pip as the 'root' user can result in broken permissions",
        "admin rights are needed: the test host is a virtual machine in a default network",
        "a kernel of triton.language was compiled for cuda:80 in 0.31 s, a second one in 0.02 s",
        "[ComfyUI-Manager] default cache updated: https://raw.githubusercontent.com/ltdrdata/ComfyUI-Manager/main/model-list.json",
        "Prompt executed in 14.58 seconds, model weight dtype torch.float16, device: cuda:0",
        '  File "D:\\AI\\ComfyUI\\custom_nodes\\ComfyUI-KJNodes\\nodes\\model_optimization_nodes.py", line 78, in attention_sage',
        "subprocess.CalledProcessError: Command '['C:\\\\Program Files\\\\Microsoft Visual Studio\\\\2022\\\\cl.exe']' returned non-zero exit status 2.",
        "wsl: A localhost proxy configuration was detected but not mirrored into WSL.",
        "Exception in thread Thread-1 (worker): step 3 of 7, mark 12, may fail, will retry",
        "bill of materials written; frank reading of will and mark",
    )
)
COMMON = (
    "user",
    "admin",
    "pc",
    "a",
    "Administrator",
    "python",
    "triton",
    "test",
    "root",
    "default",
    "Owner",
    "gpu",
    "win",
    "NVIDIA",
    "torch",
    "cuda",
    "dev",
    "ai",
    "x",
    "host",
    "local",
    "4090",
    "rtx4090",
    "pc01",
    "test-user",
    "C",
    "Windows",
    "net",
    "model",
    "kernel",
    "用户",
    "comfyui",
)


@pytest.mark.parametrize("name", COMMON)
def test_a_name_that_is_a_word_does_not_destroy_text(name: str) -> None:
    redactor = Redactor(Identity(users=(name,), hosts=(name,), domains=(name,), people=(name,)))
    redactor.study([LOG])
    assert redactor.text(LOG) == LOG


@pytest.mark.parametrize("name", [name for name in COMMON if name != "default"])
def test_it_is_replaced_where_its_place_shows_that_it_is_a_name(name: str) -> None:
    redactor = Redactor(Identity(users=(name,), hosts=(name,)))
    path = rf"C:\Users\{name}\AppData\Local\Temp"
    redactor.study([path])
    shown = redactor.text(path)
    assert shown.startswith("C:\\Users\\USER-1")
    assert shown.endswith("\\AppData\\Local\\Temp")
    assert redactor.text(f"USERNAME={name}") == f"USERNAME={shown.split(chr(92))[2]}"


@pytest.mark.parametrize("name", ["anneliese", "Jöhn Dœ", "KESTREL-77", "王小明", "Богдан", "j.smithson", "O'Brien-Kowalska", "R&D Team Vogel"])
def test_a_name_that_is_no_word_is_replaced_everywhere(name: str) -> None:
    redactor = Redactor(Identity(users=(name,)))
    text = f"{name} wrote; <{name}> and ({name.upper()}), {name.lower()}_x torchinductor_{name} C:/Users/{name}/x \\\\?\\C:\\Users\\{name}\\x"
    shown = redactor.text(text)
    assert name.lower() not in shown.lower()
    assert len(set(TOKEN.findall(shown))) == 1, shown
    assert shown.count("USER") == 7


def test_tokens_are_the_same_for_the_same_and_different_for_different() -> None:
    redactor = Redactor(Identity(users=("anneliese", "bartholom")))
    lines = ["anneliese and bartholom", "C:\\Users\\ANNELIESE\\x", "/home/bartholom/x", "10.1.2.3:80 and 10.1.2.4:80", "peer 10.1.2.3"]
    redactor.study(lines)
    first, second, third, fourth, fifth = (redactor.text(line) for line in lines)
    a, b = TOKEN.findall(first)
    assert a != b
    assert "USER-1" in second
    assert "USER-2" in third
    assert re.findall(r"IP-\d", fourth) == ["IP-1", "IP-2"]
    assert "IP-1" in fifth


def test_numbers_of_tokens_that_are_there_already_are_not_given_again() -> None:
    redactor = Redactor()
    redactor.study(["C:\\Users\\USER-4\\x and IP-9", "C:\\Users\\quentinus\\x"])
    assert redactor.text("C:\\Users\\USER-4\\x") == "C:\\Users\\USER-4\\x"
    assert redactor.text("C:\\Users\\quentinus\\x") == "C:\\Users\\USER-5\\x"


@pytest.mark.parametrize(
    ("original", "shape"),
    [
        ("Jöhn Dœ", "USER 1é"),
        ("王小明", "USER-1文"),
        ("Богдан", "USER-1ж"),
        ("anneliese", "USER-1"),
        ("Tom & Jerry", "USER 1&"),
        ("Wilhelmina-Rosamunde", "USER-1______________"),
    ],
)
def test_a_token_shows_what_makes_paths_fail(original: str, shape: str) -> None:
    token = Tokens().get("USER", original)
    assert token == shape
    assert TOKEN.fullmatch(token)


_PIECES = st.one_of(
    st.text(max_size=24),
    st.sampled_from(
        [
            *SURVIVORS,
            "C:\\Users\\anneliese\\x",
            "http://a:b@c.example/x?y=zzzzzzzzzz",
            "10.0.0.7",
            "a@b.cd",
            "USER-1",
            "password=hunter22",
            "-----BEGIN RSA PRIVATE KEY-----",
            "\\\\",
            "//",
            "%C3%B6",
            "Serial Number : 123456789012",
        ]
    ),
    st.text(alphabet=string.printable, max_size=30),
    st.text(alphabet="abcDEF0123456789+/=-_.:\\\"' \n", max_size=60),
)
TEXTS = st.lists(_PIECES, max_size=8).map("".join)


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_any_text_is_redacted_and_twice_is_as_good_as_once(text: str) -> None:
    redactor = Redactor(Identity(users=("anneliese",), secrets=("Löwenzahn-42",)))
    redactor.study([text])
    once = redactor.text(text)
    assert "anneliese" not in once.lower()
    again = redactor.text(once)
    assert TOKEN.sub("#", again) == TOKEN.sub("#", once)


@settings(deadline=None, max_examples=100)
@given(
    st.recursive(
        TEXTS | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
        max_leaves=12,
    )
)
def test_a_document_keeps_its_form(document: object) -> None:
    def form(value: object) -> object:
        if isinstance(value, dict):
            return [form(item) for item in value.values()] if len(value) < 2 else None
        return [form(item) for item in value] if isinstance(value, list) else type(value).__name__

    redactor = Redactor(Identity(users=("anneliese",)))
    shown = redactor.document(document)
    assert form(shown) == form(document)
    assert "anneliese" not in json.dumps(shown, ensure_ascii=False).lower()


@settings(deadline=None, max_examples=150)
@given(
    st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc", "Co", "Cn", "Zs", "Zl", "Zp", "Cf", "Mn", "Me")), min_size=5, max_size=16).filter(
        lambda name: not is_common(name) and not re.search(r'[\\/:*?"<>|;=~%@#,.\s]', name) and any(sign.isalnum() for sign in name)
    ),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]),
)
def test_any_user_name_is_found_in_any_encoding(name: str, encoding: str) -> None:
    redactor = Redactor(Identity(users=(name,)))
    line = f"opened C:\\Users\\{name}\\AppData\\Local\\pip\\cache for reading"
    content = line.encode(encoding)
    for text in (readable(content), f"data {base64.b64encode(content).decode()}", f"data {content.hex()}", json.dumps(line), ascii(line)):
        shown = redactor.text(text).lower()
        assert name.lower() not in shown
        for run in re.findall(r"[a-z0-9+/]{12,}=*", redactor.text(text), re.IGNORECASE):
            with_padding = run.rstrip("=") + "=" * (-len(run.rstrip("=")) % 4)
            try:
                meant = base64.b64decode(with_padding)
            except ValueError:
                continue
            assert name.lower() not in meant.decode(encoding, "replace").lower()
        assert name.encode(encoding).hex() not in shown


def test_a_learned_secret_is_replaced_where_nothing_names_it() -> None:
    redactor = Redactor()
    lines = ["password = Kr4ut&R0ben", "sending Kr4ut&R0ben to the proxy"]
    redactor.study(lines)
    assert "Kr4ut" not in redactor.text(lines[1])


@pytest.mark.parametrize(
    "line",
    [
        "password: None",
        "api_key=",
        "token: 5",
        "tokens: 1024",
        "eos_token_id = 151645",
        "secret santa",
        "Expected token ')' but found 'def'",
        "authentication failed",
        "PWD=/tmp",
        "key: value",
        "KeyError: 'token'",
        "sha256=3lU2IXqVuWjHkNqv2Z1J0aXo6X9_hq-8Zs3xG2yV3mA",
    ],
)
def test_words_about_secrets_are_no_secrets(line: str) -> None:
    assert Redactor().text(line) == line


@pytest.mark.parametrize(
    "version",
    [
        "nvidia-cudnn-cu12 9.10.2.21",
        "cublas 12.8.4.1",
        "WSL-Version: 2.6.3.0",
        "WSL 版本： 2.6.3.0",
        "Версия WSL: 2.6.3.0",
        "10.0.26100.3037",
        "driver 32.0.15.7216",
        "curand==10.3.9.90",
        '"nvidia-curand-cu12": "10.3.9.90"',
        "1.2.3.4",
        "nvidia_curand_cu12-10.3.9.90-py3-none-win_amd64.whl",
        "kernel 6.6.87.2-1",
    ],
)
def test_versions_are_no_addresses(version: str) -> None:
    assert Redactor().text(version) == version


@pytest.mark.parametrize(
    ("address", "hidden"),
    [
        ("peer 203.0.113.4", "203.0.113.4"),
        ("10.1.2.3 refused", "10.1.2.3"),
        ("nameserver 1.2.3.4", "1.2.3.4"),
        ("ping 192.168.1.5", "192.168.1.5"),
        ("(172.16.9.1:8080)", "172.16.9.1"),
        ("http://85.214.132.117/x", "85.214.132.117"),
    ],
)
def test_addresses_are_no_versions(address: str, hidden: str) -> None:
    assert hidden not in Redactor().text(address)


@pytest.mark.parametrize("local", ["127.0.0.1:8188", "http://localhost:8188", "http://127.0.0.1:7890", "::1"])
def test_this_very_machine_has_no_address_to_hide(local: str) -> None:
    assert Redactor().text(f"listening on {local}") == f"listening on {local}"


def test_short_names_become_the_token_of_the_whole_name() -> None:
    redactor = Redactor(Identity(users=("lollipopper",)))
    assert redactor.text(r"C:\Users\LOLLIP~1\AppData\Local\Temp") == r"C:\Users\USER-1\AppData\Local\Temp"
    assert short_names("bob") == frozenset()


def test_writings_of_a_name_hold_what_windows_makes_of_it() -> None:
    forms = writings("Jöhn Dœ")
    assert {"Jöhn Dœ", "Jo\u0308hn Dœ", "JÃ¶hn DÅ“", "J\\xf6hn D\\u0153", "J\\u00f6hn D\\u0153", "J%C3%B6hn%20D%C5%93", "J&ouml;hn D&oelig;"} <= forms


def test_the_identity_of_a_machine_comes_from_its_variables() -> None:
    identity = collect_identity(
        {
            "UserName": "anneliese",
            "COMPUTERNAME": "KESTREL",
            "LOGONSERVER": "\\\\DC01",
            "USERPROFILE": "C:\\Users\\anneliese",
            "My_Api_Key": "abc123def",
            "PATH": "x",
            "PIP_INDEX_URL": "https://me:longsecret@x/simple",
            "OneDriveCommercial": "C:\\Users\\anneliese\\OneDrive - Zorba AG",
            "TOKENIZERS_PARALLELISM": "false",
        },
        host_name="kestrel.zorba.example",
        secrets=["kept-in-keyring"],
    )
    assert identity.users == ("anneliese",)
    assert set(identity.hosts) == {"KESTREL", "DC01", "kestrel.zorba.example", "kestrel"}
    assert identity.organisations == ("Zorba AG",)
    assert {"abc123def", "longsecret", "kept-in-keyring"} == set(identity.secrets)


def test_a_live_machine_tells_who_it_is() -> None:
    from app.host.live import LiveHost

    identity = identify(LiveHost())
    assert identity.homes or identity.hosts


@pytest.mark.parametrize(
    ("host", "public"),
    [
        ("github.com", True),
        ("raw.githubusercontent.com", True),
        ("pypi.tuna.tsinghua.edu.cn", True),
        ("nexus.zorba.example", False),
        ("notgithub.com", False),
        ("github.com.zorba.example", False),
        ("10.0.0.1", False),
    ],
)
def test_public_hosts_are_those_of_the_list(host: str, public: bool) -> None:
    assert is_public_host(host) is public


@pytest.mark.parametrize(
    "folder",
    [
        "ComfyUI_windows_portable",
        "python_embeded",
        "Python312",
        "ComfyUI-aki-v1.6",
        "miniconda3",
        "v12.8",
        "stable-diffusion-webui-forge",
        "site-packages",
        "torch-2.8.0.dist-info",
        "venv",
        "StabilityMatrix",
    ],
)
def test_folders_of_what_we_set_up_are_known(folder: str) -> None:
    assert is_known_folder(folder)


def test_bytes_of_any_kind_become_text() -> None:
    assert text_of("wsl: größer".encode("utf-16-le")) == ("wsl: größer", "utf-16-le")
    assert readable(b"ok\r\n" + "Größe\r\n".encode("cp1252"), 1252) == "ok\nGröße\n"
    assert readable("拒绝".encode("gbk"), 936) == "拒绝"
    assert readable(b"\x1b[31mred\x1b[0m \x1b]0;title\x07x") == "red x"


def test_redaction_is_quick() -> None:
    redactor = Redactor(Identity(users=("anneliese",), hosts=("KESTREL-77",)))
    text = "\n".join([LOG] * 60)
    begun = time.process_time()
    redactor.study([text])
    redactor.text(text)
    assert len(text) > 200_000
    assert time.process_time() - begun < 6.0


@pytest.mark.parametrize(
    "nasty",
    [
        "a" * 60_000,
        "C:\\" + "a b\\" * 9000,
        "=" * 30_000,
        "%41" * 9000,
        "a." * 20_000,
        "://" * 9000,
        "@" * 20_000,
        "\\" * 40_000,
        "1." * 20_000,
        ":" * 30_000,
        "a-" * 20_000,
        "password" * 5000,
        "-----BEGIN A KEY-----\n" * 2000,
        "A1b" * 20_000,
        "/home/" * 8000,
        "00 " * 20_000,
        "1, " * 20_000,
        "x@" * 15_000,
        "Serial Number " * 3000,
        " " * 60_000,
        "\t" * 60_000,
        "ab:" * 20_000,
        "f" * 60_000,
        "user " * 12_000,
        "a.com." * 8000,
        "machine x login " * 4000,
        "://a/t/" * 8000,
        "bearer " + "a1" * 30_000,
        "CN=" + "a " * 20_000,
        "<password>" * 6000,
        "hostname" + " ." * 30_000,
        "in-addr.arpa 1.2.3.4." * 3000,
        "[user]\n" + " a=b\n" * 9000,
    ],
)
def test_no_text_makes_it_slow(nasty: str) -> None:
    redactor = Redactor(Identity(users=("anneliese",)))
    begun = time.process_time()
    redactor.text(nasty)
    assert time.process_time() - begun < 3.0
