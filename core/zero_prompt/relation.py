"""A relation: its triples, the objects that they have, and which are wrong for a subject."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, takewhile

from core.dataset.seeded_order import key_of
from core.zero_prompt.training_split import TrainingSplit, Triple


@dataclass(frozen=True, slots=True)
class RelationObject:
    """An object, as most often written; `names` are the keys of it and of its aliases."""

    key: str
    text: str
    names: frozenset[str]


@dataclass(frozen=True)
class Relation:
    """Triples of one relation, in the order in which they were imported."""

    name: str
    rows: Sequence[Triple] = field(repr=False)

    @cached_property
    def triples(self) -> dict[str, Triple]:
        """Triples by id; of a subject with the same object twice the first."""
        seen: set[tuple[str, str]] = set()
        found: dict[str, Triple] = {}
        for one in self.rows:
            pair = key_of(one.subject), key_of(one.object)
            if pair not in seen:
                seen.add(pair)
                found[one.id] = one
        return found

    @cached_property
    def split(self) -> TrainingSplit:
        """Which triples are examples, and which are asked about."""
        return TrainingSplit(self.name, self.triples)

    @cached_property
    def objects(self) -> dict[str, RelationObject]:
        """The objects of all triples, by key in the order of their texts' code points."""
        texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        names: defaultdict[str, set[str]] = defaultdict(set)
        for one in self.triples.values():
            key = key_of(one.object)
            texts[key][one.object.strip()] += 1
            names[key] |= {key, *map(key_of, one.aliases)}
        found = [
            RelationObject(key, find_most_written(counted), frozenset(names[key]))
            for key, counted in texts.items()
        ]
        return {one.key: one for one in sorted(found, key=lambda one: one.text)}

    @cached_property
    def subjects(self) -> dict[str, frozenset[str]]:
        """The keys of the objects of each subject, by its key."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for one in self.triples.values():
            found[key_of(one.subject)].add(key_of(one.object))
        return {subject: frozenset(objects) for subject, objects in found.items()}

    def right_names(self, subject: str) -> frozenset[str]:
        """The keys of all right objects of a subject, and of their aliases."""
        objects = self.subjects.get(key_of(subject), frozenset())
        return frozenset().union(*(self.objects[key].names for key in objects)) - {""}

    def wrong_objects(self, subject: str) -> list[RelationObject]:
        """The objects that are wrong for a subject, and begin as no right one does."""
        excluded = self.excluded_keys(subject)
        return [one for key, one in self.objects.items() if key not in excluded]

    def excluded_keys(self, subject: str) -> set[str]:
        """The keys of the objects that are not wrong for a subject (see `is_wrong`)."""
        found = set[str]()
        for name in self.right_names(subject):
            found |= self._named.get(name, set())
            found |= self._list_begun(name)
            begun = (name[:count] for count in range(1, len(name) + 1))
            found |= {key for key in begun if key in self.objects}
        return found

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """The keys of the objects that have each name."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for one in self.objects.values():
            for name in one.names:
                found[name].add(one.key)
        return found

    @cached_property
    def _sorted_keys(self) -> list[str]:
        """The keys of all objects: those that begin with a text stand behind each other."""
        return sorted(self.objects)

    def _list_begun(self, text: str) -> set[str]:
        """The keys of the objects that begin with a text."""
        start = bisect_left(self._sorted_keys, text)
        there = islice(self._sorted_keys, start, None)
        return set(takewhile(lambda key: key.startswith(text), there))

    @cached_property
    def nested_keys(self) -> frozenset[str]:
        """The keys of the objects that begin another object, or are begun by one."""
        found = set[str]()
        open_keys: list[str] = []
        for key in self._sorted_keys:
            while open_keys and not key.startswith(open_keys[-1]):
                open_keys.pop()
            if open_keys:
                found |= {key, open_keys[-1]}
            open_keys.append(key)
        return frozenset(found)


def is_wrong(key: str, names: Iterable[str], right: frozenset[str]) -> bool:
    """Whether an object, by the keys of it and its aliases, is none of the right ones.

    Nor may it begin one of those, or they it: the longer could never be more probable.
    """
    return right.isdisjoint(names) and not any(
        key.startswith(one) or one.startswith(key) for one in right
    )


def find_most_written(counted: Counter[str]) -> str:
    """The text that occurs most often; of several the first by code point."""
    return min(counted, key=lambda text: (-counted[text], text))
