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
        thinking, samples, *policy, at, done = row
        try:
            _check_types((thinking, samples, at, done), (bool, int, str, bool))
            curtailed = _read_policy(policy)
            if not 0 < samples <= MAX_SAMPLE + 1:
                raise UsageError(f"{samples:,} samples")
        except UsageError as error:
            raise LostkeysError(
                f"{lake.path / RUNS} has a run of {model} that cannot be read ({error}): copy its "
                "files again, or take them away"
            ) from None
        there = (bits[:, None] >> np.arange(len(TASKS)) & 1).astype(np.bool_)
        asked = tuple(group_asked(TASKS, index.ids[facts], there))
        found.append((Run(int(thinking), asked, samples, curtailed), thinking, done))
    return found


def _check_types(values: Sequence[object], kinds: Sequence[type]) -> None:
    for value, kind in zip(values, kinds, strict=True):
        if type(value) is not kind:
            raise UsageError(f"{value!r:.40} is a value of another type")


def _read_policy(values: Sequence[Any]) -> str | None:
    """The policy of a run as text; None for a run that draws everything. Raises `UsageError`."""
    tau, strategy, weight, graders = values
    if tau is None:
        return None
    _check_types((graders,), (list,))
    return as_text(Policy(tau, strategy, weight, graders))
