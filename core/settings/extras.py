"""Parts that are installed only where they are asked for: `pip install "lostkeys[NAME]"`."""

from collections.abc import Mapping
from importlib.util import find_spec

from core.errors import LostkeysError

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "local": ("xllamacpp",),
    "openai": ("openai", "aiohttp"),
    "gemini": ("google.genai", "aiohttp"),
    "arrow": ("pyarrow",),
    "figures": ("matplotlib",),
    "sheets": ("python_calamine",),
    "documents": ("bs4", "pypdf"),
    "inspect": ("inspect_ai",),
    "scale": ("duckdb", "pyarrow"),
}
"""What each extra brings that is imported, as `pyproject.toml` has it."""


def check_extra(name: str) -> None:
    """Raise `LostkeysError` with what gets it, where a part of an extra is not installed."""
    if why := missing_part(name):
        raise LostkeysError(why)


def missing_part(name: str) -> str:
    """What of an extra is not installed, with what gets it; empty where all is there."""
    lacking = next((module for module in EXTRAS[name] if not _is_there(module)), None)
    if lacking is None:
        return ""
    return (
        f'{lacking} is not installed: `pip install "lostkeys[{name}]"`, or in a checkout '
        "`uv sync`, gets it"
    )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a package that is not there itself
        return False
