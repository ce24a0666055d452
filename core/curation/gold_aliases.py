"""Aliases of a gold: which texts are new ones, and what a change of them does to labels.

An alias only adds. Labels stay, local graders label again at once what it may alter, and what
models said of that is out of date until they are asked again.
"""

import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from time import time_ns

import db.alias_changes
import db.grades
from core.errors import UsageError
from core.graders import stored_answers
from core.graders.grader_record import is_model
from core.transfer.row_values import quote
from db.question_versions import GoldVersion

_SIGNS = "#%&@*/\\"
"""Punctuation that is part of a name: C#, 5 %, AT&T."""


@dataclass(frozen=True, slots=True)
class AliasReach:
    """Labels that another alias may alter: those other than CORRECT of the gold's open tasks.

    Local graders make `again` theirs, `outdated` are those of models, `kept` the rest: those of
    people, of imported graders and of earlier versions of local ones.
    """

    again: int = 0
    outdated: int = 0
    kept: int = 0


NO_LABELS = AliasReach()


def measure_change(
    connection: sqlite3.Connection,
    questions: Sequence[int],
    before: Sequence[str] = (),
    after: Sequence[str] = ("another",),
) -> AliasReach:
    """The labels of these open questions that other aliases than `before` may alter."""
    more, fewer = bool(set(after) - set(before)), bool(set(before) - set(after))
    local, models = _find_remade(connection)
    found = db.alias_changes.count_affected(connection, questions, more, fewer)
    again = sum(count for key, count in found.items() if key in local)
    outdated = sum(count for key, count in found.items() if key in models)
    return AliasReach(again, outdated, sum(found.values()) - again - outdated)


def _find_remade(connection: sqlite3.Connection) -> tuple[set[int], set[int]]:
    """Grader versions that label again at once, and those of models that can be asked again."""
    known = db.grades.graders(connection)
    return set(stored_answers.find_local(connection)), {
        key for key, name, _ in known if is_model(name)
    }


def change_labels(
    connection: sqlite3.Connection, old: GoldVersion, new: GoldVersion, questions: Sequence[int]
) -> None:
    """Let the labels of these open questions fit other aliases. Inside a transaction."""
    at = time_ns() // 1_000_000
    known = db.alias_changes.change_aliases(
        connection, old, new, questions, *_find_remade(connection), at
    )
    stored_answers.label_again(connection, old, new, questions, known)


def check_aliases(text: str, aliases: Sequence[str], gold: GoldVersion) -> None:
    """Raise `UsageError` for an alias that is new but for case and punctuation.

    `text` is the gold, `gold` the one in use.
    """
    for place, alias in enumerate(aliases):
        if alias not in (gold.text, *gold.aliases):
            others = (text, *aliases[:place], *aliases[place + 1 :])
            same = next((one for one in others if _fold(one) == _fold(alias)), None)
            if same is not None:
                raise UsageError(
                    f"already accepted: {quote(alias)} is {quote(same)} but for case and "
                    "punctuation, leave it out"
                )


def _fold(text: str) -> str:
    """A text without case and punctuation; what is part of a number or a sign stays."""
    text = unicodedata.normalize("NFC", text).casefold()
    kept = []
    for letter, after in zip(text, f"{text[1:]} ", strict=True):
        kind = unicodedata.category(letter)
        if kind[0] != "P" or letter in _SIGNS or (letter in ".,:-" and after.isdigit()):
            kept.append(letter)
        elif kind == "Pd" or letter in ",;:_":
            kept.append(" ")
    return " ".join("".join(kept).split()) or text
