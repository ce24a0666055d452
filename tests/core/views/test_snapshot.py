"""The snapshot against plain loops: verdicts, grader differences, stakes, what is provisional."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest

import core.curation.question_edits
import db.model_rows
import db.sampling_runs
from core.curation import label_writer, undo_history
from core.project import OpenProject
from core.scoring.policy import Policy
from core.views.lens import Lens
from core.views.snapshot import AGREE, AT_STAKE, DIFFER, Snapshot
from core.views.snapshot_cache import SnapshotCache, empty_snapshot
from core.vocabulary import CODE_ORDER, CODES, LABELS, TASK_INDEX, TASKS, Outcome, Strategy, Task
from db.connection import write_transaction
from tests.core import reference
from tests.core.making import Row, a_fact, cell, put_facts, put_grades, put_rows
from tests.core.reference import Rule
from tests.core.views.making import change_graders, lens_of
from tests.db.making import start_run

CORRECT, INCORRECT, OTHER = Outcome.CORRECT, Outcome.INCORRECT, Outcome.OTHER
PEOPLE, TOGETHER = ("human:ann", "human:bob"), "human:*"
LISTS = (
    ("human:*", "a"), ("a",), ("a", "human:*"), ("b", "human:*", "a"), ("human:*",),
    ("human:bob", "choice", "a", "b"),
)  # fmt: skip
RULES = (
    Rule("0.5", "pair"),
    Rule("0.25", "fact"),
    Rule("0.51", "partial", "0.51"),
    Rule("0", "pair"),
)


def some_data(random: Random) -> tuple[dict[str, list[Task]], list[Row]]:
    """Facts with most tasks, two models, one without thinking; graders, people, `choice`."""
    tasks = {
        f"f{number}": [task for task in TASKS if random.random() < 0.93] for number in range(5)
    }
    rows = []
    for model, settings in (("thinker", (False, True)), ("plain", (False,))):
        for fact_id, mine in tasks.items():
            for task in mine:
                for thinking in settings:
                    leaning = random.choice([CORRECT, INCORRECT, CORRECT, OTHER])
                    for sample in range(random.randint(1, 3)):
                        given = grades(random, leaning)
                        at = {name: random.randrange(10**6) for name in PEOPLE}
                        rows.append(Row(fact_id, task, model, thinking, sample, given, at=at))
    return tasks, rows


def grades(random: Random, leaning: Outcome) -> dict[str, Outcome]:
    shares = {"a": 0.97, "b": 0.9, "choice": 0.5, "human:ann": 0.1, "human:bob": 0.1}
    return {
        grader: leaning if random.random() < 0.75 else random.choice([*Outcome][:5])
        for grader, share in shares.items()
        if random.random() < share
    }


def label_of(row: Row, grader: str) -> Outcome | None:
    outcome = row.grades.get(grader, Outcome.ERROR)
    return outcome if outcome <= 4 and (grader != "choice" or row.task.is_choice) else None


def by_people(row: Row) -> Outcome | None:
    given = [name for name in PEOPLE if label_of(row, name)]
    return label_of(row, max(given, key=lambda name: row.at[name])) if given else None


def counting(row: Row, ranked: Sequence[str]) -> Outcome | None:
    """The label that counts: the first in the list, then `choice`."""
    return first_label(row, ranked) or label_of(row, "choice")


def first_label(row: Row, ranked: Sequence[str]) -> Outcome | None:
    labels = (by_people(row) if one == TOGETHER else label_of(row, one) for one in ranked)
    return next(filter(None, labels), None)


def code(
    rows: Sequence[Row], labels: Mapping[int, Outcome | None], tasks: Sequence[Task], rule: Rule
) -> str:
    """Two letters for one fact and model, by the definitions."""
    counts: dict[reference.Cell, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for number, row in enumerate(rows):
        label = labels[number]
        if label is not None:
            counts[row.task, row.thinking][label - 1] += 1
    exact = {key: (one[0], one[1], one[2], one[3]) for key, one in counts.items()}
    thinks = any(row.thinking for row in rows)
    verdict = reference.verdict(tasks, exact, thinks, rule)
    if verdict.name is None:
        return ("E" if verdict.e else "-") + ("K" if verdict.k0 else "-")
    return CODES[verdict.name]


@pytest.mark.slow
@pytest.mark.parametrize("ranked", LISTS)
@pytest.mark.parametrize("seed", range(4))
def test_snapshot_against_plain_loops(
    project: OpenProject, seed: int, ranked: tuple[str, ...]
) -> None:
    random = Random(seed)
    tasks, rows = some_data(random)
    put_facts(project, [a_fact(fact_id, mine) for fact_id, mine in tasks.items()])
    put_rows(project, rows)
    snapshots = SnapshotCache(project)
    changed = 0
    for rule in RULES:
        policy = Policy(float(rule.tau), Strategy(rule.strategy), float(rule.weight))
        for model in ("thinker", "plain"):
            lens = Lens(model, policy=policy).with_graders(ranked, ("a", "b"))
            changed += check(snapshots.snapshot(lens), rows, tasks, rule)
    assert (changed > 0) is bool({"a", "b"} & set(ranked))


def check(
    snapshot: Snapshot, rows: Sequence[Row], tasks: Mapping[str, list[Task]], rule: Rule
) -> int:
    """Compare one snapshot with loops; gives how many answers are at stake."""
    total = 0
    for place, fact_id in enumerate(snapshot.index.fact_ids):
        for number, model in enumerate(snapshot.models):
            mine = [row for row in rows if row.fact_id == fact_id and row.model == model]
            labels = {at: counting(row, snapshot.lens.ranked) for at, row in enumerate(mine)}
            now = code(mine, labels, tasks[fact_id], rule)
            assert snapshot.code(place, number) == now
            assert CODE_ORDER[snapshot.code_places(number)[place]] == now
            if model != snapshot.lens.model:
                continue
            apart, stakes = set(), set()
            ranked, first = snapshot.lens.ranked, snapshot.lens.compared[0]
            before = ranked[: ranked.index(first)] if first in ranked else ()
            for at, row in enumerate(mine):
                a, b = (label_of(row, one) for one in snapshot.lens.compared)
                if not a or not b or a == b or first_label(row, before):
                    continue
                key = (TASK_INDEX[row.task], row.thinking, row.sample)
                apart.add(key)
                then = code(mine, {**labels, at: b}, tasks[fact_id], rule)
                if then != now and first in ranked:
                    stakes.add((*key, then))
            expected = AT_STAKE if stakes else DIFFER if apart else AGREE
            assert snapshot.differs[place] == expected
            found = snapshot.stakes.select_fact(place)
            assert set(found.fact.tolist()) <= {place}
            columns = (found.task, found.thinking, found.sample, found.code)
            answers = list(zip(*(one.tolist() for one in columns), strict=True))
            assert len(answers) == len(stakes)
            assert {(*rest, CODE_ORDER[place]) for *rest, place in answers} == stakes
            total += len(stakes)
    return total


def test_a_lens_without_a_second_grader_has_no_differences(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    put_rows(project, cell("f", Task.DIRECT, "m", False, [CORRECT], "only"))
    snapshot = SnapshotCache(project).snapshot(Lens())
    assert (snapshot.lens.model, snapshot.lens.a, snapshot.lens.b) == ("m", "only", None)
    assert snapshot.differs.tolist() == [AGREE]
    assert snapshot.graders == ("only",)


def test_codes_have_their_order() -> None:
    assert set(CODES.values()) < set(CODE_ORDER)
    assert list(CODES.values()) == [code for code in CODE_ORDER if code in CODES.values()]


def test_the_empty_snapshot() -> None:
    snapshot = empty_snapshot(lens_of(model="gone", a="gone"))
    assert (snapshot.models, snapshot.graders, len(snapshot.index)) == ((), (), 0)
    assert snapshot.row is None
    assert snapshot.place(1) is None
    assert snapshot.code_places().tolist() == []


# What a project suggests


def test_the_primary_grader_is_suggested_first(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    rows = cell("f", Task.DIRECT, "m", False, [CORRECT] * 3, "many")
    rows += cell("f", Task.REVERSE, "m", False, [CORRECT], "few")
    put_rows(project, rows)
    assert SnapshotCache(project).snapshot(Lens()).lens.a == "many"
    project.set_primary("few")
    lens = SnapshotCache(project).snapshot(Lens()).lens
    assert (lens.a, lens.b) == ("few", None)
    assert lens.ranked == tuple(rank.name for rank in project.ranks(Policy()))


def test_graders_are_suggested_by_the_labels_of_the_model(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    both = {"x": CORRECT, "y": CORRECT, "human:ann": OTHER}
    rows = [Row("f", Task.DIRECT, "m", False, sample, both) for sample in range(2)]
    rows += [Row("f", Task.MC_DIRECT, "m", False, 0, {"x": CORRECT, "choice": OTHER})]
    rows += [Row("f", Task.DIRECT, "n", False, 0, {"z": CORRECT, "y": OTHER})]
    rows += [Row("f", Task.REVERSE, "n", False, 0, {"z": CORRECT})]
    put_rows(project, rows)
    snapshot = SnapshotCache(project).snapshot(Lens())
    assert (snapshot.lens.model, snapshot.lens.a, snapshot.lens.b) == ("m", "x", "y")
    assert snapshot.graders == ("x", "y", "z", "human:ann")
    lens = SnapshotCache(project).snapshot(Lens(model="n")).lens
    assert (lens.a, lens.b) == ("z", "y")


def test_a_lens_whose_model_or_graders_are_gone_is_fitted(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    put_rows(project, [Row("f", Task.DIRECT, "m", False, 0, {"x": CORRECT, "y": OTHER})])
    lens = (
        SnapshotCache(project).snapshot(lens_of(model="gone", a="y", b="gone", people=False)).lens
    )
    assert (lens.model, lens.a, lens.b, lens.people) == ("m", "y", "x", False)
    assert lens.policy.graders == ("y",)


def test_only_choice_has_labelled(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    put_rows(project, cell("f", Task.MC_DIRECT, "m", False, [CORRECT], "choice"))
    snapshot = SnapshotCache(project).snapshot(Lens())
    assert (snapshot.lens.a, snapshot.graders) == (None, ())
    assert snapshot.tally.labels[0, 0, TASK_INDEX[Task.MC_DIRECT]].tolist() == [1]


# Provisional, edited, noted


def test_facts_with_labels_missing_are_provisional(project: OpenProject) -> None:
    put_facts(project, [a_fact(name) for name in ("none", "missing", "encoding on", "choice")])
    rows = cell("none", Task.DIRECT, "m", False, [CORRECT])
    rows += cell("missing", Task.DIRECT, "m", False, [CORRECT, None])
    rows += cell("encoding on", Task.COMPLETION, "m", True, [None])
    rows += cell("choice", Task.MC_DIRECT, "m", False, [None])
    rows += cell("none", Task.DIRECT, "other", False, [None])
    put_rows(project, rows)
    snapshots = SnapshotCache(project)
    assert snapshots.snapshot(Lens(model="m")).provisional.tolist() == [False, True, False, False]
    assert snapshots.snapshot(Lens(model="other")).provisional.tolist() == [
        True,
        False,
        False,
        False,
    ]


def test_facts_of_an_unfinished_run_are_provisional(project: OpenProject) -> None:
    put_facts(project, [a_fact("f0"), a_fact("f1"), a_fact("f2", [Task.COMPLETION])])
    put_rows(project, cell("f0", Task.DIRECT, "m", False, [CORRECT, CORRECT]))
    snapshots = SnapshotCache(project)
    lens = Lens(model="m")
    assert not snapshots.snapshot(lens).provisional.any()
    ids = project.index.ids.tolist()
    connection = project.connection
    with write_transaction(connection):
        setting = db.model_rows.ensure_setting(connection, "m", False)
        run = start_run(connection, setting, [Task.DIRECT], ids, 2)
    assert snapshots.catch_up()
    assert snapshots.snapshot(lens).provisional.tolist() == [False, True, False]
    with write_transaction(connection):
        db.sampling_runs.finish(connection, run)
    assert snapshots.catch_up()
    assert not snapshots.snapshot(lens).provisional.any()
    assert not snapshots.catch_up()


def test_edited_facts(project: OpenProject) -> None:
    put_facts(project, [a_fact("f0"), a_fact("f1")])
    snapshots = SnapshotCache(project)
    assert not snapshots.snapshot(Lens()).edited.any()
    key = int(project.index.questions[1, TASK_INDEX[Task.DIRECT]])
    connection = project.connection
    with write_transaction(connection):
        connection.execute("UPDATE question SET current = 0 WHERE id = ?", (key,))
        connection.execute(
            "INSERT INTO question (fact, task, version, text, current) "
            "SELECT fact, task, 2, 'new?', 1 FROM question WHERE id = ?",
            (key,),
        )
    assert snapshots.catch_up()
    snapshot = snapshots.snapshot(Lens())
    assert snapshot.edited.tolist() == [False, True]
    assert snapshot.index.questions[1, TASK_INDEX[Task.DIRECT]] > key


# What is kept from one snapshot to the next


def fresh(project: OpenProject, lens: Lens) -> Snapshot:
    with OpenProject(project.path) as other:
        return SnapshotCache(other).snapshot(lens)


def same(one: Snapshot, other: Snapshot) -> bool:
    arrays = ("labels", "drawn", "rows", "exists")
    return (
        all(np.array_equal(getattr(one.tally, n), getattr(other.tally, n)) for n in arrays)
        and np.array_equal(one.verdicts.verdict, other.verdicts.verdict)
        and np.array_equal(one.differs, other.differs)
        and (one.models, one.graders) == (other.models, other.graders)
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_is_counted_again_is_what_a_new_count_gives(project: OpenProject, seed: int) -> None:
    """Labels, responses, people and models that come one after another, seen by one
    `SnapshotCache`.
    """
    random = Random(seed)
    tasks, rows = some_data(random)
    put_facts(project, [a_fact(fact_id, mine) for fact_id, mine in tasks.items()])
    random.shuffle(rows)
    snapshots = SnapshotCache(project)
    lenses = [
        lens_of(a=a, b=b, people=people)
        for people in (True, False)
        for a, b in (("a", "b"), ("b", "a"))
    ]
    with OpenProject(project.path, "write") as writer:
        for start in range(0, len(rows), 60):
            put_rows(writer, rows[start : start + 60])
            assert snapshots.catch_up()
            for lens in random.sample(lenses, 2):
                snapshot = snapshots.snapshot(lens)
                assert same(snapshot, fresh(project, snapshot.lens))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_is_counted_again_after_edits_is_what_a_new_count_gives(
    project: OpenProject, seed: int
) -> None:
    """Texts, golds, options and labels that change and are undone, seen by one `SnapshotCache`."""
    random = Random(seed)
    tasks, rows = some_data(random)
    put_facts(project, [a_fact(fact_id, mine) for fact_id, mine in tasks.items()])
    put_rows(project, rows)
    snapshots = SnapshotCache(project)
    lenses = [lens_of(a="a", b="b", people=people) for people in (True, False)]
    for lens in lenses:
        snapshots.snapshot(lens)
    with OpenProject(project.path, "write") as writer:
        for turn in range(12):
            change(writer, random, turn)
            snapshots.catch_up()
            snapshot = snapshots.snapshot(random.choice(lenses))
            other = fresh(project, snapshot.lens)
            assert same(snapshot, other)
            assert np.array_equal(snapshot.index.questions, other.index.questions)
            assert np.array_equal(snapshot.edited, other.edited)
            assert snapshot.headings == other.headings


def change(writer: OpenProject, random: Random, turn: int) -> None:
    """Edit a text or a gold, undo the last change, or label an answer."""
    writer.refresh()
    keys = writer.index.questions[writer.index.questions > 0].tolist()
    if turn and random.random() < 0.4:
        undo_history.undo(writer, "cat")
    elif random.random() < 0.3:
        slots = [key for (key,) in writer.connection.execute("SELECT id FROM response")]
        label_writer.set_label(writer, "cat", random.choice(slots), random.choice(LABELS), None)
    elif random.random() < 0.5:
        core.curation.question_edits.edit_question(
            writer, "cat", random.choice(keys), f"text {turn}?"
        )
    else:
        core.curation.question_edits.edit_gold(writer, "cat", random.choice(keys), f"gold {turn}")


def test_snapshots_given_do_not_change(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    (key,) = put_rows(project, [Row("f", Task.DIRECT, "m", False, 0, {"x": CORRECT})])
    snapshots = SnapshotCache(project)
    before = snapshots.snapshot(Lens())
    copied = before.tally.labels.copy()
    with write_transaction(project.connection):
        put_grades(project, key, {"human:ann": INCORRECT}, {"human:ann": 5})
    assert snapshots.catch_up()
    after = snapshots.snapshot(before.lens)
    assert np.array_equal(before.tally.labels, copied)
    place = TASK_INDEX[Task.DIRECT]
    assert before.tally.labels[0, :, place, 0].tolist() == [1, 0, 0, 0]
    assert after.tally.labels[0, :, place, 0].tolist() == [0, 1, 0, 0]
    off = snapshots.snapshot(change_graders(after.lens, people=False))
    assert off.tally.labels[0, :, place, 0].tolist() == [1, 0, 0, 0]


def test_an_interrupted_look_at_changes_loses_none(
    project: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_facts(project, [a_fact("f")])
    (key,) = put_rows(project, [Row("f", Task.DIRECT, "m", False, 0, {"x": CORRECT})])
    snapshots = SnapshotCache(project)
    before = snapshots.snapshot(Lens())
    with write_transaction(project.connection):
        put_grades(project, key, {"human:ann": INCORRECT}, {"human:ann": 5})

    def interrupted(connection: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(db.sampling_runs, "find_unfinished", interrupted)
        with pytest.raises(KeyboardInterrupt):
            snapshots.catch_up()
    assert same(snapshots.snapshot(before.lens), fresh(project, before.lens))
    assert not same(snapshots.snapshot(before.lens), before)
