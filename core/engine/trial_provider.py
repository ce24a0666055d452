"""A model that is asked before a job begins: counted and paid as what the job asks itself."""

from collections.abc import Awaitable, Callable, Sequence

from core.engine.engine import refuse_unknown_prices
from core.engine.model_channel import ModelChannel
from core.engine.run_counters import CHECK, RunCounters
from core.engine.token_usage import count_failed, count_reply
from core.pricing import Budget, OverBudgetError
from core.pricing.budget import dollars
from core.providers.base import (
    Provider,
    Reply,
    Request,
    SentRequests,
    TransientError,
    count_requests,
)
from core.providers.deadline import Deadline
from core.providers.logprobs.option_scorer import (
    OptionScorer,
    ScoreCost,
    ScoredOptions,
    score_request,
)
from core.providers.logprobs.option_tree import OptionTree


class TrialMeter:
    """Counts what is asked of a channel without an engine, one request after another."""

    def __init__(self, channel: ModelChannel, counters: RunCounters, budget: Budget | None) -> None:
        """Raises `UsageError` where the budget cannot be kept."""
        refuse_unknown_prices(budget, [channel])
        self._channel, self._counters, self._budget = channel, counters, budget

    async def count(self, request: Request, ask: Callable[[], Awaitable[Reply]]) -> Reply:
        """What a request brings. Raises what it raises, and `OverBudgetError` before it is sent."""
        most = 0.0 if self._channel.price is None else self._channel.price.most(request)
        if self._budget is not None and not self._budget.reserve(most):
            raise OverBudgetError(
                f"Stopped at {dollars(self._budget.spent)} of {dollars(self._budget.limit or 0)} "
                f"while {self._channel.model} was checked, the next request may cost more than is "
                "left: a larger --max-cost goes on"
            )
        reply: Reply | None = None
        with count_requests() as sent:
            try:
                reply = await ask()
            except TransientError as error:
                reply = error.reply
                raise
            finally:
                self._settle(most, request, sent, reply)
        return reply

    def _settle(
        self, most: float, request: Request, sent: SentRequests, reply: Reply | None
    ) -> None:
        used = count_failed(sent, reply)
        if reply is not None and reply.answers:
            used, _ = count_reply(request, reply, sent)
            used.answers = 0
        self._channel.set_cost(used)
        if used.requests:
            self._counters.spend(CHECK, self._channel.model, used)
        if self._budget is not None:
            self._budget.settle(most, used.cost or 0.0)


class TrialProvider(Provider):
    """The model of a channel, with all that it is asked on a job's bill."""

    def __init__(self, channel: ModelChannel, counters: RunCounters, budget: Budget | None) -> None:
        """Raises `UsageError` where the budget cannot be kept."""
        self._asked = channel.provider
        self._meter = TrialMeter(channel, counters, budget)

    @property
    def deadline(self) -> Deadline:
        """That of the model itself."""
        return self._asked.deadline

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`; raises `OverBudgetError` where it cannot be paid."""
        return await self._meter.count(request, lambda: self._asked.draw(request))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Those of the model itself."""
        return self._asked.remarks

    @property
    def most_answers(self) -> int | None:
        """As the model itself."""
        return self._asked.most_answers

    def _line(self, said: str) -> str:
        return self._asked._line(said)


class TrialScorer(OptionScorer):
    """A way to log probabilities, with all that it is asked on a job's bill."""

    def __init__(
        self,
        scorer: OptionScorer,
        channel: ModelChannel,
        counters: RunCounters,
        budget: Budget | None,
    ) -> None:
        """Raises `UsageError` where the budget cannot be kept."""
        self._asked = scorer
        self._meter = TrialMeter(channel, counters, budget)

    @property
    def deadline(self) -> Deadline:
        """That of the scorer itself."""
        return self._asked.deadline

    @property
    def way(self) -> str:  # type: ignore[override]
        """As the scorer found it out."""
        return self._asked.way

    @property
    def exact(self) -> bool:  # type: ignore[override]
        """As with the scorer itself."""
        return self._asked.exact

    async def score(
        self, text: str, continuations: Sequence[str], temperature: float = 1.0
    ) -> ScoredOptions:
        """As `OptionScorer.score`; raises `OverBudgetError` where it cannot be paid."""
        found: list[ScoredOptions] = []

        async def ask() -> Reply:
            found.append(await self._asked.score(text, continuations, temperature))
            return Reply((), found[0].cost.tokens, 0, logprobs=())

        await self._meter.count(score_request(text, continuations), ask)
        return found[0]

    async def plan(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """As `OptionScorer.plan`."""
        return await self._asked.plan(text, continuations)

    def cost(self, tree: OptionTree, before: OptionTree | None = None) -> ScoreCost:
        """As `OptionScorer.cost`."""
        return self._asked.cost(tree, before)
