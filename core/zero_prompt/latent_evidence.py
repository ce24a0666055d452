"""What the tables of zero-prompt knowledge are made from: read when first needed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import db.input_forms
import db.model_rows
from core.project import OpenProject
from core.scoring.latent_verdicts import ZERO_PROMPT
from core.zero_prompt.place_scores import LongInput, read_inputs
from core.zero_prompt.score_matrix import LatentModel, ScoreMatrix, Setup
from core.zero_prompt.stored_relations import StoredRelation, choose_relations, read_relations
from core.zero_prompt.stored_scores import ScoredFacts, choose_series, facts_of, read_matrix
from db.connection import read_transaction


@dataclass(frozen=True, slots=True)
class ScoreChoice:
    """Which scores are meant: a setup, some models and relations (None: all), a set.

    `named` has the fields of the setup that were asked for, and not taken by default. With
    `twins` a relation that several sets have is meant in all of them: for lists of facts.
    """

    setup: Setup
    models: Sequence[str] | None = None
    relations: Sequence[str] | None = None
    set_name: str | None = None
    named: frozenset[str] = frozenset()
    twins: bool = False


class LatentEvidence:
    """The scores of a project under one choice; tables read of it what they need."""

    def __init__(self, project: OpenProject, choice: ScoreChoice) -> None:
        self.project = project
        self.choice = choice
        self._overlapping: dict[Setup, int] = {}

    @cached_property
    def relations(self) -> list[StoredRelation]:
        """The relations chosen, with their triples."""
        choice = self.choice
        chosen = choose_relations(
            self.project, choice.relations, choice.set_name, scored=True, twins=choice.twins
        )
        return read_relations(self.project, chosen)

    @cached_property
    def facts(self) -> ScoredFacts:
        """The facts that take part in them."""
        return facts_of(self.relations)

    @cached_property
    def scores(self) -> ScoreMatrix:
        """Scores under the setup."""
        return next(self.all_scores(()), self._empty)

    @property
    def _empty(self) -> ScoreMatrix:
        return read_matrix(self.project, self.facts, self.choice.setup, ())

    def all_scores(self, free: Sequence[str]) -> Iterator[ScoreMatrix]:
        """Scores under all setups that differ in these fields at most, by form, n and seed."""
        setup, models = self.choice.setup, self.choice.models
        with read_transaction(self.project.connection):
            facts = self.facts
            for one, series in choose_series(self.project, setup, models, free).items():
                found = read_matrix(self.project, facts, one, series)
                self._overlapping[one] = int(found.overlapping.sum())
                yield found

    @property
    def overlapping(self) -> int:
        """How many of the scores that were read so far are of options that hold each other."""
        return sum(self._overlapping.values())

    @cached_property
    def models(self) -> Mapping[str, LatentModel]:
        """What is known of models, by name."""
        known = db.model_rows.traits(self.project.connection)
        return {label: LatentModel(*traits) for label, traits in known.items()}

    @cached_property
    def kinds(self) -> Mapping[tuple[str, str], str]:
        """Kinds of forms by relation (empty: all others) and name."""
        stored = db.input_forms.read_forms(self.project.connection)
        return {("", ZERO_PROMPT): ZERO_PROMPT} | {
            (one.relation, one.name): one.kind for one in stored
        }

    def kind_of(self, relation: str, form: str) -> str | None:
        """What kind of form stands under a name for a relation."""
        return self.kinds.get((relation, form)) or self.kinds.get(("", form))

    @cached_property
    def inputs(self) -> list[LongInput]:
        """Long inputs of the relations and models chosen; of several lengths the longest.

        A length, a seed and an injection count if they were asked for, the seed also else.
        """
        setup, named = self.choice.setup, self.choice.named
        wanted = {one.row.id: one.name for one in self.relations}
        found: dict[tuple[str, str, str], tuple[int, LongInput]] = {}
        for key, one in read_inputs(self.project):
            fits = (
                key.relation in wanted
                and (self.choice.models is None or key.model in self.choice.models)
                and key.seed == setup.seed
                and ("n" not in named or key.examples == setup.n)
                and ("inject" not in named or key.inject == (setup.inject or ""))
            )
            place = (key.model, one.relation, key.inject)
            if fits and key.examples > found.get(place, (-1,))[0]:
                found[place] = (key.examples, one)
        return [one for _, one in found.values()]
