"""A server that goes wrong in every third answer: all slots are filled all the same."""

import asyncio

import numpy as np
import pytest

import db.facts
from core.project import OpenProject
from core.providers.registry import open_provider
from core.sampling.sample_plan import Plan, count_missing
from db.connection import write_transaction
from tests.core.sampling.filling import Outcome, Running
from tests.core.sampling.scripted import capital
from tests.fakes.openai_server import ALL_FAULTS, FakeOpenAI
from tests.fakes.service import in_thread

pytestmark = pytest.mark.slow

FACTS = 14
SLOTS = FACTS * 18 * 8


async def filled(project: OpenProject, plan: Plan) -> Outcome:
    provider = open_provider(plan.model)
    try:
        return await Running(("lexical",)).fill(project, provider, plan)
    finally:
        await provider.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_thirty_faults_in_a_hundred_leave_nothing_missing(project: OpenProject, seed: int) -> None:
    with write_transaction(project.connection):
        facts = [capital(number, f"Land {number}", f"City {number}") for number in range(FACTS)]
        db.facts.insert(project.connection, facts)
    fake = FakeOpenAI(unique=True, seed=seed)
    fake.at_random(0.3, *ALL_FAULTS)
    with in_thread(fake):
        plan = Plan(f"openai:m@{fake.base_url}", "m", 8, np.ones(FACTS, np.bool_))
        outcome = asyncio.run(filled(project, plan))
    project.refresh()
    assert SLOTS > 2_000
    assert (outcome.done, outcome.failed, outcome.waiting) == (SLOTS, 0, 0), outcome.reasons
    assert count_missing(project, plan) == 0
    assert sum(fake.faults.values()) > 0.2 * len(fake.bodies)
    assert {fault.__name__ for fault in ALL_FAULTS} <= fake.faults.keys()
    texts = [text for (text,) in project.connection.execute("SELECT text FROM response")]
    assert len(texts) == SLOTS
    said = [text for text in texts if text]  # what is filtered may be empty
    assert len(set(said)) == len(said)
    assert set(said) <= fake.sent.keys()
    assert outcome.answering.reasoned > 0
