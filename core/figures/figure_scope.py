"""What a figure is made of, and what its caption says of that."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.analyses.analysis import AnalysisResult, analyse
from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.dataset.subsets import Mask
from core.figures.figure import Panel
from core.figures.series import SharePoints
from core.project import OpenProject
from core.results.saved_policies import name_of
from core.scoring import curtailed_runs
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.precedence import Rank
from core.stats.intervals import LEVEL
from core.vocabulary import Strategy

Item = tuple[AnalysisRow, Rates]
"""A row of an analysis, and its shares as masks of facts."""


@dataclass(frozen=True, slots=True)
class MeasuredRows:
    """The rows of an analysis, what they are of, and what makes points of their shares."""

    evidence: Evidence
    items: Sequence[Item]
    marker: SharePoints
    notes: Sequence[str] = ()

    def count_excluded(self) -> dict[str, int]:
        """Facts of each model that are not in its analysis set."""
        total = int(self.evidence.facts.sum())
        analysed = self.evidence.analysis_set().sum(axis=1).tolist()
        models = self.evidence.tally.models
        return {model: total - n for model, n in zip(models, analysed, strict=True)}


@dataclass(frozen=True, slots=True)
class FigureScope:
    """A project under a policy, for these models and facts (a filter, and as a mask)."""

    project: OpenProject
    policy: Policy
    models: tuple[str, ...]
    where: str | None
    intervals: bool
    graders: tuple[str, str] | None
    ranks: tuple[Rank, ...]
    facts: Mask
    tally: LabelCounts

    def analysis(self, name: str) -> AnalysisResult:
        """An analysis of the same models and facts."""
        return analyse(self.project, name, self.policy, self.models, self.where)

    def measure_analysis(self, name: str) -> MeasuredRows:
        """An analysis whose numbers are shares of facts, with these as masks."""
        found = self.analysis(name)
        items = found.record.items(found.evidence)
        return self.measure_rows(found.evidence, items, found.notes)

    def measure_rows(
        self, evidence: Evidence, items: Sequence[Item], notes: Sequence[str] = ()
    ) -> MeasuredRows:
        """Rows with their shares, ready to be marked."""
        rates = [rate for _, shares in items for rate in shares.values()]
        return MeasuredRows(
            evidence, items, SharePoints.from_shares(evidence, rates, self.intervals), notes
        )

    def evidence(self) -> Evidence:
        """What analyses are computed from."""
        verdicts = self.project.verdicts(self.tally, self.policy)
        return Evidence(self.project.index, self.tally, verdicts, self.policy, self.facts)

    def notes(self) -> tuple[str, ...]:
        """What holds of every figure of this scope."""
        found = curtailed_runs.notes(self.tally, self.policy)
        if self.project.is_provisional(self.tally, self.facts):
            found.insert(0, "provisional: some answers have no label yet, or are still being drawn")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class FigureContent:
    """What a maker gives: panels, what n counts and what was left out, or what is missing."""

    panels: tuple[Panel, ...] = ()
    counted: str = ""
    notes: Sequence[str] = field(default=())
    missing: str = ""

    @property
    def has_intervals(self) -> bool:
        """Whether any point carries one."""
        rows = (row for panel in self.panels for row in panel.rows)
        return any(point.low is not None for row in rows for point in row.points)


def scope_of(
    project: OpenProject,
    policy: Policy,
    models: Sequence[str] | None,
    where: str | None,
    intervals: bool,
    graders: tuple[str, str] | None,
) -> FigureScope:
    """Gather it; arms only where they are named. `UsageError` for an unknown name or filter."""
    chosen = tuple(project.choose_models(models, arms=models is not None))
    ranks = project.ranks(policy)
    facts = project.facts(where, chosen, policy)
    tally = project.tally(ranks, chosen)
    return FigureScope(project, policy, chosen, where, intervals, graders, ranks, facts, tally)


def caption(scope: FigureScope, drawn: FigureContent) -> tuple[str, ...]:
    """Policy, graders, n, intervals, date."""
    graders = ", ".join(rank.name for rank in scope.ranks)
    policy = policy_words(scope.policy, name_of(scope.project, scope.policy))
    of = facts_of(int(scope.facts.sum()))
    if scope.where:
        of += f" ({scope.where})"
    of += f", {len(scope.models)} model{'s' if len(scope.models) != 1 else ''}"
    lines = [f"{policy}; graders {graders}", "; ".join(filter(None, (of, drawn.counted)))]
    if scope.intervals and drawn.has_intervals:
        lines.append(f"{LEVEL:.0%} intervals over facts, as graded")
    return (*lines, today())


def facts_of(number: int) -> str:
    """A number of facts: `1 fact`, `2,150 facts`."""
    return f"{number:,} fact{'' if number == 1 else 's'}"


def policy_words(policy: Policy, name: str | None = None) -> str:
    """A policy: `passed if g > 0.5, not gradable: pair`, with the name that it was saved under."""
    words = f"threshold {policy.tau:g}, strategy {policy.strategy}"
    if policy.strategy is Strategy.PARTIAL:
        words += f", partial weight {policy.weight:g}"
    return f"policy {name}: {words}" if name else words


def today() -> str:
    """The date that a caption carries."""
    return datetime.now(UTC).astimezone().date().isoformat()
