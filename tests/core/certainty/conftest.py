"""A project to audit."""

from pathlib import Path

import pytest

from core.project import OpenProject
from tests.core.certainty.making import make_project


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    """Fourteen facts, one model, four answers to each of ten questions, two graders."""
    return make_project(tmp_path / "a.db")
