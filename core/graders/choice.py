"""The grader `choice`: multiple-choice answers, read without a model (semantics section 3)."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from core.dataset import choice_options
from core.errors import LostkeysError
from core.graders.grader_record import GraderRecord
from core.scoring.precedence import CHOICE
from core.vocabulary import Label

if TYPE_CHECKING:
    from db.question_rows import StoredQuestion
    from db.responses import ToGrade

VERSION = "1"

NO_OPTION = "names no option"
"""The words for an answer that is read as none of the four."""

_KEPT = 256
"""Questions of which the options are kept: several answers to one follow each other."""

_LETTERS = "ABCD"
_NO_LABELS = (Label.OTHER,) * choice_options.OPTIONS
_LEADING = re.compile(r"([A-Da-d])(?:([.):])|(?=\s|$))")


@dataclass(frozen=True, slots=True)
class NamedOption:
    """Which option an answer names (its place from A), and the words for how it does."""

    place: int
    words: str


def read_choice(answer: str, shown: Sequence[str]) -> NamedOption | None:
    """How an answer names one of the four options, as shown; None if it names none clearly."""
    found = _find(answer, list(map(_plain, shown)))
    return None if found is None else NamedOption(*found)


def _find(answer: str, options: Sequence[str]) -> tuple[int, str] | None:
    """The place of the option that an answer names, and the words; `options` are plain texts."""
    said = _take_apart(answer)
    if options.count(said.whole) == 1:
        place = options.index(said.whole)
        return place, f"text of option {_LETTERS[place]}"
    if said.letter is None or not said.is_letter_of(options[said.letter], options):
        return None
    letter = _LETTERS[said.letter]
    return said.letter, f"leading {letter}" if said.rest else f"letter {letter} alone"


class _AnswerParts(NamedTuple):
    """An answer as it is compared: its plain text, the letter in front of it, and what follows.

    `letter` is the place of the option it stands for, None without one; `marked`: a sign of
    punctuation follows it.
    """

    whole: str
    letter: int | None
    rest: str
    marked: bool

    def is_letter_of(self, option: str, options: Collection[str]) -> bool:
        """Whether the letter names the option (a plain text) that it stands for."""
        # "A fine city" begins with a letter that names nothing; "A. Because ..." names A.
        rest = self.rest
        return not rest or option == rest or (self.marked and rest not in options)


def _take_apart(answer: str) -> _AnswerParts:
    text = answer.strip()
    found = _LEADING.match(text)
    if not found:
        return _AnswerParts(_plain(answer), None, "", False)
    letter = _LETTERS.index(found[1].upper())
    return _AnswerParts(_plain(answer), letter, _plain(text[found.end() :]), found[2] is not None)


def find_option(answer: str, shown: Sequence[str]) -> int | None:
    """Which of the four options, as shown, an answer names; None if it names none clearly."""
    found = read_choice(answer, shown)
    return None if found is None else found.place


def _plain(text: str) -> str:
    return text.strip().removesuffix(".").strip().casefold()


class _Options(NamedTuple):
    """The options of a question: plain texts, their labels, places of the texts.

    A text that several options have has no place.
    """

    texts: Sequence[str]
    labels: Sequence[Label]
    places: Mapping[str, int]

    def read_letter(self, said: _AnswerParts) -> tuple[int, Sequence[Label]]:
        """A letter's place, and the label of the answer by the option that the letter stands for.

        Where the letter does not matter, all are one.
        """
        place = self.places.get(said.whole)
        if place is not None:
            return 0, (self.labels[place],) * choice_options.OPTIONS
        if said.letter is None:
            return 0, _NO_LABELS
        if not said.rest:
            return said.letter, self.labels
        named = [said.is_letter_of(text, self.texts) for text in self.texts]
        found = zip(self.labels, named, strict=True)
        return said.letter, [label if names else Label.OTHER for label, names in found]


@lru_cache(_KEPT)
def _read_options(choices: tuple[str, ...], gold: str) -> _Options | None:
    """None where the gold is not among them."""
    try:
        right = choice_options.gold_option(choices, gold)
    except LostkeysError:
        return None
    texts = tuple(map(_plain, choices))
    places = {text: place for place, text in enumerate(texts) if texts.count(text) == 1}
    labels = tuple(Label.CORRECT if one == right else Label.INCORRECT for one in choices)
    return _Options(texts, labels, places)


def label_answers(
    rows: Iterable[tuple["StoredQuestion", str, int | None]],
) -> Iterator[Label | None]:
    """A label for each question, answer and number of the order shown. Written for millions.

    CORRECT or INCORRECT by the option named, OTHER where none is. None where the order of the
    options, or the gold among them, is not known.
    """
    apart: dict[str, _AnswerParts] = {}
    named: dict[str, tuple[int, Sequence[Label]]] = {}
    """What answers to the question before name: equal ones follow each other."""
    asked, options = None, None
    for question, answer, shown in rows:
        if question is not asked:
            asked, choices, named = question, question.choices, {}
            options = None if choices is None else _read_options(choices, question.gold.text)
        if shown is None or options is None:
            yield None
            continue
        found = named.get(answer)
        if found is None:
            said = apart.get(answer)
            if said is None:
                said = apart[answer] = _take_apart(answer)
            found = named[answer] = options.read_letter(said)
        letter, labels = found
        yield labels[choice_options.places(shown)[letter]]


def _label(question: "StoredQuestion", answer: str, response: "ToGrade") -> Label | None:
    return next(label_answers([(question, answer, response.shown)]))


RECORD = GraderRecord(CHOICE, VERSION, _label, lambda case: None, reads_choice=True)
