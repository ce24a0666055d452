"""Profiles against plain loops, the identities of table 2, and its printed rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import (
    VERDICTS,
    ProfileSummary,
    Verdicts,
    code_cells,
    judge,
    summarise,
    summarise_groups,
)
from core.vocabulary import KNOWLEDGE, PROFILES, TASK_INDEX, TASKS, Strategy, Task
from tests.core import reference
from tests.core.reference import Counts, Rule, Verdict
from tests.core.results.table2 import BITS, ROWS, STRATEGIES, facts_behind, tolerance

RULES = st.builds(
    Rule,
    st.sampled_from(["0", "0.25", "0.5", "0.51", "0.6666666666666666", "0.9"]),
    st.sampled_from([strategy.value for strategy in Strategy]),
    st.sampled_from(["0.51", "0", "0.25", "0.5", "1"]),
)

ANY_COUNTS = st.one_of(
    st.sampled_from(
        [(8, 0, 0, 0), (0, 8, 0, 0), (0, 0, 0, 8), (0, 0, 8, 0), (0, 0, 5, 3), (0, 0, 0, 0)]
    ),
    st.tuples(*[st.integers(0, 4)] * 4),
)
MOST_TASKS = st.one_of(
    st.just(TASKS),
    st.sets(st.sampled_from(TASKS), min_size=5).map(
        lambda some: tuple(task for task in TASKS if task in some)
    ),
)


@dataclass(frozen=True)
class Data:
    """Facts with their tasks, models with whether they think, and counts of what was labelled."""

    tasks: Sequence[tuple[Task, ...]]
    thinks: Sequence[bool]
    counts: Mapping[tuple[int, int, Task, bool], Counts]

    def tally(self) -> LabelCounts:
        """The same as arrays."""
        settings = [
            (model, thinking)
            for model, on in enumerate(self.thinks)
            for thinking in ((False, True) if on else (False,))
        ]
        rows = np.full((len(self.thinks), 2), -1, np.intp)
        labels = np.zeros((len(settings), 4, len(TASKS), len(self.tasks)), np.uint16)
        exists = np.zeros((len(TASKS), len(self.tasks)), np.bool_)
        for row, (model, thinking) in enumerate(settings):
            rows[model, int(thinking)] = row
        for fact, tasks in enumerate(self.tasks):
            for task in tasks:
                exists[TASK_INDEX[task], fact] = True
        for (model, fact, task, thinking), one in self.counts.items():
            labels[rows[model, int(thinking)], :, TASK_INDEX[task], fact] = one
        names = [f"model {number}" for number in range(len(self.thinks))]
        return LabelCounts(names, rows, labels, labels.sum(axis=1), exists)

    def verdicts(self, rule: Rule) -> list[list[Verdict]]:
        """The reference's verdicts, model by model."""
        return [
            [
                reference.verdict(
                    tasks,
                    {
                        (task, on): self.counts[model, fact, task, on]
                        for task in tasks
                        for on in (False, True)
                        if (model, fact, task, on) in self.counts
                    },
                    thinks,
                    rule,
                )
                for fact, tasks in enumerate(self.tasks)
            ]
            for model, thinks in enumerate(self.thinks)
        ]


def group(task: Task, thinking: bool) -> tuple[bool, bool]:
    """Cells that mostly have the same counts."""
    return task in TASKS[:2], thinking


@st.composite
def data(draw: st.DrawFn) -> Data:
    """Facts whose cells lean the same way within encoding, knowledge off and knowledge on."""
    tasks = draw(st.lists(MOST_TASKS, max_size=8))
    thinks = draw(st.lists(st.booleans(), max_size=3))
    kinds = draw(st.lists(ANY_COUNTS, min_size=2, max_size=5))
    random = Random(draw(st.integers(0, 2**32)))
    counts: dict[tuple[int, int, Task, bool], Counts] = {}
    for (model, on), (fact, mine) in product(enumerate(thinks), enumerate(tasks)):
        leaning = {one: random.choice(kinds) for one in product((False, True), repeat=2)}
        for task, thinking in product(mine, (False, True) if on else (False,)):
            if random.random() < 0.98:
                likely = leaning[group(task, thinking)]
                one = likely if random.random() < 0.85 else random.choice(kinds)
                counts[model, fact, task, thinking] = one
    return Data(tasks, thinks, counts)


def policy(rule: Rule) -> Policy:
    return Policy(float(rule.tau), Strategy(rule.strategy), float(rule.weight))


def judged(some: Data, rule: Rule) -> tuple[Verdicts, list[ProfileSummary]]:
    tally = some.tally()
    verdicts = judge(code_cells(tally), tally.thinks(), policy(rule))
    return verdicts, summarise(verdicts, np.ones(len(some.tasks), np.bool_))


@pytest.mark.slow
@given(data(), RULES)
@settings(max_examples=150, deadline=None)
def test_verdicts_are_those_of_plain_loops(some: Data, rule: Rule) -> None:
    verdicts, summaries = judged(some, rule)
    for model, expected in enumerate(some.verdicts(rule)):
        for fact, one in enumerate(expected):
            assert VERDICTS[verdicts.verdict[model, fact]] == one.name
            for found, truth in (
                (verdicts.encodes, one.e),
                (verdicts.knows, one.k0),
                (verdicts.knows_thinking, one.kt),
            ):
                assert truth is None or found[model, fact] == truth
        found_json = summaries[model].as_json()
        assert found_json == reference.summary(expected, some.thinks[model])


@pytest.mark.slow
@given(data(), RULES)
@settings(max_examples=100, deadline=None)
def test_identities_of_table_2(some: Data, rule: Rule) -> None:
    _, summaries = judged(some, rule)
    for one in summaries:
        assert one.total == len(some.tasks)
        if one.included is None or one.shares is None or one.direct_inference is None:
            assert not one.thinking
            continue
        apart = one.incomplete + one.excluded_nan + one.direct_inference
        assert one.included + apart == one.total
        if not one.included:
            assert {one.encodes, one.knows, one.knows_thinking, *one.shares.values()} == {None}
            continue
        share = {name: value or 0.0 for name, value in one.shares.items()}
        inference = one.direct_inference / one.included
        assert sum(share.values()) == pytest.approx(1)
        encodes = share["recall_failure"] + share["direct_recall"] + share["recall_with_thinking"]
        assert one.encodes == pytest.approx(encodes)
        not_encoded = share["encoding_failure"] + share["inference_without_encoding"]
        assert encodes + not_encoded == pytest.approx(1)
        assert one.knows == pytest.approx(share["direct_recall"] + inference)
        assert one.knows_thinking == pytest.approx(
            share["direct_recall"]
            + share["recall_with_thinking"]
            + share["inference_without_encoding"]
            + inference
        )


@given(data(), RULES)
@settings(max_examples=40, deadline=None)
def test_groups_add_up_to_the_whole(some: Data, rule: Rule) -> None:
    verdicts, summaries = judged(some, rule)
    odd = np.arange(len(some.tasks)) % 2 == 1
    for model, whole in enumerate(summaries):
        parts = summarise_groups(verdicts, model, {"odd": odd, "even": ~odd})
        added = [
            sum(pair) for pair in zip(*(one.by_verdict for one in parts.values()), strict=True)
        ]
        assert added == list(whole.by_verdict)


# Table 2 of Calderon et al.: one row becomes facts whose labels follow from its shares.

N = 8


class Labels:
    """Label counts over eight samples that make a question pass, fail or be not gradable."""

    def __init__(self, strategy: str, random: Random) -> None:
        self.strategy, self.random = strategy, random

    def passing(self) -> Counts:
        """More CORRECT than INCORRECT, some not gradable."""
        other = self.random.randrange(0, 4)
        correct = self.random.randrange((N - other) // 2 + 1, N - other + 1)
        return (correct, N - other - correct, 0, other)

    def failing(self) -> Counts:
        """At most as many CORRECT as INCORRECT, and one INCORRECT at least."""
        other = self.random.randrange(0, 4)
        correct = self.random.randrange(0, (N - other) // 2 + 1)
        return (correct, N - other - correct, 0, other)

    def ungradable(self) -> Counts:
        """Only OTHER; PARTIALLY as well where it has no weight."""
        partially = 0 if self.strategy == "partial" else self.random.randrange(0, N)
        return (0, 0, partially, N - partially)

    def fact(self, kind: str) -> Iterator[tuple[Task, bool, Counts]]:
        """The ten cells of a fact of this kind."""
        encodes, knows, thinking = BITS.get(kind, (True, True, True))
        spoiled = self.random.choice([(Task.DIRECT, False), (Task.REVERSE, True)])
        cells = {(task, on): self.passing() for task in KNOWLEDGE for on in (False, True)}
        cells |= dict.fromkeys([(Task.COMPLETION, False), (Task.CONTEXTUAL, False)], (0, N, 0, 0))
        if encodes:
            cells[self.random.choice([Task.COMPLETION, Task.CONTEXTUAL]), False] = self.passing()
        for on, good in ((False, knows), (True, thinking)):
            if not good:
                cells[self.random.choice(KNOWLEDGE), on] = self.failing()
        if kind == "excluded_nan":
            task, on = spoiled
            cells[task, on] = self.ungradable()
            if self.strategy != "fact":
                cells[Task(f"{task}_natural"), on] = self.ungradable()
        for (task, on), counts in cells.items():
            yield task, on, counts


@pytest.mark.parametrize("strategy", [strategy.value for strategy in Strategy])
def test_every_kind_of_fact_is_counted(strategy: str) -> None:
    kinds = [kind for number, kind in enumerate((*BITS, "excluded_nan"), 1) for _ in range(number)]
    some = Data([TASKS] * len(kinds), [True], cells_of(kinds, strategy, Random(strategy)))
    verdicts, (summary,) = judged(some, Rule("0.5", strategy))
    assert [VERDICTS[one] for one in verdicts.verdict[0]] == kinds
    assert summary.as_json() == {
        "thinking": True,
        "total": 28,
        "incomplete": 0,
        "excluded_nan": 7,
        "direct_inference": 6,
        "included": 15,
        "counts": dict(zip(PROFILES, (1, 2, 3, 4, 5), strict=True)),
        "shares": dict(zip(PROFILES, (1 / 15, 2 / 15, 3 / 15, 4 / 15, 5 / 15), strict=True)),
        "excluded_share": 13 / 28,
        "not_gradable_share": 7 / 28,
        "direct_inference_share": 6 / 28,
        "encodes": 9 / 15,
        "knows": 9 / 15,
        "knows_thinking": 18 / 15,
    }


def cells_of(
    kinds: Sequence[str], strategy: str, random: Random
) -> dict[tuple[int, int, Task, bool], Counts]:
    """Counts of one model for facts of these kinds, and none for multiple choice."""
    labels = Labels(strategy, random)
    return {
        (0, number, task, on): one
        for number, kind in enumerate(kinds)
        for task, on, one in labels.fact(kind)
    }


def test_table_2_is_complete(shared: Callable[[str], Path]) -> None:
    shared("data/published/table2_profiles.csv")
    assert len(ROWS) == 39
    assert {row["strategy"] for row in ROWS} == set(STRATEGIES)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['strategy']}-{row['model']}")
def test_printed_row_of_table_2(row: dict[str, str]) -> None:
    kinds = facts_behind(row)
    strategy = STRATEGIES[row["strategy"]]
    some = Data([TASKS[:6]] * len(kinds), [True], cells_of(kinds, strategy, Random(row["model"])))
    verdicts, (summary,) = judged(some, Rule("0.5", strategy))
    assert [VERDICTS[one] for one in verdicts.verdict[0]] == kinds
    found: dict[str, Any] = {
        **(summary.shares or {}),
        "encodes": summary.encodes,
        "knows": summary.knows,
        "knows_with_thinking": summary.knows_thinking,
        "excluded": summary.excluded_share,
        "other_or_partially": summary.excluded_nan / summary.total,
        "direct_inference": (summary.direct_inference or 0) / summary.total,
    }
    wrong = {
        name: (100 * value, row[name])
        for name, value in found.items()
        if abs(100 * value - float(row[name])) > tolerance(row, name)
    }
    assert wrong == {}
