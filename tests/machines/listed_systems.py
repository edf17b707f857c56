"""Windows itself, compilers, toolkits, runtimes, network settings."""

from tests.machines.layout import GIB, VSWHERE, Windows
from tests.machines.machine import Machine

BUILD_TOOLS = r"C:\Program Files (x86)\Microsoft Visual Studio\2022\BuildTools"
LISTED = (
    '[{"instanceId":"ab","installDate":"2026-01-05T10:00:00Z","installationPath":"C:\\\\Program Files (x86)\\\\Microsoft Visual Studio\\\\2022\\\\BuildTools",'
    '"installationVersion":"17.14.36616.10","productId":"Microsoft.VisualStudio.Product.BuildTools","isComplete":true,'
    '"displayName":"Visual Studio Build Tools 2022","description":"生成工具","catalog":{"productDisplayVersion":"17.14.19","productLineVersion":"2022"}}]'
)


def build_tools_zh() -> Machine:
    machine = Windows(locale="zh-CN", ansi=936, oem=936)
    machine.visual_studio(BUILD_TOOLS, listed="\ufeff" + LISTED)
    return Machine(
        "build-tools-zh",
        "vswhere with a mark and a localized description",
        machine,
        {
            "compilers": [
                {"kind": "msvc", "product": "Visual Studio Build Tools 2022", "version": "17.14.19", "toolset": "14.44.35207", "windows_sdk": "10.0.26100.0"}
            ]
        },
    )


def vswhere_truncated() -> Machine:
    machine = Windows()
    machine.visual_studio(BUILD_TOOLS, listed=LISTED[:200])
    return Machine(
        "vswhere-truncated",
        "vswhere's answer is cut off: the files still tell",
        machine,
        {"compilers": [{"product": "Visual Studio Build Tools 2022", "toolset": "14.44.35207"}]},
        [["compilers.msvc", "not-understood"]],
        ["compilers[0].version"],
    )


def vswhere_crashes() -> Machine:
    machine = Windows(locale="ja-JP", ansi=932, oem=932)
    machine.file(VSWHERE)
    machine.says((VSWHERE, "-products", "*", "-prerelease", "-format", "json", "-utf8"), "エラー 0x57: パラメーターが間違っています\r\n".encode("cp932"), 87)
    return Machine("vswhere-fails-ja", "vswhere fails in Japanese", machine, {"compilers": []}, [["compilers.msvc", "not-understood"]])


def without_sdk() -> Machine:
    machine = Windows()
    machine.visual_studio(BUILD_TOOLS, listed=LISTED, sdk=None)
    machine.key(r"HKLM\SOFTWARE\Microsoft\Microsoft SDKs\Windows\v10.0", {"InstallationFolder": "C:\\Program Files (x86)\\Windows Kits\\10\\"}, view=32)
    machine.folder(r"C:\Program Files (x86)\Windows Kits\10\Include\10.0.22621.0")
    return Machine("build-tools-without-sdk", "a compiler whose SDK has no headers", machine, {"compilers": [{"toolset": "14.44.35207", "windows_sdk": None}]})


def toolkits() -> Machine:
    machine = Windows()
    root = r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA"
    machine.toolkit(rf"{root}\v12.8", "12.8.93")
    machine.toolkit(rf"{root}\v11.8", "11.8.89", (r"bin\ptxas.exe", r"lib\x64\cuda.lib"))
    machine.variables |= {"CUDA_PATH": rf"{root}\v11.8", "CUDA_PATH_V11_8": rf"{root}\v11.8", "CC": r"C:\old\gcc.exe", "HOMEPATH": r"\Users\user"}
    return Machine(
        "stray-cuda-path",
        "CUDA_PATH leads to an old toolkit with missing parts",
        machine,
        {
            "toolkits": [{"version": "11.8.89", "missing_parts": [r"bin\ptxas.exe", r"lib\x64\cuda.lib"]}, {"version": "12.8.93", "missing_parts": []}],
            "environment_variables": {"CUDA_PATH": rf"{root}\v11.8", "CC": r"C:\old\gcc.exe", "CUDA_PATH_V11_8": rf"{root}\v11.8"},
        },
        unknown=["environment_variables.HOMEPATH"],
    )


def runtime_gone() -> Machine:
    machine = Windows()
    machine.key(r"HKLM\SOFTWARE\Microsoft\VisualStudio\14.0\VC\Runtimes\X64", {"Installed": 1, "Version": "v14.38.33135.00"})
    return Machine(
        "runtime-registered-but-gone", "the registry says installed, the DLLs are gone", machine, {"vc_runtime": None}, [["vc_runtime", "files-missing"]]
    )


def runtime_unregistered() -> Machine:
    machine = Windows()
    machine.vc_runtime("14.40.33810.0", registered=False)
    return Machine("runtime-by-files", "another installer brought the DLLs", machine, {"vc_runtime": "14.40.33810.0"})


def proxies() -> tuple[Machine, ...]:
    settings = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings"
    parts = Windows(locale="zh-CN", ansi=936, oem=936)
    parts.key(settings, {"ProxyEnable": 1, "ProxyServer": "http=127.0.0.1:7890;https=127.0.0.1:7891;socks=127.0.0.1:7892"})
    parts.file(r"C:\Users\user\AppData\Roaming\pip\pip.ini", "# 清华镜像\r\n[global]\r\nindex-url = https://mirror.example/simple\r\n".encode("gbk"))
    script = Windows(locale="de-DE")
    script.key(settings, {"ProxyEnable": 0, "AutoConfigURL": "http://wpad.example/proxy.pac"})
    machine = Windows()
    server = b"proxy.example:8080"
    blob = bytes([0x18, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, len(server), 0, 0, 0]) + server + bytes(8)
    machine.key(r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings\Connections", {"WinHttpSettings": blob})
    secret = Windows()
    secret.variables |= {
        "HTTPS_PROXY": "http://anna:s3cret@proxy.example:3128",
        "UV_INDEX_CORP_PASSWORD": "hunter2",
        "PIP_INDEX_URL": "https://u:p@index.example/simple",
    }
    return (
        Machine(
            "proxy-by-protocol-zh",
            "a local proxy by protocol, a mirror in a GBK pip.ini",
            parts,
            {"network": {"proxy": "http://127.0.0.1:7891", "index_url": "https://mirror.example/simple"}},
        ),
        Machine("proxy-script-de", "an automatic configuration script", script, {"network": {"proxy": "pac:http://wpad.example/proxy.pac"}}),
        Machine("proxy-winhttp", "only the machine's proxy is set", machine, {"network": {"proxy": "http://proxy.example:8080"}}),
        Machine(
            "secrets-in-variables",
            "passwords in variables never come out",
            secret,
            {
                "network": {"proxy": "http://***@proxy.example:3128", "index_url": "https://***@index.example/simple"},
                "environment_variables": {"UV_INDEX_CORP_PASSWORD": "***", "HTTPS_PROXY": "http://***@proxy.example:3128"},
            },
        ),
    )


def arm() -> Machine:
    machine = Windows(arch="arm64", build=26200, display="25H2", edition="Core", cpu="Snapdragon(R) X Elite")
    machine.installed(r"C:\Users\user\AppData\Local\Programs\Python\Python313-arm64", "3.13.5", arch="arm64")
    return Machine(
        "arm64-laptop",
        "Windows on Arm with an Arm Python",
        machine,
        {
            "os": {"arch": "arm64", "name": "Windows 11 Home 25H2", "version": "10.0.26200"},
            "pythons": [
                {"executable": r"C:\Users\user\AppData\Local\Programs\Python\Python313-arm64\python.exe", "arch": "arm64", "bits": 64, "version": "3.13.5"}
            ],
        },
    )


def server() -> Machine:
    machine = Windows(build=17763, edition="ServerStandard", display="", server=True, elevated=True)
    machine.management('{"hypervisor":true,"antivirus":null}\r\n')
    machine.drive("E:\\", None, None, "removable", None)
    machine.drive("X:\\", 5 * GIB, 10 * GIB, "network", "NTFS")
    return Machine(
        "server-2019",
        "a server: no list of antivirus products; an empty card reader",
        machine,
        {
            "os": {"name": "Windows Server 2019 Standard", "elevated": True},
            "disks": [{"root": "C:\\"}, {"root": "X:\\", "kind": "network"}],
            "cpu": {"virtualization": True},
        },
        [["os.antivirus", "not-supported"], ["disks", "no-answer"]],
        ["os.antivirus"],
    )


def powershell_refused() -> Machine:
    machine = Windows(locale="de-DE", oem=850, virtualization=False)
    machine.management("Die Ausführung von Skripts ist auf diesem System deaktiviert.\r\n".encode("cp850"), code=1)
    return Machine(
        "powershell-refused-de",
        "PowerShell is locked down and says so in code page 850",
        machine,
        {"os": {"locale": "de-DE"}},
        [["os.antivirus", "not-understood"], ["cpu.virtualization", "not-understood"]],
        ["os.antivirus", "cpu.virtualization"],
    )


def several_scanners() -> Machine:
    machine = Windows(edition="CoreCountrySpecific", locale="zh-CN", ansi=936, oem=936)
    machine.management(
        '{"antivirus":{"value":[{"displayName":"Windows Defender","productState":393472},'
        '{"displayName":"360安全卫士","productState":266240}],"Count":2},"hypervisor":true}'
    )
    machine.key(r"HKLM\SYSTEM\CurrentControlSet\Control\CI\Policy", {"VerifiedAndReputablePolicyState": 2})
    machine.key(r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired")
    machine.variables["OneDrive"] = r"C:\Users\user\OneDrive"
    return Machine(
        "two-scanners-zh",
        "Defender is off, another scanner is on; app control in evaluation; a restart is due",
        machine,
        {
            "os": {
                "antivirus": ["360安全卫士"],
                "app_control": "evaluation",
                "pending_restart": True,
                "name": "Windows 11 Home China 24H2",
                "cloud_roots": [r"C:\Users\user\OneDrive"],
            }
        },
    )


def odd_tools() -> Machine:
    machine = Windows()
    machine.tool("git", "git version 2.50.1.windows.1\n", r"C:\Program Files\Git\cmd")
    machine.tool("cmake", b"\xff\xfe\x00garbage", r"C:\Tools\cmake")
    machine.tool("ninja", "1.12.1\n", r"C:\Tools\ninja")
    machine.file(r"C:\Tools\uv\uv.exe")
    machine.says((r"C:\Tools\uv\uv.exe", "--version"), "", None, failure="timed-out")
    machine.key(r"HKCU\Environment", {"Path": r"C:\Tools\uv"})
    return Machine(
        "odd-tools",
        "one tool answers nonsense, one not at all; one is on PATH since this program started",
        machine,
        {"tools": {"git": "2.50.1.windows.1", "ninja": "1.12.1", "nvcc": None}},
        [["tools.cmake", "not-understood"], ["tools.uv", "timed-out"]],
        ["tools.cmake", "tools.uv"],
    )


SYSTEMS = (
    *proxies(),
    *(
        make()
        for make in (
            *(build_tools_zh, vswhere_truncated, vswhere_crashes, without_sdk, toolkits, runtime_gone, runtime_unregistered),
            *(arm, server, powershell_refused, several_scanners, odd_tools),
        )
    ),
)
