"""One analysis of a project under a policy, as rows for screens, tables and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.analyses import ANALYSES
from core.analyses.bootstrap import RESAMPLES, SEED
from core.analyses.curtailing import check_any, left_out
from core.analyses.evidence import Evidence, Row
from core.errors import UsageError
from core.names import Strategy
from core.policy import Policy
from core.precedence import Rank
from core.project import Project

RECORDED: Mapping[str, Mapping[str, int]] = {"bootstrap": {"seed": SEED, "resamples": RESAMPLES}}
"""What else a reader needs to get the same rows again."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The rows of an analysis and what they were computed from."""

    name: str
    ranks: tuple[Rank, ...]
    provisional: bool
    evidence: Evidence
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    """Why models are left out, a line each."""

    def head(self) -> dict[str, object]:
        """The analysis and its policy as `analyze --json` gives them."""
        policy = self.evidence.policy
        return {
            "analysis": self.name,
            "tau": policy.tau,
            "strategy": policy.strategy,
            "weight": policy.weight if policy.strategy is Strategy.PARTIAL else None,
            "graders": [rank.name for rank in self.ranks],
            "provisional": self.provisional,
            **RECORDED.get(self.name, {}),
        }

    def as_json(self) -> dict[str, object]:
        """The document of `analyze --json`."""
        return {**self.head(), "rows": [row.as_json() for row in self.rows]}


def analyse(
    project: Project,
    name: str,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
) -> Analysis:
    """Compute an analysis. Raises `UsageError` for an unknown one, or as `profiles` does.

    Models that were curtailed are left out where they must be; `LostkeysError` if none is left.
    """
    if name not in ANALYSES:
        raise UsageError(f"no analysis named {name}: choose one of {', '.join(ANALYSES)}")
    chosen = project.choose_models(models)
    ranks = project.ranks(policy)
    tally = project.tally(ranks, chosen)
    facts = project.facts(where, chosen, policy)
    evidence = Evidence(project.index, tally, project.verdicts(tally, policy), policy, facts)
    reasons = left_out(name, evidence)
    if reasons:
        check_any(name, chosen, reasons)
        tally = project.tally(ranks, [model for model in chosen if model not in reasons])
        evidence = replace(evidence, tally=tally, verdicts=project.verdicts(tally, policy))
    provisional = project.provisional(tally, facts)
    notes = tuple(reasons.values())
    return Analysis(name, ranks, provisional, evidence, ANALYSES[name](evidence), notes)
