"""Profiles of a project under a policy, as numbers for screens, tables and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import db.models
import db.profiles
from core.groups import Mask, groups
from core.names import TASKS, Strategy
from core.policy import Policy
from core.precedence import Rank
from core.profiles import (
    EXCLUDED_NAN,
    INCOMPLETE,
    VERDICTS,
    Summary,
    Verdicts,
    summarise,
    summarise_groups,
)
from core.project import Project
from core.states import grades
from core.tally import Tally
from db.connection import writing


@dataclass(frozen=True, slots=True)
class Profiles:
    """Every model's profiles over a subset of facts.

    `groups` has one entry a model where a breakdown was asked for.
    """

    policy: Policy
    ranks: tuple[Rank, ...]
    provisional: bool
    facts: Mask
    tally: Tally
    verdicts: Verdicts
    models: Mapping[str, Summary]
    groups: Mapping[str, Mapping[str, Summary]]

    def head(self) -> dict[str, object]:
        """The policy as `profiles --json` gives it."""
        partial = self.policy.strategy is Strategy.PARTIAL
        return {
            "tau": self.policy.tau,
            "strategy": self.policy.strategy,
            "weight": self.policy.weight if partial else None,
            "graders": [rank.name for rank in self.ranks],
            "provisional": self.provisional,
        }

    def as_json(self) -> dict[str, object]:
        """The document of `profiles --json`, without facts."""
        models = []
        for model, summary in self.models.items():
            document = {"model": model, **summary.as_json()}
            if self.groups:
                document["groups"] = {
                    name: {"model": model, **one.as_json()}
                    for name, one in self.groups[model].items()
                }
            models.append(document)
        return {**self.head(), "models": models}


def profiles(
    project: Project,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    by: str | None = None,
) -> Profiles:
    """Derive all profiles. Raises `UsageError` for an unknown model, grader, filter or group."""
    chosen = project.choose_models(models)
    ranks = project.ranks(policy)
    tally = project.tally(ranks, chosen)
    facts = project.facts(where, chosen, policy)
    verdicts = project.verdicts(tally, policy)
    masks = {name: mask & facts for name, mask in groups(project.index, by).items()} if by else {}
    masks = {name: mask for name, mask in masks.items() if mask.any()}
    return Profiles(
        policy,
        ranks,
        project.provisional(tally, facts),
        facts,
        tally,
        verdicts,
        dict(zip(chosen, summarise(verdicts, facts), strict=True)),
        {model: summarise_groups(verdicts, place, masks) for place, model in enumerate(chosen)}
        if by
        else {},
    )


@dataclass(frozen=True, slots=True)
class FactProfile:
    """One fact's verdict for one model; `profile` is None where thinking was not measured.

    E, K0 and KT are None where the fact is set aside, KT also without thinking. `grades` maps
    `task/off` and `task/on` to g, None where not gradable, for every cell with a label.
    """

    fact_id: str
    model: str
    profile: str | None
    e: bool | None
    k0: bool | None
    kt: bool | None
    grades: Mapping[str, float | None]

    def as_json(self) -> dict[str, object]:
        """One entry of `facts` in `profiles --per-fact --json`."""
        return {name: getattr(self, name) for name in self.__slots__}


def per_fact(project: Project, found: Profiles) -> list[FactProfile]:
    """Every selected fact's verdict, model by model in the order of the facts."""
    result: list[FactProfile] = []
    for place, model in enumerate(found.models):
        cells = _grades(found, place)
        result.extend(
            _fact_profile(project, found, place, model, int(fact), cells)
            for fact in np.flatnonzero(found.facts)
        )
    return result


def _grades(found: Profiles, place: int) -> list[tuple[str, list[bool], list[float | None]]]:
    """For every task and setting of a model: its name, which facts have labels, and their g."""
    cells = []
    for number, task in enumerate(TASKS):
        for thinking in (False, True):
            row = found.tally.rows[place, int(thinking)]
            if row < 0:
                continue
            counts = found.tally.labels[row, :, number]
            g = grades(counts, found.policy)
            values = [None if np.isnan(one) else float(one) for one in g]
            labelled = (counts.sum(axis=0) > 0).tolist()
            cells.append((f"{task}/{'on' if thinking else 'off'}", labelled, values))
    return cells


def _fact_profile(
    project: Project,
    found: Profiles,
    place: int,
    model: str,
    fact: int,
    cells: Sequence[tuple[str, Sequence[bool], Sequence[float | None]]],
) -> FactProfile:
    verdicts = found.verdicts
    verdict = int(verdicts.verdict[place, fact])
    aside = verdict in (INCOMPLETE, EXCLUDED_NAN)
    thinking = bool(verdicts.thinking[place])
    return FactProfile(
        project.index.fact_ids[fact],
        model,
        VERDICTS[verdict],
        None if aside else bool(verdicts.encodes[place, fact]),
        None if aside else bool(verdicts.knows[place, fact]),
        None if aside or not thinking else bool(verdicts.knows_thinking[place, fact]),
        {name: values[fact] for name, labelled, values in cells if labelled[fact]},
    )


def save(project: Project, found: Profiles, name: str) -> None:
    """Write these profiles into the database under a name, with their policy."""
    models = db.models.model_ids(project.connection)
    rows = [
        (models[one.model], one.fact_id, one.profile, one.e, one.k0, one.kt)
        for one in per_fact(project, found)
    ]
    with writing(project.connection):
        db.profiles.save(project.connection, name, found.head(), rows)
