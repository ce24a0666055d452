"""Error rates from samples: by hand, and by what must hold for any decisions."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.stats.intervals import wilson
from core.views.review import error_rates
from core.views.review.error_rates import ErrorRateRow
from core.views.review.review_queue import QueueRequest, ReviewQueue, ReviewStatus
from core.views.snapshot import Heading
from core.vocabulary import QueueKind
from db.reviews import Sample

HEADING = Heading("t", "s", "o")


def sampled(
    verdicts: Sequence[str | None],
    of: dict[str, int],
    strata: Sequence[str] | None = None,
) -> ReviewQueue:
    """A sampled queue with these verdicts so far."""
    n = len(verdicts)
    kind = QueueKind.RANDOM if strata is None else QueueKind.STRATIFIED
    return ReviewQueue(
        QueueRequest(kind),
        [HEADING],
        (),
        tuple(range(1, n + 1)),
        (0,) * n,
        (2,) * n,
        (0,) * n,
        (0,) * n,
        tuple(strata or ("",) * n),
        Sample(1, kind, 5, {"of": of, "by": None, "tasks": []}),
        {
            place: ReviewStatus(verdict)
            for place, verdict in enumerate(verdicts, 1)
            if verdict is not None
        },
    )


def test_the_paper_s_picture() -> None:
    """88 of 200 decided: 79 accepted, 4 edited, 5 rejected, of 21,500 questions."""
    verdicts = (
        ["accepted"] * 79 + ["edited"] * 4 + ["rejected"] * 5 + [None] * 110 + ["skipped"] * 2
    )
    found = error_rates.rates(sampled(verdicts, {"": 21_500}), ["Arts"])
    assert found.rate == pytest.approx(9 / 88)
    assert found.interval == wilson(9, 88)
    assert found.left == 112
    assert found.faulty is not None
    low, high = found.faulty
    assert low == pytest.approx(1_180, abs=12)
    assert high == pytest.approx(3_940, abs=20)
    assert found.width == pytest.approx(0.084, abs=0.003)
    assert [(one.name, one.decided) for one in found.by_task] == [("direct", 88)]
    assert [(one.name, one.faulty) for one in found.by_category] == [("Arts", 9)]


def test_nothing_decided_is_no_rate_and_no_sample_is_nothing() -> None:
    found = error_rates.rates(sampled([None, "skipped"], {"": 40}), ["x"])
    assert (found.rate, found.interval, found.faulty, found.left) == (None, None, None, 2)
    assert (
        error_rates.rates(ReviewQueue(QueueRequest(QueueKind.RANDOM), [], ()), []).whole.chosen == 0
    )
    suspicious = ReviewQueue(QueueRequest(), [HEADING], (), (1,), (0,), (2,), (5,), (5,), ("",))
    assert error_rates.rates(suspicious, ["x"]).interval is None


def test_all_looked_at_leaves_nothing_open() -> None:
    found = error_rates.rates(
        sampled(["accepted", "rejected", "accepted", "edited"], {"": 4}), ["x"]
    )
    assert found.faulty == (2, 2)


def test_strata_weigh_by_their_size() -> None:
    verdicts = ["accepted", "rejected", "accepted", "accepted"]
    found = error_rates.rates(sampled(verdicts, {"a": 10, "b": 90}, ["a", "a", "b", "b"]), ["x"])
    assert found.rate == pytest.approx(0.1 * 0.5 + 0.9 * 0)
    assert [(one.name, one.size, one.rate) for one in found.strata] == [
        ("a", 10, 0.5),
        ("b", 90, 0.0),
    ]
    assert found.interval is not None
    assert found.interval[0] < 0.05 < found.interval[1]


VERDICTS = st.lists(
    st.sampled_from(["accepted", "edited", "rejected", "skipped", None]), min_size=1, max_size=60
)


@given(VERDICTS, st.integers(0, 500))
def test_counts_and_limits_hold_together(verdicts: list[str | None], rest: int) -> None:
    size = len(verdicts) + rest
    found = error_rates.rates(sampled(verdicts, {"": size}), ["x"])
    whole = found.whole
    assert whole.decided + found.left == whole.chosen == len(verdicts)
    assert sum(one.faulty for one in found.by_stage) == whole.faulty
    if found.faulty is not None:
        low, high = found.faulty
        assert whole.faulty <= low <= high <= size - whole.accepted


@given(st.floats(0.005, 0.4), st.floats(0.0, 1.0))
def test_the_number_needed_is_the_fewest(reach: float, rate: float) -> None:
    n = error_rates.count_needed(reach, rate)
    assert error_rates._width(n, rate) <= 2 * reach
    assert n == 1 or error_rates._width(n - 1, rate) > 2 * reach


@pytest.mark.parametrize("reach", [0, 1, -0.1])
def test_an_interval_reaches_somewhere(reach: float) -> None:
    with pytest.raises(ValueError, match="interval"):
        error_rates.count_needed(reach)


@given(st.integers(1, 400), st.integers(0, 400))
def test_the_width_is_wilson_s(n: int, hits: int) -> None:
    hits = min(hits, n)
    found = wilson(hits, n)
    assert found is not None
    if 0 < hits < n:
        assert found[1] - found[0] == pytest.approx(error_rates._width(n, hits / n))


@pytest.mark.parametrize(("hits", "low", "high"), [(0, 0.0, 0.3), (10, 0.7, 1.0)])
def test_none_and_all_faulty_have_an_interval_to_one_side(
    hits: int, low: float, high: float
) -> None:
    line = ErrorRateRow("", 100, 10, 10 - hits, 0, hits)
    assert line.rate == hits / 10
    assert line.interval is not None
    assert (line.interval[0] == 0, line.interval[1] == 1) == (hits == 0, hits == 10)
    assert low <= line.interval[0] <= line.interval[1] <= high
    assert ErrorRateRow("", 100, 10, 0, 0, 0).interval is None
    assert ErrorRateRow("", 0, 0, 0, 0, 0).rate is None
