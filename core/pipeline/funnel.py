"""The funnel: how many units each stage took, kept, dropped and why, beside the paper's rates."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import db.build_steps
import db.candidates
from core.engine.run_counters import RunCounters
from core.pipeline.build_scope import BuildScope, before
from core.pipeline.stage import Stage
from db.build_steps import OF_TRIPLES

ALL_STAGES = BuildScope()


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One stage: units that wait, were kept, dropped, have failed, and the reasons."""

    stage: Stage
    waiting: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def taken(self) -> int:
        """Units that the stage has come to an end with, failed ones included."""
        return self.kept + self.dropped.total() + self.failed.total()

    @property
    def is_idle(self) -> bool:
        """Whether it is a stage of triples and there are none for it."""
        return self.stage.name in OF_TRIPLES and not self.waiting and not self.taken

    def as_json(self, rows: "Sequence[FunnelRow]") -> dict[str, Any]:
        """The row for `--json`; `rows` are those of all stages."""
        reported = self.stage.reported
        return {
            "stage": self.stage.name,
            "title": self.stage.title,
            "waiting": self.waiting,
            "taken": self.taken,
            "kept": self.kept,
            "dropped": self.dropped.total(),
            "failed": self.failed.total(),
            "drop_reasons": dict(self.dropped.most_common()),
            "failure_reasons": dict(self.failed.most_common()),
            "dropped_share": dropped_share(self, rows),
            "paper": None
            if reported is None
            else {
                "since": reported.since or self.stage.name,
                "taken": reported.taken,
                "kept": reported.kept,
                "dropped_share": reported.dropped_share,
            },
        }


def funnel(connection: sqlite3.Connection, scope: BuildScope = ALL_STAGES) -> list[FunnelRow]:
    """All stages of a scope in order, of the whole file."""
    found = {}
    for stage in scope.stages:
        waiting = db.build_steps.count_waiting(
            connection, stage.name, before(stage.name), scope.paragraphs, scope.set_name
        )
        found[stage.name] = FunnelRow(stage, waiting)
    kept = Counter[str]()
    for one in db.build_steps.counts(connection):
        row = found.get(one.stage)
        if row is None:
            continue
        if one.verdict == "kept":
            kept[one.stage] += one.count
        else:
            reasons = row.dropped if one.verdict == "dropped" else row.failed
            reasons[one.reason] += one.count
    return [
        FunnelRow(row.stage, row.waiting, kept[row.stage.name], row.dropped, row.failed)
        for row in found.values()
    ]


def dropped_share(row: FunnelRow, rows: Sequence[FunnelRow]) -> float | None:
    """The share that a stage drops of what it takes, over the stages that the paper has as one.

    Failed units are left out. None where nothing was taken.
    """
    since = row.stage.reported.since if row.stage.reported is not None else ""
    names = [one.stage.name for one in rows]
    first = names.index(since) if since in names else names.index(row.stage.name)
    together = rows[first : names.index(row.stage.name) + 1]
    dropped = sum(one.dropped.total() for one in together)
    return dropped / (dropped + row.kept) if dropped + row.kept else None


def paragraphs(connection: sqlite3.Connection) -> int:
    """How many paragraphs there are in all documents, first or not."""
    return db.candidates.count_passages(connection)


def tell(connection: sqlite3.Connection, scope: BuildScope, counters: RunCounters) -> None:
    """Say in counters how far the stages of a scope are."""
    for row in funnel(connection, scope):
        if row.is_idle and len(scope.stages) > 1:
            continue
        dropped, failed = row.dropped.total(), row.failed.total()
        reasons = row.dropped + row.failed
        counters.restate(row.stage.name, row.waiting, row.kept, dropped, failed, reasons)
