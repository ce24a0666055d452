"""Checks of this machine and of a database, each with what to do where it fails."""

import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import db.answer_score_arrays
import db.draft_files
import db.integrity
import db.option_scores
import db.schema_check
import db.search_index
from core.curation.prompt_files import list_prompts
from core.errors import LostkeysError
from core.jobs.plan_jobs import find_lost_plans, say_lost
from core.modes import is_arm
from core.project import OpenProject
from core.providers.model_names import EMBEDDED
from core.sampling.model_list import ModelEntry, check_entry
from core.scoring.lake_labels import note_counts
from core.settings import paths
from core.settings.extras import missing_part
from core.stats.number_format import format_amount
from core.zero_prompt import score_writer
from db.connection import write_transaction
from db.stored_values import StoredValues

OLDEST_SQLITE = (3, 38, 0)
"""STRICT tables came with 3.37, JSON functions built in with 3.38."""

LITTLE_DISK = 1 << 30


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One check: what was looked at, whether it is well, and what was seen or is to be done."""

    name: str
    well: bool
    detail: str


def examine(path: Path) -> Iterator[HealthCheck]:
    """Run all checks; the database's only where there is one. Nothing is written."""
    for name, check in (
        ("python", _check_python),
        ("sqlite", _check_sqlite),
        ("disk", lambda: _check_disk(path)),
        ("prompts", _check_prompts),
        *_local_checks(),
    ):
        yield _run_check(name, check)
    yield from _find_left_over(path)
    yield from examine_database(path)


def _run_check(name: str, check: Callable[[], str]) -> HealthCheck:
    try:
        return HealthCheck(name, True, check())
    except LostkeysError as error:
        return HealthCheck(name, False, str(error))


def _check_python() -> str:
    return ".".join(map(str, sys.version_info[:3]))


def _check_sqlite() -> str:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise LostkeysError(f"{sqlite3.sqlite_version} is too old: use a Python with {oldest}")
    return sqlite3.sqlite_version


def _check_disk(path: Path) -> str:
    folder = path.absolute().parent
    if not folder.is_dir():
        raise LostkeysError(f"{folder} is not a folder: make it, or name another file with --db")
    free = shutil.disk_usage(folder).free
    if free < LITTLE_DISK:
        raise LostkeysError(f"only {free >> 20:,} MiB free in {folder}: make room")
    return f"{free >> 30:,} GiB free in {folder}"


def _check_prompts() -> str:
    """Where the person's own prompts lie, and how many there are."""
    entries = list(list_prompts())
    if faults := [one.fault for one in entries if one.fault]:
        raise LostkeysError(faults[0])
    own = sum(one.replaced for one in entries)
    return f"{own:,} of your own in {paths.prompts_place()}"


def _local_checks() -> list[tuple[str, Callable[[], str]]]:
    """Those of the embedded model; where it is not installed nothing is amiss, which is said."""
    if why := missing_part("local"):
        return [("embedded model", lambda: why)]
    return [("weights", _check_weights), ("embedded model", _check_embedded)]


def _check_weights() -> str:
    from core.providers.embedded.weights import find

    return str(find())


def _find_left_over(path: Path) -> Iterator[HealthCheck]:
    """Drafts of merges that were killed, in the folder of the database."""
    try:
        left = db.draft_files.find_drafts(path.absolute().parent)
    except OSError:  # no folder that can be looked into: the check of the disk has said so
        return
    for draft in left:
        advice = f"{draft} is left of a merge that was killed: `lostkeys doctor --repair`"
        yield HealthCheck("draft", False, f"{advice} deletes it")


def _check_embedded() -> str:
    entry = check_entry(ModelEntry(EMBEDDED, 0, "", EMBEDDED), lambda address: False)
    if entry.failed:
        raise LostkeysError(entry.state or "does not answer")
    return "starts and answers"


def examine_database(path: Path) -> Iterator[HealthCheck]:
    """A line for each way in which the database is damaged; one if it is sound, or not there."""
    if not path.exists():
        yield HealthCheck("database", True, f"{path} is not there yet; `lostkeys import` makes it")
        return
    try:
        with OpenProject(path, "read", counts=True) as project:
            faults = list(_faults(project))
            if not faults:
                facts = format_amount(len(project.index), "fact")
                yield HealthCheck("database", True, f"{path}: {facts}, {_models(project)}, sound")
                for addition in db.schema_check.find_additions(project.connection):
                    yield HealthCheck("tables", True, f"{path} {addition}")
                for note in note_counts(project.counted, project.grids):
                    yield HealthCheck("counts", True, note)
                for job in find_lost_plans(project):
                    yield HealthCheck("plan", False, say_lost(job))
    except LostkeysError as error:
        yield HealthCheck("database", False, str(error))
        return
    for fault in faults:
        yield HealthCheck("database", False, f"{path} {fault}")


def _models(project: OpenProject) -> str:
    """How many models have responses or scores, and how many arms there are, if any."""
    every = project.models(arms=True)
    scored = (one.key.model for one in db.option_scores.read_series(project.connection))
    models = {*project.models(), *scored}
    arms = [name for name in every if is_arm(name)]
    counts = [(models, "model")] * bool(models or not arms) + [(arms, "arm")] * bool(arms)
    return ", ".join(format_amount(len(names), word) for names, word in counts)


def _faults(project: OpenProject) -> Iterator[str]:
    """What is wrong with a database, and what to do."""
    connection = project.connection
    differences = db.schema_check.find_differences(connection)
    yield from differences
    if any("has lost the table" in one or "no column" in one for one in differences):
        return  # nothing can be read that rests on them
    faults = db.integrity.faults(connection, _stored_kinds())
    yield from faults
    if not faults and db.integrity.grids_are_stale(connection):
        yield "has label grids that do not match the grades: `lostkeys doctor --repair`"
    if not faults and score_writer.arrays_are_stale(project):
        yield "has arrays of scores that do not match the scores: `lostkeys doctor --repair`"


def _stored_kinds() -> tuple[StoredValues, ...]:
    """What is read of the database above its own room."""
    from core.alignment import reference_set, rubric_versions
    from core.certainty import audit_frame
    from core.engine import batch_requests
    from core.jobs import job_list
    from core.results import saved_policies
    from core.scoring import curtailment
    from core.specs import stored_specs

    return (
        curtailment.STORED,
        saved_policies.STORED,
        batch_requests.STORED,
        *stored_specs.STORED,
        *job_list.STORED,
        *audit_frame.STORED,
        *reference_set.STORED,
        *rubric_versions.STORED,
    )


def repair(path: Path) -> None:
    """Compute the label grids and the arrays of scores anew; have the search index made anew.

    Scores of answers are dropped: they are worked out anew where they are needed.
    Drafts of merges that were killed are deleted from the database's folder.
    """
    with suppress(OSError):
        db.draft_files.clear(path.absolute().parent)
    with OpenProject(path, "write", counts=True) as project:
        db.integrity.repair_grids(project.connection)
        score_writer.repair(project)
        with write_transaction(project.connection):
            db.answer_score_arrays.clear(project.connection)
        db.search_index.forget(project.connection)
