"""The top bar: the screens there are, and the lens through which every number is seen."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from core.vocabulary import Strategy
from tui.app.tab_table import TABS
from tui.keys import cap
from tui.text.cell_width import width_of
from tui.text.grader_list import list_by_names, short_list
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut_inside
from tui.theme.look import Look
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane_layout import NARROW, WIDE

if TYPE_CHECKING:
    from core.views.lens import Lens

NAME = "Lostkeys"
LONGEST = 40
"""Cells that the name of a grader may take."""

TAU = "tau(1)"
"""What a click on the threshold does."""

MODELS = " models"
"""What is left out first of `all 3 models`, which a screen may say instead of a name."""


class TabNames(IntEnum):
    """Which names of screens stand behind their keys: of the one in sight it is the whole name.

    `KEYS` has none, not even that.
    """

    FULL = 0
    SHORT = 1
    HERE = 2
    KEYS = 3


class LensWords(IntEnum):
    """How much of the lens is written: names of its parts, of their values, model and threshold.

    `SHORT` has the names of the parts, and graders by their letters.
    Close together the threshold goes without its sign.
    """

    NAMED = 0
    SHORT = 1
    SPACED = 2
    CLOSE = 3
    MODEL = 4


class TopBarLayout(NamedTuple):
    """How the bar is written; `model` cells are left to the model's name at least, if it has them.

    Only from `width` columns on. `close`: names follow their keys without a blank.
    """

    width: int
    named: bool
    tabs: TabNames
    close: bool
    lens: LensWords
    model: int


LAYOUTS = (
    TopBarLayout(WIDE, True, TabNames.FULL, False, LensWords.NAMED, 24),
    TopBarLayout(WIDE, False, TabNames.FULL, False, LensWords.NAMED, 24),
    TopBarLayout(WIDE, True, TabNames.FULL, False, LensWords.SHORT, 16),
    TopBarLayout(WIDE, False, TabNames.FULL, False, LensWords.SHORT, 16),
    TopBarLayout(NARROW, False, TabNames.FULL, False, LensWords.SPACED, 16),
    TopBarLayout(NARROW, False, TabNames.FULL, False, LensWords.CLOSE, 12),
    TopBarLayout(NARROW, False, TabNames.FULL, True, LensWords.CLOSE, 12),
    TopBarLayout(NARROW, False, TabNames.SHORT, False, LensWords.SPACED, 16),
    TopBarLayout(NARROW, False, TabNames.SHORT, True, LensWords.CLOSE, 8),
    TopBarLayout(0, False, TabNames.SHORT, False, LensWords.MODEL, 8),
    TopBarLayout(0, False, TabNames.SHORT, True, LensWords.MODEL, 5),
    TopBarLayout(0, False, TabNames.HERE, False, LensWords.MODEL, 8),
    TopBarLayout(0, False, TabNames.KEYS, False, LensWords.MODEL, 5),
)
"""From the roomiest to the one that fits everywhere."""


class TopBar(LineWidget):
    """Tabs at the left, the lens at the right."""

    ground = "raised"

    def draw(self, width: int) -> Line:
        """Tabs and lens, in as many words as there is room for."""
        app = self.lostkeys
        failed = ("jobs",) if app.jobs.failed else ()
        lens, words = app.lens, app.tab_screen(app.tab).model_words
        if lens is not None and words is not None:
            lens = replace(lens, model=words)
        own = app.tab_screen(app.tab).lens_words
        return bar_line(app.tab, lens, width, self.look, failed, app.start_lens, own)

    def press_part(self, part: str) -> None:
        """Go to a screen, or change what was clicked of the lens."""
        self.app.call_later(self.app.run_action, part)


@lru_cache(maxsize=8)
def bar_line(
    tab: str,
    lens: "Lens | None",
    width: int,
    look: Look,
    marked: tuple[str, ...] = (),
    start: "Lens | None" = None,
    own: tuple[str, ...] | None = None,
) -> Line:
    """The screens with their keys, and the lens at the right, in the roomiest layout that fits.

    `marked` are screens on which something has failed. What differs in the lens from `start`, the
    one that the database was opened with, stands out. `own` is what a screen goes by instead.
    It changes seldom, and is asked for with every key.
    """
    for layout in LAYOUTS:
        line = Line(f"  {NAME}  ", "ink bold") if layout.named else Line()
        line.join(tabs_line(tab, layout, marked))
        if lens is None:
            shown = Line(" ")
        elif lens.model is None:
            shown = Line("no model yet ", "ink-3")
        else:
            rest = lens_parts(lens, layout.lens, look, start)
            if own is not None:
                rest = own_parts(own, layout.lens)
            lead = "model " if layout.lens is LensWords.NAMED else ""
            name, room = make_inert(lens.model), width - line.width - len(lead) - rest.width - 1
            if layout.lens is LensWords.MODEL and room < width_of(name):
                name = name.removesuffix(MODELS)
            if room < min(width_of(name), layout.model) and layout is not LAYOUTS[-1]:
                continue
            shown = Line().add(lead, "ink-3", "model")
            shown.add(cut_inside(name, max(layout.model, room)), "ink bold", "model").join(rest)
        if width >= layout.width and line.width + shown.width < width:
            break
    return line.right(shown, width)


def tabs_line(tab: str, layout: TopBarLayout, marked: Collection[str] = ()) -> Line:
    """The screens with their keys, and `!` where something has failed."""
    line = Line()
    for place in TABS:
        part = f"visit('{place.tab}')"
        here = place.tab == tab
        chip = " @chip" if here else ""
        whole = here and layout.tabs is not TabNames.KEYS
        name = place.name if whole else (place.name, place.short, "", "")[layout.tabs]
        gap = "" if layout.close and not here else " "
        line.add(f" {cap(place.key)}", f"accent{chip}", part)
        line.add(f"{gap}{name}" if name else "", f"accent bold{chip}" if here else "ink-2", part)
        line.add(" !" if place.tab in marked else "", f"label-i bold{chip}", part)
        line.add(" " if whole else "", f"accent{chip}", part)
    return line


def lens_parts(lens: "Lens", words: LensWords, look: Look, start: "Lens | None" = None) -> Line:
    """The lens but for its model; what differs from `start` stands out.

    Beside the model alone there is the threshold.
    """
    close = words >= LensWords.CLOSE
    usual = None if start is None else _parts(start, words, look)
    line, gap = Line(), {LensWords.NAMED: "   "}.get(words, " " if close else "  ")
    for part in _parts(lens, words, look):
        if words is LensWords.MODEL and part.action != TAU:
            continue
        role = "ink-2" if usual is None or part in usual else "ink bold"
        name = "" if close else part.name
        line.add(gap).add(name, "ink-3", part.action).add(part.words, role, part.action)
    return line.add(" ")


def change_line(before: "Lens", now: "Lens", look: Look) -> Line:
    """`threshold .75, was .50   u takes it back`: what a step of the lens has changed."""
    line, known = Line(), {part.action: part for part in _parts(before, LensWords.NAMED, look)}
    for part in _parts(now, LensWords.NAMED, look):
        was = known.get(part.action)
        if was is None or was.words != part.words:
            line.add(", " if line.width else "", "ink-3").add(_say_name(part), "ink-2")
            line.add(part.words, "ink bold")
            line.add(f", was {was.words}" if was is not None else "", "ink-2")
    return line.add("   ").add("u", "accent bold").add(" takes it back", "ink-2")


def _say_name(part: "LensPart") -> str:
    return "threshold " if part.action == TAU else part.name


def own_parts(words: Sequence[str], layout: LensWords) -> Line:
    """What a screen goes by instead of the lens."""
    line, gap = Line(), " " if layout is LensWords.CLOSE else "  "
    for one in words if layout is not LensWords.MODEL else ():
        line.add(gap).add(one, "ink-2")
    return line.add(" ")


class LensPart(NamedTuple):
    """What the bar says of a part of the lens, and what a click does."""

    name: str
    words: str
    action: str


def _parts(lens: "Lens", words: LensWords, look: Look) -> list[LensPart]:
    from core.views.verdict_reasons import format_tau

    named = words <= LensWords.SHORT

    policy = lens.policy
    partial = policy.strategy is Strategy.PARTIAL
    strategy = (
        f"{policy.strategy} {format_tau(policy.weight)}" if partial else policy.strategy.value
    )
    parts = [
        LensPart("thinking " if named else "", lens.thinking.value, "thinking"),
        LensPart(
            "grader " if named else "", _graders(lens, words is LensWords.NAMED, look), "grader"
        ),
        LensPart("tau " if named else f"{look.glyph('tau')} ", format_tau(policy.tau), TAU),
        LensPart("", strategy, "strategy(1)"),
    ]
    return [part for part in parts if part.words]


def _graders(lens: "Lens", named: bool, look: Look) -> str:
    """Whose labels count, first first: `you›A+2`, or with names."""
    return list_by_names(lens, look, LONGEST) if named else short_list(lens, look)
