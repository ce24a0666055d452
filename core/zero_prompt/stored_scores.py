"""Scores of a project: under which setups there are any, and as arrays for tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

import db.option_score_arrays
import db.option_scores
from core.errors import UsageError
from core.project import OpenProject
from core.zero_prompt.score_matrix import RelationSpans, ScoreMatrix, Setup
from core.zero_prompt.stored_relations import StoredRelation
from db.connection import read_transaction
from db.option_score_arrays import ScoreState
from db.option_scores import RESPONSE_TOKENS, RESPONSES, ScoreSeries, SeriesKey


def setup_of(key: SeriesKey) -> Setup:
    """The setup of a series."""
    inject = key.inject or None
    return Setup(key.form, key.examples, key.seed, key.order, inject, key.options, key.tokens)


def key_of_series(model: str, setup: Setup) -> SeriesKey:
    """How the file names a model under a setup."""
    return SeriesKey(
        model,
        setup.form,
        setup.n,
        setup.seed,
        setup.order,
        setup.inject or "",
        setup.options,
        setup.tokens,
    )


def choice_key(model: str, setup: Setup) -> SeriesKey:
    """The series of a model's scores of options, whatever number of tokens the setup names."""
    return replace(key_of_series(model, setup), tokens=RESPONSE_TOKENS)


def response_keys(model: str, setup: Setup) -> list[SeriesKey]:
    """Where responses under a setup are: in a series of their own, first.

    Files may bring those of the usual number of tokens beside scores of options.
    """
    alone = key_of_series(model, replace(setup, options=RESPONSES))
    return [alone, *([choice_key(model, setup)] if setup.tokens == RESPONSE_TOKENS else [])]


def read_setups(project: OpenProject) -> list[Setup]:
    """The setups under which there are scores; a number of options of 0 means responses alone."""
    found = {setup_of(one.key) for one in db.option_scores.read_series(project.connection)}
    return sorted(
        found,
        key=lambda one: (
            *(one.form, one.n, one.seed, one.order),
            *(one.inject or "", one.options, one.tokens),
        ),
    )


@dataclass(frozen=True)
class ScoredFacts:
    """The facts of some relations as columns: ids and names, and the place of each's relation."""

    relations: tuple[str, ...]
    ids: npt.NDArray[np.int64]
    names: list[str]
    relation_of: npt.NDArray[np.intp]


def facts_of(relations: Sequence[StoredRelation]) -> ScoredFacts:
    """The facts that take part in these relations, which are sorted by name."""
    ids = [fact for one in relations for fact in one.names]
    sizes = [len(one.names) for one in relations]
    return ScoredFacts(
        tuple(one.name for one in relations),
        np.array(ids, np.int64),
        [name for one in relations for name in one.names.values()],
        np.repeat(np.arange(len(relations)), sizes),
    )


def choose_series(
    project: OpenProject,
    wanted: Setup,
    models: Sequence[str] | None = None,
    free: Iterable[str] = (),
) -> dict[Setup, list[ScoreSeries]]:
    """ScoreSeries under a setup by their setups, in order; the fields that are `free` may differ.

    Those with responses alone count for every number of options. Raises `UsageError` for a model
    that has no scores at all.
    """
    every = db.option_scores.read_series(project.connection)
    known = sorted({one.key.model for one in every})
    for name in models or ():
        if name not in known:
            raise UsageError(
                f"no scores of a model named {name}: models are {', '.join(known) or 'none yet'}"
            )
    fixed = {"form", "n", "seed", "order", "inject"} - set(free)
    found: dict[Setup, list[ScoreSeries]] = {}
    for one in every:
        setup = setup_of(one.key)
        fits = all(getattr(setup, name) == getattr(wanted, name) for name in fixed)
        of_choice = (setup.options, setup.tokens) == (wanted.options, RESPONSE_TOKENS)
        of_responses = (setup.options, setup.tokens) == (RESPONSES, wanted.tokens)
        if fits and (of_choice or of_responses):
            here = replace(setup, options=wanted.options, tokens=wanted.tokens)
            if models is None or one.key.model in models:
                found.setdefault(here, []).append(one)
    return dict(sorted(found.items(), key=lambda item: (item[0].form, item[0].n, item[0].seed)))


def read_matrix(
    project: OpenProject, facts: ScoredFacts, setup: Setup, series: Iterable[ScoreSeries]
) -> ScoreMatrix:
    """The scores of these series, all of one setup, as arrays; a model has one row."""
    rows = list(series)
    models = tuple(sorted({one.key.model for one in rows}))
    scored = [_id_of(rows, model, setup.options) for model in models]
    answered = [_id_of(rows, model, RESPONSES) for model in models]
    most = int(facts.ids.max(initial=0)) + 1

    def read_part(keys: Sequence[int], part: str) -> npt.NDArray[np.generic]:
        return db.option_score_arrays.load(project.connection, keys, part, most)[:, facts.ids]

    with read_transaction(project.connection):
        state = read_part(scored, "state").astype(np.uint8)
        alone = read_part(answered, "state").astype(np.uint8)
        parts = {part: read_part(scored, part) for part in ("p_top", "p_gold", "mass", "options")}
    own = ((state & ScoreState.ANSWERED) != 0) & (setup.tokens == RESPONSE_TOKENS)
    responses = np.where(own, state, alone)
    return ScoreMatrix(
        setup,
        models,
        facts.relations,
        facts.relation_of,
        (state & ScoreState.ASKED) != 0,
        (state & ScoreState.USABLE) != 0,
        (state & ScoreState.CORRECT) != 0,
        parts["p_top"].astype(np.float64, copy=False),
        parts["p_gold"].astype(np.float64, copy=False),
        parts["mass"].astype(np.float64, copy=False),
        (responses & ScoreState.ANSWERED) != 0,
        (responses & ScoreState.RIGHT) != 0,
        parts["options"].astype(np.int64, copy=False),
    )


@dataclass(frozen=True)
class ScoreCounts:
    """Facts with a score, those that failed and those that are right, (models, relations) each."""

    models: tuple[str, ...]
    counted: npt.NDArray[np.int64]
    failed: npt.NDArray[np.int64]
    known: npt.NDArray[np.int64]


def read_counts(
    project: OpenProject, facts: ScoredFacts, setup: Setup, series: Iterable[ScoreSeries]
) -> ScoreCounts:
    """What `read_matrix` counts in each relation, of a byte a fact."""
    rows = list(series)
    models = tuple(sorted({one.key.model for one in rows}))
    scored = [_id_of(rows, model, setup.options) for model in models]
    most = int(facts.ids.max(initial=0)) + 1
    cells = db.option_score_arrays.load(project.connection, scored, "state", most)[:, facts.ids]
    state = cells.astype(np.uint8, copy=False)
    spans = RelationSpans.from_places(facts.relation_of, len(facts.relations))
    asked, usable = (state & ScoreState.ASKED) != 0, (state & ScoreState.USABLE) != 0
    right = usable & ((state & ScoreState.CORRECT) != 0)
    counted, failed, known = (spans.add(one, np.int64) for one in (usable, asked & ~usable, right))
    return ScoreCounts(models, counted, failed, known)


def _id_of(series: Iterable[ScoreSeries], model: str, options: int) -> int:
    """The series of a model with so many options; 0, which is none, where there is none."""
    return next(
        (one.id for one in series if one.key.model == model and one.key.options == options), 0
    )
