"""What curtailed and open runs of a lake asked: without it gaps would mean something else."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.dataset.fact_index import FactIndex
from core.errors import LostkeysError, UsageError
from core.scale.lake import RUNS, Lake
from core.scale.lake_queries import LakeQueries
from core.scoring.curtailment import as_text
from core.scoring.policy import Policy
from core.vocabulary import TASKS
from db.sampling_runs import Run, group_asked
from db.slot_ids import MAX_SAMPLE

LakeRun = tuple[Run, bool, bool]
"""A run, whether it was with thinking, and whether it is finished."""


def read_runs(lake: Lake, queries: LakeQueries, index: FactIndex, model: str) -> list[LakeRun]:
    """Runs of a model, oldest first; of its settings, thinking off is number 0, on number 1.

    Facts must have been numbered. Raises `LostkeysError` for what is no run.
    """
    if not lake.runs:
        return []
    found = []
    for row, facts, bits in queries.read_runs(lake.runs, model):
        thinking, samples, *policy, _, done = row
        if (
            type(samples) is not int
            or not 0 < samples <= MAX_SAMPLE + 1
            or None in (thinking, done)
        ):
            raise LostkeysError(
                f"{lake.path / RUNS} has a run of {model} that cannot be read: copy its files again"
            )
        there = (bits[:, None] >> np.arange(len(TASKS)) & 1).astype(np.bool_)
        asked = tuple(group_asked(TASKS, index.ids[facts], there))
        run = Run(int(thinking), asked, samples, _read_policy(lake, model, policy))
        found.append((run, bool(thinking), bool(done)))
    return found


def _read_policy(lake: Lake, model: str, values: Sequence[Any]) -> str | None:
    """The policy of a run as text; None for a run that draws everything."""
    tau, strategy, weight, graders = values
    if tau is None:
        return None
    try:
        return as_text(Policy(tau, strategy, weight, graders))
    except UsageError as error:
        raise LostkeysError(f"{lake.path / RUNS} has a run of {model} whose {error}") from None
