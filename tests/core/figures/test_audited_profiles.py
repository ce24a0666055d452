"""Figure 4 has a panel as a person labels where an audit is of its policy and graders."""

from dataclasses import replace

import pytest

from core.figures.figure_scope import scope_of
from core.figures.profile_figures import audited_stacks, profiles
from core.project import OpenProject
from core.scoring.policy import Policy
from tests.core.certainty.conftest import project
from tests.core.certainty.making import POLICY, drawn, label_next, report

__all__ = ["project"]


def panels(project: OpenProject, policy: Policy, where: str | None = None) -> list[str]:
    scope = scope_of(project, policy, None, where, True, None)
    return [panel.title for panel in profiles(scope).panels]


def test_a_panel_as_a_person_labels(project: OpenProject) -> None:
    assert panels(project, POLICY) == ["facts with a profile"]
    drawn(project, second="other")
    assert panels(project, POLICY) == ["facts with a profile"]
    while label_next(project, 5):
        pass
    panel, notes = audited_stacks(scope_of(project, POLICY, None, None, True, None))
    assert panel is not None
    (row,) = panel.rows
    assert sum(point.value or 0 for point in row.points) == pytest.approx(1)
    failure = report(project).numbers["m", "recall_failure"]
    point = next(
        one
        for one, series in zip(row.points, panel.series, strict=True)
        if series.name == "recall_failure"
    )
    assert (point.value, (point.low, point.high)) == (failure.audited, failure.interval)
    assert "intervals: above scope graded, below scope here" in notes[-1]
    assert notes[0] == "audit june: m as human:ann labels, 14 of 14 facts audited"
    assert len(panels(project, replace(POLICY, tau=0.75))) == 1
    assert len(panels(project, POLICY, "F1")) == 1
    assert len(panels(project, replace(POLICY, graders=("other",)))) == 1
