"""What a label would do, against what it does."""

from dataclasses import replace
from random import Random

import pytest

import db.label_grids
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS
from core.views import fact_view, label_effects
from core.views.fact_case import part_of
from core.views.snapshot import Snapshot
from core.vocabulary import LABELS, TASK_INDEX, TASKS, Label, Outcome, Strategy, Task
from db.connection import write_transaction
from db.slot_ids import slot, unpack
from tests.core.making import a_fact, put_facts, put_grades
from tests.core.views.making import (
    MODEL,
    A,
    B,
    chances,
    change_graders,
    labelled,
    lens_of,
    snapshot_of,
)


def slot_of(
    project: OpenProject, task: Task, thinking: bool, sample: int, model: str = MODEL
) -> int:
    question = int(project.index.questions[0, TASK_INDEX[task]])
    return slot(question, project.setting_ids()[model, thinking], sample)


def set_label(project: OpenProject, key: int, label: Label, at: int = 5_000) -> None:
    """What a person does who labels an answer; a label they gave before is replaced."""
    with write_transaction(project.connection):
        for table in ("remark", "grade"):
            project.connection.execute(
                f"DELETE FROM {table} WHERE response = ? AND grader = "
                "(SELECT id FROM grader WHERE name = 'human:ada')",
                (key,),
            )
        put_grades(project, key, {"human:ada": Outcome.from_label(label)}, {"human:ada": at})


def fact_at(project: OpenProject, snapshot: Snapshot, key: int) -> tuple[int, Task, bool]:
    question, setting, _ = unpack(key)
    places, columns = (snapshot.index.questions == question).nonzero()
    on = project.setting_ids()[MODEL, False] != setting
    return int(places[0]), TASKS[int(columns[0])], on


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("thinking", [True, False])
def test_a_label_does_what_was_said_before(
    project: OpenProject, strategy: Strategy, thinking: bool
) -> None:
    slots = chances(project, 7, facts=12, thinking=thinking, whole=0.8)
    lens = lens_of(MODEL, a=A, b=B, policy=Policy(strategy=strategy))
    random = Random(7)
    changed = 0
    snapshot = snapshot_of(project, lens)
    for key in random.sample(slots, 120):
        place, task, on = fact_at(project, snapshot, key)
        label = random.choice(LABELS)
        found = label_effects.list_consequences(project, snapshot, key)
        assert tuple(one.label for one in found) == LABELS
        said = found[LABELS.index(label)]
        assert said.before == snapshot.code(place)
        set_label(project, key, label)
        snapshot = snapshot_of(project, lens)
        assert snapshot.code(place) == said.after
        view = fact_view.read_fact(project, snapshot, int(snapshot.index.ids[place]))
        assert view is not None
        row = view.tasks[TASK_INDEX[task]]
        grade = row.on if on else row.off
        assert (grade.g, grade.passes) == (said.g, said.passes)
        parts = {one.name: one.holds for one in view.reasons}
        assert said.part == part_of(task, on)
        assert said.holds == (parts[said.part] if said.part else None)
        changed += said.changes_profile
    assert changed >= 3


def test_one_label_moves_the_profile(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    recalled = dict.fromkeys(CELLS, "cccc")
    labelled(project, "f", recalled | {(Task.REVERSE, False): "cic"})
    snapshot = snapshot_of(project)
    found = label_effects.list_consequences(
        project, snapshot, slot_of(project, Task.REVERSE, False, 2)
    )
    assert [(one.g, one.passes, one.part, one.holds, one.after) for one in found] == [
        (2 / 3, True, "K0", True, "DR"),
        (1 / 3, False, "K0", False, "RT"),
        (0.5, False, "K0", False, "RT"),
        (0.5, False, "K0", False, "RT"),
    ]
    assert [one.changes_profile for one in found] == [False, True, True, True]


def test_the_last_gradable_answer_excludes_the_fact(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    pair = {(Task.DIRECT, False): "c", (Task.DIRECT_NATURAL, False): "o"}
    labelled(project, "f", dict.fromkeys(CELLS, "c") | pair)
    found = label_effects.list_consequences(
        project, snapshot_of(project), slot_of(project, Task.DIRECT, False, 0)
    )
    assert found[-1].g is found[-1].passes is found[-1].holds is None
    assert (found[-1].before, found[-1].after) == ("DR", "NA")


def test_the_first_label_completes_a_fact(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", dict.fromkeys(CELLS, "c") | {(Task.DIRECT, True): "."})
    found = label_effects.list_consequences(
        project, snapshot_of(project), slot_of(project, Task.DIRECT, True, 0)
    )
    assert [one.after for one in found] == ["DR", "DR", "DR", "DR"]
    assert [one.part for one in found] == ["KT"] * 4
    assert found[0].before == "··"


def test_cells_that_decide_nothing(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    others = {(Task.MC_DIRECT, False): "c", (Task.COMPLETION, True): "c"}
    labelled(project, "f", dict.fromkeys(CELLS, "c") | others)
    snapshot = snapshot_of(project)
    for task, thinking in others:
        found = label_effects.list_consequences(
            project, snapshot, slot_of(project, task, thinking, 0)
        )
        assert [(one.part, one.holds) for one in found] == [(None, None)] * 4
        assert [one.after for one in found] == ["DR"] * 4
        assert [one.g for one in found] == [1.0, 0.0, None, None]


def test_a_label_changes_nothing_in_a_lens_without_people(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", dict.fromkeys(CELLS, "c"))
    snapshot = snapshot_of(project, change_graders(lens_of(MODEL, a=A, b=B), people=False))
    found = label_effects.list_consequences(
        project, snapshot, slot_of(project, Task.DIRECT, False, 0)
    )
    assert [(one.g, one.passes, one.holds) for one in found] == [(1.0, True, True)] * 4
    assert not any(one.changes_profile for one in found)


def test_an_answer_labelled_already_is_weighed_from_where_it_stands(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", dict.fromkeys(CELLS, "c"))
    key = slot_of(project, Task.DIRECT, False, 0)
    set_label(project, key, Label.INCORRECT)
    found = label_effects.list_consequences(project, snapshot_of(project), key)
    assert {one.before for one in found} == {"RT"}
    assert [one.g for one in found] == [1.0, 0.0, None, None]
    # A question that is not gradable is ignored beside its natural wording, which passes.
    assert [one.after for one in found] == ["DR", "RT", "DR", "DR"]


def test_another_model_than_the_lens_shows(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", dict.fromkeys(CELLS, "c"))
    snapshot = snapshot_of(project, lens_of(MODEL, a=A))
    here = label_effects.list_consequences(
        project, snapshot, slot_of(project, Task.DIRECT, False, 0)
    )
    put_facts(project, [a_fact("g")])
    elsewhere = replace(snapshot_of(project).lens, model=None)
    assert here == label_effects.list_consequences(
        project, snapshot_of(project, elsewhere), slot_of(project, Task.DIRECT, False, 0)
    )


def test_no_such_answer(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labelled(project, "f", {(Task.DIRECT, False): "cc"})
    snapshot = snapshot_of(project)
    key = slot_of(project, Task.DIRECT, False, 0)
    assert len(label_effects.list_consequences(project, snapshot, key)) == len(LABELS)
    question, setting, _ = unpack(key)
    assert project.grids.cells(db.label_grids.DRAWN, setting) is not None
    for gone in (key + 2, slot(question, setting + 1, 0), slot(question + 99, setting, 0), 0):
        assert label_effects.list_consequences(project, snapshot, gone) == ()
