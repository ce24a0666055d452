"""What the curtailed runs of a project mean for its numbers (semantics section 7)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.scoring.curtailment import from_text
from core.scoring.label_counts import Counts, CurtailedDraws, LabelCounts, Numbers, numbers
from core.scoring.policy import Policy
from core.scoring.precedence import CHOICE, LAST_LABEL, PEOPLE, GraderVersion, Rank
from core.scoring.question_states import UNDECIDED
from core.scoring.verdicts import CELLS, INCOMPLETE, code_cells, judge_states
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.label_grids import LabelMatrix
from db.sampling_runs import Run, RunQuestions, find_ids, group_asked
from db.sqlite_errors import StoredValueError

ELSEWHERE = "curtailed under another policy, what that left open is incomplete here"
"""Why so many facts of a model are incomplete."""


def is_elsewhere(tally: LabelCounts, model: int, policy: Policy) -> bool:
    """Whether facts of a model (its place) have draws left of curtailed runs under other policies.

    What those draws would decide is then undecided, and the facts are incomplete.
    """
    skipping = tally.find_skipping(policy)
    if tally.curtailed is None or skipping is None:
        return False
    mine = tally.rows[model][tally.rows[model] >= 0]
    short = tally.exists & (tally.drawn[mine] < tally.curtailed.planned[mine])
    return bool((short & ~skipping[model]).any())


def notes(tally: LabelCounts, policy: Policy) -> list[str]:
    """A line for every model whose facts are incomplete because it was curtailed for another
    policy."""
    return [
        f"{model}: {ELSEWHERE}"
        for place, model in enumerate(tally.models)
        if is_elsewhere(tally, place, policy)
    ]


def count_planned(
    runs: Sequence[Run],
    models: Sequence[Sequence[int | None]],
    rows: npt.NDArray[np.intp],
    index: FactIndex,
    find_policies: Callable[[Sequence[Run], Sequence[int]], Mapping[str, Numbers]],
) -> CurtailedDraws | None:
    """What curtailed runs mean for a tally; None where there was none of its models.

    `models` has the settings (ids) of each model without thinking and with it, `rows` their
    places in the tally.
    """
    if not any(run.setting in pair for run in runs for pair in models):
        return None
    planned = np.zeros((int(rows.max(initial=-1)) + 1, len(TASKS), len(index)), np.uint16)
    valid = []
    for pair, places in zip(models, rows.tolist(), strict=True):
        for setting, row in zip(pair, places, strict=True):
            plan([run for run in runs if run.setting == setting], index, planned[row])
        there = [setting for setting in pair if setting is not None]
        mine = [run for run in runs if run.setting in there]
        found = find_policies(mine, there) if mine else {}
        facts: dict[Numbers, Mask] = {}
        for run in mine:
            policy = found.get(run.curtailed or "")
            if policy is not None:
                facts[policy] = facts.get(policy, False) | facts_of(run, index)
        valid.append(facts)
    return CurtailedDraws(planned, tuple(valid))


def list_asked(index: FactIndex, facts: Mask, tasks: Sequence[Task]) -> list[RunQuestions]:
    """The questions of these tasks that there are of facts that are not rejected."""
    asked = facts & ~index.rejected
    places = [TASK_INDEX[task] for task in tasks]
    return group_asked(tasks, index.ids[asked], index.questions[asked][:, places] > 0)


def facts_of(run: Run, index: FactIndex) -> Mask:
    """The facts that a run asks about, shape (facts,)."""
    found = np.zeros(len(index), np.bool_)
    for part in run.asked:
        found |= find_ids(part.facts, index.ids)
    return found


def plan(runs: Sequence[Run], index: FactIndex, planned: Counts) -> None:
    """Enter the draws of runs of one setting, oldest first, into `planned` (tasks, facts)."""
    for run in runs:
        for part in run.asked:
            facts = find_ids(part.facts, index.ids)
            for task in part.tasks:
                planned[TASK_INDEX[task], facts] = run.samples


def policies(runs: Sequence[Run], is_same: Callable[[Sequence[str]], bool]) -> dict[str, Numbers]:
    """The policies (as stored) of those runs of whose graders `is_same` holds."""
    found = {}
    for text in {run.curtailed for run in runs if run.curtailed}:
        try:
            policy = from_text(text)
        except StoredValueError:
            continue  # valid for nothing
        if is_same(policy.graders or ()):
            found[text] = numbers(policy)
    return found


def is_same_list(
    names: Sequence[str],
    ranks: Sequence[Rank],
    known: Sequence[GraderVersion],
    heard: Collection[int],
) -> bool:
    """Whether graders by name give the labels that `ranks` give.

    They do if the lists differ by graders only whose planes are not `heard`: those that have
    labelled nothing.
    """
    mine = _planes([(rank.name, rank.planes) for rank in ranks], heard)
    return _planes([(name, find_planes(name, known)) for name in names], heard) == mine


def find_heard(
    known: Sequence[GraderVersion], grids: LabelMatrix, settings: Collection[int]
) -> Iterator[int]:
    """Planes of the grader versions with any label in these settings."""
    for version in known:
        for setting in settings:
            cells = grids.cells(version.plane, setting)
            if cells is not None and bool(((cells > 0) & (cells <= LAST_LABEL)).any()):
                yield version.plane
                break


def find_planes(name: str, known: Sequence[GraderVersion]) -> tuple[int, ...]:
    """Planes of a grader by name, newest first, as `core.scoring.precedence` ranks them."""
    newest_first = sorted(known, key=lambda version: -version.plane)
    return tuple(
        version.plane
        for version in newest_first
        if (version.is_person if name == PEOPLE else version.name == name)
        or name == f"{version.name}#{version.version}"
    )


def _planes(
    listed: Sequence[tuple[str, tuple[int, ...]]], heard: Collection[int]
) -> list[tuple[int, ...]]:
    """What of a list of graders counts, for questions that are not multiple choice."""
    seen: set[int] = set()
    found = []
    for name, planes in listed:
        new = tuple(plane for plane in planes if plane in heard and plane not in seen)
        seen |= set(new)
        if new and name.partition("#")[0] != CHOICE:
            found.append(new)
    return found


def find_open(run: Run, index: FactIndex, tally: LabelCounts, model: int, thinking: bool) -> Mask:
    """Facts for which an unfinished run of a model (its place) has still to draw."""
    find = open_slots if run.curtailed is None else find_drawing
    return find(run, index, tally, model, thinking)


def open_slots(run: Run, index: FactIndex, tally: LabelCounts, model: int, thinking: bool) -> Mask:
    """Facts of a model (its place) for which an unfinished run has slots to fill.

    Only in cells that decide profiles.
    """
    found = np.zeros(len(index), np.bool_)
    row = tally.rows[model, int(thinking)]
    for part in run.asked:
        facts = find_ids(part.facts, index.ids)
        for which in (TASK_INDEX[task] for task in part.tasks if (task, thinking) in CELLS):
            fewer = tally.drawn[row, which] < run.samples if row >= 0 else run.samples > 0
            found |= tally.exists[which] & fewer & facts
    return found


def find_drawing(
    run: Run, index: FactIndex, tally: LabelCounts, model: int, thinking: bool
) -> Mask:
    """Facts of a model (its place) for which an unfinished curtailed run may have to ask more."""
    none = np.zeros(len(index), np.bool_)
    try:
        policy = from_text(run.curtailed or "")
    except StoredValueError:
        return none
    one = tally.select_model(model)
    cells = code_cells(one).states(policy)
    every = np.ones((1, len(index)), np.bool_)
    verdict = judge_states(cells, one.thinks(), policy.strategy, every).verdict[0]
    found: Mask = none
    for part in run.asked:
        mine = [CELLS.index((task, thinking)) for task in part.tasks if (task, thinking) in CELLS]
        undecided = ((cells[mine, 0] & UNDECIDED) != 0).any(axis=0)
        found |= undecided & (verdict == INCOMPLETE) & find_ids(part.facts, index.ids)
    return found
