"""The page of the help dialog: keys in columns, marks and profiles below, for any width."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from core.glossary.glossary import BY_TERM
from core.vocabulary import LABELS
from tui.dialogs.search_dialog import matches
from tui.keys import (
    ALL,
    CONFUSION,
    FACTS,
    FIGURES,
    JOBS,
    LENS,
    MOVING,
    PROFILES,
    REVIEW,
    SCREENS,
    TASK,
    Key,
    caps,
    merged,
)
from tui.keys import LABELS as LABEL_KEYS
from tui.text.line import Line
from tui.theme.look import Look
from tui.theme.roles import LABEL_ROLES, NO_PROFILE_CODES, PROFILE_CODES, fill_role

COLUMN = 33
"""Cells of a column of keys."""

AT_RIGHT = ((LENS, LABEL_KEYS), (SCREENS, ALL))
"""Groups of the second and third column; all others are of the screen, and stand in the first."""

ORDER = (
    *(FACTS, TASK, PROFILES, CONFUSION, REVIEW, JOBS, FIGURES),
    *(MOVING, LENS, LABEL_KEYS, SCREENS, ALL),
)
"""All groups of keys, as they stand."""

MARKS = (
    ("unlabelled", "ink-3", "no label yet"),
    ("ungraded", "ink-3", "grader failed, asked again"),
    ("undrawn", "ink-3", "not asked, the question was decided"),
    ("at-stake", "label-i", "graders differ, profile at stake"),
    ("differs", "label-p", "graders differ, profile safe"),
    ("edited", "accent", "edited"),
    ("flagged", "object", "flagged"),
    ("noted", "ink-2", "note"),
)


def help_page(here: Sequence[tuple[Key, str]], text: str, width: int, look: Look) -> list[Line]:
    """The page for the keys that work here; with a text only lines in which all of it is found."""
    blocks = _blocks(here, text)
    page = _columns(blocks, width)
    for title, cells in (("marks", _marks(look)), ("profiles", _profiles(width))):
        found = [cell for cell in cells if matches(text, cell.text)]
        if found:
            page += [Line(), Line(f" {title} ", "ink-3").rule(width - 1)]
            page += _flowing(found, width) if title == "marks" else found
    return page or [Line(f" nothing about `{text}`", "ink-3")]


def _blocks(here: Sequence[tuple[Key, str]], text: str) -> dict[str, list[Line]]:
    """Groups of keys, each with its title."""
    groups: dict[str, list[tuple[Key, str]]] = {}
    for key, name in here:
        groups.setdefault(key.group, []).append((key, name))
    blocks = {}
    for group, keys in sorted(groups.items(), key=lambda item: ORDER.index(item[0])):
        found = [(names, key) for names, key in merged(keys) if _asked(text, key, names)]
        if found:
            blocks[group] = [Line(f" {group}", "ink bold"), *_keys(found)]
    return blocks


def _asked(text: str, key: Key, names: Sequence[str]) -> bool:
    return matches(text, f"{caps(names)} {key.group} {key.words} {key.help}")


def _keys(found: Sequence[tuple[list[str], Key]]) -> list[Line]:
    """Keys and what they do, the latter one under the other."""
    shown = [caps(names) for names, _ in found]
    start = max(map(len, shown)) + 3
    return [
        Line(" ").add(cap, "accent bold").to(start).add(key.help, "ink-2")
        for cap, (_, key) in zip(shown, found, strict=True)
    ]


def _columns(blocks: dict[str, list[Line]], width: int) -> list[Line]:
    """One to three columns, whatever fits; those of the screen first."""
    right = [[name for name in names if name in blocks] for names in AT_RIGHT]
    first = [name for name in blocks if not any(name in names for names in AT_RIGHT)]
    wanted = [first, *right]
    count = max(1, min(3, width // COLUMN))
    if count == 2:
        wanted = [first + right[1], right[0]]
    elif count == 1:
        wanted = [first + right[0] + right[1]]
    stacks = [_stack(blocks[name] for name in names) for names in wanted if names]
    return [_beside(row, width // max(1, len(stacks))) for row in zip_longest(*stacks)]


def _stack(blocks: Iterable[list[Line]]) -> list[Line]:
    lines: list[Line] = []
    for block in blocks:
        lines += [Line(), *block] if lines else block
    return lines


def _beside(row: Sequence[Line | None], column: int) -> Line:
    line = Line()
    for place, cell in enumerate(row):
        line.to(place * column).join((cell or Line()).clip(column - 1))
    return line


def _marks(look: Look) -> list[Line]:
    """Each mark with its words."""
    labels = [
        Line(" ").add(look.glyph(label), LABEL_ROLES[label]).add(f" {label.lower()}", "ink-2")
        for label in LABELS
    ]
    pair = Line(" ")
    for label in (LABELS[1], LABELS[0]):
        pair.add(look.glyph(label), f"{LABEL_ROLES[label]} bold underline @tint")
    pair.add(" A, then B", "ink-2")
    others = [
        Line(" ").add(look.glyph(mark), role).add(f" {words}", "ink-2")
        for mark, role, words in MARKS
    ]
    return [*labels, pair, *others]


def _profiles(width: int) -> list[Line]:
    """Each code with its name and its plain words."""
    lines = []
    for code in (*PROFILE_CODES, *NO_PROFILE_CODES):
        name, plain = BY_TERM[code].name, BY_TERM[code].short
        line = Line(" ").add(f" {code} ", fill_role(code) if code in PROFILE_CODES else "ink-3")
        line.add("  ").cell(name, 29, "ink").add(plain, "ink-2")
        lines.append(line.clip(width))
    return lines


def _flowing(cells: Sequence[Line], width: int) -> list[Line]:
    """Several in a line, as many as fit."""
    lines, line = [], Line()
    for cell in cells:
        if line.width and line.width + cell.width + 2 > width:
            lines.append(line)
            line = Line()
        line.add("  " if line.width else "").join(cell)
    return [*lines, line]
