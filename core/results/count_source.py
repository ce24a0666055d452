"""What profiles, analyses and comparisons ask of whatever holds labels: a project, or a lake."""

from collections.abc import Sequence
from typing import Protocol

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.precedence import Rank
from core.scoring.verdicts import Verdicts


class CountSource(Protocol):
    """Facts with counts of labels: an open project is one (`core.project`), and so is a lake.

    Profiles, analyses and comparisons ask no more of whatever holds labels.
    """

    @property
    def index(self) -> FactIndex:
        """All facts as columns."""

    def choose_models(self, wanted: Sequence[str] | None) -> list[str]:
        """The models named, or all. Raises `UsageError` for one that has no responses."""

    def ranks(self, policy: Policy) -> tuple[Rank, ...]:
        """The precedence list of a policy as resolved here, without the implicit `choice`."""

    def tally(self, ranks: Sequence[Rank], models: Sequence[str]) -> LabelCounts:
        """Label counts of these models under a precedence list (`choice` joins it last)."""

    def verdicts(self, tally: LabelCounts, policy: Policy) -> Verdicts:
        """Every fact's verdict for every model of a tally."""

    def facts(self, where: str | None, models: Sequence[str], policy: Policy) -> Mask:
        """Facts that a filter selects (all but rejected ones without a filter)."""

    def is_provisional(self, tally: LabelCounts, facts: Mask) -> bool:
        """Whether a cell of these facts lacks labels for responses, or is still being drawn."""
