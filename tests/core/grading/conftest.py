"""A project with answers to grade."""

from pathlib import Path

import pytest

from tests.core.grading.making import made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The project's file."""
    return made(tmp_path / "graded.db")
