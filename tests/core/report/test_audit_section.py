"""A report carries audits: numbers by graders and person side by side, each scope by its name."""

from core.project import OpenProject
from core.report.markdown import markdown
from core.report.report_numbers import points, span
from core.report.report_parts import ReportParagraph, ReportTable
from core.report.report_scope import scope_of
from core.report.report_sections import audit_sections, gather
from tests.core.certainty.conftest import project
from tests.core.certainty.making import POLICY, drawn, label_next, report

__all__ = ["project"]


def test_numbers_stand_beside_those_of_the_graders(project: OpenProject) -> None:
    assert audit_sections(scope_of(project, POLICY, None, None, True)) == []
    drawn(project, "june")
    (empty,) = audit_sections(scope_of(project, POLICY, None, None, True))
    assert [type(block) for block in empty.blocks] == [ReportParagraph]
    while label_next(project, 5):
        pass
    found = report(project)
    (section,) = audit_sections(scope_of(project, POLICY, None, None, True))
    table = next(block for block in section.blocks if isinstance(block, ReportTable))
    failure = found.numbers["m", "recall_failure"]
    assert [
        "m",
        "recall failure",
        points(failure.graded),
        points(failure.audited),
        span(failure.interval),
        span(failure.kind_interval),
    ] in table.rows
    assert failure.graded != failure.audited
    for word in ("here:", "kind:", "graded:"):
        assert word in table.note
    written = markdown(gather(project, POLICY))
    assert "As a person labels" in written
    assert "first answers" in written
