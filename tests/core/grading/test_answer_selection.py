"""Which responses are graded: by model, task and filter, and a sample in seeded order."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.errors import UsageError
from core.graders import stored_answers
from core.grading.answer_selection import ALL, AnswerSelection
from core.project import OpenProject
from core.vocabulary import Outcome, Task
from db.slot_ids import keep_cells, slots_of_question, unpack
from tests.core.making import a_fact, cell, new_project, put_facts, put_rows

OPEN = (Task.COMPLETION, Task.DIRECT, Task.MC_DIRECT)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """Two models' answers to three facts, three samples each; the first fact is labelled."""
    with new_project(tmp_path / "p.db") as project:
        put_facts(project, [a_fact(f"f{n}", category="Arts" if n else "Law") for n in range(3)])
        for n in range(3):
            labels = [Outcome.CORRECT if n == 0 else None] * 3
            for task in OPEN:
                put_rows(project, cell(f"f{n}", task, "alpha", False, labels))
                put_rows(project, cell(f"f{n}", task, "beta", True, labels))
        project.refresh()
        yield project


def keys(project: OpenProject, selection: AnswerSelection, choice: bool = False) -> set[str]:
    """The responses chosen, as fact/task/model/thinking/sample."""
    slots = selection.find_slots(project, choice)
    assert slots is not None
    names = {key: name for name, key in project.setting_ids().items()}
    questions = {
        int(project.index.questions[place, column]): (project.index.fact_ids[place], task)
        for place in range(len(project.index))
        for column, task in enumerate(Task)
    }
    found = set()
    for slot in slots.tolist():
        question, setting, sample = unpack(slot)
        fact, task = questions[question]
        model, on = names[setting]
        found.add(f"{fact}/{task}/{model}/{'on' if on else 'off'}/{sample}")
    return found


def test_nothing_asked_is_everything(project: OpenProject) -> None:
    assert ALL.find_slots(project, False) is None


def test_models_tasks_and_facts_narrow_it(project: OpenProject) -> None:
    chosen = keys(
        project, AnswerSelection("category:Arts", ("beta",), (Task.DIRECT, Task.MC_DIRECT))
    )
    assert chosen == {f"f{n}/direct/beta/on/{sample}" for n in (1, 2) for sample in range(3)}
    assert {key.split("/")[1] for key in keys(project, AnswerSelection(models=("alpha",)))} == {
        "completion",
        "direct",
    }
    assert {
        key.split("/")[1] for key in keys(project, AnswerSelection(models=("alpha",)), choice=True)
    } == {"mc_direct"}


@pytest.mark.parametrize("seed", [0, 7])
def test_a_sample_is_the_first_in_seeded_order(seed: int, project: OpenProject) -> None:
    every = keys(project, AnswerSelection(models=("alpha", "beta")))
    assert len(every) == 3 * 2 * 2 * 3
    order = sorted(
        every, key=lambda key: hashlib.sha256(f"{seed}/grade-sample/{key}".encode()).hexdigest()
    )
    for size in (1, 5, 36):
        assert keys(project, AnswerSelection(size=size, seed=seed)) == set(order[:size])


def test_a_sample_larger_than_what_there_is_is_refused(project: OpenProject) -> None:
    with pytest.raises(UsageError, match="--sample 37: there are only 36 such responses"):
        AnswerSelection(size=37).find_slots(project, False)
    with pytest.raises(UsageError, match="there are only 0"):
        AnswerSelection(where="category:None", size=1).find_slots(project, False)


def test_labels_that_are_there_count(project: OpenProject) -> None:
    for size, more in ((5, 5), (20, 15), (20, 0)):
        slots = AnswerSelection(size=size).find_slots(project, False)
        assert stored_answers.grade(project, "lexical", slots=slots) == more
        project.refresh()


def test_slots_as_cells_and_by_question() -> None:
    slots = np.array([(5 << 20) | (2 << 10) | 1, (5 << 20) | (3 << 10), (6 << 20) | (2 << 10)])
    cells = np.ones((2, 8), np.uint8)
    kept = keep_cells(slots, cells, 2)
    assert [tuple(at) for at in np.argwhere(kept)] == [(0, 6), (1, 5)]
    assert keep_cells(None, cells, 2) is cells
    assert slots_of_question(slots, 5) == set(slots[:2].tolist())
    assert slots_of_question(slots, 7) == set()
