"""What is said of exemplars wherever they are shown: known or not, true or counterfactual."""

from collections.abc import Sequence
from typing import Protocol

from tui.text.line import Line


class MarkedExemplar(Protocol):
    """An answered question that was shown before others."""

    @property
    def known(self) -> bool | None:
        """Whether the model knew it; None where nobody found out."""

    @property
    def is_true(self) -> bool:
        """Whether it was shown with its own gold."""

    @property
    def gold(self) -> str:
        """Its gold as it would be shown."""


def find_known_mark(known: bool | None) -> tuple[str, str]:
    """Whether the model knew an exemplar, as a word and its role; empty where nobody found out."""
    if known is None:
        return "", "ink-3"
    return ("known", "label-c") if known else ("unknown", "label-i")


def answer_role(one: MarkedExemplar) -> str:
    """The role of an exemplar's answer as shown: true ones as golds, others as a warning."""
    return "object" if one.is_true else "label-p bold"


def exemplar_mark(one: MarkedExemplar, longest: int) -> Line:
    """`known, true`, or `unknown, counterfactual for GOLD`; of a gold at most `longest`."""
    word, role = find_known_mark(one.known)
    line = Line(word or "not checked", role).add(", ", "ink-3")
    if one.is_true:
        return line.add("true", "ink-3")
    return line.add("counterfactual", "label-p").add(" for ", "ink-3").add(one.gold[:longest])


def exemplar_counts(rows: Sequence[MarkedExemplar]) -> str:
    """How many are known, unknown, counterfactual: `2 known, 1 unknown; all are true`."""
    counts = [
        *_format_count(sum(one.known is True for one in rows), "known"),
        *_format_count(sum(one.known is False for one in rows), "unknown"),
        *_format_count(sum(one.known is None for one in rows), "not checked"),
    ]
    false = sum(not one.is_true for one in rows)
    return f"{', '.join(counts)}; {f'{false:,} counterfactual' if false else 'all are true'}"


def _format_count(count: int, word: str) -> list[str]:
    return [f"{count:,} {word}"] if count else []
