"""Words of queues: each queue has them, they ask for it again, and nothing else is let through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from core.views.disagreements.disagreement_filter import Direction, DisagreementFilter
from core.views.queue_query import (
    format_disagreements,
    format_questions,
    parse_disagreements,
    parse_questions,
)
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest
from core.views.review.stage_changes import CHANGERS
from core.vocabulary import LABELS, QueueKind, Task

NAMES = st.none() | st.text(st.characters(codec="utf-8"), min_size=1)
CELLS = st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)).filter(
    lambda cell: cell[0] is not cell[1]
)
FILTERS = st.builds(
    DisagreementFilter,
    model=NAMES,
    task=st.none() | st.sampled_from(Task),
    direction=st.none() | st.sampled_from(Direction),
    category=NAMES,
    cell=st.none() | CELLS,
    by_others=st.booleans(),
)


@given(FILTERS)
def test_every_filter_of_disagreements_is_asked_for_again_by_its_words(
    among: DisagreementFilter,
) -> None:
    assert parse_disagreements(format_disagreements(among)) == among


@pytest.mark.parametrize("by", Strata)
@pytest.mark.parametrize("stage", [one.stage for one in CHANGERS])
@pytest.mark.parametrize("kind", QueueKind)
def test_every_queue_of_questions_is_asked_for_again_by_its_words(
    kind: QueueKind, by: Strata, stage: str
) -> None:
    wanted = QueueRequest(kind, by, stage)
    found = parse_questions(format_questions(wanted))
    assert format_questions(found) == format_questions(wanted)
    assert found.kind is kind
    assert kind is not QueueKind.STRATIFIED or found.by is by
    assert kind is not QueueKind.STAGE or found.stage == stage


def test_a_queue_without_words_is_the_first_one() -> None:
    assert parse_questions("") == QueueRequest()
    assert parse_disagreements("") == DisagreementFilter()


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        ("queue:all", "no queue all"),
        ("queue:random by:tier", "goes with queue:stratified"),
        ("stage:direct", "goes with queue:stage"),
        ("queue:stage stage:draft", "no stage draft"),
        ("queue:stratified by:size", "no by size"),
        ("flagged", "no word flagged"),
        ("queue:edited queue:random", "stands twice"),
        ('queue:"random', "not closed"),
    ],
)
def test_words_that_ask_for_no_questions_are_told_of(where: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        parse_questions(where)


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        ("task:sing", "no task sing"),
        ("direction:up", "no direction up"),
        ("cell:CORRECT", "no cell CORRECT"),
        ("cell:CORRECT/CORRECT", "no cell"),
        ("by:me", "by:others"),
        ("thinking:on", "no word thinking:on"),
        ("model:", "no word model:"),
        ("profile:RF", "no word profile:RF"),
    ],
)
def test_words_that_ask_for_no_disagreements_are_told_of(where: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        parse_disagreements(where)
