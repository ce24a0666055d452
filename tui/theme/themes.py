"""The palettes as themes of Textual."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual.scrollbar import ScrollBarRender
from textual.theme import Theme

from tui.theme.palettes import ANSI, DARK, LIGHT

if TYPE_CHECKING:
    from tui.theme.user_themes import OwnTheme

NAMES = ("dark", "light", "ansi")
GROUNDS = (
    *("background", "raised", "cursor", "cursor-2", "chip", "tint", "hit"),
    *(f"heat-{kind}-{level}" for kind in ("agree", "differ") for level in (1, 2, 3)),
)


class AsciiScrollBar(ScrollBarRender):
    """A scroll bar of whole cells: Textual's own ends in parts of one."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = VERTICAL_BARS


def themes(own: Iterable["OwnTheme"] = ()) -> list[Theme]:
    """All, their colour variables under the names that the palettes give them."""
    ansi = {name: f"ansi_{colour}" for name, colour in ANSI.items()}
    ansi |= dict.fromkeys(GROUNDS, "ansi_default")
    return [
        _theme("dark", DARK, dark=True),
        _theme("light", LIGHT, dark=False),
        _theme("ansi", ansi, dark=True, ansi=True),
        *(_theme(one.name, one.colours, dark=one.over == "dark") for one in own),
    ]


def _theme(name: str, colours: Mapping[str, str], dark: bool, ansi: bool = False) -> Theme:
    ground, raised = colours["background"], colours["raised"]
    return Theme(
        name=name,
        primary=colours["accent"],
        secondary=colours["ink-2"],
        accent=colours["accent"],
        warning=colours["label-p"],
        error=colours["label-i"],
        success=colours["label-c"],
        foreground=colours["ink"],
        background=ground,
        surface=ground,
        panel=raised,
        boost=raised,
        dark=dark,
        ansi=ansi,
        variables={**colours, **_widgets(colours, ansi)},
    )


def _widgets(colours: Mapping[str, str], ansi: bool) -> dict[str, str]:
    """What Textual's own widgets take: scroll bars, text fields, the palette's cursor."""
    ground = colours["background"]
    return {
        "ansi-background": ground,
        "ansi-foreground": colours["ink"],
        "scrollbar": colours["rule"],
        "scrollbar-hover": colours["ink-3"],
        "scrollbar-active": colours["accent"],
        "scrollbar-background": ground,
        "scrollbar-background-hover": ground,
        "scrollbar-background-active": ground,
        "scrollbar-corner-color": ground,
        "border": colours["accent"],
        "border-blurred": colours["rule"],
        "block-cursor-background": colours["accent"] if ansi else colours["cursor"],
        "block-cursor-foreground": "ansi_black" if ansi else colours["ink"],
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": colours["cursor-2"],
        "block-cursor-blurred-foreground": colours["ink"],
        "block-hover-background": colours["cursor-2"],
        "input-cursor-background": colours["ink"],
        "input-cursor-foreground": "ansi_black" if ansi else ground,
        "input-cursor-text-style": "reverse" if ansi else "none",
        "input-selection-background": "ansi_blue" if ansi else colours["cursor"],
    }
