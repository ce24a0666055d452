"""The engine asks for scores as it asks for draws."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.engine.work_source import ItemResult
from core.providers.base import Reply, Request, TransientError
from core.providers.logprobs.option_scorer import score_request
from tests.core.engine.scripted import Ask, Numbers, Scripted, Stage
from tests.core.engine.timeless import run

Make = Callable[..., Stage]


@dataclass(frozen=True, slots=True)
class ScoreAsk(Ask):
    """A number, and two that may follow it."""

    @property
    def request(self) -> Request:
        return score_request(str(self.number), [" 1", " 2"])


class Scores(Numbers):
    """Keeps how probable what follows is."""

    def next(self, most: int) -> Sequence[Ask] | None:
        items = super().next(most)
        return None if items is None else [ScoreAsk(one.number) for one in items]

    def take(self, item: Ask, reply: Reply) -> ItemResult[Ask]:
        assert reply.logprobs is not None
        row = item.number, str(reply.logprobs)
        self.connection.execute("INSERT INTO said VALUES (?, ?)", row)
        return ItemResult(done=1)


def test_scores_are_answers(stage: Make) -> None:
    made, failing = stage(20), iter([True, True])
    made.work = Scores(made.connection, 20)

    def script(request: Request) -> Reply:
        assert request.continuations == (" 1", " 2")
        if request.text == "7" and next(failing, False):
            raise TransientError("overloaded", status=503)
        return replace(Reply((), 40, 0), logprobs=(-1.5, -2.5))

    server = Scripted(script)
    run(lambda: made.run(server))
    assert made.work.said() == dict.fromkeys(range(20), 1)
    assert made.counts == (0, 0, 20, 0)
    assert len(server.sent) == 22
    spent = made.counters.spends["answer", "model"]
    assert (spent.answers, spent.input_tokens, spent.output_tokens) == (20, 800, 0)
