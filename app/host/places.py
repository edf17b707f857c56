"""The folders of our own on this machine: state, data, cache, logs. TRITON_SETUP_HOME puts all below one folder."""

from dataclasses import dataclass
from pathlib import Path

import platformdirs

NAME = "TritonSetup"


@dataclass(frozen=True, slots=True)
class Places:
    """`state`: journals. `data`: environments we make. `cache`: wheels. `logs`: full logs of runs."""

    state: Path
    data: Path
    cache: Path
    logs: Path

    @property
    def environments(self) -> Path:
        return self.data / "environments"


def places(home: str | None) -> Places:
    """`home` is the value of TRITON_SETUP_HOME, or None for the system's own folders of this user."""
    if home:
        root = Path(home)
        return Places(root / "state", root / "data", root / "cache", root / "logs")
    dirs = platformdirs.PlatformDirs(NAME, appauthor=False)
    return Places(Path(dirs.user_state_dir) / "state", Path(dirs.user_data_dir), Path(dirs.user_cache_dir), Path(dirs.user_log_dir))
