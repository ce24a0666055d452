"""Every analysis but the random one against plain loops, on whatever hypothesis thinks of."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from core.analyses import ANALYSES
from tests.core.analyses import loops
from tests.core.analyses.cases import Case, cases

pytestmark = pytest.mark.slow

EXACT = [name for name in ANALYSES if name != "bootstrap"]


def nearly(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
        for key, value in row.items()
    }


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_rows_are_those_of_plain_loops(name: str, case: Case) -> None:
    expected = getattr(loops, name)(case)
    found = [row.as_json() for row in ANALYSES[name].compute(case.evidence())]
    assert found == [nearly(row) for row in expected]
    assert [list(row) for row in found] == [list(row) for row in expected]
    json.dumps(found, allow_nan=False)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_bootstrap_has_a_row_for_every_model_task_and_size(case: Case) -> None:
    evidence = case.evidence()
    four = ("completion", "contextual", "direct", "reverse")
    chosen = set(loops.facts(case))
    most = max(
        (
            sum(one)
            for (_, fact, task, on), one in case.counts.items()
            if task in four and not on and fact in chosen
        ),
        default=0,
    )
    found = [row.as_json() for row in ANALYSES["bootstrap"].compute(evidence)]
    assert [(row["model"], row["task"], row["k"]) for row in found] == [
        (model, task, k) for model in case.models for task in four for k in range(1, most + 1)
    ]
    json.dumps(found, allow_nan=False)
