"""Which triples are shown as exemplars and with which answers; beside plain loops."""

import hashlib
import random
from typing import Any

import pytest

from core.errors import LostkeysError
from core.fact_bench.counterfactuals import assign_counterfactuals, date_precision
from core.fact_bench.exemplars import choose_exemplars
from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import score_response
from core.modes import parse_mode
from core.pipeline.triple_text import show_answer
from db.prepared_triples import SetTriple
from tests.core.fact_bench.making import a_triple

TYPES: tuple[dict[str, Any], ...] = (
    {"relation": "father"},
    {"relation": "length", "answer_type": "number", "unit": "km"},
    {"relation": "inception", "answer_type": "date"},
)


def some_triples(chance: random.Random, count: int) -> list[SetTriple]:
    """Training triples with few different answers, so that many of them clash."""
    found = []
    for fact in range(1, count + 1):
        said = chance.choice(TYPES)
        number = chance.randint(1, 5)
        dates = (f"190{number}", f"190{number}-0{number}", f"190{number}-01-0{number}")
        answers = {"father": f"Bo {number}", "length": str(number), "inception": None}
        answer = answers[said["relation"]] or chance.choice(dates)
        aliases = (f"Bo {chance.randint(1, 5)}",) if chance.random() < 0.2 else ()
        found.append(a_triple(fact, object=answer, aliases=aliases, **said))
    return found


def place_of(seed: int, purpose: str, one: SetTriple) -> str:
    return hashlib.sha256(f"{seed}/{purpose}/{one.fact_id}".encode()).hexdigest()


def is_right(answer: SetTriple, one: SetTriple) -> bool:
    kind = AnswerKind(one.answer_type, one.unit)
    return score_response(show_answer(answer), (one.object, *one.aliases), kind).em == 1


def expected_answers(triples: list[SetTriple], seed: int) -> dict[int, int]:
    """The answers as the rules give them, by facts."""
    found: dict[int, int] = {}
    for key in {(one.relation, date_precision(one)) for one in triples}:
        g = [one for one in triples if (one.relation, date_precision(one)) == key]
        g.sort(key=lambda one: place_of(seed, "shuffle", one))
        n = len(g)
        given = [g[(i + 1) % n] for i in range(n)]

        def clash(i: int, answer: SetTriple, g: list[SetTriple] = g) -> bool:
            return answer is g[i] or is_right(answer, g[i])

        for i in range(n):
            if clash(i, given[i]):
                for j in [*range(i + 1, n), *range(i)]:
                    if not clash(i, given[j]) and not clash(j, given[i]):
                        given[i], given[j] = given[j], given[i]
                        break
        found |= {one.fact: given[i].fact for i, one in enumerate(g) if not clash(i, given[i])}
    return found


def expected_line(triples: list[SetTriple], has: dict[int, int], seed: int) -> list[SetTriple]:
    line = sorted(triples, key=lambda one: (one.fact not in has, place_of(seed, "exemplar", one)))
    seen: set[str] = set()
    front: list[SetTriple] = []
    rest: list[SetTriple] = []
    for one in line:
        (rest if one.answer_type in seen else front).append(one)
        seen.add(one.answer_type)
    return front + rest


@pytest.mark.parametrize("seed", range(15))
def test_answers_and_lines_of_chance_beside_plain_loops(seed: int) -> None:
    chance = random.Random(seed)
    triples = some_triples(chance, chance.randint(1, 40))
    known = {one.fact: chance.random() < 0.5 for one in triples if chance.random() < 0.8}
    answers = {fact: one.fact for fact, one in assign_counterfactuals(triples, seed).items()}
    assert answers == expected_answers(triples, seed)
    lines = {
        "": expected_line(triples, answers, seed),
        ":known": expected_line([t for t in triples if known.get(t.fact)], answers, seed),
        ":unknown": expected_line(
            [t for t in triples if known.get(t.fact) is False], answers, seed
        ),
    }
    for condition, line in lines.items():
        for shots in {1, len(line)} - {0}:
            mode = parse_mode(f"{shots}-shot{condition}")
            found = choose_exemplars(triples, mode, seed, known)
            assert [one.triple for one in found] == line[:shots]
            assert all(one.answer_of is one.triple for one in found)
            assert [one.known for one in found] == [known.get(t.fact) for t in line[:shots]]
    both = [one for pair in zip(lines[":known"], lines[":unknown"], strict=False) for one in pair]
    if both:
        found = choose_exemplars(triples, parse_mode(f"{len(both)}-shot:mixed"), seed, known)
        assert [one.triple for one in found] == both
    shots = sum(one.fact in answers for one in lines[""])
    if shots and all(one.fact in answers for one in lines[""][:shots]):
        found = choose_exemplars(triples, parse_mode(f"{shots}-shot:shuffle"), seed, known)
        assert [one.answer_of.fact for one in found] == [answers[t.fact] for t in lines[""][:shots]]


def test_what_has_no_other_answer_has_none() -> None:
    same = [a_triple(one) for one in range(1, 4)]
    assert assign_counterfactuals(same, 0) == {}
    assert assign_counterfactuals(same[:1], 0) == {}
    other = a_triple(4, object="Oslo")
    found = assign_counterfactuals([*same, other], 0)
    assert found[4].object == "Riga"
    assert [one.object for one in found.values()].count("Oslo") == 1
    alias = a_triple(5, object="Oslo", aliases=("Riga",))
    assert assign_counterfactuals([same[0], alias], 0).keys() == {1}


def test_dates_change_places_with_dates_as_exact() -> None:
    dates = ("1901", "1902", "1901-02", "1903-04", "1901-02-03", "1902-03-04", "44 BC", "spring")
    triples = [
        a_triple(place, object=date, answer_type="date") for place, date in enumerate(dates, 1)
    ]
    exact = ["year", "year", "month", "month", "day", "day", "year", ""]
    assert [date_precision(one) for one in triples] == exact
    for fact, one in assign_counterfactuals(triples, 3).items():
        assert date_precision(one) == exact[fact - 1]
    assert date_precision(a_triple(object="1901")) == ""


def test_too_few_exemplars_are_refused_with_what_to_do() -> None:
    triples = [a_triple(one, object=f"O{one}") for one in range(1, 4)]
    triples.append(a_triple(4, rejected=True))
    with pytest.raises(LostkeysError, match=r"4-shot: only 3 training triples; .* --train"):
        choose_exemplars(triples, parse_mode("4-shot"), 0, {})
    with pytest.raises(LostkeysError, match=r"only 1 of 3 .* serve, 1 are known, 1 unknown"):
        choose_exemplars(triples, parse_mode("2-shot:known"), 0, {1: True, 2: False})
    assert len(choose_exemplars(triples, parse_mode("2-shot:mixed"), 0, {1: True, 2: False})) == 2
    assert len(choose_exemplars(triples, parse_mode("1-shot:mixed"), 0, {1: True})) == 1
    assert choose_exemplars(triples, parse_mode("zero-shot"), 0, {}) == []
    alone = [*triples, a_triple(5, relation="father")]
    assert len(choose_exemplars(alone, parse_mode("4-shot"), 0, {})) == 4
    with pytest.raises(LostkeysError, match="t005 has no counterfactual answer"):
        choose_exemplars(alone, parse_mode("4-shot:shuffle"), 0, {})


def test_only_training_triples_are_counted_as_known() -> None:
    """What is known of other splits says nothing of how many exemplars there are."""
    triples = [a_triple(number, object=f"O{number}") for number in range(1, 4)]
    known = {1: True, 2: False, **dict.fromkeys(range(10, 40), True)}
    with pytest.raises(LostkeysError, match=r"only 1 of 3 training .* 1 are known, 1 unknown"):
        choose_exemplars(triples, parse_mode("2-shot:known"), 0, known)
