"""What a person sets once: name for labels, theme, marks, hints, keys. One typed file in TOML.

name = "mira"
theme = "dark"
hints = false

[keys]
facts.search = "ctrl+f,slash"
"""

import difflib
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import UsageError
from core.settings import paths
from core.settings.escapes import is_printable
from core.settings.file_writer import replace

NAME_VARIABLE = "LOSTKEYS_USER"

THEMES = ("auto", "dark", "light", "ansi")
GLYPHS = ("auto", "unicode", "ascii")
CHOICES = {"theme": THEMES, "glyphs": GLYPHS}
WORDS = ("name", *CHOICES)
"""The settings that are one string each."""

SWITCHES = ("hints", "remember", "reader")
"""The settings that are true or false."""

REMEDY = "mend it or take it out"
"""What to do with a line that cannot be read."""

_PLACE = re.compile(r" \(at [^()]*\)$")
"""Where the parser stopped in the lines that it was given."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings file, read. `keys` maps ids of the key table to keys, as `j,down`.

    `faults` says of each line that does not hold what is wrong with it, in one line each.
    """

    name: str = ""
    theme: str = "auto"
    glyphs: str = "auto"
    keys: Mapping[str, str] = field(default_factory=dict)
    remember: bool = True
    """Whether a database is shown as it was left."""
    reader: bool = False
    """Whether the screens are drawn for a screen reader."""
    faults: tuple[str, ...] = field(default=(), compare=False)
    hints: bool = True

    @property
    def person(self) -> str:
        """Whose labels are set here: `$LOSTKEYS_USER`, else the name, else nobody's."""
        return os.environ.get(NAME_VARIABLE, "") or self.name


def path() -> Path:
    """Where the settings file is, or would be."""
    return paths.config_folder() / "settings.toml"


def theme_files() -> list[Path]:
    """The files of themes of the person's own, `themes/NAME.toml` beside the settings."""
    try:
        return sorted((paths.config_folder() / "themes").glob("*.toml"))
    except OSError:
        return []


def load(key_ids: Collection[str] | None = None) -> Settings:
    """Read the settings file; defaults where there is none.

    With `key_ids`, keys may be set for these ids only. What is unknown, or has a value that it
    cannot have, does not hold and is among the faults. Raises `UsageError` for a file that cannot
    be read at all.
    """
    file = path()
    found, faults = _read_file(file)
    values: dict[str, Any] = {}
    keys: dict[str, str] = {}
    for name, value in found.items():
        try:
            if name == "keys":
                keys = _keys(file, value, key_ids, faults)
            elif name in WORDS:
                values[name] = _word(file, name, value)
            elif name in SWITCHES:
                values[name] = _switch(file, name, value)
            else:
                raise _explain_unknown(file, name, (*WORDS, *SWITCHES, "keys"))
        except UsageError as error:
            faults.append(str(error))
    return Settings(**values, keys=keys, faults=tuple(faults))


def save(settings: Settings) -> None:
    """Write name, theme and marks where they differ from the file's; all else in it stays.

    Raises `UsageError` where the file cannot be read as settings, or cannot be written.
    """
    import tomlkit

    file, before = path(), load()
    changed = [name for name in WORDS if getattr(settings, name) != getattr(before, name)]
    try:
        document = tomlkit.parse(file.read_text(encoding="utf-8") if file.exists() else "")
    except ValueError as error:
        fault = before.faults[0] if before.faults else f"{file} is not in TOML: {REMEDY}"
        raise UsageError(f"{fault}; until then no settings are remembered") from error
    for name in changed:
        document[name] = getattr(settings, name)
    if not changed:
        return
    try:
        replace(file, tomlkit.dumps(document).encode())
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


def _read_file(file: Path) -> tuple[dict[str, object], list[str]]:
    """What stands in the file, and what is wrong with the lines that cannot be read."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    try:
        return _parse(content), []
    except ValueError:
        return _parse_lines(file, content)


def _parse(content: bytes) -> dict[str, object]:
    """Raises `ValueError` for what is no TOML, no UTF-8, or a number of too many digits."""
    return tomllib.loads(content.decode())


def _parse_lines(file: Path, content: bytes) -> tuple[dict[str, object], list[str]]:
    """The lines that are TOML with those before them, and what is wrong with the others."""
    sound, found, faults = b"", _parse(b""), []
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        try:
            found = _parse(sound + line)
        except ValueError as error:
            why = _PLACE.sub("", str(error)) if isinstance(error, tomllib.TOMLDecodeError) else ""
            faults.append(f"{file}, line {number} is not in TOML{why and ': '}{why}: {REMEDY}")
        else:
            sound += line
    return found, faults


def _word(file: Path, name: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{file}: `{name}` must be text in quotes, not {value!r}")
    choices = CHOICES.get(name)
    if choices and name == "theme" and value not in choices:
        choices = (*choices, *(one.stem for one in theme_files()))
    if choices and value not in choices:
        raise UsageError(f"{file}: `{name}` is one of {', '.join(choices)}, not {value!r}")
    if not is_printable(value):
        raise UsageError(f"{file}: `{name}` must be one line without control characters")
    return value


def _switch(file: Path, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{file}: `{name}` is true or false, not {value!r}")
    return value


def _keys(
    file: Path, table: object, key_ids: Collection[str] | None, faults: list[str]
) -> dict[str, str]:
    """The keys that are set; adds to the faults what does not hold."""
    if not isinstance(table, dict):
        raise UsageError(f"{file}: `keys` must be a table, as in `[keys]`, not {table!r}")
    keys = {}
    for name, value in _flat(table):
        if key_ids is not None and name not in key_ids:
            faults.append(str(_explain_unknown(file, name, key_ids)))
        elif not isinstance(value, str) or not all(map(str.strip, value.split(","))):
            faults.append(f'{file}: the key of `{name}` must be text such as "f5", not {value!r}')
        else:
            keys[name] = value
    return keys


def _flat(table: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """Ids with dots, whether they are written as quoted names or as tables in tables."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def _explain_unknown(file: Path, name: str, known: Collection[str]) -> UsageError:
    near = difflib.get_close_matches(name, sorted(known), 1, 0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(known)[:8])}"
    return UsageError(f"{file}: there is no setting `{name}`: {hint}")
