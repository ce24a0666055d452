"""Which facts are meant, as plain data: what a form ticks is what `--where` says, word by word.

Words of different kinds must all hold, of one kind any; bounds of views and texts must all hold.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import Any

from core.errors import UsageError, suggest_nearest
from core.vocabulary import CODE_ORDER, CODES

TIERS = ("bottom", "middle", "top", "unknown")
DIFFERENCES = ("any", "profile")
"""Graders differ at all, or so that a profile is at stake."""

REVIEWS = ("flagged", "edited", "noted")
"""What people have left on a fact."""

LATENT_WORDS = ("known", "unknown", "contradicts")
"""What scores of options say of a fact: known, not known, the opposite of its verdict."""

GROUPINGS = ("category", "subject_type", "object_type", "popularity")
"""By what facts can be broken down into groups."""

NO_NAME = "unknown"
"""The topic or type of facts that have none."""

RANDOM = "random:"
NUMBER = "number:"


_VIEWS = re.compile(r"(<=|>=|<|>|=)?(\d{1,99})([kKmM]?)")
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")
_BOUND = re.compile(r"(<=|>=|<|>|=)\d{1,120}")


@dataclass(frozen=True, slots=True)
class Only:
    """Certain facts (ids), and in a word or two what they have in common."""

    words: str
    facts: frozenset[int]


@dataclass(frozen=True, slots=True)
class Filters:
    """What facts must be like to be listed; an empty set asks for nothing.

    `verdicts` holds codes (`DR`, `NA`, `··`); `tiers` those of `TIERS`; `differs` is None or one
    of `DIFFERENCES`; `reviews` holds some of `REVIEWS`. Rejected facts are listed only with
    `rejected`, and then they alone; with `only`, no others than those. `views` holds bounds
    (`>=1000`), `numbers` ranges of ids in the database (`7`, `20-29`), `texts` what must occur.
    `random` is how many are drawn of the facts that pass the rest. `latent` holds some of
    `LATENT_WORDS`: what scores say of the fact where nobody asks. `sources` holds names of files
    of which responses came in, `tags` what people put on facts, questions or answers (`*`: any).
    `types` are types of the object; `answer_types` those of the answer, which in a reverse question
    is the subject.
    """

    verdicts: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    tiers: frozenset[str] = frozenset()
    differs: str | None = None
    reviews: frozenset[str] = frozenset()
    rejected: bool = False
    only: Only | None = None
    views: frozenset[str] = frozenset()
    fact_ids: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    random: int | None = None
    latent: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    subject_types: frozenset[str] = frozenset()
    answer_types: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Raises `UsageError` for values that no word of `--where` has."""
        for what, values, known in (
            ("code", self.verdicts, CODE_ORDER),
            ("popularity tier", self.tiers, TIERS),
            ("review", self.reviews, REVIEWS),
            ("word for scores", self.latent, LATENT_WORDS),
            ("kind of difference", {self.differs} - {None}, DIFFERENCES),
        ):
            if not values <= set(known):
                raise UsageError(f"no {what} {min(map(str, values - set(known)))}")
        bounds, ranges = map(_BOUND.fullmatch, self.views), map(_RANGE.fullmatch, self.numbers)
        if not all(bounds) or not all(ranges) or (self.random or 0) < 0:
            raise UsageError("views, numbers and random facts are asked for in whole numbers")

    @property
    def count(self) -> int:
        """How many things are asked for."""
        values = [getattr(self, one.name) for one in fields(self)]
        return sum(len(one) if isinstance(one, frozenset) else _is_asked(one) for one in values)

    @property
    def typed(self) -> "Filters":
        """What of it is typed as words, as there are too many values to choose from."""
        return Filters(
            views=self.views,
            fact_ids=self.fact_ids,
            numbers=self.numbers,
            texts=self.texts,
            sources=self.sources,
            tags=self.tags,
            random=self.random,
            subject_types=self.subject_types,
            answer_types=self.answer_types,
        )

    def join(self, other: "Filters") -> "Filters":
        """What both ask for; where there can be one value the other's."""
        return self._change_fields(
            other, lambda mine, new: mine | new, lambda mine, new: new if _is_asked(new) else mine
        )

    def without(self, other: "Filters") -> "Filters":
        """The same without what another asks for."""
        return self._change_fields(
            other, lambda mine, new: mine - new, lambda mine, new: None if mine == new else mine
        )

    def _change_fields(
        self,
        other: "Filters",
        change_set: Callable[[frozenset[str], frozenset[str]], frozenset[str]],
        change_value: Callable[[Any, Any], Any],
    ) -> "Filters":
        changes: dict[str, Any] = {}
        for one in fields(self):
            mine, new = getattr(self, one.name), getattr(other, one.name)
            change = change_set if isinstance(mine, frozenset) else change_value
            changes[one.name] = change(mine, new)
        return replace(self, **changes | {"rejected": bool(changes["rejected"])})


def _is_asked(value: object) -> bool:
    return value is not None and value is not False


_COUNT = re.compile(r"\d{1,18}")
_SCALE = {"": 1, "k": 1_000, "m": 1_000_000}
_QUOTED = re.compile(r"[ \t\r\n'\"\\]")

_PREFIXES = (
    *("category", "type", "subject_type", "answer_type", "profile", "tier", "views", "differs"),
    *("zp", "source", "tag", "note", "fact", "number", "random", "search", "text"),
)
_KEY = re.compile("[A-Za-z][A-Za-z_]+")
"""What looks like the name of a filter, so that a mistyped one is not searched for as text."""

_CODE_BY_NAME = {str(name): code for name, code in CODES.items()}
_NAME_BY_CODE = {code: name for name, code in _CODE_BY_NAME.items()}


# Reading


def parse_where(where: str) -> tuple[Filters, str]:
    """The filters that a text of `--where` says, and what it searches for.

    Words: `category:Arts`, `type:DATE` (of the object), `subject_type:PERSON`,
    `answer_type:DATE` (of the object; in a reverse question of the subject),
    `profile:recall_failure` (or a code, `profile:RF`),
    `tier:bottom`, `views:>1000`, `differs`, `differs:profile`, `flagged`, `edited`, `noted`,
    `zp:known`, `zp:unknown`, `zp:contradicts` (what scores say), `rejected`, `fact:ID`,
    `source:FILE` (a response came out of a file of this name), `tag:NAME` or `tag:*` (on the fact,
    a question or an answer), `note:*` (as `noted`),
    `number:7,20-29` (facts by the numbers that they have in this database), `random:200` (so many
    of those that pass the rest, always the same), `search:WORD` (what the search of the list
    finds); anything else, and `text:WORD`, is text that occurs in the fact. Quotes keep words
    together. Raises `UsageError` for a word that cannot be.
    """
    values: dict[str, list[str]] = {}
    for word in split_words(where):
        kind, value = _read_word(word)
        values.setdefault(kind, []).append(value)

    def read_values(kind: str, value_of: Callable[[str], str] = str) -> frozenset[str]:
        return frozenset(map(value_of, values.get(kind, ())))

    differs = {
        _check_known("kind of difference", one, DIFFERENCES) for one in values.get("differs", ())
    }
    draws = [_amount(one) for one in values.get("random", ())]
    filters = Filters(
        verdicts=read_values("profile", _code),
        topics=read_values("category", _name),
        types=read_values("type", _name),
        subject_types=read_values("subject_type", _name),
        answer_types=read_values("answer_type", _name),
        tiers=read_values("tier", lambda one: _check_known("popularity tier", one, TIERS)),
        differs=next((one for one in DIFFERENCES if one in differs), None),
        reviews=read_values("review"),
        rejected="rejected" in values,
        views=read_values("views", _bound),
        fact_ids=read_values("fact"),
        numbers=frozenset(part for one in values.get("number", ()) for part in _ranges(one)),
        texts=read_values("text") - {""},
        random=min(draws, default=None),
        sources=read_values("source"),
        tags=read_values("tag"),
        latent=read_values("zp", lambda one: _check_known("word for scores", one, LATENT_WORDS)),
    )
    return filters, " ".join(values.get("search", ()))


def split_words(where: str) -> list[str]:
    """The words of a text, quotes taken away. Raises `UsageError` for an open quote."""
    import shlex

    try:
        return shlex.split(where)
    except ValueError as error:
        raise UsageError(f"--where {where!r}: a quotation mark is not closed") from error


def _read_word(word: str) -> tuple[str, str]:
    """What kind of word it is, and its value."""
    if word in REVIEWS:
        return "review", word
    if word == "rejected":
        return "rejected", ""
    if word == "differs":
        return "differs", "any"
    name, colon, value = word.partition(":")
    if colon and name == "note":
        _check_known("filter of notes", value, ("*",))
        return "review", "noted"
    if colon and name in _PREFIXES:
        return name, value
    if colon and value and _KEY.fullmatch(name) and not value.startswith("//"):
        raise UsageError(
            f"--where has no filter {name}: {suggest_nearest(name, _PREFIXES)}choose one of "
            f"{', '.join(_PREFIXES)}, or write text:{word} to search for these words"
        )
    return "text", word


def _is_plain_text(word: str) -> bool:
    """Whether a word is read as text without `text:` before it."""
    try:
        return _read_word(word) == ("text", word)
    except UsageError:
        return False


def _check_known(what: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        near = suggest_nearest(value, known)
        raise UsageError(f"no {what} {value}: {near}choose one of {', '.join(known)}")
    return value


def _name(value: str) -> str:
    return value or NO_NAME


def _code(value: str) -> str:
    if value in CODE_ORDER:
        return value
    return _CODE_BY_NAME[_check_known("profile", value, tuple(_CODE_BY_NAME))]


def _bound(value: str) -> str:
    found = _VIEWS.fullmatch(value)
    if not found:
        raise UsageError(f"views:{value} is no number of views: write views:>1000 or views:<=20k")
    sign, digits, unit = found.groups()
    return f"{sign or '='}{int(digits) * _SCALE[unit.lower()]}"


def _ranges(value: str) -> Iterator[str]:
    """The ranges of a list; one that holds nothing for an empty list."""
    for part in value.split(",") if value else ("0",):
        if not (found := _RANGE.fullmatch(part)):
            raise UsageError(
                f"number:{part} is no number of a fact: write number:7 or number:20-29"
            )
        first, last = int(found[1]), int(found[2] or found[1])
        yield str(first) if first == last else f"{first}-{last}"


def _amount(value: str) -> int:
    if not _COUNT.fullmatch(value):
        raise UsageError(f"random:{value} is no number of facts: write random:200")
    return int(value)


def bound_of(bound: str) -> tuple[str, int]:
    """The sign and the number of a bound of views."""
    digits = bound.lstrip("<>=")
    return bound.removesuffix(digits), int(digits)


def range_of(numbers: str) -> tuple[int, int]:
    """The first and last id of a range."""
    first, _, last = numbers.partition("-")
    return int(first), int(last or first)


# Writing


def format_where(filters: Filters, search: str = "") -> str:
    """The text of `--where` that says it; what `only` has in common is lost, its facts are not."""
    return format_words(where_words(filters, search))


def format_words(words: Iterable[str]) -> str:
    """Words as one text, quoted where they need be."""
    return " ".join(map(_quote_word, words))


def where_words(filters: Filters, search: str = "") -> Iterator[str]:
    """The words of `--where` one by one, unquoted, always in the same order."""
    if search.strip():
        yield f"search:{search.strip()}"
    for text in sorted(filters.texts):
        yield text if _is_plain_text(text) else f"text:{text}"
    for code in sorted(filters.verdicts, key=CODE_ORDER.index):
        yield f"profile:{_NAME_BY_CODE.get(code, code)}"
    named = {
        "category": filters.topics,
        "type": filters.types,
        "subject_type": filters.subject_types,
        "answer_type": filters.answer_types,
        "tier": filters.tiers,
        "views": filters.views,
    }
    for kind, values in named.items():
        yield from (f"{kind}:{value}" for value in sorted(values))
    if filters.differs is not None:
        yield "differs" if filters.differs == "any" else f"differs:{filters.differs}"
    yield from (name for name in REVIEWS if name in filters.reviews)
    yield from (f"zp:{word}" for word in LATENT_WORDS if word in filters.latent)
    yield from (f"source:{value}" for value in sorted(filters.sources))
    yield from (f"tag:{value}" for value in sorted(filters.tags))
    yield from (f"fact:{value}" for value in sorted(filters.fact_ids))
    yield from _number_words(filters)
    if filters.random is not None:
        yield f"{RANDOM}{filters.random}"
    if filters.rejected:
        yield "rejected"


def _number_words(filters: Filters) -> Iterator[str]:
    ranges = sorted(map(range_of, filters.numbers))
    if filters.only is not None:
        facts: Iterable[int] = filters.only.facts
        if ranges:
            facts = [one for one in facts if any(a <= one <= b for a, b in ranges)]
        yield format_numbers(facts)
    elif ranges:
        parts = (f"{a}" if a == b else f"{a}-{b}" for a, b in ranges)
        yield f"{NUMBER}{','.join(parts)}"


def format_numbers(ids: Iterable[int]) -> str:
    """The word that selects the facts with these ids and no others."""
    parts: list[str] = []
    for _, run in groupby(enumerate(sorted(ids)), lambda pair: pair[1] - pair[0]):
        same = [fact for _, fact in run]
        parts.append(str(same[0]) if len(same) == 1 else f"{same[0]}-{same[-1]}")
    return f"{NUMBER}{','.join(parts)}"


def _quote_word(word: str) -> str:
    """A word as the shell would read it; most need no quotes."""
    if not _QUOTED.search(word):
        return word
    if not {'"', "\\"} & set(word):
        return f'"{word}"'
    import shlex

    return shlex.quote(word)
