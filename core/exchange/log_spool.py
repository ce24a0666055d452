"""A log, read to its end into columns that wait on disk until they land."""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from core.errors import UsageError
from core.exchange.gathered_samples import GatheredSamples
from core.exchange.log_columns import LogColumns, join_lines
from core.exchange.log_reader import LogPart, LogReader
from core.exchange.log_samples import LogHead, SampleColumns
from core.exchange.score_labels import ScoreReader
from core.providers.openai_format import storable
from core.stats.number_format import format_amount

# A second program that reads the end of a long log, while this one reads its start.
#
# Lines stand alone, so that each reads its part, and the rows are put one after another. Where the
# second does not come to the end of the file, for whatever reason, the first reads that part as
# well and says what is wrong with it.

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


class UnnamedModelError(UsageError):
    """A log names no model, and nobody else does."""


TOLD_EVERY = 1_000

BYTES_IN_BLOCK = 2**15
"""What is written at once: hardly more than a sample or two of a log with events."""


class LogSpool:
    """The rows of one log, block by block. `read_log` comes first."""

    def __init__(self, log: LogReader, scores: ScoreReader, file: IO[bytes] | None = None) -> None:
        """`file` takes the rows; `read_log` makes a passing one."""
        self._log, self._scores = log, scores
        self._gathered = GatheredSamples(scores, log.head.directions)
        self._file = BytesIO() if file is None else file
        self._second: SecondReader | None = None
        self._lines = 0  # before those of the second program
        self._second_marks: list[int] = []
        self._has_answers = False

    def read_log(self, tell: Callable[[int], None], label: str | None) -> int:
        """Read the log to its end; gives how many rows it has.

        Raises `LostkeysError` where it is broken, `UsageError` where it names no model and `label`
        does not either.
        """
        self._file = TemporaryFile()  # noqa: SIM115 (until `close`)
        start = find_start(self._log)
        if start is None:
            count = self.read_rows(tell)
        else:
            self._second = SecondReader(self._log, self._scores, start)
            count = self._read_with(self._second, tell)
        self._note_reasoning()
        head = self.head
        head.model, head.eval_id = head.model and storable(head.model), storable(head.eval_id)
        if not count:
            raise self._log.read_error("holds no samples", remedy="write the log with its samples")
        named = label is not None or self.head.model is not None or self._gathered.names_models
        if not named and (self._has_answers or self._second is not None):
            raise UnnamedModelError(f"{self._log.path} names no model: name it with --as NAME")
        return count

    def _note_reasoning(self) -> None:
        """The model was thinking in all of a log where an output has reasoning."""
        self.head.thinking = self.head.thinking or self._gathered.reasoned
        if split := self._gathered.split:
            self.head.notices.add(
                f"{format_amount(split, 'answer')} with reasoning between marks in the text: the "
                "reasoning is kept apart, the response is what follows it"
            )
        for text in self._gathered.tally.list_notices():
            self.head.notices.add(text)

    def _read_with(self, second: SecondReader, tell: Callable[[int], None]) -> int:
        """Read the log but for what a second program reads, and that as well where it fails."""
        self._log.part = LogPart(end=second.start)
        count = self.read_rows(tell)
        self._lines = self._log.last_line
        rest = second.finish()
        if rest is not None:
            self._second_marks = self._gathered.add_summary(rest)
            self.head.thinking = self.head.thinking or rest["thinking"]
            self.head.notices.add_json(rest["notices"], self._lines)
            return count + int(rest["count"])
        second.close()
        self._second = None
        self._log.part = LogPart(second.start, None, self._lines)
        return count + self.read_rows(lambda rows: tell(count + rows))

    def read_rows(self, tell: Callable[[int], None]) -> int:
        """Read a part of the log to its end; gives how many rows it has."""
        gathered, count = self._gathered, 0
        for sample in self._log.samples():
            before = count
            if isinstance(sample, SampleColumns):
                self._keep(gathered.take())
                self._keep(gathered.join(sample))
                count += len(sample.texts)
            else:
                gathered.add(sample)
                count += 1
            if gathered.weight >= BYTES_IN_BLOCK:
                self._keep(gathered.take())
            if count // TOLD_EVERY > before // TOLD_EVERY:
                tell(count)
        self._keep(gathered.take())
        return count

    def _keep(self, block: LogColumns) -> None:
        if not block.places and not block.bad:
            return
        self._has_answers = self._has_answers or bool(block.places)
        block.bad = [
            (storable(place) if isinstance(place, str) else place, storable(reason))
            for place, reason in block.bad
        ]
        try:
            self._file.write(block.to_json())
        except TypeError as error:  # half of a surrogate pair, a number beyond 64 bits
            if len(block.places) != 1:
                bad, block.bad = block.bad, []
                for row in range(len(block.places)):
                    self._keep(block.select_rows([row]))
                self._keep(LogColumns(bad=bad))
                return
            (place,) = block.places
            self._keep(LogColumns(bad=[(place, f"holds what cannot be kept ({error})")]))

    def close(self) -> None:
        """Forget the rows."""
        self._file.close()
        if self._second is not None:
            self._second.close()

    @property
    def head(self) -> LogHead:
        """What holds of the whole log."""
        return self._log.head

    @property
    def marks(self) -> list[tuple[str, str]]:
        """The graders and labels that rows name by their places."""
        return [(grader, label) for grader, label, _ in self._gathered.marks]

    @property
    def summary(self) -> dict[str, Any]:
        """What is known of all rows, as JSON can hold it."""
        head = {"thinking": self.head.thinking, "notices": self.head.notices.to_json()}
        return {**self._gathered.summarize(), **head}

    @property
    def labels(self) -> list[tuple[str, str, int]]:
        """Grader, label and count of values that are labels."""
        return self._gathered.tally.list_labels()

    @property
    def unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels."""
        return self._gathered.tally.list_unlabelled()

    def blocks(self) -> Iterator[tuple[int, LogColumns]]:
        """The rows in their order, without the scores of scorers that are no labels.

        Some at a time, with about how many bytes they have.
        """
        tally = self._gathered.tally
        unwanted = {
            place for place, what in enumerate(self._gathered.marks) if not tally.is_label(what)
        }
        self._file.seek(0)
        for size, block in join_lines(self._file):
            yield size, block.drop_marks(unwanted)
        if self._second is None:
            return
        self._second.file.seek(0)
        for size, block in join_lines(self._second.file):
            block.renumber(self._lines, self._second_marks)
            yield size, block.drop_marks(unwanted)


def read_rest() -> None:
    """Read the end of a log into a file that is open, for the program that started this one."""
    gc.disable()
    rest = RestOfLog(**json.loads(sys.argv[1]))
    log: LogReader = import_module(rest.reader).READER(Path(rest.path), rest.prefix)
    log.part = LogPart(rest.start)
    with os.fdopen(rest.rows, "wb") as file:
        spool = LogSpool(log, rest.score_reader, file)
        count = spool.read_rows(lambda rows: None)
    sys.stdout.write(json.dumps({"count": count, **spool.summary}))
