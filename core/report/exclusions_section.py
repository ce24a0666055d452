"""What no number holds: everything excluded, set aside or missing, counted; and warnings."""

from collections import Counter
from collections.abc import Iterator

import db.answer_counts
import db.failures
import db.sampling_runs
from core.report.report_numbers import count, points
from core.report.report_parts import Block, Bullets, ReportTable, Section, numbers, text
from core.report.report_scope import ReportScope
from core.sampling.model_list import measure_unmarked
from core.stats.number_format import format_amount

MOST_UNMARKED = 0.2
"""Share of step by step answers without a marker above which a reader is warned (semantics 2)."""


def section(scope: ReportScope) -> Section:
    """Facts without a profile, answers that count nowhere."""
    blocks: list[Block] = [_facts(scope), _answers(scope)]
    return Section("What is left out", blocks)


def warnings(scope: ReportScope) -> list[str]:
    """What a reader must know before believing a number."""
    found = list(_list_model_warnings(scope))
    if scope.found.provisional:
        found.insert(0, "Provisional: some answers are not drawn or not graded yet.")
    return found


def _facts(scope: ReportScope) -> ReportTable:
    rows = []
    for model, one in scope.found.models.items():
        numbered = (one.total, one.incomplete, one.excluded_nan, one.direct_inference, one.included)
        rows.append([model, *(count(number) for number in numbered)])
    index = scope.project.index
    rejected = int(index.rejected.sum())
    outside = int((~index.rejected & ~scope.found.facts).sum())
    note = f"rejected in review, and in no number: {format_amount(rejected, 'fact')}"
    if scope.said:
        note += f"; outside the filter {scope.said}: {format_amount(outside, 'fact')}"
    return ReportTable(
        "Facts without a profile",
        [
            text("model"),
            *numbers("facts", "incomplete", "not gradable", "direct inference", "with a profile"),
        ],
        rows,
        note,
    )


def _answers(scope: ReportScope) -> Bullets:
    connection = scope.project.connection
    shown = {setting for (model, _), setting in scope.settings.items() if model in scope.models}
    failed = db.failures.count_failures(connection)
    unanswered = sum(failed.get(one, 0) for one in shown)
    lines = [
        f"asking failed, also when tried again: {format_amount(unanswered, 'answer')} missing",
    ]
    reasons = Counter(db.answer_counts.set_aside(connection))
    lines += [
        f"set aside in the whole project, {reason}: {format_amount(number, 'answer')}"
        for reason, number in reasons.most_common()
    ] or ["set aside: no answers"]
    stale = db.answer_counts.count_stale(connection)
    lines.append(f"given against an earlier gold: {format_amount(stale, 'grade')}")
    return Bullets(lines)


def _list_model_warnings(scope: ReportScope) -> Iterator[str]:
    connection = scope.project.connection
    reasoned = db.answer_counts.count_with_reasoning(connection)
    curtailed = {run.setting for run in db.sampling_runs.find_curtailed(connection)}
    for model in scope.models:
        share = measure_unmarked(scope.project, model)
        if share is not None and share > MOST_UNMARKED:
            yield (
                f"{model}: {points(share)} % of its step by step answers have no `answer:`, so "
                "their last line was graded."
            )
        setting = scope.settings.get((model, False))
        if setting in reasoned:
            yield (
                f"{model}: {reasoned[setting]:,} of {count(scope.count_drawn(model, False))} "
                "answers show reasoning though thinking was off."
            )
        if any(scope.settings.get((model, on)) in curtailed for on in (False, True)):
            yield (
                f"{model}: sampling was curtailed. Its profiles hold for the policy of that run "
                "alone, and it is left out where every answer is needed."
            )
