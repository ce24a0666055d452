"""Any server whose completions take `echo`: whole texts come back, token by token, with values."""

from collections.abc import Sequence

from core.providers.logprobs.option_tree import TokenizationError, TokenText, locate_tokens
from core.providers.logprobs.server_interface import TextWay, WayError, number, part
from core.providers.logprobs.token_pieces import pieces_of

IGNORED = "the server takes echo and ignores it: it says nothing of the text that it is sent"
MOST_BEGIN = 2
"""Tokens that may stand before a text."""


class EchoTexts(TextWay):
    """`/v1/completions` with `echo` and `logprobs`. The names of tokens stand for their ids."""

    name = "echo"

    async def read_logprobs(
        self, text: str, temperature: float
    ) -> tuple[TokenText, Sequence[float]]:
        """As `TextWay.read_logprobs`. Raises `WayError` where the text does not come back."""
        body = {
            "model": self.model,
            "prompt": text,
            "max_tokens": 1,
            "temperature": temperature,
            "echo": True,
            "logprobs": 1,
        }
        choice = part(await self.client.exchange("completions", body), "choices", 0)
        said, names = part(choice, "text"), part(choice, "logprobs", "tokens")
        values = part(choice, "logprobs", "token_logprobs")
        if not isinstance(said, str) or not said.removeprefix(" ").startswith(text):
            raise WayError(IGNORED)
        if not isinstance(names, list) or not isinstance(values, list):
            raise WayError("the server echoes the text, and gives no log probabilities of it")
        if len(names) != len(values) or not all(isinstance(one, str) for one in names):
            raise WayError("the server gives log probabilities without their tokens")
        tokens = _locate_tokens(text, names)
        return tokens, [number(one) for one in values[: len(tokens.ids)]]


def _locate_tokens(text: str, names: Sequence[str]) -> TokenText:
    """The tokens of the text: without the one that the server wrote, and with those that begin it.

    Raises `TokenizationError` where no run of them joins to the text.
    """
    for end in (len(names) - 1, len(names)):
        for begin in range(min(MOST_BEGIN + 1, end)):
            try:
                pieces = pieces_of(names[begin:end], text)
            except TokenizationError:
                continue
            ids = [NUMBERS.setdefault(name, len(NUMBERS)) for name in names[:end]]
            return locate_tokens(text, ids, [b""] * begin + pieces, begin)
    raise TokenizationError("the texts of the tokens do not join to the input")


NUMBERS: dict[str, int] = {}
"""A number for each token's name."""
