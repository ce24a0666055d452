"""What the Profiles screen has read, and what it is asked to show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.results.model_comparison import Comparison
from core.scoring.label_counts import numbers
from core.scoring.policy import Policy
from core.views.fact_query import Wanted
from core.views.lens import Lens
from core.views.profiles.crossed_profiles import Against, Crossed
from core.views.profiles.profile_counts import Material
from core.views.profiles.profile_intervals import Sure
from core.views.profiles.profile_rows import (
    Both,
    By,
    Order,
    Row,
    arranged,
    group_rows,
    judge_both,
    model_rows,
    ordered,
)
from core.views.profiles.profile_scores import Counted, Judged
from core.views.snapshot import Board


@dataclass(slots=True)
class Shown:
    """What stands on the screen: verdicts now and at the start, and rows in their order."""

    both: Both
    models: list[Row]
    groups: list[Row]


@dataclass(slots=True)
class Reading:
    """All that a person chose here, and what has been read for it.

    `order` holds while numbers change, so that rows stay where they are until another order is
    asked for: `standing` are their names as they stand, by what the rows are.
    """

    wanted: Wanted = field(default_factory=Wanted)
    by: By = By.MODELS
    order: Order = Order.KNOWS_THINKING
    standing: dict[By, list[str]] = field(default_factory=dict)
    material: Material | None = None
    shown: Shown | None = None
    doubts: Mapping[str, str] = field(default_factory=dict)
    intervals: bool = False
    sure: dict[By, Sure] = field(default_factory=dict)
    sure_of: object = None
    """For which numbers the intervals are."""
    against: Against | None = None
    crossed: Crossed | None = None
    tested: Comparison | None = None
    """The comparison with intervals and tests, which are those of `tested_of`."""
    tested_of: object = None
    _start: tuple[Material, Policy, Judged, Sequence[Counted]] | None = None

    def work_out(self, lens: Lens, start: Lens, below: By | None) -> Shown | None:
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
        groups: list[Row] = []
        if model is not None and below is not None:
            groups = self._placed(group_rows(material, both, model, below), below)
        self.shown = Shown(both, self._placed(models, By.MODELS), groups)
        return self.shown

    def cross(self, against: Against | None) -> None:
        """Compare with something else, or with nothing."""
        self.against, self.crossed, self.tested, self.tested_of = against, None, None, None

    @property
    def policy(self) -> str | None:
        """The name of the policy that is compared with."""
        return self.against.policy if self.against else None

    def fits(self, board: Board, start: Lens) -> bool:
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

    def _placed(self, rows: list[Row], by: By) -> list[Row]:
        """Rows where they stand; in order where they are others than before."""
        standing = self.standing.get(by)
        if standing is None or set(standing) != {row.name for row in rows}:
            standing = self.standing[by] = ordered(rows, self.order)
        return arranged(rows, standing)
