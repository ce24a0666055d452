"""A project with facts to ask about, and a plan that asks everything."""

import numpy as np
import pytest

import db.facts
from core.project import OpenProject
from core.sampling.sample_plan import Plan
from db.connection import write_transaction
from tests.core.sampling.scripted import MODEL, capital


@pytest.fixture
def capitals(project: OpenProject) -> OpenProject:
    """A project with two facts that have all ten tasks."""
    facts = [capital(1, "France", "Paris"), capital(2, "Italy", "Rome")]
    with write_transaction(project.connection):
        db.facts.insert(project.connection, facts)
    return project


@pytest.fixture
def plan(capitals: OpenProject) -> Plan:
    """Everything about both facts, four samples each."""
    return Plan(MODEL, "some-model", 4, np.ones(len(capitals.index), np.bool_))
