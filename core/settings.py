"""What a person sets once: name for labels, theme, marks, keys. One typed file in TOML.

name = "mira"
theme = "dark"

[keys]
facts.search = "ctrl+f,slash"
"""

import difflib
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core import places
from core.errors import UsageError
from core.files import replace

THEMES = ("auto", "dark", "light", "ansi")
GLYPHS = ("unicode", "ascii")
CHOICES = {"theme": THEMES, "glyphs": GLYPHS}
WORDS = ("name", *CHOICES)
"""The settings that are one string each."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings file, read. `keys` maps ids of the key table to keys, as `j,down`."""

    name: str = ""
    theme: str = "auto"
    glyphs: str = "unicode"
    keys: Mapping[str, str] = field(default_factory=dict)


def path() -> Path:
    """Where the settings file is, or would be."""
    return places.config_folder() / "settings.toml"


def load(key_ids: Collection[str] | None = None) -> Settings:
    """Read the settings file; defaults where there is none.

    With `key_ids`, keys may be set for these ids only. Raises `UsageError`, one line that names
    the file and the setting, for one that is unknown or has a value that it cannot have.
    """
    file = path()
    found = _read(file)
    for name in found:
        if name not in (*WORDS, "keys"):
            raise _unknown(file, name, (*WORDS, "keys"))
    words = {name: _word(file, name, found[name]) for name in WORDS if name in found}
    return Settings(**words, keys=_keys(file, found.get("keys", {}), key_ids))


def save(settings: Settings) -> None:
    """Write name, theme and marks where they differ from the file's; all else in it stays.

    Raises `UsageError` where the file cannot be read as settings, or cannot be written.
    """
    import tomlkit

    file, before = path(), load()
    document = tomlkit.parse(file.read_text(encoding="utf-8") if file.exists() else "")
    changed = [name for name in WORDS if getattr(settings, name) != getattr(before, name)]
    for name in changed:
        document[name] = getattr(settings, name)
    if not changed:
        return
    try:
        replace(file, tomlkit.dumps(document).encode())
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


def _read(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_bytes().decode())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:  # no TOML, or no UTF-8
        raise UsageError(f"{file} is not in TOML: {error}") from error


def _word(file: Path, name: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{file}: `{name}` must be text in quotes, not {value!r}")
    choices = CHOICES.get(name)
    if choices and value not in choices:
        raise UsageError(f"{file}: `{name}` is one of {', '.join(choices)}, not {value!r}")
    if not value.isprintable():
        raise UsageError(f"{file}: `{name}` must be one line without control characters")
    return value


def _keys(file: Path, table: object, key_ids: Collection[str] | None) -> dict[str, str]:
    if not isinstance(table, dict):
        raise UsageError(f"{file}: `keys` must be a table, as in `[keys]`, not {table!r}")
    keys = {}
    for name, value in _flat(table):
        if key_ids is not None and name not in key_ids:
            raise _unknown(file, name, key_ids)
        if not isinstance(value, str) or not all(map(str.strip, value.split(","))):
            raise UsageError(
                f'{file}: the key of `{name}` must be text such as "f5", not {value!r}'
            )
        keys[name] = value
    return keys


def _flat(table: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """Ids with dots, whether they are written as quoted names or as tables in tables."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def _unknown(file: Path, name: str, known: Collection[str]) -> UsageError:
    near = difflib.get_close_matches(name, sorted(known), 1, 0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(known)[:8])}"
    return UsageError(f"{file}: there is no setting `{name}`: {hint}")
