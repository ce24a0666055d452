"""The search typed last, kept so that its list can be filtered and sorted without a new one."""

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from core.errors import LostkeysError
from core.project import OpenProject
from core.views import fact_search
from core.views.fact_search import SearchResult
from db.search import SearchHit


class Finder:
    """Finds facts by text; every method raises `LostkeysError` if it is interrupted."""

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._text = ""
        self._found: SearchResult | None = None
        self._outdated = False

    def outdate(self) -> None:
        """Something has been written: what was found may not be all."""
        self._outdated = True

    def search_texts(self, text: str) -> SearchResult:
        """Facts whose own texts match, and those that the same search found before."""
        if self._found is None or self._text != text:
            self._keep(text, fact_search.search(self._project, text))
        assert self._found is not None
        return replace(self._found, complete=self._found.complete and not self._outdated)

    def search_all(self, text: str) -> SearchResult:
        """The same and those found by their answers."""
        found = self.search_texts(text)
        if found.complete:
            return found
        fresh = fact_search.search(self._project, text) if self._outdated else found
        return self._keep(text, fresh and fact_search.with_answers(self._project, fresh))

    def hits(self, text: str, facts: Collection[int]) -> Iterator[tuple[int, SearchHit]]:
        """Where the search stands in these facts (ids)."""
        found = self.search_texts(text)
        for row in np.flatnonzero(np.isin(found.facts, list(facts))):
            hit = fact_search.find_hit(self._project, found, int(row))
            if hit is not None:
                yield int(found.facts[row]), hit

    def _keep(self, text: str, found: SearchResult | None) -> SearchResult:
        if found is None:
            raise LostkeysError("the search was interrupted: search again")
        self._text, self._found, self._outdated = text, found, False
        return found
