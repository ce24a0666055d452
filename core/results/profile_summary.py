"""Profiles of a project under a policy, as numbers for screens, tables and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, sqrt

import numpy as np
import numpy.typing as npt

import db.model_rows
import db.saved_profiles
from core.dataset.subsets import Mask, groups
from core.project import OpenProject
from core.results import saved_policies
from core.results.count_source import CountSource
from core.results.pass_chances import Chances, redrawn_chances
from core.results.share_intervals import RATES, Sureness, rates_of, sureness
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.precedence import Rank
from core.scoring.question_states import grades
from core.scoring.verdicts import (
    CELLS,
    EXCLUDED_NAN,
    INCOMPLETE,
    NO_PROFILE,
    VERDICT_BY_BITS,
    VERDICTS,
    ProfileSummary,
    Verdicts,
    summarise,
    summarise_groups,
)
from core.stats.fact_shares import RECORDED, FactShare
from core.vocabulary import ENCODING, PROFILES, TASK_INDEX, TASKS, Strategy
from db.connection import write_transaction

# How likely a fact is to have the same profile if all its answers were drawn again.
#
# Questions are drawn for themselves, so the chances of E, K0 and KT multiply out of those of
# questions (`pass_chances.py`); nothing is simulated.


@dataclass(frozen=True, slots=True)
class RedrawChances:
    """How likely E, K0 and KT of each fact (facts,) are to hold if its answers were drawn again.

    Each is a pair: in one redraw, and in both of two redraws from the same chances. `thinking` is
    None where it was not measured. `open` marks facts of which draws are left to come.
    """

    encodes: tuple[Chances, Chances]
    knows: tuple[Chances, Chances]
    thinking: tuple[Chances, Chances] | None
    open: npt.NDArray[np.bool_]


def read_redraws(
    tally: LabelCounts, verdicts: Verdicts, policy: Policy, place: int
) -> RedrawChances:
    """The chances of one model, by its place."""
    facts = tally.exists.shape[1]
    none_passes, all_pass, all_on = (np.ones((2, facts)) for _ in range(3))
    open_ = np.zeros(facts, np.bool_)
    left = tally.count_left()
    for task, on in CELLS:
        row = tally.rows[place, int(on)]
        if row < 0:
            continue
        counts = tally.labels[row, :, TASK_INDEX[task]].astype(np.int64)
        once, both, gradable = redrawn_chances(counts, policy)
        if left is not None:
            open_ |= left[row, TASK_INDEX[task]] > 0
        if task in ENCODING:
            neither = np.stack([1 - once, 1 - 2 * once + both])
            none_passes *= np.where(gradable, neither, 1.0)
        else:
            passes = all_on if on else all_pass
            passes *= np.where(gradable, np.stack([once, both]), 1.0)
    encodes = 1 - none_passes[0], 1 - 2 * none_passes[0] + none_passes[1]
    thinking = (all_on[0], all_on[1]) if verdicts.thinking[place] else None
    return RedrawChances(encodes, (all_pass[0], all_pass[1]), thinking, open_)


def chances_of_same(tally: LabelCounts, verdicts: Verdicts, policy: Policy, place: int) -> Chances:
    """The chance of each fact (facts,) to have its verdict again with one model, by its place.

    NaN for facts that are incomplete or not gradable, and where draws are left to come.
    """
    redraws = read_redraws(tally, verdicts, policy, place)
    on = None if redraws.thinking is None else redraws.thinking[0]
    found = _own_verdict_chances(verdicts, place, redraws.encodes[0], redraws.knows[0], on)
    verdict = verdicts.verdict[place]
    found[(verdict == INCOMPLETE) | (verdict == EXCLUDED_NAN) | redraws.open] = np.nan
    return found


def _own_verdict_chances(
    verdicts: Verdicts, place: int, encodes: Chances, knows: Chances, on: Chances | None
) -> Chances:
    """The chance of each fact's own verdict; without thinking of its own E and K0."""
    if on is None:
        e, k = verdicts.encodes[place], verdicts.knows[place]
        return np.where(e, encodes, 1 - encodes) * np.where(k, knows, 1 - knows)
    found = np.zeros(encodes.size)
    for bits, verdict in enumerate(VERDICT_BY_BITS.tolist()):
        e, k, t = bits & 4, bits & 2, bits & 1
        chance = (
            (encodes if e else 1 - encodes) * (knows if k else 1 - knows) * (on if t else 1 - on)
        )
        found += np.where(verdicts.verdict[place] == verdict, chance, 0.0)
    return found


# How far a model's numbers would move if all its answers were drawn again, of the same facts.
#
# Two redraws from the same chances differ; half the mean of their squared differences is the
# variance that draws alone bring. Facts are drawn for themselves, so it is a sum over facts, and
# nothing is simulated: a number is taken for linear in what facts add to it.

Pairs = npt.NDArray[np.float64]


def measure_redraws(
    tally: LabelCounts, verdicts: Verdicts, policy: Policy, place: int, facts: Mask
) -> dict[str, float | None]:
    """The standard deviation of each number of one model over some facts, by redraws alone.

    None where a number has nothing to divide by, and for all where draws are left to come.
    """
    rates = rates_of(verdicts, place)
    verdict = verdicts.verdict[place]
    mine = facts & (verdict != INCOMPLETE) & (verdict != EXCLUDED_NAN)
    redraws = read_redraws(tally, verdicts, policy, place)
    if (redraws.open & mine).any():
        return dict.fromkeys(rates)
    pairs = _state_pairs(redraws)[..., mine].sum(axis=-1)
    outcomes = _outcomes(bool(verdicts.thinking[place]))
    return {name: _spread(pairs, rate, outcomes[name], facts) for name, rate in rates.items()}


def _spread(pairs: Pairs, rate: FactShare, outcome: FactShare, facts: Mask) -> float | None:
    hits, base = int((rate.hits & facts).sum()), int((rate.base & facts).sum())
    if not base:
        return None
    worth = outcome.hits.astype(np.float64) - hits / base * outcome.base
    change = (worth[:, None] - worth[None, :]) ** 2
    return sqrt(float((pairs * change).sum()) / 2) / base


def _state_pairs(redraws: RedrawChances) -> Pairs:
    """How likely a fact is in one state, then in another: (8, 8, facts), by 4 E + 2 K0 + KT."""
    never = np.zeros_like(redraws.encodes[0])
    found = np.ones((1, 1, never.size))
    for once, both in (redraws.encodes, redraws.knows, redraws.thinking or (never, never)):
        bit = np.array([[1 - 2 * once + both, once - both], [once - both, both]])
        size = 2 * len(found)
        found = np.einsum("abf,cdf->acbdf", found, bit).reshape(size, size, -1)
    return found


def _outcomes(thinking: bool) -> dict[str, FactShare]:
    """What a fact in each of the eight states adds to each number."""
    bits = np.arange(8)
    encodes, knows, on = ((bits & bit > 0)[None] for bit in (4, 2, 1))
    verdict = VERDICT_BY_BITS if thinking else np.full(8, NO_PROFILE, np.uint8)
    return rates_of(Verdicts(verdict[None], encodes, knows, on, np.array([thinking])), 0)


@dataclass(frozen=True, slots=True)
class DerivedProfiles:
    """Every model's profiles over a subset of facts.

    `groups` has one entry a model where a breakdown was asked for. `name` is that of the saved
    policy that this is, None if it is not saved. `sure` and `sure_groups` have intervals by
    model where they were asked for, `redraws` how far numbers would move if drawn again.
    """

    policy: Policy
    ranks: tuple[Rank, ...]
    provisional: bool
    facts: Mask
    tally: LabelCounts
    verdicts: Verdicts
    models: Mapping[str, ProfileSummary]
    groups: Mapping[str, Mapping[str, ProfileSummary]]
    name: str | None = None
    sure: Mapping[str, Sureness] = field(default_factory=dict)
    sure_groups: Mapping[str, Mapping[str, Sureness]] = field(default_factory=dict)
    redraws: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)

    def head(self) -> dict[str, object]:
        """The policy as `profiles --json` gives it."""
        partial = self.policy.strategy is Strategy.PARTIAL
        return {
            "policy": self.name,
            "tau": self.policy.tau,
            "strategy": self.policy.strategy,
            "weight": self.policy.weight if partial else None,
            "graders": [rank.name for rank in self.ranks],
            "provisional": self.provisional,
            **(RECORDED if self.sure else {}),
        }

    def as_json(self) -> dict[str, object]:
        """The document of `profiles --json`, without facts."""
        models = []
        for model, summary in self.models.items():
            document = _document(model, summary, self.sure.get(model))
            if model in self.redraws:
                document["redraw"] = _redraw_document(self.redraws[model])
            if self.groups:
                sure = self.sure_groups.get(model, {})
                document["groups"] = {
                    name: _document(model, one, sure.get(name))
                    for name, one in self.groups[model].items()
                }
            models.append(document)
        return {**self.head(), "models": models}


def _document(model: str, summary: ProfileSummary, sure: Sureness | None) -> dict[str, object]:
    intervals = {} if sure is None else {"intervals": sure.as_json()}
    return {"model": model, **summary.as_json(), **intervals}


def _redraw_document(redraws: Mapping[str, float | None]) -> dict[str, object]:
    """Standard deviations under the keys of a summary."""
    profiled = str(PROFILES[0]) in redraws
    shares = {str(profile): redraws[profile] for profile in PROFILES} if profiled else None
    return {"shares": shares, **{name: redraws.get(name) for name in RATES}}


def profiles(
    project: OpenProject,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    by: str | None = None,
    intervals: bool = False,
) -> DerivedProfiles:
    """Derive all profiles. Raises `UsageError` for an unknown model, grader, filter or group."""
    chosen = project.choose_models(models)
    tally = project.tally(project.ranks(policy), chosen)
    facts = project.facts(where, chosen, policy)
    found = derive(project, policy, tally, facts, by, intervals)
    return replace(found, name=saved_policies.name_of(project, policy))


def derive(
    source: CountSource,
    policy: Policy,
    tally: LabelCounts,
    facts: Mask,
    by: str | None = None,
    intervals: bool = False,
) -> DerivedProfiles:
    """The profiles of the models of a tally, over some facts."""
    verdicts = source.verdicts(tally, policy)
    masks = {name: mask & facts for name, mask in groups(source.index, by).items()} if by else {}
    masks = {name: mask for name, mask in masks.items() if mask.any()}
    found = DerivedProfiles(
        policy,
        source.ranks(policy),
        source.is_provisional(tally, facts),
        facts,
        tally,
        verdicts,
        dict(zip(tally.models, summarise(verdicts, facts), strict=True)),
        {
            model: summarise_groups(verdicts, place, masks)
            for place, model in enumerate(tally.models)
        }
        if by
        else {},
    )
    return _with_intervals(found, masks) if intervals else found


def _with_intervals(found: DerivedProfiles, masks: Mapping[str, Mask]) -> DerivedProfiles:
    sure = sureness(found.verdicts, [found.facts, *masks.values()])
    by_model = dict(zip(found.models, sure, strict=True))
    return replace(
        found,
        sure={model: whole for model, (whole, *_) in by_model.items()},
        sure_groups={
            model: dict(zip(masks, parts, strict=True)) for model, (_, *parts) in by_model.items()
        },
        redraws={
            model: measure_redraws(found.tally, found.verdicts, found.policy, place, found.facts)
            for place, model in enumerate(found.tally.models)
        },
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
    again: float | None = None
    """The chance of the same verdict if all answers were drawn again, where that was asked for."""

    def as_json(self, again: bool = False) -> dict[str, object]:
        """One entry of `facts` in `profiles --per-fact --json`; `again` with `--intervals`."""
        names = [name for name in self.__slots__ if again or name != "again"]
        return {name: getattr(self, name) for name in names}


def list_fact_profiles(
    source: CountSource, found: DerivedProfiles, again: bool = False
) -> list[FactProfile]:
    """Every selected fact's verdict, model by model in the order of the facts.

    With `again` also the chance of the same verdict if its answers were drawn once more.
    """
    result: list[FactProfile] = []
    for place, model in enumerate(found.models):
        cells = _grades(found, place)
        rows = [
            _fact_profile(source, found, place, model, int(fact), cells)
            for fact in np.flatnonzero(found.facts)
        ]
        if again:
            every = chances_of_same(found.tally, found.verdicts, found.policy, place)
            chances = every[found.facts].tolist()
            rows = [
                replace(row, again=None if isnan(chance) else chance)
                for row, chance in zip(rows, chances, strict=True)
            ]
        result.extend(rows)
    return result


def _grades(found: DerivedProfiles, place: int) -> list[tuple[str, list[bool], list[float | None]]]:
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
    source: CountSource,
    found: DerivedProfiles,
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
        source.index.fact_ids[fact],
        model,
        VERDICTS[verdict],
        None if aside else bool(verdicts.encodes[place, fact]),
        None if aside else bool(verdicts.knows[place, fact]),
        None if aside or not thinking else bool(verdicts.knows_thinking[place, fact]),
        {name: values[fact] for name, labelled, values in cells if labelled[fact]},
    )


def save(project: OpenProject, found: DerivedProfiles, name: str) -> DerivedProfiles:
    """Write these profiles into the database under a name, with their policy; gives them named.

    Raises `UsageError` for a name that cannot be one.
    """
    checked = saved_policies.check_name(name)
    policy = {**saved_policies.document(project, found.policy), "provisional": found.provisional}
    models = db.model_rows.model_ids(project.connection)
    rows = [
        (models[one.model], one.fact_id, one.profile, one.e, one.k0, one.kt)
        for one in list_fact_profiles(project, found)
    ]
    with write_transaction(project.connection):
        db.saved_profiles.save(project.connection, checked, policy, rows)
    return replace(found, name=checked)
