"""Tables of FACT-BENCH on a few triples: by hand, and after edits."""

from pathlib import Path

import pytest

import db.answer_score_arrays
import db.arms
import db.model_rows
from core.curation.question_edits import accept_alias, edit_gold
from core.errors import UsageError
from core.fact_bench.arm_pairs import compare_arms
from core.fact_bench.arm_scores import keep_scores, read_scores
from core.fact_bench.bench_evidence import keep_all_scores
from core.fact_bench.bench_triples import BenchTriples
from core.fact_bench.tables import BENCH_TABLES
from core.project import OpenProject
from core.vocabulary import Outcome
from db.arms import StoredArm, StoredExemplar
from db.connection import write_transaction
from db.prepared_triples import PreparedTriple
from tests.core.fact_bench.arms_making import (
    OBJECTS,
    SET,
    answers,
    evidence,
    new_set,
    put_preparation,
    table_rows,
)
from tests.core.fact_bench.making import a_triple
from tests.core.making import new_project

GOOD, BAD = Outcome.CORRECT, Outcome.INCORRECT
ZERO = {"a": "Riga", "b": "It is Oslo.", "c": "November 18, 1918", "d": "13 km"}
PLAIN = {name: gold for name, (gold, _, _) in OBJECTS.items()}


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    judged = {"a": GOOD, "b": GOOD, "c": Outcome.ERROR, "d": BAD}
    rows = [
        *answers("m#zero-shot", ZERO, judged),
        *answers("m#10-shot", PLAIN),
        *answers("m#10-shot:shuffle", {**PLAIN, "a": "Oslo", "b": "Riga"}),
        *answers("other", {"a": "Riga"}),
        *answers("m#11-shots", {"a": "Riga"}),
    ]
    return new_set(tmp_path / "some.db", rows)


def test_tiers_follow_from_popularity_before_a_set_is_prepared() -> None:
    triples = BenchTriples([a_triple(fact, popularity=100 * fact) for fact in range(1, 9)])
    groups = triples.group_by("popularity")
    assert [groups.names[place] for place in groups.of.tolist()] == [
        *["bottom"] * 2, *["middle"] * 4, *["top"] * 2
    ]  # fmt: skip
    blank = BenchTriples([a_triple(fact) for fact in range(1, 9)]).group_by("popularity")
    assert {blank.names[place] for place in blank.of.tolist()} == {"unknown"}


def rows_of(project: OpenProject, name: str, **choice: object) -> list[dict[str, object]]:
    return list(BENCH_TABLES[name].compute(evidence(project, **choice)))  # type: ignore[arg-type]


def test_figures_by_hand(project: OpenProject) -> None:
    found = table_rows(rows_of(project, "benchmark"), "model", "mode")
    assert list(found) == [("m", "zero-shot"), ("m", "10-shot"), ("m", "10-shot:shuffle")]
    row = found["m", "zero-shot"]
    assert (row["n"], row["missing"]) == (4, 1)
    assert row["em"] == 2 / 4
    # `It is Oslo.` has three words of which one is right; `13 km` one of two.
    assert row["f1"] == pytest.approx((1 + 0.5 + 1 + 0.5) / 4)
    assert (row["judge"], row["judge_n"]) == (2 / 3, 3)
    assert found["m", "10-shot"]["em"] == 1.0
    assert found["m", "10-shot"]["judge"] is None


def test_groups_have_all_tiers_and_types_and_what_has_no_name(project: OpenProject) -> None:
    found = table_rows(rows_of(project, "popularity"), "mode", "group")
    assert [group for _, group in found] == ["top", "middle", "bottom", "unknown"]
    assert found["10-shot", "top"]["em"] is None
    assert found["10-shot", "unknown"]["n"] == 5
    groups = [row["group"] for row in rows_of(project, "property", modes=["zero-shot"])]
    assert groups == ["capital", "inception", "length", "none"]
    domains = table_rows(rows_of(project, "domain"), "group")
    assert domains["none",]["n"] == 1
    types = table_rows(rows_of(project, "answer-type", modes=["zero-shot"]), "group")
    assert [types[kind,]["em"] for kind in ("entity", "date", "number")] == [1 / 2, 1.0, 0.0]


def test_splits_rejected_and_dropped_triples(project: OpenProject) -> None:
    said = {
        "a": PreparedTriple("", "top", "train"),
        "b": PreparedTriple("", "top", "eval", True),
        "c": PreparedTriple("", "bottom", "eval"),
        "d": PreparedTriple("unit", "", ""),
        "e": PreparedTriple("", "unknown", "eval", True),
    }
    put_preparation(project, said)
    counts = {
        split: (row["n"], row["missing"])
        for split in (None, "eval", "train", "all")
        for row in rows_of(project, "benchmark", split=split, modes=["zero-shot"])
    }
    assert counts == {None: (1, 1), "eval": (2, 1), "train": (1, 0), "all": (3, 1)}
    with write_transaction(project.connection):
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id = 'b'")
    project.refresh()
    assert rows_of(project, "benchmark", split="eval")[0]["n"] == 1
    found = table_rows(rows_of(project, "properties"), "property")
    keys = ("triples", "kept", "train", "eval", "subset", "in_paper")
    assert [found["capital",][key] for key in keys] == [2, 2, 1, 1, 1, True]
    assert [found["length",][key] for key in keys] == [1, 0, 0, 0, 0, True]
    assert found["none",]["in_paper"] is False


def test_exemplars_are_in_no_figure_of_their_arm(project: OpenProject) -> None:
    keys = dict(zip(project.index.fact_ids, project.index.ids.tolist(), strict=True))
    sent = StoredExemplar(1, keys["a"], "What of a?", "Riga", "Oslo", keys["b"], True)
    arm = StoredArm("m#10-shot:shuffle", SET, "m", "10-shot:shuffle", 0, "em", "", (sent,))
    with write_transaction(project.connection):
        db.arms.insert(project.connection, arm)
    found = table_rows(rows_of(project, "benchmark"), "mode")
    assert [found[mode,]["n"] for mode in ("10-shot", "10-shot:shuffle")] == [5, 4]
    (row,) = rows_of(project, "shuffle")
    assert (row["n"], row["only_plain"], row["only_shuffle"]) == (4, 1, 0)


def test_shuffled_arms_beside_plain_ones(project: OpenProject) -> None:
    (row,) = rows_of(project, "shuffle")
    assert (row["condition"], row["k"], row["n"]) == ("regular", 10, 5)
    assert (row["plain"], row["shuffle"], row["drop"]) == (1.0, 3 / 5, pytest.approx(2 / 5))
    assert row["p"] == 0.5
    assert rows_of(project, "regular") == [row]


def test_comparing_arms(project: OpenProject) -> None:
    found = table_rows(
        compare_arms(evidence(project), "m#zero-shot", ["m#10-shot", "m#10-shot:shuffle"]),
        "b",
        "metric",
    )
    row = found["m#10-shot", "em"]
    assert (row["n"], row["only_a"], row["only_b"]) == (4, 0, 2)
    assert row["difference"] == 1 / 2
    assert found["m#10-shot", "f1"]["p"] is None
    judged = found["m#10-shot", "judge"]
    assert (judged["n"], judged["p"], judged["low"]) == (0, None, None)
    with pytest.raises(UsageError, match="no metric rouge"):
        compare_arms(evidence(project), "m#zero-shot", ["m#10-shot"], ["rouge"])
    with pytest.raises(UsageError, match="no arm m#1-shot: arms are m#zero-shot, "):
        compare_arms(evidence(project), "m#1-shot", ["m#10-shot"])


def test_what_is_known_by_three_methods(project: OpenProject) -> None:
    by_judge = table_rows(rows_of(project, "methods"), "model", "fact_bench")
    assert {key: row["n"] for key, row in by_judge.items()} == {
        ("m", True): 2,
        ("m", False): 1,
        ("m", None): 2,
    }
    by_em = table_rows(rows_of(project, "methods", known_by="em"), "fact_bench")
    assert {key: row["n"] for (key,), row in by_em.items()} == {True: 2, False: 2, None: 1}
    by_words = table_rows(rows_of(project, "methods", known_by="lexical"), "fact_bench")
    assert {key: row["n"] for (key,), row in by_words.items()} == {True: 3, False: 1, None: 1}
    with pytest.raises(UsageError, match="no labels by a grader named human:eve"):
        rows_of(project, "methods", known_by="human:eve")


def test_scores_follow_edits_of_a_gold_at_once(project: OpenProject) -> None:
    keep_all_scores(project)
    asked = evidence(project).triples.rows[1].question
    accept_alias(project, "ada", asked, "It is Oslo")
    assert rows_of(project, "benchmark")[0]["em"] == 3 / 4
    edit_gold(project, "ada", asked, "Bergen", [])
    found = table_rows(rows_of(project, "benchmark"), "mode")
    assert found["zero-shot",]["em"] == 2 / 4
    assert found["10-shot",]["em"] == 4 / 5


def test_kept_scores_are_those_that_would_be_worked_out(project: OpenProject) -> None:
    before = rows_of(project, "benchmark")
    keep_all_scores(project)
    found = evidence(project)
    for arm in found.every_arm:
        kept = db.answer_score_arrays.load(project.connection, arm.setting)
        fresh = read_scores(project, found.triples, arm.setting, str(arm.mode))
        assert kept.tolist() == sorted(row for row in fresh.tolist() if row[0])
        keep_scores(project, found.triples, arm.setting, str(arm.mode))
    assert rows_of(project, "benchmark") == before


def test_a_set_that_is_not_clear_is_asked_for(tmp_path: Path) -> None:
    project = new_project(tmp_path / "none.db")
    with pytest.raises(UsageError, match="no set of triples"):
        rows_of(project, "benchmark")
    with pytest.raises(UsageError, match="no set named other"):
        rows_of(project, "benchmark", set_name="other")


def test_a_filter_narrows_a_table(project: OpenProject) -> None:
    (row,) = rows_of(project, "benchmark", modes=["zero-shot"], where="Riga")
    assert (row["n"], row["em"]) == (1, 1.0)
    with pytest.raises(UsageError, match="no arm of a model named nobody"):
        rows_of(project, "benchmark", models=["nobody"])


def test_shuffled_arms_are_compared_by_any_metric(tmp_path: Path) -> None:
    rows = [
        *answers("m#10-shot", PLAIN, {"a": GOOD, "b": GOOD, "c": GOOD, "d": BAD}),
        *answers(
            "m#10-shot:shuffle",
            {**PLAIN, "a": "Oslo", "d": "12 of 13 km"},
            {"a": BAD, "b": GOOD, "c": BAD, "d": GOOD},
        ),
    ]
    with new_set(tmp_path / "some.db", rows) as project:
        (by_em,) = rows_of(project, "shuffle")
        (by_f1,) = rows_of(project, "shuffle", metric="f1")
        (by_judge,) = rows_of(project, "regular", metric="judge")
        assert [one["metric"] for one in (by_em, by_f1, by_judge)] == ["em", "f1", "judge"]
        # `Oslo` has no word of Riga; of `12 of 13 km` two words of four are the two of `12 km`.
        assert (by_em["n"], by_em["drop"]) == (5, pytest.approx(2 / 5))
        assert by_f1["drop"] == pytest.approx((1 + 1 / 3) / 5)
        assert (by_f1["p"], by_f1["only_plain"]) == (None, None)
        assert (by_judge["n"], by_judge["plain"], by_judge["shuffle"]) == (4, 3 / 4, 2 / 4)
        assert (by_judge["only_plain"], by_judge["only_shuffle"]) == (2, 1)
        with pytest.raises(UsageError, match="no metric rouge"):
            rows_of(project, "shuffle", metric="rouge")


def test_without_a_judge_nothing_is_compared_by_it(tmp_path: Path) -> None:
    rows = [*answers("m#5-shot", PLAIN), *answers("m#5-shot:shuffle", PLAIN)]
    with (
        new_set(tmp_path / "some.db", rows) as project,
        pytest.raises(UsageError, match="no judge has labelled"),
    ):
        rows_of(project, "shuffle", metric="judge")


def test_arms_that_the_judge_left_out_are_explained(tmp_path: Path) -> None:
    """The judge labelled the plain arm alone, so that no triple is in both by its labels."""
    rows = [*answers("m#5-shot", PLAIN, {"a": GOOD}), *answers("m#5-shot:shuffle", PLAIN)]
    with new_set(tmp_path / "some.db", rows) as project:
        judged = evidence(project, metric="judge")
        table = BENCH_TABLES["shuffle"]
        found = list(table.compute(judged))
        assert [row["n"] for row in found] == [0]
        said = table.explain_uncounted(judged, found)
        assert f"lostkeys grade --grader {judged.judge}" in said
        by_em = evidence(project)
        assert table.explain_uncounted(by_em, list(table.compute(by_em))) == ""


def test_tuned_models_beside_their_bases(tmp_path: Path) -> None:
    rows = [
        *answers("base#5-shot", {"a": "Riga", "b": "Riga", "c": "1918-11-18", "d": "13 km"}),
        *answers("tuned#5-shot", PLAIN),
        *answers("tuned#zero-shot", PLAIN),
        *answers("other#5-shot", {"a": "Oslo"}),
    ]
    with new_set(tmp_path / "some.db", rows) as project:
        assert rows_of(project, "tuned") == []
        with write_transaction(project.connection):
            db.model_rows.add_traits(project.connection, "tuned", None, None, "base")
            db.model_rows.add_traits(project.connection, "elsewhere", None, None, "base")
        (row,) = rows_of(project, "tuned")
        assert [row[key] for key in ("model", "base", "mode")] == ["tuned", "base", "5-shot"]
        # Of the four triples in both the base has two right, the tuned model all.
        assert [row[key] for key in ("n", "em", "n_both", "base_rate", "rate")] == [
            5, 1.0, 4, 0.5, 1.0,
        ]  # fmt: skip
        assert (row["difference"], row["p"]) == (0.5, 0.5)
        # Agresti and Min: cells of .5, 2.5, 2.5 and .5 of six: 1/3 +- 1.96 sqrt((3 - 2/3) / 36).
        reach = 1.959964 * ((3 - 4 / 6) / 36) ** 0.5
        assert (row["low"], row["high"]) == pytest.approx((1 / 3 - reach, 1 / 3 + reach))
        (by_f1,) = rows_of(project, "tuned", metric="f1", models=["tuned"])
        assert by_f1["difference"] == pytest.approx((1 + 0.5) / 4)
        (named,) = rows_of(project, "tuned", pairs=(("other", "tuned"),))
        assert (named["n_both"], named["difference"]) == (1, 1.0)
        with pytest.raises(UsageError, match="no arm of a model named nobody"):
            rows_of(project, "tuned", pairs=(("nobody", "tuned"),))
