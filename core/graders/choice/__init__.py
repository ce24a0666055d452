"""The grader `choice`: multiple-choice answers, read without a model (semantics section 3)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from core.dataset import choice_options
from core.errors import LostkeysError
from core.graders.choice.answer_form import AnswerForm, drop_reasoning, option_forms, plain, unwrap
from core.graders.choice.commitment import find_commitment, quote_commitment
from core.graders.choice.mentions import LETTERS
from core.graders.grader_record import GraderRecord
from core.scoring.precedence import CHOICE
from core.vocabulary import Label

if TYPE_CHECKING:
    from db.question_rows import StoredQuestion
    from db.responses import ToGrade

VERSION = "2"

NO_OPTION = "names no option"
"""The words for an answer that is read as none of the four."""

_KEPT = 256
"""Questions of which the options are kept: several answers to one follow each other."""

_ANSWERS_KEPT = 65_536
"""Answers that are kept taken apart: most are a letter, or a letter in the same few words."""

_LONGEST_SHORT = 100
"""Characters of an answer that is looked at as a short one."""

_NO_LABELS = (Label.OTHER,) * choice_options.OPTIONS

_SHORT = re.compile(
    r"(?:(?:the |my )?(?:correct |final |right |best )?(?:answer|option|choice)(?: is|:| is:) ?)?"
    r"(?:[(\[]([A-D])[)\]]|(?-i:([A-D]))(?=[.):]|$| (?!-))|([A-D])(?=[.):]|$))[.):]? ?",
    re.IGNORECASE,
)
"""A letter as most answers have it; an option's text follows, or nothing."""


@dataclass(frozen=True, slots=True)
class NamedOption:
    """Which option an answer names (its place from A), and the words for how it does."""

    place: int
    words: str


def read_choice(answer: str, shown: Sequence[str]) -> NamedOption | None:
    """How an answer commits to one of the four options, as shown; None if to none clearly."""
    form = _Answer(answer).form
    texts = list(map(plain, shown))
    for whole in (plain(answer), plain(form.text)):
        if texts.count(whole) == 1:
            place = texts.index(whole)
            return NamedOption(place, f"text of option {LETTERS[place]}")
    found = quote_commitment(form, option_forms(shown))
    if found is None:
        return None
    is_alone = sum(map(str.isalnum, form.text)) == 1
    return NamedOption(found[0], f"letter {LETTERS[found[0]]} alone" if is_alone else found[1])


def find_option(answer: str, shown: Sequence[str]) -> int | None:
    """Which of the four options, as shown, an answer commits to; None if to none clearly."""
    found = read_choice(answer, shown)
    return None if found is None else found.place


class _ShortAnswer:
    """An answer as most are: a letter that it begins with, and what follows.

    `letter` is the place of the option it stands for, None without one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.initial = text.lstrip()[:1].casefold()[:1]
        found = _SHORT.match(text) if len(text) <= _LONGEST_SHORT else None
        self.letter: int | None = None
        if found is not None:
            self.letter = LETTERS.index((found[1] or found[2] or found[3]).upper())
            self.rest = plain(text[found.end() :])

    @cached_property
    def whole(self) -> str:
        """Its plain text."""
        return plain(self._text)


class _Answer:
    """An answer, taken apart as far as it is asked for. `short` is how it stands there."""

    # No cached properties: those of Python 3.11 take a lock, and most answers come once.

    def __init__(self, text: str) -> None:
        self._text = text
        self.short = _ShortAnswer(text)
        self._form: AnswerForm | None = None
        self._unwrapped: _ShortAnswer | None = None

    @property
    def form(self) -> AnswerForm:
        """The answer without reasoning and wrappers."""
        if self._form is None:
            self._form = unwrap(drop_reasoning(self._text))
        return self._form

    @property
    def unwrapped(self) -> _ShortAnswer:
        """The same of that form."""
        if self._unwrapped is None:
            text = self.form.text
            self._unwrapped = self.short if text == self._text else _ShortAnswer(text)
        return self._unwrapped

    @cached_property
    def by_letters(self) -> int | None:
        """The place that it commits to where no option's text is in it."""
        return find_commitment(self.form, ())


class _Options:
    """The options of a question: their texts and labels.

    `places` are those of whole texts; one that several options have has no place.
    """

    def __init__(self, choices: tuple[str, ...], labels: Sequence[Label]) -> None:
        self._choices, self._labels = choices, labels
        texts = tuple(map(plain, choices))
        self._places = {text: place for place, text in enumerate(texts) if texts.count(text) == 1}
        self._initials = {text[:1] for text in texts}

    @cached_property
    def _forms(self) -> Sequence[str]:
        """Their texts as they are looked for in answers."""
        return option_forms(self._choices)

    def read_any_order(self, answer: _Answer) -> tuple[int, Sequence[Label]] | None:
        """A letter's place, and the label of the answer by the option that the letter stands for.

        Where the letter does not matter, all are one. None where the order shown is needed.
        """
        found = self._read_short(answer.short) or self._read_short(answer.unwrapped)
        if found is not None:
            return found
        folded = answer.form.folded
        if any(form in folded for form in self._forms if form):
            return None
        place = answer.by_letters
        return (0, _NO_LABELS) if place is None else (place, self._labels)

    def _read_short(self, said: _ShortAnswer) -> tuple[int, Sequence[Label]] | None:
        place = self._places.get(said.whole) if said.initial in self._initials else None
        if place is not None:
            return 0, (self._labels[place],) * choice_options.OPTIONS
        if said.letter is None:
            return None
        if not said.rest:
            return said.letter, self._labels
        place = self._places.get(said.rest)
        if place is None:
            return None
        found = enumerate(self._labels)
        return said.letter, [label if one == place else Label.OTHER for one, label in found]

    def read_shown(self, answer: _Answer, shown: int) -> Label:
        """The label of an answer where the options stood in the order of this number."""
        order = choice_options.places(shown)
        found = find_commitment(answer.form, [self._forms[place] for place in order])
        return Label.OTHER if found is None else self._labels[order[found]]


@lru_cache(_KEPT)
def _read_options(choices: tuple[str, ...], gold: str) -> _Options | None:
    """None where the gold is not among them."""
    try:
        right = choice_options.gold_option(choices, gold)
    except LostkeysError:
        return None
    return _Options(
        choices, tuple(Label.CORRECT if one == right else Label.INCORRECT for one in choices)
    )


def label_answers(
    rows: Iterable[tuple["StoredQuestion", str, int | None]],
) -> Iterator[Label | None]:
    """A label for each question, answer and number of the order shown. Written for millions.

    CORRECT or INCORRECT by the option that the answer commits to, OTHER where that is none. None
    where the order of the options, or the gold among them, is not known.
    """
    apart: dict[str, _Answer] = {}
    named: dict[str, tuple[int, Sequence[Label]] | None] = {}
    ordered: dict[tuple[str, int], Label] = {}
    """What answers to the question before name: equal ones follow each other."""
    asked, options = None, None
    for question, answer, shown in rows:
        if question is not asked:
            asked, choices, named, ordered = question, question.choices, {}, {}
            options = None if choices is None else _read_options(choices, question.gold.text)
        if shown is None or options is None:
            yield None
            continue
        found = named.get(answer, _UNREAD)
        if found is _UNREAD:
            found = named[answer] = options.read_any_order(_find_answer(apart, answer))
        if found is not None:
            letter, labels = found
            yield labels[choice_options.places(shown)[letter]]
            continue
        label = ordered.get((answer, shown))
        if label is None:
            label = options.read_shown(_find_answer(apart, answer), shown)
            ordered[answer, shown] = label
        yield label


_UNREAD: tuple[int, Sequence[Label]] = (-1, ())


def _find_answer(apart: dict[str, _Answer], answer: str) -> _Answer:
    """The answer taken apart, as it is kept for further questions."""
    said = apart.get(answer)
    if said is None:
        if len(apart) >= _ANSWERS_KEPT:
            apart.clear()
        said = apart[answer] = _Answer(answer)
    return said


def _label(question: "StoredQuestion", answer: str, response: "ToGrade") -> Label | None:
    return next(label_answers([(question, answer, response.shown)]))


RECORD = GraderRecord(CHOICE, VERSION, _label, lambda case: None, reads_choice=True)
