"""The options of a fact: its object, and objects of other facts that are wrong for it.

ZP-LKE, section 3.2: multiple choice among the object and M = 99 others of its relation.
"""

from collections.abc import Iterator

from core.dataset.seeded_order import digest, key_of
from core.zero_prompt.relation import Relation, is_wrong
from core.zero_prompt.training_split import Triple

DEFAULT_COUNT = 100


def options_of(relation: Relation, triple: Triple, count: int = DEFAULT_COUNT) -> list[str] | None:
    """The options of a fact, its object first; None where there are too few."""
    wrong = wrong_options(relation, triple)
    if len(wrong) < count - 1:
        return None
    return [triple.object.strip(), *wrong[: count - 1]]


def wrong_options(relation: Relation, triple: Triple) -> list[str]:
    """The texts of all that may be options beside the object, those that come first in front.

    None of them begins another, so the probability of none holds that of another.
    """
    if triple.choices is not None:
        return list(_list_given(relation, triple, triple.choices))
    wrong = relation.wrong_objects(triple.subject)
    wrong.sort(key=lambda one: digest(0, "zp-options", triple.id, one.key))
    taken, nested = _TakenKeys(), relation.nested_keys
    return [one.text for one in wrong if one.key not in nested or taken.take(one.key)]


def count_options(relation: Relation, triple: Triple) -> int:
    """How many options a fact can have at most, its object among them."""
    if triple.choices is not None:
        return 1 + sum(1 for _ in _list_given(relation, triple, triple.choices))
    excluded = relation.excluded_keys(triple.subject)
    nested = relation.nested_keys - excluded
    ordered = sorted(nested, key=lambda key: digest(0, "zp-options", triple.id, key))
    taken = _TakenKeys()
    kept = sum(map(taken.take, ordered))
    return 1 + len(relation.objects) - len(excluded) - len(nested) + kept


def _list_given(relation: Relation, triple: Triple, choices: tuple[str, ...]) -> Iterator[str]:
    """Choices of the file in their order, without right ones, partial matches and repeats."""
    right, taken = relation.right_names(triple.subject), _TakenKeys()
    for text in choices:
        key = key_of(text)
        known = relation.objects.get(key)
        names = known.names if known is not None else frozenset([key])
        if key and is_wrong(key, names, right) and taken.take(key):
            yield text.strip()


class _TakenKeys:
    """Keys of options, none of which begins another."""

    def __init__(self) -> None:
        self._taken, self._beginnings = set[str](), set[str]()

    def take(self, key: str) -> bool:
        """Take a key unless it begins one that is there, or is begun by one; gives whether."""
        beginnings = [key[:count] for count in range(1, len(key) + 1)]
        if key in self._beginnings or not self._taken.isdisjoint(beginnings):
            return False
        self._taken.add(key)
        self._beginnings.update(beginnings)
        return True
