"""Log probabilities of a model that runs here: the second child, asked line by line."""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from core.errors import LostkeysError
from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.embedded import weights
from core.providers.embedded.gguf_file import GgufFile
from core.providers.embedded.model_child import ModelChild, SharedChild, usable_threads
from core.providers.embedded.model_server import EmbeddedServer
from core.providers.embedded.tree_decoder import decoded_tokens
from core.providers.logprobs.llama_server import LlamaServerNodes
from core.providers.logprobs.option_scorer import OptionScorer, ScoreCost, ScoredOptions
from core.providers.logprobs.option_tree import OptionTree, shared_length

T = TypeVar("T")

CONTEXT = 8192
"""Tokens of the one sequence."""

TREE = "tree"
"""How recipes call the exact way."""


class ScoreChild(SharedChild):
    """The program's one child for the scores of a model, started by whoever asks first.

    `unknown` says why this build of llama.cpp cannot be asked; None where it can.
    """

    def __init__(self, model: GgufFile | None = None, threads: int | None = None) -> None:
        path, usable = weights.find() if model is None else model.path, threads or usable_threads()
        settings: dict[str, object] = {
            "model": str(path),
            "threads": usable if usable > 0 else os.cpu_count() or 1,
            "context": _context_of(model),
        }
        self._child = ModelChild("score_process.py", settings, _name(model))
        self._asking = threading.Lock()
        self.unknown: str | None = self._child.ready.get("unknown")

    @property
    def alive(self) -> bool:
        """Whether the child still runs, or has said that it cannot."""
        return super().alive or self.unknown is not None

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the child answers. Who asks at the same time waits."""
        with self._asking:
            return self._child.exchange(message)


class EmbeddedScorer(OptionScorer):
    """Scores by the program's child; `close` leaves it running for the next job.

    Where this build of llama.cpp is not known, by a server of its own, inexactly. `child` is
    another one than the program's, `way` the only one that is taken. `model` None: the bundled one.
    """

    way = TREE
    exact = True
    at_once = 2

    def __init__(
        self,
        child: ScoreChild | None = None,
        way: str | None = None,
        model: GgufFile | None = None,
    ) -> None:
        self._child, self._wanted, self._model = child, way, model
        self._instead: OptionScorer | None = None
        self._server: EmbeddedServer | None = None
        self._remark: str | None = None
        self._starting = asyncio.Lock()

    async def score(
        self, text: str, continuations: Sequence[str], temperature: float = 1.0
    ) -> ScoredOptions:
        """As `OptionScorer.score`: the numbers of one pass over each whole text."""
        if (instead := await self._find_other_way()) is not None:
            return await instead.score(text, continuations, temperature)
        answer = await self._ask_child({"text": text, "continuations": list(continuations)})
        cost = ScoreCost(1, answer["decoded"] + answer["reused"], answer["reused"])
        return ScoredOptions(np.array(answer["logprobs"], np.float32), answer["mass"], cost)

    async def plan(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """As `OptionScorer.plan`; the model is loaded."""
        if (instead := await self._find_other_way()) is not None:
            return await instead.plan(text, continuations)
        answer = await self._ask_child(
            {"text": text, "continuations": [*continuations], "plan": True}
        )
        return OptionTree(tuple(answer["prefix"]), tuple(map(tuple, answer["options"])))

    def cost(self, tree: OptionTree, before: OptionTree | None = None) -> ScoreCost:
        """As `OptionScorer.cost`: one line to the child, and the tokens that it decodes."""
        if self._instead is not None:
            return self._instead.cost(tree, before)
        cached = 0 if before is None else shared_length((before.prefix, tree.prefix))
        return ScoreCost(1, decoded_tokens(tree, cached) + cached, cached)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why the scores are inexact, where they are."""
        return () if self._remark is None else (self._remark,)

    async def close(self) -> None:
        """End the server, where there is one."""
        if self._instead is not None:
            await self._instead.close()
        if self._server is not None:
            await asyncio.to_thread(self._server.close)
        self._instead = self._server = None

    async def _find_other_way(self) -> OptionScorer | None:
        """The server way, where the child has said that it does not know this llama.cpp."""
        async with self._starting:
            if self._instead is not None:
                return self._instead
            unknown = (await self._in_thread(self._open)).unknown
            way = TREE if unknown is None else LlamaServerNodes.name
            if self._wanted not in (None, way):
                raise FatalError(
                    f"{_name(self._model)}: these scores are by {self._wanted}, and this llama.cpp "
                    f"gives them by {way}: use --as NAME to keep this run apart"
                )
            if unknown is None:
                return None
            self._server = await self._in_thread(lambda: _start_server(self._model))
            self._instead = await asyncio.to_thread(_client_of, self._server)
            self.way, self.exact, self.at_once = way, False, 1
            self._remark = f"scores come from llama.cpp's server and are inexact: {unknown}"
            return self._instead

    async def _ask_child(self, message: dict[str, Any]) -> dict[str, Any]:
        answer = await self._in_thread(lambda: self._open().ask(message))
        if "unanswerable" in answer:
            raise UnanswerableError(f"{_name(self._model)}: {answer['unanswerable']}")
        if "failed" in answer:
            raise TransientError(f"{_name(self._model)}: {answer['failed']}")
        return answer

    async def _in_thread(self, act: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(act)
        except OSError as error:
            raise TransientError(f"{_name(self._model)} has ended: {error}") from error
        except LostkeysError as error:
            raise FatalError(str(error)) from error

    def _open(self) -> ScoreChild:
        return self._child or ScoreChild.open_shared(self._model)


def _start_server(model: GgufFile | None) -> EmbeddedServer:
    return EmbeddedServer(model, slots=1, context=_context_of(model), unified=False)


def _context_of(model: GgufFile | None) -> int:
    """Tokens of the one sequence: no more than the model was made for."""
    return min(CONTEXT, (model and model.context) or CONTEXT)


def _name(model: GgufFile | None) -> str:
    return "the embedded model" if model is None else model.path.name


def _client_of(server: EmbeddedServer) -> OptionScorer:
    from core.providers.logprobs.server_scorer import ServerScorer

    return ServerScorer(server.model, server.base_url, server.api_key, LlamaServerNodes.name)
