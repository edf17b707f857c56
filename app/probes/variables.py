"""Environment variables that change what Triton, torch, pip, uv or a compiler do. All others stay unread."""

from typing import Final

from app.host.credentials import names_secret, without_credentials
from app.probes.look import Look
from app.probes.scanning import Probe

NAMES: Final = frozenset(
    {
        *("CC", "CXX", "CL", "LINK", "_CL_", "_LINK_", "INCLUDE", "LIB", "LIBPATH", "VSCMD_VER", "VCTOOLSINSTALLDIR", "DISTUTILS_USE_SDK", "MAX_JOBS"),
        *("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDACXX", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_CACHE_PATH", "CUDA_LAUNCH_BLOCKING"),
        *("LD_LIBRARY_PATH", "LD_PRELOAD", "NVIDIA_VISIBLE_DEVICES", "HIP_PATH", "ROCM_PATH", "HSA_OVERRIDE_GFX_VERSION"),
        *("PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONSTARTUP", "PYTHONUTF8", "PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO"),
        *("TORCH_CUDA_ARCH_LIST", "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TORCHDYNAMO_DISABLE", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"),
        *("KMP_DUPLICATE_LIB_OK", "VSLANG", "WSL_UTF8", "WSLENV", "WSL_DISTRO_NAME", "HF_ENDPOINT", "HF_HOME", "LLVM_SYSPATH"),
    }
)
PREFIXES: Final = ("PIP_", "UV_", "TRITON_", "CUDA_PATH_V")
MAX_VALUE: Final = 2000


def look_at_variables(look: Look) -> None:
    values = look.variables()
    found = {}
    for name in sorted(values):
        upper = name.upper()
        if upper in NAMES or upper.startswith(PREFIXES):
            # Windows knows one spelling only; on Linux http_proxy and HTTP_PROXY are both read by programs.
            found[upper if look.on_windows else name] = "***" if names_secret(name) else without_credentials(values[name])[:MAX_VALUE]
    if not look.on_windows:
        for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
            if name in values:
                found.setdefault(name.upper(), without_credentials(values[name]))
    look.put("environment_variables", found)


VARIABLES: Final = Probe("variables", ("environment_variables",), look_at_variables)
