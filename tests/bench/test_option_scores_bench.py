"""The benchmark of what scores take runs, on little, where its data and the model are there."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.providers.embedded import weights
from core.zero_prompt.relation import Relation
from tests.bench.option_scores import (
    count_requests,
    measure_embedded,
    measure_server,
    read_relation,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def years(shared: Callable[[str], Path]) -> Relation:
    shared("data/triples/nobel_laureates.csv")
    try:
        weights.find()
    except LostkeysError as error:
        pytest.skip(str(error))
    return read_relation("years")


def test_every_line_is_measured(years: Relation) -> None:
    times = asyncio.run(measure_embedded(years, 4, 2, 1, options=8))
    assert min(times.first, times.next, times.limit, times.passes) > 0
    assert 0 < times.next_tokens < times.first_tokens, "the examples are in the cache"
    assert 0 < times.fewer_tokens < times.first_tokens, "and those that begin with them, too"
    assert asyncio.run(measure_server(years, 4, 1, 1)) > 0


def test_requests_are_counted(years: Relation) -> None:
    counts = asyncio.run(count_requests(years, 5))
    assert counts["echo"] == 100
    assert 1 < counts["logprob_token_ids"] == counts["token_ids_logprob"] < 40
