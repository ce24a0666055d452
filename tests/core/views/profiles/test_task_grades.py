"""Mean grades by task and failing questions: worked by hand, and as the analysis has them."""

from contextlib import closing
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from core.analyses.analysis_evidence import Evidence
from core.analyses.direction_errors import errors
from core.project import OpenProject
from core.scoring.label_counts import Counts
from core.scoring.policy import Policy
from core.scoring.verdicts import judge
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.profile_counts import ProfileCounts, read_counts
from core.views.profiles.task_grades import (
    FailedQuestions,
    TaskGrade,
    count_failed,
    mean_grades,
)
from core.views.session import Session
from core.vocabulary import (
    ENCODING,
    KNOWLEDGE,
    TASK_INDEX,
    TASKS,
    VERIFICATION,
    Outcome,
    Strategy,
    Task,
)
from tests.core.making import Row, a_fact, cell, new_project, put_facts, put_rows
from tests.core.views.making import MODEL, TAUS, A, B, chances, lens_of

RIGHT, WRONG = Outcome.CORRECT, Outcome.INCORRECT
PARTLY, OTHER = Outcome.PARTIALLY, Outcome.OTHER

DIRECT = (Task.DIRECT, Task.DIRECT_NATURAL)
REVERSE = (Task.REVERSE, Task.REVERSE_NATURAL)
STORED = {
    "direct-fails": DIRECT,
    "reverse-fails": (Task.REVERSE,),
    "both-fail": (*DIRECT, *REVERSE),
    "all-fail": (*DIRECT, *REVERSE, *VERIFICATION),
    "known": (),
    "not-stored": (*ENCODING, *KNOWLEDGE),
}
"""Facts, and the questions of each that fail."""


def count_project(path: Path, lens: Lens) -> ProfileCounts:
    with closing(Session(path)) as session:
        session.open(lens)
        return read_counts(session, session.snapshot.lens, session.snapshot.lens, FactQuery())


def counts_of(path: Path, rows: list[Row], facts: dict[str, tuple[Task, ...]]) -> ProfileCounts:
    with new_project(path) as project:
        put_facts(project, [a_fact(name, tasks) for name, tasks in facts.items()])
        put_rows(project, rows)
    return count_project(path, lens_of(MODEL, a=A))


@pytest.mark.parametrize("labelled", [True, False])
def test_what_every_key_looks_at_is_counted_as_it_is_read(tmp_path: Path, labelled: bool) -> None:
    grades = {A: Outcome.CORRECT} if labelled else {}
    rows = [Row("f", Task.DIRECT, MODEL, False, sample, grades) for sample in range(3)]
    counts = counts_of(tmp_path / "a.db", rows, {"f": (Task.DIRECT,)})
    assert (counts.answers, counts.labelled) == (3, labelled)
    assert counts.answers == counts.now.tally.drawn.sum()


def failed_in(counts: ProfileCounts, policy: Policy) -> FailedQuestions:
    assert counts.tasks is not None
    return count_failed(counts.tasks[0], counts.now.judge(policy), counts.facts, policy)


def grades_in(counts: ProfileCounts, policy: Policy) -> dict[Task, TaskGrade]:
    assert counts.tasks is not None
    return {one.task: one for one in mean_grades(counts.tasks[0], policy)}


def test_a_mean_is_over_gradable_questions_alone(tmp_path: Path) -> None:
    def asked(fact: str, task: Task, *labels: Outcome) -> list[Row]:
        return cell(fact, task, MODEL, False, labels, A)

    rows = [
        *asked("f0", Task.DIRECT, RIGHT, RIGHT, RIGHT, WRONG),  # g 3/4; partial 3/4
        *asked("f1", Task.DIRECT, RIGHT, WRONG, PARTLY, OTHER),  # g 1/2; partial 1.51/3
        *asked("f2", Task.DIRECT, OTHER, OTHER, OTHER, OTHER),  # not gradable
        *asked("f0", Task.REVERSE, PARTLY, OTHER, OTHER, OTHER),  # NaN; partial .51
        *cell("f0", Task.DIRECT, MODEL, True, [RIGHT, WRONG], A),
    ]
    counts = counts_of(tmp_path / "p.db", rows, {f"f{at}": TASKS for at in range(3)})
    found = grades_in(counts, Policy())
    assert found[Task.DIRECT] == TaskGrade(Task.DIRECT, 0.625, 0.5)
    assert found[Task.REVERSE] == TaskGrade(Task.REVERSE, None, None)
    assert found[Task.COMPLETION] == TaskGrade(Task.COMPLETION, None, None)
    weighed = grades_in(counts, Policy(strategy=Strategy.PARTIAL))
    assert weighed[Task.DIRECT].off == pytest.approx((0.75 + 1.51 / 3) / 2)
    assert weighed[Task.REVERSE].off == pytest.approx(0.51)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> ProfileCounts:
    rows = [
        row
        for fact, failing in STORED.items()
        for task in TASKS
        for thinking in (False, True)
        for row in cell(fact, task, MODEL, thinking, [WRONG if task in failing else RIGHT], A)
    ]
    path = tmp_path_factory.mktemp("stored") / "p.db"
    return counts_of(path, rows, dict.fromkeys(STORED, TASKS))


def test_questions_that_fail_are_those_of_facts_that_are_stored_and_not_known(
    stored: ProfileCounts,
) -> None:
    found = failed_in(stored, Policy())
    assert found == FailedQuestions(only_direct=1, only_reverse=1, both=2, choices_pass=1)
    assert found.total == 4


def test_facts_that_are_left_out_are_not_counted(stored: ProfileCounts) -> None:
    assert stored.tasks is not None
    facts = stored.facts & np.array([name == "both-fail" for name in stored.index.fact_ids])
    found = count_failed(stored.tasks[0], stored.now.judge(Policy()), facts, Policy())
    assert found == FailedQuestions(0, 0, 1, 1)


def test_without_multiple_choice_nothing_is_said_of_it(tmp_path: Path) -> None:
    tasks = (*ENCODING, *KNOWLEDGE)
    rows = [
        row
        for task in tasks
        for row in cell("f0", task, MODEL, False, [RIGHT if task in ENCODING else WRONG], A)
    ]
    counts = counts_of(tmp_path / "p.db", rows, {"f0": tasks})
    assert failed_in(counts, Policy()) == FailedQuestions(0, 0, 1, None)


@pytest.fixture(scope="module")
def chance(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ProfileCounts]:
    path = tmp_path_factory.mktemp("chance") / "p.db"
    with new_project(path) as project:
        chances(project, seed=11, facts=60)
    return path, count_project(path, lens_of(MODEL, a=A, b=B))


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("tau", TAUS)
def test_chance_gives_what_loops_and_the_analysis_give(
    chance: tuple[Path, ProfileCounts], tau: float, strategy: Strategy
) -> None:
    path, counts = chance
    policy = Policy(tau=tau, strategy=strategy)
    tally = counts.now.tally
    verdicts = judge(counts.now.cells, tally.thinks(), policy)
    with OpenProject(path) as project:
        evidence = Evidence(project.index, tally, verdicts, policy, counts.facts)
        analysed = next(one for one in errors(evidence) if one.given == "encoded")
    found = failed_in(counts, policy)
    assert found.total == analysed.n > 0
    for name in ("only_direct", "only_reverse", "both"):
        assert getattr(found, name) == pytest.approx(getattr(analysed, name) * analysed.n)
    for task, grade in grades_in(counts, policy).items():
        for row, shown in ((tally.rows[0, 0], grade.off), (tally.rows[0, 1], grade.on)):
            assert shown == pytest.approx(
                mean_by_loop(tally.labels[row, :, TASK_INDEX[task]], policy)
            )


def mean_by_loop(labels: Counts, policy: Policy) -> float | None:
    """The mean g, question by question."""
    grades = []
    for correct, incorrect, partially, _ in labels.T.tolist():
        part, whole = correct, correct + incorrect
        if policy.strategy is Strategy.PARTIAL:
            part, whole = part + policy.weight * partially, whole + partially
        if whole:
            grades.append(part / whole)
    return fmean(grades) if grades else None
