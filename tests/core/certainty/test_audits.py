"""An audit from draw to done on a small project, and what may happen to it on the way."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import db.audits
import db.grades
import db.model_rows
from core.certainty.audit_draw import draw_frame, keep_frame, make_plan
from core.certainty.audit_frame import find_audit, read_frame
from core.certainty.audit_queue import next_rows, read_fact
from core.certainty.rehearsal import rehearse_audit
from core.curation.label_writer import set_label, withdraw
from core.errors import UsageError
from core.project import OpenProject
from core.results.profile_summary import profiles
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS
from core.vocabulary import Label, Outcome
from db.connection import write_transaction
from db.slot_ids import slot
from tests.core.certainty.making import ANN, FACTS, POLICY, drawn, label_next, report, reread
from tests.core.making import Row, merged_lines, put_grades, put_rows


def test_from_draw_to_done(project: OpenProject) -> None:
    frame = drawn(project, second="other")
    assert frame.weights.sum() == 12 + 2 * 3
    decisions, looks = 0, [report(project)]
    while count := label_next(project):
        decisions += count
        looks.append(report(project))
    done = looks[-1]
    assert done.audited == 14
    assert done.decisions == decisions < 14 * 40 / 2
    whole: Any = profiles(project, Policy(graders=("other",))).as_json()
    model = whole["models"][0]
    for (_, name), one in done.numbers.items():
        expected = model["shares"].get(name, model.get(name))
        assert one.audited == pytest.approx(expected)
        assert list(one.interval) == pytest.approx([expected, expected])
    for before, after in pairwise(looks):
        for key, one in after.numbers.items():
            assert before.numbers[key].interval[0] <= one.interval[0] + 1e-12
            assert before.numbers[key].interval[1] >= one.interval[1] - 1e-12
    assert (
        report(project, facts=5).numbers == next(one for one in looks if one.audited == 5).numbers
    )
    assert done.answers == 14
    json.dumps(done.as_json(), allow_nan=False)


def test_rows_are_blind_and_identical_answers_are_there_once(project: OpenProject) -> None:
    drawn(project)
    rows = next_rows(project, reread(project), 14)
    assert {tuple(row) for row in rows} == {
        (
            "fact_id",
            "task",
            "model",
            "thinking",
            "sample",
            "question",
            "gold",
            "aliases",
            "response",
        )
    }
    keys = [(row["fact_id"], row["task"], row["response"]) for row in rows]
    assert len(keys) == len(set(keys))


def test_a_label_counts_for_every_answer_like_it(project: OpenProject) -> None:
    drawn(project)
    evidence = reread(project)
    fact = read_fact(project, evidence, 0)
    one = next(answer for answer in fact.answers if answer.slot & 1023 == 2)
    set_label(project, "ann", one.slot, Label.CORRECT)
    again = read_fact(project, reread(project), 0)
    assert sum(answer.label == 1 for answer in again.answers) == sum(
        answer.key == one.key for answer in fact.answers
    )
    assert reread(project).decisions.tolist() == [1] + [0] * 13


def test_a_label_withdrawn_unsettles_the_fact(project: OpenProject) -> None:
    drawn(project)
    label_next(project, 14)
    while label_next(project, 14):
        pass
    assert reread(project).audited == 14
    for answer in read_fact(project, reread(project), 2).answers:
        withdraw(project, "ann", answer.slot)
    assert reread(project).audited == 2


def test_a_fact_rejected_leaves_and_the_rest_keeps_its_order(project: OpenProject) -> None:
    frame = drawn(project)
    gone = frame.fact_ids[1]
    with write_transaction(project.connection):
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id = ?", (gone,))
    assert reread(project).frame.fact_ids == [one for one in frame.fact_ids if one != gone]


def test_an_edited_gold_is_told(project: OpenProject) -> None:
    frame = drawn(project)
    with write_transaction(project.connection):
        project.connection.execute(
            "UPDATE gold SET version = 2 WHERE fact = (SELECT id FROM fact WHERE fact_id = ?)",
            (frame.fact_ids[0],),
        )
    assert report(project).as_json()["edited"] == 1


def test_a_newer_version_of_a_grader_is_told(project: OpenProject) -> None:
    drawn(project, second="other")
    assert report(project).as_json()["newer"] == []
    with write_transaction(project.connection):
        key = read_fact(project, reread(project), 0).answers[0].slot
        for name in ("judge", "third"):
            plane = db.grades.ensure_grader(project.connection, name, "2")
            db.grades.insert(project.connection, plane, [(key, int(Outcome.CORRECT), 1)])
    assert report(project).as_json()["newer"] == ["judge#2"]


def test_a_merge_takes_audits_over(project: OpenProject, tmp_path: Path) -> None:
    drawn(project)
    other = tmp_path / "b.db"
    project.connection.execute("VACUUM INTO ?", (str(other),))
    with OpenProject(other, "write") as there:
        keep_frame(there, "july", read_frame(there, find_audit(there, "june")))
        with write_transaction(there.connection):
            there.connection.execute("UPDATE audit SET frame = replace(frame, ': 3', ': 4')")
            there.connection.execute("UPDATE audit SET at = '2026-01-02 03:04:05'")
    lines = merged_lines([project.path, other], tmp_path / "c.db")
    assert lines == ['audit "june": drawn otherwise'] or "june" in "".join(lines)
    with OpenProject(tmp_path / "c.db") as whole:
        kept = db.audits.audits(whole.connection)
        assert [one.name for one in kept] == ["june", "july"]
        assert kept[1].at == "2026-01-02 03:04:05"
        assert len(read_frame(whole, find_audit(whole, "july"))) == 14


def test_a_rehearsal_has_the_other_grader_play_the_person(project: OpenProject) -> None:
    frame = draw_frame(project, make_plan(project, POLICY, ANN, second="other"))
    found = rehearse_audit(project, frame, "other", 0.1, "recall_failure")["models"][0]
    assert found["held"] >= 0.95
    assert found["truth"] != found["graded"]
    assert 0 < found["facts"]["p50"] <= found["facts"]["p90"] <= 14


def test_a_plan_says_what_is_left(project: OpenProject) -> None:
    drawn(project, second="other")
    first = report(project, within=0.1)
    assert first.done is False
    assert first.left is not None
    assert 0 < first.left.p50 <= first.left.p90 <= 14
    assert first.left.decisions > first.left.p50
    while label_next(project, 14):
        pass
    last = report(project, within=0.1)
    assert (last.done, last.left and last.left.p50) == (True, 0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"models": ["nobody"]}, "no responses of a model named nobody"),
        ({"second": "nobody"}, "no labels by a grader named nobody"),
        ({"second": "judge"}, "both grader and second grader"),
        ({"second": ANN}, "is the person of the audit"),
        ({"where": "F99"}, "no fact is complete"),
        ({"trust_exact": True}, "lostkeys grade --grader exact"),
    ],
)
def test_bad_plans(project: OpenProject, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        drawn(project, **options)
    assert db.audits.audits(project.connection) == []


def test_bad_reports_and_names(project: OpenProject) -> None:
    drawn(project)
    for options in ({"within": 0.0}, {"within": 1.2}, {"facts": 0}, {"about": "luck"}):
        with pytest.raises(UsageError):
            report(project, **options)
    with pytest.raises(UsageError, match="there already"):
        drawn(project)
    with pytest.raises(UsageError, match="audits are june"):
        find_audit(project, "july")
    with pytest.raises(UsageError, match="is the person"):
        make_plan(project, Policy(graders=("judge", ANN)), ANN)


def test_two_models_have_gaps_and_ranks(project: OpenProject) -> None:
    rows = [
        Row(fact, task, "n", thinking, sample, {"judge": Outcome.CORRECT}, f"{sample}")
        for fact in FACTS
        for task, thinking in CELLS
        for sample in range(4)
    ]
    put_rows(project, rows)
    drawn(project)
    found = report(project)
    gap = found.gaps["direct_recall", "m", "n"]
    assert gap.graded == pytest.approx(-10 / 13)
    assert gap.interval == (-1.0, 1.0)
    assert found.ranks["direct_recall"] == {"m": (1, 2), "n": (1, 2)}


def test_what_equals_a_gold_is_correct_until_the_person_says_otherwise(
    project: OpenProject,
) -> None:
    fact = project.index.questions[0]
    keys = project.setting_ids()
    with write_transaction(project.connection):
        for sample in range(4):
            key = slot(int(fact[0]), keys["m", False], sample)
            put_grades(project, key, {"exact": Outcome.CORRECT})
    project.refresh()
    frame = drawn(project, trust_exact=True)
    at = frame.fact_ids.index("F0")
    evidence = reread(project)
    assert evidence.trusted[at] == 4
    assert sum(one.label == 1 for one in read_fact(project, evidence, at).answers) == 4
    set_label(project, "ann", slot(int(fact[0]), keys["m", False], 0), Label.OTHER)
    assert reread(project).trusted[at] == 3
