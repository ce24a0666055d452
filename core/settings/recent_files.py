"""Databases opened lately, newest first, in one small file of the user's."""

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time

import orjson

from core.settings import paths
from core.settings.file_writer import replace

MOST = 20


@dataclass(frozen=True, slots=True)
class RecentDatabase:
    """A database as it was when last open; `at` in seconds since 1970."""

    path: Path
    facts: int
    models: int
    at: float


def recents() -> list[RecentDatabase]:
    """The databases that are still there. A file that cannot be read counts as empty."""
    try:
        rows = orjson.loads((paths.state_folder() / "recent.json").read_bytes())
        found = [
            RecentDatabase(
                Path(row["path"]), int(row["facts"]), int(row["models"]), float(row["at"])
            )
            for row in rows
        ]
        return [one for one in found if one.path.is_file()]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def remember(path: Path, facts: int, models: int) -> None:
    """Put a database first. Where that cannot be kept, it is not: nothing depends on it."""
    now = RecentDatabase(path.absolute(), facts, models, time())
    others = [one for one in recents() if one.path != now.path]
    rows = [asdict(one) | {"path": str(one.path)} for one in [now, *others][:MOST]]
    with suppress(OSError, TypeError):
        replace(
            paths.state_folder() / "recent.json", orjson.dumps(rows, option=orjson.OPT_INDENT_2)
        )
