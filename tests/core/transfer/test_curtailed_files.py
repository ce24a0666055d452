"""Curtailed runs promise answers to the questions that they asked, and to no others.

Projects of chance: facts with some of the tasks and answers of chance, curtailed runs over all
facts that are there, and facts that come later. A fact has the verdict that its own file gives it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.model_rows
import db.sampling_runs
from core.project import Project
from core.scoring.curtailed_runs import list_asked
from core.scoring.curtailment import as_text, fixed_policy
from core.scoring.policy import Policy
from core.scoring.verdicts import EXCLUDED_NAN, INCOMPLETE
from core.transfer import export, import_file
from core.transfer.database_merge import merge
from core.vocabulary import ENCODING, KNOWLEDGE, Outcome, Strategy, Task
from db.connection import write_transaction
from tests.core.making import Row, a_fact, cell, new_project, put_facts, put_rows

MODEL, GRADER, SAMPLES = "m", "lexical", 4
OPEN = (*ENCODING, *KNOWLEDGE)
SETTINGS = ((False, OPEN), (True, KNOWLEDGE))
POLICIES = tuple(
    Policy(tau, strategy, graders=(GRADER,))
    for tau, strategy in product((0.25, 0.5), (Strategy.PAIR, Strategy.FACT))
)
Verdict = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """Facts that come with answers, by their names, then a run over all facts, if there is one."""

    facts: Sequence[str]
    seed: int
    curtailed: Policy | None


@st.composite
def steps(draw: st.DrawFn, names: str) -> list[Step]:
    """How a file came to be, of facts with some of these names."""
    order = draw(st.permutations(names))
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), min_size=1, max_size=2)))
    parts = [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    return [
        Step(part, draw(st.integers(0, 99)), draw(st.none() | st.sampled_from(POLICIES)))
        for part in parts
    ]


def answers(name: str, seed: int, task: Task, thinking: bool) -> list[Row]:
    """Some of the answers to a question; those of one number are the same in every file."""
    always, here = Random(f"{name}/{task}/{thinking}"), Random(f"{name}/{seed}/{task}/{thinking}")
    likely = always.choice([Outcome.CORRECT, Outcome.INCORRECT])
    rest = always.choices([Outcome(number) for number in range(1, 5)], k=2)
    count = here.choice([0, 1, 2, 3, 3, SAMPLES, SAMPLES])
    return cell(name, task, MODEL, thinking, [likely, likely, *rest][:count], GRADER)


def take(project: Project, step: Step) -> None:
    """Put facts in with answers, some with a few of the tasks only; then note the run."""
    tasks = {
        name: tuple(one for one in OPEN if Random(f"{name}/{step.seed}/{one}").random() < 0.9)
        for name in step.facts
    }
    put_facts(project, [a_fact(name, tasks[name]) for name in step.facts])
    put_rows(
        project,
        [
            row
            for name in step.facts
            for on, asked in SETTINGS
            for task in asked
            if task in tasks[name]
            for row in answers(name, step.seed, task, on)
        ],
    )
    if step.curtailed is None:
        return
    policy = as_text(fixed_policy(step.curtailed, (GRADER,)))
    every = ~project.index.rejected
    with write_transaction(project.connection):
        for on, asked in SETTINGS:
            setting = db.model_rows.ensure_setting(project.connection, MODEL, on)
            questions = list_asked(project.index, every, asked)
            run = db.sampling_runs.start(
                project.connection, setting, questions, SAMPLES, curtailed=policy
            )
            db.sampling_runs.finish(project.connection, run)


def make(path: Path, taken: Sequence[Step]) -> Path:
    """A file after these steps. A fact that no test looks at has answers in both settings."""
    with new_project(path) as project:
        put_facts(project, [a_fact("anchor", OPEN)])
        correct = [Outcome.CORRECT]
        put_rows(
            project,
            [row for on, _ in SETTINGS for row in cell("anchor", OPEN[2], MODEL, on, correct)],
        )
        for step in taken:
            take(project, step)
    return path


def verdicts(path: Path) -> dict[tuple[str, Policy], Verdict]:
    """The verdict of every fact under every policy, with E, K0 and KT where they mean something."""
    found = {}
    with Project(path) as project:
        for policy in POLICIES:
            tally = project.tally(project.ranks(policy), [MODEL])
            judged = project.verdicts(tally, policy)
            columns = (judged.verdict, judged.encodes, judged.knows, judged.knows_thinking)
            for name, number, *parts in zip(
                project.index.fact_ids, *(one[0].tolist() for one in columns), strict=True
            ):
                aside = number in (INCOMPLETE, EXCLUDED_NAN)
                found[name, policy] = (number,) if aside else (number, *map(int, parts))
    return found


@contextmanager
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.slow
@given(steps("abcd"), steps("efgh"))
@settings(max_examples=25, deadline=None)
def test_facts_keep_their_verdicts_in_a_union(ours: list[Step], theirs: list[Step]) -> None:
    with folder() as there:
        a, b = make(there / "a.db", ours), make(there / "b.db", theirs)
        assert merge([a, b], there / "ab.db") == merge([b, a], there / "ba.db") == []
        own = verdicts(a) | verdicts(b)
        own = {key: one for key, one in own.items() if key[0] != "anchor"}
        for union in ("ab.db", "ba.db"):
            found = verdicts(there / union)
            assert {key: found[key] for key in own} == own


@pytest.mark.slow
@given(steps("abcd"), steps("cdef"), steps("adfg"))
@settings(max_examples=15, deadline=None)
def test_the_order_of_files_with_common_facts_does_not_matter(
    first: list[Step], second: list[Step], third: list[Step]
) -> None:
    with folder() as there:
        files = [
            make(there / f"{place}.db", one) for place, one in enumerate((first, second, third))
        ]
        orders = ([0, 1, 2], [2, 1, 0], [1, 2, 0])
        found = []
        for place, order in enumerate(orders):
            assert merge([files[one] for one in order], there / f"union{place}.db") == []
            found.append(verdicts(there / f"union{place}.db"))
        assert found[0] == found[1] == found[2]


@pytest.mark.slow
@given(steps("abcdef"))
@settings(max_examples=25, deadline=None)
def test_what_comes_after_a_run_is_as_if_it_had_never_been(taken: list[Step]) -> None:
    """Facts that come later leave the others alone, and have the verdict that no run gives."""
    last = replace(taken[-1], curtailed=None)
    alone = [replace(one, curtailed=None) for one in taken]
    with folder() as there:
        before = verdicts(make(there / "before.db", taken[:-1]))
        after = verdicts(make(there / "after.db", [*taken[:-1], last]))
        plain = verdicts(make(there / "plain.db", alone))
        assert {key: after[key] for key in before} == before
        later = [(name, policy) for name in last.facts for policy in POLICIES]
        assert [after[key] for key in later] == [plain[key] for key in later]


@pytest.mark.slow
@given(steps("abcd"))
@settings(max_examples=15, deadline=None)
def test_what_was_exported_changes_nothing_where_it_comes_back(taken: list[Step]) -> None:
    """An export brings no runs; beside the file that it came from it takes none away either."""
    with folder() as there:
        file = make(there / "file.db", taken)
        own = verdicts(file)
        with Project(file) as project:
            for what in ("facts", "responses"):
                export(project, what, there / f"{what}.jsonl")
        with new_project(there / "copy.db") as copy:
            for what in ("facts", "responses"):
                assert import_file(copy, there / f"{what}.jsonl").bad == 0
        plain = [replace(one, curtailed=None) for one in taken]
        assert verdicts(there / "copy.db") == verdicts(make(there / "plain.db", plain))
        for place, files in enumerate(([file, there / "copy.db"], [there / "copy.db", file])):
            assert merge(files, there / f"union{place}.db") == []
            assert verdicts(there / f"union{place}.db") == own
        with Project(file, "write") as project:
            for what in ("facts", "responses"):
                assert import_file(project, there / f"{what}.jsonl").added == 0
        assert verdicts(file) == own
