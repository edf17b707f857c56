"""Lays out a Windows or Linux machine as a recording: a tree of files, a registry, what programs say."""

import ntpath
import posixpath
from collections import defaultdict
from typing import Any

from app.host.answers import DisplayDevice, Drive, NvmlAnswer, NvmlDevice, ProgramFile, RunningPython, SystemValues
from app.host.recording_values import Content, RecordedKey, Recording, Spoken, content_of
from app.probes.pythons.reading import ARCH_LIST

GIB = 1 << 30
DISPLAY_CLASS = r"HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
VERSION_KEY = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion"
SERVICES = r"HKLM\SYSTEM\CurrentControlSet\Services"
LXSS = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Lxss"
POWERSHELL = r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe"
WSL_EXE = r"C:\Windows\System32\wsl.exe"
SMI_EXE = r"C:\Windows\System32\nvidia-smi.exe"
VSWHERE = r"C:\Program Files (x86)\Microsoft Visual Studio\Installer\vswhere.exe"


class Layout:
    """Files and answers of a machine; `recording()` is what a recorder would have kept."""

    def __init__(self, family: str) -> None:
        self.family = family
        self.paths = ntpath if family == "windows" else posixpath
        self.tree: defaultdict[str, set[str]] = defaultdict(set)
        self.files: dict[str, Content] = {}
        self.programs: dict[str, ProgramFile] = {}
        self.links: dict[str, str] = {}
        self.no_writing: set[str] = set()
        self.keys: dict[str, dict[str, Any]] = {}
        self.subkeys: defaultdict[str, set[str]] = defaultdict(set)
        self.queries: list[Spoken] = []
        self.variables: dict[str, str] = {}
        self.drives: list[Drive] = []
        self.found: dict[str, str] = {}
        self.running: list[RunningPython] = []
        self.nvml = NvmlAnswer(error=12, message="NVML Shared Library Not Found")
        self.system = SystemValues(version="")

    def folder(self, path: str) -> str:
        child = path
        self.tree[child]
        while (parent := self.paths.dirname(child)) not in ("", child):
            self.tree[parent].add(self.paths.basename(child) + "/")
            child = parent
        return path

    def file(self, path: str, content: str | bytes | None = None) -> str:
        self.folder(self.paths.dirname(path))
        self.tree[self.paths.dirname(path)].add(self.paths.basename(path))
        if content is not None:
            self.files[path] = content_of(content) if isinstance(content, bytes) else Content(content)
        return path

    def program(self, path: str, arch: str | None = "x86_64", version: str | None = None, alias_of: str | None = None) -> str:
        self.file(path)
        self.programs[path] = ProgramFile(0 if alias_of else 100_000, None if alias_of else arch, version, alias_of)
        return path

    def key(self, key: str, values: dict[str, Any] | None = None, view: int = 64) -> None:
        self.keys.setdefault(f"{view}:{key}", {}).update(values or {})
        child = key
        while "\\" in child:
            parent, _, name = child.rpartition("\\")
            self.subkeys[f"{view}:{parent}"].add(name)
            child = parent

    def says(self, argv: tuple[str, ...], out: str | bytes = "", code: int | None = 0, *, err: bytes = b"", failure: Any = None, ms: float = 20.0) -> None:
        stdout = content_of(out if isinstance(out, bytes) else out.encode())
        self.queries.append(Spoken(argv, code, stdout, content_of(err), ms, failure))

    def tool(self, name: str, said: str | bytes, folder: str) -> None:
        path = self.paths.join(folder, f"{name}.exe" if self.family == "windows" else name)
        self.file(path)
        self.says((path, "--version"), said)
        separator = ";" if self.family == "windows" else ":"
        listed = self.variables.get("PATH", "").split(separator)
        if folder not in listed:
            self.variables["PATH"] = separator.join([*filter(None, listed), folder])

    def recording(self) -> Recording:
        registry = {}
        for name in {*self.keys, *self.subkeys}:
            values = self.keys.get(name, {})
            registry[name] = RecordedKey(
                texts={k: v for k, v in values.items() if isinstance(v, str)},
                numbers={k: v for k, v in values.items() if isinstance(v, int)},
                lists={k: tuple(v) for k, v in values.items() if isinstance(v, list)},
                binary={k: v.hex() for k, v in values.items() if isinstance(v, bytes)},
                subkeys=tuple(sorted(self.subkeys.get(name, ()))),
            )
        sites = [path for path in self.tree if path.endswith(("site-packages", "dist-packages"))]
        return Recording(
            family=self.family,
            captured_at="2026-11-20T08:00:00Z",
            system=self.system,
            nvml=self.nvml,
            drives=tuple(self.drives),
            processes=tuple(self.running),
            environment=dict(sorted(self.variables.items())),
            queries=tuple(self.queries),
            registry=dict(sorted(registry.items())),
            names={path: tuple(sorted(names)) for path, names in sorted(self.tree.items())},
            files=dict(sorted(self.files.items())),
            programs=dict(sorted(self.programs.items())),
            links=dict(sorted(self.links.items())),
            found=dict(sorted(self.found.items())),
            writable={path: path not in self.no_writing for path in sorted({*sites, *self.no_writing})},
        )


class Windows(Layout):
    """A Windows machine without anything on it."""

    def __init__(
        self,
        *,
        build: int = 26100,
        edition: str = "Professional",
        display: str = "24H2",
        arch: str = "x86_64",
        locale: str = "en-US",
        ansi: int = 1252,
        oem: int = 437,
        user: str = "user",
        ram_bytes: int = 32 * GIB,
        commit_bytes: int | None = None,
        cores: int = 8,
        server: bool = False,
        elevated: bool = False,
        virtualization: bool | None = True,
        long_paths: bool = False,
        cpu: str = "AMD Ryzen 7 7700X 8-Core Processor",
    ) -> None:
        super().__init__("windows")
        self.home = rf"C:\Users\{user}"
        self.devices: list[DisplayDevice] = []
        self.system = SystemValues(
            version=f"10.0.{build}",
            arch=arch,
            cores=cores,
            total_bytes=ram_bytes,
            commit_limit_bytes=commit_bytes or ram_bytes * 3 // 2,
            locale=locale,
            ansi_code_page=ansi,
            oem_code_page=oem,
            elevated=elevated,
            virtualization_firmware=virtualization,
        )
        kind = {"InstallationType": "Server"} if server else {"InstallationType": "Client"}
        self.key(VERSION_KEY, {"CurrentBuildNumber": str(build), "EditionID": edition, "DisplayVersion": display, "ProductName": "Windows 10 Pro", **kind})
        self.key(r"HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0", {"ProcessorNameString": f"{cpu}   "})
        self.key(r"HKLM\SYSTEM\CurrentControlSet\Control\FileSystem", {"LongPathsEnabled": int(long_paths)})
        self.variables.update(
            {
                "SystemRoot": r"C:\Windows",
                "SystemDrive": "C:",
                "ProgramFiles": r"C:\Program Files",
                "ProgramFiles(x86)": r"C:\Program Files (x86)",
                "ProgramData": r"C:\ProgramData",
                "USERPROFILE": self.home,
                "APPDATA": rf"{self.home}\AppData\Roaming",
                "LOCALAPPDATA": rf"{self.home}\AppData\Local",
                "TEMP": rf"{self.home}\AppData\Local\Temp",
                "PATH": r"C:\Windows\System32",
            }
        )
        for folder in (r"C:\Windows\System32", r"C:\Program Files", r"C:\Program Files (x86)", r"C:\ProgramData", self.home):
            self.folder(folder)
        for folder in ("Roaming", r"Local\Microsoft\WindowsApps", r"Local\Programs", r"Local\Temp"):
            self.folder(rf"{self.home}\AppData\{folder}")
        self.drive("C:\\", 300 * GIB, 900 * GIB)
        self.management()

    def drive(self, root: str, free: int | None, total: int | None, kind: Any = "fixed", file_system: str | None = "NTFS") -> None:
        self.drives = [*(drive for drive in self.drives if drive.root != root), Drive(root, kind, file_system, free, total)]
        self.folder(root)

    def management(self, said: str | bytes | None = None, *, hypervisor: bool = False, code: int | None = 0, failure: Any = None) -> None:
        """What PowerShell answers; Defender is on unless something else is given."""
        from app.probes.management import SCRIPT

        plain = f'{{"hypervisor":{str(hypervisor).lower()},"antivirus":[{{"displayName":"Windows Defender","productState":397568}}]}}\r\n'
        self.queries = [spoken for spoken in self.queries if spoken.argv[-1:] != (SCRIPT,)]
        self.says((POWERSHELL, "-NoProfile", "-NonInteractive", "-Command", SCRIPT), plain if said is None else said, code, failure=failure, ms=900.0)

    def adapter(self, name: str, instance: str, problem: int = 0, driver: str | None = "31.0.15.5186", memory: int | None = None) -> None:
        """A present graphics device with its entry in the device tree and, unless `driver` is None, in the display class."""
        self.devices.append(DisplayDevice(instance, problem))
        self.system = _with_devices(self.system, tuple(self.devices))
        values: dict[str, Any] = {"DeviceDesc": f"@oem{len(self.devices)}.inf,%dev%;{name}"}
        if driver is not None:
            number = f"{len(self.devices) - 1:04}"
            values["Driver"] = rf"{{4d36e968-e325-11ce-bfc1-08002be10318}}\{number}"
            found: dict[str, Any] = {"DriverDesc": name, "DriverVersion": driver, "MatchingDeviceId": instance.rpartition("\\")[0].lower()}
            if memory is not None:
                found["HardwareInformation.qwMemorySize"] = memory
            self.key(rf"{DISPLAY_CLASS}\{number}", found)
        self.key(rf"HKLM\SYSTEM\CurrentControlSet\Enum\{instance}", values)

    def nvidia(self, driver: str, cuda: int, *gpus: tuple[str, tuple[int, int], int], model: int | None = 0) -> None:
        """GPUs with a driver that works, by NVML and in the device tree."""
        digits = driver.replace(".", "")
        windows_version = f"32.0.{10 + int(digits[0])}.{digits[1:]}"
        devices = []
        for index, (name, capability, memory) in enumerate(gpus):
            self.adapter(name, rf"PCI\VEN_10DE&DEV_{0x2600 + index:04X}&SUBSYS_0&REV_A1\4&{index}", 0, windows_version, memory)
            devices.append(NvmlDevice(index, name, capability, memory, model, index == 0, f"00000000:{index + 1:02X}:00.0"))
        self.nvml = NvmlAnswer(driver=driver, cuda=cuda, devices=tuple(devices))

    def vc_runtime(self, version: str | None, registered: bool = True) -> None:
        if version is None:
            return
        major, minor, build, _ = version.split(".")
        for name in ("msvcp140.dll", "vcruntime140.dll", "vcruntime140_1.dll"):
            self.program(rf"C:\Windows\System32\{name}", version=version)
        if registered:
            values = {"Installed": 1, "Version": f"v{major}.{minor}.{build}.00", "Major": int(major), "Minor": int(minor), "Bld": int(build), "Rbld": 0}
            self.key(r"HKLM\SOFTWARE\Microsoft\VisualStudio\14.0\VC\Runtimes\X64", values)

    def packages(self, site: str, packages: dict[str, str], arches: tuple[str, ...] = ()) -> str:
        self.folder(site)
        for name, version in packages.items():
            self.folder(ntpath.join(site, f"{name.replace('-', '_')}-{version}.dist-info"))
        if "torch" in packages:
            version = packages["torch"]
            build = version.partition("+")[2]
            cuda = repr(f"{build[2:4]}.{build[4:]}") if build.startswith("cu") else "None"
            text = f"__all__ = ['__version__']\n__version__ = '{version}'\ndebug = False\ncuda: Optional[str] = {cuda}\nhip: Optional[str] = None\n"
            self.file(ntpath.join(site, "torch", "version.py"), text)
            if arches:
                library = self.file(ntpath.join(site, "torch", "lib", "torch_python.dll"))
                self.found[f"{library}|{ARCH_LIST}"] = " ".join(arches)
        return site

    def embedded(self, root: str, version: str, packages: dict[str, str], *, headers: bool = False, runtime: str | None = None, site: bool = True) -> str:
        major, minor, micro = version.split(".")
        python = self.program(ntpath.join(root, "python.exe"), version=f"{major}.{minor}.{micro}150.1013")
        rules = [f"python{major}{minor}.zip", ".", *(["", "import site"] if site else ["#import site"])]
        self.file(ntpath.join(root, f"python{major}{minor}._pth"), "\r\n".join(["../ComfyUI", *rules]) + "\r\n")
        self._parts(root, major, minor, headers, runtime)
        self.packages(ntpath.join(root, "Lib", "site-packages"), packages)
        return python

    def installed(self, root: str, version: str, packages: dict[str, str] | None = None, *, arch: str = "x86_64", runtime: str | None = None) -> str:
        """A Python of python.org's installer, or one unpacked by a program (Aki packs)."""
        major, minor, micro = version.split(".")
        python = self.program(ntpath.join(root, "python.exe"), arch, f"{major}.{minor}.{micro}150.1013")
        self._parts(root, major, minor, True, runtime)
        self.packages(ntpath.join(root, "Lib", "site-packages"), {"pip": "25.3", **(packages or {})})
        return python

    def _parts(self, root: str, major: str, minor: str, headers: bool, runtime: str | None) -> None:
        self.file(ntpath.join(root, f"python{major}{minor}.dll"))
        if headers:
            self.file(ntpath.join(root, "include", "Python.h"))
            self.file(ntpath.join(root, "libs", f"python{major}{minor}.lib"))
        if runtime:
            self.program(ntpath.join(root, "vcruntime140.dll"), version=runtime)

    def register(self, tag: str, root: str, hive: str = "HKCU", company: str = "PythonCore", view: int = 64) -> None:
        self.key(rf"{hive}\Software\Python\{company}\{tag}", {"DisplayName": f"Python {tag}"}, view)
        self.key(rf"{hive}\Software\Python\{company}\{tag}\InstallPath", {"": root + "\\", "ExecutablePath": ntpath.join(root, "python.exe")}, view)

    def venv(self, root: str, version: str, packages: dict[str, str], base: str | None, *, uv: str | None = None, system_site: bool = False) -> str:
        lines = [f"home = {base}", "include-system-site-packages = " + str(system_site).lower()]
        lines += [f"version_info = {version}", f"uv = {uv}"] if uv else [f"version = {version}"]
        if base and not uv:
            lines.append(f"executable = {ntpath.join(base, 'python.exe')}")
        self.file(ntpath.join(root, "pyvenv.cfg"), "\n".join(lines) + "\n")
        python = self.program(ntpath.join(root, "Scripts", "python.exe"))
        self.packages(ntpath.join(root, "Lib", "site-packages"), packages)
        return python

    def conda(self, root: str, version: str, packages: dict[str, str]) -> str:
        major, minor, _ = version.split(".")
        python = self.program(ntpath.join(root, "python.exe"))
        self._parts(root, major, minor, True, None)
        self.file(ntpath.join(root, "conda-meta", "history"))
        self.file(ntpath.join(root, "conda-meta", f"python-{version}-h8205438_0.json"))
        self.packages(ntpath.join(root, "Lib", "site-packages"), packages)
        return python

    def comfyui(self, root: str, version: str | None = None) -> str:
        self.file(ntpath.join(root, "main.py"))
        for name in ("comfy", "custom_nodes", "models"):
            self.folder(ntpath.join(root, name))
        if version is not None:
            self.file(ntpath.join(root, "comfyui_version.py"), f'# made by a script\n__version__ = "{version}"\n')
        return root

    def wsl_package(self, version: str = "2.6.3.0", kernel: str = "6.6.87.2-1", *, said: str | bytes | None = None, status: str | bytes | None = None) -> None:
        self.wsl_platform()
        self.file(WSL_EXE)
        self.key(r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Lxss\MSI", {"InstallLocation": "C:\\Program Files\\WSL\\", "ProductCode": "{0}"})
        plain = f"WSL version: {version}\r\nKernel version: {kernel}\r\nWSLg version: 1.0.71\r\nMSRDC version: 1.2.6353\r\nWindows version: 10.0.26100.4061\r\n"
        self.says((WSL_EXE, "--version"), plain if said is None else said)
        self.says((WSL_EXE, "--status"), "Default Version: 2\r\n" if status is None else status)
        self.key(LXSS, {"DefaultVersion": 2})

    def wsl_platform(self) -> None:
        for name in ("vmcompute", "HNS", "vfpext"):
            self.key(rf"{SERVICES}\{name}", {"Start": 3})

    def distro(
        self, name: str, guid: str, *, flags: int = 0xF, default: bool = False, state: int = 1, flavor: str | None = None, os: str | None = None
    ) -> None:
        values: dict[str, Any] = {"DistributionName": name, "State": state, "Flags": flags, "Version": 2, "BasePath": rf"{self.home}\AppData\Local\wsl\{guid}"}
        if flavor:
            values |= {"Flavor": flavor, "OsVersion": os or ""}
        self.key(rf"{LXSS}\{guid}", values)
        if default:
            self.key(LXSS, {"DefaultDistribution": guid})

    def runs_distros(self, *names: str) -> None:
        self.says((WSL_EXE, "--list", "--running", "--quiet"), "".join(f"{name}\r\n" for name in names), 0 if names else 0xFFFFFFFF)

    def visual_studio(
        self, root: str, toolset: str = "14.44.35207", *, listed: str | bytes | None = None, sdk: str | None = "10.0.26100.0", code: int = 0
    ) -> None:
        place = ntpath.join(root, "VC", "Tools", "MSVC", toolset)
        self.file(ntpath.join(place, "bin", "Hostx64", "x64", "cl.exe"))
        self.file(ntpath.join(place, "include", "vcruntime.h"))
        self.file(ntpath.join(place, "lib", "x64", "vcruntime.lib"))
        if sdk is not None:
            kit = r"C:\Program Files (x86)\Windows Kits\10"
            self.key(r"HKLM\SOFTWARE\Microsoft\Microsoft SDKs\Windows\v10.0", {"InstallationFolder": kit + "\\"}, view=32)
            self.file(ntpath.join(kit, "Include", sdk, "um", "windows.h"))
            self.file(ntpath.join(kit, "Lib", sdk, "um", "x64", "kernel32.lib"))
        if listed is not None:
            self.file(VSWHERE)
            self.says((VSWHERE, "-products", "*", "-prerelease", "-format", "json", "-utf8"), listed, code)

    def toolkit(self, root: str, version: str, missing: tuple[str, ...] = ()) -> None:
        for part in (r"bin\nvcc.exe", r"bin\ptxas.exe", r"include\cuda.h", r"lib\x64\cuda.lib"):
            if part not in missing:
                self.file(ntpath.join(root, part))
        self.file(ntpath.join(root, "version.json"), f'{{"cuda": {{"name": "CUDA SDK", "version": "{version}"}}}}')


class Linux(Layout):
    """A Linux machine without anything on it."""

    def __init__(self, family: str = "linux", release: str = "Ubuntu 24.04.3 LTS", kernel: str = "6.8.0-88-generic", home: str = "/home/user") -> None:
        super().__init__(family)
        self.home = home
        self.system = SystemValues(version=kernel, arch="x86_64", cores=16, total_bytes=64 * GIB, commit_limit_bytes=72 * GIB, elevated=False)
        self.variables.update({"HOME": home, "LANG": "en_US.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin"})
        self.file("/etc/os-release", f'NAME="X"\nPRETTY_NAME="{release}"\n')
        self.file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\nflags\t\t: fpu vmx sse\n")
        for folder in (home, "/usr/bin", "/usr/local/bin", "/opt", "/usr/lib/python3/dist-packages"):
            self.folder(folder)
        self.drives = [Drive("/", "fixed", "ext4", 400 * GIB, 900 * GIB)]

    def system_python(self, version: str, packages: dict[str, str] | None = None, headers: bool = True) -> None:
        minor = version.rpartition(".")[0]
        path = self.program(f"/usr/bin/python{minor}")
        self.file("/usr/bin/python3")
        self.links |= {"/usr/bin/python3": path, path: path}
        self.says((path, "-I", "-V"), f"Python {version}\n")
        self.says(("/usr/bin/python3", "-I", "-V"), f"Python {version}\n")
        self.programs["/usr/bin/python3"] = self.programs[path]
        self.file(f"/usr/lib/python{minor}/EXTERNALLY-MANAGED")
        if headers:
            self.file(f"/usr/include/python{minor}/Python.h")
        for name, own in (packages or {}).items():
            self.folder(f"/usr/lib/python3/dist-packages/{name}-{own}.dist-info")

    def venv(self, root: str, version: str, packages: dict[str, str], home: str = "/usr/bin") -> str:
        minor = version.rpartition(".")[0]
        self.file(f"{root}/pyvenv.cfg", f"home = {home}\ninclude-system-site-packages = false\nversion = {version}\nexecutable = {home}/python{minor}\n")
        python = self.program(f"{root}/bin/python")
        for name, own in packages.items():
            self.folder(f"{root}/lib/python{minor}/site-packages/{name.replace('-', '_')}-{own}.dist-info")
        return python

    def card(self, slot: str, vendor: str, device: str, driver: bool) -> None:
        folder = f"/sys/bus/pci/devices/{slot}"
        for name, value in (("class", "0x030200"), ("vendor", vendor), ("device", device)):
            self.file(f"{folder}/{name}", value + "\n")
        if driver:
            self.links[f"{folder}/driver"] = "/sys/bus/pci/drivers/x"


def _with_devices(system: SystemValues, devices: tuple[DisplayDevice, ...]) -> SystemValues:
    import dataclasses

    return dataclasses.replace(system, display_devices=devices)
