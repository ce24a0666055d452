"""The page of the help dialog as lines: keys by pane, then words and marks, for any width."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from core.glossary.glossary_entry import GlossaryEntry
from core.glossary.profile_terms import CODES
from core.vocabulary import LABELS
from tui.dialogs.search_dialog import matches
from tui.keys import (
    ALL,
    BENCH,
    CONFUSION,
    FACTS,
    FIGURES,
    JOBS,
    LATENT,
    LENS,
    LISTS,
    MOVING,
    PROFILES,
    REVIEW,
    SCREENS,
    TASK,
    Key,
    caps,
    merge_keys,
)
from tui.keys import LABELS as LABEL_KEYS
from tui.text.cell_width import width_of
from tui.text.line import Line, Span
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import UNICODE, spell
from tui.theme.look import Look
from tui.theme.roles import LABEL_ROLES, PROFILE_CODES, fill_role

COLUMN = 33
"""Cells that a column of keys needs."""

HERE = "Where you are"
OWN = (HERE, FACTS, TASK, PROFILES, CONFUSION, REVIEW, JOBS, FIGURES, LATENT, BENCH, LISTS)
"""Groups of the pane and of the screen, which stand first."""

BANDS = {
    3: (((*OWN,), (LENS, MOVING), (SCREENS, ALL, LABEL_KEYS)),),
    2: (((*OWN,), (LENS, MOVING)), ((LABEL_KEYS, SCREENS), (ALL,))),
    1: (((*OWN, LABEL_KEYS, LENS, MOVING, SCREENS, ALL),),),
}
"""Which groups stand in which column, by the number of columns; bands stand below one another."""

OF_ONE_SCREEN = 3
"""Groups of own keys that one screen has at most; with more, all screens are shown."""

MARK_ROLES = {
    **{str(label): role for label, role in LABEL_ROLES.items()},
    "at-stake": "label-i",
    "differs": "label-p",
    "edited": "accent",
    "flagged": "object",
    "done": "label-c",
    "failed": "label-i",
    "running": "accent",
}
TERM, NAME = 12, 24
"""Cells of the columns of terms and names; a longer term has a line of its own."""

ROOMY = 96
"""Cells from which on names stand beside the terms."""

MARGIN = 1
CODE_TERMS = {entry.term for entry in CODES}


class KeyPlace(NamedTuple):
    """A key with the name it has now, and under which title it stands."""

    key: Key
    name: str
    title: str


class TermDetails(NamedTuple):
    """What a term comes to here, in words; `opens` says whether it leads to facts."""

    value: str
    under: str
    opens: bool


class HelpLine(NamedTuple):
    """A line of the page, and the entry that it begins."""

    line: Line
    entry: GlossaryEntry | None = None


def page_lines(
    keys: Sequence[KeyPlace],
    entries: Sequence[GlossaryEntry],
    title: str,
    width: int,
    look: Look,
    under: GlossaryEntry | None = None,
    in_sight: Sequence[GlossaryEntry] = (),
) -> list[HelpLine]:
    """What stands `under` the cursor, all keys in columns, then what the words mean.

    Words `in_sight` in the pane that has the focus come before the others.
    """
    found = []
    if under is not None:
        found = [one.line for one in _whole_entry(under, None, width, look)]
    found += _key_columns(keys, COLUMN if look.is_spoken else width)
    others = [entry for entry in entries if entry not in in_sight]
    codes = [entry for entry in others if entry.term in CODE_TERMS]
    words = [entry for entry in others if entry.term not in CODE_TERMS]
    for head, part in (("words in this pane", in_sight), (title, words), ("codes of facts", codes)):
        if part:
            found += [Line(), Line(f" {head} ", "ink-3").rule(width - 1)]
            found += [line for entry in part for line in entry_lines(entry, width, look)]
    return [HelpLine(line) for line in found]


def result_lines(
    keys: Sequence[KeyPlace],
    found: Sequence[GlossaryEntry],
    chosen: int,
    details: TermDetails | None,
    text: str,
    width: int,
    look: Look,
) -> list[HelpLine]:
    """What a text finds: terms that are written so, keys, then terms that speak of it.

    The chosen term has all that is said of it.
    """
    wanted = " ".join(text.casefold().split())
    near = [any(name.casefold().startswith(wanted) for name in one.written) for one in found]
    asked = [one for one in keys if matches(text, _key_text(one))]
    key_lines = (
        [Line(), *_key_columns(asked, COLUMN if look.is_spoken else width), Line()] if asked else []
    )
    lines: list[HelpLine] = []
    for place, entry in enumerate(found):
        if not near[place]:
            lines += map(HelpLine, key_lines)
            key_lines = []
        if place == chosen:
            lines += _whole_entry(entry, details, width, look)
        else:
            first, *others = entry_lines(entry, width, look)
            lines += [HelpLine(first, entry), *map(HelpLine, others)]
    lines += map(HelpLine, key_lines)
    return lines or [HelpLine(Line(f" nothing about `{text}`", "ink-3").clip(width))]


# Keys


def _key_text(one: KeyPlace) -> str:
    key = one.key
    return f"{caps([one.name])} {key.group} {key.words} {key.help} {key.alone}"


def _key_columns(keys: Sequence[KeyPlace], width: int) -> list[Line]:
    """Keys by group, in as many columns as fit."""
    count = max(1, min(3, width // COLUMN))
    groups: dict[str, list[tuple[Key, str]]] = {}
    for one in keys:
        groups.setdefault(one.title, []).append((one.key, one.name))
    lines: list[Line] = []
    for band in _bands(list(groups), count):
        wanted = [[name for name in names if name in groups] for names in band]
        columns = [names for names in wanted if names]
        room = width // max(1, len(columns))
        stacks = [_stack([_group(name, groups[name], room) for name in one]) for one in columns]
        drawn = [_join_cells(row, room) for row in zip_longest(*stacks)]
        lines += [Line(), *drawn] if lines and drawn else drawn
    return lines


def _bands(groups: Sequence[str], count: int) -> Sequence[Sequence[Sequence[str]]]:
    """Which groups stand in which column; those of several screens stand in turn."""
    screens = [name for name in OWN if name in groups]
    if count == 1 or len(screens) <= OF_ONE_SCREEN:
        return BANDS[count]
    every = [*screens, *(name for name in BANDS[1][0][0] if name in groups and name not in OWN)]
    rows = [every[at : at + count] for at in range(0, len(every), count)]
    return [[[name] for name in row] for row in rows]


def _group(title: str, keys: Sequence[tuple[Key, str]], room: int) -> list[Line]:
    """A title and its keys, what they do one under the other; nothing is cut."""
    found = [(caps(names), key.help) for names, key in merge_keys(keys)]
    start = min(max(len(shown) for shown, _ in found) + 3, room // 2)
    lines = [Line(f" {title}", "ink bold")]
    for shown, words in found:
        head = Line(" ").add(shown, "accent bold")
        lines += _hang_words(head, words, start, room - 1)
    return lines


def _stack(blocks: Iterable[list[Line]]) -> list[Line]:
    lines: list[Line] = []
    for block in blocks:
        lines += [Line(), *block] if lines else block
    return lines


def _join_cells(row: Sequence[Line | None], column: int) -> Line:
    line = Line()
    for place, cell in enumerate(row):
        line.to(place * column).join(cell or Line())
    return line


def _hang_words(head: Line, words: str, start: int, width: int) -> list[Line]:
    """Words behind a head, all lines of them from one column on; a long head stands above."""
    lines = []
    if head.width >= start:
        lines, head = [head], Line()
    room = max(8, width - start)
    if width_of(words) <= room:
        return [*lines, head.to(start).add(words, "ink-2")]
    for line in wrap_spans([Span(words, "ink-2")], room):
        lines.append(head.to(start).join(line))
        head = Line()
    return lines


# Words


def shown_term(entry: GlossaryEntry, look: Look) -> Line:
    """Mark and term as they stand on screen."""
    if entry.term in PROFILE_CODES:
        return Line(f" {entry.term} ", fill_role(entry.term))
    term = _in_look(entry.term, look)
    mark = look.glyph(entry.mark) if entry.mark else ""
    if not mark:
        return Line(term, "object bold")
    line = Line(mark, MARK_ROLES.get(entry.mark, "ink-2"))
    is_mark = entry.term == UNICODE[entry.mark] or entry.mark == "tau"
    return line if is_mark else line.add(f" {term}", "object bold")


def _in_look(text: str, look: Look) -> str:
    """A term with its marks as they are drawn."""
    if look.glyphs is UNICODE:
        return text
    marks = {UNICODE[label]: look.glyph(label) for label in LABELS}
    marks |= {UNICODE[name]: look.glyph(name) for name in ("up", "down", "edited", "noted")}
    return spell("".join(marks.get(char, char) for char in text))


def entry_lines(entry: GlossaryEntry, width: int, look: Look) -> list[Line]:
    """An entry in short: term, name where there is room for it, and its sentence."""
    head = Line(" ").join(shown_term(entry, look))
    start = MARGIN + TERM
    if width >= ROOMY:
        if head.width < start:
            head.to(start + 1).add(entry.name, "ink")
        elif entry.name != entry.term:
            head.add("  ").add(entry.name, "ink")
        head.add("  ")
        start += NAME
    return _hang_words(head, spell(entry.short), start, width - 1)


def _whole_entry(
    entry: GlossaryEntry, details: TermDetails | None, width: int, look: Look
) -> list[HelpLine]:
    """An entry with all that is said of it, and what it comes to here."""
    head = Line(" ").join(shown_term(entry, look)).add("   ").add(entry.name, "ink bold")
    spans = list(head.spans)
    if entry.other_names:
        spans += [Span("   also: ", "ink-3", None), Span(", ".join(entry.other_names), "ink-3")]
    first, *more = wrap_spans(spans, width - 1)
    lines = [HelpLine(first, entry), *(HelpLine(Line(" ").join(line)) for line in more)]
    for text in (spell(entry.short + "."), spell(entry.long)):
        sentence = text[:1].upper() + text[1:] if text == spell(entry.long) else text
        broken = wrap_spans([Span(sentence, "ink-2")], width - 2 * MARGIN)
        lines += [HelpLine(Line(" ").join(line)) for line in broken]
    if details is not None:
        here = Line(" ").add("here ", "ink-3").add(details.value, "ink bold")
        here.add(f"  {details.under}", "ink-2")
        if details.opens:
            here.add("   enter", "accent bold").add(" shows its facts", "ink-2")
        lines += [HelpLine(line) for line in _wrap_line(here, width)]
    if entry.see:
        see = Line(" ").add("see ", "ink-3").add("   ".join(entry.see), "accent")
        lines += [HelpLine(line) for line in _wrap_line(see, width)]
    return [*lines, HelpLine(Line())]


def _wrap_line(line: Line, width: int) -> list[Line]:
    first, *others = wrap_spans(line.spans, width - MARGIN)
    return [first, *(Line(" ").join(one) for one in others)]
