"""One analysis of a project under a policy, as rows for screens, tables and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.analyses import ANALYSES
from core.analyses.analysis_evidence import AnalysisRow, Evidence
from core.analyses.analysis_intervals import Intervals, measure
from core.analyses.analysis_record import AnalysisPart, AnalysisRecord, Column
from core.analyses.curtailed_models import check_any, explain_left_out
from core.errors import UsageError
from core.project import OpenProject
from core.results import saved_policies
from core.results.count_source import CountSource
from core.scoring.policy import Policy
from core.scoring.precedence import Rank
from core.stats.fact_shares import RECORDED
from core.vocabulary import Strategy


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The rows of an analysis and what they were computed from."""

    record: AnalysisRecord
    ranks: tuple[Rank, ...]
    provisional: bool
    evidence: Evidence
    rows: Sequence[AnalysisRow]
    notes: Sequence[str] = ()
    """Why models or intervals are left out, a line each."""
    policy_name: str | None = None
    """That of the saved policy that this is; None if it is not saved."""
    intervals: Intervals | None = None
    parts: Mapping[str, Sequence[AnalysisRow]] = field(default_factory=dict)
    """The rows of its further tables, by their keys in the JSON."""

    @property
    def columns(self) -> list[Column]:
        """The columns of its table: of those that go with a `--by` the ones of what was asked."""
        by = self.evidence.options.get("by")
        return [one for one in self.record.columns if one.only_by in ("", by)]

    def shown_parts(self) -> list[tuple[AnalysisPart, Sequence[AnalysisRow]]]:
        """Its further tables with their rows."""
        return [(one, self.parts[one.key]) for one in self.record.parts if one.key in self.parts]

    def head(self) -> dict[str, object]:
        """The analysis and its policy as `analyze --json` gives them."""
        policy = self.evidence.policy
        return {
            "analysis": self.record.name,
            "policy": self.policy_name,
            "tau": policy.tau,
            "strategy": policy.strategy,
            "weight": policy.weight if policy.strategy is Strategy.PARTIAL else None,
            "graders": [rank.name for rank in self.ranks],
            "provisional": self.provisional,
            **self.record.recorded,
            **self.evidence.options,
            **(RECORDED if self.intervals else {}),
        }

    def as_json(self) -> dict[str, object]:
        """The document of `analyze --json`."""
        rows = [row.as_json() for row in self.rows]
        parts = {key: [row.as_json() for row in some] for key, some in self.parts.items()}
        if self.intervals is None:
            return {**self.head(), "rows": rows, **parts}
        of_rows = [(rows, self.intervals.rows)]
        of_rows += [(parts[key], some) for key, some in self.intervals.parts.items()]
        for own, some in of_rows:
            for row, limits in zip(own, some, strict=True):
                row["intervals"] = limits
        gaps = [gap.as_json() for gap in self.intervals.gaps]
        return {**self.head(), "rows": rows, "gaps": gaps, **parts}


def analyse(
    source: CountSource,
    name: str,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    intervals: bool = False,
    options: Mapping[str, str] | None = None,
) -> AnalysisResult:
    """Compute an analysis. Raises `UsageError` for an unknown one, or as `profiles` does.

    With `intervals`, the shares and gaps get theirs, or a note says why there are none.
    `options` are those of the analysis's own, by name, as typed; `UsageError` for others.
    Models that were curtailed are left out where they must be; `LostkeysError` if none is left.
    """
    if name not in ANALYSES:
        raise UsageError(f"no analysis named {name}: choose one of {', '.join(ANALYSES)}")
    analysis = ANALYSES[name]
    given = read_options(analysis, options or {})
    chosen = [] if analysis.is_of_facts else source.choose_models(models)
    ranks = () if analysis.is_of_facts else source.ranks(policy)
    tally = source.tally(ranks, chosen)
    facts = source.facts(where, chosen, policy)
    verdicts = source.verdicts(tally, policy)
    evidence = Evidence(source.index, tally, verdicts, policy, facts, given)
    reasons = explain_left_out(analysis, evidence)
    if reasons:
        check_any(analysis, chosen, reasons)
        tally = source.tally(ranks, [model for model in chosen if model not in reasons])
        evidence = replace(evidence, tally=tally, verdicts=source.verdicts(tally, policy))
    provisional = source.is_provisional(tally, facts)
    without = [analysis.unmeasured] if intervals and analysis.unmeasured else []
    return AnalysisResult(
        analysis,
        ranks,
        provisional,
        evidence,
        analysis.compute(evidence),
        (*reasons.values(), *without),
        saved_policies.name_of(source, policy) if isinstance(source, OpenProject) else None,
        measure(analysis, evidence) if intervals and analysis.measured else None,
        {
            part.key: part.compute(evidence)
            for part in analysis.parts
            if not part.only_by or part.only_by == given.get("by")
        },
    )


def read_options(analysis: AnalysisRecord, options: Mapping[str, str]) -> dict[str, Any]:
    """The values of an analysis's own options. Raises `UsageError` for others and bad ones."""
    known = {option.name: option for option in analysis.options}
    for name in options:
        if name not in known:
            takers = [
                one.name for one in ANALYSES.values() for own in one.options if own.name == name
            ]
            if not takers:
                raise UsageError(f"no option {name}: {analysis.name} takes {_list(known)}")
            raise UsageError(
                f"{analysis.name} takes no --{name}: that is an option of {', '.join(takers)}"
            )
    return {name: known[name].read(text) for name, text in options.items()}


def _list(known: Mapping[str, object]) -> str:
    return ", ".join(f"--{name}" for name in known) or "none of its own"
