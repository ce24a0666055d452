"""What the Profiles screen has read, and what it is asked to show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.results.model_comparison import Comparison
from core.scoring.label_counts import numbers
from core.scoring.policy import Policy
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.crossed_profiles import Against, CrossedProfiles
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import (
    Both,
    ProfileRow,
    RowGrouping,
    RowOrder,
    Sure,
    arranged,
    group_rows,
    judge_both,
    model_rows,
    ordered,
)
from core.views.profiles.profile_scores import Counted, ProfileScores
from core.views.snapshot import Snapshot


@dataclass(slots=True)
class ShownProfiles:
    """What stands on the screen: verdicts now and at the start, and rows in their order."""

    both: Both
    models: list[ProfileRow]
    groups: list[ProfileRow]


@dataclass(slots=True)
class ProfilesState:
    """All that a person chose here, and what has been read for it.

    `order` holds while numbers change, so that rows stay where they are until another order is
    asked for: `standing` are their names as they stand, by what the rows are.
    """

    wanted: FactQuery = field(default_factory=FactQuery)
    by: RowGrouping = RowGrouping.MODELS
    order: RowOrder = RowOrder.KNOWS_THINKING
    standing: dict[RowGrouping, list[str]] = field(default_factory=dict)
    material: ProfileCounts | None = None
    shown: ShownProfiles | None = None
    doubts: Mapping[str, str] = field(default_factory=dict)
    intervals: bool = False
    sure: dict[RowGrouping, Sure] = field(default_factory=dict)
    sure_of: object = None
    """For which numbers the intervals are."""
    against: Against | None = None
    crossed: CrossedProfiles | None = None
    tested: Comparison | None = None
    """The comparison with intervals and tests, which are those of `tested_of`."""
    tested_of: object = None
    _start: tuple[ProfileCounts, Policy, ProfileScores, Sequence[Counted]] | None = None

    def work_out(self, lens: Lens, start: Lens, below: RowGrouping | None) -> ShownProfiles | None:
        """All rows through a lens; `below` says by what its model is broken down, if it is."""
        material = self.material
        if material is None:
            return None
        model = material.models.index(lens.model) if lens.model in material.models else None
        known = self._start
        if known and known[0] is material and known[1] == start.policy:
            both = judge_both(material, lens.policy, start.policy, known[2])
            models = model_rows(material, both, known[3])
        else:
            both = judge_both(material, lens.policy, start.policy)
            models = model_rows(material, both)
            self._start = (material, start.policy, both.start, [row.start for row in models])
        groups: list[ProfileRow] = []
        if model is not None and below is not None:
            groups = self._placed(group_rows(material, both, model, below), below)
        self.shown = ShownProfiles(both, self._placed(models, RowGrouping.MODELS), groups)
        return self.shown

    def cross(self, against: Against | None) -> None:
        """Compare with something else, or with nothing."""
        self.against, self.crossed, self.tested, self.tested_of = against, None, None, None

    @property
    def policy(self) -> str | None:
        """The name of the policy that is compared with."""
        return self.against.policy if self.against else None

    def fits(self, board: Snapshot, start: Lens) -> bool:
        """Whether what was read is still what the file holds, for the graders of a board."""
        material = self.material
        return (
            material is not None
            and material.wanted == self.wanted
            and material.index is board.index
            and material.now.tally is board.tally
            and material.start.graders == start.ranked
        )

    def name_of(self, lens: Lens) -> str | None:
        """Under which name the policy of a lens is saved."""
        names = self.material.names if self.material else {}
        for name, policy in reversed(list(names.items())):
            if numbers(policy) == numbers(lens.policy) and policy.graders == lens.ranked:
                return name
        return None

    def _placed(self, rows: list[ProfileRow], by: RowGrouping) -> list[ProfileRow]:
        """Rows where they stand; in order where they are others than before."""
        standing = self.standing.get(by)
        if standing is None or set(standing) != {row.name for row in rows}:
            standing = self.standing[by] = ordered(rows, self.order)
        return arranged(rows, standing)
