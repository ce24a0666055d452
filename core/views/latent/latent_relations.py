"""Relations with what each model knows of them, and the facts of one with their ranks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

import db.option_score_arrays
import db.option_scores
from core.project import OpenProject
from core.scoring.latent_verdicts import find_contradicting
from core.stats.intervals import Interval, wilson
from core.views.snapshot import Snapshot
from core.vocabulary import CODE_ORDER
from core.zero_prompt.score_matrix import Bools, Setup
from core.zero_prompt.scores import is_usable
from core.zero_prompt.stored_relations import StoredRelation, readiness
from core.zero_prompt.stored_scores import (
    ScoredFacts,
    choose_series,
    facts_of,
    read_counts,
    read_setups,
)
from db.connection import read_transaction
from db.option_score_arrays import ScoreState
from db.option_scores import RESPONSES, ScoreSeries

NO_CODE = len(CODE_ORDER)
"""The place of a verdict where the model has no answers."""

MOST_PREDICTED = 2_000
"""Facts of a list up to which what a model predicted is read with them."""


class LatentOrder(StrEnum):
    """What the facts of a relation are sorted by; equal facts stand as imported."""

    DIFFER = "differ"
    METHODS = "methods"
    GOLD = "gold"
    SUBJECT = "subject"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class KnownCount:
    """Facts of a relation that a model has scores of, those that failed, those it knows."""

    n: int
    failed: int
    correct: int

    @property
    def share(self) -> float | None:
        """Of the facts that did not fail; None for none."""
        return self.correct / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the share (Wilson); None for none."""
        return wilson(self.correct, self.n)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A relation: facts to ask about, examples, objects, what models know, why it is left out.

    `counts` are by the models of the board; `why` is empty where it can be asked about.
    `is_twin`: another set has a relation of this name.
    """

    key: int
    name: str
    set_name: str
    facts: int
    training: int
    objects: int
    counts: tuple[KnownCount, ...]
    why: str = ""
    is_twin: bool = False

    @property
    def title(self) -> str:
        """Its name, with the set that it is of where the name does not tell."""
        return f"{self.name} ({self.set_name})" if self.is_twin else self.name


@dataclass(frozen=True, slots=True)
class LatentBoard:
    """All relations under a setup, with the other setups that have scores."""

    setup: Setup
    setups: tuple[Setup, ...]
    models: tuple[str, ...]
    rows: tuple[BoardRow, ...]

    @property
    def facts(self) -> int:
        """Facts to ask about, of all relations."""
        return sum(row.facts for row in self.rows)

    def numbers(self) -> list[int]:
        """Numbers of examples that there are scores for, all else as in the setup."""
        return sorted(
            {one.n for one in self.setups if replace(one, n=0) == replace(self.setup, n=0)}
        )

    def kinds(self) -> list[Setup]:
        """Setups that differ in more than the number of examples: of each the nearest to it."""
        found: dict[Setup, Setup] = {}
        for one in self.setups:
            kind = replace(one, n=0)
            other = found.get(kind)
            if other is None or abs(one.n - self.setup.n) < abs(other.n - self.setup.n):
                found[kind] = one
        return list(found.values())


@dataclass(frozen=True)
class RelationFacts:
    """Facts of a relation in some order; arrays are of shape (models, facts) or (facts,).

    `asked` is where there are log probabilities, `usable` where none is missing. `codes` are
    places in `CODE_ORDER` of the verdicts by questions, `NO_CODE` without answers.
    """

    relation: int
    models: tuple[str, ...]
    ids: npt.NDArray[np.int64]
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    asked: Bools
    usable: Bools
    correct: Bools
    ranks: npt.NDArray[np.integer]
    p_gold: npt.NDArray[np.float64]
    codes: npt.NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def differs(self) -> Bools:
        """Facts that some models know and others do not."""
        known, unknown = self.usable & self.correct, self.usable & ~self.correct
        return np.asarray(known.any(axis=0) & unknown.any(axis=0))

    def contradicts(self, model: int) -> Bools:
        """Facts on which questions and scores of a model say the opposite."""
        return find_contradicting(self.codes[model], self.usable[model], self.correct[model])

    def place(self, fact: int | None) -> int | None:
        """Where a fact (its id) stands."""
        found = np.flatnonzero(self.ids == (-1 if fact is None else fact))
        return int(found[0]) if found.size else None

    def arrange(self, order: npt.NDArray[np.intp]) -> "RelationFacts":
        """The same facts in another order."""
        places = order.tolist()
        return RelationFacts(
            self.relation,
            self.models,
            self.ids[order],
            tuple(self.subjects[at] for at in places),
            tuple(self.objects[at] for at in places),
            self.asked[:, order],
            self.usable[:, order],
            self.correct[:, order],
            self.ranks[:, order],
            self.p_gold[:, order],
            self.codes[:, order],
        )

    def sort_by(self, order: LatentOrder, model: str | None) -> "RelationFacts":
        """The facts in an order, by the scores of a model where it goes by one."""
        row = self.models.index(model) if model in self.models else None
        keys = self._keys(order, row)
        return self if keys is None else self.arrange(np.argsort(keys, kind="stable"))

    def _keys(self, order: LatentOrder, row: int | None) -> npt.NDArray[np.generic] | None:
        if order is LatentOrder.DIFFER:
            return np.where(self.differs, 0, np.where(self.asked.any(axis=0), 1, 2))
        if order is LatentOrder.SUBJECT:
            names = sorted({one.casefold() for one in self.subjects})
            places = {name: at for at, name in enumerate(names)}
            return np.array([places[one.casefold()] for one in self.subjects], np.intp)
        if row is None or order is LatentOrder.IMPORTED:
            return None
        if order is LatentOrder.METHODS:
            return ~self.contradicts(row)
        return np.where(self.usable[row], -self.p_gold[row], 1.0)


def setups_of(project: OpenProject) -> list[Setup]:
    """The setups under which there are scores.

    Responses alone stand beside scores of options under the same setup, whatever their number;
    where there are none they count for the usual number.
    """
    usual, found = Setup().options, read_setups(project)
    scored = {replace(one, options=RESPONSES) for one in found if one.options != RESPONSES}
    kept = [
        replace(one, options=usual) if one.options == RESPONSES else one
        for one in found
        if one.options != RESPONSES or one not in scored
    ]
    return list(dict.fromkeys(kept))


def nearest_setup(setups: Sequence[Setup], wanted: Setup) -> Setup:
    """The setup wanted if it has scores, else the one most like it that has some."""
    if not setups or wanted in setups:
        return wanted

    def distance(one: Setup) -> tuple[bool, bool, bool, bool, bool, bool, int]:
        return (
            one.form != wanted.form,
            one.inject != wanted.inject,
            one.options != wanted.options,
            one.order != wanted.order,
            one.seed != wanted.seed,
            one.tokens != wanted.tokens,
            abs(one.n - wanted.n),
        )

    return min(setups, key=distance)


def read_board(
    project: OpenProject,
    relations: Sequence[StoredRelation],
    setups: Sequence[Setup],
    setup: Setup,
    facts: ScoredFacts | None = None,
) -> LatentBoard:
    """What every model knows of these relations, which are `facts`, under a setup."""
    with read_transaction(project.connection):
        series = choose_series(project, setup).get(setup, [])
        found = read_counts(project, facts or facts_of(relations), setup, series)
    columns = (found.counted.T, found.failed.T, found.known.T)
    rows, named = [], Counter(one.name for one in relations)
    for one, *cells in zip(relations, *(part.tolist() for part in columns), strict=True):
        counts = tuple(KnownCount(*each) for each in zip(*cells, strict=True))
        scored = any(count.n or count.failed for count in counts)
        rows.append(_board_row(one, counts, setup, scored, named[one.name] > 1))
    return LatentBoard(setup, tuple(setups), found.models, tuple(rows))


def _board_row(
    one: StoredRelation,
    counts: tuple[KnownCount, ...],
    setup: Setup,
    scored: bool,
    is_twin: bool,
) -> BoardRow:
    relation, why = one.relation, ""
    if not scored:  # what has scores was ready; finding out takes long where facts are many
        found = readiness(relation, setup.n, setup.options, setup.seed)
        why = "" if found.ready else found.why or ""
    training = len(relation.split.training)
    return BoardRow(
        one.row.id,
        one.name,
        one.row.set_name,
        len(relation.triples) - training,
        training,
        len(relation.objects),
        counts,
        why,
        is_twin,
    )


def read_facts(
    project: OpenProject, relation: StoredRelation, setup: Setup, snapshot: Snapshot
) -> RelationFacts:
    """The facts of a relation that are asked about, or have scores, as imported."""
    with read_transaction(project.connection):
        series = choose_series(project, setup).get(setup, [])
        models = tuple(sorted({one.key.model for one in series}))
        ids = np.array(list(relation.names), np.int64)
        keys = [
            next(
                (
                    one.id
                    for one in series
                    if one.key.model == model and one.key.options == setup.options
                ),
                0,
            )
            for model in models
        ]
        most = int(ids.max(initial=0)) + 1
        parts = {
            part: db.option_score_arrays.load(project.connection, keys, part, most)[:, ids]
            for part in ("state", "rank", "p_gold")
        }
    state = parts["state"].astype(np.uint8)
    triples = [relation.relation.triples[name] for name in relation.names.values()]
    asked = (state & ScoreState.ASKED) != 0
    evaluated = np.array(
        [not relation.relation.split.is_training(one) for one in triples], np.bool_
    )
    found = RelationFacts(
        relation.row.id,
        models,
        ids,
        tuple(one.subject.strip() for one in triples),
        tuple(one.object.strip() for one in triples),
        asked,
        (state & ScoreState.USABLE) != 0,
        (state & ScoreState.CORRECT) != 0,
        parts["rank"].astype(np.int64),
        parts["p_gold"].astype(np.float64),
        _codes(snapshot, ids, models),
    )
    return found.arrange(np.flatnonzero(evaluated | asked.any(axis=0)))


def read_predictions(
    project: OpenProject, facts: RelationFacts, setup: Setup, model: str | None
) -> dict[int, str]:
    """What a model found most probable of each fact (by id), or said where it only went on.

    Of equally probable options another than the gold, then the first as text. Facts whose options
    have no texts are left out, as are those of lists longer than `MOST_PREDICTED`.
    """
    if model is None or len(facts) > MOST_PREDICTED:
        return {}
    connection, ids = project.connection, facts.ids.tolist()
    best: dict[int, list[int]] = {}
    with read_transaction(connection):
        series = [
            one
            for one in choose_series(project, setup).get(setup, [])
            if one.key.model == model and one.key.options in (setup.options, RESPONSES)
        ]
        found = _read_responses(project, series, ids)
        for one in (one for one in series if one.key.options == setup.options):
            stored = db.option_scores.scores_at(connection, one.id, ids)
            lists = {each.id: each for each in db.option_scores.lists_of(connection, stored)}
            for fact, score in stored.items():
                named = lists.get(score.option_list or 0)
                if named is None or named.texts is None or score.logprobs is None:
                    continue
                if is_usable(score.logprobs.tolist()):
                    places = np.flatnonzero(score.logprobs == score.logprobs.max()).tolist()
                    others = [at for at in places if at] or places
                    best[fact] = [named.texts[at] for at in others]
        numbers = {number for some in best.values() for number in some}
        texts = db.option_scores.texts_of(connection, numbers)
    return found | {fact: min(texts[number] for number in some) for fact, some in best.items()}


def _read_responses(
    project: OpenProject, series: Sequence[ScoreSeries], ids: Sequence[int]
) -> dict[int, str]:
    return {
        fact: score.response
        for one in series
        for fact, score in db.option_scores.scores_at(project.connection, one.id, ids).items()
        if score.response is not None
    }


def _codes(
    snapshot: Snapshot, ids: npt.NDArray[np.int64], models: Sequence[str]
) -> npt.NDArray[np.uint8]:
    """Verdicts of models by their questions, shape (models, facts)."""
    found = np.full((len(models), len(ids)), NO_CODE, np.uint8)
    places = np.searchsorted(snapshot.index.ids, ids)
    there = np.isin(ids, snapshot.index.ids)
    for row, model in enumerate(models):
        if model in snapshot.models:
            codes = snapshot.code_places(snapshot.models.index(model))
            found[row, there] = codes[places[there]]
    return found
