"""Two models compared under the present lens, or one under it and under a saved policy."""

from dataclasses import dataclass, replace

import numpy as np

from core.dataset.subsets import Mask
from core.results.model_comparison import FLOWS, ComparedSide, Comparison, common_answers, cross
from core.scoring.policy import Policy
from core.scoring.verdicts import Verdicts, judge
from core.views.lens import Lens
from core.views.profiles.profile_counts import Basis, ProfileCounts


@dataclass(frozen=True, slots=True)
class ComparisonTarget:
    """What the lens's model is compared with: another model, or itself under a saved policy."""

    model: str | None
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class CrossedProfiles:
    """A comparison with the names of its sides, of which the second may be a policy's."""

    a: str
    b: str
    against: ComparisonTarget
    found: Comparison

    @property
    def policies(self) -> bool:
        """Whether both sides are one model under two policies."""
        return self.against.policy is not None

    def with_tests(self, found: Comparison) -> "CrossedProfiles":
        """The same with another reading of the comparison."""
        return replace(self, found=found)


def list_others(material: ProfileCounts, lens: Lens, name: str | None) -> list[ComparisonTarget]:
    """All that the lens's model can be compared with; `name` is the lens's own policy's."""
    models = [ComparisonTarget(model) for model in material.models if model != lens.model]
    saved = [ComparisonTarget(None, policy) for policy in material.names if policy != name]
    return [*models, *saved]


def cross_profiles(
    material: ProfileCounts, lens: Lens, against: ComparisonTarget
) -> CrossedProfiles | None:
    """Both sides counted over the facts that are looked at; None where one is not there."""
    here = _side(material, material.now, lens.model, lens.policy)
    if here is None:
        return None
    if against.policy is None:
        other = against.model if against.model != lens.model else None
        there = _side(material, material.now, other, lens.policy)
    else:
        policy = material.names.get(against.policy)
        fits = policy is not None and material.beside and material.beside.graders == policy.graders
        basis = material.beside if fits else None
        there = None if policy is None else _side(material, basis, lens.model, policy)
    if there is None:
        return None
    found = cross(
        here, there, material.facts, material.index.fact_ids, _is_open(material, here, there)
    )
    return CrossedProfiles(here.model, against.policy or there.model, against, found)


def cell(found: Comparison, a: int, b: int) -> Mask:
    """The facts of a cell of the flow table, by its places in `FLOWS`."""
    facts = np.zeros(len(found.facts), np.bool_)
    facts[found.members(FLOWS[a], FLOWS[b])] = True
    return facts


def _side(
    material: ProfileCounts, basis: Basis | None, model: str | None, policy: Policy
) -> ComparedSide | None:
    if basis is None or model is None or model not in basis.tally.models:
        return None
    answers = common_answers(basis.tally, material.facts, basis.tally.models.index(model))
    verdicts = _verdicts(basis, model, policy)
    return ComparedSide(model, policy, basis.graders, None, verdicts, answers)


def _verdicts(basis: Basis, model: str, policy: Policy) -> Verdicts:
    """The verdicts of one model."""
    tally, place = basis.tally, basis.tally.models.index(model)
    skips = tally.find_skipping(policy)
    one = slice(place, place + 1)
    cells = basis.cells._replace(codes=basis.cells.codes[:, one])
    return judge(cells, tally.thinks()[one], policy, None if skips is None else skips[one])


def _is_open(material: ProfileCounts, *sides: ComparedSide) -> bool:
    """Whether labels or answers of a side are still to come."""
    places = [material.models.index(side.model) for side in sides]
    return bool((material.unsettled[places] & material.facts).any())
