"""A report on a project under a policy: its sections, in the order in which they are read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import db.answer_counts
import db.failures
import db.sampling_runs
from core.alignment.tag_counts import count_tags, find_tagged_answers
from core.analyses.analysis import analyse
from core.analyses.quality import QualityRow
from core.certainty.audit_evidence import read_evidence
from core.certainty.audit_frame import AuditFrame, read_frame
from core.certainty.audit_report import AuditReport, report_audit
from core.errors import LostkeysError
from core.project import OpenProject
from core.report import provenance_section, results_section
from core.report.report_numbers import count, join_names, points, span
from core.report.report_parts import (
    Block,
    Bullets,
    Report,
    ReportParagraph,
    ReportTable,
    Section,
    numbers,
    text,
)
from core.report.report_scope import ReportScope, scope_of
from core.results import saved_policies
from core.sampling.model_list import measure_unmarked
from core.scoring.policy import Policy
from core.stats.intervals import LEVEL
from core.stats.number_format import format_amount
from core.vocabulary import Strategy
from db.audits import audits

# What the numbers of a report mean, in short sentences.
#
# Source: Calderon et al., sections 4 and 5, appendices A.4, B and C; semantics sections 3 to 7.

_STRATEGIES = {
    Strategy.PAIR: "A fact is excluded as not gradable if in one of its pairs of questions "
    "(encoding, direct and reverse without thinking, direct and reverse with it) none is gradable.",
    Strategy.FACT: "A fact is excluded as not gradable if any one of its profiling questions is "
    "not gradable.",
    Strategy.PARTIAL: "A fact is excluded as not gradable if in one of its pairs of questions none "
    "is gradable; a PARTIALLY counts {weight} of a right answer.",
}


def methods(policy: Policy, intervals: bool) -> list[str]:
    """One paragraph each on asking, grading, profiles, exclusion, intervals."""
    strategy = _STRATEGIES[policy.strategy].format(weight=f"{policy.weight:g}")
    found = [
        "Each fact is asked about in up to ten ways: two that continue its source text "
        "(encoding), four open questions (direct and reverse, each in the words of the source and "
        "in natural words), and the same four with options. Each question is asked several times, "
        "with thinking off and, where the model was so asked, on.",
        "Each answer carries a label: CORRECT, INCORRECT, PARTIALLY, or OTHER where it neither "
        "gives nor contradicts the gold answer. Where several graders labelled one answer, the "
        "first in the order of the policy counts. An answer with options is labelled by the option "
        "that it chooses.",
        "A question's grade g is the share of CORRECT among its CORRECT and INCORRECT answers; "
        "without either it is not gradable. A question passes if g is above the threshold, here "
        f"{policy.tau:g}.",
        "A fact is stored (E) if some gradable encoding question passes. It is known (K0) if every "
        "gradable open question passes without thinking, and known with thinking (KT) if every one "
        "does with thinking.",
        "Direct recall: E and K0. Recall with thinking: E and KT, not K0. Inference without "
        "encoding: KT alone. Recall failure: E alone. Encoding failure: none of the three. K0 "
        "without E is direct inference: it has no profile, and is counted apart.",
        strategy + " A fact is incomplete if it lacks a pair of questions, or a question lacks "
        "labels. Facts that a review rejected are in no number.",
        "Shares of profiles, and the rates encodes, knows and knows with thinking, are of the "
        "facts that have a profile. Popularity compares the fifth of the facts with the fewest "
        "page views with the fifth with the most.",
        "Wordings are compared by exact two-sided McNemar tests, adjusted after Benjamini and "
        "Yekutieli. Agreement is the share of equal labels, Cohen's kappa and Krippendorff's alpha "
        "set it against chance; their intervals hold with 95 % confidence, taking facts for "
        "what was drawn.",
    ]
    if intervals:
        found.append(
            "Intervals of shares are of 95 %, Wilson's, and normal ones for gaps and rates. They "
            "are of shares as graded: other facts of the kind, each with draws of its own, would "
            "give other numbers. Errors of the graders are not in them."
        )
    return found


# What no number holds: everything excluded, set aside or missing, counted; and warnings.

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
        f"discarded in the whole project, {reason}: {format_amount(number, 'answer')}"
        for reason, number in reasons.most_common()
    ] or ["discarded: no answers"]
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


# Audits: what a person says of the graders' numbers, and how far that can be trusted.


def audit_sections(scope: ReportScope) -> list[Section]:
    """A section with a table an audit of any of the models; none where there is no such audit."""
    blocks: list[Block] = []
    for stored in audits(scope.project.connection):
        frame = read_frame(scope.project, stored)
        if set(frame.plan.models) & set(scope.models):
            evidence = read_evidence(scope.project, frame)
            report = report_audit(scope.project, stored.name, evidence)
            blocks += _blocks(scope, frame, report)
    return [Section("As a person labels: audits", blocks)] if blocks else []


def tag_sections(scope: ReportScope) -> list[Section]:
    """A section with the counts of tags and one answer with each; none where nothing is tagged."""
    counted = count_tags(scope.project)["tags"]
    if not counted:
        return []
    shown = find_tagged_answers(scope.project)
    rows = [
        [
            row["tag"],
            *(count(row[name]) for name in ("answers", "questions", "facts")),
            *_share_cells(row["samples"]),
            shown.get(row["tag"], ""),
        ]
        for row in counted
    ]
    columns = [
        text("tag"),
        *numbers("answers", "questions", "facts", "share %", "interval"),
        text("an answer with it"),
    ]
    note = (
        "all facts; a share among the answers of a reference set, which are a random sample, "
        "weighed by what they stand for; counts alone elsewhere"
    )
    return [Section("Tags", [ReportTable("What people tagged", columns, rows, note)])]


def _share_cells(samples: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    if not samples:
        return "", ""
    return points(samples[0]["share"]), span(samples[0]["interval"])


def _blocks(scope: ReportScope, frame: AuditFrame, report: AuditReport) -> list[Block]:
    plan = frame.plan
    said = (
        f"audit {report.name}: {plan.person} has settled {count(report.audited)} of "
        f"{format_amount(len(frame), 'fact')} by {format_amount(report.decisions, 'decision')}."
    )
    blocks: list[Block] = [ReportParagraph(said)]
    if not report.audited:
        return blocks
    if frame.edited.any():
        edited = format_amount(int(frame.edited.sum()), "fact")
        blocks.append(ReportParagraph(f"{edited} edited since it was drawn.", warning=True))
    rows = [
        [
            model,
            name.replace("_", " "),
            points(one.graded),
            points(one.audited),
            span(one.interval),
            span(one.kind_interval),
        ]
        for (model, name), one in report.numbers.items()
        if model in scope.models
    ]
    weight = f" weight {plan.weight:g}" if plan.strategy == "partial" else ""
    note = (
        f"{LEVEL * 100:g} %; here: these answers as the person labels them, valid at every look; "
        "kind: other facts, asked as often, as the person labels; graded: by "
        f"{', '.join(plan.graders)}, threshold {plan.tau:g}, strategy {plan.strategy}{weight}"
    )
    columns = [
        text("model"),
        text("number"),
        *numbers("graded %", "audited %", "interval here", "interval of the kind"),
    ]
    blocks.append(ReportTable(f"Numbers of audit {report.name}", columns, rows, note))
    if report.wrong is not None:
        blocks.append(
            ReportParagraph(
                f"The graders are wrong on {points(report.wrong)} % of answers "
                f"({span(report.wrong_interval)}), "
                f"by {format_amount(report.answers, 'first answer')}."
            )
        )
    return blocks


TITLE = "Knowledge profiles"


def gather(
    project: OpenProject,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    intervals: bool = True,
    said: str | None = None,
    set_name: str | None = None,
) -> Report:
    """Compute a report; `said` stands in it for the filter, `set_name` is the set of triples.

    Raises `UsageError` for an unknown model, grader or filter.
    """
    named = None if models is None else list(models)
    scope = scope_of(project, policy, named, where, intervals, said, set_name)
    words = methods(policy, intervals)
    told: list[Block] = [ReportParagraph(line, warning=True) for line in warnings(scope)]
    sections = [
        *([Section("Before reading on", told)] if told else []),
        results_section.profile_section(scope),
        *audit_sections(scope),
        *tag_sections(scope),
        *results_section.figure_sections(scope),
        results_section.agreement_section(scope),
        provenance_section.section(scope),
        section(scope),
        *_doubtful_sections(scope),
        Section("What the numbers mean", [ReportParagraph(text) for text in words]),
    ]
    return Report(TITLE, _summary(scope), sections)


def _summary(scope: ReportScope) -> list[str]:
    """What the report is about, in a few lines: the file, how much, the policy, when."""
    policy, facts = scope.policy, int(scope.found.facts.sum())
    answers = sum(
        scope.count_drawn(model, on) or 0 for model in scope.models for on in (False, True)
    )
    words = f"threshold {policy.tau:g}, strategy {policy.strategy}"
    if policy.strategy is Strategy.PARTIAL:
        words += f", partial weight {policy.weight:g}"
    name = saved_policies.name_of(scope.project, policy)
    graders = join_names(rank.name for rank in scope.found.ranks)
    lines = [
        f"{scope.project.path.name}: {format_amount(facts, 'fact')}, "
        f"{format_amount(len(scope.models), 'model')}, {format_amount(answers, 'answer')}",
        f"policy{f' {name}' if name else ''}: {words}, graders {graders}",
    ]
    if scope.said:
        lines.append(f"facts that pass {scope.said}")
    day = datetime.now(UTC).astimezone().date().isoformat()
    return [*lines, f"{day}, lostkeys {version('lostkeys')}"]


def _doubtful_sections(scope: ReportScope) -> list[Section]:
    try:
        found = analyse(scope.project, "quality", scope.policy, scope.models, scope.where)
    except LostkeysError:
        return []
    rows = [row for row in found.rows if isinstance(row, QualityRow)]
    if not rows:
        return []
    entities = scope.project.entities()
    lines = []
    for row in rows:
        subject, object_ = entities[row.fact_id]
        tasks = join_names(str(task).replace("_", " ") for task in row.tasks)
        lines.append(f"{row.fact_id}: {subject} → {object_} ({tasks})")
    return [results_section.doubtful_section(lines)]
