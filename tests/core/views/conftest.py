"""A session on a small project."""

from collections.abc import Iterator

import pytest

from core.project import OpenProject
from core.views.session import Session
from tests.core.views.making import two_facts


@pytest.fixture
def slots(project: OpenProject) -> list[int]:
    """The slots of `two_facts`."""
    return two_facts(project)


@pytest.fixture
def session(project: OpenProject, slots: list[int]) -> Iterator[Session]:
    """A session that has opened the filled project; `project` is another program."""
    made = Session(project.path)
    made.open()
    yield made
    made.close()
