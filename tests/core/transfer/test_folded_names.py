"""Names in texts, however they are written: found, and replaced to the letter."""

import unicodedata
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.transfer.pseudonyms import PersonNumbers, find_hosts, fold

FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
WAYS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.lower,
    str.casefold,
    str.title,
    *(lambda text, form=form: unicodedata.normalize(form, text) for form in FORMS),
)
"""Ways in which one name may be written."""

NAMES = (
    *(
        "Groß",
        "Strauß",
        "İpek",
        "Işık",
        "José Núñez",
        "ﬁona",
        "Ｆｕｌｌ Width",
        "Ångström",
        "Łukasz",
    ),
    *("张伟", "김지민", "हरि", "Ann", "Anna", "Al", "O'Neil", "ann.lee@uni.example", "c(*", "🦊"),
)


def bare(text: str) -> str:
    return fold(text)[0].replace("\u200b", "")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_found_in_every_form(name: str) -> None:
    people = PersonNumbers([name])
    for one in WAYS:
        for other in WAYS:
            written = one(other(name))
            assert people.hide(f"as {written}, {written}!") == "as person-1, person-1!"


@pytest.mark.slow
def test_every_letter_has_one_form() -> None:
    """Whatever changes its case or its composition; there are none beyond the third plane."""
    letters = (chr(at) for at in range(0x30000) if not 0xD800 <= at < 0xE000)
    written = ({way(one) for way in WAYS} for one in letters)
    assert [forms for forms in written if len(forms) > 1 and len(set(map(bare, forms))) > 1] == []


WORDS = st.text(
    st.characters(categories=("Ll", "Lu", "Lo", "Lt", "Mn"), exclude_characters="\u0345"),
    min_size=2,
    max_size=8,
).filter(lambda word: word[0].isalpha() and sum(map(str.isalpha, bare(word))) > 1)


@pytest.mark.slow
@given(WORDS, WORDS, st.sampled_from(WAYS), st.text(max_size=20), st.text(max_size=20))
def test_no_form_of_a_name_is_left(
    name: str, other: str, way: Callable[[str], str], before: str, after: str
) -> None:
    people = PersonNumbers([name, other])
    hidden = people.hide(f"{before} {way(name)} {after}")
    assert f" {bare(name)} " not in f" {' '.join(bare(hidden).split())} "
    assert "person-" in hidden


@pytest.mark.slow
@given(st.text(max_size=60))
def test_what_holds_no_name_stays_to_the_letter(text: str) -> None:
    name = "Zenobia Quill"
    hidden = PersonNumbers([name]).hide(text)
    assert hidden == text or "zenobia" in bare(text) or "quill" in bare(text)


@pytest.mark.slow
@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(WAYS))
def test_the_span_that_is_replaced_is_the_one_written(
    before: str, after: str, way: Callable[[str], str]
) -> None:
    hidden = PersonNumbers(["Strauß"]).hide(f"{before} [{way('Strauß')}] {after}")
    assert hidden == f"{before} [person-1] {after}"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (
            "Ann and Anna, Joanna, ANN_2 Ann's",
            "person-1 and person-2, Joanna, person-1_2 person-1's",
        ),
        ("Jose\u0301 Nu\u0301n\u0303ez!", "person-3!"),
        ("jose or Núñez or nunez", "person-3 or person-3 or person-3"),
        ("Nunez, José wrote", "person-3 wrote"),
        ("A\u00adnn, A\u200dnna, An\u200b\u200bn", "person-1, person-2, person-1"),
        ("Bob\u200bAnn", "Bob\u200bperson-1"),
        ("张伟说对, Ann说", "person-4说对, person-1说"),
        ("김지민이 맞다; 김지민가", "person-5이 맞다; person-5가"),
        (
            "Q is a letter; human:Q, human:q#2 HUMAN:Q",
            "Q is a letter; human:person-6, human:person-6#2 HUMAN:person-6",
        ),
        ("the Hun of attila and others", "the person-7 of person-7 and others"),
        (
            "/home/zed/x /Users/zed C:\\Users\\zed\\x",
            "/home/person/x /Users/person C:\\Users\\person\\x",
        ),
    ],
)
def test_what_counts_as_a_name(text: str, hidden: str) -> None:
    names = ["Ann", "Anna", "José Núñez", "张伟", "김지민", "Q", "Attila the Hun"]
    assert PersonNumbers(names).hide(text) == hidden


def test_addresses_go_with_the_names() -> None:
    hosts = find_hosts(
        [
            "openai:m@http://gpu7.uni.example:8000/v1",
            "m@http://[::1]:9/v1",
            "Ann",
            "x@http://vllm:8000/v1",
        ]
    )
    people = PersonNumbers(["Ann"], hosts)
    for text, hidden in (
        ("llm:openai:m@http://gpu7.uni.example:8000/v1#v2, lexical", "llm:openai:m#v2, lexical"),
        ("at HTTP://GPU7.uni.example/x?y=1 or gpu7.uni.example.", "at server or server."),
        (
            "vllm runs at vllm:8000, http://vllm/ and http://[::1]:9/v1",
            "vllm runs at server, server and server",
        ),
        ("https://en.wikipedia.org/wiki/Ann", "https://en.wikipedia.org/wiki/person-1"),
        ("agpu7.uni.example gpu7.uni.example.org", "agpu7.uni.example gpu7.uni.example.org"),
    ):
        assert people.hide(text) == hidden
