"""All parsers of foreign answers, each with answers it is made for, and ways to spoil an answer."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from app.host.credentials import without_credentials
from app.host.program_file import kernel_version, kernel_version_place, program_arch, resource_range, resource_version
from app.host.recording_values import content_of
from app.model.facts import Distro
from app.probes import adapters, compilers, gpus, management, network, nvidia_smi, system, toolkits, tools, vc_runtime, visual_studio, windows_system, wsl
from app.probes import wsl_distros as distros
from app.probes.decoding import decode
from app.probes.pythons import apps, packages, places, shape
from tests.machines.listed_gpus import NEW_HEADER, OLD_HEADER, ROW
from tests.machines.listed_systems import LISTED
from tests.machines.small_program import small_elf, small_kernel, small_pe


def of_text(parser: Callable[[str], Any]) -> Callable[[bytes], Any]:
    return lambda answer: parser(decode(answer))


def of_each_line(parser: Callable[[str], Any]) -> Callable[[bytes], Any]:
    return lambda answer: [parser(line) for line in decode(answer).splitlines()]


VERSIONS = "WSL 版本: 2.6.3.0\r\n内核版本: 6.6.87.2-1\r\nWSLg 版本: 1.0.71\r\n"
STATUS = "既定のバージョン: 2\r\nhttps://aka.ms/enablevirtualization\r\nКод ошибки: Wsl/Service/CreateInstance/CreateVm/HCS/0x80370102\r\n"
INSIDE = 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\n@@\nPython 3.12.3\n@@\n/dev/dxg\n@@\n\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/wsl/lib/libcuda.so.1\n@@\n'
TORCH = b"from typing import Optional\n__version__ = '2.8.0'\ncuda: Optional[str] = '12.8'\nhip: Optional[str] = None\n"
PIP = "[global]\nindex-url = https://user:secret@mirror.example/simple\n[install]\nno-index = false\n"

PARSERS: dict[str, tuple[Callable[[bytes], Any], tuple[bytes, ...]]] = {
    "decode": (decode, (VERSIONS.encode("utf-16-le"), "错误".encode("gbk"), "Ошибка".encode("cp866"), b"\xef\xbb\xbfplain")),
    "content": (content_of, (VERSIONS.encode("utf-16-le"), "错误".encode("gbk"), b"plain")),
    "credentials": (of_text(without_credentials), (PIP.encode(), b"https://a:b@c/d?token=x&y=1")),
    "program": (
        lambda answer: (program_arch(answer), resource_range(answer), resource_version(answer), kernel_version_place(answer), kernel_version(answer)),
        (small_pe("x86_64", "14.44.35211.0"), small_elf(), small_kernel("5.10.16.3-microsoft-standard-WSL2")),
    ),
    "smi rows": (of_text(lambda text: nvidia_smi.parse_rows(text, nvidia_smi.FIELDS)), (ROW.format(driver="591.44").encode(),)),
    "smi header": (of_text(nvidia_smi.parse_header), (OLD_HEADER.encode(), NEW_HEADER.encode())),
    "smi problem": (of_text(nvidia_smi.smi_problem), (b"Failed to initialize NVML: Driver/library version mismatch\n",)),
    "video controllers": (adapters.parse_video_controllers, (b'[{"Name":"X","PNPDeviceID":"PCI\\\\VEN_10DE&DEV_1","ConfigManagerErrorCode":0}]',)),
    "nvidia version": (of_text(adapters.nvidia_version), (b"32.0.15.7652", b"30.0.14.7111")),
    "kernel module": (of_text(gpus.kernel_module_version), (b"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug\n",)),
    "management": (management.parse_management, ('{"hypervisor":true,"antivirus":[{"displayName":"360安全卫士","productState":397568}]}'.encode(),)),
    "vswhere": (visual_studio.parse_products, (LISTED.encode(),)),
    "wsl versions": (of_text(wsl.parse_versions), (VERSIONS.encode("utf-16-le"), VERSIONS.encode())),
    "wsl error": (of_text(wsl.error_code), (STATUS.encode("utf-16-le"), STATUS.encode())),
    "wslconfig": (of_text(wsl.parse_wslconfig), (b"[wsl2]\nmemory=8GB # x\n[experimental]\nsparseVhd=true\n", b"memory=8GB\n")),
    "inside distro": (of_text(lambda text: distros.inside_distro(Distro("X"), (text.split("@@\n") + [""] * 5)[:5])), (INSIDE.encode(),)),
    "os-release": (of_text(system.os_release_name), (b'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12"\n',)),
    "cpuinfo": (of_text(system.cpu_name), (b"processor : 0\nmodel name : AMD EPYC\n",)),
    "windows name": (of_each_line(lambda line: windows_system.windows_name(22631, {"EditionID": line, "DisplayVersion": line})), (b"Professional\n",)),
    "tool version": (of_text(lambda text: [tools.tool_version(name, text) for name in tools._PATTERNS]), (b"git version 2.50.1.windows.1\n", b"1.12.1\n")),
    "compiler version": (
        of_text(lambda text: [compilers.compiler_version(kind, text) for kind in ("gcc", "clang")]),
        (b"gcc (Debian 12.2.0-14+deb12u1) 12.2.0\n", b"Ubuntu clang version 18.1.3 (1ubuntu1)\n"),
    ),
    "toolkit version": (of_text(toolkits.version_of_json), (b'{"cuda":{"version":"12.8.93"},"cuda_nvcc":{"version":"12.8.93"}}',)),
    "runtime version": (of_text(vc_runtime.registered_version), (b"v14.44.35211.00",)),
    "winhttp": (network.winhttp_proxy, (bytes([24, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0]) + b"a:8080",)),
    "proxy server": (of_text(network.proxy_server), (b"http=a:1;https=b:2;socks=c:3", b"127.0.0.1:7890")),
    "pip.ini": (of_text(network.pip_index_url), (PIP.encode(), "# 镜像\n[global]\nindex-url=https://m/simple\n".encode("gbk"))),
    "uv.toml": (of_text(network.uv_index_url), (b'[[index]]\nurl = "https://u:p@m/simple"\n',)),
    "venv": (of_text(shape.venv_settings), (b"home = C:\\Python312\nversion = 3.12.10\n",)),
    "file version": (of_text(shape.python_version), (b"3.13.9150.1013", b"3.14.121.0")),
    "store package": (of_text(shape.store_version), (b"PythonSoftwareFoundation.Python.3.12_3.12.2800.0_x64__qbz5n2kfra8p0",)),
    "package names": (of_each_line(packages.name_and_version), (b"torch-2.8.0+cu128.dist-info\nfoo_bar-1.0-py3.10.egg-info\n~orch-2.dist-info",)),
    "metadata": (of_text(packages.metadata_name_and_version), (b"Metadata-Version: 2.1\nName: Foo_Bar\nVersion: 1.0\n",)),
    "torch version": (lambda answer: packages.with_build("2.8.0", answer), (TORCH,)),
    "condarc": (of_text(lambda text: places.conda_folders(text, "C:\\Users\\x")), (b"envs_dirs:\n  - D:\\envs  # here\n  - ~/more\n",)),
    "json value": (of_text(lambda text: places.json_value(text, "basePath")), (b'{"basePath": "D:\\\\ComfyUI", "x": [1]}',)),
    "start script": (of_text(apps.flags_of_script), (b"@echo off\r\n.\\python_embeded\\python.exe -s ComfyUI\\main.py --use-sage-attention\r\n",)),
    "environment of a script": (of_text(apps.venv_of_script), (b'@echo off\r\nset "VENV_DIR=E:\\envs\\sd"\r\nset VENV_DIR=-\r\n',)),
    "desktop settings": (of_text(apps.flags_of_settings), (b'{"Comfy.Server.LaunchArgs": {"use-sage-attention": ""}}',)),
}

OTHER_CODE_PAGES = ("utf-16-le", "utf-16-be", "gbk", "cp932", "cp866", "cp1251", "utf-8-sig", "utf-7")


def spoiled(samples: tuple[bytes, ...], chance: random.Random) -> Iterator[bytes]:
    """Endless answers: cut off, with bytes changed, added and doubled, in another code page, or pure noise."""
    while True:
        sample = chance.choice(samples)
        way = chance.randrange(7)
        if way == 0:
            yield sample[: chance.randrange(len(sample) + 1)]
        elif way == 1:
            place = chance.randrange(len(sample) + 1)
            yield sample[:place] + chance.randbytes(chance.randrange(1, 20)) + sample[place:]
        elif way == 2:
            changed = bytearray(sample)
            for _ in range(chance.randrange(1, 6)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            yield bytes(changed)
        elif way == 3:
            yield decode(sample).encode(chance.choice(OTHER_CODE_PAGES), "replace")
        elif way == 4:
            yield chance.randbytes(chance.randrange(300))
        elif way == 5:
            place = chance.randrange(len(sample) + 1)
            yield sample[place:] + sample[:place] + sample * chance.randrange(3)
        else:
            yield "".join(chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x4E00, 0x4E80), 10, 58, 61, 91))) for _ in range(80)).encode()
