"""Fixtures for all tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.project import Project

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """Path of real data or worked examples kept beside the project; skips where absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"../shared/{name} is not here")
        return path

    return find


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An empty project."""
    with Project(tmp_path / "project.db", "create") as made:
        yield made
