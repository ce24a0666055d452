"""Servers that say how probable tokens are, each in its own wire format, and lie where told to."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any

from aiohttp import web

from core.providers.logprobs.token_pieces import BYTE_OF
from tests.fakes.openai_server import FakeOpenAI, error
from tests.fakes.service import Call
from tests.fakes.toy_model import ToyModel

Route = tuple[str, str, bool, Callable[[Call], Awaitable[web.Response]]]
CHARACTER = {byte: char for char, byte in BYTE_OF.items()}


class Lie(StrEnum):
    """What a server does wrong."""

    IGNORES_ECHO = "takes echo and sends no prompt back"
    IGNORES_IDS = "takes named ids and sends the best ones"
    IGNORES_PROMPT_LOGPROBS = "takes prompt_logprobs and sends none"
    AFTER_SAMPLING = "sends values after sampling"
    LOSES_CACHED = "sends no values of tokens that it has cached"
    OTHER_TOKEN = "sends the value of another token"
    OTHER_ID = "sends another token with its value"
    BY_ORDER = "sends values that depend on what came before"
    NOT_FINITE = "sends no number for what is improbable"
    POSITIVE = "sends numbers above 0"
    HALVES = "chooses half a character, of which llama.cpp sends no values, every other time"
    OTHER_TEXT = "says of tokens that they stand for other texts"


class FakeScores(FakeOpenAI):
    """What the servers share: a toy model, lies, and how often each path was asked.

    `cached_texts` are the prompts of which values were sent before: what is cached.
    """

    def __init__(self, model: ToyModel | None = None, *lies: Lie) -> None:
        super().__init__()
        self.model = model or ToyModel()
        self.lies = set(lies)
        self.cached_texts: set[tuple[int, ...]] = set()
        self.asked_by_path: Counter[str] = Counter()
        self.context = 2_000

    def prompt(self, body: dict[str, Any]) -> str:
        return str(body.get("prompt", body.get("input_ids", "")))

    def values(self, tokens: Sequence[int], temperature: float) -> list[float | None]:
        """The value of every next token, as this server sends it."""
        after = temperature if Lie.AFTER_SAMPLING in self.lies else 1.0
        found: list[float | None] = [*self.model.logprobs(tokens, after)]
        if Lie.OTHER_TOKEN in self.lies:
            found = [*found[1:], found[0]]
        if Lie.BY_ORDER in self.lies:
            drift = 0.1 * (sum(self.asked_by_path.values()) % 5)
            found = [None if one is None else one - drift for one in found]
        if Lie.POSITIVE in self.lies:
            found = [None if one is None else -one for one in found]
        if Lie.NOT_FINITE in self.lies:
            found = [None if one is None or one < -7 else one for one in found]
        return found

    def of_text(self, tokens: Sequence[int], temperature: float) -> list[float | None]:
        """The value of every token of a text; the first has none."""
        cached = 0
        if Lie.LOSES_CACHED in self.lies:
            known = [set(range(len(one) + 1)) for one in self.cached_texts if _begins(one, tokens)]
            cached = max((max(one) for one in known), default=0)
            self.cached_texts.add(tuple(tokens[: len(tokens) - len(tokens) % 4]))
        return [
            None if not at or at < cached else self.values(tokens[:at], temperature)[token]
            for at, token in enumerate(tokens)
        ]

    def act(
        self, path: str, does: Callable[[dict[str, Any]], dict[str, Any] | web.Response]
    ) -> Route:
        """A path with what is done there, counted."""

        async def answer(call: Call) -> web.Response:
            self.asked_by_path[path] += 1
            done = does(call.body)
            return done if isinstance(done, web.Response) else web.json_response(done)

        return "POST", path, True, answer

    def described(self, path: str, document: dict[str, Any]) -> Route:
        """What the server says of itself."""

        async def answer(call: Call) -> web.Response:
            return web.json_response(document)

        return "GET", path, False, answer

    def ids_of(self, prompt: str | list[int]) -> list[int]:
        """A prompt as tokens, with what begins a text unless it came as tokens."""
        if isinstance(prompt, str):
            return [*self.model.before, *self.model.tokenize(prompt)]
        return prompt

    def too_long(self, tokens: Sequence[int]) -> web.Response | None:
        """The refusal of a prompt that does not fit."""
        if len(tokens) <= self.context:
            return None
        said = (
            f"This model's maximum context length is {self.context} tokens. However, your prompt "
            f"has {len(tokens)}"
        )
        return web.json_response(error(400, said), status=400)

    def name(self, token: int) -> str:
        """A token as OpenAI's format writes it."""
        piece = self.model.vocabulary[token]
        try:
            return piece.decode()
        except UnicodeDecodeError:
            return "bytes:" + "".join(f"\\x{byte:02x}" for byte in piece)

    def best(self, tokens: Sequence[int], temperature: float) -> int:
        """The most probable next token."""
        values = self.model.logprobs(tokens)
        return max(range(len(values)), key=values.__getitem__)

    def completed(self, body: dict[str, Any]) -> dict[str, Any] | web.Response:
        """`/v1/completions` with `echo` and `logprobs`."""
        tokens, temperature = self.ids_of(body["prompt"]), float(body.get("temperature", 1.0))
        if refusal := self.too_long(tokens):
            return refusal
        best = self.best(tokens, temperature)
        names, values = [self.name(best)], self.values(tokens, temperature)[best : best + 1]
        text = self.model.bytes_of([best]).decode(errors="replace")
        if body.get("echo") and Lie.IGNORES_ECHO not in self.lies:
            names = [*map(self.name, tokens), *names]
            values = [*self.of_text(tokens, temperature), *values]
            text = self.model.bytes_of(tokens).decode() + text
        if Lie.OTHER_TEXT in self.lies:
            names = [name.upper() for name in names]
        logprobs = {"tokens": names, "token_logprobs": values, "top_logprobs": None}
        return {"choices": [{"index": 0, "text": text, "logprobs": logprobs}]}


class FakeEcho(FakeScores):
    """Completions with `echo`, and nothing else."""

    def routes(self) -> Iterator[Route]:
        yield self.act("/v1/completions", self.completed)


class FakeChat(FakeScores):
    """Chat, and nothing else."""

    def routes(self) -> Iterator[Route]:
        yield "POST", "/v1/chat/completions", True, self.answered


class FakeVllm(FakeScores):
    """vLLM. `sentence_piece`: how its tokeniser writes names; `most_ids`: those a request names."""

    sentence_piece = False
    most_ids = 128

    def routes(self) -> Iterator[Route]:
        yield self.described("/version", {"version": "0.20.0"})
        yield self.act("/tokenize", self._tokenized)
        yield self.act("/v1/completions", self.completed)

    def _tokenized(self, body: dict[str, Any]) -> dict[str, Any]:
        tokens = self.model.tokenize(body["prompt"])
        if body.get("add_special_tokens", True):
            tokens = [*self.model.before, *tokens]
        answer = {"count": len(tokens), "max_model_len": self.context, "tokens": tokens}
        if body.get("return_token_strs"):
            answer["token_strs"] = [self._string(token) for token in tokens]
        return answer

    def _string(self, token: int) -> str:
        piece = self.model.vocabulary[token]
        if Lie.OTHER_TEXT in self.lies:
            piece = piece.upper()
        if not self.sentence_piece:
            return "".join(CHARACTER[byte] for byte in piece)
        try:
            return piece.decode().replace(" ", "\u2581")
        except UnicodeDecodeError:
            return "".join(f"<0x{byte:02X}>" for byte in piece)

    def completed(self, body: dict[str, Any]) -> dict[str, Any] | web.Response:
        tokens, temperature = self.ids_of(body["prompt"]), float(body.get("temperature", 1.0))
        if refusal := self.too_long(tokens):
            return refusal
        wanted = body.get("logprob_token_ids")
        if wanted and len(wanted) > self.most_ids:
            return web.json_response(error(400, "too many logprob_token_ids"), status=400)
        if wanted:
            return self._named(tokens, temperature, wanted)
        answer = super().completed(body)
        if "prompt_logprobs" in body and Lie.IGNORES_PROMPT_LOGPROBS not in self.lies:
            assert isinstance(answer, dict)
            answer["choices"][0]["prompt_logprobs"] = self._prompt(tokens, temperature)
        return answer

    def _named(
        self, tokens: Sequence[int], temperature: float, wanted: Sequence[int]
    ) -> dict[str, Any]:
        best = self.best(tokens, temperature)
        values = self.values(tokens, temperature)
        sent = [] if Lie.IGNORES_IDS in self.lies else wanted
        if Lie.OTHER_ID in self.lies:
            sent = [one + 1 for one in sent]
        top = {f"token_id:{one}": -9999.0 if values[one] is None else values[one] for one in sent}
        top[f"token_id:{best}"] = values[best]
        named = {
            "tokens": [f"token_id:{best}"],
            "token_logprobs": [values[best]],
            "top_logprobs": [top],
        }
        return {"choices": [{"index": 0, "text": self.name(best), "logprobs": named}]}

    def _prompt(self, tokens: Sequence[int], temperature: float) -> list[Any]:
        """A value a token, and that of the best one beside it, by their ids."""
        found: list[Any] = []
        for at, (token, value) in enumerate(
            zip(tokens, self.of_text(tokens, temperature), strict=True)
        ):
            if not at:
                found.append(None)
                continue
            key = token + 1 if Lie.OTHER_ID in self.lies else token
            found.append({str(key): {"logprob": value, "rank": 1, "decoded_token": "x"}})
        return found


class FakeSglang(FakeScores):
    """SGLang: its own `/generate`, and a tokeniser that says no pieces."""

    def routes(self) -> Iterator[Route]:
        yield self.described("/get_model_info", {"model_path": "m", "is_generation": True})
        yield self.act("/tokenize", self._tokenized)
        yield self.act("/detokenize", self._detokenized)
        yield self.act("/generate", self._generated)
        yield self.act("/v1/completions", self.completed)

    def _tokenized(self, body: dict[str, Any]) -> dict[str, Any]:
        prompts = body["prompt"]
        tokens = [self.ids_of(one) for one in prompts]
        return {"tokens": tokens, "count": [len(one) for one in tokens], "max_model_len": 2_000}

    def _detokenized(self, body: dict[str, Any]) -> dict[str, Any]:
        texts = [self.model.bytes_of(one).decode(errors="replace") for one in body["tokens"]]
        if Lie.OTHER_TEXT in self.lies:
            texts = [one.upper() for one in texts]
        return {"text": texts}

    def _generated(self, body: dict[str, Any]) -> dict[str, Any] | web.Response:
        tokens = body["input_ids"]
        if refusal := self.too_long(tokens):
            return refusal
        temperature = float(body["sampling_params"]["temperature"])
        best, values = self.best(tokens, temperature), self.values(tokens, temperature)
        meta: dict[str, Any] = {"output_token_logprobs": [[values[best], best, None]]}
        start, other = body["logprob_start_len"], Lie.OTHER_ID in self.lies
        if "token_ids_logprob" in body and Lie.IGNORES_IDS not in self.lies:
            named = [[values[one], one + other, None] for one in body["token_ids_logprob"]]
            meta["output_token_ids_logprobs"] = [named]
        if start >= 0:
            sent = self.of_text(tokens, temperature)
            listed = [[sent[at], tokens[at] + other, None] for at in range(start, len(tokens))]
            meta["input_token_logprobs"] = [[None, *listed[0][1:]], *listed[1:]]
        return {"text": self.name(best), "output_ids": [best], "meta_info": meta}


class FakeLlama(FakeScores):
    """llama.cpp's server: takes `echo` and ignores it."""

    def routes(self) -> Iterator[Route]:
        self.lies.add(Lie.IGNORES_ECHO)
        yield self.described("/props", {"default_generation_settings": {}, "total_slots": 1})
        yield self.act("/tokenize", self._tokenized)
        yield self.act("/completion", self._completed)
        yield self.act("/v1/completions", self.completed)

    def _tokenized(self, body: dict[str, Any]) -> dict[str, Any]:
        tokens = self.model.tokenize(body["content"])
        if body.get("add_special"):
            tokens = [*self.model.before, *tokens]
        if not body.get("with_pieces"):
            return {"tokens": tokens}
        return {"tokens": [{"id": one, "piece": self._piece(one)} for one in tokens]}

    def _piece(self, token: int) -> str | list[int]:
        piece = self.model.vocabulary[token]
        if Lie.OTHER_TEXT in self.lies:
            piece = piece.upper()
        try:
            return piece.decode()
        except UnicodeDecodeError:
            return [*piece]

    def _completed(self, body: dict[str, Any]) -> dict[str, Any] | web.Response:
        tokens, temperature = body["prompt"], float(body["temperature"])
        if refusal := self.too_long(tokens):
            return refusal
        values = self.values(tokens, temperature)
        forced = body.get("grammar", "").removeprefix("root ::= <[").removesuffix("]>")
        chosen = int(forced) if forced else self.best(tokens, temperature)
        if Lie.HALVES in self.lies and not forced and self.asked_by_path["/completion"] % 2:
            return {"content": "\ufffd", "tokens": []}
        ranked = self.model.logprobs(tokens)
        best = sorted(range(len(values)), key=lambda one: -ranked[one])[: body["n_probs"]]
        first = {
            **self._entry(chosen, values),
            "top_logprobs": [self._entry(one, values) for one in best],
        }
        return {"content": self.name(chosen), "completion_probabilities": [first]}

    def _entry(self, token: int, values: Sequence[float | None]) -> dict[str, Any]:
        said = token + (Lie.OTHER_ID in self.lies)
        return {"id": said, "token": self.name(token), "bytes": [], "logprob": values[token]}


def _begins(one: Sequence[int], other: Sequence[int]) -> bool:
    return tuple(other[: len(one)]) == tuple(one)
