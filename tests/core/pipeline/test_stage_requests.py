"""The room that a stage's reply has."""

import pytest

from core.pipeline.build_scope import by_model
from core.pipeline.grounding import GroundedQuestion
from core.pipeline.grounding.web_search import WebSearch
from core.pipeline.stage import ReplyRoom, Stage
from core.pipeline.stage_requests import TRIES, Asker, StageModel
from core.pipeline.stage_table import BY_NAME, STAGES
from core.providers.registry import describe
from tests.core.pipeline.making import MODEL

ASKING = [stage for stage in STAGES if by_model(stage)]


def rooms(stage: Stage, text: str) -> list[int]:
    stage_model = StageModel(MODEL, describe(MODEL))
    asker = Asker(stage_model, stage_model, WebSearch(MODEL))
    inputs = dict.fromkeys(("title", "text"), text)
    asked = GroundedQuestion("classify", inputs)
    return [asker.request(stage, asked, tries).max_tokens for tries in range(TRIES)]


@pytest.mark.parametrize("stage", ASKING, ids=lambda stage: stage.name)
def test_each_further_try_has_twice_the_room(stage: Stage) -> None:
    first, second, third = rooms(stage, "some text")
    assert (second, third) == (2 * first, 4 * first)


def test_a_word_takes_less_than_a_verdict_than_a_question() -> None:
    order = ("classify", "verify-difficulty", "direct", "ground-direct")
    found = [rooms(BY_NAME[name], "")[0] for name in order]
    assert found == sorted(set(found))


def test_only_what_gives_its_text_back_takes_more_for_a_longer_one() -> None:
    grows = {stage.name for stage in ASKING if rooms(stage, "x" * 400) > rooms(stage, "")}
    assert grows == {"entities", "contextual"}
    assert ReplyRoom(10, 0.5).count_tokens(101) == 10 + 50
