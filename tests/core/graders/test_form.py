"""The grader `form`: by rule where it has one, else by its chance; weights as they were trained."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.graders import form, lexical
from core.graders.form.weighed_label import WEIGHTS, load_weights, measure_answer, weigh
from core.graders.grader_evaluation import evaluate_chances, measure_reliability, read_cases
from core.graders.grader_table import BUILTIN
from core.vocabulary import Label
from tests.bench import form_training

DATA = Path(__file__).parents[4] / "shared" / "data" / "grading"
HERE = pytest.mark.skipif(
    not DATA.is_dir(), reason="the judged answers (../shared/data/grading) are not here"
)
C, I, P, O = Label.CORRECT, Label.INCORRECT, Label.PARTIALLY, Label.OTHER  # noqa: E741


@pytest.mark.parametrize(
    ("question", "gold", "answer", "label"),
    [
        ("Who painted the ceiling?", "Marta Lindqvist", "It was Marta Lindqvist.", C),
        ("Who painted the ceiling?", "Marta Lindqvist", "Karl Svensson", I),
        ("When was it built?", "14 May 1932", "1932", P),
        ("When was it built?", "14 May 1932", "I don't know.", O),
        ("When was it built?", "14 May 1932", "", O),
        ("When was it built?", "!!", "!!", C),
        ("When was it built?", "!!", "soon", I),
    ],
)
def test_labels(question: str, gold: str, answer: str, label: Label) -> None:
    assert form.grade(question, [gold], answer) is label


@pytest.mark.parametrize(
    ("question", "gold", "answer", "label"),
    [
        ("How many moons has it?", "10 to 20", "15", C),
        ("How many moons has it?", "10 to 20", "It has fourteen moons.", C),
        ("How many moons has it?", "10 to 20", "about 12", C),
        ("How many moons has it?", "10 to 20", "25", I),
        ("How many moons has it?", "10 to 20", "It has 24 moons.", I),
        ("How tall does it grow?", "10–20 m", "15 m", C),
        ("How tall does it grow?", "10–20 m", "25 m", I),
        ("How long does it take?", "2 to 3 hours", "150 minutes", C),
        ("How long does it take?", "2 to 3 hours", "250 minutes", I),
        ("How long is it?", "5 km", "5,000 m", C),
        ("How many live there?", "340k", "344k", C),
        ("How many live there?", "340k", "346k", I),
        ("Which Roman numeral follows the name?", "IV", "IV", C),
        ("Which Roman numeral follows the name?", "IV", "4", I),
        ("Which car is it?", "Lykan HyperSport", "redLykan HyperSportsupercar", C),
        ("Which city is it?", "São Paulo", r"S\u00e3o Paulo", C),
        ("Do they fly?", "Typically, no", "No, but there are exceptions", C),
    ],
)
def test_what_lexical_understands_outweighs_words(
    question: str, gold: str, answer: str, label: Label
) -> None:
    assert lexical.grade(question, [gold], answer) is label
    assert form.grade(question, [gold], answer) is label


def test_a_sure_answer_is_surer_than_a_doubtful_one() -> None:
    question, gold = "Who painted the ceiling?", ["Marta Lindqvist"]
    right = weigh(question, gold, "Marta Lindqvist")
    wrong = weigh(question, gold, "Karl Svensson")
    assert right.chance > 0.9 > 0.2 > wrong.chance
    assert right.surety == right.chance
    assert wrong.surety == 1 - wrong.chance
    empty = weigh(question, gold, " ")
    assert (empty.label, empty.chance) == (O, 0.0)


@settings(max_examples=60, deadline=None)
@given(st.text(), st.lists(st.text(), min_size=1, max_size=5), st.text())
def test_any_text_has_a_label_and_a_chance(question: str, golds: list[str], answer: str) -> None:
    found = weigh(question, golds, answer)
    assert 0 <= found.chance <= 1
    rule = lexical.grade(question, golds, answer)
    assert (found.label is rule) or {found.label, rule} <= {C, I}


def test_weights_are_of_the_numbers_and_of_this_lexical() -> None:
    weights = load_weights()
    _, numbers = measure_answer("Where is it?", ["Tartu"], "It is in Tartu.", weights.rarity)
    assert numbers is not None
    assert set(weights.names) == set(numbers)
    assert 60 <= len(weights.names) <= 80
    assert weights.lexical == lexical.VERSION, "lexical has changed: train form again"
    assert WEIGHTS.stat().st_size < 64_000
    assert len(weights.rarity) == form_training.BUCKETS
    assert all(isinstance(one, int | float | str | list) for one in json.loads(WEIGHTS.read_text()))
    assert BUILTIN["form"].version == form.VERSION


@HERE
@pytest.mark.slow
def test_trained_on_half_it_holds_on_the_other_half() -> None:
    """Weights of a part of the questions, measured on answers to questions they never saw."""
    cases = read_cases(DATA / "human_labels.jsonl")
    part = np.array([len(case.question) % 2 for case in cases])
    mine = [case for case, at in zip(cases, part, strict=True) if at == 0]
    others = [case for case, at in zip(cases, part, strict=True) if at == 1]
    weights = form_training.learn(mine)
    _, numbers = form_training.measure_all(others, weights.rarity)
    chances = [0.0 if one is None else weights.chance(one) for one in numbers]
    right = [case.truth == "correct" for case in others]
    found = measure_reliability(chances, right)
    coverage = dict(found.coverage)
    assert coverage[1.0] > 0.91
    assert coverage[0.8] > 0.95
    assert found.ece < 0.03


@HERE
@pytest.mark.slow
def test_weights_are_those_that_the_script_makes() -> None:
    made = form_training.learn(read_cases(DATA / "human_labels.jsonl"))
    kept = load_weights()
    assert made.rarity == kept.rarity
    assert made.names == kept.names
    assert made.weights == pytest.approx(kept.weights, abs=1e-4)
    assert made.bias == pytest.approx(kept.bias, abs=1e-4)


@HERE
def test_examples_of_the_paper_keep_their_four_labels() -> None:
    report = evaluate_chances("form", weigh, read_cases(DATA / "paper_examples.jsonl")).as_json()
    assert report["accuracy"] >= 0.82
    assert report["confusion"]["PARTIALLY"]["PARTIALLY"] >= 12
