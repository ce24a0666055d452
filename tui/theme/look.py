"""A look: how roles and marks come out on one kind of terminal.

A *role* is words with blanks between: a colour variable (`ink-2`, `label-c`), `@` and the
variable of a ground (`@cursor`, `@fill-dr`), and any of `bold`, `underline`, `italic`,
`reverse`.
"""

from collections.abc import Mapping

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.text.cell_width import may_take_more
from tui.text.line import Line, Span
from tui.theme.glyphs import ASCII, SPOKEN, UNICODE
from tui.theme.palettes import ANSI, DARK, LIGHT

ATTRIBUTES = {
    name: Style(**{name: True})  # type: ignore[arg-type]
    for name in ("bold", "underline", "italic", "reverse")
}
QUIET_ON_CURSOR = {"ink-3": "ink-2"}
"""What the cursor's ground would make too faint."""


class Look:
    """Roles as styles and marks as characters; styles are worked out once each."""

    def __init__(
        self, colours: Mapping[str, str], ansi: bool, glyphs: Mapping[str, str] = UNICODE
    ) -> None:
        self.ansi, self.glyphs = ansi, glyphs
        self._colours = colours
        self._styles: dict[tuple[str, str], Style] = {}
        ground = None if ansi else colours["background"]
        self.base = Style(color=None if ansi else colours["ink"], bgcolor=ground)

    def style(self, role: str, ground: str = "") -> Style:
        """The style of a role on a ground (`cursor`, `cursor-2`, `raised` or none)."""
        found = self._styles.get((role, ground))
        if found is None:
            found = self._styles[role, ground] = self._resolve_style(role, ground)
        return found

    def _resolve_style(self, role: str, ground: str) -> Style:
        style = self.base
        if ground:
            style += self._build_ground(ground)
        for word in role.split():
            if word in ATTRIBUTES:
                style += ATTRIBUTES[word]
            elif word.startswith("@"):
                style += self._build_ground(word[1:])
            elif not (self.ansi and ground == "cursor"):
                name = QUIET_ON_CURSOR.get(word, word) if ground.startswith("cursor") else word
                style += Style(color=self._colours[name])
        return style

    def _build_ground(self, ground: str) -> Style:
        if not self.ansi:
            return Style(bgcolor=self._colours[ground])
        if ground in ("raised", "background") or ground.startswith("heat-"):
            return Style()
        return Style(bold=True) if ground == "cursor-2" else Style(reverse=True)

    @property
    def is_spoken(self) -> bool:
        """Whether lines are for who hears them: sentences, on no ground, without a bar."""
        return self.glyphs is SPOKEN

    def glyph(self, name: str) -> str:
        """The character of a mark."""
        return self.glyphs[name]

    def strip(self, line: Line, width: int, ground: str = "") -> Strip:
        """A line as the terminal gets it: exactly `width` cells, in as few pieces as can be."""
        line = line.copy_clipped(width)
        segments: list[Segment] = []
        text, style = "", self.style("ink", ground)
        for span in (*line.spans, Span(" " * (width - line.width), "ink")):
            other = self.style(span.role, ground)
            alike = other is style or (span.text.isspace() and _blank_alike(style, other))
            if alike and (span.text.isspace() or not may_take_more(text)):
                text += span.text
                continue
            if text:
                segments.append(Segment(text, style))
            text, style = span.text, other
        if text:
            segments.append(Segment(text, style))
        return Strip(segments, width)


def _blank_alike(one: Style, other: Style) -> bool:
    """Whether blanks look the same in two styles."""
    lined = one.underline or one.reverse or other.underline or other.reverse
    return not lined and one.bgcolor == other.bgcolor


def look_named(
    name: str,
    ascii_glyphs: bool = False,
    own: Mapping[str, str] | None = None,
    spoken: bool = False,
) -> Look:
    """The look of a theme: `dark`, `light`, `ansi`, or a person's own with these colours."""
    colours = own or {"dark": DARK, "light": LIGHT, "ansi": ANSI}[name]
    glyphs = SPOKEN if spoken else ASCII if ascii_glyphs else UNICODE
    return Look(colours, name == "ansi", glyphs)
