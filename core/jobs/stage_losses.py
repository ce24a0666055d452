"""Which units a stage of a build has lost, and why, as they are shown for a job."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import db.build_steps
from core.jobs.job_view import JobView
from db.build_steps import LostUnit

MOST = 500
"""Units of one stage that are listed."""

__all__ = ["MOST", "LostUnit", "list_losses", "with_reasons"]


def list_losses(connection: sqlite3.Connection, stage: str, job: int) -> list[LostUnit]:
    """What a stage has dropped or failed with when a job was through, at most `MOST`."""
    return db.build_steps.find_lost(connection, stage, job, MOST)


def with_reasons(
    connection: sqlite3.Connection, view: JobView, before: JobView | None = None
) -> JobView:
    """The view of a build with why its stages dropped or failed with units, whoever ran it.

    A job counts all that is in the file when it runs, so that what earlier jobs dropped is told
    too. `before`: the view as it was told last, whose reasons stand where its counts are the same.
    """
    if not any(one.dropped or one.failed for one in view.stages):
        return view
    if before is not None and _is_told(before) and _counts(before) == _counts(view):
        found: Mapping[str, Mapping[str, int]] = {one.name: one.reasons for one in before.stages}
    else:
        found = _reasons(connection, view.id)
    stages = tuple(replace(one, reasons=found.get(one.name, one.reasons)) for one in view.stages)
    return replace(view, stages=stages)


def _is_told(view: JobView) -> bool:
    return any(one.reasons for one in view.stages)


def _counts(view: JobView) -> list[tuple[str, int, int]]:
    return [(one.name, one.dropped, one.failed) for one in view.stages]


def _reasons(connection: sqlite3.Connection, job: int) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for one in db.build_steps.counts(connection, up_to=job):
        if one.verdict != "kept":
            found.setdefault(one.stage, Counter())[one.reason] += one.count
    return found
