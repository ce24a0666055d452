"""What a request uses: thought of before it is sent, counted when it is home."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.engine.run_counters import Spend
from core.providers.base import CHARACTERS, Reply, Request, SentRequests

NOTHING_SENT = SentRequests()

UNSEEN_SHARE = 0.25
"""Share of a request's token limit that an answer is thought to take before any has come."""


def input_tokens(request: Request) -> int:
    """Tokens that a prompt may have, by its length."""
    if request.messages is None:
        length = len(request.text or "")
    else:
        length = sum([len(message.content) for message in request.messages])
    return length // CHARACTERS + 1


@dataclass(slots=True)
class Usage:
    """What the answers of one model take, learned from those that have come."""

    answers: int = 0
    output: int = 0

    def expect_tokens(self, request: Request) -> int:
        """Tokens that a request will use, both ways."""
        each = self.output / self.answers if self.answers else request.max_tokens * UNSEEN_SHARE
        return input_tokens(request) + int(request.n * each)

    def count_spend(
        self, request: Request, reply: Reply, sent: SentRequests = NOTHING_SENT
    ) -> tuple[Spend, bool]:
        """As `count_reply`, and learned from."""
        used, estimated = count_reply(request, reply, sent)
        self.answers += reply.answers
        self.output += used.output_tokens
        return used, estimated


def count_reply(
    request: Request, reply: Reply, sent: SentRequests = NOTHING_SENT
) -> tuple[Spend, bool]:
    """What a reply used, and whether that had to be estimated from its texts.

    That is so where the server gave no count, or one that its provider did not believe.
    """
    into, out = reply.input_tokens, reply.output_tokens
    estimated = into is None or out is None
    requests = max(1, len(reply.exchanges))
    if into is None:
        into = input_tokens(request) * requests
    if out is None:
        texts = [len(draw.text) + len(draw.reasoning or "") for draw in reply.draws]
        out = sum(length // CHARACTERS + 1 for length in texts)
    return Spend(max(requests, sent.count), reply.answers, into, out), estimated


def count_failed(sent: SentRequests, reply: Reply | None = None) -> Spend:
    """What was used in vain: requests, and tokens where the server counted any all the same."""
    into, out = (reply.input_tokens, reply.output_tokens) if reply is not None else (0, 0)
    return Spend(sent.count, 0, into or 0, out or 0)


def total(spends: Sequence[Spend]) -> Spend:
    """All of it together; a cost that is not known is not counted."""
    costs = [spend.cost for spend in spends if spend.cost is not None]
    return Spend(
        sum([spend.requests for spend in spends]),
        sum([spend.answers for spend in spends]),
        sum([spend.input_tokens for spend in spends]),
        sum([spend.output_tokens for spend in spends]),
        sum(costs) if costs else None,
    )
