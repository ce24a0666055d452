"""What filters ask of a database beside its facts: texts, files, people, verdicts, scores."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

import db.facts
import db.index_columns
import db.response_sources
import db.tags_and_notes
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.scoring.latent_verdicts import read_latent_marks, select_latent
from core.vocabulary import CODE_ORDER

Codes = npt.NDArray[np.uint8]
"""Places of codes in `CODE_ORDER`, shape (models, facts)."""


@dataclass(frozen=True, slots=True)
class FactLookups:
    """What filters ask of a database, its facts as columns, and any of some models."""

    connection: sqlite3.Connection
    index: FactIndex
    models: Sequence[str]
    read_codes: Callable[[], Codes]
    """The codes of the models' verdicts, worked out where a filter asks for them."""

    def find_text(self, text: str) -> Mask:
        """Facts in which a text occurs as it is typed, capitals aside."""
        return np.isin(self.index.ids, list(db.facts.find_matching(self.connection, text)))

    def find_source(self, name: str) -> Mask:
        """Facts with a response out of a file of this name."""
        return np.isin(self.index.ids, db.response_sources.facts_of(self.connection, name))

    def find_tag(self, tag: str) -> Mask:
        """Facts with a tag on them, their questions or answers; `*`: with any."""
        found = db.tags_and_notes.facts_with(self.connection, None if tag == "*" else tag)
        return np.isin(self.index.ids, found)

    def find_codes(self, codes: frozenset[str]) -> Mask:
        """Facts whose verdict for any of the models has one of these codes."""
        asked = [place for place, code in enumerate(CODE_ORDER) if code in codes]
        return cast("Mask", np.isin(self.read_codes(), asked).any(axis=0))

    def find_reviews(self, names: frozenset[str]) -> Mask:
        """Facts on which people have left any of these."""
        index = self.index
        found = index.flagged.copy() if "flagged" in names else np.zeros(len(index), np.bool_)
        if "edited" in names:
            found |= np.isin(index.ids, db.index_columns.find_edited(self.connection))
        if "noted" in names:
            found |= np.isin(index.ids, db.index_columns.find_noted(self.connection))
        return found

    def find_latent(self, words: frozenset[str]) -> Mask:
        """Facts of which scores of any of the models say one of these.

        Where no model has answers, those that have scores speak.
        """
        marks = read_latent_marks(self.connection, self.models or None, self.index.ids)
        codes = self.read_codes()
        masks = [select_latent(word, marks, codes).any(axis=0) for word in words]
        return cast("Mask", np.any(masks, axis=0))

    def find_differences(self, kind: str) -> Mask:
        """Two graders are compared in a list only: `core.views.where_resolver` asks one."""
        raise UsageError("`differs` is a word for lists of facts: name these facts by `number:`")
