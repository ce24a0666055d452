"""Reference sets: drawn alike twice, grown, reported as by hand; what left them, what is sealed."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lostkeys
import pytest

import core.alignment.reference_draw
import db.reference_sets
from core.alignment.reference_draw import draw_set
from core.alignment.reference_set import find_set, next_rows, read_set
from core.alignment.set_report import list_misses, report_set
from core.curation.label_writer import set_label
from core.doctor import examine_database
from core.errors import UsageError
from core.project import OpenProject
from core.transfer.anonymous_copy import open_anonymous
from core.vocabulary import Label, Task
from db.connection import write_transaction
from tests.core.alignment.making import ANN, MID, make_project
from tests.core.making import Row, a_fact, merged_lines, new_project, put_facts, put_rows


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    with make_project(tmp_path / "a.db") as made:
        yield made


def assert_close(found: Any, wanted: Any, where: str = "") -> None:
    """All that is wanted is there, numbers to 1e-9."""
    if isinstance(wanted, dict):
        for key, one in wanted.items():
            assert_close(found[key], one, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for place, one in enumerate(wanted):
            assert_close(found[place], one, f"{where}[{place}]")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, abs=1e-9), where
    else:
        assert found == wanted, where


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_worked_example(shared: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared("design/examples/align-two-graders")
    with lostkeys.open(tmp_path / "rivers.db", write=True) as project:
        project.load(folder / "facts.jsonl", folder / "responses.jsonl")
    with OpenProject(tmp_path / "rivers.db", "write") as project:
        drawn = draw_set(project, "rivers", size=40, seed=4, by="g1")
        rows = next_rows(project, drawn, None, every=True)
    keys = ("fact_id", "task", "model", "thinking", "sample", "stratum", "part")
    shown = [{key: row[key] for key in keys} for row in rows]
    assert shown == read_rows(folder / "drawn.jsonl")
    with lostkeys.open(tmp_path / "rivers.db", write=True) as project:
        project.load(folder / "labels.jsonl")
        found = project.align("rivers", graders=["g1", "g2"])
    assert_close(found.to_dict(), json.loads((folder / "report.json").read_text("utf-8")))
    assert len(found.versions) == 4


def test_equal_answers_are_one_and_a_larger_set_keeps_what_was_drawn(project: OpenProject) -> None:
    first = draw_set(project, "small", size=20, by="judge", seed=7)
    again = draw_set(project, "small", size=20, by="judge", seed=7)
    assert first.slots.tolist() == again.slots.tolist()
    assert sum(there for there, _ in first.plan.strata.values()) == 24 * 5
    grown = draw_set(project, "small", size=60, by="judge", seed=7)
    assert set(first.slots.tolist()) < set(grown.slots.tolist())
    assert len(grown) == 60
    for fact in set(grown.facts.tolist()):
        parts = {part for at, part in zip(grown.facts, grown.parts, strict=True) if at == fact}
        assert len(parts) == 1
    for words in ({"seed": 8}, {"by": None, "seed": 7}, {"size": 10, "by": "judge", "seed": 7}):
        with pytest.raises(UsageError, match="drawn otherwise"):
            draw_set(project, "small", **{"size": 60, "by": "judge", **words})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="only 120 different answers"):
        draw_set(project, "large", size=121)


def test_blocks_of_facts_and_other_models_change_nothing_of_what_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [" caf\u00e9", "cafe\u0301 ", "a\x00b", 'end"]}', "tab\tand\x1f", "caf\u00e9"]
    with new_project(tmp_path / "a.db") as made:
        put_facts(made, [a_fact(f"f{one}", (Task.DIRECT, Task.REVERSE)) for one in range(9)])
        put_rows(
            made,
            [
                Row(f"f{fact}", task, model, False, sample, {}, text if fact % 2 else f"{model} 1")
                for fact in range(9)
                for task in (Task.DIRECT, Task.REVERSE)
                for model in ("m", "n")
                for sample, text in enumerate(texts)
            ],
        )
        whole = draw_set(made, "whole", size=30, seed=2, models=["m"])
        monkeypatch.setattr(core.alignment.reference_draw, "_BLOCK", 1)
        pieces = draw_set(made, "pieces", size=30, seed=2, models=["m"])
        rows = next_rows(made, pieces, None, every=True)
    assert pieces.slots.tolist() == whole.slots.tolist()
    assert whole.plan.strata == {"all": (2 * (4 * 4 + 5), 30)}

    def number(*words: object) -> int:
        joined = "\n".join(map(str, words)).encode()
        return int.from_bytes(hashlib.blake2b(joined, digest_size=8).digest(), "big")

    def standing(fact: str, task: str) -> int:
        return min(range(6), key=lambda one: number(2, fact, task, "m", 0, one))

    same = [row for row in rows if row["response"] == "m 1"]
    assert len(same) > 4
    assert all(row["sample"] == standing(row["fact_id"], row["task"]) for row in same)


def test_a_person_agrees_with_themselves(project: OpenProject) -> None:
    found = draw_set(project, "all", size=120)
    report = report_set(project, found, ANN, [ANN, MID])
    for row in report["versions"]:
        for part in ("tune", "check"):
            stats = row["parts"][part]
            assert (stats["accuracy"], stats["kappa"]) == (1.0, 1.0)
            assert stats["accuracy_interval"][1] == 1.0
    assert report["versions"][1]["parts"]["check"]["discordant"] == [0, 0]
    assert report["versions"][1]["parts"]["check"]["p"] == 1.0
    assert list_misses(project, found, ANN, person=ANN) == []
    assert report["people"] == {"persons": [ANN, MID], "answers": 120, "alpha": 1.0}
    with pytest.raises(UsageError, match="choose one with --person"):
        report_set(project, found, None, ["judge"])
    with pytest.raises(UsageError, match="judge is no person"):
        report_set(project, found, "judge", ["judge"])


def test_final_is_sealed_until_it_is_opened_for_one_version(project: OpenProject) -> None:
    found = draw_set(project, "all", size=60)
    sealed = report_set(project, found, ANN, ["judge"])
    assert sealed["versions"][0]["parts"]["final"] is None
    assert sealed["opened"] == []
    with pytest.raises(UsageError, match="final of all is sealed"):
        list_misses(project, found, "judge", "final", ANN)
    with pytest.raises(UsageError, match="--final is answered for one version"):
        report_set(project, found, ANN, ["judge", MID], open_final=True)
    opened = report_set(project, found, ANN, ["judge"], open_final=True)
    assert opened["versions"][0]["parts"]["final"]["n"] == found.parts.count("final")
    assert [one["grader"] for one in opened["opened"]] == ["judge#1"]
    again = report_set(project, found, ANN, ["judge"])
    assert (again["opened"], again["versions"][0]["parts"]["final"]) == (opened["opened"], None)
    misses = list_misses(project, found, "judge", "final", ANN)
    assert {row["grader_label"] != row["label"] for row in misses} <= {True}


def test_what_leaves_a_set_and_what_is_out_of_date(project: OpenProject) -> None:
    from core.curation.question_edits import edit_gold

    found = draw_set(project, "all", size=60)
    fact = int(found.facts[0])
    gone = int((found.facts == fact).sum())
    other = int(found.facts[found.facts != fact][0])
    with write_transaction(project.connection):
        project.connection.execute(
            "UPDATE fact SET rejected = 1 WHERE id = ?", (int(project.index.ids[fact]),)
        )
    project.reread()
    edit_gold(project, "ann", int(project.index.questions[other].max()), "Narva", ())
    project.refresh()
    now = read_set(project, find_set(project, "all"))
    report = report_set(project, now, ANN, ["judge"])
    assert (len(now), report["gone"]) == (60 - gone, gone)
    assert report["versions"][0]["out_of_date"] == int((now.facts == other).sum())


def test_labels_from_before_the_draw_are_counted_as_not_blind(project: OpenProject) -> None:
    slot = int(draw_set(project, "first", size=20).slots[0])
    set_label(project, "zoe", slot, Label.CORRECT)
    project.refresh()
    later = draw_set(project, "later", size=20)
    with write_transaction(project.connection):  # as if the clock had gone on
        project.connection.execute("UPDATE reference_set SET at = at + 60000 WHERE name = 'later'")
    later = read_set(project, find_set(project, "later"))
    first = read_set(project, find_set(project, "first"))
    counts = [
        report_set(project, one, "human:zoe", ["judge"])["not_blind"] for one in (first, later)
    ]
    assert counts == [0, 1]


def test_sets_are_merged_and_leave_without_names(tmp_path: Path) -> None:
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for place, path in enumerate(paths):
        with make_project(path) as made:
            found = draw_set(made, "common", size=20, by="human:ann")
            draw_set(made, "apart", size=20, seed=place)
            if place:
                draw_set(made, "theirs", size=20, seed=3)
                report_set(made, found, ANN, ["judge"], open_final=True)
    lines = merged_lines(paths, tmp_path / "c.db")
    assert lines == ["reference set 'apart': drawn otherwise"]
    with OpenProject(tmp_path / "c.db") as merged:
        names = [one.name for one in db.reference_sets.read_sets(merged.connection)]
        assert names == ["common", "apart", "theirs"]
        common = read_set(merged, find_set(merged, "common"))
        assert len(common) == 20
        assert len(report_set(merged, common, ANN, ["judge"])["opened"]) == 1
        with open_anonymous(merged) as copy:
            hidden = read_set(copy.project, find_set(copy.project, "common"))
            assert hidden.plan.by == "human:person-1"
    assert all(one.well for one in examine_database(tmp_path / "c.db"))
