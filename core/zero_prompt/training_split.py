"""The split of a relation's triples: those that are examples, and those whose subjects are asked.

ZP-LKE, section 3 and appendix A. A file may say which triples are examples. Where it does not, the
subject decides, so that all triples of a subject are on one side, whatever else is imported later.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from core.dataset.seeded_order import key_of, number_below

TRAIN_PERCENT = 20
"""Percent of the subjects that are kept for examples where a file does not say which."""


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact (its id) of a relation. `split` is the file's own, `choices` are its options."""

    id: str
    subject: str
    object: str
    aliases: tuple[str, ...] = ()
    split: str | None = None
    choices: tuple[str, ...] | None = None


@dataclass(frozen=True)
class TrainingSplit:
    """The split of one relation, by its name and its triples by id."""

    relation: str
    triples: Mapping[str, Triple]

    @cached_property
    def training(self) -> list[Triple]:
        """Triples that are examples."""
        return [one for one in self.triples.values() if self.is_training(one)]

    @cached_property
    def evaluation(self) -> list[Triple]:
        """Triples whose subjects are asked about."""
        return [one for one in self.triples.values() if not self.is_training(one)]

    def is_training(self, triple: Triple) -> bool:
        """Whether a triple is an example: as the file says, else as its subject falls."""
        if triple.split is not None:
            return triple.split == "train"
        share = number_below(100, 0, "zp-split", self.relation, key_of(triple.subject))
        return share < TRAIN_PERCENT
