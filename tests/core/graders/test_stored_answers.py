"""Grading stored responses with the built-in graders."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import pytest
from click.testing import CliRunner

import db.grades
import db.integrity
import db.model_rows
from core.dataset import choice_options
from core.errors import UsageError
from core.graders import exact, stored_answers
from core.graders.answer_text import STEP_BY_STEP
from core.graders.grader_record import GraderRecord, make_word_grader
from core.graders.grader_table import BUILTIN
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.precedence import resolve
from core.vocabulary import Label, Outcome, Task
from db.connection import write_transaction
from tests.core.making import OBJECT, OPTIONS, Row, a_fact, a_recipe, put_facts, put_rows
from tui.cli.main import cli
from tui.dialogs.start import form, form_fields

Graders = dict[str, GraderRecord]


@pytest.fixture
def graders() -> Iterator[Graders]:
    """The table of built-in graders, to be changed by one test."""
    table = cast("Graders", BUILTIN)
    before = dict(table)
    yield table
    table.clear()
    table.update(before)


def outcomes(project: OpenProject, grader: str) -> dict[tuple[str, str, bool, int], str]:
    """Labels of a grader by fact, task, thinking and sample."""
    return {
        (fact_id, task, bool(thinking), sample): label
        for fact_id, task, thinking, sample, label in project.connection.execute(
            "SELECT fact_id, task, thinking, sample, label FROM v_labels WHERE grader = ?",
            (grader,),
        )
    }


def row(text: str, sample: int = 0, **more: object) -> Row:
    values: Mapping[str, object] = {
        "fact_id": "f",
        "task": Task.DIRECT,
        "model": "m",
        "thinking": False,
        "sample": sample,
        "text": text,
        **more,
    }
    return Row(**values)  # type: ignore[arg-type]


@pytest.fixture
def filled(project: OpenProject) -> OpenProject:
    put_facts(project, [a_fact("f"), a_fact("g")])
    return project


def test_every_response_is_graded_once(filled: OpenProject) -> None:
    put_rows(filled, [row("Tartu"), row("Narva", 1), row("", 2), row("tartu.", 3)])
    assert stored_answers.grade(filled, "exact") == 4
    assert outcomes(filled, "exact") == {
        ("f", "direct", False, 0): "CORRECT",
        ("f", "direct", False, 1): "INCORRECT",
        ("f", "direct", False, 2): "OTHER",
        ("f", "direct", False, 3): "CORRECT",
    }
    assert stored_answers.grade(filled, "exact") == 0
    put_rows(filled, [row("Tartu", 4), row("Tartu", 0, fact_id="g")])
    assert stored_answers.grade(filled, "exact") == 2
    assert len(outcomes(filled, "exact")) == 6
    assert not db.integrity.grids_are_stale(filled.connection)


def test_other_graders_and_older_versions_stay(filled: OpenProject) -> None:
    put_rows(filled, [row("Tartu", grades={"exact#0": Outcome.OTHER, "llm:x": Outcome.ERROR})])
    assert stored_answers.grade(filled, "exact") == 1
    found = filled.connection.execute(
        "SELECT name, version, outcome FROM grade JOIN grader ON grader.id = grader ORDER BY 1, 2"
    ).fetchall()
    assert found == [("exact", "0", 4), ("exact", exact.VERSION, 1), ("llm:x", "1", 7)]


def test_answers_with_choice_of_the_first_version_get_the_second_beside_it(
    filled: OpenProject,
) -> None:
    shown = choice_options.encode(OPTIONS[Task.MC_DIRECT.side], OPTIONS[Task.MC_DIRECT.side])
    old = {"choice#1": Outcome.OTHER}
    texts = ["The answer is (A).", "**Narva**", "A or B"]
    put_rows(
        filled,
        [
            row(text, sample, task=Task.MC_DIRECT, shown=shown, grades=old)
            for sample, text in enumerate(texts)
        ],
    )
    assert stored_answers.grade(filled, "choice") == 3
    versions = filled.connection.execute(
        "SELECT version, count(*) FROM grade JOIN grader ON grader.id = grader GROUP BY 1"
    ).fetchall()
    assert versions == [("1", 3), ("2", 3)]
    filled.refresh()
    (rank,) = resolve(["choice"], filled.graders(), None)
    versions = filled.connection.execute("SELECT id, version FROM grader").fetchall()
    assert [dict(versions)[plane] for plane in rank.planes] == ["2", "1"]
    assert stored_answers.grade(filled, "choice") == 0


def test_identical_answers_are_read_once(filled: OpenProject, graders: Graders) -> None:
    read = []

    def grade(question: str, golds: Sequence[str], answer: str) -> Label:
        read.append((question, answer))
        return Label.PARTIALLY

    graders["lexical"] = make_word_grader("lexical", "1", grade)
    rows = [row("Tartu", sample) for sample in range(3)]
    rows += [row("Tartu", sample, model="n") for sample in range(3)]
    rows += [row("Narva", 3), row("Tartu", fact_id="g"), row("Tartu", task=Task.REVERSE)]
    put_rows(filled, rows)
    assert stored_answers.grade(filled, "lexical") == len(rows)
    assert sorted(read) == [
        ("f direct?", "Narva"),
        ("f direct?", "Tartu"),
        ("f reverse?", "Tartu"),
        ("g direct?", "Tartu"),
    ]
    assert set(outcomes(filled, "lexical").values()) == {"PARTIALLY"}


def test_only_the_facts_asked_for(filled: OpenProject) -> None:
    put_rows(filled, [row("Tartu"), row("Tartu", fact_id="g")])
    seen: list[int] = []
    assert stored_answers.grade(filled, "exact", [int(filled.index.ids[1])], seen.append) == 1
    assert set(outcomes(filled, "exact")) == {("g", "direct", False, 0)}
    assert sum(seen) == 1


def test_each_side_has_its_own_gold(filled: OpenProject) -> None:
    put_rows(
        filled,
        [row("Estonia", task=task) for task in (Task.DIRECT, Task.REVERSE, Task.COMPLETION)],
    )
    stored_answers.grade(filled, "exact")
    assert outcomes(filled, "exact") == {
        ("f", "direct", False, 0): "INCORRECT",
        ("f", "reverse", False, 0): "CORRECT",
        ("f", "completion", False, 0): "INCORRECT",
    }


def test_imported_answers_with_a_marker_are_read_step_by_step(filled: OpenProject) -> None:
    long = "Narva is on the border.\nAnswer: Tartu"
    put_rows(
        filled,
        [
            row(long, 0, thinking=True),
            row("Narva, no.\nTartu", 1, thinking=True),
            row("Tartu", 2, thinking=True),
            row(long, 0, thinking=False),
        ],
    )
    stored_answers.grade(filled, "exact")
    assert outcomes(filled, "exact") == {
        ("f", "direct", True, 0): "CORRECT",
        ("f", "direct", True, 1): "INCORRECT",
        ("f", "direct", True, 2): "CORRECT",
        ("f", "direct", False, 0): "INCORRECT",
    }


def cut_off(project: OpenProject, key: int) -> None:
    with write_transaction(project.connection):
        project.connection.execute(
            "INSERT INTO draw (response, finish) VALUES (?, 'length')", (key,)
        )


def test_a_recipe_says_how_answers_are_read(filled: OpenProject) -> None:
    texts = ["Narva, no.\nTartu", "Narva, no.\nTartu", "Thoughts.\nAnswer: Tartu"]
    _, cut, finished = put_rows(
        filled, [row(text, sample, thinking=True) for sample, text in enumerate(texts)]
    )
    with write_transaction(filled.connection):
        db.model_rows.set_recipe(filled.connection, "m", a_recipe(thinking=STEP_BY_STEP))
    cut_off(filled, cut)
    cut_off(filled, finished)
    stored_answers.grade(filled, "exact")
    assert [label for _, label in sorted(outcomes(filled, "exact").items())] == [
        "CORRECT",
        "OTHER",
        "CORRECT",
    ]


def test_a_model_that_thinks_by_itself_answers_plainly(filled: OpenProject) -> None:
    put_rows(filled, [row("Narva.\nAnswer: Tartu", thinking=True), row("Tar")])
    with write_transaction(filled.connection):
        db.model_rows.set_recipe(filled.connection, "m", a_recipe())
    stored_answers.grade(filled, "exact")
    assert set(outcomes(filled, "exact").values()) == {"INCORRECT"}


def test_a_cut_off_plain_answer_is_graded_on_what_it_has(filled: OpenProject) -> None:
    (key,) = put_rows(filled, [row("Tartu")])
    cut_off(filled, key)
    stored_answers.grade(filled, "exact")
    assert set(outcomes(filled, "exact").values()) == {"CORRECT"}


def test_choice_reads_the_order_shown(filled: OpenProject) -> None:
    options = OPTIONS[Task.MC_DIRECT.side]
    shown = choice_options.encode((options[1], OBJECT, options[2], options[3]), options)
    put_rows(
        filled,
        [
            row(text, sample, task=Task.MC_DIRECT, shown=shown)
            for sample, text in enumerate(["B", "A", "Tartu", "B Tartu", "none of them", ""])
        ]
        + [row("B", 0), row("Tartu", 9, task=Task.MC_DIRECT)],
    )
    assert stored_answers.grade(filled, "choice") == 6
    assert [label for _, label in sorted(outcomes(filled, "choice").items())] == [
        "CORRECT",
        "INCORRECT",
        "CORRECT",
        "CORRECT",
        "OTHER",
        "OTHER",
    ]
    assert stored_answers.grade(filled, "choice") == 0


def test_an_order_learnt_later_is_graded_later(filled: OpenProject) -> None:
    options = OPTIONS[Task.MC_DIRECT.side]
    (key,) = put_rows(filled, [row("B", task=Task.MC_DIRECT)])
    assert stored_answers.grade(filled, "choice") == 0
    import db.responses

    with write_transaction(filled.connection):
        db.responses.set_shown(filled.connection, [(choice_options.encode(options, options), key)])
    assert stored_answers.grade(filled, "choice") == 1
    assert set(outcomes(filled, "choice").values()) == {"INCORRECT"}


DOUBTFUL = "Tartarus"
"""An answer that `form` is not sure of."""


def states(project: OpenProject, grader: str) -> dict[int, Outcome]:
    """What a grader came to, states of the grading included, by sample."""
    return {
        sample: Outcome(outcome)
        for sample, outcome in project.connection.execute(
            "SELECT response.sample, outcome FROM grade JOIN grader ON grader.id = grade.grader "
            "JOIN response ON response.id = grade.response WHERE name = ?",
            (grader,),
        )
    }


def test_what_a_grader_is_not_sure_of_is_a_state_and_no_label(filled: OpenProject) -> None:
    put_rows(filled, [row("Tartu"), row("Bielefeld", 1), row(DOUBTFUL, 2)])
    assert stored_answers.grade(filled, "form", sure=0.8) == 3
    assert states(filled, "form") == {
        0: Outcome.CORRECT,
        1: Outcome.INCORRECT,
        2: Outcome.UNSURE,
    }
    assert len(outcomes(filled, "form")) == 2
    assert not db.integrity.grids_are_stale(filled.connection)
    filled.refresh()
    (rank,) = filled.ranks(Policy(graders=("form",)))
    tally = filled.tally((rank,), ["m"])
    assert tally.labels.sum() == 2
    # What was left is looked at again, and labelled by whoever asks for less.
    assert stored_answers.grade(filled, "form", sure=0.5) == 1
    assert states(filled, "form")[2] in (Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIALLY)
    assert stored_answers.grade(filled, "form", sure=1.0) == 0


def test_only_a_grader_that_knows_can_be_unsure(filled: OpenProject) -> None:
    with pytest.raises(UsageError, match=r"lexical does not say how sure it is: .* with form"):
        stored_answers.grade(filled, "lexical", sure=0.8)


@pytest.mark.parametrize("name", ["lexical", "exact", "form"])
def test_multiple_choice_is_left_to_choice(filled: OpenProject, name: str) -> None:
    put_rows(filled, [row("Tartu", task=Task.MC_DIRECT, shown=0)])
    assert stored_answers.grade(filled, name) == 0


@pytest.mark.parametrize("name", ["llm:x", "human:ann", "imported", "", "lexical#1"])
def test_only_built_in_graders_can_be_run(filled: OpenProject, name: str) -> None:
    with pytest.raises(UsageError, match="lexical, form, exact, em, choice"):
        stored_answers.grade(filled, name)


def test_a_new_grader_is_one_record(filled: OpenProject, graders: Graders) -> None:
    graders["longest"] = make_word_grader("longest", "1", lambda *texts: Label.OTHER)
    put_rows(filled, [row("Tartu")])
    assert stored_answers.grade(filled, "longest") >= 1
    assert set(outcomes(filled, "longest").values()) == {"OTHER"}
    helped = " ".join(CliRunner().invoke(cli, ["grade", "--help"]).output.split())
    assert "lexical, form, exact, em, choice, longest, llm:MODEL or judge:MODEL." in helped
    assert "`lexical`, `form`, `exact`, `em` and `longest` read answers in words" in helped
    assert form.graders(form_fields.Do.RUN)[-1] == "longest"
