from collections.abc import Iterator
from pathlib import Path

import pytest

from core.views.session import Session
from tests.tui.screens.task.making import antares, session_on


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The project of `antares`."""
    return antares(tmp_path / "antares.db")


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    """A session of mira on it."""
    made = session_on(path)
    yield made
    made.close()
