"""What a person sees of models whose runs were curtailed."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

import db.model_rows
import db.sampling_runs
from core.curation.label_writer import set_label
from core.project import OpenProject
from core.results import agreement
from core.scoring.curtailment import as_text, fixed_policy
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS, code_cells
from core.views import fact_view, label_effects
from core.views.answer_marks import AnswerMark
from core.views.fact_view import FactView
from core.views.lens import Lens
from core.views.snapshot_cache import SnapshotCache
from core.vocabulary import KNOWLEDGE, LABELS, TASK_INDEX, TASKS, Label, Strategy, Task
from db.connection import write_transaction
from db.slot_ids import slot
from tests.core.making import a_fact, put_facts
from tests.core.views.making import MODEL, A, B, chances, labelled, lens_of, lenses, snapshot_of
from tests.db.making import start_run
from tests.effort import HEAVY

DROPPED, EMPTY = AnswerMark(False, dropped=True), AnswerMark(False)


def curtail(project: OpenProject, policy: Policy, samples: int, thinking: bool = True) -> None:
    """Note curtailed runs of all tasks, finished."""
    text = as_text(fixed_policy(policy, (A,)))
    with write_transaction(project.connection):
        for on in (False, True)[: 1 + thinking]:
            setting = db.model_rows.ensure_setting(project.connection, MODEL, on)
            run = start_run(project.connection, setting, TASKS, None, samples, curtailed=text)
            db.sampling_runs.finish(project.connection, run)
    project.refresh()


@pytest.fixture
def one_fact(project: OpenProject) -> OpenProject:
    """A fact that is not known: reverse fails, so direct was left after one answer."""
    put_facts(project, [a_fact("f0", [task for task in TASKS if not task.is_choice])])
    found: dict[tuple[Task, bool], str] = {
        (Task.COMPLETION, False): "ccccc",
        (Task.DIRECT, False): "c",
        (Task.REVERSE, False): "iiii",
        **{(task, True): "ccccc" for task in KNOWLEDGE},
    }
    labelled(project, "f0", found)
    curtail(project, Policy(), 8)
    return project


def view_of(project: OpenProject, lens: Lens | None = None) -> FactView:
    snapshot = snapshot_of(project, lens or lens_of(MODEL, a=A))
    view = fact_view.read_fact(project, snapshot, int(snapshot.index.ids[0]))
    assert view is not None
    return view


def marks(view: FactView, task: Task, thinking: bool = False) -> tuple[AnswerMark, ...]:
    row = view.tasks[TASK_INDEX[task]]
    return (row.on if thinking else row.off).marks


def test_what_was_decided_is_dropped_and_what_was_skipped_too(one_fact: OpenProject) -> None:
    view = view_of(one_fact)
    assert view.profile == "recall_with_thinking"
    assert marks(view, Task.COMPLETION)[5:] == (DROPPED,) * 3
    assert marks(view, Task.CONTEXTUAL) == (DROPPED,) * 8
    assert marks(view, Task.DIRECT)[1:] == (DROPPED,) * 7
    assert marks(view, Task.REVERSE)[4:] == (DROPPED,) * 4
    direct = view.tasks[TASK_INDEX[Task.DIRECT]].off
    assert (direct.g, direct.passes) == (1.0, None)
    words = {reason.name: (reason.holds, reason.words) for reason in view.reasons}
    assert words == {
        "E": (True, "completion 1.00"),
        "K0": (False, "reverse .00"),
        "KT": (True, "all four pass, lowest direct 1.00"),
    }


def test_under_another_policy_the_fact_is_undecided(one_fact: OpenProject) -> None:
    view = view_of(one_fact, lens_of(MODEL, a=A, policy=Policy(0.9)))
    assert (view.code, view.profile) == ("··", "incomplete")
    assert marks(view, Task.COMPLETION)[5:] == (EMPTY,) * 3
    assert marks(view, Task.REVERSE)[4:] == (DROPPED,) * 4  # decided under any threshold so high
    words = {reason.name: reason.words for reason in view.reasons}
    assert words["E"] == "undecided: completion, contextual"
    assert words["K0"] == "undecided: direct, direct natural, reverse natural"
    # The same without people: nobody has labelled, so it is the same list.
    alone = view_of(one_fact, lens_of(MODEL, a=A, people=False))
    assert alone.profile == "recall_with_thinking"


def test_an_override_opens_what_it_undecides(one_fact: OpenProject) -> None:
    reverse = int(one_fact.index.questions[0, TASK_INDEX[Task.REVERSE]])
    key = slot(reverse, one_fact.setting_ids()[MODEL, False], 0)
    before = label_effects.list_consequences(
        one_fact, snapshot_of(one_fact, lens_of(MODEL, a=A)), key
    )
    said = {one.label: (one.before, one.after, one.passes, one.holds) for one in before}
    assert said[Label.CORRECT] == ("RT", "··", None, None)
    assert said[Label.INCORRECT] == ("RT", "RT", False, False)
    set_label(one_fact, "ada", key, Label.CORRECT)
    view = view_of(one_fact)
    assert view.code == "··"
    assert marks(view, Task.REVERSE)[4:] == (EMPTY,) * 4
    assert marks(view, Task.COMPLETION)[5:] == (DROPPED,) * 3


def test_a_run_that_is_curtailed_changes_the_snapshot(one_fact: OpenProject) -> None:
    snapshots = SnapshotCache(one_fact)
    lens = lens_of(MODEL, a=A, policy=Policy(0.9))
    assert snapshots.snapshot(lens).code(0) == "··"
    assert not snapshots.catch_up()
    curtail(one_fact, Policy(0.9), 4)
    assert snapshots.catch_up()
    # Of four planned draws every question has all, or could still come out either way.
    assert snapshots.snapshot(lens).code(0) == snapshot_of(one_fact, lens).code(0)


@pytest.mark.slow
@pytest.mark.parametrize("thinking", [True, False])
def test_one_fact_and_all_facts_tell_the_same(project: OpenProject, thinking: bool) -> None:
    chances(project, 3, facts=25 if HEAVY else 14, thinking=thinking)
    codes = set()
    for samples, lens in product((3, 4), lenses()):
        curtail(project, Policy(0.5), samples, thinking)
        snapshot = snapshot_of(project, lens)
        for place, fact in enumerate(snapshot.index.ids.tolist()):
            view = fact_view.read_fact(project, snapshot, fact)
            assert view is not None
            assert view.code == snapshot.code(place)
            codes.add(view.code)
    assert len(codes) > 3


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(Strategy))
def test_a_label_does_what_was_said_before(project: OpenProject, strategy: Strategy) -> None:
    slots = chances(project, 5, facts=10, samples=4, people=False, whole=1.0)
    policy = Policy(strategy=strategy)
    curtail(project, policy, 6)
    random, lens, changed = Random(5), lens_of(MODEL, a=A, policy=policy), 0
    for key in random.sample(slots, 60):
        snapshot = snapshot_of(project, lens)
        label = random.choice(LABELS)
        found = label_effects.list_consequences(project, snapshot, key)[LABELS.index(label)]
        set_label(project, "ada", key, label)
        (place,) = np.flatnonzero((snapshot.index.questions == key >> 20).any(axis=1)).tolist()
        assert snapshot_of(project, lens).code(place) == found.after
        changed += found.changes_profile
    assert changed


def test_disagreements_are_weighed_with_what_is_left(project: OpenProject) -> None:
    chances(project, 11, facts=15, samples=4, people=False, whole=1.0)
    policy = Policy(graders=(A,))
    curtail(project, replace(policy, graders=None), 6)
    ranks = project.ranks(policy)
    tally = project.tally(ranks, [MODEL])
    assert tally.find_skipping(policy) is not None
    before = project.verdicts(tally, policy)
    facts = np.ones(len(project.index), np.bool_)
    found = agreement.compare(project, A, B, policy, [MODEL], facts).disagreements
    states = code_cells(tally).states(policy)
    consequential = changing = 0
    for row, _, thinking, task, fact, _, a, b in zip(*found.answers, strict=True):
        labels = tally.labels.copy()
        labels[row, a, task, fact] -= 1
        labels[row, b, task, fact] += 1
        other = replace(tally, labels=labels)
        after = project.verdicts(other, policy)
        changing += int(after.verdict[0, fact] != before.verdict[0, fact])
        cell = (TASKS[task], bool(thinking))
        if cell in CELLS:
            place = CELLS.index(cell)
            now = code_cells(other).states(policy)
            consequential += int(now[place, 0, fact] != states[place, 0, fact])
    assert changing == found.profile.sum() > 0
    weighed = [
        bool(state)
        for state, thinking, task in zip(
            found.state, found.answers.thinking, found.answers.task, strict=True
        )
        if (TASKS[task], bool(thinking)) in CELLS
    ]
    assert consequential == sum(weighed) > 0


def test_nothing_is_kept_of_runs_that_were_not_curtailed(project: OpenProject) -> None:
    chances(project, 2, facts=5)
    tally = project.tally(project.ranks(Policy(graders=(A,))), [MODEL])
    assert (tally.curtailed, tally.count_left(), tally.find_skipping(Policy())) == (
        None,
        None,
        None,
    )
    assert code_cells(tally).left is None
    for task, on in product(TASKS, (False, True)):
        view = view_of(project, lens_of(MODEL, a=A))
        assert DROPPED not in marks(view, task, on)
