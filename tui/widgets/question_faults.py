"""What can be done where not the answer but the question is at fault, and what each would do."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.curation.gold_aliases import AliasReach
from core.curation.question_edits import EditEffect, EditReach
from core.curation.question_reviews import RejectReason
from core.graders.grader_record import is_model
from core.stats.number_format import format_amount
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.roles import cap_role

TEXT = 5
"""Cells from the left to the words, behind the key."""

CAPS = {"&": "answer.also", "e": "review.edit", "d": "review.reject", "x": "flag"}
"""Keys by their ids in the key table."""


@dataclass(frozen=True, slots=True)
class FaultContext:
    """What is drawn: for what room, with which keys, of what question.

    `keys` are the keys as they are now, by those of `CAPS`. `named` says that the answer may be
    an alias of the gold; `digits` that a reason follows the key at once, `rejecting` that
    one is to be chosen now.
    """

    width: int
    keys: Mapping[str, str]
    reach: EditReach
    armed: bool = False
    flagged: bool = False
    named: bool = True
    digits: bool = False
    rejecting: bool = False


def fault_lines(of: FaultContext, beside: Line | None = None) -> list[Line]:
    """A title and a line a key; `beside` stands behind the last."""
    lines = [Line("or the question is at fault ", "ink-3").rule(of.width)]
    if of.named:
        line = _key("&", "accept as alias", of)
        room = of.width - line.width - 1
        lines.append(line.right(Line(describe_alias(of.reach.alias, room), "ink-3"), of.width))
    edit = _key("e", "edit question or gold", of)
    aside = Line(f"{format_amount(of.reach.answers, 'answer')} aside", "ink-3")
    if of.reach.grades:
        aside.add(" or ").join(_draw_stale_grades(of.reach.grades))
    if edit.width + aside.width + 1 > of.width:
        aside = _draw_stale_grades(of.reach.grades)
    lines.append(edit.right(aside, of.width))
    lines += _draw_rejection(of)
    flag = _key("x", "take the flag away" if of.flagged else "flag the fact", of)
    if beside is not None:
        flag.to(max(flag.width + 3, of.width // 2 - 2)).join(beside)
    return [line.clip(of.width) for line in (*lines, flag)]


def _draw_rejection(of: FaultContext) -> list[Line]:
    reasons = [*RejectReason, "other"]
    line = _key("d", "reject it", of, of.rejecting)
    if not of.digits:
        return [line.right(Line("its fact leaves all totals", "ink-3"), of.width)]
    if not of.rejecting:
        line.add(", then ", "ink-2")
        for number, reason in enumerate(reasons[:2], 1):
            line.add(str(number), "accent").add(f" {reason}  ", "ink-2")
        return [line.add(spell("3 …"), "accent")]
    lines = [line.right(Line("its fact leaves all totals, esc back", "ink-3"), of.width)]
    for at in range(0, len(reasons), 3):
        row = Line()
        for place, reason in enumerate(reasons[at : at + 3]):
            row.to(TEXT + place * 18).add(str(at + place + 1), "accent bold").add(f" {reason}")
        lines.append(row)
    return lines


def _key(name: str, words: str, of: FaultContext, begun: bool = False) -> Line:
    role = cap_role(of.armed)
    line = Line(f" {of.keys[name]} ", role).to(TEXT)
    return line.add(words, "accent bold" if begun else "ink")


def describe_alias(reach: AliasReach, room: int = 80) -> str:
    """What an alias does to labels, in so many cells: `4 labelled again, 12 out of date`."""
    parts = [
        f"{count:,} {words}"
        for count, words in (
            (reach.again, "labelled again"),
            (reach.outdated, "out of date"),
            (reach.kept, "kept"),
        )
        if count
    ]
    while len(", ".join(parts)) > room and len(parts) > 1:
        parts.pop()
    return ", ".join(parts) or "changes no label"


def name_age(grader: str) -> str:
    """What is said of a label from before an alias: whether `grade` makes it again."""
    return "out of date" if is_model(grader) else "before the alias"


def describe_edit(effect: EditEffect) -> Line:
    """What an edit did, and that it can be undone."""
    alias = None if effect.outlook is None else effect.outlook.alias
    if alias is None:
        line = Line("edited. ")
    else:
        line = Line(f"aliases changed: {describe_alias(alias)}")
        if alias.outdated:
            line.add(" (").add("r", "accent bold").add(" grades them again)")
        line.add(". ")
    return line.add("u", "accent bold").add(" undoes it", "ink-2")


def _draw_stale_grades(grades: int) -> Line:
    if not grades:
        return Line("no grade rests on it", "ink-3")
    return Line(f"{format_amount(grades, 'grade')} stale", "ink-3")
