"""What a run scores: facts of relations under setups, and what of them is left out, and why.

Nothing is asked before all of it is known. Source: ZP-LKE, sections 3 and 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

import db.option_score_arrays
import db.option_scores
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.specs.answer_specs import ScoringSpec
from core.zero_prompt.examples import ExampleChoice, candidates, parse_injection, places_of
from core.zero_prompt.fact_scores import example_choice, find_form
from core.zero_prompt.input_form import InputForm
from core.zero_prompt.option_choice import count_options
from core.zero_prompt.place_scores import missing_places
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.stored_relations import StoredRelation, choose_relations, read_relations
from core.zero_prompt.stored_scores import choice_key, response_keys
from core.zero_prompt.training_split import Triple
from db.connection import read_transaction
from db.long_inputs import LongInputKey
from db.option_score_arrays import ScoreState

CHOICE, RESPONSE, POSITIONS = "choice", "response", "positions"
"""The tests: the most probable of options, the object in what a model goes on with, and the
object at each place of one long input."""


@dataclass(frozen=True)
class ScorePart:
    """One relation under one setup in one test: of `things` facts or places `left` are asked.

    `missing` are these facts.
    """

    test: str
    setup: Setup
    relation: StoredRelation
    form: InputForm
    things: int
    left: int
    missing: tuple[Triple, ...] = ()

    @property
    def examples(self) -> ExampleChoice:
        """How examples are chosen."""
        return example_choice(self.setup)


@dataclass(frozen=True)
class ScorePlan:
    """The parts of a run in the order in which they are asked, and why others are none."""

    label: str
    parts: tuple[ScorePart, ...]
    left_out: tuple[str, ...]

    def count(self, test: str) -> tuple[int, int]:
        """Facts (or places) of a test that are to be asked, and those that are there."""
        parts = [one for one in self.parts if one.test == test]
        left = sum(one.left for one in parts)
        return left, sum(one.things for one in parts) - left

    @property
    def tests(self) -> list[str]:
        """The tests that have parts."""
        return list(dict.fromkeys(one.test for one in self.parts))


def setups_of(spec: ScoringSpec) -> Iterator[Setup]:
    """The setups that a run names: every number of examples with every seed, and so on.

    Those that differ in the number of examples alone follow each other, so that what is cached of
    a relation serves the next. Raises `UsageError` for an injection that is none.
    """
    injects = [None if one is None else str(parse_injection(one)) for one in spec.injects]
    for form, seed, order, inject, n in product(
        spec.forms, spec.seeds, spec.orders, injects, spec.examples
    ):
        if inject is not None and parse_injection(inject).count > n:
            raise UsageError(f"--inject {inject} alters more than the {n} examples of an input")
        yield Setup(form, n, seed, order, inject, spec.options, spec.tokens)


def plan_scores(project: OpenProject, spec: ScoringSpec) -> ScorePlan:
    """What a run is to ask. Raises `UsageError` for relations, forms and filters there are not."""
    with read_transaction(project.connection):
        chosen = choose_relations(project, spec.relations, spec.set_name)
        relations = read_relations(project, chosen)
        setups = list(setups_of(spec))
        wanted = _select_wanted(project, spec)
        counts = {
            triple.id: count_options(one.relation, triple)
            for one in relations
            for triple in one.relation.split.evaluation
            if CHOICE in spec.tests
        }
        found: list[ScorePart] = []
        left_out: dict[str, None] = {}
        for relation in relations:
            facts = _facts(relation, spec, wanted)
            for setup, test in product(setups, spec.tests):
                form = find_form(project, relation.name, setup.form)
                kept, why = _select_askable(relation, facts, setup, test, counts)
                left_out.update(dict.fromkeys(why))
                if kept and test == POSITIONS:
                    left = len(missing_places(project, place_key(spec.label, relation, setup)))
                    found.append(ScorePart(test, setup, relation, form, setup.n, left))
                elif kept:
                    missing = _find_missing(project, spec.label, setup, test, relation, kept)
                    sizes = len(kept), len(missing)
                    found.append(ScorePart(test, setup, relation, form, *sizes, missing))
    return ScorePlan(spec.label, tuple(found), tuple(left_out))


def _select_wanted(project: OpenProject, spec: ScoringSpec) -> frozenset[str] | None:
    """Names of the facts that a filter selects; None without one."""
    if not spec.where:
        return None
    mask = project.facts(spec.where, project.models(), Policy())
    return frozenset(project.index.fact_ids[at] for at in np.flatnonzero(mask))


def _facts(
    relation: StoredRelation, spec: ScoringSpec, wanted: frozenset[str] | None
) -> list[Triple]:
    """The facts of a relation that are asked about: the first so many of those that fit."""
    found = [
        one for one in relation.relation.split.evaluation if wanted is None or one.id in wanted
    ]
    return found[: spec.first]


def _select_askable(
    relation: StoredRelation,
    facts: Sequence[Triple],
    setup: Setup,
    test: str,
    counts: dict[str, int],
) -> tuple[tuple[Triple, ...], list[str]]:
    """The facts that can be asked under a setup, and lines about the others."""
    name = relation.name
    if test == POSITIONS:
        there = len(places_of(relation.relation, ExampleChoice(setup.n, setup.seed)))
        if there < setup.n:
            return (), [
                f"{name}: {there:,} subjects for {setup.n:,} places: --length {there} would do"
            ]
        return tuple(relation.relation.triples.values()), []
    if not facts:
        return (), [f"{name}: no fact to ask about"]
    subjects = len(candidates(relation.relation, setup.seed))
    if subjects < setup.n:
        return (), [
            f"{name}: {subjects:,} subjects for {setup.n:,} examples: --examples {subjects} "
            "would do"
        ]
    if test != CHOICE:
        return tuple(facts), []
    kept = tuple(one for one in facts if counts[one.id] >= setup.options)
    if len(kept) == len(facts):
        return kept, []
    least, most = (pick(counts[one.id] for one in facts) for pick in (min, max))
    short = len(facts) - len(kept)
    return kept, [
        f"{name}: {short:,} of {len(facts):,} facts have fewer than {setup.options:,} options: "
        f"--options {least if kept else most} would do"
    ]


def place_key(label: str, relation: StoredRelation, setup: Setup) -> LongInputKey:
    """How the file names the long input of a relation under a setup."""
    return LongInputKey(label, relation.row.id, setup.n, setup.seed, setup.inject or "")


def _find_missing(
    project: OpenProject,
    label: str,
    setup: Setup,
    test: str,
    relation: StoredRelation,
    facts: Sequence[Triple],
) -> tuple[Triple, ...]:
    """Those of these facts that have no usable scores of a label, or no response."""
    keys = [choice_key(label, setup)] if test == CHOICE else response_keys(label, setup)
    ids = {one.key: one.id for one in db.option_scores.read_series(project.connection)}
    places = np.array([relation.facts[one.id] for one in facts], np.int64)
    wanted = ScoreState.USABLE if test == CHOICE else ScoreState.ANSWERED
    there = np.zeros(len(facts), np.bool_)
    for key in keys:
        if key in ids:
            most = int(places.max()) + 1
            state = db.option_score_arrays.load(project.connection, [ids[key]], "state", most)[
                0, places
            ]
            there |= (state.astype(np.uint8) & wanted) != 0
    return tuple(one for one, known in zip(facts, there.tolist(), strict=True) if not known)
