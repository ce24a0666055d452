"""Small inputs for analyses: written by hand, or any that hypothesis thinks of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

import numpy as np
from hypothesis import strategies as st

from core.analyses.analysis_evidence import Evidence
from core.dataset.fact_index import FactIndex
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import code_cells, judge
from core.vocabulary import TASK_INDEX, TASKS, Strategy, Task
from tests.core.reference import Cell, Counts, Rule

STATES: Mapping[str, Counts] = {"P": (8, 0, 0, 0), "F": (0, 8, 0, 0), "N": (0, 0, 3, 5)}
"""A question that passes, fails, cannot be graded; anything else has no label."""

PAIRS: Sequence[Sequence[Cell]] = [
    [(Task.COMPLETION, False), (Task.CONTEXTUAL, False)],
    [(Task.DIRECT, False), (Task.DIRECT_NATURAL, False)],
    [(Task.REVERSE, False), (Task.REVERSE_NATURAL, False)],
    [(Task.DIRECT, True), (Task.DIRECT_NATURAL, True)],
    [(Task.REVERSE, True), (Task.REVERSE_NATURAL, True)],
]


@dataclass(frozen=True)
class Case:
    """Facts and models with the label counts of every cell that has labels."""

    fact_ids: Sequence[str]
    tasks: Sequence[Sequence[Task]]
    views: Sequence[int | None]
    rejected: Sequence[bool]
    chosen: Sequence[bool]
    models: Mapping[str, bool]
    counts: Mapping[tuple[str, int, str, bool], Counts]
    rule: Rule = field(default=Rule("0.5", "pair"))
    subject_types: Sequence[str] = ()
    object_types: Sequence[str] = ()
    years: Sequence[int] = ()

    def policy(self) -> Policy:
        """The rule as the program takes it."""
        return Policy(float(self.rule.tau), Strategy(self.rule.strategy), float(self.rule.weight))

    def tally(self) -> LabelCounts:
        """The counts as arrays; a model without any answers in a setting has no row."""
        settings = [
            (model, on)
            for model, on in product(self.models, (False, True))
            if (self.models[model] and on) or (self.drawn_off(model) and not on)
        ]
        names = list(self.models)
        rows = np.full((len(names), 2), -1, np.intp)
        labels = np.zeros((len(settings), 4, len(TASKS), len(self.fact_ids)), np.uint16)
        exists = np.zeros((len(TASKS), len(self.fact_ids)), np.bool_)
        for row, (model, on) in enumerate(settings):
            rows[names.index(model), int(on)] = row
        for fact, tasks in enumerate(self.tasks):
            exists[[TASK_INDEX[task] for task in tasks], fact] = True
        for (model, fact, task, on), one in self.counts.items():
            row = rows[names.index(model), int(on)]
            labels[row, :, TASK_INDEX[Task(task)], fact] = one
        return LabelCounts(names, rows, labels, labels.sum(axis=1, dtype=np.uint16), exists)

    def drawn_off(self, model: str) -> bool:
        """Whether a model has any answer without thinking."""
        return any(name == model and not on for name, _, _, on in self.counts)

    def evidence(self) -> Evidence:
        """The case as analyses take it."""
        tally, policy, size = self.tally(), self.policy(), len(self.fact_ids)
        questions = np.arange(1, size * len(TASKS) + 1).reshape(size, len(TASKS))
        rejected = np.array(self.rejected, np.bool_)
        index = FactIndex(
            np.arange(size),
            list(self.fact_ids),
            np.array([-1 if one is None else one for one in self.views], np.int64),
            [""] * size,
            list(self.subject_types) or [""] * size,
            list(self.object_types) or [""] * size,
            np.array(self.years or [-1] * size, np.int64),
            np.zeros(size, np.bool_),
            rejected,
            np.where(tally.exists.T, questions, 0),
        )
        verdicts = judge(code_cells(tally), tally.thinks(), policy)
        facts = np.array(self.chosen, np.bool_) & ~rejected
        return Evidence(index, tally, verdicts, policy, facts)


def case(
    patterns: Mapping[str, Sequence[str]],
    views: Sequence[int | None] | None = None,
    fact_ids: Sequence[str] | None = None,
    rejected: Sequence[bool] | None = None,
    cells: Mapping[tuple[str, int, str, bool], Counts] | None = None,
) -> Case:
    """Facts with all tasks. A pattern has a letter a pair, both questions of it alike.

    `PPF` is E, direct, reverse without thinking; `PPF PF` also direct and reverse with it.
    """
    size = len(next(iter(patterns.values())))
    counts: dict[tuple[str, int, str, bool], Counts] = {}
    for model, facts in patterns.items():
        for fact, pattern in enumerate(facts):
            for letter, pair in zip(pattern.replace(" ", ""), PAIRS, strict=False):
                for task, on in pair:
                    if letter in STATES:
                        counts[model, fact, task, on] = STATES[letter]
    counts |= cells or {}
    return Case(
        fact_ids or [f"fact {number}" for number in range(size)],
        [TASKS] * size,
        views or [None] * size,
        rejected or [False] * size,
        [True] * size,
        {model: any(" " in one for one in facts) for model, facts in patterns.items()},
        counts,
    )


RULES = st.builds(
    Rule,
    st.sampled_from(["0", "0.25", "0.5", "0.51", "0.6666666666666666", "0.9"]),
    st.sampled_from([strategy.value for strategy in Strategy]),
    st.sampled_from(["0.51", "0", "0.25", "0.5", "1"]),
)
KINDS = st.one_of(
    st.sampled_from([(4, 0, 0, 0), (0, 4, 0, 0), (0, 0, 0, 4), (0, 0, 3, 1), (1, 0, 0, 0)]),
    st.tuples(*[st.integers(0, 3)] * 4),
)
MOST_TASKS = st.one_of(
    st.just(TASKS),
    st.sets(st.sampled_from(TASKS), min_size=6).map(
        lambda some: tuple(task for task in TASKS if task in some)
    ),
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Facts whose cells lean the same way within encoding, knowledge off and knowledge on."""
    tasks = draw(st.lists(MOST_TASKS, max_size=8))
    size = len(tasks)
    models = {
        f"model {number}": on for number, on in enumerate(draw(st.lists(st.booleans(), max_size=3)))
    }
    kinds = draw(st.lists(KINDS, min_size=2, max_size=5))
    random = Random(draw(st.integers(0, 2**32)))
    counts: dict[tuple[str, int, str, bool], Counts] = {}
    for (model, thinks), (fact, mine) in product(models.items(), enumerate(tasks)):
        leaning = {one: random.choice(kinds) for one in product((False, True), repeat=2)}
        for task, on in product(mine, (False, True) if thinks else (False,)):
            likely = leaning[task in TASKS[:2], on]
            one = likely if random.random() < 0.8 else random.choice(kinds)
            if sum(one) and random.random() < 0.97:
                counts[model, fact, task, on] = one
    if thinkers := [model for model, on in models.items() if on and random.random() < 0.1]:
        counts = {key: one for key, one in counts.items() if key[0] not in thinkers or key[3]}
    found = Case(
        random.sample([f"{number}__0" for number in range(20)], size),
        tasks,
        [random.choice([None, 0, 3, 3, 50, 1000]) for _ in tasks],
        [random.random() < 0.1 for _ in tasks],
        [random.random() < 0.9 for _ in tasks],
        models,
        counts,
    )
    return replace(found, rule=draw(RULES))
