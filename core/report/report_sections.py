"""A report on a project under a policy: its sections, in the order in which they are read."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from core.analyses.analysis import analyse
from core.analyses.quality import QualityRow
from core.errors import LostkeysError
from core.project import Project
from core.report import exclusions_section, provenance_section, results_section
from core.report.audit_section import audit_sections
from core.report.methods_section import methods
from core.report.report_numbers import join_names
from core.report.report_parts import Block, Report, ReportParagraph, Section
from core.report.report_scope import ReportScope, scope_of
from core.results import saved_policies
from core.scoring.policy import Policy
from core.stats.number_format import format_amount
from core.vocabulary import Strategy

TITLE = "Knowledge profiles"


def gather(
    project: Project,
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
    told: list[Block] = [
        ReportParagraph(line, warning=True) for line in exclusions_section.warnings(scope)
    ]
    sections = [
        *([Section("Before reading on", told)] if told else []),
        results_section.profile_section(scope),
        *audit_sections(scope),
        *results_section.figure_sections(scope),
        results_section.agreement_section(scope),
        provenance_section.section(scope),
        exclusions_section.section(scope),
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
