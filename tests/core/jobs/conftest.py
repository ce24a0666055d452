"""Where jobs may make their database."""

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database that is not there yet."""
    return tmp_path / "demo.db"
