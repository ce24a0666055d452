"""Sentences as the checks see them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.pipeline import sentence_splitter


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("It rained. Then it stopped.", "It rained."),
        ("Dr. A. B. Cole sang. He left.", "Dr. A. B. Cole sang."),
        ("The name (lit. Big Hill) is old. It stands.", "The name (lit. Big Hill) is old."),
        ("He lived in Washington, D.C. He sang.", "He lived in Washington, D.C."),
        ("He lived in Washington, D.C. until 1990. He sang.",
         "He lived in Washington, D.C. until 1990."),
        ("Warner Bros. Animation made it. It sold.", "Warner Bros. Animation made it."),
        ("The town was taken in c. 587 by foes. It fell.", "The town was taken in c. 587 by foes."),
        ('"Is it so?" asked Ann. Nobody spoke.', '"Is it so?" asked Ann.'),
        ("An open bracket (here. Then more.", "An open bracket (here."),
        ("東京は首都である。人口が多い。", "東京は首都である。"),
        ("No stop at all", "No stop at all"),
    ],
)  # fmt: skip
def test_first_sentence(text: str, first: str) -> None:
    assert sentence_splitter.sentences(text)[0].strip() == first


@given(st.text(max_size=300))
def test_sentences_joined_are_the_text(text: str) -> None:
    assert "".join(sentence_splitter.sentences(text)) == text


@given(st.text(alphabet="aB.!?() \n\"'1。", max_size=200))
def test_finished_is_a_beginning(text: str) -> None:
    assert text.lstrip().startswith(sentence_splitter.drop_unfinished(text))


def test_finished_leaves_out_the_last_sentence() -> None:
    assert sentence_splitter.drop_unfinished("One is here. Two is there. Three was built by") == (
        "One is here. Two is there."
    )
    assert sentence_splitter.drop_unfinished("Only this was built by") == ""
