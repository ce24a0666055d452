"""What a zero-prompt input is made of: the split, the examples, what is injected, the form."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dataset.seeded_order import digest, key_of
from core.errors import LostkeysError
from core.zero_prompt.examples import (
    Example,
    ExampleChoice,
    ExampleKind,
    Injection,
    Spread,
    choose_examples,
    injected_places,
    make_up,
    parse_injection,
    places_of,
)
from core.zero_prompt.input_form import InputForm, input_text, template_of
from core.zero_prompt.relation import Relation
from core.zero_prompt.training_split import Triple

TEXTS = st.text(min_size=1, max_size=8).filter(lambda text: bool(text.strip()))


def years(count: int, name: str = "born") -> Relation:
    """A relation of so many people, each born in another year."""
    return Relation(name, [Triple(f"t{at}", f"Person {at}", f"{1000 + at}") for at in range(count)])


def examples_of(relation: Relation, subject: str, n: int, seed: int = 0) -> list[str | None]:
    return [one.id for one in choose_examples(relation, subject, ExampleChoice(n, seed))]


def test_keys_compare_texts() -> None:
    assert key_of("  New \t York ") == key_of("NEW YORK") == "new york"
    assert key_of("e\u0301") == key_of("\u00c9")
    assert key_of("Straße") == "strasse"


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=30), st.integers(0, 29))
def test_later_triples_move_no_subject_across_the_split(
    pairs: list[tuple[str, str]], cut: int
) -> None:
    rows = [Triple(f"t{at}", *pair) for at, pair in enumerate(pairs)]
    before, after = Relation("r", rows[:cut]), Relation("r", rows)
    split = {key_of(one.subject): after.split.is_training(one) for one in after.triples.values()}
    for one in before.triples.values():
        assert before.split.is_training(one) is split[key_of(one.subject)]
    training = {key_of(one.subject) for one in after.split.training}
    assert training.isdisjoint(key_of(one.subject) for one in after.split.evaluation)


def test_about_a_fifth_of_the_subjects_are_for_examples() -> None:
    assert 330 < len(years(2000).split.training) < 470


def test_the_split_of_a_file_goes_before() -> None:
    rows = [
        Triple("a", "A", "1", split="train"),
        Triple("b", "B", "2", split="eval"),
        Triple("c", "C", "3", split="test"),
    ]
    relation = Relation("r", rows)
    assert [one.id for one in relation.split.training] == ["a"]
    assert [one.id for one in relation.split.evaluation] == ["b", "c"]


def test_a_pair_that_is_there_twice_counts_once() -> None:
    rows = [Triple("a", "Ana", "Oslo"), Triple("b", " ana ", "OSLO"), Triple("c", "Ana", "Rome")]
    assert list(Relation("r", rows).triples) == ["a", "c"]


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 5))
def test_fewer_examples_begin_more(some: int, more: int, seed: int) -> None:
    relation = years(120)
    subject = relation.split.evaluation[0].subject
    fewer, most = sorted((some, more))
    assert (
        examples_of(relation, subject, fewer, seed)
        == (examples_of(relation, subject, most, seed)[:fewer])
    )


def test_nobody_is_asked_about_who_is_an_example() -> None:
    relation = years(120)
    all_of_them = len(relation.split.training)
    for one in relation.split.training:
        assert one.id not in examples_of(relation, one.subject, all_of_them)
    assert len(examples_of(relation, "nobody", all_of_them)) == all_of_them


def test_a_long_input_fills_up_with_pairs_that_are_asked_about_elsewhere() -> None:
    """Two for training, of which Ana is one twice; then Cy and Dee by their hashes, Ana no more."""
    rows = [
        Triple("a", "Ana", "1", split="train"), Triple("b", "Bo", "2", split="train"),
        Triple("c", "Cy", "3", split="eval"), Triple("d", "Dee", "4", split="eval"),
        Triple("e", "ana", "5", split="eval"),
    ]  # fmt: skip
    relation = Relation("r", rows)
    found = [one.id for one in places_of(relation, ExampleChoice(4))]
    assert set(found[:2]) == {"a", "b"}
    by_hash = sorted("cd", key=lambda one: digest(0, "zp-examples", one))
    assert found[2:] == by_hash
    assert len(places_of(relation, ExampleChoice(9))) == 4
    assert [one.id for one in places_of(relation, ExampleChoice(1))] == found[:1]


def test_a_subject_with_two_objects_is_one_example() -> None:
    rows = [Triple(f"t{at}", "Ana", f"o{at}", split="train") for at in range(5)]
    assert len(examples_of(Relation("r", rows), "Bo", 5)) == 1


def test_seeds_and_orders_change_examples_and_their_places() -> None:
    relation = years(200)
    asked = relation.split.evaluation[0].subject
    plain = choose_examples(relation, asked, ExampleChoice(20))
    other = choose_examples(relation, asked, ExampleChoice(20, order=1))
    assert plain != other
    assert sorted(one.subject for one in plain) == sorted(one.subject for one in other)
    assert {one.id for one in plain} != {
        one.id for one in choose_examples(relation, asked, ExampleChoice(20, 1))
    }


@given(st.integers(0, 12), st.sampled_from(list(Spread)), st.integers(0, 5))
def test_as_many_places_are_altered_as_is_said(count: int, spread: Spread, seed: int) -> None:
    choice = ExampleChoice(12, seed, injected=Injection(ExampleKind.UNKNOWN, count, spread))
    places = injected_places("r", 12, choice)
    assert len(places) == count
    assert places <= set(range(12))
    if spread is Spread.BLOCK and places:
        assert max(places) - min(places) == count - 1


@settings(max_examples=20)
@given(st.integers(0, 200), st.integers(0, 3))
def test_incorrect_examples_are_wrong_and_unknown_ones_are_nobody(count: int, seed: int) -> None:
    relation = years(60)
    for kind in (ExampleKind.INCORRECT, ExampleKind.UNKNOWN):
        few = min(count, len(relation.split.training) - 1)
        wanted = Injection(kind, few, Spread.SCATTERED)
        found = choose_examples(
            relation, "nobody", ExampleChoice(len(relation.split.training), seed, 0, wanted)
        )
        altered = [one for one in found if one.kind is not ExampleKind.CLEAN]
        assert len(altered) == few
        for one in altered:
            known = relation.subjects.get(key_of(one.subject))
            assert (known is None) is (kind is ExampleKind.UNKNOWN)
            assert known is None or key_of(one.object) not in known


def test_a_made_up_name_that_is_somebody_is_made_up_again() -> None:
    relation = years(30)
    name = make_up(relation, 4, 0).subject
    there = Relation("born", [*relation.rows, Triple("x", name.upper(), "1200")])
    assert make_up(there, 4, 0).subject == make_up(relation, 1004, 0).subject != name


@pytest.mark.parametrize("text", ["", "unknown", "unknown:3", "clean:3:block", "unknown:-1:block"])
def test_an_injection_that_is_none_is_named(text: str) -> None:
    with pytest.raises(LostkeysError, match="write incorrect:40:scattered"):
        parse_injection(text)


def test_an_injection_reads_as_it_is_written() -> None:
    assert str(parse_injection("incorrect:4:block")) == "incorrect:4:block"


def test_more_altered_examples_than_there_are_is_an_error() -> None:
    choice = ExampleChoice(3, injected=parse_injection("unknown:4:block"))
    with pytest.raises(LostkeysError, match="alters more than the 3 examples"):
        choose_examples(years(100), "nobody", choice)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("{subject} was born in", "{subject} was born in"),
        ("[X] was born in [Y] .", "{subject} was born in"),
        ("The capital of [X] is [Y]", "The capital of {subject} is"),
        ("[X] , born", "{subject} , born"),
    ],
)
def test_templates_are_read_in_both_spellings(written: str, kept: str) -> None:
    assert template_of(written) == kept


@pytest.mark.parametrize(
    ("written", "said"), [("[Y] is where [X] was born", "stands before"), ("was born", "neither")]
)
def test_a_template_without_its_subject_first_is_refused(written: str, said: str) -> None:
    with pytest.raises(LostkeysError, match=said):
        template_of(written)


def test_a_form_needs_one_subject() -> None:
    with pytest.raises(LostkeysError, match="must stand in it once"):
        InputForm("twice", "{subject} and {subject}")


def test_an_input_ends_with_its_subject() -> None:
    examples = [Example("a", "Feynman", "1918"), Example("b", "Bohr", "1885")]
    assert input_text(InputForm(), examples, "Einstein") == "Feynman 1918 Bohr 1885 Einstein"
    rival = InputForm("hgp", "{subject} was born in", " ", "\n", "hgp")
    assert input_text(rival, examples[:1], "Einstein") == (
        "Feynman was born in 1918\nEinstein was born in"
    )
    assert input_text(rival, [], "a {subject} b") == "a {subject} b was born in"
