"""Long inputs of a relation: the log probability of the object at each place, as it is kept.

ZP-LKE, section 4.1 (figures 4 and 11 to 13).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import db.long_inputs
import db.relations
from core.project import OpenProject
from core.zero_prompt.examples import ExampleKind
from db.long_inputs import LongInputKey

AFTER = "after"
"""A clean example right behind an altered one."""


@dataclass(frozen=True, slots=True)
class PlaceScore:
    """An example of a long input, and the log probability of its object."""

    subject: str
    object: str
    kind: ExampleKind
    logprob: float | None


@dataclass(frozen=True, slots=True)
class LongInput:
    """What a model made of one long input of a relation."""

    model: str
    relation: str
    inject: str | None
    places: Sequence[PlaceScore]

    def kinds(self) -> list[str]:
        """What stands at each place."""
        before = [ExampleKind.CLEAN, *(one.kind for one in self.places)]
        return [
            AFTER if one.kind is ExampleKind.CLEAN and last is not ExampleKind.CLEAN else one.kind
            for last, one in zip(before, self.places, strict=False)
        ]


def read_inputs(project: OpenProject) -> Iterator[tuple[LongInputKey, LongInput]]:
    """All long inputs of a project, with what tells them apart."""
    names = {one.id: one.name for one in db.relations.relations(project.connection)}
    for one in db.long_inputs.read_inputs(project.connection):
        places = [
            PlaceScore(place.subject, place.object, ExampleKind(place.kind), place.logprob)
            for place in one.places
        ]
        key = one.key
        yield key, LongInput(key.model, names[key.relation], key.inject or None, places)


def missing_places(project: OpenProject, key: LongInputKey) -> list[int]:
    """Places of a long input, from 0, that have no log probability."""
    there = db.long_inputs.find(project.connection, key)
    if there is None:
        return list(range(key.examples))
    return [at for at, one in enumerate(there.places) if one.logprob is None]
