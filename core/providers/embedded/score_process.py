"""The second child: one model and one sequence, scored through llama.cpp's C interface.

Run as a script by `core.providers.embedded.embedded_scorer`, never imported. The first JSON line on
standard input says what to load; one on standard output says that it is, or that this build of
llama.cpp is not known. From then on a line in is a text with what may follow it, and a line out
the log probabilities of that. The parent's end of standard input is the life line.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

# The folder with the package that this module, so named, is in.
sys.path.insert(0, str(Path(__file__).resolve().parents["core.providers.embedded".count(".") + 1]))

os.environ.setdefault("GOMP_SPINCOUNT", "1000")  # as in `child_process`: read as OpenMP is loaded

from core.providers.embedded.llama_library import BATCH, LayoutError, LlamaContext
from core.providers.embedded.tree_decoder import TreeDecoder
from core.providers.logprobs.option_tree import (
    OptionTree,
    TokenizationError,
    TokenText,
    locate_tokens,
    most_mass,
    option_tree,
)


class ScoreProcess:
    """Answers the parent's lines."""

    def __init__(self, context: LlamaContext) -> None:
        self._context = context
        self._decoder = TreeDecoder(context, BATCH)
        self._pieces: dict[int, bytes] = {}

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What one line asks for; `plan` asks for the tree alone."""
        try:
            tree = self._tree(asked["text"], asked["continuations"])
        except TokenizationError as error:
            return {"unanswerable": str(error)}
        except UnicodeEncodeError:
            return {"unanswerable": "a text holds half a character"}
        longest = len(tree.prefix) + max(map(len, tree.options))
        if longest > self._context.size:
            size = self._context.size
            over = f"{longest - size:,} more than the {size:,} of the context"
            return {"unanswerable": f"{longest:,} tokens are {over}"}
        if asked.get("plan"):
            return {"prefix": tree.prefix, "options": tree.options}
        decoder = self._decoder
        decoded, reused = decoder.decoded, decoder.reused
        try:
            values = decoder.walk(tree)
        except RuntimeError as error:
            return {"failed": str(error)}
        return {
            "logprobs": list(map(float, tree.total(values))),
            "mass": most_mass(values),
            "decoded": decoder.decoded - decoded,
            "reused": decoder.reused - reused,
        }

    def _tree(self, text: str, continuations: list[str]) -> OptionTree:
        texts = [self._token_text(f"{text}{one}") for one in continuations]
        return option_tree(texts, len(text.encode()))

    def _token_text(self, text: str) -> TokenText:
        begin, tokens = self._context.begin, self._context.tokenize(text)
        for token in tokens:
            if token not in self._pieces:
                self._pieces[token] = self._context.piece(token)
        pieces = [b""] * len(begin) + [self._pieces[token] for token in tokens]
        return locate_tokens(text, (*begin, *tokens), pieces, len(begin))


def outlive_nobody(parent: int) -> None:
    """End once the parent is gone, though one of its forks may keep the pipe open."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def main() -> None:
    """Answer until the parent is gone."""
    settings = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=outlive_nobody, args=(settings["parent"],), daemon=True).start()
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # llama.cpp may write to standard output too

        def say(message: dict[str, Any]) -> None:
            out.write(json.dumps(message).encode() + b"\n")
            out.flush()

        try:
            context = LlamaContext(settings["model"], settings["context"], settings["threads"])
        except LayoutError as error:
            say({"unknown": str(error)})
            return
        except RuntimeError as error:
            sys.stderr.write(f"{error}\n")
            sys.stderr.flush()
            os._exit(1)
        say({"size": context.size})
        process = ScoreProcess(context)
        for line in sys.stdin.buffer:
            say(process.answer(json.loads(line)))
    os._exit(0)


if __name__ == "__main__":
    main()
