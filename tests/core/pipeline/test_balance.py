"""The draw of candidates: balanced, repeatable, whatever the order."""

from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from core.pipeline.downsample import DrawCandidate, choose_candidates
from tests.core.pipeline.making import Builder, built, documents, facts_of, made

COUNT = 12

KINDS = st.tuples(st.sampled_from(["Arts", "Science", "History"]), st.sampled_from(["DATE", "LAW"]))
LOTS = st.lists(KINDS, max_size=40).map(
    lambda kinds: [
        DrawCandidate(number, f"name {number}", kind) for number, kind in enumerate(kinds)
    ]
)


@given(lots=LOTS, target=st.integers(0, 50), seed=st.integers(0, 5))
def test_as_many_of_each_kind_as_can_be(lots: list[DrawCandidate], target: int, seed: int) -> None:
    found = choose_candidates(lots, target, seed)
    assert len(found) == min(target, len(lots))
    there = Counter(one.kind for one in lots)
    went = Counter(one.kind for one in lots if one.id in found)
    for kind, count in there.items():
        most = max(went.values(), default=0)
        assert went[kind] >= min(count, most - 1)


@given(lots=LOTS, target=st.integers(0, 50), order=st.integers(0, 99))
def test_the_order_and_the_ids_do_not_matter(
    lots: list[DrawCandidate], target: int, order: int
) -> None:
    names = {one.id: one.name for one in lots}
    mixed = [DrawCandidate(one.id + 1000, one.name, one.kind) for one in lots]
    Random(order).shuffle(mixed)
    again = {names[key - 1000] for key in choose_candidates(mixed, target, 1)}
    assert again == {names[key] for key in choose_candidates(lots, target, 1)}


def test_the_seed_matters_and_those_there_count() -> None:
    lots = [DrawCandidate(number, f"name {number}", ("Arts", "DATE")) for number in range(100)]
    assert choose_candidates(lots, 10, 1) != choose_candidates(lots, 10, 2)
    more = [
        DrawCandidate(200 + number, f"more {number}", ("Science", "DATE")) for number in range(100)
    ]
    found = choose_candidates([*lots, *more], 20, 1, {("Arts", "DATE"): 8})
    assert len(found) == 12
    assert sum(key < 200 for key in found) == 2
    assert choose_candidates(lots, 5, 1, {("Arts", "DATE"): 8}) == set()


def test_a_larger_target_takes_more_and_comes_to_the_same_as_at_once(tmp_path: Path) -> None:
    path = made(tmp_path / "built.db", documents(COUNT))
    first, _ = built(path, target=4)
    few = facts_of(path)
    assert "not in the sample: a larger target takes more" in first.said
    builder = Builder()
    built(path, builder, target=4)
    assert builder.seen == []
    _, view = built(path, target=9)
    stages = {one.name: one for one in view.stages}
    assert stages["downsample"].done == 9
    more = facts_of(path)
    assert {name: more[name] for name in few} == few
    at_once = made(tmp_path / "other.db", documents(COUNT))
    built(at_once, target=9)
    assert more == facts_of(at_once)
    built(path)
    assert facts_of(path) == more
