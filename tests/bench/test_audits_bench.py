"""The benchmark of audits, on little: that it works and holds is tested, how fast never."""

import pytest

from tests.bench.audits import CASES, CoverageCase, cover, read_state, time_audit

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.facts}")
def test_graders_get_as_many_states_wrong_as_asked(case: CoverageCase) -> None:
    assert cover(case, 20, most=5).wrong == pytest.approx(case.wrong, abs=0.015)


@pytest.mark.parametrize(
    ("code", "fails", "wrong", "lenient", "state"),
    [
        ("DR", "R", "D", False, "EF"),
        ("DR", "R", "R", False, "RF"),
        ("RT", "D", "R", False, "RF"),
        ("IE", "D", "R", False, "EF"),
        ("NA", "D", "DR", False, "NA"),
        ("EF", "DR", "D", True, "RF"),
        ("EF", "D", "D", True, "DR"),
        ("RF", "R", "R", True, "DR"),
        ("RF", "DR", "R", True, "RF"),
        ("RT", "R", "R", True, "DR"),
        ("EF", "R", "R", True, "DI"),
    ],
)
def test_states_follow_from_golds_that_graders_err_on(
    code: str, fails: str, wrong: str, lenient: bool, state: str
) -> None:
    assert read_state(code, fails, wrong, lenient) == state
    assert read_state(code, fails, "", lenient) == code


def test_coverage() -> None:
    row = cover(CASES[0], 20, most=100)
    assert row.always >= 0.9
    assert row.kind >= 0.8
    assert row.p50 <= row.p90 <= 100


def test_an_audit_is_timed() -> None:
    times = time_audit(24, 12, settled=3)
    assert len(times.settle) == 3
    assert all(taken > 0 for pair in (times.read, times.report, times.plan) for taken in pair)
    assert len(list(times.lines())) == 6
