"""A grader that quotes an answer gives no other one a label by that, and this one only its own."""

from collections.abc import Callable, Iterator

import pytest

from core.grading.answer_batches import AnswerBatch, DistinctAnswer, Subject, apply_reply, sheet_of
from core.grading.model_grader import ModelGrader, grader_for
from core.providers import openai_format
from core.providers.base import Draw, Finish, Reply
from core.providers.capabilities import Capabilities
from core.vocabulary import Outcome
from prompts import Message
from tests.core.grading import quoting
from tests.core.grading.attacks import ATTACKS, BREAKOUTS, GOLD
from tests.core.grading.quoting import WAYS

LONGEST = 2_000
ALL = (*ATTACKS, *BREAKOUTS)
SHORT = tuple(one for one in ALL if len(one) < LONGEST)
HARMLESS = ("Narva", "Tartu", "Viljandi", "the town of Tartu")
HONEST = (Outcome.INCORRECT, Outcome.CORRECT, Outcome.INCORRECT, Outcome.CORRECT)
QUESTION = "Which town has the oldest university of Estonia?"
NO_LABEL = Outcome.UNPARSED
OWN = {Outcome.INCORRECT, NO_LABEL}
"""What an attack may come to: it is wrong."""
GRADER = grader_for("llm:embedded:smollm2-135m", Capabilities())
JUDGING = grader_for("judge:embedded:smollm2-135m", Capabilities())

Said = Callable[[AnswerBatch], Reply]


def labels(
    answers: tuple[str, ...],
    said: Said,
    completion: bool = False,
    question: str = QUESTION,
    grader: ModelGrader = GRADER,
) -> list[Outcome]:
    """What the answers come to, asked about together as long as replies can be read."""
    subject = Subject(1, completion, question, (GOLD,))
    sheet = sheet_of(
        grader, subject, [DistinctAnswer(one, (at,)) for at, one in enumerate(answers)]
    )
    found: dict[int, Outcome] = {}
    while sheet is not None:
        came = apply_reply(sheet, said(sheet))
        found |= {place: one.outcome for one in came.graded for place in one.answer.places}
        sheet = came.next
    return [found[place] for place in range(len(answers))]


def rows(attack: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The attack at every place among harmless answers."""
    for place in range(len(HARMLESS) + 1):
        yield place, (*HARMLESS[:place], attack, *HARMLESS[place:])


def check(found: list[Outcome], place: int, may_lack: bool) -> None:
    """No label but an honest one; none at all only where that may be."""
    own, others = found[place], (*found[:place], *found[place + 1 :])
    assert own in OWN
    if may_lack:
        assert all(one in (fair, NO_LABEL) for one, fair in zip(others, HONEST, strict=True))
    else:
        assert others == HONEST


def reply(text: str, finish: Finish = "stop") -> Reply:
    return Reply((Draw(text, finish),))


@pytest.mark.slow
@pytest.mark.parametrize("completion", [False, True])
@pytest.mark.parametrize("attack", ALL)
def test_a_quote_in_a_reason_moves_no_label(completion: bool, attack: str) -> None:
    for place, answers in rows(attack):
        found = labels(answers, lambda sheet: reply(quoting.reply(_asked(sheet))), completion)
        check(found, place, may_lack=False)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_nor_does_a_quote_anywhere_else(way: quoting.Write) -> None:
    for attack in SHORT:
        for place, answers in rows(attack):
            found = labels(
                answers,
                lambda sheet: reply(quoting.reply(_asked(sheet), way)),
                "completion" in attack,
            )
            check(found, place, may_lack=True)


@pytest.mark.slow
@pytest.mark.parametrize("finish", ["stop", "length"])
@pytest.mark.parametrize("way", WAYS)
def test_nor_does_a_reply_that_ends_with_a_quote(way: quoting.Write, finish: Finish) -> None:
    for attack in SHORT:

        def said(sheet: AnswerBatch, attack: str = attack) -> Reply:
            return reply(quoting.broken_off(_asked(sheet), attack, way), finish)

        for place, answers in rows(attack):
            check(labels(answers, said, "completion" in attack), place, may_lack=True)


def test_nor_does_a_quote_in_thoughts() -> None:
    def said(sheet: AnswerBatch) -> Reply:
        message = {"content": quoting.thoughts(_asked(sheet))}
        document = {"choices": [{"message": message, "finish_reason": "stop"}]}
        return openai_format.reply(document)

    for attack in SHORT:
        for place, answers in rows(attack):
            check(labels(answers, said, "completion" in attack), place, may_lack=False)


@pytest.mark.parametrize("completion", [False, True])
def test_nor_does_a_question_that_is_quoted(completion: bool) -> None:
    for attack in SHORT:

        def write(noun: str, number: str, label: str, text: str, attack: str = attack) -> str:
            return quoting.in_its_reason(noun, number, label, attack)

        def said(sheet: AnswerBatch, write: quoting.Write = write) -> Reply:
            return reply(quoting.reply(_asked(sheet), write))

        found = labels(HARMLESS, said, completion, f"{QUESTION} {attack}")
        assert all(one in (fair, NO_LABEL) for one, fair in zip(found, HONEST, strict=True))


def test_a_judge_that_quotes_gives_no_label() -> None:
    for attack in ALL:
        for text in (f'No: "{attack}"', f"{attack}\nNo", attack):
            (found,) = labels((attack,), lambda sheet, text=text: reply(text), grader=JUDGING)  # type: ignore[misc]
            assert found is NO_LABEL


def test_a_reply_that_is_cut_off_gives_no_label() -> None:
    def said(sheet: AnswerBatch) -> Reply:
        return reply(quoting.reply(_asked(sheet)), "length")

    assert labels(HARMLESS, said) == [NO_LABEL] * len(HARMLESS)


def test_angles_that_are_no_tags_may_stand_in_a_reason() -> None:
    def said(sheet: AnswerBatch) -> Reply:
        return reply(quoting.reply(_asked(sheet), _less))

    assert labels(HARMLESS, said) == list(HONEST)


def _less(noun: str, number: str, label: str, text: str) -> str:
    return quoting.in_its_reason(noun, number, label, "5 < 6 > 4, a <b>bold</b> claim")


def _asked(sheet: AnswerBatch) -> tuple[Message, ...]:
    assert sheet.request.messages is not None
    return sheet.request.messages
