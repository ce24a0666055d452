"""What the arms of a model say of one fact: known zero-shot or not, and right in which modes."""

from dataclasses import dataclass

import db.grades
import db.responses
from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import score_response
from core.graders.grader_record import JUDGE
from core.graders.grader_table import BUILTIN
from core.modes import ZERO_SHOT, Arm, find_arm
from core.project import OpenProject
from core.vocabulary import Label, Outcome
from db.question_rows import StoredQuestion
from db.responses import StoredResponse, ToGrade
from db.slot_ids import slot, unpack

LEXICAL = "lexical"
"""Who says what is known where no judge has labels, as in the tables."""


@dataclass(frozen=True, slots=True)
class ArmVerdict:
    """What FACT-BENCH says of a fact for a model.

    `known`: whether the zero-shot answer is right, None without one. `right` are the modes in
    which the answer equals a gold, of `asked` modes.
    """

    model: str
    known: bool | None
    right: tuple[str, ...]
    asked: int


def read_arm_verdict(
    project: OpenProject, question: StoredQuestion, model: str
) -> ArmVerdict | None:
    """What the arms of a model say of a direct question; None where none has answered it.

    `model` may be one of these arms.
    """
    own = find_arm(model)
    base = model if own is None else own.base
    arms = {
        setting: arm
        for (label, thinking), setting in project.setting_ids().items()
        if not thinking and (arm := find_arm(label)) is not None and arm.base == base
    }
    slots = [slot(question.id, setting, 0) for setting in arms]
    found = sorted(db.responses.read_responses(project.connection, slots), key=lambda one: one.slot)
    if not found:
        return None
    known, right = None, []
    for response in found:
        arm = arms[unpack(response.slot)[1]]
        if _equals_gold(question, response.text, arm):
            right.append(str(arm.mode))
        if arm.mode == ZERO_SHOT:
            known = _is_known(project, question, response)
    return ArmVerdict(base, known, tuple(right), len(found))


def _equals_gold(question: StoredQuestion, response: str, arm: Arm) -> bool:
    kind = AnswerKind(question.answer_type, question.unit)
    return bool(score_response(response, question.gold.texts, kind, str(arm.mode)).em)


def _is_known(
    project: OpenProject, question: StoredQuestion, response: StoredResponse
) -> bool | None:
    """Whether a zero-shot answer is right by the first judge, else by rules."""
    setting = unpack(response.slot)[1]
    graders = {one.plane: one for one in project.graders()}
    said: dict[str, Outcome] = {}
    for at, plane, outcome, _, _ in db.grades.read_in_setting(
        project.connection, question.id, setting
    ):
        if at == response.slot and plane in graders:
            said[graders[plane].name] = Outcome(outcome)
    judges = sorted(one.name for one in graders.values() if one.name.startswith(JUDGE))
    if judges:
        judged = said.get(judges[0])
        return None if judged is None else judged is Outcome.CORRECT
    if LEXICAL in said:
        return said[LEXICAL] is Outcome.CORRECT
    given = ToGrade(response.slot, setting, response.text, None, response.finish)
    return BUILTIN[LEXICAL].label(question, response.text, given) is Label.CORRECT
