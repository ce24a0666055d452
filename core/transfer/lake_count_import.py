"""A lake taken in as counts: its facts, numbers for each cell, and the answers that are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import db.connection
import db.lake_label_counts
import db.model_rows
from core.errors import LostkeysError, UsageError
from core.project import Project
from core.scale.lake_counts import LakeCounts
from core.scoring.label_counts import LabelCounts
from core.scoring.lake_labels import sum_files
from core.scoring.policy import Policy
from core.scoring.precedence import CHOICE, HUMAN_PREFIX, PEOPLE, Rank, ranks_here
from core.transfer.imports import Progress, import_source, rehearsal
from core.transfer.kept_answers import KeptRows, find_kept
from core.vocabulary import TASKS
from db import draft_files
from db.label_grids import DRAWN
from db.lake_label_counts import CountedLake

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CountedReport:
    """What was taken in: facts, answers counted (kept ones among them), answers kept."""

    facts: int
    answers: int
    kept: int
    graders: tuple[str, ...]


def import_counts(
    path: Path,
    target: Path,
    policy: Policy,
    keeps: Sequence[str] = (),
    tell: Progress | None = None,
) -> CountedReport:
    """Write a new database with the counts of a lake under the policy's graders, whole or not.

    Arms are left out: they have no profiles. Raises `UsageError` where the database is there
    already or a `keep` is no filter, `LostkeysError` for what is wrong with the lake.
    """
    if target.exists():
        raise _explain_target(target)
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target.parent} is not a folder: make it first, or choose another")
    with LakeCounts(path) as counts:
        ranks, summed = counts.ranks(policy), sum_files(path)
        rows = KeptRows(path, find_kept(counts, keeps, policy))
        with draft_files.hold_draft(target) as draft:
            with rehearsal(None) as empty:
                db.connection.copy(empty.connection, draft)
            with Project(draft, "write", counts=True) as project:
                _land(project, rows, tell)
                answers = _count(project, counts, ranks, summed)
                kept = project.grids.count(DRAWN)
                facts = len(project.index)
            try:
                draft_files.name_draft(draft, target)
            except FileExistsError as error:
                raise _explain_target(target) from error
    return CountedReport(facts, answers, kept, tuple(rank.name for rank in ranks))


def _explain_target(target: Path) -> UsageError:
    return UsageError(f"{target} is there already, and counts go into a new one: name it by --db")


def _land(project: Project, rows: KeptRows, tell: Progress | None) -> None:
    """Take in facts and kept answers; a bad row among them ends it all."""
    report = import_source(project, rows, "lake", tell)
    if report.problems:
        first = report.problems[0]
        raise LostkeysError(f"{rows.path}, row {first.line}: {first.reason}; nothing was written")


def _count(project: Project, counts: LakeCounts, ranks: Sequence[Rank], summed: str) -> int:
    """Keep what the lake has beyond the answers here; gives how many answers it has."""
    answers = 0
    graders = tuple(rank.name for rank in ranks)
    db.connection.keep_few_pages(project.connection)
    with db.connection.write_transaction(project.connection):
        db.lake_label_counts.note_lake(
            project.connection,
            CountedLake(
                str(counts.lake.path.absolute()), graders, _versions(counts, graders), summed
            ),
        )
    order = _find_places(project, counts)
    for model in counts.choose_models(None):
        here = project.tally(ranks_here(graders, project.graders()), [model])
        every = counts.tally(ranks, [model])
        answers += int(every.drawn.sum(dtype=np.int64))
        for thinking in (False, True):
            if every.row(model, thinking) is not None:
                _store_setting(project, model, thinking, (every, here), order)
    return answers


def _find_places(project: Project, counts: LakeCounts) -> Places:
    """The places in the project of the facts of the lake, in their order there."""
    here, there = project.index.fact_ids, counts.index.fact_ids
    if here == there:  # as a rule: they were taken in in the order of the lake
        return np.arange(len(there))
    place_of = {fact_id: place for place, fact_id in enumerate(here)}
    return np.array([place_of[fact_id] for fact_id in there], np.intp)


def _versions(counts: LakeCounts, graders: Sequence[str]) -> dict[str, list[str]]:
    """The versions of the graders that a list names, and of `choice`, which joins it."""
    named = {name.partition("#")[0] for name in graders} | {CHOICE}
    people = PEOPLE in named
    return {
        one: counts.versions(one)
        for one in counts.lake.graders
        if one in named or one in graders or (people and one.startswith(HUMAN_PREFIX))
    }


def _store_setting(
    project: Project,
    model: str,
    thinking: bool,
    tallies: tuple[LabelCounts, LabelCounts],
    order: Places,
) -> None:
    """Keep the counts of a setting, of the lake and of what is here, task by task."""
    connection = project.connection
    with db.connection.write_transaction(connection):
        setting = db.model_rows.ensure_setting(connection, model, thinking)
        for which, task in enumerate(TASKS):
            counts = _count_rest(*tallies, model, thinking, which, order)
            there = counts.any(axis=0)
            questions = project.index.questions[order[there], which]
            rest = counts[:, there].astype(np.uint16)
            db.lake_label_counts.add(connection, setting, task.value, questions, rest)


def _count_rest(
    every: LabelCounts,
    here: LabelCounts,
    model: str,
    thinking: bool,
    which: int,
    order: Places,
) -> npt.NDArray[np.int64]:
    """Counts (labels and drawn, facts of the lake) of a task's answers that are not here."""
    row, mine = every.row(model, thinking), here.row(model, thinking)
    found = _counts_of(every, row, which)
    if mine is not None:
        found -= _counts_of(here, mine, which)[:, order]
    if found.min(initial=0) < 0:
        raise LostkeysError(f"{model}: kept answers are counted otherwise than the lake")
    return found


def _counts_of(counts: LabelCounts, row: int | None, which: int) -> npt.NDArray[np.int64]:
    labels, drawn = counts.labels[row, :, which], counts.drawn[row, which]
    return np.concatenate([labels, drawn[None]]).astype(np.int64)
