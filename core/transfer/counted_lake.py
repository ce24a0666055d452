"""A lake taken in as counts: its facts, numbers for each cell, and the answers that are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import db.connection
import db.lake_label_counts
import db.model_rows
from core.errors import LostkeysError, UsageError
from core.project import Project
from core.scale.lake_counts import LakeCounts
from core.scoring.label_counts import LabelCounts
from core.scoring.lake_labels import ranks_here, sum_files
from core.scoring.policy import Policy
from core.scoring.precedence import CHOICE, HUMAN_PREFIX, PEOPLE, Rank
from core.transfer.imports import Progress, import_source, rehearsal
from core.transfer.kept_answers import KeptRows, find_kept
from core.vocabulary import TASKS
from db import draft_files
from db.label_grids import DRAWN
from db.lake_label_counts import CountedLake


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
        raise UsageError(
            f"{target} is there already, and counts go into a new one: name it by --db"
        )
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target.parent} is not a folder: make it first, or choose another")
    with LakeCounts(path) as counts:
        ranks, summed = counts.ranks(policy), sum_files(path)
        rows = KeptRows(path, find_kept(counts, keeps, policy))
        with draft_files.held(target) as draft:
            with rehearsal(None) as empty:
                db.connection.copy(empty.connection, draft)
            with Project(draft, "write", counts=True) as project:
                _land(project, rows, tell)
                answers = _count(project, counts, ranks, summed)
                kept = project.grids.count(DRAWN)
                facts = len(project.index)
            draft.rename(target)
    return CountedReport(facts, answers, kept, tuple(rank.name for rank in ranks))


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
    place_of = {fact_id: place for place, fact_id in enumerate(project.index.fact_ids)}
    order = np.array([place_of[fact_id] for fact_id in counts.index.fact_ids], np.intp)
    with db.connection.writing(project.connection):
        db.lake_label_counts.note_lake(
            project.connection,
            CountedLake(
                str(counts.lake.path.absolute()), graders, _versions(counts, graders), summed
            ),
        )
    for model in counts.choose_models(None):
        every = counts.tally(ranks, [model])
        here = project.tally(ranks_here(graders, project.graders()), [model])
        answers += int(every.drawn.sum(dtype=np.int64))
        for thinking in (False, True):
            row = every.row(model, thinking)
            if row is not None:
                rest = _rest(every, row, here, here.row(model, thinking), order)
                _store(project, model, thinking, rest, order)
    return answers


def _versions(counts: LakeCounts, graders: Sequence[str]) -> dict[str, list[str]]:
    """The versions of the graders that a list names, and of `choice`, which joins it."""
    named = {name.partition("#")[0] for name in graders} | {CHOICE}
    people = PEOPLE in named
    return {
        one: counts.versions(one)
        for one in counts.lake.graders
        if one in named or one in graders or (people and one.startswith(HUMAN_PREFIX))
    }


def _rest(
    every: LabelCounts, row: int, here: LabelCounts, mine: int | None, order: np.ndarray
) -> np.ndarray:
    """Counts (labels and drawn, tasks, facts of the lake) of the answers that are not here."""
    found = np.concatenate([every.labels[row], every.drawn[row][None]]).astype(np.int64)
    if mine is not None:
        kept = np.concatenate([here.labels[mine], here.drawn[mine][None]])
        found -= kept[:, :, order]
    if found.min(initial=0) < 0:
        raise LostkeysError(f"{every.models[0]}: kept answers are counted otherwise than the lake")
    return found


def _store(
    project: Project, model: str, thinking: bool, counts: np.ndarray, order: np.ndarray
) -> None:
    """Keep the counts of a setting."""
    connection = project.connection
    with db.connection.writing(connection):
        setting = db.model_rows.ensure_setting(connection, model, thinking)
        for which, task in enumerate(TASKS):
            there = counts[:, which].any(axis=0)
            questions = project.index.questions[order[there], which]
            db.lake_label_counts.add(
                connection, setting, task.value, questions, counts[:, which, there]
            )
