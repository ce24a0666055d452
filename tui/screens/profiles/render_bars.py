"""One bar: segments with code and share, and the thin line of where it started."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.glossary.glossary import BY_TERM
from core.views.profiles.profile_scores import ModelCounts
from core.vocabulary import CODE_ORDER, CODES, PROFILES
from tui.screens.profiles.render_numbers import cells, percent
from tui.text.line import Line
from tui.theme.look import Look
from tui.theme.roles import PROFILE_CODES

MEASURED = CODE_ORDER[: len(PROFILES)]
UNMEASURED = ("EK", "E-", "-K", "--")
LEFT_OUT = ("NA", "DI")
"""Codes of complete facts without a profile: the end of a bar, apart from its shares."""

ASIDE = (*LEFT_OUT, "··")
"""Codes of facts that are in no share of a bar; they can be chosen after the segments."""

PROFILE_OF = {code: str(profile) for profile, code in CODES.items()}
WORDS = {code: BY_TERM[code].word for code in PROFILE_CODES}
NAMES = {code: BY_TERM[code].brief_name for code in PROFILE_CODES}

_HATCHED = {
    "EK": ("dense", "ink-2"),
    "E-": ("hatch", "ink-2"),
    "-K": ("hatch", "ink-3"),
    "--": ("track", "rule"),
    "NA": ("hatch", "ink-3"),
    "DI": ("dense", "ink-3"),
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar: its code and how many facts it counts."""

    code: str
    count: int


def count_of(counted: ModelCounts, code: str) -> int:
    """How many facts have a code."""
    return counted.by_code[CODE_ORDER.index(code)]


def segments(counted: ModelCounts) -> list[Segment]:
    """The parts of a bar, those without facts too."""
    codes = MEASURED if counted.summary.thinking else UNMEASURED
    return [Segment(code, count_of(counted, code)) for code in codes]


def count_facts(counted: ModelCounts) -> int:
    """How many facts all parts of a bar count together."""
    return sum(part.count for part in segments(counted))


def left_out(counted: ModelCounts) -> list[Segment]:
    """The complete facts that a bar's shares leave out, where there are any."""
    parts = [Segment(code, count_of(counted, code)) for code in LEFT_OUT]
    return [part for part in parts if part.count]


def left_out_share(counted: ModelCounts, code: str) -> float | None:
    """A code of `LEFT_OUT` as a share of all complete facts."""
    summary = counted.summary
    return summary.not_gradable_share if code == "NA" else summary.direct_inference_share


def divide(counted: ModelCounts, width: int) -> tuple[list[int], list[int]]:
    """Cells of each segment, then of each part left out: one at least where there is room."""
    out = [part.count for part in left_out(counted)]
    _, *end = cells([count_facts(counted), *out], width)
    end = [max(1, room) for room in end] if width > 2 * len(out) else end
    return cells([part.count for part in segments(counted)], width - sum(end)), end


def choices(counted: ModelCounts) -> list[str]:
    """The codes that can be chosen of a bar: parts and what is set aside, if they have facts."""
    codes = [part.code for part in segments(counted) if part.count]
    return [*codes, *(code for code in ASIDE if count_of(counted, code))]


def next_code(counted: ModelCounts, code: str | None, step: int) -> str | None:
    """The code beside another, stopping at the ends; the largest part where that is not there."""
    codes = choices(counted)
    if not codes:
        return None
    if code not in codes:
        return find_nearest(counted, code)
    return codes[min(max(codes.index(code) + step, 0), len(codes) - 1)]


def find_nearest(counted: ModelCounts, code: str | None) -> str | None:
    """The code itself if the bar has facts with it, else that of its largest part."""
    codes = choices(counted)
    if code in codes:
        return code
    return max(codes, key=lambda one: (one not in ASIDE, count_of(counted, one)), default=None)


def bar(counted: ModelCounts, width: int, chosen: str | None, look: Look) -> Line:
    """The bar of exactly `width` cells; words where it has nothing to show, or is heard."""
    parts = segments(counted)
    total = sum(part.count for part in parts)
    if not total:
        return Line().cell(explain_nothing(counted), width, "ink-3")
    if look.is_spoken:
        return _list_shares(counted, chosen)
    line, (rooms, ends) = Line(), divide(counted, width)
    for part, room in zip(parts, rooms, strict=True):
        here = part.code == chosen
        text = label(part.code, percent(part.count / total), room, here)
        if part.code in PROFILE_CODES:
            name = part.code.lower()
            if look.ansi and line.width and text.startswith(" "):
                text = look.glyph("grid") + text[1:]  # all grounds may look the same
            line.add(text, f"on-{name}{' bold' * here} @fill-{name}", part.code)
        else:
            _hatch(line, part.code, text, here, look)
    for part, room in zip(left_out(counted), ends, strict=True):
        here = part.code == chosen
        text = label(part.code, percent(left_out_share(counted, part.code)), room, here)
        _hatch(line, part.code, text, here, look)
    return line


def _list_shares(counted: ModelCounts, chosen: str | None) -> Line:
    """The parts of a bar that have facts, however few, then what it leaves out."""
    line, total = Line(), count_facts(counted)
    parts = segments(counted)
    for part in parts:
        if part.count:
            words = f"{BY_TERM[part.code].name} {percent(part.count / total)}"
            words = f"chosen: {words}" if part.code == chosen else words
            line.add("  ").add(words, "ink", part.code)
    for part in left_out(counted):
        words = f"{BY_TERM[part.code].name} {percent(left_out_share(counted, part.code))}"
        words = f"chosen: {words}" if part.code == chosen else words
        line.add("  ").add(f"{words} of complete facts", "ink-2", part.code)
    return line


def explain_nothing(counted: ModelCounts) -> str:
    """Why a bar has nothing to show."""
    summary = counted.summary
    reasons = [
        f"{count:,} {words}"
        for count, words in (
            (summary.incomplete, "incomplete"),
            (summary.excluded_nan, "not gradable"),
            (summary.direct_inference or 0, "direct inference"),
        )
        if count
    ]
    return ", ".join(reasons) or "no facts"


def label(code: str, share: str, room: int, chosen: bool) -> str:
    """What stands on a segment of `room` cells: `DR 70.4`, or the share alone, or nothing.

    The chosen one is in brackets.
    """
    if not chosen:
        fitting = (text for text in (f" {code} {share}", f" {share}") if len(text) <= room)
        return next(fitting, "").ljust(room)
    if room < 2:
        return "["[:room]
    inside = room - 2
    fitting = (text for text in (f"{code} {share}", share) if len(text) <= inside)
    return f"[{next(fitting, '').ljust(inside)}]"


@lru_cache(256)
def draw_thin_line(counted: ModelCounts, width: int, look: Look) -> Line:
    """The thin line under a bar, not to be changed; words where thinking was not measured."""
    if not counted.summary.thinking:
        return Line().cell("thinking not measured", width, "ink-3")
    line, rooms = Line(), divide(counted, width)[0]
    for part, room in zip(segments(counted), rooms, strict=True):
        name = part.code.lower()
        begins = " " if look.ansi and line.width and room > 1 else ""
        thread = begins + look.glyph("thin") * (room - len(begins))
        line.add(thread, f"on-{name}" if look.ansi else f"fill-{name}")
    return line.to(width)


def legend(width: int, start: int, look: Look, short: bool) -> Line:
    """Codes on their grounds with their names, from column `start` on.

    Where there is less room names are short, then left out, and it begins further to the left.
    """
    kinds = ([] if short else [(NAMES, 2), (NAMES, 1)]) + [(WORDS, 1), ({}, 1)]
    found = [_codes(names, gap, look) for names, gap in kinds]
    line = next((one for one in found if start + one.width <= width), found[-1])
    return Line().to(min(start, max(0, width - line.width))).join(line).clip(width)


def _codes(names: Mapping[str, str], gap: int, look: Look) -> Line:
    """All codes on their grounds, with those names that there are."""
    found = Line()
    for place, code in enumerate(PROFILE_CODES):
        name = code.lower()
        found.add(" " * gap if place else "").add(f" {code} ", f"on-{name} bold @fill-{name}")
        found.add(f" {names[code]}" if names else "", "ink-2")
    return found


def _hatch(line: Line, code: str, text: str, chosen: bool, look: Look) -> None:
    """A segment without thinking: its label, then a hatch to its end.

    It has no ground, so a share without its code would seem to be the neighbour's.
    """
    glyph, role = _HATCHED[code]
    if code not in text and not chosen:
        text = " " * len(text)
    closing = "]" if chosen and len(text) > 1 else ""
    shown = text.removesuffix("]").rstrip()
    rest = len(text) - len(shown) - len(closing)
    line.add(shown, f"ink{' bold' * chosen}", code)
    line.add(look.glyph(glyph) * rest, role, code).add(closing, "ink bold", code)


def find_widest(names: Sequence[str]) -> int:
    """Cells of the longest of some names."""
    return max((Line(name).width for name in names), default=0)
