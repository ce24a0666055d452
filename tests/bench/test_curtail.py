"""The simulation of curtailed runs, on some of its facts."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.scoring.policy import Policy
from core.vocabulary import Strategy
from tests.bench import curtail

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _data(shared: Callable[[str], Path]) -> None:
    shared("data/published")
    shared("data/wikiprofile")


@pytest.mark.parametrize("strategy", list(Strategy))
def test_no_fact_of_any_model_has_another_verdict(strategy: Strategy) -> None:
    exists = curtail.questions(60)
    parts = [
        curtail.compare(model, exists, Policy(strategy=strategy))
        for model in curtail.models(strategy)
    ]
    found = curtail.joined(parts)
    assert (found.others, found.facts) == (0, 60 * 13)
    assert found.share_open < 0.6 < 1 < found.requests


def test_an_answer_less_than_was_asked_for_would_change_verdicts() -> None:
    """The comparison can fail: it sees what a run would do that stopped too early."""
    model, exists, policy = curtail.models()[0], curtail.questions(60), Policy()
    found = curtail.answers(model, exists, 1)
    run = curtail.curtail(found, policy)
    whole = curtail.tally_of(found, np.where(found[..., 0] > 0, curtail.SAMPLES, 0))
    short = curtail.tally_of(found, np.maximum(run.asked - 1, 0), [policy])
    before, after = (curtail.verdicts(one, policy) for one in (whole, short))
    assert len(np.unique(before[0])) > 3
    assert (before != after).any(axis=0).mean() > 0.5


def test_every_question_takes_more_and_answers_stay_the_same() -> None:
    model, exists = curtail.models()[-1], curtail.questions(60)
    fact = curtail.compare(model, exists, Policy())
    question = curtail.compare(model, exists, Policy(), every_question=True)
    assert question.others == 0
    assert fact.asked < question.asked < question.full
