"""What is dropped of a set and why, and how the rest is shared out; beside plain loops."""

import hashlib
import random
from collections import Counter, defaultdict
from dataclasses import replace
from math import floor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LostkeysError, UsageError
from core.fact_bench.domain_names import read_domains
from core.fact_bench.set_preparation import DEFAULT, UNPREPARED, PreparedSet, prepare
from core.fact_bench.set_shares import assign_tiers, share_out
from core.fact_bench.triple_filters import (
    DEFAULT_FILTERS,
    FILTERS,
    find_reasons,
    parse_filters,
    read_properties,
)
from core.pipeline.text_match import WordText, contains
from core.pipeline.triple_text import restate, show_answer
from db.prepared_triples import PreparedTriple, SetTriple
from tests.core.fact_bench.making import a_triple

NUMBER = {"answer_type": "number", "unit": "km"}
DATE = {"answer_type": "date", "object": "1888-03-10"}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({}, None),
        ({"asked": " \n"}, "question"),
        ({"relation": "favourite colour"}, "property"),
        ({"relation": "favourite colour", "property_id": "p19"}, None),
        ({"relation": "Place of  Birth"}, None),
        ({"page_title": "Ada (painter)"}, "parentheses"),
        ({"subject": "Ada (painter)", "page_title": "Ada"}, None),
        ({"subject": "Ada (painter)"}, "parentheses"),
        ({"subject": "Ada )painter("}, None),
        ({"asked": "Was she born in RIGA?"}, "leak"),
        ({"asked": "Was she born in Rigatown?"}, None),
        ({"asked": "Was she born in Rīga?", "object": "Riga"}, "leak"),
        ({"aliases": ("Old Town",), "asked": "Was it the old town?"}, "leak"),
        ({"aliases": ("she",), "asked": "Where was she born?"}, None),
        ({"object": "Ai", "asked": "Is it AI?"}, "leak"),
        ({"object": "!!!", "asked": "Who are !!! ?"}, "leak"),
        ({**DATE, "asked": "Was it on March 10, 1888?"}, "leak"),
        ({**NUMBER, "object": "5", "asked": "How long is it?"}, "unit"),
        ({**NUMBER, "object": "5", "asked": "How long is it, in KILOMETRES?"}, None),
        ({**NUMBER, "object": "5", "asked": "How long is it (km)?"}, None),
        ({**NUMBER, "object": "5", "asked": "How large is it in km²?"}, "unit"),
        ({**NUMBER, "object": "5", "unit": "square kilometre", "asked": "In km²?"}, None),
        ({**NUMBER, "object": "5", "unit": "°C", "asked": "In degrees  Celsius?"}, None),
        ({**NUMBER, "object": "5", "unit": "", "asked": "How many?"}, None),
        ({**NUMBER, "object": "5", "unit": "furlongs", "asked": "To a furlong?"}, None),
        ({**NUMBER, "answer_type": "entity", "asked": "How long?"}, None),
    ],
)
def test_a_triple_is_dropped_for_a_reason(said: dict[str, Any], reason: str | None) -> None:
    filters = [one for one in FILTERS if one != "page"]
    assert find_reasons([a_triple(**said)], filters).get(1) == reason
    always = {"question": "question"}
    assert find_reasons([a_triple(**said)], ()).get(1) == always.get(reason or "")


@pytest.mark.parametrize(
    ("page", "said", "there"),
    [
        ("Born in Riga.", {}, True),
        ("Born in Rigatown.", {}, False),
        ("Born in the Pearl of Latvia.", {"aliases": ("pearl of Latvia",)}, True),
        ("On 10 March 1888.", DATE, True),
        ("On March 10, 1888.", DATE, True),
        ("On 1888-03-10.", DATE, True),
        ("In March 1888.", DATE, False),
        ("In March 1888.", {**DATE, "object": "1888-03"}, True),
        ("In 1888.", {**DATE, "object": "+1888-00-00T00:00:00Z"}, True),
        ("It is 1200 kilometers long.", {**NUMBER, "object": "1,200"}, True),
        ("It is 1,200 km long.", {**NUMBER, "object": "1200 km"}, True),
        ("It cost 1,200 pounds.", {**NUMBER, "object": "1200"}, False),
        ("It is 11200 km long.", {**NUMBER, "object": "1200"}, False),
        ("It has 3 children.", {**NUMBER, "unit": "", "object": "3"}, True),
    ],
)
def test_the_answer_must_stand_on_the_page(page: str, said: dict[str, Any], there: bool) -> None:
    triple = a_triple(**said)
    found = find_reasons([triple], ["page"], page_of=lambda one: WordText(page))
    assert found == ({} if there else {1: "page"})
    assert find_reasons([triple], ["page"]) == {1: "page"}


def test_second_answers_go_and_so_do_those_beside_them() -> None:
    birth = {"subject_id": "Q1", "property_id": "P19"}
    triples = [
        a_triple(1, **birth),
        a_triple(2, **birth, object=" riga"),
        a_triple(3, **birth, object="Oslo"),
        a_triple(4, subject_id="q1", property_id="P20"),
        a_triple(5, subject="", object="Oslo"),
        a_triple(6, subject="", object="Oslo"),
        a_triple(7, subject="BELA\u0301"),
        a_triple(8, subject="bel\u00e1", asked=""),
        a_triple(9, subject="bela\u0301 ", object="Oslo", asked=""),
    ]
    expected = {1: "repeated", 2: "duplicate", 3: "repeated", 7: "repeated"}
    found = find_reasons(triples, DEFAULT_FILTERS)
    assert found == {**expected, 8: "duplicate", 9: "question"}


def test_filters_are_chosen_by_name() -> None:
    assert parse_filters("paper") == FILTERS
    assert parse_filters("none") == ()
    assert parse_filters("unit, page") == ("page", "unit")
    with pytest.raises(UsageError, match="no filter 'pages'"):
        parse_filters("pages,unit")


def test_properties_are_read_a_line(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_bytes(b"\xef\xbb\xbfP19\r\n\r\nfather\nP19\n")
    assert read_properties(file) == ("P19", "father")
    triples = [a_triple(1, property_id="P19"), a_triple(2, relation="FATHER"), a_triple(3)]
    assert find_reasons(triples, ["property"], ("P19", "father")) == {3: "property"}
    for broken, message in ((b"\n \n", "names no property"), (b"\xff", "no text in UTF-8")):
        file.write_bytes(broken)
        with pytest.raises(LostkeysError, match=message):
            read_properties(file)
    with pytest.raises(LostkeysError, match="No such file"):
        read_properties(tmp_path / "none.txt")


def test_domains_get_new_names(tmp_path: Path) -> None:
    """Chess and go are games, and games are sports; of others one is dropped or gets `rest`."""
    file = tmp_path / "d.csv"
    file.write_bytes(
        b'\xef\xbb\xbffrom,to\r\nChess,Games\r\n"go ",Games\r\n\r\nGames,Sports\r\n'
        b'Sports,Sports\r\nArt,"Art, all"\r\n'
    )
    names = read_domains(file)
    assert dict(names) == {
        "chess": "Sports", "go": "Sports", "games": "Sports", "sports": "Sports",
        "art": "Art, all",
    }  # fmt: skip
    triples = [
        a_triple(at, domain=one, popularity=at)
        for at, one in enumerate(("Chess", "GO", "art", "Law", "Sports"))
    ]
    preparation = replace(DEFAULT, filters=(), domains=names, tier=0.4, train=0.0)
    found = prepare(triples, preparation)
    assert [found[at].domain for at in range(5)] == ["Sports", "Sports", "Art, all", None, "Sports"]
    assert [found[at].reason for at in range(5)] == ["", "", "", "domain", ""]
    assert [found[at].tier for at in range(5)] == ["bottom", "middle", "middle", "", "top"]
    kept = prepare(triples, replace(preparation, other="rest"))
    assert (kept[3].domain, kept[3].reason) == ("rest", "")
    before = [replace(one, prepared=found[one.fact]) for one in triples]
    assert [one.domain for one in before] == ["Sports", "Sports", "Art, all", "Law", "Sports"]
    assert {one.domain for one in prepare(before, DEFAULT).values()} == {None}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from,to\na,b\nb,c\nc,A\n", "leads back to itself: break the circle"),
        ("from,to\na,b\nA ,c\n", "line 3: A has another new name above: keep one"),
        ("a,b\n", "line 1: the columns must be from,to"),
        ("from,to\na,\n", "line 2: write a domain and its new name"),
        ("from,to\na,b,c\n", "line 2: write a domain and its new name"),
        ('from,to\n"a,b\n', "unexpected end of data"),
        ("from,to\n", "names no domain"),
        ("", "names no domain"),
    ],
)
def test_a_list_of_domains_that_is_none_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "d.csv"
    file.write_text(text)
    with pytest.raises(LostkeysError, match=message):
        read_domains(file)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({}, "Riga"),
        ({**DATE}, "March 10, 1888"),
        ({**DATE, "object": "spring 1888"}, "spring 1888"),
        ({**NUMBER, "object": "1,200"}, "1,200 km"),
        ({**NUMBER, "object": "1,200 km"}, "1,200 km"),
        ({**NUMBER, "object": "-5", "unit": ""}, "-5"),
    ],
)
def test_an_answer_is_shown_in_words(said: dict[str, Any], shown: str) -> None:
    assert show_answer(a_triple(**said)) == shown
    assert restate(a_triple(**said)) == f"The place of birth of Ada 1 is {shown}."


def test_remainders_decide_and_then_the_text() -> None:
    assert share_out(2, {("b", "top"): 1, ("a", "top"): 1, ("a", "bottom"): 1}) == {
        ("b", "top"): 0,
        ("a", "top"): 1,
        ("a", "bottom"): 1,
    }
    assert share_out(9, {("a", ""): 2}) == {("a", ""): 2}
    assert share_out(0, {("a", ""): 2}) == {("a", ""): 0}
    assert share_out(3, {}) == {}


def test_shares_are_those_that_are_written() -> None:
    triples = [a_triple(one, popularity=one) for one in range(100)]
    tiers = Counter(assign_tiers(triples, 0.29).values())
    assert tiers == {"bottom": 29, "top": 29, "middle": 42}


def test_a_file_keeps_its_tiers_and_its_split() -> None:
    triples = [
        a_triple(1, file_tier="top", file_split="train", popularity=1),
        a_triple(2, file_split="test", popularity=2),
        a_triple(3, popularity=3),
    ]
    found = prepare(triples, DEFAULT)
    assert [one.tier for one in found.values()] == ["top", "unknown", "unknown"]
    assert [one.split for one in found.values()] == ["train", "eval", "eval"]


def some_triples(chance: random.Random, count: int) -> list[SetTriple]:
    return [
        a_triple(
            one,
            domain=chance.choice("abc"),
            popularity=chance.choice([None, *range(9)]),
            asked=chance.choice(["", "Where?", "Where?", "Is it Riga?"]),
        )
        for one in range(1, count + 1)
    ]


def place_of(seed: int, purpose: str, one: SetTriple) -> str:
    return hashlib.sha256(f"{seed}/{purpose}/{one.fact_id}".encode()).hexdigest()


def expected_set(
    triples: list[SetTriple], seed: int, train: float, per_domain: int | None, subset: int
) -> dict[int, PreparedTriple]:
    """What preparing says, by the rules as they are written."""
    reasons = {
        one.fact: "" if one.asked == "Where?" else "leak" if one.asked else "question"
        for one in triples
    }
    kept = [one for one in triples if not reasons[one.fact]]
    tiers: dict[int, str] = {}
    for domain in "abc":
        ranked = [one for one in kept if one.domain == domain and one.popularity is not None]
        ranked.sort(key=lambda one: (one.popularity, one.fact_id))
        few = len(ranked) // 4
        for place, one in enumerate(ranked):
            tiers[one.fact] = "bottom" if place < few else "middle"
            if place >= len(ranked) - few:
                tiers[one.fact] = "top"
    strata = defaultdict(list)
    for one in kept:
        strata[one.domain, tiers.setdefault(one.fact, "unknown")].append(one)
    if per_domain is not None:
        for key, members in strata.items():
            members.sort(key=lambda one: place_of(seed, "select", one))
            strata[key] = members[: per_domain // 2] if key[1] in ("top", "bottom") else []

    def share(pool: dict[tuple[str, str], list[SetTriple]], count: int, purpose: str) -> set[int]:
        total = sum(map(len, pool.values()))
        count = min(count, total)
        sizes = {key: floor(count * len(one) / total) if total else 0 for key, one in pool.items()}
        rest = sorted(
            pool,
            key=lambda key: (-(count * len(pool[key]) % total if total else 0), key),
        )
        for key in rest[: count - sum(sizes.values())]:
            sizes[key] += 1
        found = set()
        for key, members in pool.items():
            placed = sorted(members, key=lambda one: place_of(seed, purpose, one))
            found |= {one.fact for one in placed[: sizes[key]]}
        return found

    used = [one for members in strata.values() for one in members]
    trained = share(strata, floor(train * len(used) + 0.5), "split")
    asked = {
        key: [one for one in members if one.fact not in trained] for key, members in strata.items()
    }
    marked = share(asked, subset, "subset")
    facts = {one.fact for one in used}
    return {
        one.fact: PreparedTriple(
            reasons[one.fact],
            tiers.get(one.fact, ""),
            "" if one.fact not in facts else "train" if one.fact in trained else "eval",
            one.fact in marked,
        )
        for one in triples
    }


@pytest.mark.parametrize("seed", range(20))
def test_sets_of_chance_beside_plain_loops(seed: int) -> None:
    chance = random.Random(seed)
    triples = some_triples(chance, chance.randint(0, 80))
    train = chance.choice([0, 0.25, 0.5, 1])
    per_domain, subset = chance.choice([None, 3, 6]), chance.choice([0, 5, 99])
    asked = replace(DEFAULT, seed=seed, train=train, per_domain=per_domain, subset=subset)
    found = prepare(triples, asked)
    assert found == expected_set(triples, seed, train, per_domain, subset)
    chance.shuffle(triples)
    assert prepare(triples, asked) == found


def test_a_set_that_was_never_prepared_is_all_asked() -> None:
    found = PreparedSet("some", 0, [a_triple(1), a_triple(2, prepared=PreparedTriple("leak"))])
    assert found.find_prepared(found.triples[0]) == UNPREPARED
    said = found.as_json()
    assert said["dropped"] == {"leak": 1}
    assert (said["used"], said["train"], said["eval"], said["subset"]) == (1, 0, 1, 0)


@given(
    st.text("aé 1,0-+'ßZ.²", max_size=14),
    st.text("aé 1,0-+'ßZ.²", max_size=4),
)
def test_words_stand_together_as_build_has_it(text: str, part: str) -> None:
    assert WordText(text).has(part) == contains(text, part)
