"""Single facts: what each model made of them under a setup, and the input that was sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import db.input_forms
import db.option_scores
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.latent_verdicts import ZERO_PROMPT
from core.zero_prompt.examples import Example, ExampleChoice, choose_examples, parse_injection
from core.zero_prompt.input_form import InputForm, input_text
from core.zero_prompt.latent_evidence import LatentEvidence
from core.zero_prompt.option_choice import options_of
from core.zero_prompt.relation import Relation
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.score_writer import read_options, texts_of
from core.zero_prompt.scores import MOST_MASS, OptionScores, score
from core.zero_prompt.stored_relations import relation_of
from core.zero_prompt.stored_scores import choose_series
from core.zero_prompt.training_split import Triple
from db.connection import read_transaction
from db.option_scores import OptionList, StoredScore


@dataclass(frozen=True, slots=True)
class FactScore:
    """A fact under a setup as a model scored it; `found` is None where it failed."""

    id: str
    model: str
    relation: str
    subject: str
    gold: str
    options: Sequence[str | None]
    found: OptionScores | None

    def as_json(self) -> dict[str, object]:
        """The fact as `zp-lke facts --json` gives it."""
        found = self.found
        return {
            "id": self.id,
            "model": self.model,
            "relation": self.relation,
            "subject": self.subject,
            "gold": self.gold,
            "failed": found is None,
            "correct": found and found.correct,
            "predicted": found and self.options[found.predicted],
            "rank": found and found.rank,
            "p_top": found and found.p_top,
            "p_gold": found and found.p_gold,
            "logprob_gold": found and found.logprob_gold,
            "mass": found and found.mass,
            "overlapping": found and found.mass > MOST_MASS,
        }


def fact_scores(evidence: LatentEvidence) -> Iterator[FactScore]:
    """Every fact that has log probabilities, model by model, in the order of relations."""
    project, choice = evidence.project, evidence.choice
    connection = project.connection
    with read_transaction(connection):
        facts = {
            fact: (one.relation, one.relation.triples[name])
            for one in evidence.relations
            for fact, name in one.names.items()
        }
        order = {fact: place for place, fact in enumerate(facts)}
        lists = {one.id: one for one in db.option_scores.lists_of(connection)}
        texts = db.option_scores.option_texts(connection)
        for series in choose_series(project, choice.setup, choice.models).values():
            for one in sorted(series, key=lambda one: one.key.model):
                scored = [
                    stored
                    for stored in db.option_scores.scores_of(connection, one.id)
                    if stored.logprobs is not None and stored.fact in facts
                ]
                for stored in sorted(scored, key=lambda stored: order[stored.fact]):
                    named = lists[stored.option_list or 0]
                    yield _fact_score(
                        one.key.model, *facts[stored.fact], stored, named, texts_of(named, texts)
                    )


def _fact_score(
    model: str,
    relation: Relation,
    triple: Triple,
    stored: StoredScore,
    named: OptionList,
    options: Sequence[str],
) -> FactScore:
    assert stored.logprobs is not None
    shown = [None] * len(options) if named.texts is None else options
    gold = triple.object.strip()
    return FactScore(
        triple.id,
        model,
        relation.name,
        triple.subject.strip(),
        gold,
        [gold, *shown[1:]] if named.texts is None else shown,
        score(options, stored.logprobs.tolist(), 0),
    )


def fact_score(project: OpenProject, fact_id: str, setup: Setup, model: str) -> dict[str, object]:
    """The options of a fact by their probability for a model, and how the model went on unasked.

    The most probable option is first; there are none where only the response test was made, and
    `response` is None where it was not. Raises `UsageError` where the model has no scores of it
    under the setup.
    """
    connection = project.connection
    found: dict[str, object] = {}
    response: str | None = None
    with read_transaction(connection):
        relation = relation_of(project, fact_id)
        fact = relation.facts[fact_id]
        for series in choose_series(project, setup, [model]).get(setup, ()):
            stored = db.option_scores.scores_at(connection, series.id, [fact]).get(fact)
            if stored is not None and stored.response is not None:
                response = stored.response
            if stored is not None and stored.logprobs is not None and not found:
                (named,) = (
                    one
                    for one in db.option_scores.lists_of(connection, [fact])
                    if one.id == stored.option_list
                )
                texts = texts_of(named, db.option_scores.option_texts(connection))
                triple = relation.relation.triples[fact_id]
                found = _by_probability(
                    _fact_score(model, relation.relation, triple, stored, named, texts)
                )
    if found or response is not None:
        unscored = {"id": fact_id, "model": model, "failed": False, "options": []}
        return {**(found or unscored), "response": response}
    raise UsageError(f"{model} has no scores of {fact_id} under this setup")


def _by_probability(one: FactScore) -> dict[str, object]:
    document = one.as_json()
    if one.found is None:
        return {**document, "options": []}
    p, gold = one.found.probabilities.tolist(), one.found.gold
    order = sorted(range(len(p)), key=lambda at: (-p[at], at == gold, one.options[at] or ""))
    options = [{"text": one.options[at], "p": p[at], "gold": at == gold} for at in order]
    return {**document, "options": options}


@dataclass(frozen=True, slots=True)
class FactInput:
    """The input of a fact under a setup, its examples, and its options (None: too few)."""

    id: str
    relation: str
    subject: str
    gold: str
    input: str
    examples: Sequence[Example]
    options: Sequence[str] | None

    def as_json(self) -> dict[str, object]:
        """The fact as `zp-lke show --json` gives it."""
        return {
            "id": self.id,
            "relation": self.relation,
            "subject": self.subject,
            "gold": self.gold,
            "input": self.input,
            "examples": [
                {"id": one.id, "subject": one.subject, "object": one.object, "kind": one.kind}
                for one in self.examples
            ],
            "options": None if self.options is None else list(self.options),
        }


def fact_input(project: OpenProject, fact_id: str, setup: Setup) -> FactInput:
    """What is sent for a fact under a setup. Options stay what they were when first asked.

    Raises `UsageError` for a fact that is no triple, and for a form that there is not.
    """
    with read_transaction(project.connection):
        stored = relation_of(project, fact_id)
        relation, triple = stored.relation, stored.relation.triples[fact_id]
        form = find_form(project, relation.name, setup.form)
        kept = read_options(project, stored.facts[fact_id], setup.options)
    examples = choose_examples(relation, triple.subject, example_choice(setup))
    return FactInput(
        fact_id,
        relation.name,
        triple.subject.strip(),
        triple.object.strip(),
        input_text(form, examples, triple.subject),
        examples,
        kept or options_of(relation, triple, setup.options),
    )


def example_choice(setup: Setup) -> ExampleChoice:
    """How examples are chosen under a setup."""
    injected = None if setup.inject is None else parse_injection(setup.inject)
    return ExampleChoice(setup.n, setup.seed, setup.order, injected)


def find_form(project: OpenProject, relation: str, name: str) -> InputForm:
    """The form of a name for a relation; raises `UsageError` where there is none."""
    if name == ZERO_PROMPT:
        return InputForm()
    stored = [one for one in db.input_forms.read_forms(project.connection) if one.name == name]
    fitting = [one for one in stored if one.relation in ("", relation)]
    if not fitting:
        raise UsageError(
            f"no form {name} for {relation}: `lostkeys import --format zp-templates` brings forms"
        )
    own = max(fitting, key=lambda one: bool(one.relation))
    return InputForm(own.name, own.template, own.inner, own.outer, own.kind, own.relation or None)
