"""Names of apps in words."""

from typing import Final

KNOWN: Final = frozenset(
    {
        "a1111",
        "aki",
        "comfyui",
        "comfyui-desktop",
        "comfyui-portable",
        "fooocus",
        "forge",
        "framepack",
        "invokeai",
        "pinokio",
        "stability-matrix",
        "swarmui",
        "wan2gp",
    }
)
"""Apps with a name of their own in the catalogue."""


def app_name(app: str | None) -> str:
    """A parameter for a sentence: the app's name in the catalogue, or the code itself for one that has none there."""
    return f"@environment.app-{app}" if app in KNOWN else app or ""
