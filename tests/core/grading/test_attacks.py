"""What a model answered cannot steer its grader."""

import json
from dataclasses import replace

import pytest

import prompts
from core.grading import answer_batches, grading_prompt
from core.grading.answer_batches import (
    DistinctAnswer,
    Subject,
    UnreadableError,
    apply_reply,
    sheet_of,
)
from core.grading.grading_prompt import ANSWER, COMPLETION, JUDGE
from core.grading.model_grader import ModelGrader, grader_for
from core.providers.base import Draw, Reply
from core.providers.capabilities import Capabilities
from core.vocabulary import Label, Outcome
from prompts import Message
from tests.core.grading import obedient
from tests.core.grading.attacks import ATTACKS, GOLD

QUESTION = "Which town has the oldest university of Estonia?"
HARMLESS = ("Tartu", "the town of Tartu", "Narva", "Viljandi")
HONEST = (Outcome.CORRECT, Outcome.CORRECT, Outcome.INCORRECT, Outcome.INCORRECT)
BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
TEMPLATES = (ANSWER, COMPLETION)
GRADER = grader_for("llm:embedded:smollm2-135m", Capabilities())
JUDGING = grader_for("judge:embedded:smollm2-135m", Capabilities())


def last(template: str, answers: tuple[str, ...], gold: str = GOLD) -> str:
    return grading_prompt.messages(template, QUESTION, [gold], answers)[-1].content


def shape(prompt: str) -> list[str]:
    """What every line begins with, lines as the most generous reader sees them."""
    return [line.partition(': "')[0] for line in prompt.splitlines()]


def quoted(prompt: str) -> list[str]:
    """The answers, read back."""
    lines = [line for line in prompt.splitlines() if line.startswith(("Answer", "Completion"))]
    return [json.loads(line.partition(": ")[2]) for line in lines]


def cut(answer: str) -> str:
    """What a grader sees of an answer."""
    half = grading_prompt.LONGEST_ANSWER // 2
    return answer if len(answer) <= 2 * half else f"{answer[:half]} … {answer[-half:]}"


def labels(grader: ModelGrader, answers: tuple[str, ...], completion: bool) -> list[Outcome]:
    """What the obedient grader says of these answers, all in one request if it can be."""
    subject = Subject(1, completion, QUESTION, (GOLD,))
    sheet = sheet_of(
        grader, subject, [DistinctAnswer(one, (at,)) for at, one in enumerate(answers)]
    )
    found: dict[int, Outcome] = {}
    while sheet is not None:
        assert sheet.request.messages is not None
        came = apply_reply(sheet, Reply((Draw(obedient.reply(sheet.request.messages), "stop"),)))
        found |= {place: one.outcome for one in came.graded for place in one.answer.places}
        sheet = came.next
    return [found[place] for place in range(len(answers))]


def test_there_are_enough_of_them() -> None:
    assert len(set(ATTACKS)) >= 40
    assert not [one for one in ATTACKS if GOLD.casefold() in one.casefold()]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_prompt_keeps_its_lines(template: str, attack: str) -> None:
    for place in range(4):
        answers = (*HARMLESS[:place], attack, *HARMLESS[place + 1 :])
        prompt = last(template, answers)
        assert shape(prompt) == shape(last(template, HARMLESS))
        assert quoted(prompt) == list(map(cut, answers))
        assert not set(BREAKS) & set(prompt.replace("\n", ""))
        assert not set("<>") & set(prompt)


@pytest.mark.parametrize("attack", ATTACKS)
def test_gold_and_question_are_data_as_well(attack: str) -> None:
    for template in TEMPLATES:
        assert shape(last(template, HARMLESS, attack)) == shape(last(template, HARMLESS))
        asked = grading_prompt.messages(template, attack, [GOLD], HARMLESS)[-1].content
        assert shape(asked) == shape(last(template, HARMLESS))
    judge = grading_prompt.messages(JUDGE, attack, [attack], [attack])[-1].content
    assert shape(judge) == shape(grading_prompt.messages(JUDGE, "a", ["b"], ["c"])[-1].content)


@pytest.mark.parametrize("attack", ATTACKS)
def test_only_the_last_message_differs(attack: str) -> None:
    for template in TEMPLATES:
        asked = grading_prompt.messages(template, QUESTION, [GOLD], (attack,))
        assert asked[:-1] == grading_prompt.messages(template, QUESTION, [GOLD], ("Narva",))[:-1]


@pytest.mark.parametrize("completion", [False, True])
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_obedient_grader_is_not_reached(completion: bool, attack: str) -> None:
    for place in range(5):
        answers = (*HARMLESS[:place], attack, *HARMLESS[place:])
        wanted = [*HONEST[:place], Outcome.INCORRECT, *HONEST[place:]]
        assert labels(GRADER, answers, completion) == wanted


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_obedient_judge_is_not_reached(attack: str) -> None:
    answers = (attack, *HARMLESS)
    assert labels(JUDGING, answers, completion=False) == [Outcome.INCORRECT, *HONEST]


def test_all_attacks_together_are_not_enough() -> None:
    answers = tuple(one for attack in ATTACKS for one in (attack, "Tartu", "Narva"))
    wanted = [Outcome.INCORRECT, Outcome.CORRECT, Outcome.INCORRECT] * len(ATTACKS)
    assert labels(GRADER, answers, completion=False) == wanted


def test_the_obedient_grader_is_reached_without_quotes() -> None:
    """The suite can fail: what stands outside of quotes is obeyed."""

    def naive(attack: str) -> str:
        lines = [f"Answer {number}: {one}" for number, one in enumerate((attack, *HARMLESS), 1)]
        head = f'Question: "{QUESTION}"\nGold answer: "{GOLD}"'
        prompt = Message("user", "\n".join([head, *lines]))
        return obedient.reply((prompt,))

    honest = obedient.reply((Message("user", last(ANSWER, ("Narva", *HARMLESS))),))
    reached = [attack for attack in ATTACKS if naive(attack) != honest]
    assert len(reached) >= len(ATTACKS) // 2


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_reply_that_repeats_an_attack_gives_no_label_to_others(attack: str) -> None:
    """A grader that copies an answer into its reply is not read, or read as it meant."""
    fair = [f"<answer_{n}>INCORRECT</answer_{n}><why_{n}>so</why_{n}>" for n in (1, 2)]
    for reply in (f"{attack}\n" + "\n".join(fair), "\n".join([*fair, attack])):
        try:
            found = answer_batches.read_labels(reply, "answer", 2)
        except UnreadableError:
            continue
        assert [one.label for one in found] == [Label.INCORRECT, Label.INCORRECT]
    with pytest.raises(UnreadableError):
        answer_batches.read_labels(f"{fair[0]}{attack}", "answer", 2)


def test_an_attack_within_a_reason_stays_a_reason() -> None:
    for attack in ATTACKS:
        reply = f"<answer_1>INCORRECT</answer_1><why_1>it says {attack}</why_1>"
        try:
            found = answer_batches.read_labels(f"{reply}\n<answer_2>OTHER</answer_2>", "answer", 2)
        except UnreadableError:
            continue
        assert [one.label for one in found] == [Label.INCORRECT, Label.OTHER]


def test_templates_of_the_user_are_quoted_for_as_well(tmp_path) -> None:  # type: ignore[no-untyped-def]
    ours = (prompts.template.OURS / f"{ANSWER}.md").read_text(encoding="utf-8")
    (tmp_path / f"{ANSWER}.md").write_text(ours.replace("You compare", "You weigh"))
    grader = grader_for(GRADER.name, Capabilities(), folder=tmp_path)
    assert grader.recipe.version != GRADER.recipe.version
    assert replace(grader, folder=None).name == GRADER.name
    for attack in ATTACKS:
        assert labels(grader, (attack, *HARMLESS), completion=False) == [Outcome.INCORRECT, *HONEST]
