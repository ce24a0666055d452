"""How far two graders agree, and what their disagreements would change.

Source: Calderon et al., appendix C.3 and figure 14; semantics section 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.dataset.subsets import Mask
from core.errors import UsageError
from core.project import OpenProject
from core.results.agreement_table import Agreement
from core.results.count_source import CountSource
from core.results.crossed_labels import CrossedLabels, cross_setting, join_settings
from core.results.disagreements import (
    Ints,
    UnlikeLabels,
    distances,
    find_unlike_labels,
    join_unlike,
    places_of,
    read_common,
    weigh,
)
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.precedence import Rank
from core.scoring.verdicts import code_cells
from core.vocabulary import TASKS, Task

NOTHING, QUESTION, PROFILE = 0, 1, 2
"""What B's label alone would change."""


@dataclass(frozen=True, slots=True)
class Disagreements:
    """Answers that two graders label unlike, and what B's label alone changes for each.

    `state` says whether the state of the question, `profile` whether the verdict on the fact;
    `flips` is how many labels of the question would have to change for its state to change.
    """

    answers: UnlikeLabels
    state: Mask
    profile: Mask
    flips: Ints

    @property
    def stake(self) -> Ints:
        """What each would change: `NOTHING`, `QUESTION` or `PROFILE`."""
        return np.where(self.profile, PROFILE, np.where(self.state, QUESTION, NOTHING))


@dataclass(frozen=True, slots=True)
class ConfusionReport:
    """Everything `confusion` reports about two graders."""

    a: str
    b: str
    overall: Agreement
    by_task: Mapping[str, Agreement]
    by_model: Mapping[str, Agreement]
    disagreements: Disagreements

    @property
    def consequential(self) -> int:
        """Disagreements that change the state of a question."""
        return int(self.disagreements.state.sum())

    @property
    def profile_changing(self) -> int:
        """Disagreements that change the verdict on a fact."""
        return int(self.disagreements.profile.sum())

    @property
    def by_flips(self) -> dict[int, int]:
        """Disagreements by how many labels their question is from another state."""
        counts, numbers = np.unique(self.disagreements.flips, return_counts=True)
        return dict(zip(counts.tolist(), numbers.tolist(), strict=True))

    def as_json(self) -> dict[str, object]:
        """The document of `confusion --json`."""
        return {
            "a": self.a,
            "b": self.b,
            **self.overall.as_json(),
            "by_task": {task: table.as_json() for task, table in self.by_task.items()},
            "by_model": {model: table.as_json() for model, table in self.by_model.items()},
            "consequential": self.consequential,
            "profile_changing": self.profile_changing,
            "flips": {str(count): number for count, number in self.by_flips.items()},
        }


def compare(
    project: OpenProject,
    a: str,
    b: str,
    policy: Policy,
    models: Sequence[str],
    facts: Mask,
    tasks: Sequence[Task] = TASKS,
) -> ConfusionReport:
    """Cross the labels of two graders over the responses that both have labelled.

    Consequences follow the policy with A's labels throughout (then `choice`), B's for the one
    response. Raises `UsageError` for a grader that has labelled nothing, or that is both.
    """
    rank_a, rank_b = ranks_of_two(project, a, b)
    tally = project.tally((rank_a,), models)
    places = places_of(project, facts, tasks)
    crossed: list[CrossedLabels] = []
    found: list[UnlikeLabels] = []
    for place, model in enumerate(models):
        for thinking in (False, True):
            common = read_common(project, rank_a, rank_b, model, thinking)
            if common is not None:
                crossed.append(cross_setting(common, places, place, thinking))
                found.append(find_unlike_labels(common, places, tally, place, thinking))
    return weigh_crossed((a, b), policy, tally, join_settings(crossed), join_unlike(found))


def ranks_of_two(source: CountSource, a: str, b: str) -> tuple[Rank, Rank]:
    """Two graders as ranks. Raises `UsageError` for one without labels, or that is both."""
    (rank_a,) = source.ranks(Policy(graders=(a,)))
    (rank_b,) = source.ranks(Policy(graders=(b,)))
    if a == b or rank_a == rank_b._replace(name=rank_a.name):
        raise UsageError(f"{a} agrees with itself: name another grader to compare it with")
    return rank_a, rank_b


def weigh_crossed(
    graders: tuple[str, str],
    policy: Policy,
    tally: LabelCounts,
    labels: CrossedLabels,
    together: UnlikeLabels,
) -> ConfusionReport:
    """What two graders' labels come to; `tally` has those of A, `together` where they differ."""
    weighed = weigh(together, tally, code_cells(tally), policy)
    profile = np.zeros(together.row.size, np.bool_)
    changed = weighed.before.verdict != weighed.after.verdict
    profile[weighed.moved] = changed[:, 0]
    return ConfusionReport(
        *graders,
        labels.whole,
        labels.count_by_task(),
        labels.count_by_model(tally.models),
        Disagreements(
            together,
            state=weighed.state,
            profile=profile,
            flips=distances(together, tally, policy),
        ),
    )
