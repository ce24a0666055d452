"""Playing files of requests against a server with the engine, without a database."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.model_channel import ModelChannel, limits_for
from core.engine.run_counters import RunCounters
from core.errors import LostkeysError, UsageError
from core.providers.capabilities import Capabilities
from core.providers.embedded.gguf_file import open_gguf
from core.providers.model_names import GGUF, parse
from core.providers.registry import key_of
from core.scale.answer_file import AnswerFile
from core.scale.file_work import CHANNEL, STAGE, FileWork, count_items, read_items
from core.settings.extras import check_extra


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What came of it: requests answered now, failed, and answered before."""

    answered: int
    failed: int
    before: int
    reasons: dict[str, int]


def choose_answers(files: Sequence[Path], out: Path | None) -> Path:
    """Where answers go: beside a single file unless a place is named.

    Raises `UsageError` where there are several files and no place, and for one of the files.
    """
    if out is None and len(files) > 1:
        raise UsageError("several files: name where the answers go with -o OUT.jsonl")
    found = out or files[0].with_name(f"{files[0].name.removesuffix('.jsonl')}.out.jsonl")
    if any(found.resolve() == file.resolve() for file in files):
        raise UsageError(f"{found} holds the requests: name another file with -o")
    return found


async def play_files(
    files: Sequence[Path],
    url: str,
    out: Path,
    requests: int,
    counters: RunCounters,
    told: Callable[[str], object] = lambda line: None,
) -> PlayResult:
    """Ask a server all requests of which the file of answers has none.

    `requests`: in flight. `url` may be `gguf:PATH`, a file that is run here. What has come is in
    the output, however this ends. Raises `UsageError` for an address that is none,
    `LostkeysError` as the engine does, and for files that are none.
    """
    if not url.startswith(("http://", "https://", GGUF)):
        # Without it the name of the model would be one of OpenAI's, and be asked there.
        raise UsageError(
            f"--at {url}: an address begins with http:// or https://, a file's name with {GGUF}"
        )
    check_extra("local" if url.startswith(GGUF) else "openai")
    from core.providers.written_requests import WrittenRequests

    first = next((item for file in files for item in read_items(file)), None)
    if first is None:
        raise LostkeysError(f"{files[0]} has no requests: name files of `lostkeys requests`")
    model = str(first.written.body.get("model", "model"))
    where, key = await asyncio.to_thread(_find_server, url, model)
    total = count_items(files)
    with AnswerFile(out) as answers, closing(_no_database()) as connection:
        before = len(answers.done)
        counters.expect(STAGE, max(0, total - before), before)
        provider = WrittenRequests(model, where, key)
        try:
            async with DbWriter(connection, told=told) as writer:
                known = Capabilities(requests=requests)
                channel = ModelChannel(
                    provider, f"openai:{model}@{where}", limits_for(known, most=requests)
                )
                work = FileWork(files, answers)
                await Engine(writer, work, {CHANNEL: channel}, counters).run()
        finally:
            await provider.close()
    stage = counters.stages[STAGE]
    return PlayResult(stage.done - before, stage.failed, before, dict(stage.reasons))


def _find_server(url: str, model: str) -> tuple[str, str | None]:
    """The address that is asked and its key: of a file's name, those of its server, started here.

    Raises `LostkeysError` where a file cannot be run.
    """
    if not url.startswith(GGUF):
        name = parse(f"openai:{model}@{url}")
        return name.base_url or "", key_of(name)
    from core.providers.embedded.model_server import EmbeddedServer

    server = EmbeddedServer.open_shared(open_gguf(url.removeprefix(GGUF)))
    return server.base_url, server.api_key


def _no_database() -> sqlite3.Connection:
    """What the engine's transactions are made on, where nothing is in a database."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
