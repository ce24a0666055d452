"""llama.cpp's own server: the most probable next tokens, and any other by a grammar of one token.

Its numbers are those before sampling. They come from one slot's cache, whose batches round
otherwise than one pass over the text: measured up to 0.49 nats off.
"""

import math

from core.providers.logprobs.option_tree import Logprobs, Tokens, TokenText, locate_tokens
from core.providers.logprobs.server_interface import (
    NodeWay,
    PieceTokens,
    WayError,
    number,
    part,
    token_ids,
)

PROBABLE = 1_000
"""Next tokens that an answer holds: all of a vocabulary take ten times as long."""

HALF = "\ufffd"
"""What the server says in place of probabilities where it has chosen half a character."""

CHOICES = 8
"""Requests until it has chosen another token than half a character."""


class LlamaServerNodes(PieceTokens, NodeWay):
    """`/completion` with `n_probs`."""

    name = "n_probs"
    together = 1
    most = PROBABLE
    _begin: Tokens | None = None

    async def tokenize(self, text: str) -> TokenText:
        """As `PieceTokens.tokenize`, with the bytes of each token as the server says them."""
        if self._begin is None:
            body = {"content": "", "add_special": True}
            self._begin = token_ids(await self.client.exchange("/tokenize", body))
        body = {"content": text, "add_special": False, "parse_special": False, "with_pieces": True}
        tokens = part(await self.client.exchange("/tokenize", body), "tokens")
        if not isinstance(tokens, list):
            raise WayError("the server does not say of which tokens a text is made")
        ids = token_ids({"tokens": [part(one, "id") for one in tokens]})
        pieces = [b""] * len(self._begin) + [_bytes(part(one, "piece")) for one in tokens]
        return locate_tokens(text, (*self._begin, *ids), pieces, len(self._begin))

    async def ask(self, tokens: Tokens, wanted: Tokens, temperature: float) -> Logprobs:
        """As `NodeWay.ask`: one request, and one more for each child that is not among the most
        probable."""
        _, probable = await self._next(tokens, temperature)
        found = {token: probable[token] for token in wanted if token in probable}
        for token in wanted:
            if token not in found:
                chosen, _ = await self._next(tokens, temperature, token)
                found[token] = chosen.get(token, math.nan)
        return found

    async def _next(
        self, tokens: Tokens, temperature: float, forced: int | None = None
    ) -> tuple[Logprobs, Logprobs]:
        """The value of the token that was chosen, and those of the most probable ones."""
        body: dict[str, object] = {
            "prompt": list(tokens),
            "n_predict": 1,
            "n_probs": PROBABLE if forced is None else 1,
            "temperature": temperature,
            "cache_prompt": True,
            "post_sampling_probs": False,
        }
        if forced is not None:
            body["grammar"] = f"root ::= <[{forced}]>"
        for _ in range(CHOICES if forced is None else 1):
            answer = await self.client.exchange("/completion", body)
            first = part(answer, "completion_probabilities", 0)
            probable = part(first, "top_logprobs")
            if isinstance(probable, list):
                return _map_by_id([first]), _map_by_id(probable)
            if part(answer, "content") != HALF:
                break
        if forced is not None and part(answer, "content") == HALF:
            return {}, {}
        raise WayError("the server gives no log probabilities of next tokens by their ids")


def _map_by_id(entries: list[object]) -> Logprobs:
    ids = [(part(one, "id"), number(part(one, "logprob"))) for one in entries]
    return {token: value for token, value in ids if type(token) is int}


def _bytes(piece: object) -> bytes:
    """A token's text; a list of bytes where it is no whole text."""
    if isinstance(piece, str):
        return piece.encode()
    if isinstance(piece, list) and all(type(one) is int and 0 <= one < 256 for one in piece):
        return bytes(piece)
    raise WayError("the server does not say what its tokens stand for")
