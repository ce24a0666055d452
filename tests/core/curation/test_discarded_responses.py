"""Setting responses aside: nothing is lost, and everything that follows from them follows."""

import json

import numpy as np
import pytest

import db.grades
import db.integrity
import db.label_grids
import db.responses
import db.sampling_runs
from core.curation import response_discards
from core.errors import UsageError
from core.project import OpenProject
from core.results import profile_summary
from core.scoring.policy import Policy
from core.vocabulary import TASKS, Outcome, Task
from db.connection import write_transaction
from db.drawn_responses import DrawnColumns, NewResponse, insert_drawn
from db.slot_ids import slot, unpack
from tests.core.making import Row, a_fact, put_facts, put_rows
from tests.db.making import start_run


@pytest.fixture
def filled(project: OpenProject) -> OpenProject:
    """One fact, two models, both settings; two graders, one of them a person with a reason."""
    put_facts(project, [a_fact("f"), a_fact("g")])
    put_rows(
        project,
        [
            Row(
                "f",
                task,
                model,
                thinking,
                sample,
                {"lexical": Outcome.CORRECT, "human:ann": Outcome.OTHER},
                text=f"{model} {task} {thinking} {sample}",
                at={"human:ann": 1000 + sample},
            )
            for task in TASKS
            for model in ("m", "n")
            for thinking in (False, True)
            for sample in range(2)
        ],
    )
    return project


def sound(project: OpenProject) -> bool:
    return not db.integrity.faults(project.connection) and not db.integrity.grids_are_stale(
        project.connection
    )


def count(project: OpenProject, table: str) -> int:
    (found,) = project.connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(found)


def test_responses_go_aside_with_their_grades(filled: OpenProject) -> None:
    slots = response_discards.slots_of(filled, "m", [True], [Task.DIRECT, Task.REVERSE])
    assert len(slots) == 4
    with write_transaction(filled.connection):
        filled.connection.execute(
            "INSERT INTO draw (response, finish, reasoning) VALUES (?, 'stop', 'hm')", slots[:1]
        )
        lexical, ann = (one.plane for one in filled.graders())
        db.grades.insert_rationales(filled.connection, ann, [(slots[0], "not a city")])
    before = {
        key: (text, question)
        for key, text, question in filled.connection.execute(
            "SELECT id, text, question FROM response"
        )
    }
    response_discards.discard(filled, slots, "wrong prompt")
    assert count(filled, "response") == 76
    assert count(filled, "grade") == 152
    aside = {
        key: (text, reason, json.loads(draw) if draw else None, json.loads(grades))
        for key, text, reason, draw, grades in filled.connection.execute(
            "SELECT slot, text, reason, draw, grades FROM aside"
        )
    }
    assert set(aside) == set(slots)
    for key, (text, reason, draw, grades) in aside.items():
        assert text == before[key][0]
        assert reason == "wrong prompt"
        first = key == slots[0]
        assert draw == (
            {
                "run": None,
                "finish": "stop",
                "reasoning": "hm",
                "reasoning_tokens": None,
                "served": None,
            }
            if first
            else None
        )
        assert {one["grader"]: (one["outcome"], one["at"], one["rationale"]) for one in grades} == {
            lexical: (1, None, None),
            ann: (4, 1000 + unpack(key)[2], "not a city" if first else None),
        }
    assert sound(filled)


def test_figures_follow_at_once(filled: OpenProject) -> None:
    before = profile_summary.profiles(filled, Policy())
    assert before.models["m"].thinking
    response_discards.discard(
        filled, response_discards.slots_of(filled, "m", [True], TASKS), "all of them"
    )
    after = profile_summary.profiles(filled, Policy())
    assert not after.models["m"].thinking
    assert after.models["n"] == before.models["n"]
    assert not after.provisional
    drawn = filled.grids.cells(db.label_grids.DRAWN, filled.setting_ids()["m", False])
    assert drawn is not None
    assert int(np.count_nonzero(drawn)) == 20
    response_discards.discard(
        filled, response_discards.slots_of(filled, "m", [False], TASKS), "these too"
    )
    assert filled.models() == ["n"]
    assert set(filled.setting_ids()) == {("n", False), ("n", True)}
    assert count(filled, "aside") == 40
    assert sound(filled)


def test_a_new_draw_fits_in_and_only_there(filled: OpenProject) -> None:
    slots = response_discards.slots_of(filled, "m", [False], [Task.DIRECT])
    question, setting, _ = unpack(slots[0])
    cell = slot(question, setting, 0)
    assert db.responses.find_filled(filled.connection, [cell], 3) == {cell: {0, 1}}
    response_discards.discard(filled, slots, "again")
    assert db.responses.find_filled(filled.connection, [cell], 3) == {}
    taken = response_discards.slots_of(filled, "n", [False], [Task.DIRECT])[0]
    with write_transaction(filled.connection):
        run = start_run(filled.connection, setting, [Task.DIRECT], None, 2)
        drawn = [NewResponse(key, "new", finish="stop") for key in (*slots, taken)]
        runs = {unpack(row.slot)[1]: run for row in drawn}
        fresh = insert_drawn(filled.connection, DrawnColumns.from_rows(drawn), runs)
        assert [row.slot for row in fresh.to_rows()] == slots
    filled.refresh()
    assert {text for text, _ in db.responses.find_existing(filled.connection, slots).values()} == {
        "new"
    }
    assert db.responses.find_existing(filled.connection, [taken])[taken][0] != "new"
    assert sound(filled)
    again = profile_summary.profiles(filled, Policy(graders=("lexical",)))
    assert again.provisional
    response_discards.discard(filled, slots, "and again")
    assert count(filled, "aside") == 4
    assert sound(filled)


def test_many_transactions_make_the_same_of_it(
    filled: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(response_discards, "BATCH", 3)
    monkeypatch.setattr(db.label_grids, "FOLD_AFTER_CHANGES", 5)
    response_discards.discard(
        filled, response_discards.slots_of(filled, "m", [False, True], TASKS), "x"
    )
    assert (count(filled, "response"), count(filled, "aside")) == (40, 40)
    assert count(filled, "grid_change") == 0
    assert sound(filled)


def test_another_program_sees_it(filled: OpenProject) -> None:
    with OpenProject(filled.path) as reader:
        assert reader.models() == ["m", "n"]
        response_discards.discard(
            filled, response_discards.slots_of(filled, "m", [False, True], TASKS), "x"
        )
        assert reader.refresh()
        assert reader.models() == ["n"]


def test_what_is_not_there_is_not_discarded(filled: OpenProject) -> None:
    with pytest.raises(UsageError, match="m, n"):
        response_discards.slots_of(filled, "nobody", [False], TASKS)
    response_discards.discard(filled, [], "nothing")
    response_discards.discard(filled, [1 << 40], "an empty slot")
    assert (count(filled, "response"), count(filled, "aside")) == (80, 0)
    assert sound(filled)
