"""Gold answers, prepared once: what kind of answer each is and which of its words tell."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.graders.lexical import quantities
from core.graders.lexical.dates import Date, only_dates
from core.graders.lexical.english import FUNCTION_WORDS, KINDS, TITLES
from core.graders.lexical.folded_text import Passage, fold, passage
from core.graders.lexical.letter_names import letter_name
from core.graders.lexical.quantities import Quantity, read_range
from core.graders.lexical.stance import plain_polarity
from core.graders.lexical.units import MONEY_BEFORE

MAX_GOLDS = 200
"""No more golds of a question than this are looked at."""

MAX_GOLD_CHARACTERS = 500
"""No more of one gold than this is looked at."""

MAX_TELLING_WORDS = 30
"""No more telling words of one gold than this are aligned with an answer."""

MINOR = 0.25
"""Weight of a word that the question gives, a title, a kind of thing, or the year in a name.

Against 1 for any other word. Chosen on half A of the human labels; 0.1 to 0.4 differ little.
"""

_FEW, _MANY = 3, 8
"""Most words of an answer before the comma behind which a gold of so many words explains it."""

_IN_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_REMARK = re.compile(r",\s+(?:who|which|where|when|an?|the)\b.*", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\s*(?:;|\bor\b|(?<=\w{3})/(?=\w{3}))\s*", re.IGNORECASE)
_BEFORE_NUMBER = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|more than|less than|over|"
    r"between|from|under|up to|at least|some|circa|ca?\.|~|estimated|an?|the|in|for|\s)*"
    rf"(?:{MONEY_BEFORE}|[~-])*\s*"
)
_MONEY = re.compile(rf"\W*{MONEY_BEFORE}")
_ACCEPTED = re.compile(
    r"[(\[](?:accept|also|or|aka|a\.k\.a\.|formerly|now)(?: known as| called)?:? ([^()\[\]]+)[)\]]",
    re.IGNORECASE,
)
"""What a gold accepts beside itself: Prince William (accept Duke of Cambridge)."""

_AMOUNT_IN_BRACKETS = re.compile(r"\d[^()]*\(([^()]*\d[^()]*)\)")
_NAME = re.compile(r"\b[A-Z][a-z]{2,}")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")
_YEAR = re.compile(r"1\d{3}|20\d{2}")


@dataclass(frozen=True, slots=True)
class LexicalGold:
    """One gold answer.

    At most one of `letter`, `polarity`, `dates` and `amounts` is set, `range` with amounts alone;
    without them it is words, of which `content` has the positions of the telling ones and
    `weights` what each counts. `line`: all its words, each between spaces; `joined`: without
    spaces. `acronym`: its initials, if it has several words. `person`: it may be a person's name;
    `common`: it has no capital; `given`: the question has all its telling words.
    """

    passage: Passage
    content: tuple[int, ...]
    weights: tuple[float, ...]
    line: str
    joined: str
    acronym: str
    person: bool
    common: bool
    given: bool
    letter: str
    polarity: bool | None
    dates: tuple[Date, ...]
    amounts: tuple[Quantity, ...]
    range: tuple[Quantity, Quantity] | None

    @property
    def is_words(self) -> bool:
        """Whether it is neither a letter, nor a yes or no, nor a date, nor a quantity."""
        return not (self.letter or self.dates or self.amounts) and self.polarity is None

    @property
    def is_name(self) -> bool:
        """Whether it is a name of several words, each with a capital."""
        capital = self.passage.capital
        return self.is_words and len(self.content) > 1 and all(capital[i] for i in self.content)


def prepare(golds: Sequence[str], question: frozenset[str]) -> tuple[LexicalGold, ...]:
    """The golds with their variants, no two alike; `question`: the stems that it gives."""
    folded = [fold(text[:MAX_GOLD_CHARACTERS]) for text in golds[:MAX_GOLDS]]
    found: dict[tuple[str, ...], LexicalGold] = {}
    for variant in dict.fromkeys(variant for text in folded for variant in _variants(text)):
        words = passage(variant)
        if words.words and words.words not in found:
            found[words.words] = _gold(words, question)
    return tuple(found.values())


def _variants(text: str) -> Iterator[str]:
    """A gold as it is, without brackets, without a remark after a comma, each side of "or"."""
    yield text
    bare = _IN_BRACKETS.sub(" ", text).strip()
    bare = bare if len(bare) > 1 else text  # O(n)
    yield bare
    yield from _ACCEPTED.findall(text)
    if (both := _AMOUNT_IN_BRACKETS.search(text)) and _is_measure(both[1]):
        yield both[1]
    yield _REMARK.sub("", bare)
    first, comma, rest = bare.partition(",")
    if comma and len(first.split()) <= _FEW < _MANY <= len(bare.split()) and rest.count(",") < 2:
        yield first
    parts = _ALTERNATIVES.split(bare)
    if len(parts) > 1:
        yield from parts


def _is_measure(text: str) -> bool:
    """Whether a folded text is an amount with a unit that is known."""
    found = _amounts(text)
    return len(found) == 1 and bool(found[0].unit) and not found[0].unit.startswith("?")


def _gold(words: Passage, question: frozenset[str]) -> LexicalGold:
    content = tuple(i for i, word in enumerate(words.words) if word not in FUNCTION_WORDS)
    content = (content or tuple(range(len(words.words))))[:MAX_TELLING_WORDS]
    lower = words.text.lower()
    found_dates = () if _MONEY.match(lower) else tuple(only_dates(lower))
    return LexicalGold(
        words,
        content,
        _weights(words, content, question),
        f" {' '.join(words.words)} ",
        "".join(words.words),
        _initials(words, content),
        _may_be_person(words, content),
        not any(words.capital[i] for i in content),
        all(words.stems[i] in question for i in content),
        letter_name(words.text),
        plain_polarity(words.words),
        found_dates,
        () if found_dates else _amounts(words.text),
        None if found_dates else read_range(lower),
    )


def _initials(words: Passage, content: tuple[int, ...]) -> str:
    initials = "".join(words.words[i][0] for i in content)
    return initials if len(initials) > 1 and initials.isalpha() else ""


def _weights(
    words: Passage, content: tuple[int, ...], question: frozenset[str]
) -> tuple[float, ...]:
    place, name = _larger_place(words), _name_end(words)
    minor = question | TITLES | KINDS
    return tuple(
        MINOR
        if i >= place
        or (i < name and not words.capital[i])
        or words.stems[i] in minor
        or words.words[i] in minor
        or (len(content) > 1 and _YEAR.fullmatch(words.words[i]))
        else 1.0
        for i in content
    )


def _name_end(words: Passage) -> int:
    """Where, in "the painter Ilse Brandt", the name ends; 0 if there is none, or it has an "of"."""
    if "of" in words.words:
        return 0
    return max((i for i, capital in enumerate(words.capital) if capital), default=0)


def _larger_place(words: Passage) -> int:
    """Where in "Lyon, France" the larger place begins; past the end in anything else."""
    before, comma, after = words.text.partition(",")
    if not comma or "," in after or not (after.strip().istitle() and before.istitle()):
        return len(words.words)
    return len(passage(before).words)


def _may_be_person(words: Passage, content: tuple[int, ...]) -> bool:
    return (
        "," not in words.text
        and len(content) == len(words.words) in (2, 3, 4)
        and all(
            words.capital[i] and words.words[i].isalpha() and words.words[i] not in KINDS
            for i in content
        )
    )


def _amounts(text: str) -> tuple[Quantity, ...]:
    """The quantities of a gold that is a number with a unit, not a name with a number in it."""
    lower = text.lower()
    if not quantities.may_have_number(lower):
        return ()
    lower = quantities.spell_out(lower)
    share = quantities.share_of(lower)
    if share is not None:
        return (share,)
    start = _BEFORE_NUMBER.match(lower)
    found = quantities.quantities(lower)
    if not found or not start or len(found) > 2 or len(lower.split()) > 6:
        return ()
    rest = text[-(len(lower) - found[0].end) :] if len(lower) > found[0].end else ""
    named = _NAME.search(rest) or _ORDINAL.search(lower) or ":" in lower
    return () if named or found[0].start > start.end() + 1 else tuple(found)
