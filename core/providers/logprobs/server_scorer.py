"""Log probabilities from a server: which kind it is, how it can be asked, and the asking."""

import asyncio
from collections.abc import Mapping, Sequence

from core.errors import UsageError
from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.endpoints import OF_KEY_OR_RATE
from core.providers.logprobs.llama_server import LlamaServerNodes
from core.providers.logprobs.option_scorer import OptionScorer, ScoreCost, ScoredOptions
from core.providers.logprobs.option_tree import (
    Logprobs,
    OptionTree,
    TokenizationError,
    Tokens,
    TokenText,
    locate_tokens,
    most_mass,
)
from core.providers.logprobs.server_interface import ScoreWay, TextWay, WayError, number, part
from core.providers.logprobs.sglang_server import SglangNodes, SglangTexts
from core.providers.logprobs.token_pieces import pieces_of
from core.providers.logprobs.vllm_server import VllmNodes, VllmTexts
from core.providers.openai_compatible import OpenAICompatible

# Any server whose completions take `echo`: whole texts come back, token by token, with values.

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


SIGNS: Mapping[str, tuple[str, tuple[type[ScoreWay], ...]]] = {
    "/props": ("default_generation_settings", (LlamaServerNodes,)),
    "/get_model_info": ("model_path", (SglangNodes, SglangTexts, EchoTexts)),
    "/version": ("version", (VllmNodes, VllmTexts, EchoTexts)),
}
"""What only one kind of server says of itself where, and the ways to ask it, the best first."""

WAYS: Mapping[str, type[ScoreWay]] = {
    way.name: way
    for way in (LlamaServerNodes, SglangNodes, SglangTexts, VllmNodes, VllmTexts, EchoTexts)
}
"""Each way by the name that recipes have for it."""

PROBE = "one two three"
PROBED = (" four", " five")

REMEMBERED = 64
"""Texts of which the nodes that were answered are kept while others of theirs fail."""

BY_CHAT = (
    "it has no endpoint that continues a text, only chat: "
    "use --test response, which looks at its answers"
)


class ServerScorer(OptionScorer):
    """Scores by one server. Which way it takes is found out by the first request, unless `way`
    names it, as a recipe does.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        api_key: str | None = None,
        way: str | None = None,
    ) -> None:
        """Raises `UsageError` for a way that there is not."""
        self._client = OpenAICompatible(model, base_url, api_key)
        self._model, self._where = model, f"{model} at {base_url}"
        self._way: ScoreWay | None = None
        if way is not None:
            if way not in WAYS:
                raise UsageError(f"{model}: no way to log probabilities is called {way!r}")
            self._take(WAYS[way](self._client, model))
        self._last: OptionTree | None = None
        self._finding = asyncio.Lock()
        self._begun: dict[tuple[str, tuple[str, ...], float], dict[Tokens, Logprobs]] = {}

    async def score(
        self, text: str, continuations: Sequence[str], temperature: float = 1.0
    ) -> ScoredOptions:
        """As `OptionScorer.score`. Nodes that were answered before another failed are kept."""
        way = await self._find_way()
        key = text, tuple(continuations), temperature
        known = self._begun.setdefault(key, {})
        while len(self._begun) > REMEMBERED:
            del self._begun[next(iter(self._begun))]
        try:
            tree, values = await way.values(text, continuations, temperature, known)
        except TokenizationError as error:
            raise UnanswerableError(self._line(str(error))) from error
        except WayError as error:
            raise TransientError(self._line(str(error))) from error
        self._begun.pop(key, None)
        cost, self._last = way.cost(tree, self._last), tree
        return ScoredOptions(tree.total(values), most_mass(values), cost)

    async def plan(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """As `OptionScorer.plan`; a server without a tokeniser is asked for the texts."""
        try:
            return await (await self._find_way()).tree(text, continuations)
        except TokenizationError as error:
            raise UnanswerableError(self._line(str(error))) from error
        except WayError as error:
            raise TransientError(self._line(str(error))) from error

    def cost(self, tree: OptionTree, before: OptionTree | None = None) -> ScoreCost:
        """As `OptionScorer.cost`, once a way is found."""
        assert self._way is not None, "a plan has found it"
        return self._way.cost(tree, before)

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.close()

    async def _find_way(self) -> ScoreWay:
        """The way that this server is asked; raises `FatalError` with the reason against each."""
        async with self._finding:
            if self._way is None:
                self._take(await self._find())
            assert self._way is not None
            return self._way

    def _take(self, way: ScoreWay) -> None:
        self._way, self.way, self.at_once = way, way.name, way.together

    async def _find(self) -> ScoreWay:
        reasons: list[str] = []
        for kind in await self._known_ways():
            way = kind(self._client, self._model)
            try:
                await way.values(PROBE, PROBED, 1.0, {})
            except (WayError, TokenizationError) as error:
                reasons.append(self._line(str(error)))
            except FatalError as error:
                if error.status in OF_KEY_OR_RATE or error.status is None:
                    raise
                absent = kind is EchoTexts and error.status in (404, 405, 501)
                reasons.append(self._line(BY_CHAT) if absent else str(error))
            else:
                return way
        raise FatalError("; ".join(dict.fromkeys(reasons)))

    async def _known_ways(self) -> Sequence[type[ScoreWay]]:
        for path, (sign, ways) in SIGNS.items():
            said = await self._ask_server(path)
            if isinstance(said, dict) and sign in said:
                return ways
        return (EchoTexts,)

    async def _ask_server(self, path: str) -> object:
        """What the server says of itself; None where it says nothing there."""
        try:
            return await self._client.exchange(path)
        except FatalError as error:
            if error.status in OF_KEY_OR_RATE or error.status is None:
                raise
        except TransientError as error:
            if error.status is None or error.status >= 400:
                raise
        return None

    def _line(self, said: str) -> str:
        return f"{self._where}: {said}"
