"""Arms have responses as models have, and are in no list of models, no profile, no analysis."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.analyses.analysis import analyse
from core.errors import UsageError
from core.graders import em, stored_answers
from core.modes import parse_mode
from core.project import OpenProject
from core.providers.model_names import EMBEDDED
from core.results.agreement import compare
from core.results.profile_summary import profiles
from core.sampling.model_list import catalogue
from core.scoring.policy import Policy
from core.transfer.exports import Subset, export
from core.views.session import Session
from core.vocabulary import Outcome, Task
from tests.core.making import OBJECT, Row, a_fact, new_project, put_facts, put_rows

RIGHT, WRONG = Outcome.CORRECT, Outcome.INCORRECT
ARMS = ("alpha#zero-shot", "alpha#recite-1-shot")
EM, JUDGE, LEXICAL = f"em#{em.VERSION}", "judge:j#1", "lexical#1"
RECITED = f"I know of {OBJECT}.\nAnswer: {OBJECT}\n\nQuestion: What else?"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """A model with labels by a rule, and two arms of it with labels by others."""
    with new_project(tmp_path / "arms.db") as made:
        put_facts(made, [a_fact("f1"), a_fact("f2")])
        rows = [
            Row("f1", task, "alpha", thinking, 0, {LEXICAL: RIGHT})
            for task in Task
            if not task.is_choice
            for thinking in (False, True)
        ]
        for arm in ARMS:
            labels = {EM: RIGHT, JUDGE: WRONG}
            rows.append(Row("f1", Task.DIRECT, arm, False, 0, labels, RECITED))
            rows.append(Row("f2", Task.DIRECT, arm, False, 0, {}, RECITED))
        put_rows(made, rows)
        made.refresh()
        yield made


def test_arms_are_no_models(project: OpenProject) -> None:
    assert project.models() == ["alpha"]
    assert project.models(arms=True) == ["alpha", *ARMS]
    assert [one.model for one in catalogue(project.path)] == ["alpha", EMBEDDED]


def test_profiles_and_analyses_have_no_arm_and_say_why(project: OpenProject) -> None:
    found = profiles(project, Policy(graders=("lexical",)), None, None)
    assert list(found.models) == ["alpha"]
    analysed = analyse(project, "availability", Policy(graders=("lexical",)))
    assert analysed.evidence.tally.models == ["alpha"]
    with pytest.raises(UsageError) as error:
        profiles(project, Policy(), [ARMS[0]], None)
    assert str(error.value) == (
        "alpha#zero-shot is a model in one mode, which has no profile: models are alpha"
    )


def test_a_grader_of_arms_alone_is_no_grader_of_a_policy_that_names_none(
    project: OpenProject,
) -> None:
    assert [rank.name for rank in project.ranks(Policy())] == ["human:*", "lexical"]
    assert [rank.name for rank in project.ranks(Policy(graders=("em",)))] == ["em"]


def test_a_filter_by_verdicts_asks_no_arm(project: OpenProject) -> None:
    policy = Policy(graders=("lexical",))
    named = project.facts("profile:incomplete", project.models(arms=True), policy)
    assert named.tolist() == project.facts("profile:incomplete", ["alpha"], policy).tolist()
    assert named.tolist() == [False, True]


def test_graders_are_compared_over_arms_too(project: OpenProject) -> None:
    everyone = project.models(arms=True)
    found = compare(project, "em", "judge:j", Policy(), everyone, ~project.index.rejected)
    assert found.by_model.keys() == set(ARMS)


def test_screens_look_at_the_responses_of_arms_and_profiles_at_models(project: OpenProject) -> None:
    with closing(Session(project.path)) as session:
        snapshot = session.open()
        assert (snapshot.models, snapshot.arms) == (("alpha",), ARMS)
        assert snapshot.profiled.models == ["alpha"]
        assert snapshot.tally.models == ["alpha", *ARMS]
        tally, cells = session.snapshots.counts(("lexical",))
        assert (tally.models, cells.codes.shape[1:]) == (["alpha"], (1, 2))
        asked = replace(snapshot.lens, model=ARMS[1]).with_graders(["em"], ["em", "judge:j"])
        shown = session.look(asked)
        assert shown.lens.model == ARMS[1]
        fact = int(project.index.ids[0])
        task = session.task(fact, Task.DIRECT)
        assert task is not None
        assert [answer.text for answer in task.answers] == [RECITED]


def test_files_hold_arms_as_models(project: OpenProject, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    export(project, "responses", file, subset=Subset(models=ARMS[:1]))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {row["model"] for row in rows} == {ARMS[0]}


def test_em_takes_the_answer_of_a_recite_arm_and_others_take_all_of_it(
    project: OpenProject,
) -> None:
    assert parse_mode("recite-1-shot").recites
    for name in ("em", "exact"):
        stored_answers.grade(project, name)
    project.refresh()
    settings = project.setting_ids()
    second = int(project.index.questions[1, 2])
    said = {
        (name, arm): int(cells[0, second])
        for name in ("em", "exact")
        for arm in ARMS
        for plane in [next(one.plane for one in project.graders() if one.name == name)]
        if (cells := project.grids.cells(plane, settings[arm, False])) is not None
    }
    assert said == {
        ("em", "alpha#zero-shot"): WRONG,
        ("em", "alpha#recite-1-shot"): RIGHT,
        ("exact", "alpha#zero-shot"): WRONG,
        ("exact", "alpha#recite-1-shot"): WRONG,
    }
