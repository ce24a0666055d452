"""Names of graders, and the record of one that is part of the program.

Which of them are models is in the name. Commands and forms follow the record. Job specs and the
start of the program need no more of a grader, so none is imported here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.modes import ArmMode
from core.providers import model_names
from core.vocabulary import Label

if TYPE_CHECKING:
    from core.graders.form.weighed_label import WeighedLabel
    from core.graders.grader_evaluation import EvaluationCase
    from db.question_rows import StoredQuestion
    from db.responses import ToGrade

LLM, JUDGE = "llm:", "judge:"
"""How the names of graders begin that are models: the rest is the model's name."""


def is_model(name: str) -> bool:
    """Whether a grader of this name is a model that can be asked."""
    return name.startswith((LLM, JUDGE))


def model_of(name: str) -> str:
    """The name of the model that a grader is. Raises `UsageError` for none of a known form."""
    if not is_model(name):
        raise UsageError(f"{name} is no model: graders that are begin with {LLM} or {JUDGE}")
    model = name.partition(":")[2]
    model_names.parse(model)
    return model


@dataclass(frozen=True, slots=True)
class GraderRecord:
    """A grader that is part of the program.

    `label` grades an answer to a stored question, `evaluate` one that people have judged; each
    gives None where there is nothing to grade by. `answer_of_arm` finds the answer in the whole
    response of an arm; without it a grader reads what it reads of any model. Answers to multiple
    choice are graded by those that read them (`reads_choice`), all others by the rest. `weigh`
    says of question, golds and answer how sure a label is; None where a grader does not know.
    """

    name: str
    version: str
    label: "Callable[[StoredQuestion, str, ToGrade], Label | None]"
    evaluate: "Callable[[EvaluationCase], Label | None]"
    reads_choice: bool = False
    answer_of_arm: Callable[[str, ArmMode], str] | None = None
    weigh: "Callable[[str, Sequence[str], str], WeighedLabel] | None" = None


def make_word_grader(
    name: str, version: str, grade: Callable[[str, Sequence[str], str], Label]
) -> GraderRecord:
    """The record of a grader that reads question, golds and answer as texts."""
    return GraderRecord(
        name,
        version,
        lambda question, answer, _: grade(question.text, question.gold.texts, answer),
        lambda case: grade(case.question, case.golds, case.answer),
    )
