"""The grader `lexical` against people's labels, on the data beside the project."""

from pathlib import Path

import pytest

from core.graders.grader_evaluation import EvaluationCase, evaluate, read_cases
from core.graders.lexical import grade
from core.vocabulary import Label

DATA = Path(__file__).parents[4] / "shared" / "data" / "grading"
HUMAN, PAPER = DATA / "human_labels.jsonl", DATA / "paper_examples.jsonl"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the judged answers (../shared/data/grading) are not here"
)


def _grade(case: EvaluationCase) -> Label:
    return grade(case.question, case.golds, case.answer)


@pytest.fixture(scope="module")
def human() -> dict[str, float]:
    return evaluate("lexical", _grade, read_cases(HUMAN)).as_json()


@pytest.mark.slow
def test_agrees_with_people(human: dict[str, float]) -> None:
    assert human["n"] == 5992
    assert human["unlabelled"] == 0
    assert human["accuracy"] >= 0.9
    assert human["kappa"] >= 0.79


@pytest.mark.slow
def test_calls_wrong_answers_incorrect(human: dict[str, float]) -> None:
    assert human["wrong_as_incorrect"] >= 0.9


def test_agrees_with_the_papers_four_labels() -> None:
    cases = read_cases(PAPER)
    report = evaluate("lexical", _grade, cases).as_json()
    assert report["n"] == len(cases) == 102
    assert report["accuracy"] >= 0.8
