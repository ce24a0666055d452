"""What can be started on a project: its facts, and the models that it knows how to ask."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import db.documents
import db.job_rows
import db.model_rows
import db.prepared_triples
import db.relations
from core.errors import LostkeysError, UsageError
from core.graders.grader_record import is_model, model_of
from core.project import OpenProject
from core.providers.capabilities import Capabilities
from core.providers.endpoints import AUTO, Endpoints
from core.providers.model_names import EMBEDDED, label_of, parse
from core.sampling.recipe import find_known
from core.settings.known_addresses import known_addresses
from core.specs.answer_specs import AnsweringSpec, ArmsSpec, GradingSpec, ScoringSpec
from core.specs.build_specs import BuildingSpec
from core.specs.stored_specs import from_json


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """A model that can be asked, and the label that its answers are kept under.

    `stranger`: its address came out of the file and is not known here, so that a person has to
    agree before anything is sent there.
    """

    model: str
    label: str
    stranger: bool = False


@dataclass(frozen=True, slots=True)
class StartOptions:
    """What there is to start with; `facts` counts those that are not rejected.

    `offers` are models that can be asked, `graders` those that have graded or were to grade.
    `sets` are names of sets of triples, `relations` their relations by set, sorted.
    `answered` are models and arms that have responses. `last_cost` is what the newest job that
    cost anything did, in US dollars; None without one.
    """

    facts: int = 0
    answers: int = 0
    documents: int = 0
    answered: tuple[str, ...] = ()
    offers: tuple[ModelOffer, ...] = ()
    graders: tuple[ModelOffer, ...] = ()
    sets: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    last_cost: float | None = None

    def relations_of(self, set_name: str) -> tuple[str, ...]:
        """The relations of a set, of all where none is named."""
        return tuple(name for inside, name in self.relations if set_name in ("", inside))


def read_options(project: OpenProject | None) -> StartOptions:
    """What can be started on the open database; on one that is not there only an import."""
    here = ModelOffer(EMBEDDED, EMBEDDED)
    if project is None:
        return StartOptions(offers=(here,))
    addresses = known_addresses()
    known = list(dict.fromkeys(_list_known(project, addresses)))
    offers = known if any(one.model == EMBEDDED for one in known) else [*known, here]
    named = db.relations.relations(project.connection)
    return StartOptions(
        facts=int((~project.index.rejected).sum()),
        answers=project.grids.count(0),
        answered=tuple(project.models(arms=True)),
        documents=db.documents.count(project.connection),
        offers=tuple(offers),
        graders=tuple(dict.fromkeys(_graders(project, addresses))),
        sets=tuple(sorted(db.prepared_triples.sets(project.connection))),
        relations=tuple(sorted((one.set_name, one.name) for one in named if one.name)),
        last_cost=_last_cost(project),
    )


def _last_cost(project: OpenProject) -> float | None:
    spent = db.job_rows.read_spends(project.connection)
    costs = (sum(one.cost or 0.0 for one in spent[job]) for job in sorted(spent, reverse=True))
    return next((cost for cost in costs if cost > 0), None)


def find_capabilities(
    project: OpenProject | None, offer: ModelOffer, asked: Endpoints = AUTO
) -> Capabilities | None:
    """How a model is asked under a label; None where that has still to be found out by trying.

    `asked` is what is said of the endpoints. Raises `UsageError` for one that there is not.
    """
    if project is None:
        return None
    return find_known(project.connection, offer.model, offer.label, asked)


def _list_known(project: OpenProject, addresses: Collection[str]) -> Iterator[ModelOffer]:
    """Models of the newest jobs first, then those whose answers are there."""
    for job in db.job_rows.list_jobs(project.connection):
        try:
            spec = from_json(job.spec)
        except LostkeysError:
            continue
        if isinstance(spec, AnsweringSpec | ArmsSpec | ScoringSpec):
            yield from _offer(spec.model, spec.label, addresses)
        if isinstance(spec, BuildingSpec) and spec.model is not None:
            yield from _offer(spec.model, label_of(spec.model), addresses)
    for label in project.models():
        recipe = db.model_rows.recipe_of(project.connection, label)
        if recipe is not None:
            yield from _offer(str(recipe.get("model")), label, addresses)


def _graders(project: OpenProject, addresses: Collection[str]) -> Iterator[ModelOffer]:
    """Models as graders: of the newest jobs first, then those whose labels are there."""
    names = [one.name for one in reversed(project.graders())]
    for job in reversed(db.job_rows.list_jobs(project.connection)):
        try:
            spec = from_json(job.spec)
        except LostkeysError:
            continue
        if isinstance(spec, AnsweringSpec | GradingSpec | ArmsSpec):
            names = [*spec.graders, *names]
    for name in filter(is_model, names):
        try:
            model = model_of(name)
        except UsageError:
            continue
        yield from _offer(model, model, addresses)


def _offer(model: str, label: str, addresses: Collection[str]) -> Iterator[ModelOffer]:
    try:
        name = parse(model)
    except UsageError:
        return
    yield ModelOffer(model, label, name.is_stranger(addresses))
