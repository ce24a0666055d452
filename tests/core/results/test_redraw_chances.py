"""The chance of the same profile again: by hand, and by drawing again."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import comb, gamma, prod
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from core.results.pass_chances import _beta_binomial, _prior
from core.results.profile_summary import chances_of_same, measure_redraws
from core.results.share_intervals import rates_of
from core.scoring.label_counts import LabelCounts
from core.scoring.verdicts import CELLS, EXCLUDED_NAN, INCOMPLETE, Verdicts, code_cells, judge
from core.vocabulary import LABELS, TASK_INDEX, TASKS, Task
from tests.core.analyses.cases import Case, case
from tests.core.making import new_project
from tests.core.reference import Cell, Counts, Rule, verdict
from tests.core.results.test_model_comparison import put
from tui.cli.main import cli


def test_beta_binomial_is_a_distribution() -> None:
    chances = [_beta_binomial(k, 8, 2.5, 0.7) for k in range(9)]
    assert sum(chances) == pytest.approx(1)
    assert sum(k * one for k, one in enumerate(chances)) == pytest.approx(8 * 2.5 / 3.2)
    assert _beta_binomial(1, 1, 3.0, 1.0) == pytest.approx(0.75)


def test_a_prior_has_the_moments_of_the_chances() -> None:
    random = np.random.default_rng(3)
    n = np.full(40_000, 8)
    correct = random.binomial(8, random.beta(1.5, 0.5, n.size))
    a, b = _prior(correct, n)
    assert (a, b) == pytest.approx((1.5, 0.5), rel=0.05)
    assert _prior(correct[:1], n[:1]) == (0.5, 0.5)
    a, b = _prior(np.array([8, 8, 8]), np.array([8, 8, 8]))
    assert a / (a + b) > 0.95


def test_incomplete_and_excluded_facts_have_none() -> None:
    evidence = case({"m": ["PPP PP", "FFF FF", "NPP PP", "--- --"]}).evidence()
    found = chances_of_same(evidence.tally, evidence.verdicts, evidence.policy, 0)
    aside = np.isin(evidence.verdicts.verdict[0], [EXCLUDED_NAN, INCOMPLETE])
    assert np.isnan(found).tolist() == aside.tolist()
    assert ((found[~aside] > 0) & (found[~aside] <= 1)).all()


def test_drawn_again_as_many_facts_have_the_same_profile_as_was_said() -> None:
    """1,500 facts with chances of their own, drawn twice: sums of chances are counts."""
    random = np.random.default_rng(5)
    facts, n = 1_500, 8
    evidence = case({"m": ["PPP PP"] * facts}).evidence()
    tally = evidence.tally
    chance = {cell: random.beta(0.6, 0.4, facts) for cell in CELLS}

    def draw() -> np.ndarray:
        labels = np.zeros_like(tally.labels)
        for (task, on), chances in chance.items():
            right = random.binomial(n, chances)
            row = tally.rows[0, int(on)]
            labels[row, 0, TASK_INDEX[task]] = right
            labels[row, 1, TASK_INDEX[task]] = n - right
        return labels

    assert labels_of(tally) == (len(LABELS), len(TASKS))
    drawn = [replace(tally, labels=draw()) for _ in range(2)]
    exists = np.zeros_like(tally.exists)
    exists[[TASK_INDEX[task] for task, _ in CELLS]] = True
    drawn = [replace(one, exists=exists) for one in drawn]
    first, second = (judge(code_cells(one), np.array([True]), evidence.policy) for one in drawn)
    said = chances_of_same(drawn[0], first, evidence.policy, 0)
    same = first.verdict[0] == second.verdict[0]
    assert not np.isnan(said).any()
    assert same.mean() == pytest.approx(said.mean(), abs=0.035)
    sure = said > 0.8
    assert sure.sum() > 100
    assert same[sure].mean() == pytest.approx(said[sure].mean(), abs=0.04)
    doubtful = said < 0.5
    assert doubtful.sum() > 100
    assert same[doubtful].mean() == pytest.approx(said[doubtful].mean(), abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("thinks", [True, False])
def test_numbers_move_as_far_as_two_redraws_differ(thinks: bool) -> None:
    """Chances from a posterior that is known, two redraws from each, 400 times."""
    random = np.random.default_rng(8)
    facts, n = 400, 8
    made = case({"m": ["PPP PP" if thinks else "PPP"] * facts}).evidence()
    cells = [cell for cell in CELLS if thinks or not cell[1]]
    exists = np.zeros_like(made.tally.exists)
    exists[[TASK_INDEX[task] for task, _ in cells]] = True

    def draw(chances: dict[tuple[Task, bool], np.ndarray]) -> LabelCounts:
        labels = np.zeros_like(made.tally.labels)
        for (task, on), chance in chances.items():
            right = random.binomial(n, chance)
            row = made.tally.rows[0, int(on)]
            labels[row, 0, TASK_INDEX[task]] = right
            labels[row, 1, TASK_INDEX[task]] = n - right
        return replace(made.tally, labels=labels, exists=exists)

    def verdicts_of(tally: LabelCounts) -> Verdicts:
        return judge(code_cells(tally), np.array([thinks]), made.policy)

    first = draw({cell: random.beta(0.6, 0.4, facts) for cell in cells})
    every = np.ones(facts, np.bool_)
    said = measure_redraws(first, verdicts_of(first), made.policy, 0, every)
    seen = {
        cell: first.labels[first.rows[0, int(cell[1])], :2, TASK_INDEX[cell[0]]] for cell in cells
    }
    priors = {
        cell: _prior(c.astype(np.int64), (c + i).astype(np.int64)) for cell, (c, i) in seen.items()
    }
    differences: dict[str, list[float]] = {name: [] for name in said}
    for _ in range(400):
        chances = {
            cell: random.beta(priors[cell][0] + c, priors[cell][1] + i)
            for cell, (c, i) in seen.items()
        }
        one, other = (rates_of(verdicts_of(draw(chances)), 0) for _ in range(2))
        for name, found in differences.items():
            found.append((one[name].share or 0.0) - (other[name].share or 0.0))
    for name, found in differences.items():
        if name == "excluded_share" and not any(found):
            continue
        spread = np.sqrt(np.mean(np.square(found)) / 2)
        assert said[name] == pytest.approx(spread, rel=0.15), name


def test_of_no_facts_nothing_moves() -> None:
    made = case({"m": ["PPP PP", "FFF FF"]}).evidence()
    nobody = np.zeros(2, np.bool_)
    found = measure_redraws(made.tally, made.verdicts, made.policy, 0, nobody)
    assert set(found) == set(rates_of(made.verdicts, 0))
    assert set(found.values()) == {None}


def beta(a: float, b: float) -> float:
    return gamma(a) * gamma(b) / gamma(a + b)


def redraws(counts: Counts, prior: tuple[float, float]) -> Iterator[tuple[Counts, float]]:
    """Every outcome of drawing the graded answers to a question again, with its chance."""
    c, i, p, o = counts
    a, b = prior[0] + c, prior[1] + i
    for k in range(c + i + 1):
        yield (
            (k, c + i - k, p, o),
            comb(c + i, k) * beta(k + a, c + i - k + b) / beta(a, b),
        )


def prior_of(all_counts: list[Counts]) -> tuple[float, float]:
    """Kleinman's moments, for questions that all have as many graded answers."""
    (n,) = {c + i for c, i, _, _ in all_counts}
    shares = [c / n for c, _, _, _ in all_counts]
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / len(shares)
    # var = m (1 - m) (1 + (n - 1) rho) / n, and rho = 1 / (a + b + 1)
    rho = (variance * n / (mean * (1 - mean)) - 1) / (n - 1)
    return mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1)


@pytest.mark.parametrize("thinks", [True, False])
@pytest.mark.parametrize("rule", [Rule("0.5", "pair"), Rule("0.25", "partial")])
def test_the_chance_is_that_of_all_ways_to_draw_again(rule: Rule, thinks: bool) -> None:
    """Four facts with one question a pair, every outcome tried, profiles by plain loops."""
    right: dict[Cell, tuple[int, ...]] = {
        (Task.COMPLETION, False): (3, 0, 1, 2),
        (Task.DIRECT, False): (2, 3, 0, 1),
        (Task.REVERSE, False): (3, 3, 0, 1),
        (Task.DIRECT, True): (3, 1, 0, 2),
        (Task.REVERSE, True): (0, 3, 2, 3),
    }
    cells = [cell for cell in right if thinks or not cell[1]]
    tasks = [Task.COMPLETION, Task.DIRECT, Task.REVERSE]
    counts = {
        (cell, fact): (k, 3 - k, fact % 2, 1 - fact % 2)
        for cell in cells
        for fact, k in enumerate(right[cell])
    }
    made = Case(
        [f"F{fact}" for fact in range(4)],
        [tasks] * 4,
        [None] * 4,
        [False] * 4,
        [True] * 4,
        {"m": thinks},
        {("m", fact, str(task), on): one for ((task, on), fact), one in counts.items()},
        rule,
    )
    evidence = made.evidence()
    found = chances_of_same(evidence.tally, evidence.verdicts, evidence.policy, 0)
    for fact in range(4):
        own = {cell: counts[cell, fact] for cell in cells}
        here, chance = verdict(tasks, own, thinks, rule), 0.0
        outcomes = [
            redraws(own[cell], prior_of([counts[cell, one] for one in range(4)])) for cell in cells
        ]
        for way in product(*outcomes):
            again = dict(zip(cells, (one for one, _ in way), strict=True))
            there = verdict(tasks, again, thinks, rule)
            if (there.name == here.name) if thinks else (there == here):
                chance += prod(one for _, one in way)
        assert found[fact] == pytest.approx(chance)
        assert 0.05 < chance < 1


def labels_of(tally: object) -> tuple[int, int]:
    shape = tally.labels.shape  # type: ignore[attr-defined]
    return shape[1], shape[2]


def test_the_command_says_it_with_intervals(tmp_path: Path) -> None:
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put(project, {"a": ["PPP PP", "PFF FF", "NNN NN"]})
    words = ["--db", str(path), "profiles", "--per-fact", "--json"]
    plain = json.loads(CliRunner().invoke(cli, words).stdout)
    assert all("again" not in fact for fact in plain["facts"])
    found = json.loads(CliRunner().invoke(cli, [*words, "--intervals"]).stdout)
    first, second, third = (fact["again"] for fact in found["facts"])
    assert 0 < first <= 1
    assert 0 < second <= 1
    assert third is None
    shown = CliRunner().invoke(cli, [*words[:-1], "--intervals"]).stdout
    assert "again %" in shown
