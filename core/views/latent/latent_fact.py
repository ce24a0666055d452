"""One fact where nobody asks: what is sent, and what each model makes of its options."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

import db.option_scores
from core.errors import LostkeysError
from core.project import OpenProject
from core.scoring.latent_verdicts import find_contradicting
from core.views.snapshot import Snapshot
from core.vocabulary import CODE_ORDER
from core.zero_prompt.examples import ExampleKind, choose_examples
from core.zero_prompt.fact_scores import example_choice, find_form
from core.zero_prompt.input_form import input_text
from core.zero_prompt.option_choice import count_options
from core.zero_prompt.response_check import holds_gold
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.score_writer import read_options, texts_of
from core.zero_prompt.scores import OptionScores, score
from core.zero_prompt.stored_relations import StoredRelation, explain_few
from core.zero_prompt.stored_scores import choose_series, response_keys, setup_of
from core.zero_prompt.training_split import Triple
from db.connection import read_transaction
from db.option_scores import ScoreSeries, StoredScore

SUBJECT = "subject"
"""The kind of the last part of an input."""


class ScoreStatus(StrEnum):
    """What has become of a fact under a setup."""

    SCORED = "scored"
    FAILED = "failed"
    UNSCORED = "unscored"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class InputPart:
    """A part of an input: an example with its `ExampleKind`, what parts two, the subject."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option by its probability among all; `text` is None where a file had none."""

    text: str | None
    p: float
    logprob: float
    is_gold: bool
    is_predicted: bool


@dataclass(frozen=True, slots=True)
class GoldRank:
    """How the gold fares under one setup for one model; `rank` None where that is not known."""

    model: str
    setup: Setup
    status: ScoreStatus
    options: int = 0
    rank: int | None = None
    p_gold: float | None = None
    predicted: str | None = None
    code: str = ""
    """The verdict by questions, empty without answers."""


@dataclass(frozen=True, slots=True)
class LatentFact:
    """A fact under a setup for a model.

    `parts` put together are the exact input; `altered` counts examples that are not as in the
    data. `numbers` is the gold by number of examples, `kinds` by form, seed and the like, `models`
    by model. `why` says why it is left out.
    """

    fact: int
    fact_id: str
    relation: str
    subject: str
    gold: str
    setup: Setup
    model: str | None
    status: ScoreStatus
    parts: tuple[InputPart, ...]
    examples: int
    altered: int
    options: tuple[OptionRow, ...] = ()
    rank: int | None = None
    p_gold: float | None = None
    mass: float | None = None
    code: str = ""
    why: str = ""
    response: str | None = None
    response_right: bool = False
    numbers: tuple[GoldRank, ...] = ()
    kinds: tuple[GoldRank, ...] = ()
    models: tuple[GoldRank, ...] = ()

    @property
    def input(self) -> str:
        """What is sent, to the letter."""
        return "".join(one.text for one in self.parts)

    @property
    def known(self) -> bool:
        """Whether the gold is the most probable."""
        return any(one.is_gold and one.is_predicted for one in self.options)

    @property
    def contradicts(self) -> bool:
        """Whether scores and verdict say the opposite."""
        if self.status is not ScoreStatus.SCORED or self.code not in CODE_ORDER:
            return False
        codes = np.array([CODE_ORDER.index(self.code)])
        return bool(find_contradicting(codes, np.array([True]), np.array([self.known]))[0])


def read_latent_fact(
    project: OpenProject,
    relation: StoredRelation,
    fact_id: str,
    setup: Setup,
    model: str | None,
    snapshot: Snapshot,
) -> LatentFact:
    """Everything about a fact (its name) of a relation. Raises `LostkeysError`."""
    triple, fact = relation.relation.triples[fact_id], relation.facts[fact_id]
    connection = project.connection
    with read_transaction(connection):
        every = [one for one in db.option_scores.read_series(connection) if one.key.options]
        reader = _ScoreReader(project, triple, fact, snapshot)
        mine = choose_series(project, setup).get(setup, [])
        stored = reader.find_score(mine, model, setup.options)
        parts, altered = input_parts(project, relation, triple, setup)
        shown = LatentFact(
            fact=fact,
            fact_id=fact_id,
            relation=relation.name,
            subject=triple.subject.strip(),
            gold=triple.object.strip(),
            setup=setup,
            model=model,
            status=ScoreStatus.UNSCORED,
            parts=parts,
            examples=sum(one.kind in list(ExampleKind) for one in parts),
            altered=altered,
            code=reader.code(model),
            numbers=tuple(reader.ranks(_select_beside(every, setup, model, ("n",)))),
            kinds=tuple(reader.ranks(_select_nearest(every, setup, model))),
            models=tuple(reader.ranks([one for one in mine if one.key.options])),
        )
        if stored is None or stored.logprobs is None:
            shown = _explain_unscored(project, relation, shown, triple, fact)
        else:
            shown = reader.add_options(shown, stored)
        return _with_response(shown, reader.response(mine, model, setup), triple)


def input_parts(
    project: OpenProject, relation: StoredRelation, triple: Triple, setup: Setup
) -> tuple[tuple[InputPart, ...], int]:
    """What is sent, in parts, and how many examples of it are altered."""
    form = find_form(project, relation.name, setup.form)
    examples = choose_examples(relation.relation, triple.subject, example_choice(setup))
    parts = []
    for one in examples:
        text = f"{form.about(one.subject)}{form.inner}{one.object}"
        parts += [InputPart(text, one.kind), InputPart(form.outer, "")]
    subject = InputPart(input_text(form, [], triple.subject), SUBJECT)
    altered = sum(one.kind is not ExampleKind.CLEAN for one in examples)
    return (*parts, subject), altered


def _explain_unscored(
    project: OpenProject, relation: StoredRelation, shown: LatentFact, triple: Triple, fact: int
) -> LatentFact:
    """A fact without scores: still to come, or left out, and why."""
    setup = shown.setup
    if shown.examples < setup.n:
        why = explain_few(shown.examples)
        return replace(shown, status=ScoreStatus.LEFT_OUT, why=why)
    if read_options(project, fact, setup.options) is None:
        there = count_options(relation.relation, triple)
        if there < setup.options:
            why = f"{there:,} options of {setup.options:,}: --options {there} would do"
            return replace(shown, status=ScoreStatus.LEFT_OUT, why=why)
    return shown


def _with_response(shown: LatentFact, text: str | None, triple: Triple) -> LatentFact:
    if text is None:
        return shown
    right = holds_gold(text, (triple.object, *triple.aliases))
    return replace(shown, response=text, response_right=right)


def _select_beside(
    every: Sequence[ScoreSeries], setup: Setup, model: str | None, free: Sequence[str]
) -> list[ScoreSeries]:
    """Series of a model that differ from a setup in these fields at most, by them."""
    same = {name: getattr(setup, name) for name in free}
    found = [
        one
        for one in every
        if one.key.model == model
        and replace(setup_of(one.key), **same, tokens=setup.tokens) == setup
    ]
    return sorted(found, key=lambda one: [getattr(setup_of(one.key), name) for name in free])


def _select_nearest(
    every: Sequence[ScoreSeries], setup: Setup, model: str | None
) -> list[ScoreSeries]:
    """Of each form the series of a model with its nearest number of examples."""
    found: dict[str, ScoreSeries] = {}
    same = {"order": setup.order, "inject": setup.inject, "seed": setup.seed}
    for one in every:
        key = setup_of(one.key)
        if one.key.model != model or key.options != setup.options:
            continue
        if any(getattr(key, name) != value for name, value in same.items()):
            continue
        other = found.get(key.form)
        if other is None or abs(key.n - setup.n) < abs(other.key.examples - setup.n):
            found[key.form] = one
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _ScoreReader:
    """Scores of one fact, read in one reading of the file."""

    project: OpenProject
    triple: Triple
    fact: int
    snapshot: Snapshot

    def find_score(
        self, series: Sequence[ScoreSeries], model: str | None, options: int
    ) -> StoredScore | None:
        """What a model has of the fact."""
        for one in series:
            if one.key.model == model and one.key.options == options:
                return self._score_at(one)
        return None

    def response(
        self, series: Sequence[ScoreSeries], model: str | None, setup: Setup
    ) -> str | None:
        """What a model went on with under a setup, beside scores of options or alone."""
        by_key = {one.key: one for one in series}
        for key in reversed(response_keys(model or "", setup)):
            found = self._score_at(by_key[key]) if key in by_key else None
            if found is not None and found.response is not None:
                return found.response
        return None

    def _score_at(self, series: ScoreSeries) -> StoredScore | None:
        connection = self.project.connection
        return db.option_scores.scores_at(connection, series.id, [self.fact]).get(self.fact)

    def code(self, model: str | None) -> str:
        """The verdict by questions; empty where the model has none."""
        place = self.snapshot.place(self.fact)
        if place is None or model not in self.snapshot.models:
            return ""
        return self.snapshot.code(place, self.snapshot.models.index(model or ""))

    def ranks(self, series: Sequence[ScoreSeries]) -> Iterator[GoldRank]:
        """How the gold fares in each of these."""
        for one in series:
            blank = GoldRank(one.key.model, setup_of(one.key), ScoreStatus.UNSCORED)
            blank = replace(blank, code=self.code(one.key.model))
            stored = self._score_at(one)
            if stored is None or stored.logprobs is None:
                yield blank
                continue
            texts, found = self._read_options(stored)
            if found is None:
                yield replace(blank, status=ScoreStatus.FAILED)
                continue
            yield replace(
                blank,
                status=ScoreStatus.SCORED,
                options=len(texts),
                rank=found.rank,
                p_gold=found.p_gold,
                predicted=texts[found.predicted],
            )

    def _read_options(self, stored: StoredScore) -> tuple[list[str | None], OptionScores | None]:
        """Options as they are shown, and what their log probabilities come to."""
        connection = self.project.connection
        assert stored.logprobs is not None
        (named,) = (
            one
            for one in db.option_scores.lists_of(connection, [self.fact])
            if one.id == stored.option_list
        )
        texts = texts_of(named, db.option_scores.texts_of(connection, named.texts or ()))
        shown: list[str | None] = [None] * len(texts) if named.texts is None else list(texts)
        shown[0] = self.triple.object.strip() if named.texts is None else texts[0]
        return shown, score(texts, stored.logprobs.tolist(), 0)

    def add_options(self, shown: LatentFact, stored: StoredScore) -> LatentFact:
        """A fact with its options, the most probable first; of equals the gold stands last."""
        texts, found = self._read_options(stored)
        if found is None:
            return replace(shown, status=ScoreStatus.FAILED)
        assert stored.logprobs is not None
        p = found.probabilities.tolist()
        order = sorted(
            range(len(p)), key=lambda at: (at != found.predicted, -p[at], at == 0, texts[at] or "")
        )
        rows = tuple(
            OptionRow(texts[at], p[at], float(stored.logprobs[at]), at == 0, at == found.predicted)
            for at in order
        )
        return replace(
            shown,
            status=ScoreStatus.SCORED,
            options=rows,
            rank=found.rank,
            p_gold=found.p_gold,
            mass=found.mass,
        )


def check_fact(relation: StoredRelation, fact: int) -> str:
    """The name of a fact (its id). Raises `LostkeysError` where the relation has it no more."""
    found = relation.names.get(fact)
    if found is None:
        raise LostkeysError("the fact takes part no more: it was rejected, or taken out")
    return found
