"""vLLM: next tokens by their ids where it takes `logprob_token_ids`, else whole texts."""

import math
from collections.abc import Sequence

from core.providers.logprobs.option_tree import Logprobs, Tokens, TokenText, locate_tokens
from core.providers.logprobs.server_interface import (
    NodeWay,
    PieceTokens,
    TextWay,
    WayError,
    number,
    part,
    token_ids,
)
from core.providers.logprobs.token_pieces import pieces_of

MOST_IDS = 128
"""Ids that a request may name."""

ID_MARK = "token_id:"


class VllmTokens(PieceTokens):
    """vLLM's tokeniser."""

    _begin: Tokens | None = None

    async def tokenize(self, text: str) -> TokenText:
        """As `PieceTokens.tokenize`: ids, and names that are read as bytes."""
        if self._begin is None:
            self._begin = token_ids(await self.client.exchange("/tokenize", self._body("", True)))
        answer = await self.client.exchange("/tokenize", self._body(text, False))
        names = part(answer, "token_strs")
        if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            raise WayError("the server does not say what its tokens stand for")
        begin = self._begin
        pieces = [b""] * len(begin) + pieces_of(names, text)
        return locate_tokens(text, (*begin, *token_ids(answer)), pieces, len(begin))

    def _body(self, text: str, special: bool) -> dict[str, object]:
        return {
            "model": self.model,
            "prompt": text,
            "add_special_tokens": special,
            "return_token_strs": True,
        }


class VllmNodes(VllmTokens, NodeWay):
    """`/v1/completions` with `logprob_token_ids`: its prefix cache works."""

    name = "logprob_token_ids"
    most = MOST_IDS

    async def ask(self, tokens: Tokens, wanted: Tokens, temperature: float) -> Logprobs:
        """As `NodeWay.ask`; raises `WayError` where an id is missing: older servers ignore them."""
        found: dict[int, float] = {}
        for start in range(0, len(wanted), self.most):
            body = {
                "model": self.model,
                "prompt": list(tokens),
                "max_tokens": 1,
                "temperature": temperature,
                "logprobs": 0,
                "logprob_token_ids": list(wanted[start : start + self.most]),
                "return_tokens_as_token_ids": True,
            }
            answer = await self.client.exchange("completions", body)
            entries = part(answer, "choices", 0, "logprobs", "top_logprobs", 0)
            found |= _map_by_name(entries)
        if not found.keys() >= set(wanted):
            raise WayError("the server ignores logprob_token_ids")
        return {token: found[token] for token in wanted}


class VllmTexts(VllmTokens, TextWay):
    """`/v1/completions` with `prompt_logprobs`: whole texts, past its prefix cache."""

    name = "prompt_logprobs"

    async def read_logprobs(
        self, text: str, temperature: float
    ) -> tuple[TokenText, Sequence[float]]:
        """As `TextWay.read_logprobs`; `WayError` where the tokens are others than were sent."""
        tokens = await self.tokenize(text)
        body = {
            "model": self.model,
            "prompt": list(tokens.ids),
            "max_tokens": 1,
            "temperature": temperature,
            "prompt_logprobs": 0,
        }
        places = part(
            await self.client.exchange("completions", body), "choices", 0, "prompt_logprobs"
        )
        if not isinstance(places, list) or len(places) != len(tokens.ids):
            raise WayError("the server ignores prompt_logprobs")
        pairs = zip(places, tokens.ids, strict=True)
        return tokens, [_value(place, token) for place, token in pairs]


def _value(place: object, token: int) -> float:
    """The value of the token that stands at a place, by its id."""
    if place is None:
        return math.nan
    found = part(place, str(token), "logprob")
    if found is None:
        raise WayError("the server gives the values of other tokens than it was sent")
    return number(found)


def _map_by_name(entries: object) -> dict[int, float]:
    """Values by the id in a token's name."""
    if not isinstance(entries, dict):
        return {}
    named = ((str(name).removeprefix(ID_MARK), value) for name, value in entries.items())
    return {int(name): number(value) for name, value in named if name.isdecimal()}
