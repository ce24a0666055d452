"""Curtailed runs promise answers to the questions that they asked, and to no others.

Projects of chance: facts with some of the tasks and answers of chance, curtailed runs over all
facts that are there, and facts that come later. A fact has the verdict that its own file gives it.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.model_rows
import db.sampling_runs
from core.project import OpenProject
from core.results import profile_summary
from core.results.profile_summary import list_fact_profiles
from core.scale.lake_counts import LakeCounts
from core.scale.lake_results import read_profiles
from core.scoring.curtailed_runs import list_asked
from core.scoring.curtailment import as_text, fixed_policy
from core.scoring.policy import Policy
from core.scoring.verdicts import EXCLUDED_NAN, INCOMPLETE
from core.transfer.database_merge import merge
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.transfer.lake_count_import import import_counts
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
    """Facts that come with answers, by their names, then a run over all facts, if there is one.

    `curtailed` is None where no run was curtailed, `done` whether the run has ended; one that was
    not curtailed is there where it has not.
    """

    facts: Sequence[str]
    seed: int
    curtailed: Policy | None
    done: bool = True


@st.composite
def steps(draw: st.DrawFn, names: str) -> list[Step]:
    """How a file came to be, of facts with some of these names."""
    order = draw(st.permutations(names))
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), min_size=1, max_size=2)))
    parts = [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    return [
        Step(
            part,
            draw(st.integers(0, 99)),
            draw(st.none() | st.sampled_from(POLICIES)),
            draw(st.booleans()),
        )
        for part in parts
    ]


def answers(name: str, seed: int, task: Task, thinking: bool) -> list[Row]:
    """Some of the answers to a question; those of one number are the same in every file."""
    always, here = Random(f"{name}/{task}/{thinking}"), Random(f"{name}/{seed}/{task}/{thinking}")
    likely = always.choice([Outcome.CORRECT, Outcome.INCORRECT])
    rest = always.choices([Outcome(number) for number in range(1, 5)], k=2)
    count = here.choice([0, 1, 2, 3, 3, SAMPLES, SAMPLES])
    return cell(name, task, MODEL, thinking, [likely, likely, *rest][:count], GRADER)


def take(project: OpenProject, step: Step) -> None:
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
    if step.curtailed is None and step.done:
        return
    chosen = step.curtailed
    policy = None if chosen is None else as_text(fixed_policy(chosen, (GRADER,)))
    every = ~project.index.rejected
    with write_transaction(project.connection):
        for on, asked in SETTINGS:
            setting = db.model_rows.ensure_setting(project.connection, MODEL, on)
            questions = list_asked(project.index, every, asked)
            run = db.sampling_runs.start(
                project.connection, setting, questions, SAMPLES, curtailed=policy
            )
            if step.done:
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
    with OpenProject(path) as project:
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


TABLES = ("facts", "responses", "runs")


def read_figures(source: OpenProject | LakeCounts) -> Any:
    """What `profiles` prints under each policy: shares, whether they are provisional, facts."""
    found: list[object] = []
    for policy in POLICIES:
        if isinstance(source, OpenProject):
            profiled = profile_summary.profiles(source, policy)
            document, facts = profiled.as_json(), list_fact_profiles(source, profiled)
        else:
            document, facts = read_profiles(source, policy, with_facts=True)
        found.append([document, sorted(json.dumps(one.as_json()) for one in facts)])
    return json.loads(json.dumps(found))


def copy_by_files(file: Path, there: Path, ending: str) -> Path:
    """A database of what another exports."""
    with OpenProject(file) as project:
        for what in TABLES:
            export(project, what, there / f"{what}{ending}")
    with new_project(there / "copy.db") as copy:
        for what in TABLES:
            if (there / f"{what}{ending}").stat().st_size:
                assert import_file(copy, there / f"{what}{ending}", what).bad == 0
    return there / "copy.db"


def stored_runs(path: Path) -> list[tuple[object, ...]]:
    with OpenProject(path) as project:
        return project.connection.execute("SELECT * FROM run ORDER BY id").fetchall()


@pytest.mark.slow
@given(steps("abcd"), st.sampled_from([".jsonl", ".csv", ".parquet"]))
@settings(max_examples=6, deadline=None)
def test_a_database_of_exported_files_has_the_figures_of_the_original(
    taken: list[Step], ending: str
) -> None:
    with folder() as there:
        file = make(there / "file.db", taken)
        with OpenProject(file) as project:
            own = read_figures(project)
        before = stored_runs(file)
        copy = copy_by_files(file, there, ending)
        for place, files in enumerate(([file], [copy], [file, copy], [copy, file])):
            union = there / f"union{place}.db"
            assert merge(files, union) == [] if len(files) > 1 else not union.exists()
            with OpenProject(union if len(files) > 1 else files[0]) as project:
                assert read_figures(project) == own
        with OpenProject(file, "write") as project:
            for what in TABLES:
                if (there / f"{what}{ending}").stat().st_size:
                    assert import_file(project, there / f"{what}{ending}", what).added == 0
        assert stored_runs(file) == before


@pytest.mark.slow
@given(steps("abcd"))
@settings(max_examples=3, deadline=None)
def test_a_lake_has_the_figures_of_the_original(taken: list[Step]) -> None:
    with folder() as there:
        file = make(there / "file.db", taken)
        with OpenProject(file) as project:
            own = read_figures(project)
            export(project, "lake", there / "lake")
        with LakeCounts(there / "lake") as counts:
            assert read_figures(counts) == own
        with new_project(there / "copy.db") as copy:
            assert import_file(copy, there / "lake", "lake").bad == 0
            assert read_figures(copy) == own
        with OpenProject(file, "write") as project:
            assert import_file(project, there / "lake", "lake").added == 0
        import_counts(there / "lake", there / "counts.db", Policy(graders=(GRADER,)))
        with OpenProject(there / "counts.db", "read", counts=True) as project:
            assert read_figures(project) == own


@pytest.mark.slow
@given(steps("abcd"), steps("efgh"))
@settings(max_examples=6, deadline=None)
def test_files_of_two_databases_give_each_fact_the_verdict_of_its_own(
    ours: list[Step], theirs: list[Step]
) -> None:
    with folder() as there:
        a, b = make(there / "a.db", ours), make(there / "b.db", theirs)
        own = {key: one for key, one in (verdicts(a) | verdicts(b)).items() if key[0] != "anchor"}
        files = {}
        for name, file in (("a", a), ("b", b)):
            with OpenProject(file) as project:
                files[name] = [there / f"{name}-{what}.jsonl" for what in TABLES]
                for what, path in zip(TABLES, files[name], strict=True):
                    export(project, what, path)
        for order in ("ab", "ba"):
            with new_project(there / f"{order}.db") as union:
                for path in (path for name in order for path in files[name]):
                    if path.stat().st_size:
                        assert import_file(union, path).bad == 0
            found = verdicts(there / f"{order}.db")
            assert {key: found[key] for key in own} == own
