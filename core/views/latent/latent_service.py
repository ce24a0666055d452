"""Relations, their facts and single facts of an open session, with what is kept between reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import db.option_score_arrays
from core.dataset.fact_index import FactIndex
from core.errors import LostkeysError
from core.views.latent.latent_fact import LatentFact, check_fact, read_latent_fact
from core.views.latent.latent_relations import (
    LatentBoard,
    LatentOrder,
    RelationFacts,
    nearest_setup,
    read_board,
    read_facts,
    read_predictions,
    setups_of,
)
from core.views.session_protocols import SnapshotSource
from core.views.snapshot import Snapshot
from core.views.user_errors import tell_user_errors
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.stored_relations import StoredRelation, read_named_relations
from core.zero_prompt.stored_scores import ScoredFacts, facts_of


@dataclass(frozen=True, slots=True)
class LatentRequest:
    """What the screen shows: a setup, a model, a relation (its key), an order of its facts.

    A model or relation that is not there, or None, stands for the first that has scores.
    """

    setup: Setup
    model: str | None = None
    relation: int | None = None
    order: LatentOrder = LatentOrder.DIFFER


@dataclass(frozen=True, slots=True)
class LatentLists:
    """The board, the model and the facts that are shown of it; no facts without relations.

    `predicted` is what the model found most probable, or said, by the facts' ids.
    """

    board: LatentBoard
    model: str | None
    facts: RelationFacts | None
    predicted: Mapping[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class _KeptLists:
    """What was read of the same relations and scores: boards by setup, facts of one relation."""

    relations: list[StoredRelation]
    scores: int
    setups: tuple[Setup, ...]
    columns: ScoredFacts
    boards: dict[Setup, LatentBoard] = field(default_factory=dict)
    facts: dict[Setup, RelationFacts] = field(default_factory=dict)
    predicted: dict[tuple[Setup, str | None], dict[int, str]] = field(default_factory=dict)
    relation: int | None = None
    snapshot: Snapshot | None = None

    def turn_to(self, relation: int, snapshot: Snapshot) -> None:
        """Let go of facts of another relation, and of those with other verdicts."""
        if self.relation != relation or self.snapshot is not snapshot:
            self.relation, self.snapshot = relation, snapshot
            self.facts.clear()
            self.predicted.clear()


class LatentService:
    """Reads what the Latent screen shows.

    Relations are read again only if facts have come, the board of a setup only if scores have,
    facts of a relation under a setup only where it or a verdict is another.
    """

    def __init__(self, session: SnapshotSource) -> None:
        self._session = session
        self._index: FactIndex | None = None
        self._relations: list[StoredRelation] = []
        self._kept: _KeptLists | None = None

    @property
    def path(self) -> Path:
        """The database."""
        return self._session.path

    @tell_user_errors
    def lists(self, wanted: LatentRequest) -> LatentLists:
        """The relations under a setup, and the facts of one. Raises `LostkeysError`."""
        relations = self._read_relations()
        setups: list[Setup] = []
        if self._session.is_open:
            setups = setups_of(self._session.project)
        setup = nearest_setup(setups, wanted.setup)
        if not relations:
            return LatentLists(LatentBoard(setup, tuple(setups), (), ()), None, None)
        project, snapshot = self._session.project, self._session.snapshot
        kept = self._keep(
            relations, db.option_score_arrays.last_change(project.connection), tuple(setups)
        )
        if setup not in kept.boards:
            kept.boards[setup] = read_board(project, relations, setups, setup, kept.columns)
        board = kept.boards[setup]
        model = _choose_model(board, (wanted.model, snapshot.lens.model))
        relation = self._choose_relation(board, model, wanted.relation)
        kept.turn_to(relation.row.id, snapshot)
        if setup not in kept.facts:
            kept.facts[setup] = read_facts(project, relation, setup, snapshot)
        facts, key = kept.facts[setup], (setup, model)
        if key not in kept.predicted:
            kept.predicted[key] = read_predictions(project, facts, setup, model)
        return LatentLists(board, model, facts.sort_by(wanted.order, model), kept.predicted[key])

    def _keep(
        self, relations: list[StoredRelation], scores: int, setups: tuple[Setup, ...]
    ) -> _KeptLists:
        """What was read of these relations and scores, nothing where either has changed."""
        kept = self._kept
        now = (scores, setups)
        if kept is None or kept.relations is not relations or (kept.scores, kept.setups) != now:
            same = None if kept is None or kept.relations is not relations else kept.columns
            kept = _KeptLists(relations, scores, setups, same or facts_of(relations))
        self._kept = kept
        return kept

    def relation_called(self, name: str, set_name: str) -> int | None:
        """The key of a relation of a set, of any set without one; None where it is not there."""
        rows = (one.row for one in self._read_relations() if one.name == name)
        return next((one.id for one in rows if set_name in ("", one.set_name)), None)

    @tell_user_errors
    def fact(self, relation: int, fact: int, setup: Setup, model: str | None) -> LatentFact:
        """One fact (its id) of a relation. Raises `LostkeysError`."""
        found = next((one for one in self._read_relations() if one.row.id == relation), None)
        if found is None:
            raise LostkeysError("the relation is not there any more")
        name = check_fact(found, fact)
        project, snapshot = self._session.project, self._session.snapshot
        return read_latent_fact(project, found, name, setup, model, snapshot)

    def _read_relations(self) -> list[StoredRelation]:
        index = self._session.snapshot.index
        if not self._session.is_open or not len(index):
            return []
        before = self._index
        same = before is not None and (
            before.ids is index.ids
            and before.questions is index.questions
            and np.array_equal(before.rejected, index.rejected)
        )
        if not same:
            self._relations = read_named_relations(self._session.project)
        self._index = index
        return self._relations

    def _choose_relation(
        self, board: LatentBoard, model: str | None, wanted: int | None
    ) -> StoredRelation:
        """The relation wanted, else the first of which the model has scores, else the first.

        Among those without scores one that can be asked about stands before the others.
        """
        by_key = {one.row.id: one for one in self._relations}
        if wanted in by_key:
            return by_key[wanted]
        at = board.models.index(model) if model in board.models else None
        scored = (
            row.key
            for row in board.rows
            if at is not None and (row.counts[at].n or row.counts[at].failed)
        )
        ready = (row.key for row in board.rows if not row.why)
        return by_key[next(scored, next(ready, board.rows[0].key))]


def _choose_model(board: LatentBoard, wanted: tuple[str | None, ...]) -> str | None:
    """The first of these that has scores, else the first that has any."""
    found = [one for one in wanted if one in board.models]
    return found[0] if found else next(iter(board.models), None)
