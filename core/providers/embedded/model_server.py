"""The embedded server as its parent sees it: started on demand, once, and never left behind."""

import secrets

from core.providers.embedded import weights
from core.providers.embedded.gguf_file import GgufFile
from core.providers.embedded.model_child import ModelChild, SharedChild, usable_threads

SLOTS = 16
"""Sequences decoded at once. Two requests for eight answers each: while the last answers to one
request are still being written, those to the next fill the slots that are free already."""

CONTEXT = 1536
"""Tokens of prompt and answer that one sequence may hold; there is room for all slots to use it up.
The longest left context of the 600 real facts has 586 tokens."""

UNIFIED = True
"""Whether the answers to one request share their prompt's part of the cache, or hold copies."""


class EmbeddedServer(SharedChild):
    """A llama.cpp server with the OpenAI wire format, in a child process on a loopback port.

    `base_url` and `api_key` are what a client needs, `model` is the file's name without its suffix,
    `slots` the number of sequences that may be in flight. The model is the bundled one by default;
    slots and context of another are what memory has room for.
    Raises `LostkeysError` where there is no model file and `ProviderError` where it cannot be run.
    """

    def __init__(
        self,
        model: GgufFile | None = None,
        *,
        slots: int | None = None,
        context: int | None = None,
        unified: bool = UNIFIED,
        threads: int | None = None,
    ) -> None:
        usual = (SLOTS, CONTEXT) if model is None else model.seats
        path = weights.find() if model is None else model.path
        self.model = path.stem if model is None else model.stem
        self.slots = slots = slots or usual[0]
        self.api_key = secrets.token_urlsafe(32)
        settings = {
            "model": str(path),
            "name": self.model,
            "key": self.api_key,
            "slots": slots,
            "context": context or usual[1],
            "lean": model is not None,
            "kept": 0 if model is None else model.kept // 2**20,
            "unified": unified,
            "threads": threads or usable_threads(),
        }
        self._child = ModelChild("child_process.py", settings, "the embedded model server")
        self.base_url = f"{self._child.ready['address']}/v1"
