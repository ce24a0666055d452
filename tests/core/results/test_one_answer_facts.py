"""Facts that stand on one answer, against giving every answer every other label in turn."""

from collections.abc import Callable, Iterator
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import db.grades
from core.curation.label_writer import set_label, withdraw
from core.project import OpenProject
from core.results.one_answer_facts import OneAnswerCount, OneAnswerFacts, find_one_answer_facts
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.precedence import PEOPLE
from core.scoring.verdicts import code_cells
from core.transfer.imports import import_file
from core.views.snapshot_cache import SnapshotCache
from core.vocabulary import CODE_ORDER, CODES, KNOWLEDGE, LABELS, TASKS, Strategy, Task
from tests.core import reference
from tests.core.making import a_fact, new_project, put_facts
from tests.core.reference import Cell, Counts, Rule, Verdict
from tests.core.scoring.test_verdicts import RULES, Data, data, policy
from tests.core.views.making import A, chances, labelled, lens_of
from tests.core.views.test_curtailed import curtail
from tests.effort import HEAVY

EXAMPLES = (
    *("all-correct", "basic", "choice-conflict", "human-first", "incomplete", "missing-tasks"),
    *("no-thinking", "nothing-gradable", "sharp-disagreement", "ties-and-significance"),
    "unlabelled",
)
RULES_OF_EXAMPLES = [
    Rule(tau, strategy.value, weight)
    for tau, strategy, weight in (
        *product(("0", "0.5", "0.75", "0.99"), Strategy, ("0.51",)),
        ("0.25", Strategy.PARTIAL, "0"),
        ("0.5", Strategy.PARTIAL, "1"),
    )
]


def code(found: Verdict) -> str:
    """The two letters of a verdict of the reference."""
    if found.name is None:
        return ("E" if found.e else "-") + ("K" if found.k0 else "-")
    return CODES[found.name]


def others_of(found: OneAnswerFacts, fact: int) -> set[str]:
    """The codes that one label would make of a fact."""
    return {other for place, other in enumerate(CODE_ORDER) if found.others[fact] >> place & 1}


def change_one_label(counts: dict[Cell, Counts]) -> Iterator[dict[Cell, Counts]]:
    """All counts with one label less and one of another kind more."""
    for cell, (old, new) in product(counts, permutations(range(len(LABELS)), 2)):
        if counts[cell][old]:
            one = list(counts[cell])
            one[old], one[new] = one[old] - 1, one[new] + 1
            yield counts | {cell: (one[0], one[1], one[2], one[3])}


def counts_of(tally: LabelCounts, model: int, fact: int) -> dict[Cell, Counts]:
    """The label counts of one fact, of all ten tasks."""
    found: dict[Cell, Counts] = {}
    for (place, task), on in product(enumerate(TASKS), (False, True)):
        row = tally.rows[model, int(on)]
        if row >= 0 and tally.exists[place, fact]:
            c, i, p, o = tally.labels[row, :, place, fact].tolist()
            found[task, on] = (c, i, p, o)
    return found


def check(tally: LabelCounts, rule: Rule) -> int:
    """Compare all facts with plain loops; gives how many stand on one answer."""
    cells, thinks, standing = code_cells(tally), tally.thinks(), 0
    for model in range(len(tally.models)):
        found = find_one_answer_facts(tally, cells, policy(rule), model)
        for fact in range(tally.exists.shape[1]):
            tasks = [task for place, task in enumerate(TASKS) if tally.exists[place, fact]]
            counts = counts_of(tally, model, fact)
            now = code(reference.verdict(tasks, counts, bool(thinks[model]), rule))
            after = {
                code(reference.verdict(tasks, one, bool(thinks[model]), rule))
                for one in change_one_label(counts)
            }
            assert CODE_ORDER[found.codes[fact]] == now
            assert others_of(found, fact) == after - {now}
            standing += bool(after - {now})
    return standing


@settings(max_examples=40)
@given(data(), RULES)
def test_any_counts_against_changing_each_label(some: Data, rule: Rule) -> None:
    check(some.tally(), rule)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples_against_changing_each_label(
    tmp_path: Path, shared: Callable[[str], Path], name: str
) -> None:
    folder, standing = shared(f"design/examples/{name}"), 0
    with new_project(tmp_path / "example.db") as project:
        import_file(project, folder / "facts.jsonl")
        import_file(project, folder / "responses.jsonl")
        graders = {one for _, one, _ in db.grades.graders(project.connection)}
        snapshots = SnapshotCache(project)
        for grader in sorted(one for one in graders if one != "choice" and one[:6] != "human:"):
            tally, _ = snapshots.counts((PEOPLE, grader))
            standing += sum(check(tally, rule) for rule in RULES_OF_EXAMPLES)
    assert standing


def change_each_answer(project: OpenProject, slots: list[int], policy: Policy, own: str) -> int:
    """Let a person set every other label of each answer; gives how many facts that moves."""
    snapshots, lens = SnapshotCache(project), lens_of("m", a=A, policy=policy)
    before = snapshots.snapshot(lens)
    found = find_one_answer_facts(*snapshots.counts(lens.ranked), policy, 0)
    expected: list[set[str]] = [set() for _ in range(len(before.index))]
    for key in slots:
        (place,) = np.flatnonzero((before.index.questions == key >> 20).any(axis=1)).tolist()
        labelled = int(snapshots.snapshot(lens).tally.labels.sum())
        for label in LABELS:
            set_label(project, own, key, label)
            snapshots.catch_up()
            after = snapshots.snapshot(lens)
            if int(after.tally.labels.sum()) != labelled:
                break  # it had no label: this is no other one
            expected[place].add(after.code(place))
        withdraw(project, own, key)
        snapshots.catch_up()
        assert snapshots.snapshot(lens).code(place) == before.code(place)
    for place, codes in enumerate(expected):
        assert CODE_ORDER[found.codes[place]] == before.code(place)
        assert others_of(found, place) == codes - {before.code(place)}
    return int(np.count_nonzero(found.others))


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("tau", [0.0, 0.5, 0.75])
@pytest.mark.parametrize("thinking", [True, False])
def test_a_file_against_a_person_who_labels_each_answer(
    project: OpenProject, strategy: Strategy, tau: float, thinking: bool
) -> None:
    slots = chances(project, 7, facts=3 if HEAVY else 1, thinking=thinking)
    assert change_each_answer(project, slots, Policy(tau, strategy), "zoe")


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize(("tau", "planned"), [(0.5, 6), (0.75, 5)])
def test_draws_left_against_a_person_who_labels_each_answer(
    project: OpenProject, strategy: Strategy, tau: float, planned: int
) -> None:
    facts = 3 if HEAVY else 2
    slots = chances(project, 3, facts=facts, samples=4, people=False, whole=1.0)
    curtail(project, Policy(tau, strategy), planned)
    assert change_each_answer(project, slots, Policy(tau, strategy), "ada")


def test_an_answer_other_than_right_or_wrong_may_decide_what_is_undecided(
    project: OpenProject,
) -> None:
    put_facts(project, [a_fact("f0", [task for task in TASKS if not task.is_choice])])
    rest = {(task, on): "ccccc" for task in KNOWLEDGE for on in (False, True)}
    labelled(project, "f0", {(Task.COMPLETION, False): "cccoo", (Task.CONTEXTUAL, False): "iiii"})
    labelled(project, "f0", rest)
    curtail(project, Policy(), 8)
    found = find_one_answer_facts(*SnapshotCache(project).counts((PEOPLE, A)), Policy(), 0)
    assert (CODE_ORDER[found.codes[0]], others_of(found, 0)) == ("··", {"DR"})


def test_facts_of_a_code_are_counted_with_what_they_might_be() -> None:
    bits = {code: 1 << place for place, code in enumerate(CODE_ORDER)}
    codes = np.array([CODE_ORDER.index(one) for one in ("RF", "RF", "RF", "RF", "EF")], np.uint8)
    others = [bits["DR"] | bits["RT"], bits["RT"], 0, bits["NA"], bits["RF"]]
    found = OneAnswerFacts(codes, np.array(others, np.uint16))
    everywhere = np.ones(5, np.bool_)
    assert found.count(everywhere, "RF") == OneAnswerCount(3, ("RT", "DR", "NA"))
    assert found.count(everywhere, "EF") == OneAnswerCount(1, ("RF",))
    assert found.count(everywhere, "DR") == OneAnswerCount(0, ())
    assert found.count(np.array([True, False, True, False, True]), "RF").facts == 1
