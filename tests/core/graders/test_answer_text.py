"""What of a response is its answer, case by case (semantics section 2)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graders.answer_text import answer_of, has_marker


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("I think so.\nAnswer: Tartu", "Tartu"),
        ("ANSWER: Tartu", "Tartu"),
        ("answer : Tartu", "Tartu"),
        ("**Answer:** Tartu", "Tartu"),
        ("**Answer**: **Tartu**", "Tartu"),
        ("### Final answer: `Tartu`", "Tartu"),
        ("Answer: [Tartu]", "Tartu"),
        ("Answer: {Tartu}", "Tartu"),
        ("Answer: (Tartu)", "Tartu"),
        ("Answer: [[Tartu]]", "Tartu"),
        ("Answer:\n\n   Tartu  \nIt lies on a river.", "Tartu"),
        ("Answer:\r\n**\r\nTartu\r\nmore", "Tartu"),
        ("Answer: Narva\nNo, wait.\nAnswer: Tartu", "Tartu"),
        ("Answer: Narva\nanswer: Tartu\nThat is it.", "Tartu"),
        ("The answer is easy.\nTartu", "Tartu"),
        ("First.\nSecond.\n\n**Tartu**\n\n", "Tartu"),
        ("Tartu", "Tartu"),
        ("Answer: Tartu, Estonia", "Tartu, Estonia"),
        ("Answer: Tartu (Estonia)", "Tartu (Estonia)"),
        ("Answer: **Tartu (Estonia)**", "Tartu (Estonia)"),
        ("Answer: [Tartu (Estonia)]", "Tartu (Estonia)"),
        ("Answer: f(x) [sic]", "f(x) [sic]"),
        ("Answer: (B) Tartu", "B) Tartu"),
        ("Answer: Tartu)", "Tartu"),
        ("Answer:", ""),
        ("Tartu\nAnswer:\n\n", ""),
        ("", ""),
        ("\n \n", ""),
        ("**\n__", ""),
    ],
)
def test_step_by_step(text: str, answer: str) -> None:
    assert answer_of(text, step_by_step=True) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("So the capital must be", ""),
        ("A thought.\nTartu", ""),
        ("A thought.\nAnswer: Tar", "Tar"),
        ("Answer:", ""),
        ("", ""),
    ],
)
def test_cut_off_before_a_marker_there_is_no_answer(text: str, answer: str) -> None:
    assert answer_of(text, step_by_step=True, cut_off=True) == answer


@given(st.text(), st.booleans())
def test_any_other_text_is_its_own_answer(text: str, cut_off: bool) -> None:
    assert answer_of(text, step_by_step=False, cut_off=cut_off) == text


@given(st.text(), st.booleans())
def test_a_step_by_step_answer_is_one_line_of_the_text(text: str, cut_off: bool) -> None:
    answer = answer_of(text, step_by_step=True, cut_off=cut_off)
    assert answer in text
    assert len(answer.splitlines()) <= 1
    assert answer == answer.strip()


@given(st.text(alphabet="ab \n*"), st.sampled_from(["answer:", "Answer :", "ANSWER**:"]))
def test_only_what_follows_the_last_marker_counts(before: str, marker: str) -> None:
    assert answer_of(f"{before}\nAnswer: wrong\n{before}{marker} right", True) == "right"


def test_markers() -> None:
    assert has_marker("x\n**ANSWER**: y")
    assert not has_marker("the answer is y")
    assert not has_marker("answers: y")


PIECES = ("answer:", "Answer **:", "anſwer :", "ANSWER", ":", " ", "\n", "x", "answer_\n:")


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.booleans())
def test_the_last_of_many_markers_is_found(text: str, cut_off: bool) -> None:
    marks = list(re.finditer(r"answer[\s*_`]*:", text, re.IGNORECASE))
    if marks:
        rest = text[marks[-1].end() :]
        assert answer_of(text, True, cut_off) == answer_of(f"answer:{rest}", True, cut_off)
    else:
        assert answer_of(text, True, True) == ""
