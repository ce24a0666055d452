"""Tables and figures of zero-prompt scores, on numbers that are worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.stats.cluster_intervals import share_interval
from core.zero_prompt.analyses.accuracy import accuracy, at_k
from core.zero_prompt.analyses.form_comparison import compare_forms, compare_kinds
from core.zero_prompt.analyses.model_pairs import (
    agreement,
    correlation,
    family_correlation,
    pair_rows,
    subsumption,
)
from core.zero_prompt.analyses.positions import positions, summary
from core.zero_prompt.analyses.rankings import extremes, model_ranks, relation_ranks
from core.zero_prompt.analyses.sweep import reach, sweep
from core.zero_prompt.examples import ExampleKind
from core.zero_prompt.place_scores import LongInput, PlaceScore
from core.zero_prompt.score_matrix import LatentModel, ScoreMatrix, Setup

ABSENT, FAILED, WRONG, RIGHT = ".", "f", "0", "1"


def matrix(rows: dict[str, str], relations: str, setup: Setup | None = None) -> ScoreMatrix:
    """Scores as `.` not asked, `f` failed, `0` wrong, `1` right; a letter a fact's relation."""
    names = tuple(sorted(set(relations)))
    states = np.array([list(row) for row in rows.values()])
    usable = (states == WRONG) | (states == RIGHT)
    top = np.where(states == RIGHT, 0.8, 0.35) * usable
    return ScoreMatrix(
        setup or Setup(),
        tuple(rows),
        names,
        np.array([names.index(one) for one in relations]),
        states != ABSENT,
        usable,
        states == RIGHT,
        top,
        top / 2,
        top / 4,
        states == RIGHT,
        states == RIGHT,
        np.zeros(states.shape, np.int32),
    )


SCORES = matrix({"alpha": "110f0", "beta": "10.11"}, "aaabb")


def test_accuracy_counts_what_has_a_score() -> None:
    assert accuracy(SCORES)[1] == {
        "model": "alpha",
        "relation": "b",
        "n": 1,
        "failed": 1,
        "correct": 0,
        "accuracy": 0.0,
        "p_gold": 0.175,
        "mass": 0.0875,
        "overlapping": 0,
        "response_n": 0,
        "response_accuracy": None,
    }
    assert [(row["n"], row["correct"]) for row in accuracy(SCORES)] == [
        (3, 2), (1, 0), (2, 1), (2, 2),
    ]  # fmt: skip


def test_facts_whose_options_hold_each_other_are_counted() -> None:
    """Sums of 1.0005 and of a failed fact count not, 1.39 does."""
    scores = matrix({"alpha": "101f", "beta": "1111"}, "aabb")
    scores.mass[:] = [[1.39, 1.0005, 1.002, 9.0], [0.9, 1.0, 0.2, 1.0]]
    assert [row["overlapping"] for row in accuracy(scores)] == [1, 1, 0, 0]
    assert {row["model"]: row["overlapping"] for row in model_ranks(scores, {})} == {
        "alpha": 2, "beta": 0,
    }  # fmt: skip


def test_a_relation_that_only_failed_has_no_accuracy() -> None:
    (row,) = accuracy(matrix({"alpha": "ff"}, "aa"))
    assert (row["n"], row["failed"], row["accuracy"]) == (0, 2, None)
    (rank,) = model_ranks(matrix({"alpha": "ff"}, "aa"), {})
    assert (rank["accuracy"], rank["std"], rank["accuracy_facts"]) == (None, None, None)


def test_at_k_keeps_the_sure_ones() -> None:
    rows = [row for row in at_k(SCORES) if row["model"] == "alpha"]
    assert [row["n"] for row in rows] == [4, 4, 4, 4, 2, 2, 2, 2, 2, 0]
    assert (rows[3]["accuracy"], rows[4]["accuracy"], rows[9]["accuracy"]) == (0.5, 1.0, None)
    assert rows[4]["share"] == 0.5


def test_models_are_ranked_by_the_mean_over_relations() -> None:
    known = {"beta": LatentModel("tuned", 7, "alpha")}
    first, second = model_ranks(SCORES, known)
    assert (first["model"], first["family"], first["base"]) == ("beta", "tuned", "alpha")
    assert (first["accuracy"], first["std"]) == (0.75, 0.25)
    assert first["accuracy_facts"] == 0.75
    for row in (first, second):
        counts = (SCORES.count(SCORES.known), SCORES.counted)
        at = SCORES.models.index(str(row["model"]))
        limits = share_interval(*(one[at] for one in counts))
        assert (row["low"], row["high"]) == limits
    assert first["chance"] == 1 / SCORES.setup.options
    assert second["accuracy"] == pytest.approx(1 / 3)
    assert second["accuracy_facts"] == 0.5


def test_ties_go_by_name() -> None:
    rows = model_ranks(matrix({"beta": "10", "alpha": "01"}, "aa"), {})
    assert [row["model"] for row in rows] == ["alpha", "beta"]


def test_relations_are_ranked_by_the_mean_over_models() -> None:
    first, second = relation_ranks(SCORES)
    assert (first["relation"], first["accuracy"]) == ("a", pytest.approx(7 / 12))
    assert (second["relation"], second["accuracy"], second["std"]) == ("b", 0.5, 0.5)


def test_extremes_name_three_at_each_end() -> None:
    scores = matrix({"alpha": "1110100"}, "abcdefg")
    assert extremes(scores) == [
        {"model": "alpha", "top": ["a", "b", "c"], "bottom": ["d", "f", "g"]}
    ]


def test_subsumption_is_a_mean_over_relations() -> None:
    ab, ba = subsumption(SCORES)
    assert (ab["n"], ab["known_a"], ab["known_b"], ab["both"]) == (3, 2, 2, 1)
    assert (ab["relations"], ab["eta"], ab["eta_facts"]) == (1, 0.5, 0.5)
    assert (ba["relations"], ba["eta"], ba["eta_facts"]) == (2, 0.5, 0.5)


def test_who_knows_nothing_has_no_eta() -> None:
    ab, _ = subsumption(matrix({"alpha": "00", "beta": "11"}, "aa"))
    assert (ab["eta"], ab["eta_facts"], ab["relations"]) == (None, None, 0)


def test_models_with_other_options_are_not_compared() -> None:
    scores = matrix({"alpha": "1", "beta": "1"}, "a")
    scores.option_sets[1] = 1
    assert subsumption(scores) == agreement(scores) == correlation(scores) == []


def test_pairs_are_tuned_models_and_the_ends_of_a_family() -> None:
    """Relation a: 3 facts, b: 2.

    base knows 2 of 3 and 1 of 2 (mean 7/12), chat 1 of 3 and 1 of 2 (5/12); both know one fact of
    a and none of b: of base's in chat 1/2 and 0, of chat's in base 1/1 and 0. large knows 2/3 and
    2/2 (5/6) and shares with base 1 and 1: 1/2 and 1 one way, 1/2 and 1/2 the other.
    """
    rows = {"base": "11010", "chat": "10001", "large": "10111"}
    scores = matrix(rows, "aaabb")
    known = {
        "base": LatentModel("fam", 7, None),
        "chat": LatentModel("fam", 7, "base"),
        "large": LatentModel("fam", 70, None),
        "alone": LatentModel("other", 1, None),
    }
    size, tuned = pair_rows(scores, known)
    assert size == {
        "family": "fam", "kind": "size", "small": "base", "large": "large",
        "parameters_small": 7, "parameters_large": 70,
        "accuracy_small": pytest.approx(7 / 12), "accuracy_large": pytest.approx(5 / 6),
        "eta_small_in_large": pytest.approx(0.75), "eta_large_in_small": 0.5, "relations": 2,
    }  # fmt: skip
    assert tuned == {
        "family": "fam", "kind": "tuned", "small": "base", "large": "chat",
        "parameters_small": 7, "parameters_large": 7,
        "accuracy_small": pytest.approx(7 / 12), "accuracy_large": pytest.approx(5 / 12),
        "eta_small_in_large": 0.25, "eta_large_in_small": 0.5, "relations": 2,
    }  # fmt: skip
    assert pair_rows(scores, {}) == []
    alone = {"base": known["base"], "chat": LatentModel("fam", 7, "absent")}
    assert pair_rows(scores, alone) == []


def test_a_pair_is_measured_on_facts_that_both_have() -> None:
    scores = matrix({"base": "1.0", "chat": "10f"}, "aab")
    (row,) = pair_rows(scores, {"chat": LatentModel(None, None, "base")})
    assert (row["relations"], row["accuracy_small"], row["accuracy_large"]) == (1, 1.0, 1.0)
    nothing = matrix({"base": "0", "chat": "1"}, "a")
    (row,) = pair_rows(nothing, {"chat": LatentModel(None, None, "base")})
    assert (row["eta_small_in_large"], row["eta_large_in_small"]) == (None, 0.0)


def test_correlation_is_over_relations() -> None:
    scores = matrix({"alpha": "110010", "beta": "111000", "gamma": "111111"}, "aabbcc")
    rows = {(row["a"], row["b"]): row["r"] for row in correlation(scores)}
    expected = np.corrcoef([1, 0, 0.5], [1, 0.5, 0])[0, 1]
    assert rows["alpha", "beta"] == pytest.approx(expected)
    assert rows["alpha", "gamma"] is None
    known = {"alpha": LatentModel("one"), "beta": LatentModel("one"), "gamma": LatentModel("two")}
    assert family_correlation(scores, known) == [
        {"a": "one", "b": "one", "pairs": 1, "r": pytest.approx(expected)}
    ]
    assert family_correlation(scores, {}) == []


def test_agreement_has_kappa() -> None:
    (row,) = agreement(matrix({"alpha": "11100", "beta": "11010"}, "aaaaa"))
    assert [row[key] for key in ("both", "only_a", "only_b", "neither")] == [2, 1, 1, 1]
    assert row["agreement"] == 0.6
    assert row["kappa"] == pytest.approx((0.6 - 0.52) / 0.48)
    (sure,) = agreement(matrix({"alpha": "11", "beta": "11"}, "aa"))
    assert (sure["agreement"], sure["kappa"]) == (1.0, None)


def test_a_sweep_is_over_seeds() -> None:
    found = [
        matrix({"alpha": row}, "aaaaa", Setup(n=n, seed=seed))
        for n, seed, row in ((1, 0, "10000"), (1, 1, "11100"), (5, 0, "11110"), (20, 0, "11110"))
    ]
    rows = sweep(found)
    assert [(row["n"], row["seeds"], row["accuracy"]) for row in rows] == [
        (1, 2, 0.4),
        (5, 1, 0.8),
        (20, 1, 0.8),
    ]
    assert rows[0]["std"] == pytest.approx(0.2)
    assert reach(found) == [{"model": "alpha", "relation": "a", "n_max": 20, "n95": 5}]


def test_behind_an_altered_example_stands_one_that_is_after() -> None:
    kinds = [ExampleKind.CLEAN, ExampleKind.UNKNOWN, ExampleKind.CLEAN, ExampleKind.CLEAN]
    places = [PlaceScore("s", "o", kind, math.log(0.2 * at)) for at, kind in enumerate(kinds, 1)]
    one = LongInput(
        "alpha", "a", "unknown:1:block", [*places, PlaceScore("s", "o", kinds[0], None)]
    )
    assert [row["kind"] for row in positions([one])] == [
        "clean", "unknown", "after", "clean", "clean",
    ]  # fmt: skip
    assert [row["position"] for row in positions([one])] == [1, 2, 3, 4, 5]
    assert positions([one])[4]["p"] is None
    found = {str(row["kind"]): (row["n"], row["p"]) for row in summary([one])}
    assert found == {
        "after": (1, pytest.approx(0.6)),
        "clean": (2, pytest.approx(0.5)),
        "unknown": (1, pytest.approx(0.4)),
    }


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_plain_loops(seed: int) -> None:
    random = np.random.default_rng(seed)
    models, facts = 4, 60
    rows = {f"m{at}": "".join(random.choice(list(".f01"), facts)) for at in range(models)}
    letters = "".join(random.choice(list("abc"), facts))
    scores = matrix(rows, letters)
    scores.option_sets[:] = random.integers(0, 2, (models, facts)) * (seed % 3 > 0)
    for place, relation in enumerate(scores.relations):
        here = [at for at, letter in enumerate(letters) if letter == relation]
        for a in range(models):
            assert scores.counted[a, place] == sum(rows[f"m{a}"][at] in "01" for at in here)
            assert scores.add(scores.p_top)[a, place] == pytest.approx(
                sum(scores.p_top[a, at] for at in here)
            )
            for b in range(models):
                common = [
                    at
                    for at in here
                    if rows[f"m{a}"][at] in "01"
                    and rows[f"m{b}"][at] in "01"
                    and scores.option_sets[a, at] == scores.option_sets[b, at]
                ]
                right = [at for at in common if rows[f"m{a}"][at] == RIGHT]
                both = [at for at in right if rows[f"m{b}"][at] == RIGHT]
                counts = scores.pair_counts
                assert counts.common[place, a, b] == len(common)
                assert counts.known[place, a, b] == len(right)
                assert counts.both[place, a, b] == len(both)


def test_a_relation_without_facts_counts_nothing() -> None:
    scores = matrix({"alpha": "10"}, "ac")
    wider = replace(scores, relations=("a", "b", "c"), relation_of=np.array([0, 2]))
    assert wider.counted.tolist() == [[1, 0, 1]]
    empty = matrix({"alpha": ""}, "")
    assert accuracy(replace(empty, relations=("a",))) == []


def test_forms_are_compared_where_there_are_any() -> None:
    found = [
        matrix({"alpha": "1f"}, "ab", Setup(form="hgp-1", n=0)),
        matrix({"alpha": "11"}, "ab", Setup(n=10)),
    ]
    kinds = {("a", "hgp-1"): "hgp"}
    rows = compare_forms(found, lambda relation, form: kinds.get((relation, form)))
    named = [(row["relation"], row["form"], row["kind"], row["n"], row["accuracy"]) for row in rows]
    assert named == [
        ("a", "hgp-1", "hgp", 0, 1.0),
        ("a", "zero-prompt", None, 10, 1.0),
        ("b", "hgp-1", None, 0, None),
        ("b", "zero-prompt", None, 10, 1.0),
    ]
    assert (rows[0]["facts"], rows[2]["facts"], rows[0]["response_accuracy"]) == (1, 0, 1.0)


def test_kinds_are_means_over_forms_then_over_relations_that_all_have() -> None:
    """Zero-prompt has a (1/2), b (1) and c (0); hgp-1 and hgp-2 have a (0 and 1) and b (1 and 1).

    So c is in no mean: zero-prompt has 3/4 of a and b, hgp (1/2 + 1) / 2 = 3/4. A right fact has a
    right response in `matrix`, a wrong one none.
    """
    found = [
        matrix({"alpha": "00110."}, "aabbcc", Setup(form="hgp-1", n=0)),
        matrix({"alpha": "1111.."}, "aabbcc", Setup(form="hgp-2", n=0)),
        matrix({"alpha": "101100"}, "aabbcc", Setup(n=10)),
        matrix({"alpha": "1111.."}, "aabbcc", Setup(form="nobody", n=10)),
    ]
    kinds = {"hgp-1": "hgp", "hgp-2": "hgp", "zero-prompt": "zero-prompt"}
    found[0].asked[0, 4] = found[0].usable[0, 4] = False
    rows = compare_kinds(found, lambda _, form: kinds.get(form))
    assert rows == [
        {
            "model": "alpha", "kind": "hgp", "n": 0, "relations": 2, "forms": 2,
            "accuracy": 0.75, "response_accuracy": 1.0,
        },
        {
            "model": "alpha", "kind": "zero-prompt", "n": 10, "relations": 2, "forms": 1,
            "accuracy": 0.75, "response_accuracy": 1.0,
        },
    ]  # fmt: skip
    assert compare_kinds(found[3:], lambda _, form: None) == []


def test_models_have_the_mean_of_their_responses_over_relations() -> None:
    """Alpha answered 4 of a, 3 of them right, and 1 of b, wrong: (3/4 + 0) / 2."""
    scores = matrix({"alpha": "11111"}, "aaaab")
    scores.answers_right[0] = [True, True, True, False, False]
    (row,) = model_ranks(scores, {})
    assert (row["response_n"], row["response_accuracy"]) == (5, 0.375)
    alone = replace(scores, asked=np.zeros((1, 5), bool), usable=np.zeros((1, 5), bool))
    (row,) = model_ranks(alone, {})
    assert (row["n"], row["accuracy"], row["response_accuracy"]) == (0, None, 0.375)
