"""A second program that reads the end of a long log, while this one reads its start.

Lines stand alone, so that each reads its part, and the rows are put one after another. Where the
second does not come to the end of the file, for whatever reason, the first reads that part as well
and says what is wrong with it.
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from tempfile import TemporaryFile
from typing import IO, Any

from core.exchange.log_reader import LogReader
from core.exchange.score_labels import ScoreReader

LEAST_BYTES = 2**27
"""Of fewer bytes a second program saves next to nothing."""

HEAD_START = 2**23
"""About so many bytes are read until the second program has begun."""

PROGRAM = "from core.exchange.log_spool import read_rest; read_rest()"


@dataclass(frozen=True, slots=True)
class RestOfLog:
    """What a program is to read: the end of a log from a byte on, and into which open file.

    `reader` is the module of its format, `scores` what `ScoreReader` is made of.
    """

    reader: str
    path: str
    prefix: str | None
    start: int
    rows: int
    correct_at: float | None
    words: dict[str, dict[str, str]]
    scores: list[str]

    @property
    def score_reader(self) -> ScoreReader:
        """What reads the scores."""
        return ScoreReader(self.correct_at, self.words, frozenset(self.scores))


class SecondReader:
    """The program that reads a log from `start` on; its rows stand in `file` once it has ended."""

    def __init__(self, log: LogReader, scores: ScoreReader, start: int) -> None:
        self.start = start
        self.file: IO[bytes] = TemporaryFile()  # noqa: SIM115 (until `close`)
        rest = RestOfLog(
            type(log).__module__,
            str(log.path.absolute()),
            log.prefix,
            start,
            self.file.fileno(),
            scores.correct_at,
            {name: dict(words) for name, words in scores.words.items()},
            sorted(scores.scores),
        )
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, json.dumps(asdict(rest))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(self.file.fileno(),),
            start_new_session=True,
        )

    def finish(self) -> dict[str, Any] | None:
        """Wait for its end; gives what it says of its rows, None where it did not read them all."""
        said, _ = self._process.communicate()
        return json.loads(said) if self._process.returncode == 0 else None

    def close(self) -> None:
        """End the program, and forget its rows."""
        with self._process as process:  # waits for its end
            process.kill()
        self.file.close()


def find_start(log: LogReader) -> int | None:
    """The byte from which a second program is to read; None where one is of no use."""
    if not log.has_lines or not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    size = log.path.stat().st_size
    if size < LEAST_BYTES:
        return None
    with log.path.open("rb") as file:
        file.seek((size + HEAD_START) // 2)
        file.readline()
        start = file.tell()
    return start if start < size else None
