"""Snapshots, small projects, and ones with labels of chance, for tests of what a person audits."""

from contextlib import closing
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.precedence import PEOPLE
from core.views.lens import Lens, Thinking
from core.views.session import Session
from core.views.snapshot import Snapshot
from core.views.snapshot_cache import SnapshotCache
from core.vocabulary import KNOWLEDGE, LABELS, TASKS, Label, Outcome, Strategy, Task
from db.facts import Fact
from tests.core.making import Row, a_fact, cell, put_facts, put_rows

MODEL = "m"
A, B = "lexical", "llm:judge"
TAUS = (0.0, 0.25, 0.5, 0.75, 0.99)


def lens_of(
    model: str | None = None,
    a: str | None = None,
    b: str | None = None,
    people: bool = True,
    thinking: Thinking = Thinking.BOTH,
    policy: Policy | None = None,
) -> Lens:
    """A lens under which people's labels count (if they do), then A's, which B's are beside."""
    ranked = [PEOPLE] * people + [name for name in (a,) if name is not None]
    compared = [name for name in (a, b) if name is not None]
    return Lens(model, thinking, policy=policy or Policy()).with_graders(ranked, compared, False)


def change_graders(lens: Lens, **changes: Any) -> Lens:
    """The lens with another A or B, or with people's labels first or not at all."""
    now = {"a": lens.a, "b": lens.b, "people": lens.people, **changes}
    other = lens_of(**now)
    return lens.with_graders(other.ranked, other.compared, False)


def snapshot_of(project: OpenProject, lens: Lens | None = None) -> Snapshot:
    """The snapshot of a lens (model, A and B of these tests by default), from nothing kept."""
    project.refresh()
    return SnapshotCache(project).snapshot(lens or lens_of(MODEL, a=A, b=B))


def fresh_snapshot(path: Path, lens: Lens | None = None) -> Snapshot:
    """The snapshot that a new session gives."""
    with closing(Session(path)) as other:
        return other.open(lens)


def same_snapshot(one: Snapshot, other: Snapshot) -> bool:
    """Whether two snapshots show the same: what is counted, and what is known of each fact."""
    pairs: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = [
        (one.tally.labels, other.tally.labels),
        (one.tally.drawn, other.tally.drawn),
        (one.verdicts.verdict, other.verdicts.verdict),
        (one.differs, other.differs),
        (one.provisional, other.provisional),
        (one.index.flagged, other.index.flagged),
        (one.index.questions, other.index.questions),
        (one.noted, other.noted),
        (one.edited, other.edited),
    ]
    equal = all(np.array_equal(mine, theirs) for mine, theirs in pairs)
    return equal and (one.lens, one.models, one.headings) == (
        other.lens,
        other.models,
        other.headings,
    )


def two_facts(project: OpenProject) -> list[int]:
    """Two facts; of the first all that decides is right, on one draw each; gives the slots."""
    put_facts(project, [a_fact("f0", page_title="Tartu_(city)"), a_fact("f1", page_title="Narva")])
    rows = [
        Row("f0", task, "m", thinking, 0, {"x": Outcome.CORRECT}, text=f"Perhaps {task}")
        for task in (Task.COMPLETION, Task.CONTEXTUAL, *KNOWLEDGE)
        for thinking in (False, True)
    ]
    return put_rows(project, rows)


def lenses() -> list[Lens]:
    """One lens for each strategy and threshold."""
    return [
        lens_of(MODEL, a=A, b=B, policy=Policy(tau=tau, strategy=strategy))
        for strategy in Strategy
        for tau in TAUS
    ]


def chances(
    project: OpenProject,
    seed: int,
    facts: int = 30,
    samples: int = 3,
    thinking: bool = True,
    people: bool = True,
    whole: float = 0.6,
) -> list[int]:
    """Fill a project with facts whose answers have labels of chance; gives the slots.

    The share `whole` of the facts has all ten tasks and every label of A; the rest lack some.
    Multiple choice is labelled by `choice`, some answers by two people, and some have only a
    state of grading.
    """
    random = Random(seed)
    rows: list[Row] = []
    made: list[Fact] = []
    for number in range(facts):
        name, is_whole = f"f{number}", random.random() < whole
        tasks = TASKS if is_whole else [task for task in TASKS if random.random() < 0.85]
        made.append(a_fact(name, tasks))
        lean = random.choice([(8, 1, 1, 1), (1, 8, 1, 1), (1, 1, 1, 8), (3, 3, 1, 1)])
        for task, on in product(tasks, (False, True)[: 1 + thinking]):
            for sample in range(samples if is_whole else random.randint(0, samples)):
                grades = _programs(random, task.is_choice, is_whole, lean)
                said = _people(random) if people else {}
                at = dict(zip(said, random.sample(range(1000), len(said)), strict=True))
                text = random.choice(["Tartu", " Tartu ", "Narva", "so\nAnswer: Tartu"])
                rows.append(Row(name, task, MODEL, on, sample, grades | said, text, at=at))
    put_facts(project, made)
    random.shuffle(rows)
    return put_rows(project, rows)


def _programs(
    random: Random, is_choice: bool, is_whole: bool, lean: tuple[int, int, int, int]
) -> dict[str, Outcome]:
    label = Outcome.from_label(random.choices(LABELS, lean)[0])
    is_labelled = is_choice or is_whole or random.random() < 0.8
    first = label if is_labelled else random.choice([Outcome.UNPARSED, Outcome.REFUSED])
    grades = {"choice" if is_choice else A: first}
    if random.random() < 0.5:
        grades[B] = Outcome.from_label(random.choice(LABELS))
    return grades


def _people(random: Random) -> dict[str, Outcome]:
    who = [name for name in ("human:ada", "human:ben") if random.random() < 0.1]
    return {name: Outcome.from_label(random.choice(LABELS)) for name in who}


def labelled(
    project: OpenProject, fact_id: str, labels: dict[tuple[Task, bool], str], grader: str = A
) -> None:
    """Answers to a fact by (task, thinking), labels as letters: `c i p o`, `.` for none."""
    letters = {"c": 1, "i": 2, "p": 3, "o": 4, "?": 5}
    rows: list[Row] = []
    for (task, on), row in labels.items():
        codes = [Outcome(letters[one]) if one in letters else None for one in row]
        rows += cell(fact_id, task, MODEL, on, codes, grader)
    put_rows(project, rows)


def given(label: Label | None) -> Label:
    """A label of a disagreement, where both graders have given one."""
    assert label is not None
    return label
