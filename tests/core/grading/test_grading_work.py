"""What a work of sheets says of a reply, and what it counts."""

from collections.abc import Sequence

import pytest

from core.engine.work_source import ItemResult
from core.grading.answer_batches import AnswerBatch, BatchLabels, DistinctAnswer, Subject, sheet_of
from core.grading.label_work import REASONS, LabelWork
from core.grading.model_grader import grader_for
from core.providers.base import Draw, Reply
from core.providers.capabilities import Capabilities
from core.vocabulary import Outcome
from tests.core.grading import obedient

GRADER = grader_for("llm:embedded:smollm2-135m", Capabilities())
SUBJECT = Subject(1, False, "Which town has the oldest university of Estonia?", ("Tartu",))
THINGS = 5


class Sheets(LabelWork):
    """Keeps nothing."""

    def more(self, most: int) -> Sequence[AnswerBatch] | None:
        return None

    def write(self, sheet: AnswerBatch, found: BatchLabels) -> BatchLabels:
        return found


@pytest.fixture
def sheet() -> AnswerBatch:
    made = sheet_of(
        GRADER, SUBJECT, [DistinctAnswer("Tartu", (1, 2, 3)), DistinctAnswer("Narva", (4, 5))]
    )
    assert made is not None
    assert made.things == THINGS
    return made


def test_a_reply_that_is_taken_twice_counts_once(sheet: AnswerBatch) -> None:
    """The transaction was undone and made again."""
    work, said = Sheets(), obedient.reply(sheet.request.messages or ())
    for _ in range(2):
        assert work.take_all([(sheet, Reply((Draw(said, "stop"),)))]) == [
            ItemResult([], done=THINGS)
        ]
    assert sum(work.outcomes.values()) == THINGS
    assert work.next(1) is None
    assert sum(work.outcomes.values()) == THINGS


def test_a_sheet_that_is_refused_waits_in_parts_and_one_that_fails_does_not(
    sheet: AnswerBatch,
) -> None:
    work = Sheets()
    (first,) = (again := work.fail(sheet, "too long", refused=True)).further
    assert (again.done, again.failed, first.things) == (0, 0, 3)
    assert not work.outcomes
    assert work.fail(sheet, "too long", refused=False) == ItemResult([], 0, THINGS, "too long")
    assert work.outcomes == {Outcome.ERROR: THINGS}


def test_a_reply_that_cannot_be_read_says_so_in_the_end(sheet: AnswerBatch) -> None:
    work, nonsense = Sheets(), Reply((Draw("no", "stop"),))
    waiting, failed = [sheet], 0
    while waiting:
        (taken,) = work.take_all([(waiting.pop(), nonsense)])
        waiting += taken.further
        failed += taken.failed
        assert not taken.done
        assert taken.reason in ("", REASONS[Outcome.UNPARSED])
    assert failed == THINGS
    assert work.outcomes == {Outcome.UNPARSED: THINGS}
