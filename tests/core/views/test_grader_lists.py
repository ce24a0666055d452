"""A lens with a list of graders: its numbers, what a label does under it, what it leaves out."""

from contextlib import closing
from random import Random

import numpy as np
import pytest

from core.project import OpenProject
from core.results import profile_summary
from core.scoring.policy import Policy
from core.scoring.precedence import PEOPLE
from core.scoring.verdicts import INCOMPLETE
from core.views import grader_labels, task_view
from core.views.default_lens import fit_lens
from core.views.grader_labels import GraderLabels, UnlistedLabels, find_unlisted
from core.views.lens import MOST_COMPARED, Lens
from core.views.session import Session
from core.views.snapshot_cache import SnapshotCache
from core.vocabulary import LABELS, TASKS, Outcome, Strategy, Task
from db.slot_ids import unpack
from tests.core.making import Row, a_fact, put_facts, put_rows
from tests.core.views.making import MODEL, A, B, chances, lens_of, snapshot_of

ADA, BEN = "human:ada", "human:ben"
NAMES = (PEOPLE, A, B, "choice", ADA, BEN)
CORRECT, INCORRECT = Outcome.CORRECT, Outcome.INCORRECT


def some_list(random: Random) -> tuple[str, ...]:
    return tuple(random.sample(NAMES, random.randint(1, len(NAMES))))


def under(graders: tuple[str, ...], policy: Policy | None = None) -> Lens:
    lens = Lens(MODEL, policy=policy or Policy())
    return lens.with_graders(graders, [name for name in graders if name != PEOPLE])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_those_of_the_command_line(project: OpenProject, seed: int) -> None:
    chances(project, seed)
    random, snapshots = Random(seed), SnapshotCache(project)
    for _ in range(12):
        graders = some_list(random)
        policy = Policy(random.choice((0.0, 0.5, 0.75)), random.choice(tuple(Strategy)))
        snapshot = snapshots.snapshot(under(graders, policy))
        asked = Policy(policy.tau, policy.strategy, policy.weight, graders)
        found = profile_summary.profiles(project, asked)
        assert snapshot.lens.policy == asked
        assert np.array_equal(snapshot.tally.labels, found.tally.labels)
        assert np.array_equal(snapshot.verdicts.verdict, found.verdicts.verdict)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_label_does_what_was_said_of_it(project: OpenProject, seed: int) -> None:
    slots = chances(project, seed, facts=8, samples=2, whole=0.8)
    random, silent, counted = Random(seed), 0, 0
    with closing(Session(project.path)) as session:
        session.name = "ada"
        for _ in range(25):
            session.open(under(some_list(random)))
            slot, label = random.choice(slots), random.choice(LABELS)
            (told,) = (one for one in session.consequences(slot) if one.label is label)
            before = session.snapshot
            _, after = session.set_label(slot, label)
            changed = not np.array_equal(before.tally.labels, after.tally.labels)
            silent, counted = silent + (not changed), counted + changed
            here = (after.index.questions == unpack(slot)[0]).any(axis=1)
            place = int(np.flatnonzero(here)[0])
            assert (told.before, told.after) == (before.code(place), after.code(place))
            session.undo()
    assert silent
    assert counted


def test_a_list_takes_graders_in_and_out() -> None:
    lens = Lens(MODEL).with_graders((PEOPLE, A), (A, B), chosen=False)
    more = lens.with_grader("exact")
    assert (more.ranked, more.compared) == ((PEOPLE, A, "exact"), (A, "exact", B))
    assert more.chosen
    assert more.with_grader_moved("exact", -1).compared == ("exact", A, B)
    assert more.with_grader_moved("exact", 5) == more
    assert more.with_grader_moved(PEOPLE, -1) == more
    assert more.without_grader(PEOPLE).ranked == (A, "exact")
    assert more.without_grader(PEOPLE).with_grader(PEOPLE) == more
    assert more.without_grader(A).compared == ("exact", B)
    assert more.with_compared(B).compared == (A, "exact")
    assert more.with_compared(PEOPLE) == more
    assert more.with_grader(A) == more


def test_four_are_compared_at_most() -> None:
    lens = Lens().with_graders("abcde", "abcd")
    assert len(lens.compared) == MOST_COMPARED
    assert lens.with_compared("e") == lens
    assert lens.with_grader("f").compared == lens.compared


def one_answer_each(project: OpenProject) -> list[int]:
    """One question, three answers: labelled by A alone, by B alone, by B and a person."""
    put_facts(project, [a_fact("f", [Task.DIRECT])])
    grades = [{A: CORRECT}, {B: INCORRECT}, {B: CORRECT, ADA: INCORRECT}]
    return put_rows(
        project,
        [Row("f", Task.DIRECT, MODEL, False, place, one) for place, one in enumerate(grades)],
    )


def test_a_list_keeps_what_is_there(project: OpenProject) -> None:
    one_answer_each(project)
    kept = fit_lens(project, under((B, PEOPLE, "gone", A)))
    assert (kept.ranked, kept.compared) == ((B, PEOPLE, A), (B, A))
    assert fit_lens(project, under((PEOPLE, "gone"))).ranked == (PEOPLE, B)
    assert fit_lens(project, under(("gone",))).ranked == (B,)
    assert fit_lens(project, under((PEOPLE,))).ranked == (PEOPLE,)
    assert fit_lens(project, Lens().with_graders((PEOPLE,), (), chosen=False)).ranked == (PEOPLE, B)
    assert fit_lens(project, Lens()).ranked == (PEOPLE, B)


@pytest.mark.parametrize(
    ("graders", "left_out"),
    [
        ((A,), UnlistedLabels(B, 2)),
        ((PEOPLE, A), UnlistedLabels(B, 1)),
        ((B,), UnlistedLabels(A, 1)),
        ((PEOPLE,), UnlistedLabels(A, 1)),
        ((B, A), None),
        ((PEOPLE, B, A), None),
    ],
)
def test_who_has_labelled_what_has_no_label(
    project: OpenProject, graders: tuple[str, ...], left_out: UnlistedLabels | None
) -> None:
    one_answer_each(project)
    snapshot = snapshot_of(project, under(graders))
    question = int(snapshot.index.questions.max())
    assert find_unlisted(project, snapshot.lens, [question]) == left_out
    assert find_unlisted(project, snapshot.lens, []) is None
    view = task_view.read_task(project, snapshot, 1, Task.DIRECT)
    assert view is not None
    assert (view.unlisted, view.fact.unlisted) == (left_out, left_out)


def test_choice_is_never_left_out(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", [Task.MC_DIRECT])])
    put_rows(project, [Row("f", Task.MC_DIRECT, MODEL, False, 0, {"choice": CORRECT})])
    snapshot = snapshot_of(project, under((PEOPLE,)))
    assert find_unlisted(project, snapshot.lens, [int(snapshot.index.questions.max())]) is None


@pytest.mark.parametrize(
    ("graders", "counts"),
    [((PEOPLE, A), (True, True)), ((A, PEOPLE), (False, True)), ((A,), (False, False))],
)
def test_a_label_counts_where_nobody_before_has_labelled(
    project: OpenProject, graders: tuple[str, ...], counts: tuple[bool, bool]
) -> None:
    first, second, _ = one_answer_each(project)
    with closing(Session(project.path)) as session:
        session.name = "ada"
        session.open(under(graders))
        for slot, expected in zip((first, second), counts, strict=True):
            found = session.consequences(slot)
            assert (len({one.g for one in found}) > 1) is expected


def test_people_count_only_where_they_decide(project: OpenProject) -> None:
    """A person's label is marked as one's own where it is the one that counts."""
    one_answer_each(project)
    for graders, own in (
        ((PEOPLE, B), True),
        ((B, PEOPLE), False),
        ((B, ADA), False),
        ((ADA,), True),
    ):
        view = task_view.read_task(project, snapshot_of(project, under(graders)), 1, Task.DIRECT)
        assert view is not None
        assert view.answers[2].mark.own is own


def test_nothing_is_at_stake_between_graders_that_do_not_count(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    rows = [
        Row("f", task, MODEL, False, 0, {"x": CORRECT, A: CORRECT, B: INCORRECT}) for task in TASKS
    ]
    put_rows(project, rows)
    inside = snapshot_of(project, Lens(MODEL).with_graders((A,), (A, B)))
    outside = snapshot_of(project, Lens(MODEL).with_graders(("x",), (A, B)))
    behind = snapshot_of(project, Lens(MODEL).with_graders(("x", A), (A, B)))
    assert (inside.differs.tolist(), inside.stakes.fact.size > 0) == ([2], True)
    assert (outside.differs.tolist(), outside.stakes.fact.size) == ([1], 0)
    assert (behind.differs.tolist(), behind.stakes.fact.size) == ([0], 0)


def test_what_each_grader_has_labelled(project: OpenProject) -> None:
    one_answer_each(project)
    put_rows(project, [Row("f", Task.DIRECT, "other", False, 0, {A: CORRECT})])
    with closing(Session(project.path)) as session:
        session.open(under((PEOPLE, A)))
        found = grader_labels.read_graders(session)
        assert (found.model, found.answers, found.facts) == (MODEL, 3, 1)
        assert found.graders == (
            GraderLabels(PEOPLE, 1, 1),
            GraderLabels(A, 2, 1),
            GraderLabels(B, 2, 2),
            GraderLabels(ADA, 1, 1),
        )


@pytest.mark.parametrize("seed", range(2))
def test_complete_facts_are_those_of_the_snapshot(project: OpenProject, seed: int) -> None:
    chances(project, seed, facts=12)
    random = Random(seed)
    lists = [some_list(random) for _ in range(4)]
    with closing(Session(project.path)) as session:
        session.open(lens_of(MODEL, a=A, b=B))
        for graders, complete in zip(
            lists, grader_labels.count_complete(session, lists), strict=True
        ):
            snapshot = snapshot_of(project, under(graders))
            assert complete == int((snapshot.verdicts.verdict[0] != INCOMPLETE).sum())
