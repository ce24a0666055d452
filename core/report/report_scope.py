"""What a report is about: a project under a policy, for these models and facts."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import db.answer_counts
from core.project import OpenProject
from core.results.profile_summary import DerivedProfiles, profiles
from core.scoring.policy import Policy
from core.zero_prompt.stored_relations import check_set
from db.answer_counts import StoredRecipe


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Profiles under the policy, and what is known of how the models were asked."""

    project: OpenProject
    policy: Policy
    where: str | None
    said: str | None
    """The filter as it is shown."""
    intervals: bool
    found: DerivedProfiles
    recipes: Mapping[str, StoredRecipe]
    settings: Mapping[tuple[str, bool], int]
    named: list[str] | None = None
    """The models that were asked for; None: all, those of scores alone among them."""
    set_name: str | None = None
    """The set of triples of figures of these."""

    @property
    def models(self) -> list[str]:
        """The models shown."""
        return list(self.found.models)

    def count_drawn(self, model: str, thinking: bool) -> int | None:
        """How many answers to these facts a setting has; None where there is no such setting."""
        row = self.found.tally.row(model, thinking)
        if row is None:
            return None
        return int(self.found.tally.drawn[row][:, self.found.facts].sum(dtype=np.int64))

    def questions(self) -> npt.NDArray[np.int64]:
        """Ids of the current questions of these facts."""
        ids = self.project.index.questions[self.found.facts]
        found: npt.NDArray[np.int64] = ids[ids > 0]
        return found


def scope_of(
    project: OpenProject,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    intervals: bool,
    said: str | None = None,
    set_name: str | None = None,
) -> ReportScope:
    """Gather it. Raises `UsageError` for an unknown model, grader, filter or set."""
    check_set(project, set_name)
    return ReportScope(
        project,
        policy,
        where,
        where if said is None else said,
        intervals,
        profiles(project, policy, models, where, intervals=intervals),
        db.answer_counts.recipes(project.connection),
        project.setting_ids(),
        models,
        set_name,
    )
