"""Whose label counts: lists, versions, people, `choice`, against plain loops over grades."""

from collections.abc import Iterable, Sequence
from random import Random

import numpy as np
import pytest

from core.errors import UsageError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.precedence import (
    GraderVersion,
    Rank,
    find_contested,
    first_of,
    labels_of,
    resolve,
)
from core.vocabulary import KNOWLEDGE, LABELS, TASK_INDEX, TASKS, Outcome, Task
from db import grades as stored_grades
from db import project_values
from db.connection import write_transaction
from db.label_grids import Cells, LabelMatrix
from tests.core.making import Row, a_fact, put_facts, put_rows

GRADERS = (
    "lexical#1",
    "lexical#2",
    "llm:judge#a",
    "llm:judge#b",
    "human:ann#1",
    "human:ann#2",
    "human:bob#1",
    "choice#1",
    "choice#2",
    "odd#name#1",
)
"""In the order in which they came: a later version of a grader is a newer one."""

TASKS_HERE = (Task.COMPLETION, Task.DIRECT, Task.REVERSE, Task.MC_DIRECT)


def version_of(grader: str) -> tuple[str, str]:
    name, _, version = grader.rpartition("#")
    return name, version


def newest_label(row: Row, versions: Iterable[str]) -> Outcome | None:
    """The label of the last of these versions that gave one; states of grading are none."""
    found = [row.grades[one] for one in versions if row.grades.get(one, Outcome.ERROR) <= 4]
    return found[-1] if found else None


def expected_label(row: Row, asked: Sequence[str]) -> Outcome | None:
    """Semantics section 3, one response at a time."""
    names = (
        [*asked]
        if any(version_of(one)[0] == "choice" or one == "choice" for one in asked)
        else [
            *asked,
            "choice",
        ]
    )
    for name in names:
        if name == "human:*":
            labelled = [
                one
                for one in GRADERS
                if one.startswith("human:") and row.grades.get(one, Outcome.ERROR) <= 4
            ]
            if labelled:
                return row.grades[max(labelled, key=lambda one: row.at[one])]
            continue
        versions = [one for one in GRADERS if version_of(one)[0] == name] or [name]
        if name.partition("#")[0] == "choice" and not row.task.is_choice:
            continue
        label = newest_label(row, versions)
        if label is not None:
            return label
    return None


def some_rows(random: Random) -> list[Row]:
    rows = []
    for fact in ("f1", "f2"):
        for task in TASKS_HERE:
            for thinking in (False, True):
                for sample in range(random.randrange(6)):
                    given = [one for one in GRADERS if random.random() < 0.4]
                    random.shuffle(given)
                    times = random.sample(range(1000), len(given))
                    rows.append(
                        Row(
                            fact,
                            task,
                            "m",
                            thinking,
                            sample,
                            {
                                one: Outcome(random.randint(1, 4 if "human" in one else 7))
                                for one in given
                            },
                            at=dict(zip(given, times, strict=True)),
                        )
                    )
    return rows


def make_graders(project: OpenProject) -> None:
    with write_transaction(project.connection):
        for grader in GRADERS:
            stored_grades.ensure_grader(project.connection, *version_of(grader))


def counts(rows: Iterable[Row], asked: Sequence[str]) -> dict[tuple[str, Task, bool], list[int]]:
    found: dict[tuple[str, Task, bool], list[int]] = {}
    for row in rows:
        cell = found.setdefault((row.fact_id, row.task, row.thinking), [0, 0, 0, 0])
        label = expected_label(row, asked)
        if label is not None:
            cell[label - 1] += 1
    return found


def test_any_list_against_plain_loops(project: OpenProject) -> None:
    random = Random(7)
    put_facts(project, [a_fact("f1"), a_fact("f2")])
    make_graders(project)
    rows = some_rows(random)
    put_rows(project, rows)
    names = [*GRADERS, *(version_of(one)[0] for one in GRADERS), "human:*"]
    for _ in range(60):
        asked = random.sample(names, random.randint(1, 3))
        tally = project.tally(project.ranks(Policy(graders=tuple(asked))), ["m"])
        found = {
            (fact_id, task, on): tally.labels[
                tally.rows[0, int(on)], :, TASK_INDEX[task], place
            ].tolist()
            for place, fact_id in enumerate(project.index.fact_ids)
            for task in TASKS_HERE
            for on in (False, True)
            if any((row.fact_id, row.task, row.thinking) == (fact_id, task, on) for row in rows)
        }
        assert found == counts(rows, asked), asked


def label_of(project: OpenProject, *asked: str) -> str | None:
    """The one label that a list finds in a project with one response."""
    policy = Policy(graders=asked or None)
    tally = project.tally(project.ranks(policy), project.models())
    found = tally.labels.sum(axis=(0, 2, 3))
    assert found.sum() <= 1
    return LABELS[int(found.argmax())].value if found.any() else None


def one_response(project: OpenProject, task: Task, *grades: tuple[str, Outcome, int]) -> None:
    put_facts(project, [a_fact("f")])
    row = Row(
        "f",
        task,
        "m",
        False,
        0,
        {grader: outcome for grader, outcome, _ in grades},
        at={grader: at for grader, _, at in grades},
    )
    put_rows(project, [row])


@pytest.mark.parametrize("state", [Outcome.UNPARSED, Outcome.REFUSED, Outcome.ERROR])
def test_states_of_grading_are_no_labels(project: OpenProject, state: Outcome) -> None:
    one_response(
        project,
        Task.DIRECT,
        ("lexical", Outcome.CORRECT, 0),
        ("lexical#2", state, 0),
        ("llm:x", state, 0),
        ("exact", Outcome.OTHER, 0),
    )
    assert label_of(project, "lexical") == "CORRECT"
    assert label_of(project, "lexical#2") is None
    assert label_of(project, "llm:x") is None
    assert label_of(project, "llm:x", "exact") == "OTHER"
    policy = Policy(graders=("llm:x",))
    tally = project.tally(project.ranks(policy), ["m"])
    assert project.is_provisional(tally, np.array([True]))


def test_the_newest_person_wins_whoever_labelled_first(project: OpenProject) -> None:
    one_response(
        project,
        Task.DIRECT,
        ("human:ann", Outcome.CORRECT, 300),
        ("human:bob", Outcome.INCORRECT, 200),
        ("human:cleo", Outcome.OTHER, 100),
        ("lexical", Outcome.PARTIALLY, 0),
    )
    assert label_of(project) == "CORRECT"
    assert label_of(project, "human:*", "lexical") == "CORRECT"
    assert label_of(project, "lexical", "human:*") == "PARTIALLY"
    assert label_of(project, "human:bob", "human:*") == "INCORRECT"


def test_without_times_a_label_of_people_counts_though_others_never_saw_the_answer(
    project: OpenProject,
) -> None:
    put_facts(project, [a_fact("f")])
    slots = put_rows(
        project,
        [
            Row("f", Task.DIRECT, "m", False, sample, grades)
            for sample, grades in enumerate(
                [
                    {"human:ann": Outcome.CORRECT, "human:bob": Outcome.CORRECT},
                    {"human:cleo": Outcome.OTHER},
                ]
            )
        ],
    )
    assert len(slots) == 2
    tally = project.tally(project.ranks(Policy()), ["m"])
    assert tally.labels[0, :, TASK_INDEX[Task.DIRECT], 0].tolist() == [1, 0, 0, 1]


def test_choice_comes_last_or_where_it_is_named_and_for_multiple_choice_only(
    project: OpenProject,
) -> None:
    one_response(
        project, Task.MC_DIRECT, ("imported", Outcome.CORRECT, 0), ("choice", Outcome.INCORRECT, 0)
    )
    assert label_of(project, "imported") == "CORRECT"
    assert label_of(project, "choice", "imported") == "INCORRECT"
    assert label_of(project, "choice#1", "imported") == "INCORRECT"
    assert label_of(project, "imported#1", "choice") == "CORRECT"
    assert label_of(project) == "CORRECT"


def test_choice_labels_of_open_questions_do_not_count(project: OpenProject) -> None:
    one_response(project, Task.DIRECT, ("choice", Outcome.CORRECT, 0))
    assert label_of(project, "choice") is None
    assert label_of(project) is None


def known(*names: str) -> list[GraderVersion]:
    return [GraderVersion(plane, name, "1") for plane, name in enumerate(names, 1)]


def names_of(
    asked: Sequence[str] | None, there: list[GraderVersion], primary: str | None
) -> list[str]:
    return [rank.name for rank in resolve(asked, there, primary)]


def test_the_default_list() -> None:
    assert names_of(None, known("lexical", "choice", "human:ann"), None) == ["human:*", "lexical"]
    assert names_of(None, known("choice", "human:ann"), None) == ["human:*"]
    assert names_of(None, known("lexical", "llm:x"), "llm:x") == ["human:*", "llm:x"]
    assert names_of(None, [], None) == ["human:*"]
    two_versions = [GraderVersion(1, "lexical", "1"), GraderVersion(2, "lexical", "2")]
    assert names_of(None, two_versions, None) == ["human:*", "lexical"]


def test_an_unclear_default_names_the_choices() -> None:
    with pytest.raises(UsageError) as error:
        resolve(None, known("lexical", "llm:x", "choice", "human:ann"), None)
    assert "lexical, llm:x" in str(error.value)
    assert "human:ann" not in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.parametrize("asked", ["nobody", "lexical#9", "human:bob", "lexical#", "#1", ""])
def test_a_grader_without_labels_is_refused_with_those_there_are(asked: str) -> None:
    with pytest.raises(UsageError, match="lexical, human:ann"):
        resolve([asked], known("lexical", "human:ann"), None)


def test_a_list_is_taken_exactly_and_once() -> None:
    there = known("lexical", "llm:x", "human:ann", "a#b")
    assert names_of(["llm:x", "lexical", "llm:x"], there, "lexical") == ["llm:x", "lexical"]
    assert names_of(["a#b"], there, None) == ["a#b"]
    (rank,) = resolve(["a#b#1"], there, None)
    assert rank.planes == (4,)


def test_the_primary_grader_is_kept_with_the_project(project: OpenProject) -> None:
    one_response(
        project, Task.DIRECT, ("lexical", Outcome.CORRECT, 0), ("exact", Outcome.INCORRECT, 0)
    )
    with pytest.raises(UsageError, match="exact"):
        label_of(project)
    with write_transaction(project.connection):
        project_values.set_value(project.connection, "primary_grader", "exact")
    assert label_of(project) == "INCORRECT"


def test_encoding_with_thinking_on_is_counted_apart(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", KNOWLEDGE + TASKS[:2])])
    rows = [
        Row("f", Task.COMPLETION, "m", on, 0, {"lexical": label})
        for on, label in ((False, Outcome.INCORRECT), (True, Outcome.CORRECT))
    ]
    put_rows(project, rows)
    tally = project.tally(project.ranks(Policy()), ["m"])
    assert tally.labels[tally.rows[0, 0], :, 0, 0].tolist() == [0, 1, 0, 0]
    assert tally.labels[tally.rows[0, 1], :, 0, 0].tolist() == [1, 0, 0, 0]


def test_a_grader_that_has_graded_nothing_is_no_choice(project: OpenProject) -> None:
    one_response(project, Task.DIRECT, ("imported", Outcome.CORRECT, 0))
    with write_transaction(project.connection):
        stored_grades.ensure_grader(project.connection, "lexical", "1")
    assert label_of(project) == "CORRECT"
    with pytest.raises(UsageError, match="graders here are imported"):
        label_of(project, "lexical")


def cells(*samples: Sequence[int]) -> Cells:
    """Outcomes of one plane and setting, a list a sample."""
    return np.array(samples, np.uint8)


def test_where_nobody_has_labelled_the_graders_there_are_are_none_yet() -> None:
    with pytest.raises(UsageError, match="graders here are none yet"):
        resolve(["lexical"], [], None)


def test_the_first_label_that_is_there_counts_whichever_has_more_samples() -> None:
    short, long = cells([1, 0, 0]), cells([2, 2, 0], [3, 0, 4])
    assert first_of(short, long).tolist() == [[1, 2, 0], [3, 0, 4]]
    assert first_of(long, short).tolist() == [[2, 2, 0], [3, 0, 4]]
    assert first_of(short, short).tolist() == [[1, 0, 0]]
    assert short.tolist() == [[1, 0, 0]]


def test_labels_of_a_rank_are_those_of_its_planes_that_have_any() -> None:
    grids = LabelMatrix(questions=3, planes={1: {7: cells([0, 2, 5])}, 2: {7: cells([1, 1, 1])}})
    every = np.ones(3, np.uint8)
    assert labels_of(grids, Rank("a", (9, 1)), 8, every) is None
    found = labels_of(grids, Rank("a", (9, 1, 2)), 7, every)
    assert found is not None
    assert found.tolist() == [[1, 2, 1]]
    assert labels_of(grids, Rank("choice", (1,), only_choice=True), 8, every) is None
    chosen = labels_of(grids, Rank("choice", (2,), only_choice=True), 7, cells([0, 1, 0])[0])
    assert chosen is not None
    assert chosen.tolist() == [[0, 1, 0]]


def test_contested_are_responses_that_several_have_labelled() -> None:
    planes = {
        1: {7: cells([1, 0, 5], [0, 2, 3])},
        2: {7: cells([4, 1, 1], [0, 1, 0])},
        3: {7: cells([2, 0, 0])},
    }
    grids = LabelMatrix(questions=3, planes=planes)

    def found(*asked: int, setting: int = 7) -> list[tuple[int, int]]:
        samples, questions = find_contested(grids, asked, setting)
        return list(zip(samples.tolist(), questions.tolist(), strict=True))

    assert found(1, 2) == [(0, 0), (1, 1)]
    assert found(1, 2, 3) == [(0, 0), (1, 1)]
    assert found(1, 3) == [(0, 0)]
    assert found(1) == found() == found(1, 9) == found(1, 2, setting=8) == []
