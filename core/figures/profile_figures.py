"""Figures 4, 12 and 17: the profiles of each model, in all, sorted, by threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import core.results.profile_summary
from core.analyses.analysis_evidence import Evidence
from core.analyses.threshold import TAUS, ThresholdRow
from core.certainty.audit_evidence import read_evidence
from core.certainty.audit_frame import plan_fits, read_frame, read_plan
from core.certainty.audit_report import AuditReport, report_audit
from core.figures.figure import THRESHOLD, FigureRow, Panel, PanelKind, Point
from core.figures.figure_scope import FigureContent, FigureScope, Item
from core.figures.series import BY_PROFILE, KNOWN, SharePoints
from core.scoring.verdicts import ProfileSummary
from core.stats.fact_shares import FactShare
from core.stats.number_format import format_amount, format_percent
from core.vocabulary import PROFILES
from db.audits import audits

UNMEASURED = "thinking not measured"
KNOWN_WORDS = "known with a profile"
"""The paper's Knows of figures 4, 12 and 17: less than `knows_thinking` by direct inference."""


def profiles(scope: FigureScope) -> FigureContent:
    """Figure 4: a stack a model."""
    found = _summaries(scope)
    evidence = scope.evidence()
    rates = dict(zip(found, shares_of(evidence), strict=True))
    every = [rate for own in rates.values() for rate in own.values()]
    marker = SharePoints.from_shares(evidence, every, scope.intervals)
    audited, notes = audited_stacks(scope)
    panels = (stacks(found, rates, marker), *([audited] if audited else ()))
    return FigureContent(panels, _format_counts(found), (*_note_unmeasured(found), *notes))


def audited_stacks(scope: FigureScope) -> tuple[Panel | None, list[str]]:
    """The five shares as people label, by audits of this policy, and what those audits are."""
    rows, notes = {}, []
    for stored in reversed(audits(scope.project.connection)):
        plan = read_plan(stored.frame)
        policy = replace(scope.policy, graders=tuple(rank.name for rank in scope.ranks))
        if scope.where is not None or not plan_fits(scope.project, plan, policy):
            continue
        frame = read_frame(scope.project, stored)
        report = report_audit(scope.project, stored.name, read_evidence(scope.project, frame))
        for model, thinking in zip(plan.models, plan.thinking, strict=True):
            if report.audited and thinking and model in scope.models and model not in rows:
                rows[model] = _audited_row(model, report, scope.intervals)
                notes.append(
                    f"audit {report.name}: {model} as {plan.person} labels, "
                    f"{report.audited:,} of {format_amount(len(frame), 'fact')} audited"
                )
    if not rows:
        return None, []
    notes.append("intervals: above scope graded, below scope here, valid at every look")
    kept = [rows[model] for model in scope.models if model in rows]
    panel = Panel(
        "as a person labels",
        PanelKind.STACK,
        BY_PROFILE,
        kept,
        sums=KNOWN,
        sum_words=KNOWN_WORDS,
    )
    return panel, notes if scope.intervals else notes[:-1]


def _audited_row(model: str, report: AuditReport, intervals: bool) -> FigureRow:
    points = []
    for series in BY_PROFILE:
        one = report.numbers[model, series.name]
        low, high = one.interval if intervals else (None, None)
        points.append(Point(one.audited, low, high, report.audited))
    return FigureRow(model, points, model, note=f"audit {report.name}")


def shares_of(evidence: Evidence) -> list[Mapping[str, FactShare]]:
    """Each model's five shares as masks; nothing where thinking was not measured."""
    found: list[Mapping[str, FactShare]] = []
    for verdict, thinks in zip(evidence.verdicts.verdict, evidence.tally.thinks(), strict=True):
        base = (verdict < len(PROFILES)) & evidence.facts
        own = {str(of): FactShare((verdict == at) & base, base) for at, of in enumerate(PROFILES)}
        found.append(own if thinks else {})
    return found


def stacks(
    models: Mapping[str, ProfileSummary],
    rates: Mapping[str, Mapping[str, FactShare]],
    marker: SharePoints,
) -> Panel:
    """The five shares of each model; the sum is what is known without or with thinking."""
    rows = [_stack(name, one, rates[name], marker) for name, one in models.items()]
    return Panel(
        "facts with a profile",
        PanelKind.STACK,
        BY_PROFILE,
        rows,
        sums=KNOWN,
        sum_words=KNOWN_WORDS,
    )


def _stack(
    model: str, one: ProfileSummary, rates: Mapping[str, FactShare], marker: SharePoints
) -> FigureRow:
    shares = one.shares or {}
    return FigureRow(
        model,
        [marker.point(shares.get(of.name), rates.get(of.name)) for of in BY_PROFILE],
        model,
        of_series={of.name: f"profile:{of.name}" for of in BY_PROFILE} if one.thinking else {},
        excluded=one.excluded_nan + (one.direct_inference or 0),
        note=_note_left_out(one) if one.thinking else UNMEASURED,
    )


def _note_left_out(one: ProfileSummary) -> str:
    """`not gradable 1.0 %, direct inference 2.0 % of all complete facts; 3 incomplete`."""
    parts = [
        f"{words} {format_percent(share)} %"
        for words, share in (
            ("not gradable", one.not_gradable_share),
            ("direct inference", one.direct_inference_share),
        )
        if share
    ]
    said = [f"{', '.join(parts)} of all complete facts"] if parts else []
    return "; ".join([*said, *([f"{one.incomplete:,} incomplete"] if one.incomplete else [])])


def trends(scope: FigureScope) -> FigureContent:
    """Figure 12: a line a profile, and their sum, over models sorted by that sum."""
    found = {name: one for name, one in _summaries(scope).items() if one.included}
    if not found:
        return FigureContent(missing="No fact has a profile: answers or labels are missing.")
    return FigureContent(
        (lines(found),), _format_counts(found), _note_unmeasured(_summaries(scope))
    )


def lines(models: Mapping[str, ProfileSummary]) -> Panel:
    """The three known profiles together, then each profile, over models from least to most."""
    shares = {name: one.shares or {} for name, one in models.items()}
    knows = {
        name: sum(of.get(series.name) or 0.0 for series in BY_PROFILE[:KNOWN])
        for name, of in shares.items()
    }
    steps = sorted(models, key=lambda name: (knows[name], name))
    counts = {name: one.included for name, one in models.items()}
    rows = [FigureRow(KNOWN_WORDS, [Point(knows[name], n=counts[name]) for name in steps])]
    rows += [
        FigureRow(
            series.words,
            [Point(shares[name].get(series.name), n=counts[name]) for name in steps],
            facts=f"profile:{series.name}",
        )
        for series in BY_PROFILE
    ]
    return Panel(
        f"models from least to most {KNOWN_WORDS}", PanelKind.LINES, BY_PROFILE, rows, steps
    )


def threshold(scope: FigureScope) -> FigureContent:
    """Figure 17: a panel a model, a stack a threshold."""
    found = scope.measure_analysis("threshold")
    return FigureContent(tuple(panels_by_threshold(found.items, found.marker)), notes=found.notes)


def panels_by_threshold(items: Sequence[Item], marker: SharePoints) -> list[Panel]:
    """The profiles of each model under every threshold."""
    at = {
        (row.model, row.tau, row.profile): (row, rates["share"])
        for row, rates in items
        if isinstance(row, ThresholdRow)
    }
    panels = []
    for model in dict.fromkeys(model for model, _, _ in at):
        stacked = []
        for tau in TAUS:
            own = {series.name: at[model, tau, series.name] for series in BY_PROFILE}
            stacked.append(
                FigureRow(
                    f"{THRESHOLD}{tau:g}",
                    [marker.point(row.share, rate) for row, rate in own.values()],
                    model,
                    of_series={name: marker.where(rate) for name, (_, rate) in own.items()},
                )
            )
        panels.append(
            Panel(model, PanelKind.STACK, BY_PROFILE, stacked, sums=KNOWN, sum_words=KNOWN_WORDS)
        )
    return panels


def _format_counts(models: Mapping[str, ProfileSummary]) -> str:
    counts = [one.included for one in models.values()]
    return f"n {_span(counts)} {'fact' if set(counts) == {1} else 'facts'} with a profile"


def _summaries(scope: FigureScope) -> Mapping[str, ProfileSummary]:
    return core.results.profile_summary.profiles(
        scope.project, scope.policy, scope.models, scope.where
    ).models


def _note_unmeasured(models: Mapping[str, ProfileSummary]) -> list[str]:
    left = [name for name, one in models.items() if not one.thinking]
    return [f"{', '.join(left)}: {UNMEASURED}"] if left else []


def _span(counts: Sequence[int | None]) -> str:
    known = [count for count in counts if count is not None]
    if not known:
        return "0"
    low, high = min(known), max(known)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
