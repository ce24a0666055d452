"""The examples before a subject: which, in what order, and which of them are altered.

ZP-LKE, section 3 (examples) and section 4.1 (unknown and incorrect ones).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.dataset.seeded_order import digest, key_of, number_below, order_by_digest
from core.errors import LostkeysError, UsageError
from core.zero_prompt.relation import Relation
from core.zero_prompt.training_split import Triple

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
FIRST_NAME, LAST_NAME = 2, 3
"""Syllables of a name that nobody has."""

TRIES = 1000
"""Names of a place that are tried before another one counts as found."""


class ExampleKind(StrEnum):
    """What an example is."""

    CLEAN = "clean"
    INCORRECT = "incorrect"
    UNKNOWN = "unknown"


class Spread(StrEnum):
    """How altered examples stand among the others."""

    SCATTERED = "scattered"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Example:
    """A pair before the subject; a made-up one has no id."""

    id: str | None
    subject: str
    object: str
    kind: ExampleKind = ExampleKind.CLEAN


@dataclass(frozen=True, slots=True)
class Injection:
    """How many examples are altered, in what way, and where."""

    kind: ExampleKind
    count: int
    spread: Spread

    def __str__(self) -> str:
        return f"{self.kind}:{self.count}:{self.spread}"


def parse_injection(text: str) -> Injection:
    """Read `incorrect|unknown:COUNT:scattered|block`; raises a `UsageError`."""
    kind, _, rest = text.partition(":")
    count, _, spread = rest.partition(":")
    if kind in ("incorrect", "unknown") and count.isdecimal() and spread in list(Spread):
        return Injection(ExampleKind(kind), int(count), Spread(spread))
    raise UsageError(
        f"injection {text!r}: write incorrect:40:scattered, unknown:40:block or the like"
    )


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """How examples are chosen: how many, by which seed, in which order, which are altered."""

    count: int = 50
    seed: int = 0
    order: int = 0
    injected: Injection | None = None


def candidates(relation: Relation, seed: int) -> list[Example]:
    """All that may be examples in their order: the first training triple of each subject."""
    return _first_of_subjects(relation.split.training, seed)


def _first_of_subjects(triples: Sequence[Triple], seed: int) -> list[Example]:
    found: dict[str, Example] = {}
    for one in order_by_digest(triples, lambda one: one.id, seed, "zp-examples"):
        example = Example(one.id, one.subject.strip(), one.object.strip())
        found.setdefault(key_of(one.subject), example)
    return list(found.values())


def places_of(relation: Relation, choice: ExampleChoice) -> list[Example]:
    """The examples of a long input: the training ones, then others where these are too few.

    The others are first triples of subjects that are asked about elsewhere: here all objects are
    scored and nobody is asked about.
    """
    trained = candidates(relation, choice.seed)
    known = {key_of(one.subject) for one in trained}
    more = _first_of_subjects(relation.split.evaluation, choice.seed)
    found = [*trained, *(one for one in more if key_of(one.subject) not in known)]
    return _order_and_alter(relation, found[: choice.count], choice)


def choose_examples(relation: Relation, subject: str, choice: ExampleChoice) -> list[Example]:
    """The examples before a subject, fewer than asked for where there are no more."""
    others = [
        one for one in candidates(relation, choice.seed) if key_of(one.subject) != key_of(subject)
    ]
    return _order_and_alter(relation, others[: choice.count], choice)


def _order_and_alter(
    relation: Relation, first: list[Example], choice: ExampleChoice
) -> list[Example]:
    if choice.order:
        first = order_by_digest(
            first, lambda one: one.id or "", choice.seed, "zp-order", choice.order
        )
    return first if choice.injected is None else _alter_examples(relation, first, choice)


def _alter_examples(
    relation: Relation, examples: Sequence[Example], choice: ExampleChoice
) -> list[Example]:
    places = injected_places(relation.name, len(examples), choice)
    return [
        _alter(relation, one, place, choice) if place in places else one
        for place, one in enumerate(examples)
    ]


def injected_places(relation: str, length: int, choice: ExampleChoice) -> frozenset[int]:
    """The places, from 0, of the examples that are altered; raises where there are fewer."""
    wanted = choice.injected
    if wanted is None:
        return frozenset()
    if wanted.count > length:
        raise UsageError(
            f"{wanted} alters more than the {length} examples: write a smaller number, or more "
            "examples with --examples"
        )
    if wanted.spread is Spread.BLOCK:
        start = number_below(length - wanted.count + 1, choice.seed, "zp-block", relation)
        return frozenset(range(start, start + wanted.count))
    places = order_by_digest(range(length), str, choice.seed, "zp-inject", relation)
    return frozenset(places[: wanted.count])


def _alter(relation: Relation, one: Example, place: int, choice: ExampleChoice) -> Example:
    injected = choice.injected
    if injected is None or injected.kind is ExampleKind.UNKNOWN:
        return make_up(relation, place, choice.seed)
    wrong = relation.wrong_objects(one.subject)
    if not wrong:
        raise LostkeysError(f"{relation.name}: no object is wrong for {one.subject}")
    found = min(wrong, key=lambda other: digest(choice.seed, "zp-incorrect", one.id, other.key))
    return replace(one, object=found.text, kind=ExampleKind.INCORRECT)


def make_up(relation: Relation, place: int, seed: int) -> Example:
    """An example of a subject that nobody knows: the name is that of no subject here."""
    for number in range(place, place + 1000 * TRIES, 1000):
        drawn = bytes.fromhex(digest(seed, "zp-unknown", relation.name, number))
        syllables = [
            CONSONANTS[drawn[at] % len(CONSONANTS)] + VOWELS[drawn[at + 1] % len(VOWELS)]
            for at in range(0, 2 * (FIRST_NAME + LAST_NAME), 2)
        ]
        first, last = "".join(syllables[:FIRST_NAME]), "".join(syllables[FIRST_NAME:])
        name = f"{first.capitalize()} {last.capitalize()}"
        if key_of(name) not in relation.subjects:
            objects = list(relation.objects.values())
            of = int.from_bytes(drawn[10:18], "big") % len(objects)
            return Example(None, name, objects[of].text, ExampleKind.UNKNOWN)
    raise LostkeysError(f"{relation.name}: every name that is made up is that of a subject")
