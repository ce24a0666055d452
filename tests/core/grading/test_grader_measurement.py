"""Measuring a model on answers that people have judged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.retry import RETRY
from core.errors import LostkeysError
from core.graders.grader_evaluation import EvaluationCase, GraderReport, read_cases
from core.grading.grader_measurement import GraderMeasurement, measure, sample_cases
from core.providers.base import FatalError, Request
from core.vocabulary import Label, Outcome
from tests.core.grading.making import EMBEDDED, Grader, honest

CASES = [
    EvaluationCase(f"{town}-{number}", "Which town?", False, ("Tartu",), answer, truth, "one")
    for town in "ab"
    for number, (answer, truth) in enumerate(
        [("Tartu", "correct"), ("Tartu ", "correct"), ("Narva", "wrong"), ("", "wrong")]
    )
] + [EvaluationCase("c", "The town is", True, ("Tartu",), "Narva or so", "correct", "two")]


def measured(
    grader: Grader, cases: list[EvaluationCase] | None = None, **options: object
) -> GraderMeasurement:
    return measure(EMBEDDED, cases or CASES, open_=lambda name: grader, **options)  # type: ignore[arg-type]


def test_it_is_asked_as_in_a_project() -> None:
    grader = Grader()
    found = measured(grader)
    assert grader.answers == [2, 1]
    assert found.cases == tuple(CASES)
    label = {"Tartu": Label.CORRECT, "": Label.OTHER}
    wanted = [label.get(case.answer.strip(), Label.INCORRECT) for case in CASES]
    assert list(found.labels) == wanted
    assert [why for why in found.whys if why] == ["so it reads"] * 7
    assert (found.spend.requests, found.spend.input_tokens) == (2, 200)
    assert found.stopped is None
    report = GraderReport(EMBEDDED, tuple(zip(found.cases, found.labels, strict=True)))
    document = report.as_json()
    assert document["accuracy"] == 8 / 9
    assert document["by_source"]["one"] == {"n": 8, "accuracy": 1.0}
    low, high = report.intervals()["by_source"]["one"]
    assert (low, high) == pytest.approx((0.2065, 1.0), abs=5e-5)  # one question, asked of eight
    assert report.intervals()["by_source"]["two"][0] == 0.0
    assert [case.id for case, _ in report.misses] == ["c"]


def test_what_brings_no_label_counts_as_a_miss() -> None:
    found = measured(Grader(lambda request, number: "hm"))
    assert [one for one in found.outcomes if one is not Outcome.OTHER] == [Outcome.UNPARSED] * 7
    assert found.labels.count(None) == 7


def test_what_came_before_the_end_is_kept() -> None:
    def say(request: Request, number: int) -> str | Exception:
        return FatalError("no money") if number > 1 else honest(request)

    found = measured(Grader(say), retry=replace(RETRY, in_a_row=1))
    assert found.stopped is not None
    assert "no money" in found.stopped
    assert 2 <= len(found.cases) < len(CASES)
    with pytest.raises(LostkeysError, match="no money"):
        measured(Grader(lambda request, number: FatalError("no money")), CASES[:3])


def test_a_sample_is_the_same_each_time_and_in_order() -> None:
    cases = [replace(CASES[0], id=str(number)) for number in range(100)]
    first = sample_cases(cases, 10)
    assert first == sample_cases(cases, 10) != sample_cases(cases, 10, seed=1)
    assert [int(case.id) for case in first] == sorted(int(case.id) for case in first)
    assert len(first) == 10
    assert sample_cases(cases, 1_000) == sample_cases(cases, None) == cases


@pytest.mark.slow
@pytest.mark.parametrize("name", ["human_labels.jsonl", "paper_examples.jsonl"])
def test_every_judged_answer_can_be_asked_about(shared: Callable[[str], Path], name: str) -> None:
    cases = read_cases(shared(f"data/grading/{name}"))
    grader = Grader()
    found = measured(grader, cases)
    assert len(found.cases) == len(cases)
    assert Outcome.UNPARSED not in found.outcomes
    assert len(grader.seen) < len(cases)
    asked = {(case.completion, case.question, case.golds) for case in cases if case.answer.strip()}
    assert len(grader.seen) >= len(asked)
