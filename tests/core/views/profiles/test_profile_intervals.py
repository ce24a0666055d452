"""What makes a model doubtful: reasoning where thinking was off, answers without a mark."""

from contextlib import closing
from pathlib import Path

import pytest

import db.model_rows
import db.responses
import db.sampling_runs
from core.graders.answer_text import STEP_BY_STEP
from core.views.profiles import profile_doubts
from core.views.session import Session
from core.vocabulary import TASKS, Task
from db.connection import write_transaction
from db.drawn_responses import DrawnColumns, NewResponse, insert_drawn
from db.slot_ids import slot
from tests.core.making import a_fact, a_recipe, new_project, put_facts
from tests.db.making import start_run


def made(
    path: Path, recipe: dict[str, object] | None, answers: list[tuple[bool, str, str | None]]
) -> None:
    """A model with answers to one question: thinking, text, reasoning."""
    with new_project(path) as project:
        put_facts(project, [a_fact("f")])
        connection = project.connection
        with write_transaction(connection):
            keys = {on: db.model_rows.ensure_setting(connection, "m", on) for on in (False, True)}
            if recipe is not None:
                db.model_rows.set_recipe(connection, "m", recipe)
            run = start_run(connection, keys[False], TASKS, None, len(answers))
            question = int(project.index.questions[0, TASKS.index(Task.DIRECT)])
            for place, (on, text, reasoning) in enumerate(answers):
                key = slot(question, keys[on], place)
                drawn = NewResponse(key, text, None, "stop", reasoning, 7 if reasoning else None)
                insert_drawn(connection, DrawnColumns.from_rows([drawn]), {keys[on]: run})


def found(path: Path) -> dict[str, str]:
    with closing(Session(path)) as session:
        session.open()
        return dict(profile_doubts.read_doubts(session))


def test_reasoning_with_thinking_off_is_counted(tmp_path: Path) -> None:
    answers = [(False, "a", "hm"), (False, "b", None), (False, "c", "so"), (True, "d", "well")]
    made(tmp_path / "a.db", None, answers)
    assert found(tmp_path / "a.db") == {"m": "thinking was not off: 2 of 3 answers show reasoning"}


@pytest.mark.parametrize(("without", "doubtful"), [(2, False), (3, True)])
def test_above_a_fifth_without_a_mark_is_doubtful(
    tmp_path: Path, without: int, doubtful: bool
) -> None:
    texts = ["no mark"] * without + ["so\nanswer: x"] * (10 - without)
    recipe = a_recipe(thinking=STEP_BY_STEP)
    made(tmp_path / "b.db", recipe, [(True, text, None) for text in texts])
    words = "3 of 10 answers with thinking have no `answer:`"
    assert found(tmp_path / "b.db") == ({"m": words} if doubtful else {})


def test_without_a_recipe_nobody_knows(tmp_path: Path) -> None:
    made(tmp_path / "c.db", None, [(True, "no mark", None)] * 1)
    assert found(tmp_path / "c.db") == {}
