"""The bootstrap: its chances are exact, and its resamples are those of drawing labels."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.analyses import bootstrap as bootstrap_module
from core.analyses.analysis_evidence import Evidence
from core.analyses.bootstrap import TASKS, bootstrap, kinds_of
from core.results.pass_chances import resampled_chances
from core.scoring.policy import Policy
from core.vocabulary import Strategy, Task
from tests.core import reference
from tests.core.analyses.cases import RULES, Case, case
from tests.core.reference import Counts, Rule

FEW_LABELS = st.tuples(*[st.integers(0, 2)] * 4).filter(lambda one: 0 < sum(one) <= 5)


def exact(counts: Counts, size: int, rule: Rule) -> Fraction:
    """The chance to pass, by drawing every sequence of labels there is."""
    labels = [label for label, times in enumerate(counts) for _ in range(times)]
    passing = total = 0
    for drawn in product(labels, repeat=size):
        c, i, p, o = (drawn.count(label) for label in range(4))
        passing += reference.state((c, i, p, o), rule) == "pass"
        total += 1
    return Fraction(passing, total)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(FEW_LABELS, min_size=1, max_size=4), st.integers(1, 4), RULES)
def test_chances_are_exact(kinds: list[Counts], size: int, rule: Rule) -> None:
    policy = Policy(float(rule.tau), Strategy(rule.strategy), float(rule.weight))
    table = np.array(kinds).T
    if policy.strategy is not Strategy.PARTIAL:
        table[3] += table[2]
        table[2] = 0
    found = resampled_chances(table, size, policy)
    assert found.tolist() == pytest.approx([float(exact(one, size, rule)) for one in kinds])


def test_many_answers_need_no_more_memory_than_few(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = np.array([(c, 9 - c, 2, 1) for c in range(10)]).T
    policy = Policy(strategy=Strategy.PARTIAL)
    whole = resampled_chances(kinds, 12, policy)
    monkeypatch.setattr("core.results.pass_chances.AT_ONCE", 1)
    assert resampled_chances(kinds, 12, policy).tolist() == pytest.approx(whole.tolist())


def mixed(rule: Rule, facts: int = 60) -> Case:
    """One model with all kinds of counts of eight labels, some of them not gradable."""
    random = np.random.default_rng(5)
    cells: dict[tuple[str, int, str, bool], Counts] = {}
    for fact, task in product(range(facts), TASKS):
        shares = random.dirichlet([0.6, 0.5, 0.3, 0.3])
        c, i, p, o = (int(one) for one in random.multinomial(8, shares))
        cells["m", fact, task, False] = (c, i, p, o)
    return replace(case({"m": ["---"] * facts}, cells=cells), rule=rule)


def expectations(made: Case, task: Task, size: int) -> float:
    """The exact mean over the questions that are gradable in the full data, by binomials."""
    gradable = [
        counts
        for (_, _, name, _), counts in made.counts.items()
        if name == task and reference.grade(counts, made.rule) is not None
    ]
    kinds = np.array(gradable).T
    if made.rule.strategy != "partial":
        kinds[3] += kinds[2]
        kinds[2] = 0
    return float(resampled_chances(kinds, size, made.policy()).mean())


def simulated(
    made: Case, task: Task, size: int, resamples: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Shares of passed questions by drawing labels one by one."""
    random = np.random.default_rng(9)
    chosen = [
        counts
        for (_, _, name, _), counts in made.counts.items()
        if name == task and reference.grade(counts, made.rule) is not None
    ]
    labels = np.array([np.repeat(np.arange(4), one) for one in chosen])
    places = random.integers(0, labels.shape[1], (resamples, len(labels), size))
    drawn = np.take_along_axis(labels[None], places, axis=2)
    c, i, p = ((drawn == label).sum(axis=2) for label in range(3))
    if made.rule.strategy == "partial":
        passes = c + float(made.rule.weight) * p > float(made.rule.tau) * (c + i + p)
    else:
        passes = c > float(made.rule.tau) * (c + i)
    shares: npt.NDArray[np.float64] = passes.mean(axis=1)
    return shares


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", [Rule("0.5", "pair"), Rule("0.25", "fact"), Rule("0.5", "partial")]
)
def test_resamples_are_those_of_drawing_labels(rule: Rule) -> None:
    made = mixed(rule)
    rows = {
        (row.task, row.k): row
        for row in bootstrap(replace(made.evidence(), options={"resamples": 4_000}))
    }
    assert len(rows) == 4 * 8
    for task, size in product(TASKS, (1, 3, 8)):
        row, drawn = rows[task, size], simulated(made, task, size, 2_000)
        assert None not in (row.mean, row.p5, row.p95)
        deviation = drawn.std()
        # Four standard errors of each.
        assert abs((row.mean or 0) - expectations(made, task, size)) < 4 * deviation / 4_000**0.5
        for bound, part in ((row.p5 or 0, 0.05), (row.p95 or 0, 0.95)):
            assert (drawn < bound - 1e-9).mean() < part + 0.024
            assert (drawn <= bound + 1e-9).mean() > part - 0.024
        assert row.width == (row.p95 or 0) - (row.p5 or 0)


@pytest.mark.parametrize(
    ("counts", "p5", "p95"),
    [((15, 1), 0.0, 1.0), ((31, 1), 1.0, 1.0), ((1, 15), 0.0, 1.0), ((1, 31), 0.0, 0.0)],
)
def test_percentiles_of_one_question(counts: tuple[int, int], p5: float, p95: float) -> None:
    """One answer passes or not: a percentile is where its chance crosses 5 %."""
    cells = {("m", 0, "direct", False): (*counts, 0, 0)}
    rows = bootstrap(
        replace(case({"m": ["---"]}, cells=cells).evidence(), options={"resamples": 4_000})
    )
    first = next(row for row in rows if row.task == "direct")
    assert (first.k, first.p5, first.p95) == (1, p5, p95)


def test_sizes_go_to_the_most_answers_of_the_chosen_facts() -> None:
    cells = {("m", 0, "direct", False): (3, 1, 0, 0), ("m", 1, "direct", False): (1, 0, 0, 1)}
    made = case({"m": ["---", "---"]}, cells=cells)
    assert max(row.k for row in bootstrap(replace(made.evidence(), options={"resamples": 2}))) == 4
    second = replace(made, chosen=[False, True]).evidence()
    assert max(row.k for row in bootstrap(replace(second, options={"resamples": 2}))) == 2


def test_only_questions_gradable_in_the_full_data_count() -> None:
    made = mixed(Rule("0.5", "pair"))
    kinds, members = kinds_of(made.evidence())
    assert ((kinds[0] + kinds[1]) > 0).all()
    for place, task in enumerate(TASKS):
        gradable = [
            counts
            for (_, _, name, _), counts in made.counts.items()
            if name == task and counts[0] + counts[1]
        ]
        assert members[0, place].sum() == len(gradable)


def values(evidence: Evidence) -> Sequence[object]:
    return [row.as_json() for row in bootstrap(replace(evidence, options={"resamples": 50}))]


def test_rows_depend_on_the_seed_and_on_nothing_else() -> None:
    made = mixed(Rule("0.5", "pair"))
    evidence = made.evidence()
    first = values(evidence)
    bootstrap_module._spread.cache_clear()
    assert first == values(made.evidence())
    other = [
        row.as_json() for row in bootstrap(replace(evidence, options={"resamples": 50, "seed": 2}))
    ]
    assert other != values(evidence)
    more = {"other": made.models["m"], "m": made.models["m"]}
    beside = {("other", *key[1:]): (3, 3, 1, 1) for key in made.counts}
    both = replace(made, models=more, counts=made.counts | beside).evidence()  # type: ignore[operator]
    assert [row for row in values(both) if row["model"] == "m"] == values(evidence)  # type: ignore[index]


def test_what_other_labels_leave_as_it_was_is_not_drawn_again() -> None:
    made = mixed(Rule("0.5", "pair"))
    known = bootstrap_module._spread
    known.cache_clear()
    before = bootstrap(replace(made.evidence(), options={"resamples": 50}))
    assert known.cache_info().misses == len(before)
    key, (c, i, p, o) = next(
        one for one in made.counts.items() if one[0][2] == Task.DIRECT and one[1][1] > 0
    )
    changed = replace(made, counts={**made.counts, key: (c + 1, i - 1, p, o)})
    after = bootstrap(replace(changed.evidence(), options={"resamples": 50}))
    direct = {row.k for row in after if row.task == Task.DIRECT}
    fresh = known.cache_info().misses - len(before)
    assert 0 < fresh <= len(direct)
    known.cache_clear()
    assert bootstrap(replace(changed.evidence(), options={"resamples": 50})) == after


def test_models_with_the_same_answers_are_resampled_apart() -> None:
    made = mixed(Rule("0.5", "pair"))
    twin = {("twin", *key[1:]): one for key, one in made.counts.items()}
    both = replace(made, models={"m": False, "twin": False}, counts={**made.counts, **twin})
    means = [row.mean for row in bootstrap(replace(both.evidence(), options={"resamples": 50}))]
    assert means[: len(means) // 2] != means[len(means) // 2 :]


def test_certain_questions_do_not_vary() -> None:
    rows = bootstrap(
        replace(case({"m": ["PPP", "FFF", "PFF"]}).evidence(), options={"resamples": 20})
    )
    assert {(row.k, row.n) for row in rows} == {(k, 3) for k in range(1, 9)}
    by_task = {row.task: [row.mean, row.p5, row.p95, row.width] for row in rows}
    assert by_task["completion"] == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0.0])
    assert by_task["direct"] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0])
    assert by_task["reverse"] == by_task["direct"]


def test_nothing_gradable_is_null_and_one_fact_is_enough() -> None:
    rows = {
        (row.task, row.k): (row.n, row.mean, row.width)
        for row in bootstrap(replace(case({"m": ["NP-"]}).evidence(), options={"resamples": 20}))
    }
    assert rows["completion", 1] == (0, None, None)
    assert rows["direct", 8] == (1, 1.0, 0.0)
    assert rows["reverse", 1] == (0, None, None)


def test_a_model_with_thinking_alone_has_empty_rows() -> None:
    cells = {("thinker", 0, "direct", True): (8, 0, 0, 0)}
    made = case({"m": ["PPP"], "thinker": ["--- --"]}, cells=cells).evidence()
    rows = [
        row for row in bootstrap(replace(made, options={"resamples": 20})) if row.model == "thinker"
    ]
    assert len(rows) == 4 * 8
    assert {(row.n, row.mean) for row in rows} == {(0, None)}
