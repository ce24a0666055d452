"""SGLang: next tokens by their ids with `token_ids_logprob`, else texts from the border on."""

from collections.abc import Mapping, Sequence

from core.providers.logprobs.option_scorer import ScoreCost
from core.providers.logprobs.option_tree import (
    Logprobs,
    OptionTree,
    TokenizationError,
    Tokens,
    shared_length,
    tree_of,
)
from core.providers.logprobs.server_interface import (
    NodeWay,
    ScoreWay,
    WayError,
    gather_all,
    number,
    part,
    token_ids,
)

WINDOW = 8
"""Prefixes whose texts are asked for at once, the longest first."""

CUT = "\ufffd"
"""What stands for a part of a character."""


class SglangTokens(ScoreWay):
    """SGLang's tokeniser, which says no pieces: the texts of whole prefixes find the border."""

    async def tree(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """As `ScoreWay.tree`: a request for all tokens, and some for what prefixes stand for."""
        body = {"model": self.model, "prompt": [f"{text}{one}" for one in continuations]}
        found = part(await self.client.exchange("/tokenize", body), "tokens")
        if not isinstance(found, list) or len(found) != len(continuations):
            raise WayError("the server does not say of which tokens a text is made")
        ids = [token_ids({"tokens": one}) for one in found]
        whole, *_ = await self._texts([ids[0]])
        if whole not in (f"{text}{continuations[0]}", f" {text}{continuations[0]}"):
            raise TokenizationError("the texts of the tokens do not join to the input")
        border = await self._border(text, ids[0], shared_length(ids))
        return tree_of(ids, lambda count: count <= border)

    async def _border(self, text: str, ids: Tokens, most: int) -> int:
        """How many of the first tokens end inside the text."""
        while most > 0:
            lengths = range(most, max(0, most - WINDOW), -1)
            texts = await self._texts([ids[:length] for length in lengths])
            for length, said in zip(lengths, texts, strict=True):
                if ends_inside(said, text):
                    return length
            most -= WINDOW
        return 0

    async def _texts(self, tokens: Sequence[Tokens]) -> list[str]:
        body = {"model": self.model, "tokens": [list(one) for one in tokens]}
        found = part(await self.client.exchange("/detokenize", body), "text")
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise WayError("the server does not say what its tokens stand for")
        return found

    async def generate(self, tokens: Tokens, temperature: float, **fields: object) -> object:
        """What the server says of itself beside one token that it writes."""
        body = {
            "input_ids": list(tokens),
            "sampling_params": {"max_new_tokens": 1, "temperature": temperature},
            "return_logprob": True,
            **fields,
        }
        return part(await self.client.exchange("/generate", body), "meta_info")


class SglangNodes(SglangTokens, NodeWay):
    """`/generate` with `token_ids_logprob`: its cache works."""

    name = "token_ids_logprob"
    most = 100_000

    async def ask(self, tokens: Tokens, wanted: Tokens, temperature: float) -> Logprobs:
        """As `NodeWay.ask`; raises `WayError` where an id is missing."""
        said = await self.generate(
            tokens, temperature, token_ids_logprob=list(wanted), logprob_start_len=-1
        )
        entries = part(said, "output_token_ids_logprobs", 0)
        listed = entries if isinstance(entries, list) else []
        found = {part(one, 1): number(part(one, 0)) for one in listed}
        if not found.keys() >= set(wanted):
            raise WayError("the server ignores token_ids_logprob")
        return {token: found[token] for token in wanted}


class SglangTexts(SglangTokens):
    """`/generate` with `logprob_start_len`: a request an option, from the border on."""

    name = "logprob_start_len"

    async def values(
        self,
        text: str,
        continuations: Sequence[str],
        temperature: float,
        known: dict[Tokens, Logprobs],
    ) -> tuple[OptionTree, Mapping[Tokens, Logprobs]]:
        """As `ScoreWay.values`; raises `WayError` where the tokens are others than were sent."""
        tree = await self.tree(text, continuations)
        last = len(tree.prefix) - 1
        values: dict[Tokens, dict[int, float]] = {}

        async def read_option(option: Tokens) -> None:
            said = await self.generate((*tree.prefix, *option), temperature, logprob_start_len=last)
            entries = part(said, "input_token_logprobs")
            listed = entries if isinstance(entries, list) else []
            if [part(one, 1) for one in listed] != [tree.prefix[-1], *option]:
                raise WayError("the server gives the values of other tokens than it was sent")
            for at, (token, entry) in enumerate(zip(option, listed[1:], strict=True)):
                values.setdefault(option[:at], {})[token] = number(part(entry, 0))

        first, *others = tree.options
        await read_option(first)
        await gather_all([read_option(one) for one in others], self.together)
        return tree, values

    def cost(self, tree: OptionTree, before: OptionTree | None) -> ScoreCost:
        """As `ScoreWay.cost`: what stands before the border is in the cache."""
        lengths = [len(tree.prefix) + len(option) for option in tree.options]
        shared = 0 if before is None else shared_length((before.prefix, tree.prefix))
        last = len(tree.prefix) - 1
        cached = min(shared, last) + last * (len(lengths) - 1)
        return ScoreCost(len(lengths), sum(lengths), cached)


def ends_inside(said: str, text: str) -> bool:
    """Whether tokens that stand for this end inside a text, which they begin.

    A character that is cut off at the end is one of the text where there is one more in it.
    """
    if said.startswith(" ") and not text.startswith(" "):
        said = said[1:]
    whole = said.rstrip(CUT)
    if not text.startswith(whole) or (CUT in text and whole != said):
        return text.startswith(said)
    return whole == said or len(whole) < len(text)
