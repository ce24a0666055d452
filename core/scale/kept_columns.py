"""The columns of plans, kept from one command to the next in a folder of the user's.

They are used as long as the files of the plan are those of which they were made: looked at alone
where size, times and place on the disk are the same, else summed. What cannot be kept is read
again, as nothing depends on it.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from time import time_ns
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from core.scale.plan_columns import PlanColumns, read_plan
from core.scale.plan_manifest import PlanFolder
from core.settings import paths
from core.settings.file_writer import replace

SETTLED_NS = 2 * 10**9
"""Times of files are as coarse as that: what was written later may have changed since."""

MOST_KEPT = 20
"""Plans of which columns are kept."""

UNSETTLED = -2
"""Stands for a file that is to be summed the next time."""

_ARRAYS = ("sums", "order", "kinds", "shown", "starts", "facts", "offsets", "ends")
_Looks = npt.NDArray[np.int64]


def open_columns(plan: PlanFolder) -> PlanColumns:
    """The columns of a plan: kept ones, or read. Raises `LostkeysError` as `read_plan` does."""
    stored = _load(plan)
    if stored is None:
        columns = read_plan(plan)
        keep_columns(plan, columns)
        return columns
    columns, looks = stored
    now = _look(plan)
    changed = [
        one
        for one, before, here in zip(plan.manifest.files, looks, now, strict=True)
        if not (before == here).all()
    ]
    for one in changed:
        plan.check_sum(one)
    if changed:
        keep_columns(plan, columns)
    return columns


def keep_columns(plan: PlanFolder, columns: PlanColumns) -> None:
    """Keep the columns of a plan whose files have just been read."""
    looks, now = _look(plan), time_ns()
    looks[(looks[:, 1:3] > now - SETTLED_NS).any(axis=1)] = UNSETTLED
    content = BytesIO()
    arrays = {name: getattr(columns, name) for name in _ARRAYS}
    sums = [one.sha256 for one in plan.manifest.files]
    np.savez(content, **arrays, heads=list(columns.heads), looks=looks, files=sums)
    with suppress(OSError):
        replace(_path(plan), content.getvalue())
        for old in sorted(_folder().glob("*.npz"), key=_age)[MOST_KEPT:]:
            old.unlink(missing_ok=True)


def _folder() -> Path:
    return paths.state_folder() / "plans"


def _path(plan: PlanFolder) -> Path:
    return _folder() / f"{plan.manifest.plan}.npz"


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _look(plan: PlanFolder) -> _Looks:
    """Sizes, times and places of the files of a plan, -1 for one not there; shape (files, 4)."""
    found = np.full((len(plan.manifest.files), 4), -1, np.int64)
    for place, one in enumerate(plan.manifest.files):
        with suppress(OSError):
            seen = os.stat(plan.file(one))  # noqa: PTH116 (a symbolic link is followed)
            found[place] = seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino % 2**62
    return found


def _load(plan: PlanFolder) -> tuple[PlanColumns, _Looks] | None:
    """What is kept of a plan; None where nothing is, or not as it was written."""
    try:
        with _path(plan).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return _read_columns(plan, stored)
    except (OSError, ValueError, LookupError, EOFError, BadZipFile, NotImplementedError):
        return None


def _read_columns(plan: PlanFolder, stored: Mapping[str, Any]) -> tuple[PlanColumns, _Looks] | None:
    files = [str(one) for one in stored["files"]]
    columns = PlanColumns(
        heads=[str(head) for head in stored["heads"]], **{name: stored[name] for name in _ARRAYS}
    )
    looks = stored["looks"]
    columns.kind_names()
    same = files == [one.sha256 for one in plan.manifest.files]
    return (columns, looks) if same and columns.is_sound(plan) else None
