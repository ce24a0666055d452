"""What the cards of Confusion have in common: the question as it was asked, titles, long texts."""

from collections.abc import Sequence
from itertools import islice
from typing import Protocol

from core.vocabulary import Task
from tui.text.line import ELLIPSIS, Line
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell

NAME = 7
"""Cells of `gold` and `answer`."""
LONGEST = 2000
"""Characters of a text that are broken into lines at a glance."""
ENDING = 240
"""Characters of a left context that stand where the question would."""
LINES = 60
"""Lines of a text that nothing else bounds."""


class AskedQuestion(Protocol):
    """An answer on a card, with what was asked."""

    @property
    def task(self) -> Task:
        """The task of the question."""

    @property
    def question(self) -> str:
        """Its text."""

    @property
    def context(self) -> str | None:
        """The left context that stands for it in completion."""

    @property
    def gold(self) -> str:
        """The right answer."""

    @property
    def aliases(self) -> Sequence[str]:
        """Its aliases."""

    @property
    def answer(self) -> str:
        """The answer as graders see it."""


def draw_question(card: AskedQuestion, width: int, most: int) -> list[Line]:
    """Question, gold and answer, the latter two in `most` lines each."""
    if card.context is None or card.task is not Task.COMPLETION:
        lines = wrap_text(card.question, "ink bold", width)
    else:
        end = card.context[-ENDING:]
        cut = spell(ELLIPSIS) if len(card.context) > ENDING else ""
        lines = list(wrap_spans(Line(cut + end, "ink bold").spans, width))
    gold = card.gold + "".join(f"  or {one}" for one in card.aliases)
    lines += draw_named("gold", gold, "object bold", width, most)
    return lines + draw_named("answer", card.answer or "empty", "ink bold", width, most)


def draw_named(name: str, text: str, role: str, width: int, most: int) -> list[Line]:
    """A text in `most` lines behind its name."""
    found = wrap_text(text, role, width - NAME, most)
    return [Line("" if at else name, "ink-3").to(NAME).join(line) for at, line in enumerate(found)]


def draw_title(title: str, width: int) -> Line:
    """The title of a part of a card, with a rule behind it."""
    return Line(f"{title} ", "ink-3").clip(width).rule(width)


def wrap_text(text: str, role: str, width: int, most: int = LINES) -> list[Line]:
    """Text in lines, cut where it is long."""
    cut = text if len(text) <= LONGEST else text[:LONGEST] + spell(ELLIPSIS)
    found = list(islice(wrap_spans(Line(cut, role).spans, max(8, width)), most + 1))
    if len(found) > most:
        found = found[:most]
        found[-1].clip(max(8, width) - 2).add(f" {spell(ELLIPSIS)}", "ink-3")
    return found or [Line()]
