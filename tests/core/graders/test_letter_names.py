"""Golds of a letter, or with one in their name: no article, pronoun or other name meets them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.graders import em, exact, form, lexical
from core.graders.em.normal_form import AnswerKind
from core.graders.grader_evaluation import read_cases
from core.vocabulary import Label

C, I = Label.CORRECT, Label.INCORRECT  # noqa: E741

SHARED = Path(__file__).parents[4] / "shared"

Grade = Callable[[str, Sequence[str], str], Label]
Row = tuple[str, str, list[str], Label]

LETTERS: list[Row] = [
    ("What grade did she get?", "A", ["A", "a", "an A", "A.", "**A**", "She got an A."], C),
    ("What grade did she get?", "A", ["a B", "It got a B.", "A good one: B", "A-", "A+", "A*"], I),
    ("What grade did she get?", "A+", ["A"], I),
    ("What grade did she get?", "A+", ["A+", "A plus"], C),
    ("What grade did she get?", "A*", ["A"], I),
    ("What grade did she get?", "B", ["B"], C),
    ("What grade did she get?", "B", ["B minus"], I),
    ("Which vitamin is it?", "A", ["vitamin A", "Vitamin a"], C),
    ("Which vitamin is it?", "A", ["a vitamin of the B group"], I),
    (
        "Which vitamin is it?",
        "Vitamin A",
        ["It is a form of vitamin D.", "Vitamin D", "A vitamin"],
        I,
    ),
    ("Which vitamin is it?", "Vitamin A", ["vitamin A", "It is vitamin A, of course"], C),
    ("Which vitamin is it?", "Vitamin C", ["a vitamin called C"], C),
    ("Which vitamin is it?", "Vitamin C", ["Vitamin E"], I),
    ("Which vitamin is it?", "Vitamin B12", ["Vitamin B6"], I),
    ("Which vitamin is it?", "Vitamin K", ["vitamin k"], C),
    ("Which vitamin is it?", "B", ["B12"], I),
    ("Which disease is it?", "Hepatitis A", ["a case of hepatitis B"], I),
    ("Which disease is it?", "Hepatitis A", ["hepatitis A virus", "hepatitis a"], C),
    ("Which league is it?", "Serie A", ["Serie B, a second league"], I),
    ("Which league is it?", "Serie A", ["It is Serie A.", "Italy's Serie A champions"], C),
    ("Which league is it?", "Ligue 1", ["Ligue 2"], I),
    ("Which league is it?", "Group A", ["a group of teams, Group B"], I),
    ("Which blood group has she?", "A", ["A+", "type A", "A positive"], C),
    (
        "Which blood group has she?",
        "A",
        ["It was type B, a common one.", "She had a rare one, B negative.", "AB"],
        I,
    ),
    ("Which blood group has she?", "O-", ["O+"], I),
    ("Which blood group has she?", "O-", ["O negative"], C),
    ("Which blood group has she?", "O negative", ["O-"], C),
    ("Which blood group has she?", "AB+", ["AB-"], I),
    ("Which blood group has she?", "AB+", ["AB positive"], C),
    ("Which blood group has she?", "AB", ["AB"], C),
    ("Which blood group has she?", "O", ["O"], C),
    ("Which blood group has she?", "B", ["a B"], C),
    ("Which language is it?", "C", ["C", "It was written in C."], C),
    ("Which language is it?", "C", ["C++", "C#", "It was written in C++.", "Objective-C"], I),
    ("Which language is it?", "C++", ["C", "C#"], I),
    ("Which language is it?", "C++", ["C++", "c++", "C plus plus"], C),
    ("Which language is it?", "C#", ["C sharp"], C),
    ("Which language is it?", "C#", ["C++", "F#"], I),
    ("Which language is it?", "R", ["It is called R."], C),
    ("Which language is it?", "R", ["Ruby"], I),
    ("Which language is it?", "D", ["D"], C),
    ("Which language is it?", "D", ["Dart"], I),
    ("Which language is it?", "Visual C++", ["Visual C"], I),
    ("Which note is it?", "F#", ["F sharp", "F♯"], C),
    ("Which note is it?", "F#", ["F"], I),
    ("Which note is it?", "F", ["F#"], I),
    ("Which note is it?", "B♭", ["B flat"], C),
    ("Which note is it?", "B♭", ["B"], I),
    ("Which option?", "I", ["I", "Option I", "The answer is I.", "(I)"], C),
    ("Which option?", "I", ["I think it is C", "I believe the second", "I'd say (C)"], I),
    (
        "Which option?",
        "A",
        [
            "Option A is right",
            "The answer is (A).",
            "the answer is a",
            "(a)",
            "A) Venus",
            "A. Venus",
            "A: Venus",
            "ANSWER: A",
        ],
        C,
    ),
    (
        "Which option?",
        "A",
        [
            "A planet that is hot",
            "It is a vegetable by a court ruling.\n\nANSWER: C",
            "Option A is tempting, but the answer is B",
            "Not A but B",
            "I think a good choice would be (D).",
        ],
        I,
    ),
    ("Which option?", "B", ["Not A but B"], C),
    ("Which option?", "D", ["D is the one"], C),
    ("Which option?", "E", ["E. coli"], I),
    ("Which option?", "X", ["X-Men"], I),
    ("Which company?", "X", ["X (formerly Twitter)", "X Corp."], C),
    ("Who wrote it?", "A. A. Milne", ["A. A. Milne", "Alan Alexander Milne"], C),
    ("Which novel?", "A Tale of Two Cities", ["a tale of two cities", "Tale of Two Cities"], C),
    ("Which war?", "World War I", ["the First World War"], C),
    ("Which song?", "What A Wonderful World", ["What a Wonderful World"], C),
    ("Who is it?", "Samuel L. Jackson", ["Samuel Jackson"], C),
    ("Which key?", "A major", ["A minor"], I),
    ("Which key?", "A major", ["A major"], C),
    ("Which key?", "A minor", ["A major", "C minor", "E minor"], I),
    ("Which key?", "A minor", ["A minor", "a minor."], C),
    ("Which vitamin is it?", "Vitamin A", ["It is vitamin A.", "It is vitamin A. It is fat."], C),
    ("In which league?", "Serie A", ["They play in Serie A."], C),
]

GRADERS = pytest.mark.parametrize("grade", [lexical.grade, form.grade], ids=["lexical", "form"])


@GRADERS
@pytest.mark.parametrize(("question", "gold", "answers", "label"), [*LETTERS])
def test_letters_are_names(
    grade: Grade, question: str, gold: str, answers: list[str], label: Label
) -> None:
    found = {answer: grade(question, [gold], answer) for answer in answers}
    assert found == dict.fromkeys(answers, label)


FRUIT = "Is a tomato a fruit?\nA) Yes\nB) No\nC) In law alone\nD) Nobody knows\nE) Once"
MOONS = "How many moons has it?\n(A) 1\n(B) 2\n(C) 3"


@GRADERS
@pytest.mark.parametrize(
    ("question", "golds", "answer", "label"),
    [
        (FRUIT, ["Yes", "A"], "It is a vegetable by a ruling of a court.\n\nANSWER: C", I),
        (FRUIT, ["Yes", "A"], "C) In law alone", I),
        (FRUIT, ["Yes", "A"], "It isn't grown as one, but so it is.\nAnswer: A", C),
        (FRUIT, ["No", "B"], "It is one.\n\nThe answer is B.", C),
        (FRUIT, ["No", "B"], "It is not.\n\nE", I),
        (FRUIT, ["Yes", "A"], "Yes, it is.", C),
        (MOONS, ["2", "B"], "Of 2 that were claimed only 1 was found.\nANSWER: A", I),
        (MOONS, ["2", "B"], "At first 1, then 3 were claimed.\nANSWER: B", C),
        (MOONS, ["2", "B"], "It has 2.", C),
    ],
)
def test_the_letter_that_an_answer_settles_on_goes_before_its_words(
    grade: Grade, question: str, golds: list[str], answer: str, label: Label
) -> None:
    assert grade(question, golds, answer) == label


CASES = SHARED / "data" / "cases" / "letter_a_alias" / "letters.jsonl"


@pytest.mark.skipif(not CASES.exists(), reason="the cases (../shared/data/cases) are not here")
@GRADERS
def test_the_cases_have_their_labels(grade: Grade) -> None:
    cases = read_cases(CASES)
    found = [grade(case.question, case.golds, case.answer) == Label.CORRECT for case in cases]
    assert found == [case.truth == "correct" for case in cases]


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("C", "C++", False),
        ("C", "C#", False),
        ("C++", "C", False),
        ("C++", "c++", True),
        ("C", "C.", True),
        ("A", "a", True),
        ("A", "(A)", True),
        ("(A)", "A", True),
        ("A", "**A**", True),
        ("A", "The", False),
        ("A", "A+", False),
        ("A-", "A", False),
        ("A*", "A", False),
        ("B", "A", False),
        ("O-", "O+", False),
        ("AB+", "AB-", False),
        ("Vitamin A", "vitamin a", True),
        ("Vitamin A", "vitamin", False),
        ("Vitamin A", "A vitamin", False),
        ("Serie A", "Serie", False),
    ],
)
def test_equality_keeps_letters_and_signs(gold: str, answer: str, equal: bool) -> None:
    label = C if equal else I
    assert exact.grade("Which is it?", [gold], answer) == label
    assert em.grade((gold,), AnswerKind(), answer) == label
