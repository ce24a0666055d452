"""Where a fact's two entities stand in its source text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import category

from core.vocabulary import Side, Task
from db.question_rows import Gold

Span = tuple[int, int]

LONGEST_ENTITY = 500
"""Names beyond this many characters are not looked for: they are no names."""

MARK = "M"
"""How categories of marks begin, which belong to the letter before them."""

_OPENING = "([{\"'“‘«„¿¡$€£#/-–—"
"""After these signs the object follows without a space."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source text with the places of the subject and of the object in it."""

    text: str
    subject: tuple[Span, ...] = ()
    object: tuple[Span, ...] = ()


def source(
    questions: Mapping[Task, str], golds: Mapping[Side, Gold], subject: str, object_: str
) -> SourceText:
    """The source text of a fact.

    The left context breaks off where the object stands, so the object is put there; a fact
    without one has the text of its contextual question.
    """
    named = {
        side: [*(golds[side].texts if side in golds else ()), entity]
        for side, entity in ((Side.SUBJECT, subject), (Side.OBJECT, object_))
    }
    context = questions.get(Task.COMPLETION)
    text = questions.get(Task.CONTEXTUAL, "") if context is None else context
    objects = mentions(text, named[Side.OBJECT])
    subjects = mentions(text, named[Side.SUBJECT], objects)
    answer = next(filter(None, named[Side.OBJECT]), "")
    if context and answer:
        text += "" if text[-1].isspace() or text[-1] in _OPENING else " "
        objects += ((len(text), len(text) + len(answer)),)
        text += answer
    return SourceText(text, subjects, objects)


def mentions(text: str, names: Iterable[str], taken: Sequence[Span] = ()) -> tuple[Span, ...]:
    """Where any of these names stands in a text as whole words, in any case, longest first.

    Places that overlap with those taken are left out.
    """
    longest = min(len(text), LONGEST_ENTITY)
    wanted = {" ".join(name.split()) for name in names if len(name) <= longest} - {""}
    if not wanted:
        return ()
    pattern = "|".join(_pattern(name) for name in sorted(wanted, key=lambda one: (-len(one), one)))
    found = (match.span() for match in re.finditer(pattern, text, re.IGNORECASE))
    return tuple(
        (start, end)
        for start, end in found
        if category(text[end : end + 1] or " ")[0] != MARK
        if all(end <= first or last <= start for first, last in taken)
    )


def _pattern(name: str) -> str:
    words = r"\s+".join(map(re.escape, name.split(" ")))
    before = r"(?<!\w)" if name[0].isalnum() else ""
    after = r"(?!\w)" if name[-1].isalnum() else ""
    return f"{before}{words}{after}"
