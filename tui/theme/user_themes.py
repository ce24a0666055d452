"""Themes of a person's own: `themes/NAME.toml` in the settings folder, over `dark` or `light`.

over = "light"

[colours]
accent = "#7a3e9d"
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from core.errors import UsageError
from core.settings.preferences import THEMES, theme_files
from tui.theme.palettes import DARK, LIGHT

OVER = {"dark": DARK, "light": LIGHT}
READABLE = 4.5
"""The least contrast of text and ground, as a ratio of WCAG 2."""

LARGEST = 1 << 16
"""Bytes of a file that is taken for a theme."""

MOST_NAMED = 3
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_GROUNDS = ("background", "raised", "cursor", "cursor-2")
_NO_TEXT = ("rule", "chip", "tint", "hit")


class OwnTheme(NamedTuple):
    """A palette with colours of a person's own; all variables have a value, `#rrggbb`."""

    name: str
    over: str
    colours: Mapping[str, str]

    @property
    def fault(self) -> str | None:
        """Which texts stand out too little from their ground, in one line; None if none does."""
        found = [
            f"{text} on {ground} {ratio:.1f}"
            for text, ground in texts_on_grounds()
            if (ratio := contrast(self.colours[text], self.colours[ground])) < READABLE
        ]
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        named = ", ".join(found[:MOST_NAMED])
        return f"theme {self.name}: contrast below {READABLE}:1: {named}{more}" if found else None


def load_themes() -> tuple[list[OwnTheme], list[str]]:
    """The themes of the settings folder, and what is wrong with those files that hold none."""
    found, faults = [], []
    for file in theme_files():
        try:
            found.append(_theme(file))
        except UsageError as error:
            faults.append(str(error))
    return found, faults


def texts_on_grounds() -> Iterator[tuple[str, str]]:
    """Which variables are text, and which the grounds that it is written on."""
    apart = (*_GROUNDS, *_NO_TEXT)
    texts = [one for one in DARK if one not in apart and not re.match("fill-|on-|heat-", one)]
    for ground in _GROUNDS:
        for text in texts:
            yield ("ink-2" if text == "ink-3" and ground.startswith("cursor") else text), ground
    yield "ink-2", "chip"
    for ground in DARK:
        if ground in ("chip", "tint", "hit") or ground.startswith("heat-"):
            yield "ink", ground
        if ground.startswith("fill-"):
            yield ground.replace("fill-", "on-"), ground
    for text in texts:
        if text.startswith("label-"):
            yield text, "tint"


def contrast(one: str, other: str) -> float:
    """The contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2)."""
    high, low = sorted(map(_luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _theme(file: Path) -> OwnTheme:
    """Raises `UsageError` for a file that is no theme."""
    name = file.stem
    if not _NAME.fullmatch(name) or name in THEMES:
        raise UsageError(
            f"{str(file)!r}: a theme is called by letters, digits, - and _, "
            f"and not {', '.join(THEMES)}"
        )
    found = _table(file)
    over, colours = found.pop("over", "dark"), found.pop("colours", {})
    if found:
        raise _build_name_error(file, next(iter(found)), ("over", "colours"))
    if not isinstance(over, str) or over not in OVER:
        raise UsageError(f"{file}: `over` is one of {', '.join(OVER)}, not {over!r}")
    if not isinstance(colours, dict):
        raise UsageError(f"{file}: `colours` must be a table, as in `[colours]`, not {colours!r}")
    for variable, colour in colours.items():
        if variable not in DARK:
            raise _build_name_error(file, variable, tuple(DARK))
        if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
            raise UsageError(f"{file}: `{variable}` must be a colour as #20242a, not {colour!r}")
    return OwnTheme(name, over, {**OVER[over], **colours})


def _table(file: Path) -> dict[str, object]:
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise UsageError(f"{file} is too large for a theme: {LARGEST:,} bytes at most")
        return tomllib.loads(content.decode())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "no text in UTF-8"
        raise UsageError(f"{file} is not in TOML: {why}: mend it") from error


def _build_name_error(file: Path, name: str, known: tuple[str, ...]) -> UsageError:
    near = difflib.get_close_matches(name, known, 1, 0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known[:8])}"
    return UsageError(f"{file}: there is no `{name[:40]}` of a theme: {hint}")
