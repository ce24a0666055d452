"""Audits: what a person says of the graders' numbers, and how far that can be trusted."""

from core.certainty.audit_evidence import read_evidence
from core.certainty.audit_frame import AuditFrame, read_frame
from core.certainty.audit_report import AuditReport, report_audit
from core.report.report_numbers import count, points, span
from core.report.report_parts import (
    Block,
    ReportParagraph,
    ReportTable,
    Section,
    numbers,
    text,
)
from core.report.report_scope import ReportScope
from core.stats.intervals import LEVEL
from core.stats.number_format import format_amount
from db.audits import audits


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
