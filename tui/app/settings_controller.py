"""What the person has set: the name that labels carry, keys, theme and marks."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual.scrollbar import ScrollBar, ScrollBarRender

from core.errors import LostkeysError, UsageError
from core.settings.preferences import THEMES, Settings, load, save, theme_files
from tui import keys
from tui.theme.glyphs import draw_ascii, draw_spoken, draw_unicode, lacks_unicode
from tui.theme.look import Look, look_named
from tui.theme.terminal_colours import theme_for
from tui.theme.themes import NAMES, AsciiScrollBar

if TYPE_CHECKING:
    from core.views.session import Session
    from tui.app.app import LostkeysApp
    from tui.theme.user_themes import OwnTheme


class SettingsController:
    """The settings that hold now; what is changed here is remembered."""

    def __init__(self, app: "LostkeysApp", given: Settings | None, reader: bool = False) -> None:
        self._app, self._reader = app, reader
        self.own_themes: dict[str, OwnTheme] = {}
        """Themes of the person's own, by name."""
        faults: list[str] = []
        if given is None and theme_files():
            from tui.theme.user_themes import load_themes

            themes, faults = load_themes()
            self.own_themes = {one.name: one for one in themes}
        self.settings, self.error = usable_settings(given, faults)
        if self.reader:
            self.settings = replace(self.settings, hints=False)
        self._theme = self.theme(app.no_color)
        self._draw()

    def remember(self, settings: Settings) -> None:
        """Go by other settings, and remember them."""
        self.settings = settings
        self._draw()
        try:
            save(self.settings)
        except LostkeysError as error:
            self._app.report(error)

    # How things look

    look: Look
    """Roles and marks of the present theme and settings; every line that is drawn asks for it."""

    def take_theme(self, theme: str) -> None:
        """Go by another theme."""
        self._theme = theme
        self._draw()

    def _draw(self) -> None:
        """Have text, marks, borders and scroll bars drawn in what the terminal shows."""
        glyphs, own = self.glyphs, self.own_themes.get(self._theme)
        colours = own.colours if own else None
        self.look = look_named(self._theme, glyphs == "ascii", colours, glyphs == "spoken")
        {"ascii": draw_ascii, "spoken": draw_spoken}.get(glyphs, draw_unicode)()
        self._app.set_class(glyphs == "ascii", "-ascii")
        self._app.set_class(self.reader, "-reader")
        ScrollBar.renderer = AsciiScrollBar if glyphs == "ascii" else ScrollBarRender

    @property
    def reader(self) -> bool:
        """Whether the screens are drawn for a screen reader."""
        return self._reader or self.settings.reader

    @property
    def glyphs(self) -> str:
        """What all is drawn in: `unicode`, `ascii`, `spoken`; `auto` goes by the terminal."""
        name = "spoken" if self.reader else self.settings.glyphs
        return self._terminal_glyphs if name == "auto" else name

    @cached_property
    def _terminal_glyphs(self) -> str:
        """What the terminal can show: asked once, for every line that is drawn goes by it."""
        encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
        return "ascii" if lacks_unicode(os.environ, encoding) else "unicode"

    def theme(self, no_color: bool) -> str:
        """The theme as it is set; `auto` goes by the terminal, and no colour is ANSI's own."""
        if no_color:
            return "ansi"
        name = self.settings.theme
        known = name in NAMES or name in self.own_themes
        return name if known else theme_for(os.environ)

    @property
    def theme_names(self) -> tuple[str, ...]:
        """The themes that can be chosen."""
        return (*THEMES, *self.own_themes)

    def tell_faults(self, theme: str) -> None:
        """Say what is wrong with the settings, and with the theme that the program starts in."""
        if self.error is not None:
            self._app.fail(self.error)
        self.tell_theme(theme)

    def tell_theme(self, theme: str) -> None:
        """Say what of a theme can hardly be read."""
        fault = self.own_themes[theme].fault if theme in self.own_themes else None
        if fault is not None:
            self._app.say(fault, role="label-p")

    # Who labels

    @property
    def person(self) -> str:
        """Whose labels are set here: `$LOSTKEYS_USER`, else as in the settings, else nobody."""
        return self.settings.person

    def with_name(self, then: Callable[[str], None]) -> None:
        """Go on with the person's name, asked for once."""
        if self.person:
            self._take_person(then, self.person)
            return
        from tui.dialogs.input_dialog import AskLine

        question = "Your labels carry your name. Name:"
        asked = AskLine("your name", question, check=wrong_name, proposal=_login())
        self._app.push_screen(asked, partial(self._take_person, then))

    def sign(self) -> None:
        """Let the open database know whose labels are set, where that is known."""
        if self.person:
            self._app.write(partial(_take_name, self.person), lambda _: None)

    def _take_person(self, then: Callable[[str], None], name: str | None) -> None:
        if not name:
            return
        if name != self.person:
            self.remember(replace(self.settings, name=name))
        self._app.write(partial(_take_name, name), lambda _: then(name))


def _login() -> str:
    """The name that the person has on this system, empty where it has none."""
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError, ImportError):
        return ""


def usable_settings(
    given: Settings | None, other_faults: Sequence[str] = ()
) -> tuple[Settings, LostkeysError | None]:
    """The settings to start with, and what is wrong with the settings file and other files.

    What cannot hold is left out, all else holds.
    """
    try:
        settings = load(keys.BY_ID) if given is None else given
    except LostkeysError as error:
        return Settings(), error
    kept, clashes = keys.resolve_keys(settings.keys)
    faults = [*settings.faults, *clashes, *other_faults]
    if not faults:
        return settings, None
    more = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
    return replace(settings, keys=kept), UsageError(faults[0] + more)


def _take_name(name: str, session: "Session") -> None:
    session.name = name


def wrong_name(name: str) -> str | None:
    """What is wrong with a name for labels; None for a proper one."""
    from core.scoring.precedence import grader_of

    try:
        grader_of(name)
    except UsageError as error:
        return str(error)
    return None
