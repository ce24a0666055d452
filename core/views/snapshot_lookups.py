"""What filters of a list ask of a snapshot: verdicts, reviews, differences, scores, texts."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from core.dataset.subsets import Mask
from core.scoring.latent_verdicts import select_latent
from core.views.snapshot import AGREE, AT_STAKE, Snapshot
from core.vocabulary import CODE_ORDER


class SnapshotLookups(NamedTuple):
    """What filters ask of a snapshot; texts and sources are found in the database."""

    snapshot: Snapshot
    connection: sqlite3.Connection | None = None

    def find_text(self, text: str) -> Mask:
        """Facts in which a text occurs; none where there is no database to ask."""
        from db import facts

        return self._mask_facts(
            [] if self.connection is None else facts.find_matching(self.connection, text)
        )

    def find_codes(self, codes: frozenset[str]) -> Mask:
        """Facts whose verdict for the lens's model has one of these codes."""
        asked = [place for place, code in enumerate(CODE_ORDER) if code in codes]
        return np.isin(self.snapshot.code_places(), asked)

    def find_reviews(self, names: frozenset[str]) -> Mask:
        """Facts on which people have left any of these."""
        masks = review_masks(self.snapshot)
        found: Mask = np.any([masks[name] for name in names], axis=0)
        return found

    def find_latent(self, words: frozenset[str]) -> Mask:
        """Facts of which scores of the lens's model say one of these."""
        now = self.snapshot
        masks = [select_latent(word, now.latent, now.code_places()) for word in words]
        return np.asarray(np.any(masks, axis=0), np.bool_)

    def find_source(self, name: str) -> Mask:
        """Facts with a response out of a file of this name; none without a database to ask."""
        from db.response_sources import facts_of

        return self._mask_facts([] if self.connection is None else facts_of(self.connection, name))

    def find_tag(self, tag: str) -> Mask:
        """Facts with a tag on them, their questions or answers; none without a database."""
        from db.tags_and_notes import facts_with

        wanted = None if tag == "*" else tag
        return self._mask_facts(
            [] if self.connection is None else facts_with(self.connection, wanted)
        )

    def _mask_facts(self, facts: Iterable[int]) -> Mask:
        return np.isin(self.snapshot.index.ids, list(facts))

    def find_differences(self, kind: str) -> Mask:
        """Facts on which the lens's A and B differ."""
        differs = self.snapshot.differs
        return differs == AT_STAKE if kind == "profile" else differs > AGREE


def review_masks(snapshot: Snapshot) -> dict[str, Mask]:
    """The facts that people have left something on, by what it is."""
    return {"flagged": snapshot.index.flagged, "edited": snapshot.edited, "noted": snapshot.noted}
