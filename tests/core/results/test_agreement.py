"""Agreement by hand, by slow loops, and disagreements by recomputing everything."""

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.curation import response_discards
from core.errors import UsageError
from core.project import OpenProject
from core.results import agreement
from core.results.agreement import compare
from core.results.agreement_table import Agreement
from core.results.multi_rater import convene
from core.scoring.policy import Policy
from core.stats.intervals import wilson
from core.vocabulary import LABELS, TASKS, Outcome, Strategy, Task
from tests.core import reference
from tests.core.making import Row, a_fact, put_facts, put_rows
from tests.core.reference import Rule

Pairs = Sequence[tuple[int, int]]
CORRECT, INCORRECT, PARTIALLY, OTHER = tuple(Outcome)[:4]


def crossed(pairs: Pairs) -> Agreement:
    matrix = np.zeros((4, 4), np.int64)
    for a, b in pairs:
        matrix[a, b] += 1
    return Agreement(matrix)


def slow_kappa(pairs: Pairs) -> float | None:
    """Observed against chance agreement, the latter pair by pair."""
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    chance = sum(a == b for a, _ in pairs for _, b in pairs)
    return None if chance == n * n else (observed - chance / n**2) / (1 - chance / n**2)


def slow_alpha(pairs: Pairs) -> float | None:
    """Observed against expected disagreement over all pairs of values, as Krippendorff has it."""
    values = [value for pair in pairs for value in pair]
    expected = sum(one != other for one, other in permutations(values, 2))
    expected_share = expected / (len(values) * (len(values) - 1))
    observed = sum(a != b for a, b in pairs) / len(pairs)
    return None if expected == 0 else 1 - observed / expected_share


@pytest.mark.slow
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=25))
@settings(max_examples=100, deadline=None)
def test_kappa_and_alpha_against_slow_loops(pairs: Pairs) -> None:
    found = crossed(pairs)
    assert found.n == len(pairs)
    assert found.agreement == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    for fast, slow in ((found.kappa, slow_kappa(pairs)), (found.alpha, slow_alpha(pairs))):
        assert fast is None if slow is None else fast == pytest.approx(slow, abs=1e-12)


def test_kappa_and_alpha_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 0.7, by chance 0.5.
    found = crossed([(0, 0)] * 20 + [(0, 1)] * 5 + [(1, 0)] * 10 + [(1, 1)] * 15)
    assert found.agreement == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    # 55 and 45 of 100 values: expected disagreement 2 * 55 * 45 / (100 * 99) = 0.5.
    assert found.alpha == pytest.approx(1 - 0.3 / 0.5)


def test_where_there_is_no_chance_there_is_no_number() -> None:
    assert (crossed([]).n, crossed([]).agreement, crossed([]).kappa, crossed([]).alpha) == (
        0,
        None,
        None,
        None,
    )
    same = crossed([(2, 2)] * 5)
    assert (same.agreement, same.kappa, same.alpha) == (1.0, None, None)
    opposed = crossed([(0, 1)] * 4)
    assert opposed.kappa == 0.0
    assert opposed.alpha == pytest.approx(1 - 1 / (2 * 4 * 4 / (8 * 7)))


def test_how_far_a_disagreement_is_from_mattering(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", [Task.DIRECT, Task.REVERSE])])
    labels = {Task.DIRECT: [1, 1, 1, 1, 1, 1], Task.REVERSE: [1, 1, 2, 2, 2, 4]}
    rows = [
        Row("f", task, "m", False, place, {"a": Outcome(one), "b": INCORRECT if place else OTHER})
        for task, mine in labels.items()
        for place, one in enumerate(mine)
    ]
    put_rows(project, rows)
    found = compare(project, "a", "b", Policy(), ["m"], np.array([True])).disagreements
    # Six of six fall to 3 of 6 with three; 2 of 5 passes as 3 of 5 with one more.
    flips = {
        (TASKS[task], int(sample)): int(one)
        for task, sample, one in zip(
            found.answers.task, found.answers.sample, found.flips, strict=True
        )
    }
    assert flips == {
        **{(Task.DIRECT, sample): 3 for sample in range(6)},
        **{(Task.REVERSE, sample): 1 for sample in (0, 1, 5)},
    }
    assert not found.state.any()
    assert found.stake.tolist() == [agreement.NOTHING] * 9


def test_intervals_stand_beside_the_numbers() -> None:
    found = crossed([(0, 0)] * 20 + [(0, 1)] * 5 + [(1, 0)] * 10 + [(1, 1)] * 15)
    document = found.as_json()
    for name, value in (
        ("agreement", found.agreement),
        ("kappa", found.kappa),
        ("alpha", found.alpha),
    ):
        limits = found.intervals[f"{name}_interval"]
        assert limits is not None
        assert value is not None
        assert limits[0] < value < limits[1]
        assert document[f"{name}_interval"] == limits
    # Standard error of kappa by the formula of Fleiss, Cohen and Everitt, worked by hand: 0.12700.
    reach = 1.959964 * 0.126996
    assert found.intervals["kappa_interval"] == pytest.approx((0.4 - reach, 0.4 + reach), abs=1e-6)
    assert set(crossed([]).intervals.values()) == {None}


def test_intervals_take_facts_for_what_was_drawn(project: OpenProject) -> None:
    facts = [f"f{number}" for number in range(12)]
    put_facts(project, [a_fact(fact, [Task.DIRECT, Task.REVERSE]) for fact in facts])
    rows, right = [], []
    for number, fact in enumerate(facts):
        for task, model in ((Task.DIRECT, "m"), (Task.REVERSE, "m"), (Task.DIRECT, "o")):
            for sample in range(4):
                # Every third fact has an alias that B does not know.
                b = INCORRECT if number % 3 == 0 and sample < 3 else CORRECT
                a = INCORRECT if number % 2 and not sample else CORRECT
                rows.append(Row(fact, task, model, False, sample, {"a": a, "b": b}))
                right.append((number, a == b))
    put_rows(project, rows)
    found = compare(project, "a", "b", Policy(), ["m", "o"], np.ones(12, np.bool_))
    n, share = len(right), sum(same for _, same in right) / len(right)
    sums: defaultdict[int, float] = defaultdict(float)
    for number, same in right:
        sums[number] += same - share
    deff = sum(one**2 for one in sums.values()) / sum((same - share) ** 2 for _, same in right)
    assert deff > 2
    effective = n / deff
    expected = wilson(share * effective, effective)
    assert found.overall.intervals["agreement_interval"] == pytest.approx(expected)
    assert {table.n for table in found.by_model.values()} == {96, 48}
    panel = convene(project, ["a", "b"], ["m", "o"], np.ones(12, np.bool_))
    assert panel.pairs["a", "b"].intervals == found.overall.intervals


@pytest.mark.slow
def test_figure_14(shared: Callable[[str], Path], project: OpenProject) -> None:
    path = shared("data/published/figure14_confusion.csv")
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    names, body = rows[0][1:], rows[1:]
    percent = {
        (row[0], name): float(value)
        for row in body
        for name, value in zip(names, row[1:], strict=True)
    }
    # 4,160 responses, as in the paper.
    pairs = [pair for pair, share in percent.items() for _ in range(round(share * 41.6))]
    put_facts(project, [a_fact(f"f{number}", [Task.DIRECT]) for number in range(5)])
    put_rows(
        project,
        [
            Row(
                f"f{number // 832}",
                Task.DIRECT,
                "m",
                False,
                number % 832,
                {"gemini": Outcome[a], "gpt": Outcome[b]},
            )
            for number, (a, b) in enumerate(pairs)
        ],
    )
    found = compare(project, "gemini", "gpt", Policy(), ["m"], np.ones(5, np.bool_)).as_json()
    matrix = found["matrix"]
    assert isinstance(matrix, dict)
    printed = {(a, b): 100 * matrix[a][b] / len(pairs) for a in LABELS for b in LABELS}
    assert printed == pytest.approx(percent, abs=0.03)
    assert found["agreement"] == pytest.approx(0.9829, abs=0.0003)
    numbers = [(LABELS.index(a), LABELS.index(b)) for a, b in pairs]
    counted = Counter(numbers)
    chance = (
        sum(
            sum(n for (a, _), n in counted.items() if a == k)
            * sum(n for (_, b), n in counted.items() if b == k)
            for k in range(4)
        )
        / len(pairs) ** 2
    )
    observed = sum(n for (a, b), n in counted.items() if a == b) / len(pairs)
    assert found["kappa"] == pytest.approx((observed - chance) / (1 - chance))


# Consequences, by taking B's label for one response and computing everything again.

RULES = [
    Rule("0.5", "pair"),
    Rule("0.5", "fact"),
    Rule("0.51", "partial", "0.51"),
    Rule("0", "pair"),
    Rule("0.6", "partial", "0.25"),
]


def label_by(grader: str, row: Row) -> Outcome | None:
    """A's label; where it has none, and the task is multiple choice, that of `choice`."""
    outcome = row.grades.get(grader, Outcome.ERROR)
    if outcome <= 4:
        return outcome
    if row.task.is_choice and grader != "choice":
        return label_by("choice", row)
    return None


def own_label(grader: str, row: Row) -> Outcome | None:
    outcome = row.grades.get(grader, Outcome.ERROR)
    return outcome if outcome <= 4 and (grader != "choice" or row.task.is_choice) else None


Cells = dict[tuple[str, str], dict[reference.Cell, list[int]]]


def counted(rows: Sequence[Row], labels: Mapping[int, Outcome | None]) -> Cells:
    """Counts by (model, fact), then by task and thinking."""
    found: Cells = defaultdict(lambda: defaultdict(lambda: [0, 0, 0, 0]))
    for number, row in enumerate(rows):
        label = labels[number]
        if label is not None:
            found[row.model, row.fact_id][row.task, row.thinking][label - 1] += 1
    return found


def outlook(
    cells: Cells, row: Row, tasks: Sequence[Task], thinks: bool, rule: Rule
) -> tuple[str, reference.Verdict]:
    """State of a row's question, and the verdict on its fact."""
    counts = {
        cell: (one[0], one[1], one[2], one[3])
        for cell, one in cells[row.model, row.fact_id].items()
    }
    state = reference.state(counts.get((row.task, row.thinking), (0, 0, 0, 0)), rule)
    return state, reference.verdict(tasks, counts, thinks, rule)


def consequences(
    rows: Sequence[Row], tasks: Mapping[str, Sequence[Task]], a: str, b: str, rule: Rule
) -> tuple[set[int], set[int]]:
    """Places of the rows whose disagreement changes a question, and a verdict."""
    thinks = {row.model for row in rows if row.thinking}
    labels = {number: label_by(a, row) for number, row in enumerate(rows)}
    states: set[int] = set()
    verdicts: set[int] = set()
    for number, row in enumerate(rows):
        mine, other = own_label(a, row), own_label(b, row)
        if mine is None or other is None or mine == other:
            continue
        mentioned = (row, tasks[row.fact_id], row.model in thinks, rule)
        before = outlook(counted(rows, labels), *mentioned)
        after = outlook(counted(rows, {**labels, number: other}), *mentioned)
        if before[0] != after[0]:
            states.add(number)
        if before[1].name != after[1].name:
            verdicts.add(number)
    return states, verdicts


def some_data(random: Random) -> tuple[dict[str, list[Task]], list[Row]]:
    """Three facts and two models, one of them without thinking; labels mostly good."""
    tasks = {
        f"f{number}": [task for task in TASKS if random.random() < 0.85] for number in range(3)
    }
    rows = []
    for model, settings_ in (("thinker", (False, True)), ("plain", (False,))):
        for fact_id, mine in tasks.items():
            for task in mine:
                for thinking in settings_:
                    leaning = random.choice([CORRECT, INCORRECT, OTHER, PARTIALLY, CORRECT])
                    rows += [
                        Row(fact_id, task, model, thinking, sample, grades(random, leaning))
                        for sample in range(random.randint(1, 3))
                    ]
    return tasks, rows


def grades(random: Random, leaning: Outcome) -> dict[str, Outcome]:
    found = {}
    for grader, sure in (("a", 0.85), ("b", 0.6), ("choice", 0.7)):
        if random.random() < 0.92:
            sure_of_it = random.random() < sure
            found[grader] = leaning if sure_of_it else random.choice([*Outcome])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_consequences_against_recomputing_everything(project: OpenProject, seed: int) -> None:
    random = Random(seed)
    tasks, rows = some_data(random)
    put_facts(project, [a_fact(fact_id, mine) for fact_id, mine in tasks.items()])
    put_rows(project, rows)
    everything = np.ones(len(tasks), np.bool_)
    for rule in RULES:
        policy = Policy(float(rule.tau), Strategy(rule.strategy), float(rule.weight))
        for a, b in (("a", "b"), ("b", "a"), ("a", "choice"), ("choice", "a")):
            found = compare(project, a, b, policy, project.models(), everything)
            states, verdicts = consequences(rows, tasks, a, b, rule)
            assert places(project, rows, found.disagreements, "state") == states
            assert places(project, rows, found.disagreements, "profile") == verdicts
            assert (found.consequential, found.profile_changing) == (len(states), len(verdicts))
            apart = found.disagreements
            assert set(apart.flips[apart.state].tolist()) <= {1}
            assert apart.flips.min(initial=1) == 1
            assert apart.stake.tolist() == [
                agreement.PROFILE if profile else agreement.QUESTION if state else agreement.NOTHING
                for state, profile in zip(apart.state, apart.profile, strict=True)
            ]
            document = found.as_json()
            expected = crossed(
                [
                    (mine - 1, other - 1)
                    for row in rows
                    if (mine := own_label(a, row)) and (other := own_label(b, row))
                ]
            )
            assert document | without_intervals(expected.as_json()) == document
            check_parts(found, rows, a, b)


def without_intervals(document: Mapping[str, object]) -> dict[str, object]:
    """What a table of counts alone can say: intervals know which answers are of one fact."""
    return {name: one for name, one in document.items() if not name.endswith("_interval")}


def places(
    project: OpenProject, rows: Sequence[Row], found: agreement.Disagreements, which: str
) -> set[int]:
    chosen = getattr(found, which)
    numbers = {
        (row.fact_id, row.task, row.model, row.thinking, row.sample): number
        for number, row in enumerate(rows)
    }
    models, answers = project.models(), found.answers
    return {
        numbers[
            project.index.fact_ids[answers.fact[one]],
            TASKS[answers.task[one]],
            models[answers.model[one]],
            bool(answers.thinking[one]),
            int(answers.sample[one]),
        ]
        for one in np.flatnonzero(chosen)
    }


def check_parts(found: agreement.ConfusionReport, rows: Sequence[Row], a: str, b: str) -> None:
    """Tables by task and by model hold what is common there; those without are not listed."""
    common = [row for row in rows if own_label(a, row) and own_label(b, row)]
    assert {task: one.n for task, one in found.by_task.items()} == Counter(
        row.task for row in common
    )
    assert {model: one.n for model, one in found.by_model.items()} == Counter(
        row.model for row in common
    )


def test_only_the_facts_and_tasks_asked_for(project: OpenProject) -> None:
    put_facts(project, [a_fact("f0"), a_fact("f1")])
    put_rows(
        project,
        [
            Row(fact_id, task, "m", False, 0, {"a": CORRECT, "b": INCORRECT})
            for fact_id in ("f0", "f1")
            for task in TASKS
        ],
    )
    one = compare(project, "a", "b", Policy(), ["m"], np.array([True, False]), [Task.DIRECT])
    assert one.overall.matrix.tolist() == [[0, 1, 0, 0]] + [[0] * 4] * 3
    assert project.index.fact_ids[one.disagreements.answers.fact[0]] == "f0"
    assert list(one.by_task) == [Task.DIRECT]


def test_people_are_compared_by_their_newest_label(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    labels = {"human:ann": CORRECT, "human:bob": OTHER, "lexical": CORRECT}
    put_rows(
        project,
        [
            Row("f", Task.DIRECT, "m", False, sample, labels, at={"human:ann": at, "human:bob": 50})
            for sample, at in enumerate((10, 90))
        ],
    )
    found = compare(project, "human:*", "lexical", Policy(), ["m"], np.array([True])).overall
    assert found.matrix[:, 0].tolist() == [1, 0, 0, 1]
    assert found.n == 2


def test_graders_without_a_common_response(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    put_rows(
        project,
        [
            Row("f", Task.DIRECT, "m", False, 0, {"a": CORRECT}),
            Row("f", Task.DIRECT, "n", False, 0, {"b": CORRECT}),
        ],
    )
    document = compare(project, "a", "b", Policy(), ["m", "n"], np.array([True])).as_json()
    assert document["n"] == 0
    assert document["by_task"] == {}
    assert document["by_model"] == {}
    assert (document["agreement"], document["kappa"], document["alpha"]) == (None, None, None)
    assert (document["consequential"], document["profile_changing"]) == (0, 0)
    with pytest.raises(UsageError, match="nobody"):
        compare(project, "a", "nobody", Policy(), ["m"], np.array([True]))


def test_nothing_is_left_to_compare(project: OpenProject) -> None:
    put_facts(project, [a_fact("f")])
    rows = [Row("f", Task.DIRECT, "m", False, 0, {"a": CORRECT, "b": OTHER})]
    response_discards.discard(project, put_rows(project, rows), "a test")
    assert project.models() == []
    document = compare(project, "a", "b", Policy(), [], np.array([True])).as_json()
    assert (document["n"], document["consequential"]) == (0, 0)
